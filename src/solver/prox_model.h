/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * The friction models of the prox method: unknowns, velocities and projection of each block.
 *
 *   conic       z = r               the exact cone, normal part first (Algorithm 1 of [lu2015])
 *   linearised  z = (p_n, p_f, s)   one p_f per facet direction, one slip speed s per disc
 *                                   (eq. 5, 13-14), projected on z >= 0
 *   pyramid     z = r               the same pyramid with s found by the projection: friction is
 *                                   projected on the polygon with corners mu p_n d_j
 *
 * Blocks without friction are the same in all three: z = r, projected on their own set.
 */
#ifndef MO_SOLVER_PROX_MODEL_H
#define MO_SOLVER_PROX_MODEL_H

#include "problem/problem_data.h"

typedef enum mo_prox_kind { MO_PROX_CONIC, MO_PROX_LINEARISED, MO_PROX_PYRAMID } mo_prox_kind;

/* The facet directions depend on the law and its dimension alone; one table serves all blocks. */
typedef struct mo_prox_model {
    mo_prox_kind kind;
    const mo_problem *problem;
    double zeta; /* relaxation, eq. 11 */
    int newest;  /* linearised: s is driven by the new p_n and p_f of the same iteration */
    mo_law_facets plane, space, rolling;
} mo_prox_model;

/* Room for the unknowns of one block. */
enum { MO_PROX_MAX = MO_LAW_MAX_DIRECTIONS + MO_LAW_MAX_GROUPS + 1 };

void mo_prox_model_init(mo_prox_model *model, const mo_problem *problem, mo_prox_kind kind,
                        int facets, double zeta, int newest);

/* Unknowns of block i. */
int mo_prox_size(const mo_prox_model *model, int i);

/* Directions of block i that share one row of W: the factor by which they raise its norm. */
double mo_prox_spread(const mo_prox_model *model, int i);

/* The unknowns of block i that give its impulse r (slip speeds zero), and the other way round. */
void mo_prox_split(const mo_prox_model *model, int i, const double *r, double *z);
void mo_prox_impulse(const mo_prox_model *model, int i, const double *z, double *r);

/*
 * One step of block i at relative velocity u (compliance included): z <- proj(z - step F(z)), where
 * slip speeds, which have the units of u, move by slip_step instead.  Returns |dz|^2: slip speeds
 * may still change while the impulse does not.
 */
double mo_prox_step(const mo_prox_model *model, int i, double step, double slip_step,
                    const double *u, double *z);

#endif
