/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
#include "cast.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct ray {
    double from[3], to[3]; /* from + t to */
} ray;

typedef struct pixels {
    int x0, y0, x1, y1; /* inclusive; empty where x1 < x0 */
} pixels;

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* ---- intersections: t of the entry, or infinity, and the normal ------------------------------ */

static double meet_ball(const ray *r, const double centre[3], double radius, double normal[3])
{
    const double d[3] = {r->from[0] - centre[0], r->from[1] - centre[1], r->from[2] - centre[2]};
    const double a = dot(r->to, r->to), b = dot(d, r->to), c = dot(d, d) - radius * radius;
    const double root = b * b - a * c;
    if (root < 0) return INFINITY;
    const double t = (-b - sqrt(root)) / a;
    for (int k = 0; k < 3; ++k)
        normal[k] = (d[k] + t * r->to[k]) / radius;
    return t;
}

static double meet_box(const ray *r, const double half[3], double normal[3])
{
    double first = -INFINITY, last = INFINITY;
    int face = -1;
    for (int k = 0; k < 3; ++k) {
        const double a = (-half[k] - r->from[k]) / r->to[k], b = (half[k] - r->from[k]) / r->to[k];
        if (r->to[k] == 0) {
            if (fabs(r->from[k]) > half[k]) return INFINITY;
            continue;
        }
        if (fmin(a, b) > first) {
            first = fmin(a, b);
            face = k;
        }
        last = fmin(last, fmax(a, b));
    }
    if (first > last || face < 0) return INFINITY;
    memset(normal, 0, 3 * sizeof *normal);
    normal[face] = r->to[face] > 0 ? -1 : 1;
    return first;
}

/* The side of a round bar from a to b. */
static double meet_side(const ray *r, const double a[3], const double b[3], double radius,
                        double normal[3])
{
    const double axis[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]};
    const double d[3] = {r->from[0] - a[0], r->from[1] - a[1], r->from[2] - a[2]};
    const double n = dot(axis, axis);
    double across[3], off[3];
    for (int k = 0; k < 3; ++k) {
        across[k] = r->to[k] - dot(r->to, axis) / n * axis[k];
        off[k] = d[k] - dot(d, axis) / n * axis[k];
    }
    const double A = dot(across, across), B = dot(across, off),
                 root = B * B - A * (dot(off, off) - radius * radius);
    if (!(n > 0) || !(A > 0) || root < 0) return INFINITY;
    const double t = (-B - sqrt(root)) / A;
    const double along = (dot(d, axis) + t * dot(r->to, axis)) / n;
    if (along < 0 || along > 1) return INFINITY;
    for (int k = 0; k < 3; ++k)
        normal[k] = (off[k] + t * across[k]) / radius;
    return t;
}

static double meet_capsule(const ray *r, const mo_shape_def *shape, double normal[3])
{
    double best = meet_side(r, shape->ends[0], shape->ends[1], shape->radius, normal);
    for (int k = 0; k < 2; ++k) {
        double other[3];
        const double t = meet_ball(r, shape->ends[k], shape->radius, other);
        if (t < best) {
            best = t;
            memcpy(normal, other, sizeof other);
        }
    }
    return best;
}

static double meet_cylinder(const ray *r, double radius, double half, double normal[3])
{
    const double a[3] = {0, 0, -half}, b[3] = {0, 0, half};
    double best = meet_side(r, a, b, radius, normal);
    const double z = r->to[2] > 0 ? -half : half, t = (z - r->from[2]) / r->to[2];
    const double x = r->from[0] + t * r->to[0], y = r->from[1] + t * r->to[1];
    if (isfinite(t) && t < best && x * x + y * y <= radius * radius) {
        best = t;
        normal[0] = normal[1] = 0;
        normal[2] = z > 0 ? 1 : -1;
    }
    return best;
}

static double meet_plane(const ray *r, double normal[3])
{
    normal[0] = normal[1] = 0;
    normal[2] = 1;
    return r->to[2] < 0 ? -r->from[2] / r->to[2] : INFINITY;
}

