/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Exact solution of friction on a disc, used by every contact law that slides:
 *
 *   A t + c = -alpha t,   |t| <= mu n,   alpha >= 0,   alpha > 0 only if |t| = mu n,
 *   n = -(b_N + W_NT t) / W_NN
 *
 * with t in the plane or on a line, b_N < 0, W_NN > 0, and a semidefinite symmetric part of A.  The
 * unknown is alpha with phi(alpha) = |t| - mu n = 0, t = -(A + alpha I)^-1 c.  If phi(0) <= 0 the
 * contact sticks.  Otherwise phi < 0 for large alpha, since t vanishes and n tends to -b_N / W_NN >
 * 0, so bisection always finds a root.  Newton's method on 1/|t| - 1/(mu n), which is linear in
 * alpha if A is a multiple of the identity and W_NT = 0, takes a few steps.
 *
 * In the principal axes of its symmetric part, A is diag(l0, l1) plus a skew part k, and det(A +
 * alpha I) = (l0 + alpha)(l1 + alpha) + k^2 has no cancellation, so A may be singular.
 */
#ifndef MO_LAW_DISC_H
#define MO_LAW_DISC_H

/* A contact without coupling to a normal direction has W_NT = 0, W_NN = 1, b_N = -1: n = 1. */
typedef struct mo_disc {
    double mu, b_N, W_NN;
    double W_NT[2], A[4], c[2]; /* for t on a line, only the first entry of each counts */
    double c_noise;             /* size of the terms that c was computed from */
} mo_disc;

/* nt = (n, t), size + 1 entries, size being 1 (line) or 2 (plane).  mu is finite and positive. */
void mo_disc_solve(const mo_disc *disc, int size, double *nt);

#endif
