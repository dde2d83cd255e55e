/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Canonical impulses (canonical.h) of small problems, in dense form.
 *
 * The columns of N are the directions in which r may change: the rows of blocks that stick, the
 * rays of those that slide, of length 1 in the norm |.|_D.  With r = N s and G = N' W N,
 *
 *     G = L L',  L = Q R,       y = Q x,       min over x of  theta(Q x) - s*' Q x            (1)
 *
 * is the dual of canonical.h: L from Cholesky's method with pivoting, n x k for the rank k of G; Q
 * has orthonormal columns; s = proj_K(y).  Newton's method begins at x = Q' s*, the solution where
 * no cone is active.  Where k = n there is nothing to choose.  At rest, a Newton step removes the
 * velocity of N first:
 *
 *     s* - Q (R R')^-1 Q' N' u                                                                 (2)
 *
 * Limits: where Newton's method fails, the impulses stay as they are.
 */
#ifndef MO_SOLVER_CANONICAL_DENSE_H
#define MO_SOLVER_CANONICAL_DENSE_H

#include "moreau/result.h"
#include "problem/problem_data.h"

/* As mo_canonical, or with needs_rest as mo_canonical_at_rest, for mo_dense_fits and some rows. */
mo_error mo_canonical_dense(const mo_problem *problem, const mo_options *options, int needs_rest,
                            mo_result *result, int *is_done);

/* Takes the impulses r where they give the motion of the result and are a solution; u and v are
 * scratch (canonical.c). */
mo_error mo_canonical_accept(const mo_problem *problem, const mo_options *options, const double *r,
                             double *u, double *v, mo_result *result);

#endif
