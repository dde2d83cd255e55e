/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * The view for methods that work block by block.
 *
 * Global problems are whitened: with M = L L', x = L' v and Jhat = J L^-T,
 *
 *     x = L^-1 f + sum_i Jhat_i' r_i,    u_i = Jhat_i x + w_i,    W_ii = Jhat_i Jhat_i'
 *
 * so that one matrix for each block both reads the velocity and applies an impulse, and W is never formed.
 * The numbers of a block lie together, in the order of the sweep.  A reduced problem reads
 * u_i = sum_j W_ij r_j + q_i; its state x is r itself.
 *
 * Positions in a sweep are grouped in colours.  Blocks of one colour share nothing, so a colour is a
 * parallel loop with the same bits for any number of threads; a group that is not independent says so.
 */
#ifndef MO_PROBLEM_SWEEP_H
#define MO_PROBLEM_SWEEP_H

#include "linalg/dense.h"
#include "problem/problem_data.h"

typedef enum mo_sweep_order { MO_SWEEP_NATURAL, MO_SWEEP_COLOURED, MO_SWEEP_ORDERS } mo_sweep_order;

typedef struct mo_sweep {
    const mo_problem *problem;
    int group_count;
    int *group_start;       /* positions of group g: group_start[g] .. group_start[g+1]        */
    int last_is_sequential; /* the last group holds blocks that share bodies                   */
    int *constraint;        /* at each position                                                */
    size_t *record_start;   /* of each position: W_ii + compliance (d x d), then Jhat blocks   */
    double *records;
    double *free_state; /* x at r = 0 (global)                                             */
    size_t bytes;
} mo_sweep;

mo_error mo_sweep_create(const mo_problem *problem, mo_sweep_order order, mo_sweep **sweep);
void mo_sweep_destroy(const mo_allocator *allocator, mo_sweep *sweep);

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

/* x = L^-1 f + sum Jhat' r (global; nothing to do for a reduced problem). */
void mo_sweep_reset(const mo_sweep *sweep, int threads, const double *r, double *x);

/* The block W_ii + compliance at a position. */
static inline const double *mo_sweep_diagonal(const mo_sweep *sweep, int position)
{
    return sweep->records + sweep->record_start[position];
}

/* u (d entries) of the constraint at a position, from the state. */
void mo_sweep_velocity(const mo_sweep *sweep, int position, const double *x, double *u);

/* u of all constraints (row_count entries), from the state. */
void mo_sweep_all_velocities(const mo_sweep *sweep, int threads, const double *x, double *u);

/* The state after the impulse of the constraint at a position has grown by dr (global only). */
void mo_sweep_apply(const mo_sweep *sweep, int position, const double *dr, double *x);

#endif
