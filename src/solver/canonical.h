/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Canonical impulses: those of least norm among all that give the same motion.
 *
 * For redundant contacts (four corners of a cube) many impulses r give the velocity u of a solution
 * r*.  With u fixed, a block allows a convex set K_i of impulses: its cone if it sticks, a ray if
 * it slides, zero if it is open.  The canonical impulses are unique, depend on the motion only, and
 * have the symmetries of the problem:
 *     min 1/2 |r|^2_D   subject to   W r = W r*,  r_i in K_i                                 (1)
 * D is 1, except for rows of a joint (mixed units): W_kk over the mean of its block.  The dual of
 * (1) and its semismooth Newton steps, with J = dr/dy and a small regularisation sigma, are
 *     r = proj_K(D^-1 y),  y in the range of W;    min theta(y) - r*'y                       (2)
 *     dy = W (sigma + J W)^-1 (r* - r)                                                       (3)
 *
 * One step solves (1) if no cone is active.  A matrix with unchanged J is not refactored.  A step
 * that gains nothing is repeated with more of the identity in J.
 * Limits: blocks with compliance keep their impulses, as does a problem where (3) fails.
 */
#ifndef MO_SOLVER_CANONICAL_H
#define MO_SOLVER_CANONICAL_H

#include "moreau/result.h"
#include "problem/problem_data.h"

/* The values of the option `canonical`. */
enum { MO_CANONICAL_NO, MO_CANONICAL_YES, MO_CANONICAL_START };

/* Replaces the r of a solution by the canonical one; what cannot be improved is left as it is.
 * result->u and ->residual belong to r, before and after; ->is_canonical reports success. */
mo_error mo_canonical(const mo_problem *problem, const mo_options *options, mo_result *result);

/* The same where no block slides, after a Newton step that takes the velocity of sticking blocks
 * away; *is_done is false, and nothing is done, where one does. */
mo_error mo_canonical_at_rest(const mo_problem *problem, const mo_options *options,
                              mo_result *result, int *is_done);

/* ---- between its files ----------------------------------------------------------------------- */

/* The sets K_i: admissible impulses at the velocity of a solution (canonical_kinds.c). */
enum { MO_CANONICAL_FIXED, MO_CANONICAL_RAY, MO_CANONICAL_FREE };

/* The kind of every block, and the direction of those on a ray.  Returns 1 where no block slides.
 */
int mo_canonical_kinds(const mo_problem *problem, const mo_options *options,
                       const mo_result *result, uint8_t *kind, double *ray);

/* As mo_canonical, or with needs_rest as mo_canonical_at_rest, for mo_dense_fits and some rows. */
mo_error mo_canonical_dense(const mo_problem *problem, const mo_options *options, int needs_rest,
                            mo_result *result, int *is_done);

/* Takes the impulses r where they give the motion of the result and are a solution; u and v are
 * scratch (canonical.c). */
mo_error mo_canonical_accept(const mo_problem *problem, const mo_options *options, const double *r,
                             double *u, double *v, mo_result *result);

#endif