static double meet(const mo_shape_def *shape, const ray *r, double normal[3])
{
    static const double origin[3] = {0, 0, 0};
    switch (shape->kind) {
    case MO_SHAPE_BALL:
        return meet_ball(r, origin, shape->radius, normal);
    case MO_SHAPE_BOX:
        return meet_box(r, shape->half, normal);
    case MO_SHAPE_CAPSULE:
        return meet_capsule(r, shape, normal);
    case MO_SHAPE_CYLINDER:
        return meet_cylinder(r, shape->radius, shape->half[2], normal);
    case MO_SHAPE_PLANE:
        return meet_plane(r, normal);
    default:
        return INFINITY;
    }
}

/* ---- pixels ---------------------------------------------------------------------------------- */

static pixels clip(const camera *eye, double x0, double y0, double x1, double y1)
{
    return (pixels){(int)fmax(0, floor(x0)), (int)fmax(0, floor(y0)),
                    (int)fmin(eye->width - 1, ceil(x1)), (int)fmin(eye->height - 1, ceil(y1))};
}

/* Bounding box on the canvas of a sphere in the world. */
static pixels cover(const camera *eye, const double centre[3], double radius)
{
    double at[2];
    const double depth = camera_see(eye, centre, at);
    const double nearest = eye->is_flat ? 1 : depth - radius;
    if (!isfinite(radius) || nearest <= 0) {
        return depth + radius > 0 ? (pixels){0, 0, eye->width - 1, eye->height - 1}
                                  : (pixels){0, 0, -1, -1};
    }
    /* An upper bound of the displacement of the centre, at the nearest distance. */
    const double reach =
        radius / (nearest * eye->pixel) +
        (eye->is_flat
             ? 0
             : radius / nearest * hypot(at[0] - eye->width / 2.0, at[1] - eye->height / 2.0));
    return clip(eye, at[0] - reach, at[1] - reach, at[0] + reach, at[1] + reach);
}

static void put(const caster *c, int x, int y, double depth, const double normal[3], int body)
{
    const size_t place = (size_t)y * (size_t)c->onto->width + (size_t)x;
    if (depth > 0 && (float)depth < c->onto->depth[place]) {
        c->onto->depth[place] = (float)depth;
        if (c->onto->pixel) {
            c->onto->owner[place] = body;
            for (int k = 0; k < 3; ++k)
                c->onto->normal[place][k] = (float)normal[k];
        }
    }
}

/* The same camera in the frame of a shape. */
static camera camera_in(const mo_pose *pose, const camera *eye)
{
    camera local = *eye;
    mo_pose_point_back(pose, eye->eye, local.eye);
    mo_pose_vector_back(pose, eye->right, local.right);
    mo_pose_vector_back(pose, eye->up, local.up);
    mo_pose_vector_back(pose, eye->ahead, local.ahead);
    return local;
}

static void cast_round(const caster *c, const mo_shape_def *shape, const mo_pose *pose, int body,
                       pixels box)
{
    const camera local = camera_in(pose, c->eye);
    for (int y = box.y0; y <= box.y1; ++y) {
        for (int x = box.x0; x <= box.x1; ++x) {
            ray r;
            double normal[3], seen[3];
            camera_ray(&local, x, y, r.from, r.to);
            const double depth = meet(shape, &r, normal);
            if (isfinite(depth)) {
                mo_pose_vector(pose, normal, seen);
                put(c, x, y, depth, seen, body);
            }
        }
    }
}

