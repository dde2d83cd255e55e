/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * View for Newton methods in the space of bodies: the pattern of
 *
 *     A = I + sum_i push_i' K_i pull_i
 *
 * (sweep.h) for any blocks K_i, symmetric or not, and the plan of its factorisation by fronts.
 * With x = U v and M = L U, A is L^-1 (M + H K H') U^-1.  The blocks are those of bodies that share
 * a constraint.  Global problems only, any masses.
 */
#ifndef MO_PROBLEM_BODY_SPACE_H
#define MO_PROBLEM_BODY_SPACE_H

#include "linalg/front.h"
#include "problem/sweep.h"

typedef struct mo_body_space {
    const mo_problem *problem;
    mo_front_plan *plan;
    size_t value_count;   /* numbers of A, in the order of the pattern */
    size_t *diagonal;     /* of each body: where its diagonal block starts */
    size_t *target_start; /* of each constraint with k bodies: k x k places in A, row by row, ... */
    size_t *target;
    size_t bytes;
    void *memory;
} mo_body_space;

mo_error mo_body_space_create(const mo_problem *problem, mo_body_space **space);
void mo_body_space_destroy(const mo_allocator *allocator, mo_body_space *space);

/* A = I; A += push' K pull for the constraint at a position of the sweep in natural order. */
void mo_body_space_begin(const mo_body_space *space, double *values);
void mo_body_space_add(const mo_body_space *space, const mo_sweep *sweep, int i, const double *K,
                       double *values);

#endif
