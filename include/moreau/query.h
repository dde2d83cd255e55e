/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Geometric queries of a world at its present poses: rays, overlaps, distances.
 *
 * A query does not change the world, so several threads may run queries at the same time while no
 * step runs.  Its cost is linear in the number of shapes.  In a planar world z is ignored.
 */
#ifndef MOREAU_QUERY_H
#define MOREAU_QUERY_H

#include "moreau/world.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Selects the shapes of a query. */
typedef struct mo_query_filter {
    /* shapes whose layer has a bit of this mask */
    unsigned mask;
    /* body to leave out; {0}: none */
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
    /* unit, outward from the shape; opposite to the ray if the origin is inside */
    double normal[3];
} mo_ray_hit;

/*
 * Finds the first shape along a ray, up to `length` (m, infinity allowed).  The direction may have
 * any length.
 * A ray that starts inside a shape hits it at distance 0; faces of meshes are hit from outside
 * only.  NULL filter: the default.
 */
MO_API mo_error mo_world_cast_ray(const mo_world *world, const double origin[3],
                                  const double direction[3], double length,
                                  const mo_query_filter *filter, mo_ray_hit *hit, mo_message *why);

/* Casts `count` rays, 3 numbers each, in parallel; hits[k] belongs to ray k. */
MO_API mo_error mo_world_cast_rays(const mo_world *world, int count, const double *origins,
                                   const double *directions, double length,
                                   const mo_query_filter *filter, int threads, mo_ray_hit *hits,
                                   mo_message *why);

/* ---- overlaps and distances ------------------------------------------------------------------ */

/* Two shapes at their nearest points. */
typedef struct mo_proximity {
    mo_body_id body_a, body_b;
    mo_shape_id shape_a, shape_b;
    /* m; negative: they overlap by this depth; infinity: beyond the limit of the query */
    double distance;
    /* m, world, on the surfaces of a and b */
    double point_a[3], point_b[3];
    /* unit, from a to b */
    double normal[3];
} mo_proximity;

/*
 * Finds the shapes of the world that overlap `shape` or are nearer than `distance` (m, 0: overlaps
 * only).  The shape is placed at shape->pose within `pose` (NULL: identity); its layer and mask are
 * not used.  Writes at most `room` results, with the shape as a, and their total number to *count.
 */
MO_API mo_error mo_world_overlap(const mo_world *world, const mo_shape_def *shape,
                                 const mo_pose *pose, double distance,
                                 const mo_query_filter *filter, mo_proximity *found, int room,
                                 int *count, mo_message *why);

/*
 * Finds the nearest shapes of two bodies, visual shapes left out.  Distances above `most` (m,
 * infinity allowed), and those between two planes or meshes, are returned as infinity.
 */
MO_API mo_error mo_world_distance(const mo_world *world, mo_body_id a, mo_body_id b, double most,
                                  mo_proximity *nearest, mo_message *why);

#ifdef __cplusplus
}
#endif
#endif
