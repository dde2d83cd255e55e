/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Intersection of a ray with a shape.
 *
 *   plane, box, hull   the ray clipped by the planes
 *   mesh               each face whose bounds the ray meets, from its front
 *   others             Newton's method on separating planes: at a point p of the ray outside a
 *                      convex shape, with nearest point c and n = (p - c) / |p - c|, the shape lies
 *                      behind the plane n.x = n.c.  The next p is the intersection of the ray with
 *                      that plane.  Converges from below, quadratically unless the ray grazes.
 */
#ifndef MO_COLLIDE_RAY_H
#define MO_COLLIDE_RAY_H

#include "collide/narrow.h"

typedef struct mo_ray {
    double origin[3];
    double direction[3]; /* unit */
    double length;       /* m; infinity allowed */
} mo_ray;

/* True where the ray meets the shape: the distance t and the outward unit normal there; 0 and the
 * direction turned round where it starts inside. */
int mo_ray_hits(const mo_placed *shape, const mo_ray *ray, double *t, double normal[3]);

#endif
