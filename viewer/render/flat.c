/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
#include "flat.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static double to_segment(const double p[3], const double a[3], const double b[3])
{
    const double dx = b[0] - a[0], dy = b[1] - a[1], square = dx * dx + dy * dy;
    const double along = (p[0] - a[0]) * dx + (p[1] - a[1]) * dy;
    const double t = square > 0 ? fmin(1, fmax(0, along / square)) : 0;
    return hypot(p[0] - a[0] - t * dx, p[1] - a[1] - t * dy);
}

/* Of a convex polygon, counterclockwise: outside where it is on the right of an edge. */
static double to_polygon(const double *corners, int count, const double p[3])
{
    double inside = -INFINITY, outside = INFINITY;
    for (int k = 0; k < count; ++k) {
        const double *a = corners + 3 * k, *b = corners + 3 * ((k + 1) % count);
        const double dx = b[0] - a[0], dy = b[1] - a[1];
        inside = fmax(inside, (dy * (p[0] - a[0]) - dx * (p[1] - a[1])) / hypot(dx, dy));
        outside = fmin(outside, to_segment(p, a, b));
    }
    return inside <= 0 ? inside : outside;
}

typedef struct ordered {
    const double *points;
    double (*corners)[3];
    int count;
} ordered;

static void take_corners(void *user, int count, const int *corners)
{
    ordered *o = user;
    o->count = count;
    for (int k = 0; k < count; ++k)
        memcpy(o->corners[k], o->points + 3 * corners[k], sizeof o->corners[k]);
}

int flat_corners(const mo_shape_def *hull, double (*corners)[3])
{
    ordered o = {hull->points, corners, 0};
    return mo_hull_faces(hull->points, hull->point_count, 2, take_corners, &o, NULL) ? -1 : o.count;
}

double flat_distance(const mo_shape_def *shape, const double p[3])
{
    double nearest = INFINITY;
    switch (shape->kind) {
    case MO_SHAPE_BALL:
        return hypot(p[0], p[1]) - shape->radius;
    case MO_SHAPE_BOX: {
        const double x = fabs(p[0]) - shape->half[0], y = fabs(p[1]) - shape->half[1];
        return x > 0 && y > 0 ? hypot(x, y) : fmax(x, y);
    }
    case MO_SHAPE_CAPSULE:
        return to_segment(p, shape->ends[0], shape->ends[1]) - shape->radius;
    case MO_SHAPE_HULL:
        return to_polygon(shape->points, shape->point_count, p);
    case MO_SHAPE_PLANE:
        return p[1];
    case MO_SHAPE_MESH:
        for (int k = 0; k + 2 <= shape->index_count; k += 2) {
            nearest = fmin(nearest, to_segment(p, shape->points + 3 * shape->indices[k],
                                               shape->points + 3 * shape->indices[k + 1]));
        }
        return nearest;
    default:
        return INFINITY;
    }
}

/* Distance from the origin of the shape; infinity for a plane. */
static double reach_of(const mo_shape_def *shape)
{
    double most = 0;
    switch (shape->kind) {
    case MO_SHAPE_BALL:
        return shape->radius;
    case MO_SHAPE_BOX:
        return hypot(shape->half[0], shape->half[1]);
    case MO_SHAPE_CAPSULE:
        return shape->radius + fmax(hypot(shape->ends[0][0], shape->ends[0][1]),
                                    hypot(shape->ends[1][0], shape->ends[1][1]));
    case MO_SHAPE_HULL:
    case MO_SHAPE_MESH:
        for (int k = 0; k < shape->point_count; ++k)
            most = fmax(most, hypot(shape->points[3 * k], shape->points[3 * k + 1]));
        return most;
    default:
        return INFINITY;
    }
}

static colour times(colour c, float factor)
{
    return (colour){c.red * factor, c.green * factor, c.blue * factor};
}

static void draw(canvas *c, const camera *eye, const mo_shape_def *shape, const mo_pose *pose,
                 double edge, colour how)
{
    double at[2];
    camera_see(eye, pose->position, at);
    const double rim = edge * eye->pixel, reach = (reach_of(shape) + rim) / eye->pixel + 1;
    const int x0 = (int)fmax(0, at[0] - reach), x1 = (int)fmin(c->width - 1, at[0] + reach);
    const int y0 = (int)fmax(0, at[1] - reach), y1 = (int)fmin(c->height - 1, at[1] + reach);
    for (int y = y0; y <= y1; ++y) {
        for (int x = x0; x <= x1; ++x) {
            double from[3], ahead[3], local[3];
            camera_ray(eye, x, y, from, ahead);
            mo_pose_point_back(pose, from, local);
            /* A mesh is a chain of lines, all edge. */
            const double off = flat_distance(shape, local) - (shape->kind == MO_SHAPE_MESH) * rim;
            /* A disk has a spoke that shows its rotation. */
            const int spoke =
                shape->kind == MO_SHAPE_BALL && local[0] > 0 && fabs(local[1]) < 0.4 * rim;
            if (off < 0) {
                c->pixel[(size_t)y * (size_t)c->width + (size_t)x] =
                    times(how, off > -rim || spoke ? 0.75F : 1);
            }
        }
    }
}

int flat_shape(canvas *c, const camera *eye, const mo_shape_def *shape, const mo_pose *pose,
               double edge, colour how)
{
    mo_shape_def ready = *shape;
    double(*corners)[3] = NULL;
    if (shape->kind == MO_SHAPE_HULL) {
        corners = malloc((size_t)shape->point_count * sizeof *corners);
        ready.point_count = corners ? flat_corners(shape, corners) : -1;
        ready.points = corners ? corners[0] : NULL;
    }
    if (ready.point_count >= 0) draw(c, eye, &ready, pose, edge, how);
    free(corners);
    return ready.point_count >= 0;
}
