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
 * modes.  Kinks are detected with the derivative itself, evaluated tau away along each axis in both
 * directions: J jumps by a number of order one at a kink, and changes by tau over the size of the
 * argument elsewhere.  This covers every law.
 */
#ifndef MO_GRADIENT_MODES_H
#define MO_GRADIENT_MODES_H

#include "gradient/least_norm.h"
#include "moreau/gradient.h"
#include "problem/problem_data.h"

/*
 * J and JG (d x d) and (I - J) E (d x 2) of constraint i at the velocity u (with the compliance)
 * and the impulse r; its mode.  rho makes u comparable to r; tau is in units of r.
 */
mo_gradient_block mo_gradient_linearise(const mo_problem *problem, int i, double rho, double tau,
                                        const double *u, const double *r, double *J, double *JG,
                                        double *by_mu);

/* ---- away from the edges --------------------------------------------------------------------- */

/*
 * Impulses away from the edges of their sets.
 *
 * For redundant contacts many r cause the same v.  A method may return an r on the boundary of a
 * cone, or one with an unloaded contact, although others are interior.  The modes belong to the
 * whole set of solutions, so they are taken from an interior r.
 *
 * At fixed v and u a block may change r freely if u_i = 0, along its ray if it slides, and not at
 * all if it is open, compliant or held at a bound.  With J_i the projector on these directions, the
 * changes with H dr = 0 are the null space of
 *
 *     A = (I - J) + J W          (J dr = dr and J W dr = 0 give dr' W dr = 0)
 *
 * as in least_norm.h with G = I.  An iteration moves every block towards the nearest impulse well
 * inside its set and projects the shift on that null space: alternating projections on two convex
 * sets, which intersect if interior impulses exist.
 */
typedef struct mo_centre {
    const mo_problem *problem;
    mo_least_norm *system; /* its J, JG and active are the next three: they are overwritten */
    double *J, *JG;
    uint8_t *active;
    const double *u;      /* rows: the velocity that the laws see */
    double edge;          /* in units of u: nearer than this is on an edge */
    double *shift, *step; /* rows: scratch */
} mo_centre;

/* Moves r if this leaves fewer blocks on an edge, and returns whether it did.  best: scratch. */
bool mo_centre_move(const mo_centre *c, double *r, double *best);

#endif
