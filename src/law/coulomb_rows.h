/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * The projection on Coulomb's cone K = { r : |r_T| <= mu r_N } and its derivative, in line, so that
 * loops over a constant d unroll.
 */
#ifndef MO_LAW_COULOMB_ROWS_H
#define MO_LAW_COULOMB_ROWS_H

#include <math.h>

/* |x_T|; d is 2 or 3. */
static inline double mo_coulomb_slip(int d, const double *x)
{
    return d == 2 ? fabs(x[1]) : sqrt(x[1] * x[1] + x[2] * x[2]);
}

/* The normal part of the projection of a point outside K and its polar, t = |x_T|. */
static inline double mo_coulomb_rim(double mu, double x_N, double t)
{
    return mu > 1 ? (x_N / mu + t) / (mu + 1 / mu) : (x_N + mu * t) / (1 + mu * mu);
}

/* y = the nearest point of K; the inner loop of the measure and of Newton steps. */
static inline void mo_coulomb_project(double mu, int d, const double *x, double *y)
{
    const double t = mo_coulomb_slip(d, x), x_N = x[0];
    if (isinf(mu) || t <= mu * x_N) {
        for (int k = 1; k < d; ++k)
            y[k] = x[k];
        y[0] = x_N > 0 ? x_N : 0;
        return;
    }
    if (mu * t <= -x_N) {
        for (int k = 0; k < d; ++k)
            y[k] = 0;
        return;
    }
    const double y_N = mo_coulomb_rim(mu, x_N, t);
    for (int k = 1; k < d; ++k)
        y[k] = mu * y_N * (x[k] / t);
    y[0] = y_N;
}

static inline void mo_coulomb_identity(int d, double scale, double *J)
{
    for (int k = 0; k < d * d; ++k)
        J[k] = k % (d + 1) == 0 ? scale : 0;
}

/* One of the derivatives at a kink. */
static inline void mo_coulomb_project_derivative(double mu, int d, const double *x, double *J)
{
    const double t = mo_coulomb_slip(d, x), x_N = x[0];
    if (isinf(mu) || t <= mu * x_N) {
        mo_coulomb_identity(d, 1, J);
        J[0] = x_N > 0;
        return;
    }
    if (mu * t <= -x_N) {
        mo_coulomb_identity(d, 0, J);
        return;
    }
    /* y_T = mu y_N s with s = x_T / t: along s it moves with y_N, across s it turns. */
    const double dN = mo_coulomb_rim(mu, 1, 0), turn = mu * mo_coulomb_rim(mu, x_N, t) / t;
    J[0] = dN;
    for (int i = 1; i < d; ++i) {
        const double s_i = x[i] / t;
        J[i] = J[i * d] = mu * dN * s_i;
        for (int j = 1; j < d; ++j) {
            const double ss = s_i * (x[j] / t);
            J[i * d + j] = mu * mu * dN * ss + turn * ((i == j) - ss);
        }
    }
}

#endif
