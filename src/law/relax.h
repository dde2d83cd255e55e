/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * One Gauss-Seidel step inside a contact block with moments, for sweeps.
 *
 *   1.  n  = max(0, r_N - u_N / W_NN),                     then u = u + W_N (n - r_N)
 *   2.  y  = project(r_F - K^-1 u_F) on the disc or ellipsoid of radius n, in the metric of a
 *       diagonal K >= W_FF;                                then u = u + W_F (y - r_F)
 *
 * Step 2 is done for each disc in turn.  Its fixed points are the solutions of the block: u_N and
 * r_N are complementary, and r_F dissipates most.  It costs some tens of operations where the exact
 * solution of the block takes Newton's method.
 *
 * Limits: with large friction and strongly coupled rows the steps may end in a cycle.
 */
#ifndef MO_LAW_RELAX_H
#define MO_LAW_RELAX_H

/* p, d, W: of the block; u: its velocity at r.  new_r: after the step. */
void mo_relax_rolling(const double *p, int d, const double *W, const double *u, const double *r,
                      double *new_r);
void mo_relax_soft_finger(const double *p, int d, const double *W, const double *u, const double *r,
                          double *new_r);

#endif
