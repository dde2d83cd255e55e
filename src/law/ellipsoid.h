/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * The friction ellipsoid of a soft finger: forces and a moment with a common limit, in up to three
 * rows.
 *
 *   E = { y : sum (y_i / a_i)^2 <= 1 },   a_i >= 0 its semi-axes; a_i = 0 implies y_i = 0
 *
 * The nearest point of E to an outside x is y_i = x_i a_i^2 / (a_i^2 + k), where k > 0 solves N(k)
 * = 1, N(k)^2 = sum (x_i a_i / (a_i^2 + k))^2.  1 / N is concave and increasing, so Newton's method
 * on 1 / N = 1 from k = 0 never passes the root; for equal axes one step is exact.
 */
#ifndef MO_LAW_ELLIPSOID_H
#define MO_LAW_ELLIPSOID_H

enum { MO_ELLIPSOID_MOST = 3 };

/* y = the nearest point of E; J (size x size) its derivative, or NULL. */
void mo_ellipsoid_project(int size, const double *a, const double *x, double *y, double *J);

/* y = x minus the nearest point, for a caller that knows over = N(0) - 1, the relative distance of
 * x outside, more accurately than x represents it: small y keep their digits. */
void mo_ellipsoid_shrink(int size, const double *a, const double *x, double over, double *y);

#endif
