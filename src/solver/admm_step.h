/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * The alternating direction method of multipliers on a contact problem, shared by `admm` and the
 * engine of convex_admm.c.
 *
 * There are two copies of the impulses: r obeys the dynamics, z the laws, and lambda is the
 * velocity that couples them [boyd2011].  With the compliance C, one number D a block (a bound of
 * |W_ii + C|, so that the penalty rho has no units), and the weights of a proximal term as in
 * convex.h:
 *
 *   1. (W + C + weight + rho D) r = rho D z + lambda - q + weight centre
 *                                                      dynamics; one factorisation (block_system.h)
 *   2. x = alpha r + (1 - alpha) z - lambda / (rho D)                over-relaxation, alpha = 1.6
 *   3. now and then x = a mixture of the last iterates     Anderson acceleration, safeguarded
 *   4. z = prox(x), step 1 / (rho D)                             laws, block by block, shift s
 *      lambda = rho D (z - x)
 *
 * After 4 each block of (lambda, z) obeys its law with the shift s exactly; the residual is the
 * distance of lambda from the velocity of z.
 *
 * The penalty starts from the spectrum of W.  At first it changes by factors of two, at growing
 * intervals, if the primal residual |r - z| and the dual one rho |z - z before| differ by more than
 * ten.  If the residual of the problem then falls too slowly, fixed multiples of the first penalty
 * are tried: with too small a penalty the shift cycles, with too large a one progress is slow, and
 * the two residuals do not tell which.  Each change costs a factorisation.
 *
 *   here        boyd2011, section 5.3    meaning
 *   r, z        x, z                     the two copies
 *   -lambda     y                        multiplier
 *
 * x alone determines z and lambda, so that the iteration is a fixed point in x, which is what step
 * 3 accelerates (anderson.h, in the norm of D).  A mixture that makes the next change of x larger
 * is taken back.
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

/* Once: scales and q; rho as given, or by the spectrum of W where it is zero.  v is scratch for
 * velocities. */
void mo_admm_begin(mo_admm *admm, double rho, double *v);

/*
 * z = r0, and lambda = the velocity u0 of r0 less what its law would take away at once: nothing at
 * a solution, and what penetrates at r0 = 0.  Forgets the history of rho, not rho itself.
 */
void mo_admm_start(mo_admm *admm, const mo_convex *convex, const double *r0, const double *u0);

/* lambda in the place of a velocity: s of every constraint there. */
void mo_admm_shifts(const mo_admm *admm, double *s);

/* One iteration; false where the matrix is singular or the numbers are no longer finite. */
int mo_admm_step(mo_admm *admm, const mo_convex *convex);

/* Changes rho where that is due; residual: of the problem that is being solved, now. */
void mo_admm_adapt(mo_admm *admm, double residual);

#endif
