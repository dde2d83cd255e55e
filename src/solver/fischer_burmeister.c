/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
#include "solver/fischer_burmeister.h"

#include <math.h>

enum { MAX = 3 };

/* Of the larger eigenvalue: keeps the derivative finite where x o x + y o y is on the boundary of
 * the cone. */
static const double SMALLEST = 1e-24;

/* s = (x o x + y o y)^(1/2), by its eigenvalues. */
static void square_root(int d, const double *x, const double *y, double *s)
{
    double w[MAX] = {0}, tangent = 0;
    for (int k = 0; k < d; ++k)
        w[0] += x[k] * x[k] + y[k] * y[k];
    for (int k = 1; k < d; ++k) {
        w[k] = 2 * (x[0] * x[k] + y[0] * y[k]);
        tangent += w[k] * w[k];
    }
    tangent = sqrt(tangent);
    const double large = sqrt(w[0] + tangent);
    const double small = sqrt(fmax(w[0] - tangent, SMALLEST * (w[0] + tangent)));
    s[0] = d > 1 ? (large + small) / 2 : large;
    for (int k = 1; k < d; ++k)
        s[k] = tangent > 0 ? (large - small) / 2 * (w[k] / tangent) : 0;
}

/* The solution of s o t = x o dx for the unit vector dx = e_k: a column of L_s^-1 L_x. */
static void quotient_column(int d, const double *s, const double *x, int k, double *t)
{
    double b[MAX] = {0}, tangent = 0, along = 0;
    b[0] = x[k];
    for (int j = 1; j < d; ++j) {
        b[j] = k == 0 ? x[j] : (j == k) * x[0];
        tangent += s[j] * s[j];
        along += s[j] * b[j];
    }
    const double determinant = s[0] * s[0] - tangent;
    t[0] = (s[0] * b[0] - along) / determinant;
    for (int j = 1; j < d; ++j)
        t[j] = (b[j] - s[j] * t[0]) / s[0];
}

/* J = S^-1 (I - L_s^-1 L_x) diag(right). */
static void derivative(int d, double mu, const double *s, const double *x, const double *right,
                       double *J)
{
    double t[MAX];
    for (int k = 0; k < d; ++k) {
        quotient_column(d, s, x, k, t);
        for (int j = 0; j < d; ++j)
            J[j * d + k] = ((j == k) - t[j]) * right[k] / (j == 0 ? mu : 1);
    }
}

void mo_fischer_burmeister(double mu, int d, double rho, const double *uhat, const double *r,
                           double *z, double *J_r, double *J_u)
{
    double x[MAX], y[MAX], s[MAX], of_r[MAX], of_u[MAX];
    for (int k = 0; k < d; ++k) {
        of_r[k] = k == 0 ? mu : 1;
        of_u[k] = k == 0 ? rho / mu : rho;
        x[k] = of_r[k] * r[k];
        y[k] = of_u[k] * uhat[k];
    }
    square_root(d, x, y, s);
    for (int k = 0; k < d; ++k)
        z[k] = (x[k] + y[k] - s[k]) / of_r[k];
    if (!J_r) return;
    if (!(s[0] >
          /* x = y = 0: any convex combination of the derivatives nearby will do; half of each */
          0)) {
        for (int k = 0; k < d * d; ++k) {
            J_r[k] = 0.5 * (k % (d + 1) == 0);
            J_u[k] = 0.5 * (k % (d + 1) == 0) * of_u[k / d] / of_r[k / d];
        }
        return;
    }
    derivative(d, mu, s, x, of_r, J_r);
    derivative(d, mu, s, y, of_u, J_u);
}
