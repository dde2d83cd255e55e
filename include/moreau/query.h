/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Questions about the geometry of a world at its present poses: rays, overlaps, distances.
 *
 * A query reads the world and changes nothing, so several threads may ask at the same time while no
 * step runs.  Its cost grows linearly with the number of shapes.  In a planar world z is ignored.
 */
#ifndef MOREAU_QUERY_H
#define MOREAU_QUERY_H

#include "moreau/world.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Which shapes a query sees. */
typedef struct mo_query_filter {
    /* shapes whose layer has a bit of this mask */
    unsigned mask;
    /* a body that is left out; {0}: none */
    mo_body_id ignored;
} mo_query_filter;

/* Every shape that collides with something. */
MO_API mo_query_filter mo_default_query_filter(void);

/* ---- rays ------------------------------------------------------------------------------------ */

typedef struct mo_ray_hit {
    /* {0}: nothing was hit, and the rest is zero */
    mo_body_id body;
    mo_shape_id shape;
    /* m, from the origin of the ray */
    double distance;
    /* m, world */
    double point[3];
    /* unit, outward from the shape; against the ray where the origin is inside */
    double normal[3];
} mo_ray_hit;

/*
 * The first shape along a ray, up to `length` (m, infinity allowed).  The direction has any length.
 * A ray that starts inside a shape hits it at distance 0; faces of meshes are hit from outside
 * only.  A NULL filter is the default one.
 */
MO_API mo_error mo_world_cast_ray(const mo_world *world, const double origin[3],
                                  const double direction[3], double length,
                                  const mo_query_filter *filter, mo_ray_hit *hit, mo_message *why);

/* `count` rays, 3 numbers each, over threads; hits[k] is that of ray k. */
MO_API mo_error mo_world_cast_rays(const mo_world *world, int count, const double *origins,
                                   const double *directions, double length,
                                   const mo_query_filter *filter, int threads, mo_ray_hit *hits,
                                   mo_message *why);

/* ---- overlaps and distances ------------------------------------------------------------------ */

/* Two shapes at their nearest points. */
typedef struct mo_proximity {
    mo_body_id body_a, body_b;
    mo_shape_id shape_a, shape_b;
    /* m; negative: they overlap by this depth; infinity: farther than was asked for */
    double distance;
    /* m, world, on the surfaces of a and b */
    double point_a[3], point_b[3];
    /* unit, from a to b */
    double normal[3];
} mo_proximity;

/*
 * The shapes of the world that overlap `shape` at a pose (NULL: identity; the shape's own pose is
 * inside it), or are nearer than `distance` (m, 0: overlaps alone).  Writes at most `room` of them,
 * with the shape as a, and their number to *count.
 */
MO_API mo_error mo_world_overlap(const mo_world *world, const mo_shape_def *shape,
                                 const mo_pose *pose, double distance,
                                 const mo_query_filter *filter, mo_proximity *found, int room,
                                 int *count, mo_message *why);

/*
 * The nearest shapes of two bodies.  Distances above `most` (m, infinity allowed) are infinity.
 * There is no distance between two planes or meshes: infinity.
 */
MO_API mo_error mo_world_distance(const mo_world *world, mo_body_id a, mo_body_id b, double most,
                                  mo_proximity *nearest, mo_message *why);

#ifdef __cplusplus
}
#endif
#endif
