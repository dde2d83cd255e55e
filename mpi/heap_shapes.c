/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
#include "heap_shapes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "linalg/vec3.h"
#include "scenes/rng.h"

enum { CORNERS = 8 };

int mo_heap_shape_of(const mo_heap_def *def, uint32_t id)
{
    if (id < (uint32_t)def->boxes) return MO_HEAP_BOXES;
    return def->shape == MO_HEAP_MIXED   ? (int)(id % MO_HEAP_HULLS)
           : def->shape == MO_HEAP_HULLS ? MO_HEAP_HULLS + (int)(id % MO_HEAP_HULL_KINDS)
                                         : (int)def->shape;
}

/* Corners near those of a cube, on a ball, as in the scene heap. */
static void draw_corners(uint64_t seed, int kind, double radius, double corner[CORNERS][3])
{
    rng random = rng_of(seed, UINT64_C(1) << 40 | (uint64_t)kind);
    for (int k = 0; k < CORNERS; ++k) {
        for (int i = 0; i < 3; ++i)
            corner[k][i] = (k >> i & 1 ? 1 : -1) + rng_between(&random, -0.5, 0.5);
        mo_vec3_scale(radius / mo_vec3_norm(corner[k]), corner[k], corner[k]);
    }
}

static mo_error make_hull(const mo_heap_def *def, int kind, mo_collider *collider, mo_message *why)
{
    const mo_allocator own = mo_allocator_or_default(NULL);
    double corner[CORNERS][3], volume, centre[3], inertia[6];
    draw_corners(def->seed, kind, 1.3 * def->radius, corner);
    mo_shape_def shape = mo_shape_hull(corner[0], CORNERS);
    mo_error error = mo_collider_init(&shape, 0, &own, collider, why);
    if (error) return error;
    mo_collider_mass(collider, &volume, centre, inertia);
    mo_collider_clear(&own, collider);
    for (int k = 0; k < CORNERS; ++k) /* the centre of mass becomes the origin */
        mo_vec3_minus(corner[k], centre, corner[k]);
    shape = mo_shape_hull(corner[0], CORNERS);
    return mo_collider_init(&shape, 0, &own, collider, why);
}

static mo_error make_collider(const mo_heap_def *def, int kind, mo_collider *collider,
                              mo_message *why)
{
    const double r = def->radius;
    const mo_allocator own = mo_allocator_or_default(NULL);
    if (kind >= MO_HEAP_HULLS) return make_hull(def, kind - MO_HEAP_HULLS, collider, why);
    const mo_shape_def shapes[] = {
        mo_shape_ball(r), mo_shape_box(r, 0.8 * r, 0.6 * r),
        mo_shape_capsule((const double[3]){0, 0, -r}, (const double[3]){0, 0, r}, 0.5 * r),
        mo_shape_cylinder(0.7 * r, r)};
    return mo_collider_init(shapes + kind, 0, &own, collider, why);
}

/* Of the largest to the smallest moment of inertia, at most (Gershgorin's bound; the trace is at
 * least each of them). */
static double ratio_of(const double inertia[6])
{
    const double xy = fabs(inertia[3]), xz = fabs(inertia[4]), yz = fabs(inertia[5]);
    const double least =
        fmin(inertia[0] - xy - xz, fmin(inertia[1] - xy - yz, inertia[2] - xz - yz));
    const double most = inertia[0] + inertia[1] + inertia[2];
    return least > 0 ? most / least : INFINITY;
}

static mo_error make_shape(const mo_heap_def *def, int kind, mo_heap_shape *shape, mo_message *why)
{
    double volume, centre[3], inertia[6];
    const mo_error error = make_collider(def, kind, &shape->collider, why);
    if (error) return error;
    mo_collider_mass(&shape->collider, &volume, centre, inertia);
    shape->spin_up = ratio_of(inertia);
    shape->mass = def->density * volume;
    shape->size = shape->collider.size;
    shape->is_ball = kind == MO_HEAP_BALLS;
    return MO_OK;
}

/* Planes whose solid side is outside the box. */
static mo_error make_walls(const mo_heap_def *def, mo_heap_shapes *shapes, mo_message *why)
{
    const double half = acos(-1) / 2, axis_x[3] = {1, 0, 0}, axis_y[3] = {0, 1, 0};
    const mo_allocator own = mo_allocator_or_default(NULL);
    mo_error error = MO_OK;
    for (int k = 0; k < MO_HEAP_WALLS && !error; ++k) {
        const double sign = k % 2 ? -1 : 1;
        mo_shape_def wall = mo_shape_plane();
        if (k > 0) {
            wall.pose = k < 3 ? mo_pose_turned(sign * def->box, 0, 0, axis_y, -sign * half)
                              : mo_pose_turned(0, sign * def->box, 0, axis_x, sign * half);
        }
        error = mo_collider_init(&wall, 0, &own, shapes->wall + k, why);
    }
    return error;
}

mo_error mo_heap_shapes_make(const mo_heap_def *def, mo_heap_shapes *shapes, mo_message *why)
{
    const int count =
        def->shape == MO_HEAP_HULLS ? MO_HEAP_HULLS + MO_HEAP_HULL_KINDS : MO_HEAP_HULLS;
    *shapes = (mo_heap_shapes){.at = calloc((size_t)count, sizeof *shapes->at)};
    mo_error error = shapes->at ? MO_OK : mo_fail_memory(why);
    for (int k = 0; k < count && !error; ++k) {
        error = make_shape(def, k, shapes->at + k, why);
        shapes->count += !error;
    }
    const int seen = def->count < 64 ? def->count : 64; /* all kinds are among these, or boxes */
    for (int k = 0; k < seen && !error; ++k) {
        const int kind = mo_heap_shape_of(def, (uint32_t)(def->count - 1 - k));
        shapes->largest = fmax(shapes->largest, shapes->at[kind].size);
    }
    if (!error && def->boxes > 0)
        shapes->largest = fmax(shapes->largest, shapes->at[MO_HEAP_BOXES].size);
    shapes->are_balls = def->shape == MO_HEAP_BALLS && def->boxes == 0;
    return error ? error : make_walls(def, shapes, why);
}

void mo_heap_shapes_clear(mo_heap_shapes *shapes)
{
    const mo_allocator own = mo_allocator_or_default(NULL);
    for (int k = 0; k < shapes->count; ++k)
        mo_collider_clear(&own, &shapes->at[k].collider);
    for (int k = 0; k < MO_HEAP_WALLS; ++k)
        mo_collider_clear(&own, shapes->wall + k);
    free(shapes->at);
    *shapes = (mo_heap_shapes){0};
}
