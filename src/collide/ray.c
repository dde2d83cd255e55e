/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* Ray casts against shapes (ray.h).  All functions but the first work in the frame of the shape. */
#include "collide/ray.h"

#include <math.h>

#include "collide/gjk.h"
#include "collide/mesh.h"
#include "linalg/vec3.h"

enum { MOST_STEPS = 64 };
static const double NEAR = 1e-9;     /* relative to the size: tolerance of a hit */
static const double ON_EDGE = 1e-12; /* likewise: of a face, so that no ray passes between two */

static int starts_inside(const mo_ray *ray, double *t, double normal[3])
{
    *t = 0;
    mo_vec3_scale(-1, ray->direction, normal);
    return 1;
}

/* ---- flat sides ------------------------------------------------------------------------------ */

static int intersect_plane(int axis, const mo_ray *ray, double *t, double normal[3])
{
    if (ray->origin[axis] <= 0) return starts_inside(ray, t, normal);
    mo_vec3_set(normal, 0, 0, 0);
    normal[axis] = 1;
    *t = -ray->origin[axis] / ray->direction[axis];
    return ray->direction[axis] < 0 && *t <= ray->length;
}

static int intersect_hull(const mo_hull *hull, const mo_ray *ray, double *t, double normal[3])
{
    double enter = 0, leave = ray->length;
    int face = -1;
    for (int k = 0; k < hull->face_count; ++k) {
        const double *plane = hull->plane[k];
        const double height = mo_vec3_dot(plane, ray->origin) - plane[3];
        const double rate = mo_vec3_dot(plane, ray->direction);
        if (rate == 0 && height > 0) return 0;
        const double at = rate == 0 ? 0 : -height / rate;
        if (rate < 0 && height > 0 && at > enter) {
            enter = at;
            face = k;
        }
        leave = rate > 0 ? fmin(leave, at) : leave;
    }
    if (enter > leave) return 0;
    if (face < 0) return starts_inside(ray, t, normal);
    *t = enter;
    mo_vec3_copy(hull->plane[face], normal);
    return 1;
}

/* ---- meshes ---------------------------------------------------------------------------------- */

typedef struct search {
    const mo_mesh *mesh;
    const mo_ray *ray;
    double size, t;
    int face;
} search;

/* Is x, on the plane of the face, inside it? */
static int is_on_face(const mo_mesh *mesh, int face, const double x[3], double near)
{
    const int *corner = mesh->index + mesh->sides * face;
    for (int k = 0; k < mesh->sides; ++k) {
        const double *p = mesh->point[corner[k]], *q = mesh->point[corner[(k + 1) % mesh->sides]];
        double side[3], to[3], inward[3];
        mo_vec3_minus(q, p, side);
        mo_vec3_minus(x, p, to);
        if (mesh->sides == 2) /* between the two ends of a segment */
            mo_vec3_copy(side, inward);
        else
            mo_vec3_cross(mesh->plane[face], side, inward);
        if (mo_vec3_dot(inward, to) < -near * mo_vec3_norm(inward)) return 0;
    }
    return 1;
}

static int try_face(void *context, int face)
{
    search *s = context;
    const double *plane = s->mesh->plane[face];
    const double rate = mo_vec3_dot(plane, s->ray->direction);
    const double height = mo_vec3_dot(plane, s->ray->origin) - plane[3];
    const double t = -height / rate;
    if (!(rate < 0 && height >= 0 && t <= s->t)) return 1;
    double x[3];
    mo_vec3_along(s->ray->origin, t, s->ray->direction, x);
    if (is_on_face(s->mesh, face, x, ON_EDGE * s->size)) {
        s->t = t;
        s->face = face;
    }
    return 1;
}

/* The part of the ray inside the bounds, as bounds; false where there is none. */
static int clip(const mo_bounds *bounds, double near, const mo_ray *ray, mo_bounds *part)
{
    double enter = 0, leave = ray->length;
    for (int k = 0; k < 3; ++k) {
        const double low = bounds->low[k] - near - ray->origin[k],
                     high = bounds->high[k] + near - ray->origin[k], d = ray->direction[k];
        if (d == 0 && (low > 0 || high < 0)) return 0;
        if (d != 0) {
            enter = fmax(enter, fmin(low / d, high / d));
            leave = fmin(leave, fmax(low / d, high / d));
        }
    }
    for (int k = 0; k < 3 && enter <= leave; ++k) {
        const double a = ray->origin[k] + enter * ray->direction[k],
                     b = ray->origin[k] + leave * ray->direction[k];
        part->low[k] = fmin(a, b) - near;
        part->high[k] = fmax(a, b) + near;
    }
    return enter <= leave;
}

static int intersect_mesh(const mo_mesh *mesh, double size, const mo_ray *ray, double *t,
                          double normal[3])
{
    search s = {.mesh = mesh, .ray = ray, .size = size, .t = ray->length, .face = -1};
    mo_bounds part;
    if (!clip(&mesh->bounds, NEAR * size, ray, &part)) return 0;
    mo_tree_query(mesh->tree, &part, try_face, &s);
    if (s.face < 0) return 0;
    *t = s.t;
    mo_vec3_copy(mesh->plane[s.face], normal);
    return 1;
}

/* ---- round shapes ---------------------------------------------------------------------------- */

static int intersect_core(mo_core *core, const mo_ray *ray, double *t, double normal[3])
{
    mo_core point = {.kind = MO_CORE_POINT};
    mo_simplex simplex;
    *t = 0;
    for (int k = 0; k < MOST_STEPS; ++k) {
        double on_point[3], on_core[3];
        mo_vec3_along(ray->origin, *t, ray->direction, point.at);
        mo_vec3_copy(point.at, point.centre);
        const double distance = mo_gjk_distance(&point, core, &simplex, on_point, on_core);
        const double gap = distance - core->radius;
        if (gap <= NEAR * core->size) return k ? 1 : starts_inside(ray, t, normal);
        mo_vec3_minus(point.at, on_core, normal);
        mo_vec3_scale(1 / mo_vec3_norm(normal), normal, normal);
        const double rate = mo_vec3_dot(normal, ray->direction);
        if (!(rate < 0)) return 0;
        *t += gap / -rate;
        if (!(*t <= ray->length)) return 0;
    }
    return 0;
}

/* ---- all kinds ------------------------------------------------------------------------------- */

static int intersect_local(const mo_collider *collider, const mo_ray *ray, double *t,
                           double normal[3])
{
    switch (collider->def.kind) {
    case MO_SHAPE_PLANE:
        return intersect_plane(collider->is_planar ? 1 : 2, ray, t, normal);
    case MO_SHAPE_BOX:
    case MO_SHAPE_HULL:
        return intersect_hull(collider->hull, ray, t, normal);
    case MO_SHAPE_MESH:
        return intersect_mesh(collider->mesh, collider->size, ray, t, normal);
    default:
        break;
    }
    const mo_placed here = {collider, mo_pose_identity()};
    const double origin[3] = {0, 0, 0};
    mo_core core = {0};
    mo_core_place(&here, origin, &core);
    return intersect_core(&core, ray, t, normal);
}

int mo_ray_hits(const mo_placed *shape, const mo_ray *ray, double *t, double normal[3])
{
    mo_ray local = *ray;
    double n[3];
    mo_pose_point_back(&shape->pose, ray->origin, local.origin);
    mo_pose_vector_back(&shape->pose, ray->direction, local.direction);
    if (!intersect_local(shape->collider, &local, t, n)) return 0;
    mo_pose_vector(&shape->pose, n, normal);
    return 1;
}
