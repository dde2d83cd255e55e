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
#include <math.h>
#include <string.h>

#include "law/ellipsoid.h"
#include "law/law_ops.h"

enum { MOST = 5, MOST_FRICTION = 3 };

/* u += W (y - r) for rows first, ..., first + count - 1 of y and r. */
static void move(const double *W, int d, int first, int count, const double *r, const double *y,
                 double *u)
{
    for (int j = first; j < first + count; ++j)
        for (int i = 0; i < d; ++i)
            u[i] += W[i * d + j] * (y[j] - r[j]);
}

static void relax_normal(const double *W, int d, double *u, const double *r, double *y)
{
    y[0] = W[0] > 0 ? fmax(0, r[0] - u[0] / W[0]) : r[0];
    move(W, d, 0, 1, r, y, u);
}

/*
 * Friction in `count` rows from `first` on, inside an ellipsoid with the given axes.  K_i is the
 * sum of |W_ij|, so K - W_FF is positive semidefinite; in rows times sqrt(K) the metric is
 * Euclidean.
 */
static void relax_friction(const double *W, int d, int first, int count, const double *axes,
                           double *u, const double *r, double *y)
{
    double root[MOST_FRICTION], z[MOST_FRICTION], scaled[MOST_FRICTION] = {0},
                                                  x[MOST_FRICTION] = {0};
    for (int k = 0; k < count; ++k) {
        double bound = 0;
        for (int j = first; j < first + count; ++j)
            bound += fabs(W[(first + k) * d + j]);
        root[k] = sqrt(bound);
        scaled[k] = root[k] * axes[k];
        x[k] = bound > 0 ? root[k] * (r[first + k] - u[first + k] / bound) : 0;
    }
    mo_ellipsoid_project(count, scaled, x, z, NULL);
    for (int k = 0; k < count; ++k)
        y[first + k] = root[k] > 0 ? z[k] / root[k] : 0;
    move(W, d, first, count, r, y, u);
}

void mo_relax_rolling(const double *p, int d, const double *W, const double *u, const double *r,
                      double *new_r)
{
    double now[MOST];
    memcpy(now, u, (size_t)d * sizeof *now);
    relax_normal(W, d, now, r, new_r);
    for (int disc = 0; disc < 2; ++disc) {
        const double radius = p[disc] * new_r[0], axes[2] = {radius, radius};
        relax_friction(W, d, 1 + 2 * disc, 2, axes, now, r, new_r);
    }
}

void mo_relax_soft_finger(const double *p, int d, const double *W, const double *u, const double *r,
                          double *new_r)
{
    double now[MOST];
    memcpy(now, u, (size_t)d * sizeof *now);
    relax_normal(W, d, now, r, new_r);
    const double n = new_r[0], axes[3] = {p[0] * n, p[0] * n, p[1] * n};
    relax_friction(W, d, 1, 3, axes, now, r, new_r);
}
