/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
#include "linalg/lorentz.h"

#include <math.h>

#include "linalg/dense.h"

static double tail_norm(int n, const double *x)
{
    return n == 1 ? 0 : n == 2 ? fabs(x[1]) : sqrt(mo_dot(n - 1, x + 1, x + 1));
}

double mo_lorentz_det(int n, const double *x)
{
    const double tail = tail_norm(n, x);
    return (x[0] - tail) * (x[0] + tail);
}

void mo_lorentz_product(int n, const double *x, const double *y, double *z)
{
    const double x0 = x[0], y0 = y[0], dot = mo_dot(n, x, y);
    for (int k = 1; k < n; ++k)
        z[k] = x0 * y[k] + y0 * x[k];
    z[0] = dot;
}

void mo_lorentz_divide(int n, const double *l, const double *y, double *x)
{
    const double head = (l[0] * y[0] - mo_dot(n - 1, l + 1, y + 1)) / mo_lorentz_det(n, l);
    for (int k = 1; k < n; ++k)
        x[k] = (y[k] - head * l[k]) / l[0];
    x[0] = head;
}

/*
 * With x normalised to det x = 1 the automorphism that takes x to e takes dx to rho; e + t rho
 * leaves L at t = 1 / (|rho_1| - rho_0), or never.
 */
double mo_lorentz_step(int n, const double *x, const double *dx, double most)
{
    const double root = sqrt(mo_lorentz_det(n, x));
    if (!(root > 0)) return 0;
    const double x0 = x[0] / root;
    double head = x0 * dx[0], tail = 0;
    for (int k = 1; k < n; ++k)
        head -= x[k] / root * dx[k];
    const double turn = (head + dx[0]) / (x0 + 1);
    for (int k = 1; k < n; ++k) {
        const double rho = dx[k] - turn * (x[k] / root);
        tail += rho * rho;
    }
    const double rate = (sqrt(tail) - head) / root;
    return rate * most > 1 ? 1 / rate : isnan(rate) ? 0 : most;
}

/*
 * With x = l_1 c_1 + l_2 c_2 in its own frame, p has the eigenvalues (l + sqrt(l^2 + 4 tau)) / 2
 * there, and z those of -l.
 */
void mo_lorentz_split(int n, double tau, const double *x, double *p, double *z)
{
    const double length = tail_norm(n, x);
    double own_p[2], own_z[2];
    for (int k = 0; k < 2; ++k) {
        const double l = x[0] + (k ? -length : length);
        const double large = 0.5 * (fabs(l) + sqrt(l * l + 4 * tau));
        own_p[k] = l > 0 ? large : tau / large;
        own_z[k] = l > 0 ? tau / large : large;
    }
    p[0] = 0.5 * (own_p[0] + own_p[1]);
    z[0] = 0.5 * (own_z[0] + own_z[1]);
    for (int j = 1; j < n; ++j) {
        const double part = length > 0 ? 0.5 * x[j] / length : 0;
        p[j] = part * (own_p[0] - own_p[1]);
        z[j] = part * (own_z[0] - own_z[1]);
    }
}

int mo_scaling_set(int n, const double *p, const double *z, mo_scaling *scaling)
{
    const double det_p = mo_lorentz_det(n, p), det_z = mo_lorentz_det(n, z);
    if (!(p[0] > 0 && z[0] > 0 && det_p > 0 && det_z > 0) || isinf(det_p) || isinf(det_z)) return 0;
    const double root_p = sqrt(det_p), root_z = sqrt(det_z);
    const double gamma = sqrt(0.5 * (1 + mo_dot(n, p, z) / root_p / root_z));
    scaling->eta = sqrt(root_z / root_p);
    double size = 1;
    for (int k = 1; k < n; ++k) {
        scaling->w[k] = (z[k] / root_z - p[k] / root_p) / (2 * gamma);
        size += scaling->w[k] * scaling->w[k];
    }
    scaling->w[0] = sqrt(size); /* det w = 1 after rounding */
    return isfinite(size) && scaling->eta > 0 && isfinite(scaling->eta);
}

/* T / eta, or its inverse where sign = -1. */
static void turn(int n, const double *w, double sign, const double *x, double *y)
{
    const double x0 = x[0], along = mo_dot(n - 1, w + 1, x + 1);
    const double factor = sign * x0 + along / (1 + w[0]);
    for (int k = 1; k < n; ++k)
        y[k] = x[k] + factor * w[k];
    y[0] = w[0] * x0 + sign * along;
}

void mo_scaling_apply(int n, const mo_scaling *scaling, const double *x, double *y)
{
    turn(n, scaling->w, 1, x, y);
    mo_scale(n, scaling->eta, y);
}

void mo_scaling_undo(int n, const mo_scaling *scaling, const double *x, double *y)
{
    turn(n, scaling->w, -1, x, y);
    for (int k = 0; k < n; ++k)
        y[k] /= scaling->eta;
}

void mo_scaling_square(int n, const mo_scaling *scaling, double *Q)
{
    const double *w = scaling->w, square = scaling->eta * scaling->eta;
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j) {
            const double J = i != j ? 0 : i == 0 ? 1 : -1;
            Q[i * n + j] = square * (2 * w[i] * w[j] - J);
        }
    }
}
