/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * A ball and a convex polyhedron or a cylinder: the contact is at the point of the solid nearest to
 * the centre, or at the nearest face if the centre is inside.
 */
#include <math.h>

#include "collide/gjk.h"
#include "linalg/vec3.h"

/* Relative to the size: a centre nearer to the surface than this is pushed out through a face. */
static const double IS_INSIDE = 1e-10;

/* Of a box, in its frame: negative inside. */
MO_OWN double nearest_on_box(const double half[3], const double x[3], double normal[3])
{
    double out[3], most = -INFINITY, square = 0;
    int side = 0;
    for (int k = 0; k < 3; ++k) {
        const double above = fabs(x[k]) - half[k];
        out[k] = above > 0 ? (x[k] < 0 ? -above : above) : 0;
        square += out[k] * out[k];
        side = above > most ? k : side;
        most = above > most ? above : most;
    }
    if (most <= IS_INSIDE * half[side]) {
        mo_vec3_set(normal, 0, 0, 0);
        normal[side] = x[side] < 0 ? -1 : 1;
        return most;
    }
    const double distance = sqrt(square);
    mo_vec3_scale(1 / distance, out, normal);
    return distance;
}

MO_OWN double face_above(const mo_hull *hull, const double x[3], double normal[3])
{
    double most = -INFINITY;
    int highest = 0;
    for (int k = 0; k < hull->face_count; ++k) {
        const double height = mo_vec3_dot(hull->plane[k], x) - hull->plane[k][3];
        highest = height > most ? k : highest;
        most = height > most ? height : most;
    }
    mo_vec3_copy(hull->plane[highest], normal);
    return most;
}

/* Likewise of any hull. */
MO_OWN double nearest_on_hull(const mo_placed *ball, const mo_placed *hull, const double x[3],
                              double normal[3])
{
    mo_core point, core;
    mo_simplex simplex;
    double on_a[3], on_b[3];
    mo_core_place(ball, hull->pose.position, &point);
    mo_core_place(hull, hull->pose.position, &core);
    const double distance = mo_gjk_distance(&core, &point, &simplex, on_a, on_b);
    if (!(distance > IS_INSIDE * core.size)) return face_above(hull->collider->hull, x, normal);
    mo_vec3_minus(on_b, on_a, normal);
    mo_vec3_scale(1 / distance, normal, normal);
    mo_vector_in(&hull->pose, normal, normal);
    return distance;
}

MO_EVERYWHERE void mo_collide_ball_solid(const mo_placed *a, const mo_placed *b, double reach,
                                         mo_touch_list *out)
{
    const mo_shape_def *def = &b->collider->def;
    const double radius = a->collider->def.radius;
    double x[3], normal[3], on_a[3], on_b[3];
    mo_point_in(&b->pose, a->pose.position, x);
    const double distance = def->kind == MO_SHAPE_BOX ? nearest_on_box(def->half, x, normal)
                            : def->kind == MO_SHAPE_CYLINDER
                                ? mo_nearest_on_cylinder(def->radius, def->half[2], x, normal)
                                : nearest_on_hull(a, b, x, normal);
    if (distance - radius <= reach) {
        mo_vector_out(&b->pose, normal, normal);
        mo_vec3_scale(-1, normal, normal);
        mo_vec3_along(a->pose.position, radius, normal, on_a);
        mo_vec3_along(a->pose.position, distance, normal, on_b);
        mo_touch_between(on_a, on_b, normal, distance - radius, 0, out);
    }
}
