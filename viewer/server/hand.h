/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Dragging with the pointer: a damped spring between a point of a body and a point of the world.
 *
 * A free body's point x with velocity v follows the target T as x'' = w^2 (T - x) - 2 w x',
 * critically damped, integrated implicitly with the step h:
 *     a = ( w^2 (T - x) - (2 w + h w^2) v ) / (1 + h w)^2                                       (1)
 *     f = s K^-1 a,        K = 1/m - [r] J^-1 [r]                                               (2)
 * where K is the mobility of the point: r from the centre of mass, [r] the matrix of the cross
 * product, m and J the mass and the inertia.
 *
 * A step removes the fraction d = (2 h w + h^2 w^2) / (1 + h w)^2 < 1 of v.  It contracts for s rho
 * d <= 1 (Jury's test), with rho <= 1 the body's share in the inertia of all that it drags along.
 * So s = min(mass of all bodies connected by joints / its own, 1/d), and 1 for a free body.
 *
 * The spin of a held body decays with the rate SPIN_DECAY, by its smallest principal moment.
 */
#ifndef VIEWER_HAND_H
#define VIEWER_HAND_H

#include "moreau/world.h"

typedef struct hand {
    mo_body_id body; /* none: the hand is empty */
    double local[3]; /* the point, in the body's frame */
    double target[3];
    double load; /* mass of all bodies connected to it by joints, relative to its own */
} hand;

/* Takes a body: finds what moves along. */
hand hand_take(const mo_world *world, mo_body_id body, const double local[3],
               const double target[3]);

/* Applies the force for the next step of h; returns its norm, N. */
double hand_pull(const hand *h, mo_world *world, double step);

#endif
