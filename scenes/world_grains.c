/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* Disks and balls in heaps. */
#include <math.h>
#include <stdint.h>

#include "rng.h"
#include "world_list.h"
#include "world_tools.h"

static const double PI = 3.14159265358979323846;

/* A half-space whose outward normal is turned from "up" by `angle` in the plane of x and up. */
static void add_wall(sketch *s, mo_body_id body, double x, double y, double angle)
{
    mo_shape_def wall = mo_shape_plane();
    wall.pose = mo_pose_planar(x, y, angle);
    sketch_shape(s, body, wall);
}

/* Disks of radius 3 in rows of n, n - 1, ... on the floor [anitescu2004, section 6]. */
mo_error world_cannonball(const double *values, mo_world **world, mo_message *why)
{
    const int rows = (int)values[0];
    const double radius = 3;
    sketch s = sketch_begin(mo_default_planar_world(), values[1]);
    s.density = 1 / (PI * radius * radius);
    const mo_body_id floor = sketch_body(&s, MO_BODY_FIXED, mo_pose_identity(), "floor");
    sketch_shape(&s, floor, mo_shape_plane());
    if (values[2] > 0) {
        add_wall(&s, floor, 0, 0, -PI / 2); /* solid to the left */
        add_wall(&s, floor, 2 * radius * rows, 0, PI / 2);
    }
    for (int row = 0; row < rows; ++row) {
        for (int k = 0; k < rows - row; ++k) {
            sketch_add(&s, MO_BODY_FREE, mo_shape_ball(radius),
                       mo_pose_at(radius * (1 + row + 2 * k), radius * (1 + row * sqrt(3.0)), 0));
        }
    }
    return sketch_finish(&s, world, why);
}

/*
 * The plank of [anitescu2004, section 5.3] jumps once a period: half a sine upwards, then it rests.
 * It starts at 15 m/s in one step; most of these steps are not solved (docs/simulation.md).
 */
typedef struct shake {
    double amplitude, period;
} shake;

static void shaken(void *user, double time, mo_pose *pose)
{
    const shake *how = user;
    const double part = fmod(time, how->period) / how->period;
    *pose = mo_pose_at(0, part < 0.25 ? how->amplitude * sin(4 * PI * part) : 0, 0);
}

/* It slides between fixed walls. */
static void add_shaken_plank(sketch *s, double half_width, shake how)
{
    const mo_body_id walls = sketch_body(s, MO_BODY_FIXED, mo_pose_identity(), "walls");
    add_wall(s, walls, -half_width, 0, -PI / 2);
    add_wall(s, walls, half_width, 0, PI / 2);
    if (s->error) return;
    mo_body_def def = mo_default_body(MO_BODY_DRIVEN);
    def.motion = shaken;
    def.motion_user = &how;
    def.motion_user_size = sizeof how;
    def.name = "plank";
    const mo_body_id plank = mo_world_add_body(s->world, &def, &s->why);
    s->error = plank.index ? MO_OK : MO_ERR_ARGUMENT;
    sketch_shape(s, plank, mo_shape_plane());
}

/* One disk of radius 5 at the bottom, the others of radius 1.5 about and above it. */
mo_error world_brazil_nut(const double *values, mo_world **world, mo_message *why)
{
    const int count = (int)values[0];
    const double half_width = 25, radius = 1.5, nut = 5;
    const shake how = {values[3], values[4]};
    rng random = rng_of((uint64_t)values[5], 0);
    sketch s = sketch_begin(mo_default_planar_world(), values[1]);
    s.restitution = values[2];
    s.density = 1 / (PI * radius * radius);
    add_shaken_plank(&s, half_width, how);
    sketch_add(&s, MO_BODY_FREE, mo_shape_ball(nut), mo_pose_at(0, nut, 0));
    const int across = (int)(2 * half_width / (2 * radius + 0.2));
    for (int k = 0, made = 0; made < count; ++k) {
        const double x = -half_width + (k % across + 0.5) * 2 * half_width / across +
                         0.04 * (rng_between(&random, 0, 1) - 0.5);
        const double y = radius + (k / across) * (2 * radius + 0.1);
        if (hypot(x, y - nut) > nut + radius + 0.05) {
            sketch_add(&s, MO_BODY_FREE, mo_shape_ball(radius), mo_pose_at(x, y, 0));
            ++made;
        }
    }
    return sketch_finish(&s, world, why);
}

