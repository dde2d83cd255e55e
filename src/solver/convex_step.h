/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * One proximal point step of a convex problem (convex.h), by semismooth Newton in body space.
 *
 * From r, with a = u + compliance r at r, it solves
 *
 *     r+ = prox_{1/kappa}( r - (a + P dx) / kappa ),    dx = P' (r+ - r)
 *
 * for dx, the change of the whitened velocity; P stacks the whitened Jacobians.  The left side of dx - P' (r+ - r) = 0
 * is the gradient of a strongly convex, once differentiable function of dx (the augmented Lagrangian of the problem
 * in v), and Newton's matrix I + P' (J / kappa) P is positive definite for any r, however many contacts are
 * redundant.  kappa_i = rho scale_i + the largest compliance of the block: a small rho makes the steps long.
 *
 * Working with the change dx, not with x, keeps the division by kappa harmless: what is divided is small near
 * the solution, so that rounding stays at the size of r and u even for rho = 1e-6.
 *
 * Problems with unsymmetric masses, and reduced ones (where dx is the change of r itself, P reads W and P'
 * is the identity), have no such function; their matrix is dense and Newton is damped on the residual.
 */
#ifndef MO_SOLVER_CONVEX_STEP_H
#define MO_SOLVER_CONVEX_STEP_H

#include "problem/views.h"
#include "solver/convex.h"

typedef struct mo_convex_step {
    const mo_sweep *sweep;
    const mo_kkt *kkt; /* NULL where the matrix is dense                               */
    int unknowns;      /* velocities, or rows of a reduced problem                     */
    int is_ready;      /* the matrix fits in memory                                    */
    double flops;      /* of one Newton step, about                                    */
    double *scale;     /* of each block: a bound of |W_ii + compliance|                */
    double *soft;      /* the largest compliance of each block                         */
    double *a;         /* rows                                                         */
    double *argument;  /* rows: of the prox                                            */
    double *dr;        /* rows: r+ - r                                                 */
    double noise;      /* size of the gradient that is rounding                        */
    double *dx, *trial, *gradient, *direction; /* unknowns                             */
    size_t *block_start; /* of each constraint's B in `blocks`                         */
    double *blocks;
    double *matrix;
    int *ints;
} mo_convex_step;

mo_error mo_convex_step_layout(const mo_problem *problem, mo_arena *arena, mo_convex_step *step);

/* Once for each problem, before the first step: the scales. */
void mo_convex_step_begin(mo_convex_step *step);

/*
 * r becomes r+, where u is the velocity of r.  Returns the Newton steps taken, or -1 where Newton did not get there;
 * r is then as it was.
 */
int mo_convex_step_take(mo_convex_step *step, const mo_convex *convex, double rho, const double *u,
                        double *r);

/*
 * One Newton step on the natural map itself, for the last digits: from r with its velocity u, without a search.  Right
 * once the contacts that slide, stick and open are known; r may come out worse otherwise.  They are told apart by
 * r - u / (look scale): with a small `look` by the velocities, with look = 1 by both.  False where it failed.
 */
int mo_convex_step_polish(mo_convex_step *step, const mo_convex *convex, double rho, double look,
                          const double *u, double *r);

/*
 * The derivative of r+ with respect to s at a solution of a problem with weights (rho = 0: the solution is its own
 * r+).  First the factorisation, false where it fails; then du, the change of u + compliance r, for each ds.
 */
int mo_convex_step_linearise(mo_convex_step *step, const mo_convex *convex, const double *u,
                             const double *r);
void mo_convex_step_respond(mo_convex_step *step, const double *ds, double *du);

#endif
