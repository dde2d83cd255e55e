/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Exact solution of one block with all others fixed: the step of a sweep.
 *
 * With the other impulses fixed, block i has
 *
 *     u_i = W_ii r_i + b_i,    b_i = u_i - W_ii r_i at the present state,
 *
 * which its law solves exactly (mo_law_ops.solve).  The change dr_i then updates the state, x +=
 * push_i' dr_i (sweep.h); in a reduced problem the state is r itself.  With over-relaxation the new
 * impulse is (1 - omega) r + omega r_new, projected on its set.
 *
 * mo_visitor_begin selects specialised kernels for the contacts of large problems: the same result
 * to rounding, with constant sizes and without look-ups.
 */
#ifndef MO_SOLVER_VISIT_H
#define MO_SOLVER_VISIT_H

#include "problem/sweep.h"

typedef enum mo_visit_kind {
    MO_VISIT_ANY,
    MO_VISIT_FREE_BODIES, /* global, symmetric, hard: every body has six velocities */
    MO_VISIT_FLAT_BODIES, /* the same with three */
    MO_VISIT_PAIRS,       /* reduced, hard: every block has two rows */
    MO_VISIT_TRIPLES      /* the same with three */
} mo_visit_kind;

typedef struct mo_visitor {
    const mo_sweep *sweep;
    double omega;
    double *r, *x; /* impulses and state; x == r for a reduced problem */
    mo_visit_kind kind;
} mo_visitor;

/* A visitor of the blocks of a sweep, with the kernels that fit all of them. */
mo_visitor mo_visitor_begin(const mo_sweep *sweep, double omega, double *r, double *x);

/* r_i <- the impulse that solves the block at a position alone; the state follows.  Returns |dr|^2.
 */
double mo_visit(const mo_visitor *visitor, int position);

#endif
