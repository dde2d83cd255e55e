/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * One block at a solution, linearised.  With the law as r = proj(r - rho uhat(u)), J and G the
 * derivatives of projection and shift there, and E that of r with respect to the coefficients on
 * the law's graph at fixed u,
 *
 *     (I - J) (dr - E dmu) + rho J G (du + compliance dr) = 0                                   (1)
 *
 * says that (du, dr) is tangent to the law.  [I - J, J G] has full rank wherever the projection is
 * differentiable: y'(I - J) = 0 and y' J G = 0 give y' G = 0, and G is invertible (for a sliding
 * contact J G = g e_N' with y along g).
 *
 * Where the projection has a kink within tau of its argument, the block is on the edge of two
 * modes.  The kinks are looked for with the derivative itself, tau away along each axis and back: J
 * jumps there by a number of order one, and by tau over the size of the argument elsewhere.  So
 * every law is covered alike.
 */
#ifndef MO_GRADIENT_MODES_H
#define MO_GRADIENT_MODES_H

#include "moreau/gradient.h"
#include "problem/problem_data.h"

/*
 * J and JG (d x d) and (I - J) E (d x 2) of constraint i at the velocity u (with the compliance)
 * and the impulse r; its mode.  rho makes u comparable to r; tau is in units of r.
 */
mo_gradient_block mo_gradient_linearise(const mo_problem *problem, int i, double rho, double tau,
                                        const double *u, const double *r, double *J, double *JG,
                                        double *by_mu);

#endif