/* A fixed box without a lid about the origin, of half width w in x and y. */
static void add_box(sketch *s, double w)
{
    const double axis_x[3] = {1, 0, 0}, axis_y[3] = {0, 1, 0};
    const mo_body_id box = sketch_body(s, MO_BODY_FIXED, mo_pose_identity(), "box");
    sketch_shape(s, box, mo_shape_plane());
    for (int k = 0; k < 4; ++k) {
        const int along_x = k < 2;
        const double sign = k % 2 ? 1 : -1;
        mo_shape_def wall = mo_shape_plane(); /* its z looks inwards */
        wall.pose = along_x ? mo_pose_turned(sign * w, 0, 0, axis_y, -sign * PI / 2)
                            : mo_pose_turned(0, sign * w, 0, axis_x, sign * PI / 2);
        sketch_shape(s, box, wall);
    }
}

/*
 * Up to 2,000 bodies the default, with which a heap comes to rest.  Beyond, what sweeps reach at a
 * few milliseconds for each thousand; --tol asks for another.
 */
static double heap_tolerance(int count, double finest)
{
    const int many = 2000, huge = 50000;
    return count > huge ? 2e-2 : count > many ? 2e-3 : finest;
}

/*
 * Balls on a loose grid, a little off it, that fall into a box about as wide as the heap is high.
 */
mo_error world_beads(const double *values, mo_world **world, mo_message *why)
{
    const int count = (int)values[0];
    const double radius = values[3], cell = 2.2 * radius;
    const int across = (int)ceil(cbrt((double)count));
    rng random = rng_of((uint64_t)values[4], 0);
    mo_world_def def = mo_default_world();
    def.solver.tol = heap_tolerance(count, def.solver.tol);
    sketch s = sketch_begin(def, values[1]);
    s.restitution = values[2];
    add_box(&s, 0.5 * across * cell);
    for (int k = 0; k < count; ++k) {
        double at[3];
        const int place[3] = {k % across, k / across % across, k / across / across};
        for (int i = 0; i < 3; ++i) {
            at[i] = (place[i] + 0.5 - (i < 2 ? 0.5 * across : 0)) * cell +
                    0.15 * radius * (rng_between(&random, 0, 1) - 0.5);
        }
        sketch_add(&s, MO_BODY_FREE, mo_shape_ball(radius), mo_pose_at(at[0], at[1], at[2]));
    }
    return sketch_finish(&s, world, why);
}

/* What a heap is made of. */
enum { HEAP_BALLS, HEAP_BOXES, HEAP_CAPSULES, HEAP_CYLINDERS, HEAP_HULLS, HEAP_MIXED };

/*
 * Corners on a ball of this radius, well apart: along the corners of a cube, each off it by chance.
 */
static void draw_corners(rng *random, double radius, double corner[8][3])
{
    for (int k = 0; k < 8; ++k) {
        double length = 0;
        for (int i = 0; i < 3; ++i) {
            corner[k][i] = (k >> i & 1 ? 1 : -1) + rng_between(random, -0.5, 0.5);
            length += corner[k][i] * corner[k][i];
        }
        for (int i = 0; i < 3; ++i)
            corner[k][i] *= radius / sqrt(length);
    }
}

static void add_heap_body(sketch *s, int shape, double r, mo_pose pose, rng *random)
{
    double corner[8][3];
    draw_corners(random, 1.3 * r, corner);
    const mo_shape_def shapes[] = {
        mo_shape_ball(r), mo_shape_box(r, 0.8 * r, 0.6 * r),
        mo_shape_capsule((const double[3]){0, 0, -r}, (const double[3]){0, 0, r}, 0.5 * r),
        mo_shape_cylinder(0.7 * r, r), mo_shape_hull(corner[0], 8)};
    sketch_add(s, MO_BODY_FREE, shapes[shape], pose);
}

/*
 * Bodies on a loose grid, turned at random, that fall into a box about as wide as the heap is high.
 */
