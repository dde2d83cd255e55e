/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * The Lorentz cone L = { x : |x_1| <= x_0 }, x = (x_0, x_1), in any dimension from 1 (the
 * half-line) on: its Jordan algebra and the Nesterov-Todd scaling [nesterov1997].
 *
 *     x o y = (x.y, x_0 y_1 + y_0 x_1),   e = (1, 0),   det x = x_0^2 - |x_1|^2,
 *     J = diag(1, -1, ..., -1)
 *
 * x is interior if x_0 > 0 and det x > 0.  For two interior points p and z there is one symmetric
 * matrix T that maps L to itself with
 *
 *     T p = T^-1 z = lambda,     T^2 = eta^2 (2 w w' - J),     det w = 1
 *
 * T is stored as eta and w.
 */
#ifndef MO_LINALG_LORENTZ_H
#define MO_LINALG_LORENTZ_H

enum { MO_LORENTZ_MAX = 4 }; /* largest dimension */

typedef struct mo_scaling {
    double eta;
    double w[MO_LORENTZ_MAX];
} mo_scaling;

/* det x, by factors: exact to rounding near the boundary too. */
double mo_lorentz_det(int n, const double *x);

/* z = x o y; x = l \ y with l o x = y, l in the interior. */
void mo_lorentz_product(int n, const double *x, const double *y, double *z);
void mo_lorentz_divide(int n, const double *l, const double *y, double *x);

/* The largest t <= most with x + t dx in L, for x in the interior. */
double mo_lorentz_step(int n, const double *x, const double *dx, double most);

/* The interior p and z with p - z = x and p o z = tau e, tau > 0. */
void mo_lorentz_split(int n, double tau, const double *x, double *p, double *z);

/* T of p and z; false if one of them is not in the interior. */
int mo_scaling_set(int n, const double *p, const double *z, mo_scaling *scaling);

/* y = T x, y = T^-1 x, and Q = T^2 (n x n). */
void mo_scaling_apply(int n, const mo_scaling *scaling, const double *x, double *y);
void mo_scaling_undo(int n, const mo_scaling *scaling, const double *x, double *y);
void mo_scaling_square(int n, const mo_scaling *scaling, double *Q);

#endif
