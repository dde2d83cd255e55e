/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Balls: a number and a bound on its error.  Every operation encloses the exact result for all
 * numbers in its operands, its own rounding included; the radius is rounded up by a factor of 1 +
 * 16 ulp, which covers the few operations that compute it, and a smallest number for what
 * underflows.  A result that overflows has an infinite or NaN radius, and every comparison with it
 * is false.
 */
#ifndef MO_MEASURE_BALL_H
#define MO_MEASURE_BALL_H

#include <float.h>
#include <math.h>

typedef struct mo_ball {
    double mid, rad;
} mo_ball;

static inline mo_ball mo_ball_exact(double x)
{
    return (mo_ball){x, 0};
}

static inline mo_ball mo_ball_round(double mid, double rad)
{
    return (mo_ball){mid, (rad + fabs(mid) * DBL_EPSILON) * (1 + 16 * DBL_EPSILON) + DBL_MIN};
}

static inline mo_ball mo_ball_add(mo_ball a, mo_ball b)
{
    if (b.mid == 0 && b.rad == 0) {
        return a;
    }
    if (a.mid == 0 && a.rad == 0) {
        return b;
    }
    return mo_ball_round(a.mid + b.mid, a.rad + b.rad);
}

static inline mo_ball mo_ball_mul(mo_ball a, mo_ball b)
{
    if ((a.mid == 0 && a.rad == 0) || (b.mid == 0 && b.rad == 0)) {
        return (mo_ball){0, 0};
    }
    return mo_ball_round(a.mid * b.mid, fabs(a.mid) * b.rad +
                                            a.rad * (fabs(b.mid) + b.rad) * (1 + 4 * DBL_EPSILON));
}

/* sum + a b, with a known exactly. */
static inline mo_ball mo_ball_fma(mo_ball sum, double a, mo_ball b)
{
    return mo_ball_add(sum, mo_ball_mul(mo_ball_exact(a), b));
}

static inline mo_ball mo_ball_neg(mo_ball a)
{
    return (mo_ball){-a.mid, a.rad};
}

/* Bounds that are safe in spite of the one rounding in them. */
static inline double mo_ball_upper(mo_ball a)
{
    return a.rad == 0 ? a.mid : nextafter(a.mid + a.rad, INFINITY);
}

static inline double mo_ball_lower(mo_ball a)
{
    return a.rad == 0 ? a.mid : nextafter(a.mid - a.rad, -INFINITY);
}

/* A ball around all numbers from low to high. */
static inline mo_ball mo_ball_between(double low, double high)
{
    const double mid = 0.5 * low + 0.5 * high;
    const double rad = fmax(high - mid, mid - low);
    return (mo_ball){mid, nextafter(rad, INFINITY)};
}

/* Of a ball that may hold zero or less: no number is known of it. */
static inline mo_ball mo_ball_sqrt(mo_ball a)
{
    const double low = mo_ball_lower(a), high = mo_ball_upper(a);
    return low > 0 ? mo_ball_between(nextafter(sqrt(low), 0), nextafter(sqrt(high), INFINITY))
                   : (mo_ball){0, INFINITY};
}

/* 1 / a, of a ball that does not hold zero. */
static inline mo_ball mo_ball_inverse(mo_ball a)
{
    const double low = mo_ball_lower(a), high = mo_ball_upper(a);
    return low > 0 || high < 0
               ? mo_ball_between(nextafter(1 / high, -INFINITY), nextafter(1 / low, INFINITY))
               : (mo_ball){0, INFINITY};
}

/* An upper bound of |a|. */
static inline double mo_ball_size(mo_ball a)
{
    return nextafter(fabs(a.mid) + a.rad, INFINITY);
}

#endif
