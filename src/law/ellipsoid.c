/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
#include "law/ellipsoid.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Axes in units of the longest one; those too short to have a square are none. */
static double scale_axes(int size, const double *a, double *unit)
{
    double longest = 0;
    for (int i = 0; i < size; ++i)
        longest = fmax(longest, a[i]);
    for (int i = 0; i < size; ++i) {
        const double axis = longest > 0 ? a[i] / longest : 0;
        unit[i] = axis > 1e-150 ? axis : 0;
    }
    return longest;
}

/* N(0) - 1; rows without an axis are ignored. */
static double outside(int size, const double *a, const double *x)
{
    double square = 0;
    for (int i = 0; i < size; ++i)
        square += a[i] > 0 ? x[i] / a[i] * (x[i] / a[i]) : 0;
    return sqrt(square) - 1;
}

/*
 * Newton's change of k on 1 / N, written through N(k) - 1.  Near E that comes from N(0) - 1 and the
 * change of N^2, a sum of terms of one sign, which keeps its digits where N is close to 1 from the
 * start.
 */
static double newton_change(int size, const double *a, const double *x, double over, double k)
{
    double fallen = 0, square = 0, sum = 0;
    for (int i = 0; i < size; ++i) {
        if (a[i] > 0) {
            const double axis = a[i] * a[i], l = axis + k, part = x[i] * a[i] / l;
            square += part * part;
            sum += part * part / l;
            fallen += x[i] / a[i] * (x[i] / a[i]) * (k / l) * ((axis + l) / l);
        }
    }
    const double N = sqrt(square);
    const double left = over < 0.5 ? (over * (over + 2) - fallen) / (N + 1) : N - 1;
    return left * square / sum;
}

/* The root of N(k) = 1; zero where x is inside. */
static double multiplier(int size, const double *a, const double *x, double over)
{
    double k = 0;
    for (int iteration = 0; iteration < 100 && over > 0; ++iteration) {
        const double change = newton_change(size, a, x, over, k);
        if (!(change > 0.5 * DBL_EPSILON * k) || !isfinite(change)) break;
        k += change;
    }
    return k;
}

/* J = diag(h) - (h w)(h w)' / (w' h w), h_i = y_i / x_i, w the normal at y; diag(h) inside. */
static void differentiate(int size, const double *a, const double *x, double k, double *J)
{
    double h[MO_ELLIPSOID_MOST], hw[MO_ELLIPSOID_MOST], sum = 0;
    for (int i = 0; i < size; ++i) {
        const double l = a[i] * a[i] + k;
        h[i] = a[i] > 0 ? a[i] * a[i] / l : 0;
        hw[i] = a[i] > 0 ? h[i] * x[i] / l : 0;
        sum += a[i] > 0 ? hw[i] * x[i] / l : 0;
    }
    for (int i = 0; i < size; ++i) {
        for (int j = 0; j < size; ++j) {
            const double turned = k > 0 && sum > 0 ? hw[i] * hw[j] / sum : 0;
            J[i * size + j] = (i == j ? h[i] : 0) - turned;
        }
    }
}

/* The axes and x in units of the longest axis, and the multiplier there. */
static double prepare(int size, const double *a, const double *x, const double *over, double *unit,
                      double *at)
{
    const double longest = scale_axes(size, a, unit);
    for (int i = 0; i < size; ++i)
        at[i] = longest > 0 ? x[i] / longest : 0;
    return multiplier(size, unit, at, over ? *over : outside(size, unit, at));
}

void mo_ellipsoid_project(int size, const double *a, const double *x, double *y, double *J)
{
    double unit[MO_ELLIPSOID_MOST], at[MO_ELLIPSOID_MOST];
    const double k = prepare(size, a, x, NULL, unit, at);
    for (int i = 0; i < size; ++i)
        y[i] = unit[i] > 0 ? x[i] * (unit[i] * unit[i] / (unit[i] * unit[i] + k)) : 0;
    if (J) differentiate(size, unit, at, k, J);
}

void mo_ellipsoid_shrink(int size, const double *a, const double *x, double over, double *y)
{
    double unit[MO_ELLIPSOID_MOST], at[MO_ELLIPSOID_MOST];
    const double k = prepare(size, a, x, &over, unit, at);
    for (int i = 0; i < size; ++i)
        y[i] = unit[i] > 0 ? x[i] * (k / (unit[i] * unit[i] + k)) : x[i];
}
