/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * The Fischer-Burmeister function on Coulomb's cone, an alternative to the natural map
 * [fukushima2002].
 *
 * With S = diag(mu, 1, 1), x = S r and y = rho S^-1 uhat, the law requires that x and y lie in the
 * Lorentz cone, which is self-dual, and are perpendicular, which is equivalent to
 *
 *     phi(x, y) = x + y - (x o x + y o y)^(1/2) = 0,    x o y = (x . y, x_N y_T + y_N x_T)
 *
 * It is smooth except where x o x + y o y lies on the boundary of the cone, and its derivatives
 * depend on both r and u in every mode.  z = S^-1 phi has the units of r.
 */
#ifndef MO_SOLVER_FISCHER_BURMEISTER_H
#define MO_SOLVER_FISCHER_BURMEISTER_H

/* z, and, where J_r is not NULL, the derivatives of z with respect to r and uhat (d x d,
 * row-major); 0 < mu < infinity, d at most 3. */
void mo_fischer_burmeister(double mu, int d, double rho, const double *uhat, const double *r,
                           double *z, double *J_r, double *J_u);

#endif
