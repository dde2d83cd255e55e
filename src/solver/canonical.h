/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Canonical impulses: among all that give the same motion, those of least norm.
 *
 * Where contacts are redundant (four corners of a cube), many impulses r give the velocity u of a
 * solution r*.  With u fixed, the law of a block allows a convex set K_i of impulses: its whole
 * cone where it sticks, a ray where it slides, zero where it is open.  The canonical impulses are
 *
 *     min 1/2 |r|^2_D   subject to   W r = W r*,  r_i in K_i                                 (1)
 *
 * which has one solution, so that it depends on the motion alone and not on the method, and it has
 * the symmetries of the problem.  D is 1, but for the rows of a joint (unequal units): W_kk over
 * the mean of its block.
 *
 *     r = proj_K(D^-1 y),  y in the range of W;    min theta(y) - r*'y,  its dual            (2)
 *
 * Semi-smooth Newton steps on (2), with J = dr/dy and sigma a small regularisation:
 *
 *     dy = W (sigma + J W)^-1 (r* - r)                                                       (3)
 *
 * One step solves (1) where no cone is active.  A matrix whose J stays the same is factored once.
 * Limits: blocks with compliance keep their impulses; so does a problem where (3) fails.
 */
#ifndef MO_SOLVER_CANONICAL_H
#define MO_SOLVER_CANONICAL_H

#include "moreau/result.h"
#include "problem/problem_data.h"

/* The values of the option `canonical`. */
enum { MO_CANONICAL_NO, MO_CANONICAL_YES, MO_CANONICAL_START };

/* Replaces the r of a solution by the canonical one; what cannot be improved is left as it is.
 * result->u and ->residual belong to r, before and after. */
mo_error mo_canonical(const mo_problem *problem, const mo_options *options, mo_result *result);

/* The same where no block slides, after a Newton step that takes the velocity of sticking blocks
 * away; *is_done is false, and nothing is done, where one does. */
mo_error mo_canonical_at_rest(const mo_problem *problem, const mo_options *options,
                              mo_result *result, int *is_done);

#endif
