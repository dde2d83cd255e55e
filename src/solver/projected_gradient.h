/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Projected gradient steps on a convex problem (convex.h), plain or accelerated, for `apgd` and the
 * engines of convex_gradient.c.  An iteration is one product with W; nothing is factored.
 *
 *     d = least of  a(y).d + L/2 |d|_D^2 + g(y + d),      r+ = y + d         a(y) = velocity at y
 *
 *   y     r where plain [acary2011, section 6 (v)]; else r + beta (r - r before) [nesterov1983]
 *   D     diagonal: one number a block, a bound of |W_ii + compliance + weight|; L has no units
 *   L     the curvature: raised while d.(a(r+) - a(y)) > L |d|_D^2, lowered a little each iteration
 *   beta  (t - 1) / t+, t+ = (1 + sqrt(1 + 4 t^2)) / 2; t falls back to 1 if the last step
 *         went against the one before: (y - r+).D(r+ - r) > 0 [odonoghue2015]
 *
 * Sums are taken chunk by chunk, with the same bits for any number of threads.
 * Limits: a linear rate at best, which depends on the condition of W: heavy bodies on light ones
 * are slow.  Where W is not symmetric, a is no gradient; only solutions are fixed points.
 */
#ifndef MO_SOLVER_PROJECTED_GRADIENT_H
#define MO_SOLVER_PROJECTED_GRADIENT_H

#include "problem/sweep.h"
#include "solver/convex.h"

typedef struct mo_projected_gradient {
    const mo_sweep *sweep;
    int threads;
    int is_accelerated;
    double *scale; /* D without the weight, one a block */
    double *r_before, *u_before, *y, *u_y,
        *step;     /* rows                                              */
    double *state; /* of a global problem */
    double *sums;  /* three for each chunk */
    double L, t;
    int has_before;
} mo_projected_gradient;

mo_error mo_projected_gradient_layout(const mo_problem *problem, mo_arena *arena,
                                      mo_projected_gradient *gradient);

/* Before the first step. */
void mo_projected_gradient_begin(mo_projected_gradient *gradient, int threads, int is_accelerated);

/* Forgets the momentum: the problem or r has changed. */
void mo_projected_gradient_restart(mo_projected_gradient *gradient);

/* u = the velocity of r. */
void mo_projected_gradient_velocity(mo_projected_gradient *gradient, const double *r, double *u);

/* One iteration: (r, u) becomes (r+, its velocity).  False if the step is no longer finite, or
 * nothing moves. */
int mo_projected_gradient_step(mo_projected_gradient *gradient, const mo_convex *convex, double *r,
                               double *u);

#endif
