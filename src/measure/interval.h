/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Interval arithmetic in midpoint-radius form.  Every operation encloses the exact result for all
 * numbers in its operands, its own rounding included.  The radius is rounded up by a factor of 1 +
 * 16 ulp, which covers the few operations that compute it, plus the smallest normal number for
 * underflow.  A result that overflows has an infinite or NaN radius, and every comparison with it
 * is false.
 */
#ifndef MO_MEASURE_INTERVAL_H
#define MO_MEASURE_INTERVAL_H

#include <float.h>
#include <math.h>

typedef struct mo_interval {
    double mid, rad;
} mo_interval;

static inline mo_interval mo_interval_exact(double x)
{
    return (mo_interval){x, 0};
}

static inline mo_interval mo_interval_round(double mid, double rad)
{
    return (mo_interval){mid, (rad + fabs(mid) * DBL_EPSILON) * (1 + 16 * DBL_EPSILON) + DBL_MIN};
}

static inline mo_interval mo_interval_add(mo_interval a, mo_interval b)
{
    if (b.mid == 0 && b.rad == 0) return a;
    if (a.mid == 0 && a.rad == 0) return b;
    return mo_interval_round(a.mid + b.mid, a.rad + b.rad);
}

static inline mo_interval mo_interval_mul(mo_interval a, mo_interval b)
{
    if ((a.mid == 0 && a.rad == 0) || (b.mid == 0 && b.rad == 0)) return (mo_interval){0, 0};
    return mo_interval_round(a.mid * b.mid, fabs(a.mid) * b.rad + a.rad * (fabs(b.mid) + b.rad) *
                                                                      (1 + 4 * DBL_EPSILON));
}

/* sum + a b, with a known exactly. */
static inline mo_interval mo_interval_fma(mo_interval sum, double a, mo_interval b)
{
    return mo_interval_add(sum, mo_interval_mul(mo_interval_exact(a), b));
}

/* sum + a' b of n entries; and with a known exactly. */
static inline mo_interval mo_interval_dot(mo_interval sum, int n, const mo_interval *a,
                                          const mo_interval *b)
{
    for (int k = 0; k < n; ++k)
        sum = mo_interval_add(sum, mo_interval_mul(a[k], b[k]));
    return sum;
}

static inline mo_interval mo_interval_combine(mo_interval sum, int n, const double *a,
                                              const mo_interval *b)
{
    for (int k = 0; k < n; ++k)
        sum = mo_interval_fma(sum, a[k], b[k]);
    return sum;
}

static inline mo_interval mo_interval_neg(mo_interval a)
{
    return (mo_interval){-a.mid, a.rad};
}

/* Bounds, rounded outwards. */
static inline double mo_interval_upper(mo_interval a)
{
    return a.rad == 0 ? a.mid : nextafter(a.mid + a.rad, INFINITY);
}

static inline double mo_interval_lower(mo_interval a)
{
    return a.rad == 0 ? a.mid : nextafter(a.mid - a.rad, -INFINITY);
}

/* The interval from low to high. */
static inline mo_interval mo_interval_between(double low, double high)
{
    const double mid = 0.5 * low + 0.5 * high;
    const double rad = fmax(high - mid, mid - low);
    return (mo_interval){mid, nextafter(rad, INFINITY)};
}

/* The whole line if the interval contains numbers <= 0. */
static inline mo_interval mo_interval_sqrt(mo_interval a)
{
    const double low = mo_interval_lower(a), high = mo_interval_upper(a);
    return low > 0 ? mo_interval_between(nextafter(sqrt(low), 0), nextafter(sqrt(high), INFINITY))
                   : (mo_interval){0, INFINITY};
}

/* 1 / a; the whole line if the interval contains zero. */
static inline mo_interval mo_interval_inverse(mo_interval a)
{
    const double low = mo_interval_lower(a), high = mo_interval_upper(a);
    return low > 0 || high < 0
               ? mo_interval_between(nextafter(1 / high, -INFINITY), nextafter(1 / low, INFINITY))
               : (mo_interval){0, INFINITY};
}

/* An upper bound of |a|. */
static inline double mo_interval_size(mo_interval a)
{
    return nextafter(fabs(a.mid) + a.rad, INFINITY);
}

#endif