/* A triangle of the world, seen from either side. */
static void cast_triangle(const caster *c, double corner[3][3], int body)
{
    double at[3][2], e1[3], e2[3], n[3];
    for (int k = 0; k < 3; ++k) {
        if (camera_see(c->eye, corner[k], at[k]) <= 0) return;
        e1[k] = corner[1][k] - corner[0][k];
        e2[k] = corner[2][k] - corner[0][k];
    }
    n[0] = e1[1] * e2[2] - e1[2] * e2[1];
    n[1] = e1[2] * e2[0] - e1[0] * e2[2];
    n[2] = e1[0] * e2[1] - e1[1] * e2[0];
    const double length = sqrt(dot(n, n));
    const double area = (at[1][0] - at[0][0]) * (at[2][1] - at[0][1]) -
                        (at[1][1] - at[0][1]) * (at[2][0] - at[0][0]);
    const pixels box = clip(
        c->eye, fmin(at[0][0], fmin(at[1][0], at[2][0])), fmin(at[0][1], fmin(at[1][1], at[2][1])),
        fmax(at[0][0], fmax(at[1][0], at[2][0])), fmax(at[0][1], fmax(at[1][1], at[2][1])));
    for (int y = box.y0; y <= box.y1 && length > 0 && area != 0; ++y) {
        for (int x = box.x0; x <= box.x1; ++x) {
            int inside = 1;
            for (int k = 0; k < 3; ++k) { /* on the same side of the three edges */
                const double *a = at[k], *b = at[(k + 1) % 3];
                inside &=
                    ((b[0] - a[0]) * (y + 0.5 - a[1]) - (b[1] - a[1]) * (x + 0.5 - a[0])) * area >=
                    0;
            }
            ray r;
            camera_ray(c->eye, x, y, r.from, r.to);
            const double d[3] = {corner[0][0] - r.from[0], corner[0][1] - r.from[1],
                                 corner[0][2] - r.from[2]};
            const double depth = dot(d, n) / dot(r.to, n), side = dot(r.to, n) < 0 ? 1 : -1;
            const double normal[3] = {side * n[0] / length, side * n[1] / length,
                                      side * n[2] / length};
            if (inside && isfinite(depth)) put(c, x, y, depth, normal, body);
        }
    }
}

/* ---- hulls and meshes ------------------------------------------------------------------------ */

typedef struct fan {
    const caster *c;
    const double *points;
    const mo_pose *pose;
    int body;
} fan;

static void cast_corners(const fan *f, int i, int j, int k)
{
    const int corners[3] = {i, j, k};
    double world[3][3];
    for (int m = 0; m < 3; ++m)
        mo_pose_point(f->pose, f->points + 3 * corners[m], world[m]);
    cast_triangle(f->c, world, f->body);
}

static void take_face(void *user, int count, const int *corners)
{
    for (int k = 2; k < count; ++k)
        cast_corners(user, corners[0], corners[k - 1], corners[k]);
}

static int cast_hull(fan *f, const mo_shape_def *shape)
{
    return !mo_hull_faces(shape->points, shape->point_count, 3, take_face, f, NULL);
}

int cast_shape(const caster *c, const mo_shape_def *shape, const mo_pose *body_pose, int body)
{
    const mo_pose pose = mo_pose_compose(body_pose, &shape->pose);
    fan f = {c, shape->points, &pose, body};
    double centre[3] = {0, 0, 0}, reach = INFINITY;
    if (shape->kind == MO_SHAPE_HULL) return cast_hull(&f, shape);
    if (shape->kind == MO_SHAPE_MESH) {
        for (int k = 0; k + 3 <= shape->index_count; k += 3)
            cast_corners(&f, shape->indices[k], shape->indices[k + 1], shape->indices[k + 2]);
        return 1;
    }
    if (shape->kind == MO_SHAPE_PLANE && !c->onto->pixel) return 1;
    if (shape->kind == MO_SHAPE_BALL) {
        reach = shape->radius;
    } else if (shape->kind == MO_SHAPE_BOX) {
        reach = sqrt(dot(shape->half, shape->half));
    } else if (shape->kind == MO_SHAPE_CYLINDER) {
        reach = hypot(shape->radius, shape->half[2]);
    } else if (shape->kind == MO_SHAPE_CAPSULE) {
        double half[3];
        for (int k = 0; k < 3; ++k) {
            centre[k] = (shape->ends[0][k] + shape->ends[1][k]) / 2;
            half[k] = (shape->ends[1][k] - shape->ends[0][k]) / 2;
        }
        reach = shape->radius + sqrt(dot(half, half));
    }
    double middle[3];
    mo_pose_point(&pose, centre, middle);
    cast_round(c, shape, &pose, body, cover(c->eye, middle, reach));
    return 1;
}