mo_error world_heap(const double *values, mo_world **world, mo_message *why)
{
    const int count = (int)values[0], shape = (int)values[1], boxes = (int)values[2];
    const double r = values[5], cell = 3.2 * r;
    const int across = (int)ceil(cbrt((double)count));
    mo_world_def def = mo_default_world();
    def.solver.tol = heap_tolerance(count, def.solver.tol);
    sketch s = sketch_begin(def, values[3]);
    s.restitution = values[4];
    add_box(&s, 0.5 * across * cell);
    for (int k = 0; k < count; ++k) {
        rng random = rng_of((uint64_t)values[6], (uint64_t)k);
        double at[3], axis[3];
        const int place[3] = {k % across, k / across % across, k / across / across};
        for (int i = 0; i < 3; ++i) {
            at[i] = (place[i] + 0.5 - (i < 2 ? 0.5 * across : 0)) * cell +
                    0.2 * r * rng_between(&random, -0.5, 0.5);
            axis[i] = rng_between(&random, -1, 1);
        }
        const int kind = k < boxes ? HEAP_BOXES : shape == HEAP_MIXED ? k % HEAP_HULLS : shape;
        const mo_pose pose =
            mo_pose_turned(at[0], at[1], at[2], axis, rng_between(&random, -PI, PI));
        add_heap_body(&s, kind, r, pose, &random);
    }
    return sketch_finish(&s, world, why);
}

/* Four slabs that lean inwards leave a square mouth, 1 m above the floor. */
mo_error world_funnel(const double *values, mo_world **world, mo_message *why)
{
    const int count = (int)values[0], across = 12;
    const double mouth = values[2] / 2, lean = PI / 4, long_way = 1.2, radius = 0.06;
    rng random = rng_of((uint64_t)values[3], 0);
    sketch s = sketch_begin(mo_default_world(), values[1]);
    sketch_floor(&s);
    const mo_body_id funnel = sketch_body(&s, MO_BODY_FIXED, mo_pose_at(0, 0, 1), "funnel");
    for (int k = 0; k < 4;
         ++k) { /* a slab lies along x, leans about y, is moved out, then turned about z */
        const mo_pose turn = mo_pose_turned(0, 0, 0, (const double[3]){0, 0, 1}, k * PI / 2);
        const mo_pose leaning = mo_pose_turned(mouth, 0, 0, (const double[3]){0, 1, 0}, -lean);
        const mo_pose slab = mo_pose_at(long_way, 0, -0.05);
        const mo_pose placed = mo_pose_compose(&leaning, &slab);
        mo_shape_def shape = mo_shape_box(long_way, 2.5, 0.05);
        shape.pose = mo_pose_compose(&turn, &placed);
        sketch_shape(&s, funnel, shape);
    }
    for (int k = 0; k < count; ++k) {
        const double cell = 2.3 * radius, jitter = 0.1 * radius * rng_between(&random, 0, 1);
        sketch_add(&s, MO_BODY_FREE, mo_shape_ball(radius),
                   mo_pose_at((k % across - 0.5 * (across - 1)) * cell + jitter,
                              (k / across % across - 0.5 * (across - 1)) * cell - jitter,
                              2.4 + k / across / across * cell));
    }
    return sketch_finish(&s, world, why);
}

typedef struct turning {
    double speed;
} turning;

static void turned(void *user, double time, mo_pose *pose)
{
    *pose = mo_pose_planar(0, 0, ((const turning *)user)->speed * time);
}

/* A ring of 48 bars with an inner radius of 1 m; disks inside. */
mo_error world_drum(const double *values, mo_world **world, mo_message *why)
{
    const int count = (int)values[0], bars = 48;
    rng random = rng_of((uint64_t)values[3], 0);
    sketch s = sketch_begin(mo_default_planar_world(), values[1]);
    if (!s.error) {
        turning how = {values[2]};
        mo_body_def def = mo_default_body(MO_BODY_DRIVEN);
        def.motion = turned;
        def.motion_user = &how;
        def.motion_user_size = sizeof how;
        def.name = "drum";
        const mo_body_id drum = mo_world_add_body(s.world, &def, &s.why);
        s.error = drum.index ? MO_OK : MO_ERR_ARGUMENT;
        for (int k = 0; k < bars; ++k) {
            const double angle = 2 * PI * k / bars;
            mo_shape_def bar = mo_shape_box(0.03, 1.06 * tan(PI / bars), 0);
            bar.pose = mo_pose_planar(1.03 * cos(angle), 1.03 * sin(angle), angle);
            sketch_shape(&s, drum, bar);
        }
    }
    const double radius = 0.5 / sqrt((double)count), cell = 2.1 * radius;
    const int across = (int)(1.3 / cell) > 0 ? (int)(1.3 / cell) : 1;
    for (int k = 0; k < count; ++k) {
        const double x =
            (k % across - 0.5 * (across - 1)) * cell + 0.05 * radius * rng_between(&random, 0, 1);
        sketch_add(&s, MO_BODY_FREE, mo_shape_ball(radius),
                   mo_pose_at(x, -0.6 + k / across * cell, 0));
    }
    return sketch_finish(&s, world, why);
}
