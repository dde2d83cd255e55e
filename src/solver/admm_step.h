/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * The alternating direction method of multipliers, for `admm` and convex_admm.c.
 *
 * Of two copies of the impulses, r satisfies the dynamics and z the laws; the velocity lambda
 * couples them (x, z, -y in [boyd2011, section 5.3]).  With the compliance C, one number D per
 * block (a bound of |W_ii + C|, so the penalty rho is dimensionless), and proximal weights as in
 * convex.h:
 *
 *   1. (W + C + weight + rho D) r = rho D z + lambda - q + weight centre   one factorisation
 *   2. x = alpha r + (1 - alpha) z - lambda / (rho D)                over-relaxation, alpha = 1.6
 *   3. periodically x = combination of the last iterates   Anderson acceleration (anderson.h)
 *   4. z = prox(x), step 1 / (rho D), shift s;  lambda = rho D (z - x)
 *
 * After 4, (lambda, z) satisfies the laws with shift s exactly; the residual is the distance of
 * lambda from the velocity of z.  rho starts from the spectrum of W; changing it refactors.
 */
#ifndef MO_SOLVER_ADMM_STEP_H
#define MO_SOLVER_ADMM_STEP_H

#include "linalg/anderson.h"
#include "solver/block_system.h"
#include "solver/convex.h"

typedef struct mo_admm {
    mo_block_system system;
    double *scale;                             /* D */
    double *q, *r, *x, *z, *lambda, *z_before; /* rows */
    double *image;                             /* rows: x after step 2 */
    double *row_scale;                         /* D, one a row */
    mo_anderson anderson;
    int is_mixed; /* x is a mixture */
    double rho;
    double primal, dual;      /* of the last step */
    int steps;                /* since the start */
    int since, wait, changes; /* the balance: steps since rho changed, steps to wait, changes */
    /* the search: first rho, residual at the start of the window */
    double rho_first, window_residual;
    int window, window_end, jumps;
    int is_factored;
} mo_admm;

mo_error mo_admm_layout(const mo_problem *problem, mo_arena *arena, mo_admm *admm);

/* To be called once: scales and q; rho as given, or from the spectrum of W if it is zero.  v is
 * scratch for velocities. */
void mo_admm_begin(mo_admm *admm, double rho, double *v);

/*
 * z = r0, and lambda = the velocity u0 of r0 without the part that violates its law: zero at a
 * solution, and the approach velocity at r0 = 0.  Clears the history of rho, not rho itself.
 */
void mo_admm_start(mo_admm *admm, const mo_convex *convex, const double *r0, const double *u0);

/* The shift s of every constraint with lambda as the velocity. */
void mo_admm_shifts(const mo_admm *admm, double *s);

/* One iteration; false if the matrix is singular or the numbers are no longer finite. */
int mo_admm_step(mo_admm *admm, const mo_convex *convex);

/* Changes rho if due; residual: that of the current iterate. */
void mo_admm_adapt(mo_admm *admm, double residual);

#endif
