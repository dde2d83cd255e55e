/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Least-norm solution of a sparse system in the space of contacts that may be singular.
 *
 * With dr_i = sqrt(rho_i) x_i, the tangents of all laws (modes.h) and du = W dr + dq give A x = b,
 * C the compliance,
 *
 *     A_ij = (I - J_i) [i = j] + J_i G_i (sqrt(rho_i) W_ij sqrt(rho_j) + rho_i C_i [i = j])
 *
 * Redundant contacts make A singular.  The least x with A x = b, and the least y with A' y = g,
 * solve
 *
 *     [ I  A' ] [x]   [0]              [ 0  A' ] [x]   [g]
 *     [ A  0  ] [y] = [b]      and     [ A  -I ] [y] = [0]
 *
 * One factorisation of the quasidefinite K = [I A'; A -delta I] [vanderbei1995] serves both, for
 * any rank of A, with refinement on the true system.  Singular values below sqrt(delta) are zero.
 */
#ifndef MO_GRADIENT_LEAST_NORM_H
#define MO_GRADIENT_LEAST_NORM_H

#include "base/arena.h"
#include "linalg/front.h"
#include "problem/problem_data.h"

/* The pattern of K: two unknowns a row of W, (x_i, y_i) in block i; that of W made symmetric. */
typedef struct mo_pair_pattern {
    int count;
    int *dim;           /* two a row of W */
    int *start, *index; /* of each block: its columns, rising, itself among them  */
    size_t *value;      /* of each entry: its first number */
    size_t value_count;
    mo_front_plan *plan;
} mo_pair_pattern;

mo_error mo_pair_pattern_create(const mo_allocator *allocator, const mo_problem *W,
                                mo_pair_pattern *pattern);
void mo_pair_pattern_clear(const mo_allocator *allocator, mo_pair_pattern *pattern);

typedef struct mo_least_norm {
    const mo_problem *W;   /* reduced */
    const size_t *start;   /* of each constraint's d x d numbers in J and JG */
    const double *J, *JG;  /* of every block */
    const double *rho;     /* one a constraint */
    const uint8_t *active; /* blocks with J != 0; the others have x = 0 */
    const mo_pair_pattern *pattern;
    double *K; /* its numbers */
    mo_front_lu lu;
    double *x, *y, *in, *out, *kept, *pair; /* rows; pair: 2 rows */
} mo_least_norm;

/* Room on the arena; the pattern is that of W. */
void mo_least_norm_layout(const mo_problem *W, const mo_pair_pattern *pattern, mo_arena *arena,
                          mo_least_norm *system);

/* Fills and factors K; false if that fails (numbers that are not finite). */
bool mo_least_norm_factor(mo_least_norm *system);

/* out = A x on the active blocks, zero elsewhere. */
void mo_least_norm_apply(const mo_least_norm *system, const double *x, double *out);

/* The shortest x with A x nearest to b; returns |A x - b| / |b|.  b may be x. */
double mo_least_norm_solve(mo_least_norm *system, const double *b, double *x);
double mo_least_norm_solve_transposed(mo_least_norm *system, const double *g, double *y);

#endif
