/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * The view for Newton and interior point methods: the matrix of body space
 *
 *     A = I + sum_i P_i' B_i P_i
 *
 * where P_i is the whitened Jacobian of constraint i (sweep.h) and B_i a symmetric positive semidefinite d x d
 * block that the method provides.  With x = L' v, A is L^-1 (M + H B H') L^-T: what is left of the KKT system
 * once the impulses are eliminated.  Its pattern is the graph of bodies that share a constraint, is the same for
 * every B, and is analysed once.  Global problems with symmetric masses only.
 */
#ifndef MO_PROBLEM_KKT_H
#define MO_PROBLEM_KKT_H

#include "linalg/block_cholesky.h"
#include "problem/sweep.h"

/* Where the block of one pair of bodies of a constraint is kept. */
typedef struct mo_kkt_target {
    size_t value;
    bool transposed;
} mo_kkt_target;

typedef struct mo_kkt {
    const mo_problem *problem;
    mo_block_plan *plan;
    size_t *target_start;  /* of each constraint: pairs (k, l), l <= k, of its bodies, row by row */
    mo_kkt_target *target;
    size_t bytes;
} mo_kkt;

mo_error mo_kkt_create(const mo_problem *problem, mo_kkt **kkt);
void mo_kkt_destroy(const mo_allocator *allocator, mo_kkt *kkt);

/* A = I; A += P_i' B P_i for the constraint at a position of the sweep. */
void mo_kkt_begin(const mo_kkt *kkt, double *values);
void mo_kkt_add(const mo_kkt *kkt, const mo_sweep *sweep, int position, const double *B, double *values);

#endif
