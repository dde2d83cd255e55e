/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * The linear systems of interior point methods: (W + C) x = b with a dense block C_i per
 * constraint.
 *
 * Fixed rows have x = 0 and are eliminated.  The matrix is factored in the space of contacts,
 * followed by optional iterative refinement, since C spans many orders of magnitude near a
 * solution.  The space of bodies (delassus.h) needs C^-1, which is unbounded at sticking contacts
 * and loses accuracy at large mass ratios.  It is used for problems too large for the space of
 * contacts, and first for problems with many more rows than velocities (`is_quick`), where it is
 * much cheaper.
 */
#ifndef MO_SOLVER_INTERIOR_MATRIX_H
#define MO_SOLVER_INTERIOR_MATRIX_H

#include "base/arena.h"
#include "problem/delassus.h"

typedef struct mo_interior_matrix {
    const mo_problem *problem;
    const mo_sweep *sweep; /* natural order */
    mo_delassus system;
    const double *C;
    const size_t *C_start;
    const uint8_t *fixed;
    double *right, *rest; /* rows */
    double *state;        /* of a global problem's sweep  */
} mo_interior_matrix;

/* Takes the numbers from an arena. */
mo_error mo_interior_matrix_layout(const mo_problem *problem, int is_quick, mo_arena *arena,
                                   mo_interior_matrix *matrix);

/* The block W_ii + compliance. */
const double *mo_interior_diagonal(const mo_interior_matrix *matrix, int i);

/* u = W r + q, all rows. */
void mo_interior_velocity(const mo_interior_matrix *matrix, const double *r, double *u);

/*
 * Factors W + C: C_i is d x d from C + C_start[i] on, fixed has one flag a row.  Both are kept, not
 * copied.  False where that fails.
 */
int mo_interior_factor(mo_interior_matrix *matrix, const double *C, const size_t *C_start,
                       const uint8_t *fixed);

/* x = (W + C)^-1 x, with a step of iterative refinement or without. */
void mo_interior_solve(mo_interior_matrix *matrix, int is_refined, double *x);

#endif
