/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Exact solution of friction on a ball in three rows: disc.h with one more row.
 *
 *   A t + c = -alpha t,   |t| <= n,   alpha >= 0,   alpha > 0 only if |t| = n,
 *   n = -(b_N + W_NT t) / W_NN
 *
 * with b_N < 0, W_NN > 0, and a semidefinite symmetric part of A.  phi(alpha) = |t| - n with t =
 * -(A + alpha I)^-1 c.  If phi(0) <= 0 the contact sticks; otherwise phi < 0 for large alpha, and
 * bisection finds the root.  Newton's method on 1/|t| - 1/n is faster inside the bracket.
 *
 * In the axes of the symmetric part, A + alpha I = L + [k] with L diagonal and [k] the cross
 * product with k, whose inverse is (adj L + k k' - [L k]) / (det L + k' L k), without cancellation.
 */
#ifndef MO_LAW_FRICTION_BALL_H
#define MO_LAW_FRICTION_BALL_H

typedef struct mo_friction_ball {
    double b_N, W_NN;
    double W_NT[3], A[9], c[3];
    double c_noise[3]; /* size of the terms that each c was computed from */
} mo_friction_ball;

/* nt = (n, t), four entries. */
void mo_friction_ball_solve(const mo_friction_ball *ball, double nt[4]);

#endif
