/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * One proximal point step of a convex problem (convex.h), by semismooth Newton.
 *
 * From r, with a = u + compliance r at r, it solves
 *     c = dr(c),    dr(c) = prox_{1/kappa}( r - (a + W c) / kappa ) - r                         (1)
 * for the change c of the impulses; r + dr is the next r.  Newton's direction e at c is
 *     (1 + B W) e = -(c - dr),    B = J / kappa,  J the derivative of the prox,                 (2)
 * one of the systems of delassus.h, in whichever space costs less.  For symmetric masses the gap c
 * - dr is, in the energy norm, the gradient of a strongly convex function of W c (the augmented
 * Lagrangian of the problem in v).  kappa_i = rho scale_i + the largest compliance of the block: a
 * small rho makes the steps long.  The velocities W c are summed up from W e, never from W r + q,
 * so that the division by kappa meets small numbers near the solution.
 *
 * Unsymmetric and reduced problems are damped on the size of the gap.
 */
#ifndef MO_SOLVER_CONVEX_STEP_H
#define MO_SOLVER_CONVEX_STEP_H

#include "problem/delassus.h"
#include "solver/convex.h"

typedef struct mo_convex_step {
    const mo_sweep *sweep;
    mo_delassus system;
    int is_ready;                 /* a factorisation can be afforded */
    int is_convex;                /* the gap is a gradient */
    double flops;                 /* of one Newton step, about */
    double *scale;                /* of each block: a bound of |W_ii + compliance| */
    double *soft;                 /* the largest compliance of each block */
    double *state;                /* velocities, for the size of the gap */
    double *a;                    /* these and all below: one per row */
    double *argument;             /* of the prox */
    double *dr, *c, *gap, *du;    /* du = W c */
    double *direction, *response; /* e and W e */
    double *trial_c, *trial_du;
    double noise; /* size of the gap at rounding level */
} mo_convex_step;

mo_error mo_convex_step_layout(const mo_problem *problem, mo_arena *arena, mo_convex_step *step);

/* Once for each problem, before the first step: the scales. */
void mo_convex_step_begin(mo_convex_step *step);

/*
 * r becomes r+, where u is the velocity of r.  Returns the number of Newton steps, or -1 if Newton
 * did not converge; r is then unchanged.
 */
int mo_convex_step_take(mo_convex_step *step, const mo_convex *convex, double rho, const double *u,
                        double *r);

/*
 * One Newton step on the natural map itself, for the last digits: from r with its velocity u,
 * without a line search.  It is accurate once the modes of the contacts are known; otherwise r may
 * get worse.  The modes are determined by r - u / (look scale): with a small `look` by the
 * velocities, with look = 1 by both.  False on failure.
 */
int mo_convex_step_polish(mo_convex_step *step, const mo_convex *convex, double rho, double look,
                          const double *u, double *r);

/*
 * The derivative of r+ with respect to s at a solution of a problem with weights (rho = 0: the
 * solution is its own r+).  First the factorisation, false where it fails; then du, the change of u
 * + compliance r, for each ds.
 */
int mo_convex_step_linearise(mo_convex_step *step, const mo_convex *convex, const double *u,
                             const double *r);
void mo_convex_step_respond(mo_convex_step *step, const double *ds, double *du);

#endif
