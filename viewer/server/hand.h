/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * The hand of a page: a damped spring between a point of a body and a point of the world.
 *
 * Were the body alone, its point x with velocity v would follow the target T as x'' = w^2 (T - x) -
 * 2 w x', critically damped, integrated implicitly with the step h:
 *
 *     a = ( w^2 (T - x) - (2 w + h w^2) v ) / (1 + h w)^2                                       (1)
 *     f = s K^-1 a,        K = 1/m - [r] J^-1 [r]                                               (2)
 *
 * where K is the mobility of the point: r from the centre of mass, [r] the matrix of the cross
 * product, m and J the mass and the inertia.  In the step, x and v change by s rho times what (1)
 * asks for, rho <= 1 being the share of the body's own inertia in what it drags along (a mechanism,
 * a pile).  With d = (2 h w + h^2 w^2) / (1 + h w)^2 < 1, the share of v that one step takes away,
 * the step contracts for any s rho d <= 1 (Jury's test of the 2 x 2 matrix).  So a body that is
 * joined to others is pulled with s = min(mass of all that hangs together by joints / its own,
 * 1/d), and a lone one with s = 1: as strong as is safe at any step, whatever moves along.
 *
 * A held body is also kept from spinning on and on: its spin decays with the rate SPIN_DECAY, on
 * the principal moment that is smallest.
 */
#ifndef VIEWER_HAND_H
#define VIEWER_HAND_H

#include "moreau/world.h"

typedef struct hand {
    mo_body_id body; /* none: the hand is empty */
    double local[3]; /* the point, in the body's frame */
    double target[3];
    double load; /* mass of what hangs together by joints with the body, over its own */
} hand;

/* Takes a body: finds what moves along. */
hand hand_take(const mo_world *world, mo_body_id body, const double local[3],
               const double target[3]);

/* Pushes the body, for the step of h that comes next; the size of the force, N. */
double hand_pull(const hand *h, mo_world *world, double step);

#endif
