/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * W of a small problem in dense form, W = H' M^-1 H + diag(compliance).
 *
 * A body with n velocities and the m rows of the constraints that touch it adds X' X to W, with
 * X = P^-1 J' (n x m) and M = P P'.  Nothing is allocated; views.h keeps it with the problem.
 */
#ifndef MO_PROBLEM_DENSE_DELASSUS_H
#define MO_PROBLEM_DENSE_DELASSUS_H

#include "problem/problem_data.h"

enum { MO_DENSE_BLOCKS = 96, MO_DENSE_ROWS = 128 }; /* constraints and rows of a problem at most */

/* Whether it is small and of a supported form. */
static inline int mo_dense_fits(const mo_problem *problem)
{
    return problem->constraint_count <= MO_DENSE_BLOCKS && problem->row_count <= MO_DENSE_ROWS &&
           (problem->form == MO_FORM_REDUCED || problem->is_symmetric);
}

/* Only joints: linear equations, which sweeps solve one by one and Newton's method together. */
static inline int mo_problem_is_linear(const mo_problem *problem)
{
    return problem->laws == MO_LAW_BIT(MO_LAW_BILATERAL) && problem->constraint_count > 1;
}

/* Numbers of a row of W in the view of it, a multiple of four. */
static inline int mo_dense_ld(const mo_problem *problem)
{
    return (problem->row_count + 3) / 4 * 4;
}

/* Doubles of scratch that mo_dense_delassus needs. */
size_t mo_dense_scratch(const mo_problem *problem);

/*
 * W, row-major with ld numbers a row, those beyond row_count zero.  The mass matrices of a global
 * problem must be symmetric.
 */
void mo_dense_delassus(const mo_problem *problem, int ld, double *W, double *scratch);

#endif
