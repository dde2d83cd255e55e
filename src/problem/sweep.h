/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * View for methods that iterate over blocks.
 *
 * Global problems are whitened: with M = L U, x = U v, pull = J U^-1 and push = J L^-T,
 *
 *     x = L^-1 f + sum_i push_i' r_i,    u_i = pull_i x + w_i,    W_ii = pull_i push_i'
 *
 * and W is never formed.  For symmetric M, U = L' and pull = push: one matrix per block both
 * evaluates the velocity and applies an impulse.  The numbers of a block are contiguous, in sweep
 * order.  A reduced problem has u_i = sum_j W_ij r_j + q_i; its state x is r itself.
 *
 * Positions in a sweep are grouped by colour.  The chunks of a colour (base/parallel.h) share
 * nothing, so a colour is a parallel loop with the same bits for any number of threads; a flag
 * marks groups whose chunks are not independent.
 */
#ifndef MO_PROBLEM_SWEEP_H
#define MO_PROBLEM_SWEEP_H

#include "linalg/dense.h"
#include "problem/problem_data.h"

typedef enum mo_sweep_order { MO_SWEEP_NATURAL, MO_SWEEP_COLOURED, MO_SWEEP_ORDERS } mo_sweep_order;

/* The struct and its arrays are one block of memory. */
typedef struct mo_sweep {
    const mo_problem *problem;
    int group_count;
    int *group_start;       /* positions of group g: group_start[g] .. group_start[g+1] */
    int last_is_sequential; /* the last group holds blocks that share bodies */
    int *constraint;        /* at each position */
    size_t *record_start;   /* of each position: W_ii + compliance (d x d), then pull, then push */
    double *records;
    double *free_state; /* x at r = 0 (global) */
    size_t bytes;
} mo_sweep;

mo_error mo_sweep_create(const mo_problem *problem, mo_sweep_order order, mo_sweep **sweep);
void mo_sweep_destroy(const mo_allocator *allocator, mo_sweep *sweep);

/* The order alone: the constraint at each position.  Of the problem it reads the pattern only. */
mo_error mo_sweep_positions(const mo_problem *problem, mo_sweep_order order, int *constraint);

/* Entries of the state x that a method provides: dof_count, or none where the state is r itself. */
static inline int mo_sweep_state_size(const mo_sweep *sweep)
{
    return sweep->problem->form == MO_FORM_GLOBAL ? sweep->problem->dof_count : 0;
}

/* Is this group a parallel loop? */
static inline int mo_sweep_is_parallel(const mo_sweep *sweep, int group)
{
    return !(sweep->last_is_sequential && group == sweep->group_count - 1);
}

/* x = L^-1 f + sum push' r (global; nothing to do for a reduced problem). */
void mo_sweep_reset(const mo_sweep *sweep, int threads, const double *r, double *x);

/* The block W_ii + compliance at a position. */
static inline const double *mo_sweep_diagonal(const mo_sweep *sweep, int position)
{
    return sweep->records + sweep->record_start[position];
}

/* The whitened Jacobians at a position (global): what reads u, and what applies r. */
static inline const double *mo_sweep_pull(const mo_sweep *sweep, int position)
{
    const int d = mo_constraint_dim(sweep->problem, sweep->constraint[position]);
    return mo_sweep_diagonal(sweep, position) + d * d;
}

static inline const double *mo_sweep_push(const mo_sweep *sweep, int position)
{
    const mo_problem *problem = sweep->problem;
    const int i = sweep->constraint[position];
    const size_t values = problem->value_start[i + 1] - problem->value_start[i];
    return mo_sweep_pull(sweep, position) + (problem->is_symmetric ? 0 : values);
}

/* u (d entries) of the constraint at a position, from the state. */
void mo_sweep_velocity(const mo_sweep *sweep, int position, const double *x, double *u);

/* The change du of that velocity with a change dx of the state. */
void mo_sweep_change(const mo_sweep *sweep, int position, const double *dx, double *du);

/* u of all constraints (row_count entries), from the state. */
void mo_sweep_all_velocities(const mo_sweep *sweep, int threads, const double *x, double *u);

/* One row of pull times x, and x += push' y, of a contact with a free body in space: they are most
 * of the work of a sweep, and fixed in the order of their sums. */
static inline double mo_sweep_dot_6(const double *row, const double *x)
{
    return (row[0] * x[0] + row[1] * x[1]) + (row[2] * x[2] + row[3] * x[3]) +
           (row[4] * x[4] + row[5] * x[5]);
}

static inline void mo_sweep_push_3x6(const double *A, const double *y, double *x)
{
    for (int k = 0; k < 6; ++k)
        x[k] += A[k] * y[0] + A[6 + k] * y[1] + A[12 + k] * y[2];
}

/* The state after the impulse of the constraint at a position has grown by dr (global only). */
void mo_sweep_apply(const mo_sweep *sweep, int position, const double *dr, double *x);

#endif
