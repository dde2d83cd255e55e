/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Exact solution of one contact with friction on a disc or an ellipsoid, used by every law that
 * slides.  In rows scaled by the axes the set is a ball:
 *
 *   A t + c = -alpha t,   |t| <= mu n,   alpha >= 0,   alpha > 0 only if |t| = mu n,
 *   n = -(b_N + W_NT t) / W_NN,   b_N < 0,   W_NN > 0,   A with a semidefinite symmetric part
 *
 * The unknown is alpha with phi(alpha) = |t| - mu n = 0, t = -(A + alpha I)^-1 c.  If phi(0) <= 0
 * the contact sticks.  Otherwise phi < 0 for large alpha, and bisection finds a root.  Newton's
 * method on mu n / |t| = 1 is faster inside the bracket: if A is a multiple of I, the left side is
 * linear in alpha, however strongly the normal impulse depends on t.
 *
 * In the axes of the symmetric part, A + alpha I = L + [k] with L diagonal and [k] the cross
 * product with k, whose inverse is (adj L + k k' - [L k]) / (det L + k' L k), without cancellation.
 */
#ifndef MO_LAW_FRICTION_BALL_H
#define MO_LAW_FRICTION_BALL_H

/*
 * r = (n, t) of a block with d = 2, 3 or 4 rows, u = W r + b, b_N < 0 < W_NN.  axes: d - 1 finite
 * semi-axes over n; zero implies t_i = 0.
 */
void mo_friction_ball_solve(int d, const double *axes, const double *W, const double *b, double *r);

#endif
