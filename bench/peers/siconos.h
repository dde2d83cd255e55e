/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * The solvers of Siconos Numerics, for `moreau bench solvers --against siconos`.  A program of its
 * own, so that nothing of ours links Siconos and so that its crashes are its own.
 *
 * Siconos writes the problem as we do: normal component first, velocity = W r + q in the local
 * form, M v = H r + f and velocity = H' v + w in the global one (its M is our W or our M, its q our
 * q or our f, its b our w).  Dense matrices and blocks are stored by columns.
 */
#ifndef PEERS_SICONOS_H
#define PEERS_SICONOS_H

#include "moreau/problem.h"

/* Kind of problem that a configuration solves. */
typedef enum siconos_family {
    SICONOS_LOCAL_3D,
    SICONOS_LOCAL_2D,
    SICONOS_GLOBAL_3D,
    SICONOS_LOCAL_ROLLING,
    SICONOS_GLOBAL_ROLLING
} siconos_family;

typedef enum siconos_storage { SICONOS_BLOCKS, SICONOS_DENSE, SICONOS_SPARSE } siconos_storage;

/* One way to call one solver. */
typedef struct siconos_config {
    const char *name;
    siconos_family family;
    int solver;              /* its id in Friction_cst.h */
    siconos_storage storage; /* of W; global forms are sparse */
    int inner;               /* id of the solver inside; 0: the default */
    int at, value;           /* iparam[at] = value; at = 0: none */
} siconos_config;

extern const siconos_config siconos_configs[];
extern const int siconos_config_count;

/* ---- problems -------------------------------------------------------------------------------- */

/* Input of the conversions. */
typedef struct siconos_source {
    const mo_problem *problem; /* as it was read */
    mo_problem *reduced;       /* its reduced form, or the problem itself */
    double q_norm;             /* |q| */
} siconos_source;

/*
 * Can this configuration express the problem?  Every constraint has to be a Coulomb contact in the
 * configuration's dimension, or a rolling one, hard in the global forms, with a finite mu; and few
 * enough for a dense W, where it asks for one.
 */
int siconos_takes(const siconos_config *config, const siconos_source *source);

/* The problem in Siconos' own terms, opaque here. */
typedef struct siconos_problem siconos_problem;

/* NULL if memory runs out. */
siconos_problem *siconos_problem_make(const siconos_config *config, const siconos_source *source);
void siconos_problem_free(siconos_problem *problem);

/* One call of the driver of its family, with options that the caller has made: the return value of
 * that driver. */
struct SolverOptions;
int siconos_problem_solve(siconos_problem *problem, struct SolverOptions *options, double *r,
                          double *u, double *v);

#endif
