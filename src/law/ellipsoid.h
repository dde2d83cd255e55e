/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * The ellipsoid of friction of a soft finger: forces and a moment that share one limit, in up to
 * three rows.
 *
 *   E = { y : sum (y_i / a_i)^2 <= 1 },   a_i >= 0 its half axes; a_i = 0 leaves only y_i = 0
 *
 * The point of E nearest to an x outside is y_i = x_i a_i^2 / (a_i^2 + k), where k > 0 solves N(k)
 * = 1, N(k)^2 = sum (x_i a_i / (a_i^2 + k))^2.  1 / N is concave and rises, so Newton on 1 / N = 1
 * from k = 0 never passes the root; where the axes agree 1 / N is a line, and one step arrives.
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
