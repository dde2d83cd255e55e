/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Separation of two shapes along given directions: a lower bound of their distance, from two
 * support points per direction.  Overlapping convex shapes overlap along every direction by at
 * least their depth, so one separating direction proves that they do not.
 */
#include <math.h>

#include "collide/core.h"
#include "linalg/vec3.h"

static int is_convex(const mo_collider *collider)
{
    return collider->def.kind != MO_SHAPE_PLANE && collider->def.kind != MO_SHAPE_MESH;
}

/* From the half-space, which has only one direction. */
static double above_plane(const mo_placed *shape, const mo_pose *plane, double sign,
                          double along[3])
{
    double up[3], down[3], point[3];
    mo_core core;
    mo_core_place(shape, plane->position, &core);
    mo_pose_vector(plane, (const double[3]){0, 0, 1}, up);
    mo_vec3_scale(-1, up, down);
    mo_vec3_scale(sign, up, along);
    mo_core_support(&core, down, point);
    return mo_vec3_dot(point, up) - core.radius;
}

double mo_collide_separation(const mo_collider *a, const mo_pose *shape_a, const mo_collider *b,
                             const mo_pose *shape_b, const double (*direction)[3], int count,
                             double along[3])
{
    const mo_placed pa = {a, *shape_a}, pb = {b, *shape_b};
    if (a->is_planar || (!is_convex(a) && !is_convex(b))) return -INFINITY;
    if (b->def.kind == MO_SHAPE_PLANE) return above_plane(&pa, shape_b, -1, along);
    if (a->def.kind == MO_SHAPE_PLANE) return above_plane(&pb, shape_a, 1, along);
    double most = -INFINITY;
    mo_core ca, cb;
    if (is_convex(a) && is_convex(b)) {
        mo_core_place(&pa, shape_a->position, &ca);
        mo_core_place(&pb, shape_a->position, &cb);
        for (int k = 0; k < count; ++k) {
            const double gap = mo_core_gap(&ca, &cb, direction[k]) - ca.radius - cb.radius;
            if (gap > most) {
                most = gap;
                mo_vec3_copy(direction[k], along);
            }
        }
    }
    return most;
}
