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
#include "law/law_ops.h"

#include <math.h>
#include <string.h>

enum { MOST = 5, DISC = 2, ELLIPSOID = 3, SECULAR_STEPS = 20 };
static const double ROUNDED = 1e-12; /* of the radius */

/* u += W (y - r) for rows first, ..., first + count - 1 of y and r. */
static void move(const double *W, int d, int first, int count, const double *r, const double *y,
                 double *u)
{
    for (int j = first; j < first + count; ++j) {
        for (int i = 0; i < d; ++i) {
            u[i] += W[i * d + j] * (y[j] - r[j]);
        }
    }
}

static void relax_normal(const double *W, int d, double *u, const double *r, double *y)
{
    y[0] = W[0] > 0 ? fmax(0, r[0] - u[0] / W[0]) : r[0];
    move(W, d, 0, 1, r, y, u);
}

/* The sum of |W_ij| over columns first, ...: diag(sums) - W_FF is positive semidefinite. */
static double row_sum(const double *W, int d, int i, int first, int count)
{
    double sum = 0;
    for (int j = first; j < first + count; ++j) {
        sum += fabs(W[i * d + j]);
    }
    return sum;
}

/* Rows first and first + 1, a disc. */
static void relax_disc(const double *W, int d, int first, double radius, double *u, const double *r,
                       double *y)
{
    const double bound =
        fmax(row_sum(W, d, first, first, DISC), row_sum(W, d, first + 1, first, DISC));
    double square = 0;
    for (int i = first; i < first + DISC; ++i) {
        y[i] = bound > 0 ? r[i] - u[i] / bound : r[i];
        square += y[i] * y[i];
    }
    const double part = square > radius * radius ? radius / sqrt(square) : 1;
    for (int i = first; i < first + DISC; ++i) {
        y[i] *= part;
    }
    move(W, d, first, DISC, r, y, u);
}

/*
 * z with |z| <= radius, nearest to x in the metric diag(k): z_i = x_i k_i / (k_i + nu), where nu >=
 * 0 solves |z| = radius.  1 / |z| is nearly linear in nu, and Newton's method from 0 never passes
 * the root.
 */
static void cut_in_metric(const double *k, double radius, double *x)
{
    double z[ELLIPSOID] = {0}, nu = 0;
    for (int step = 0; step < SECULAR_STEPS; ++step) {
        double square = 0, slope = 0;
        for (int i = 0; i < ELLIPSOID; ++i) {
            z[i] = k[i] > 0 ? x[i] * k[i] / (k[i] + nu) : 0;
            square += z[i] * z[i];
            slope += k[i] > 0 ? z[i] * z[i] / (k[i] + nu) : 0;
        }
        const double length = sqrt(square);
        if (length <= radius * (1 + ROUNDED) || !(slope > 0) || radius == 0) {
            break;
        }
        nu += (length / radius - 1) * square / slope;
    }
    double square = 0;
    for (int i = 0; i < ELLIPSOID; ++i) {
        square += z[i] * z[i];
    }
    const double part = square > radius * radius ? radius / sqrt(square) : 1; /* rounding */
    for (int i = 0; i < ELLIPSOID; ++i) {
        x[i] = part * z[i];
    }
}

/* |D^-1 y| <= radius, in the scaled rows D^-1 r and D u, with a step for each row. */
static void relax_ellipsoid(const double *W, int d, const double D[ELLIPSOID], double radius,
                            double *u, const double *r, double *y)
{
    double k[ELLIPSOID], x[ELLIPSOID];
    for (int i = 0; i < ELLIPSOID; ++i) {
        const double bound = row_sum(W, d, 1 + i, 1, ELLIPSOID);
        k[i] = D[i] * D[i] * bound;
        x[i] = k[i] > 0 ? (r[1 + i] - u[1 + i] / bound) / D[i] : 0;
    }
    cut_in_metric(k, radius, x);
    for (int i = 0; i < ELLIPSOID; ++i) {
        y[1 + i] = D[i] * x[i];
    }
    move(W, d, 1, ELLIPSOID, r, y, u);
}

void mo_relax_rolling(const double *p, int d, const double *W, const double *u, const double *r,
                      double *new_r)
{
    double now[MOST];
    memcpy(now, u, (size_t)d * sizeof *now);
    relax_normal(W, d, now, r, new_r);
    relax_disc(W, d, 1, p[0] * new_r[0], now, r, new_r);
    relax_disc(W, d, 1 + DISC, p[1] * new_r[0], now, r, new_r);
}

void mo_relax_soft_finger(const double *p, int d, const double *W, const double *u, const double *r,
                          double *new_r)
{
    const double D[ELLIPSOID] = {p[0], p[0], p[1]};
    double now[MOST];
    memcpy(now, u, (size_t)d * sizeof *now);
    relax_normal(W, d, now, r, new_r);
    relax_ellipsoid(W, d, D, new_r[0], now, r, new_r);
}
