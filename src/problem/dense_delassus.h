/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * W of a small problem in dense form, W = H' M^-1 H + diag(compliance).
 *
 * A body with n velocities and the m rows of the constraints that touch it adds X' X to W, with
 * X = L^-1 J' (n x m) and M = L L'.  Nothing is allocated, and nothing is kept with the problem.
 */
#ifndef MO_PROBLEM_DENSE_DELASSUS_H
#define MO_PROBLEM_DENSE_DELASSUS_H

#include "problem/problem_data.h"

enum { MO_DENSE_BLOCKS = 96 }; /* constraints of a problem at most */

/* Doubles of scratch that mo_dense_delassus needs. */
size_t mo_dense_scratch(const mo_problem *problem);

/*
 * W, row-major with ld numbers a row, those beyond row_count zero.  The mass matrices of a global
 * problem must be symmetric.
 */
void mo_dense_delassus(const mo_problem *problem, int ld, double *W, double *scratch);

#endif
