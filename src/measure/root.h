/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * The root of E x = c, enclosed, for every matrix and right side in the intervals E and c.  With R
 * near E^-1, a = |I - R E| < 1 in the max norm, and x near the root,
 *
 *     |E^-1 c - x|  <=  |R (c - E x)| + a / (1 - a) max |R (c - E x)|                           (1)
 *
 * for every component.  a < 1 proves that E is not singular.
 */
#ifndef MO_MEASURE_ROOT_H
#define MO_MEASURE_ROOT_H

#include "linalg/dense.h"
#include "measure/interval.h"

/* R near the inverse of E (n <= MO_SMALL), and a; a is at least 1/2 or NaN if E may be singular.
 */
double mo_root_prepare(int n, const mo_interval *E, double *R);

/* X holds E^-1 c by (1); a < 1/2. */
void mo_root_enclose(int n, const mo_interval *E, const double *R, double a, const mo_interval *c,
                     mo_interval *X);

#endif
