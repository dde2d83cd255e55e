/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * The two mechanisms of [baraff1994, figures 1 and 2], for interactive use: planar, with pin joints
 * and parts in layers that do not collide.  The paper gives no dimensions; these are chosen to
 * match its figures.
 */
#include <math.h>
#include <string.h>

#include "world_list.h"
#include "world_tools.h"

/* Layers: what collides, and what only turns before or behind it. */
enum { SOLID = 1, MIDDLE = 2, FRONT = 4 };

static mo_shape_def in_layer(mo_shape_def shape, unsigned layer)
{
    shape.layer = layer;
    shape.mask = layer == SOLID ? SOLID : 0;
    return shape;
}

/* Seen behind all else, and touched by nothing. */
static mo_shape_def behind(mo_shape_def shape)
{
    shape.layer = SOLID;
    shape.mask = 0;
    return shape;
}

static mo_shape_def at(mo_shape_def shape, double x, double y)
{
    shape.pose = mo_pose_at(x, y, 0);
    return shape;
}

static mo_shape_def bar(double ax, double ay, double bx, double by, double radius)
{
    return mo_shape_capsule((const double[3]){ax, ay, 0}, (const double[3]){bx, by, 0}, radius);
}

static void pin(sketch *s, mo_body_id a, mo_body_id b, double x, double y)
{
    mo_joint_def joint = mo_default_joint(MO_JOINT_REVOLUTE, a, b);
    joint.anchor[0] = x;
    joint.anchor[1] = y;
    sketch_joint(s, &joint);
}

/* ---- the blockfeeder ------------------------------------------------------------------------- */

/* Blocks of 0.4 x 0.3 m wait in a chute about x = 0; the table is y = 0, and ends at x = 1.3. */
static void add_feeder_frame(sketch *s, int blocks)
{
    const double top = 0.3 * blocks + 0.1, left = 0.275, right = 0.33; /* of the chute's walls */
    const mo_body_id frame = sketch_body(s, MO_BODY_FIXED, mo_pose_identity(), "frame");
    sketch_shape(s, frame, in_layer(at(mo_shape_box(1.3, 0.1, 0), 0, -0.1), SOLID)); /* table */
    sketch_shape(
        s, frame,
        in_layer(at(mo_shape_box(0.07, (top - left) / 2, 0), -0.29, (top + left) / 2), SOLID));
    sketch_shape(
        s, frame,
        in_layer(at(mo_shape_box(0.07, (top - right) / 2, 0), 0.29, (top + right) / 2), SOLID));
    sketch_shape(s, frame,
                 in_layer(at(mo_shape_box(0.2, 0.05, 0), -0.7, 0.315), SOLID)); /* guide */
    sketch_shape(s, frame, behind(at(mo_shape_box(0.1, 0.6, 0), -1.9, -0.5)));
    const mo_body_id bin = sketch_body(s, MO_BODY_FIXED, mo_pose_identity(), "bin");
    sketch_shape(s, bin, in_layer(at(mo_shape_box(2.6, 0.1, 0), 0.7, -1.2), SOLID));
    sketch_shape(s, bin, in_layer(at(mo_shape_box(0.1, 0.5, 0), 3.2, -0.6), SOLID));
    mo_shape_def chute = in_layer(mo_shape_box(0.7, 0.05, 0), SOLID);
    chute.pose = mo_pose_planar(1.93, -0.5, -0.62);
    sketch_shape(s, bin, chute);
}

/*
 * A wheel with a pin at 0.3 m moves a rod of 1 m and a pusher, which has 0.26 m of height and
 * slides on the table under a guide.  Its front goes from -0.24 to 0.36 m: it pushes the lowest
 * block out, and the next one rests on it until it is back.
 */
mo_error world_blockfeeder(const double *values, mo_world **world, mo_message *why)
{
    const int blocks = (int)values[0];
    const double wheel_x = -1.9, height = 0.13, crank = 0.3, rod = 1;
    sketch s = sketch_begin(mo_default_planar_world(), values[1]);
    s.density = 100;
    add_feeder_frame(&s, blocks > 1 ? blocks : 2);
    const mo_body_id pusher = sketch_body(&s, MO_BODY_FREE, mo_pose_at(-0.9, height, 0), "pusher");
    sketch_shape(&s, pusher, in_layer(mo_shape_box(0.66, height, 0), SOLID));
    for (int k = 0; k < blocks; ++k) {
        const mo_body_id block =
            sketch_body(&s, MO_BODY_FREE, mo_pose_at(0, 0.15 + 0.3 * k, 0), "block");
        sketch_shape(&s, block, in_layer(mo_shape_box(0.2, 0.15, 0), SOLID));
    }
    const mo_body_id wheel = sketch_body(&s, MO_BODY_FREE, mo_pose_at(wheel_x, height, 0), "wheel");
    sketch_shape(&s, wheel, in_layer(mo_shape_ball(0.45), MIDDLE));
    sketch_shape(&s, wheel, in_layer(at(mo_shape_ball(0.08), -crank, 0), FRONT));
    const mo_body_id link =
        sketch_body(&s, MO_BODY_FREE, mo_pose_at(wheel_x - crank + rod / 2, height, 0), "rod");
    sketch_shape(&s, link, in_layer(bar(-rod / 2, 0, rod / 2, 0, 0.045), FRONT));

    mo_joint_def axle = mo_default_joint(MO_JOINT_REVOLUTE, (mo_body_id){0}, wheel);
    axle.anchor[0] = wheel_x;
    axle.anchor[1] = height;
    if (values[2] != 0) {
        axle.drive = MO_DRIVE_VELOCITY;
        axle.target = values[2];
        axle.max_effort = 500;
    }
    sketch_joint(&s, &axle);
    pin(&s, wheel, link, wheel_x - crank, height);
    pin(&s, link, pusher, wheel_x - crank + rod, height);
    return sketch_finish(&s, world, why);
}

/* ---- the double-action jack ------------------------------------------------------------------ */

enum { TEETH = 11 };
static const double PITCH = 0.2, TOOTH = 0.1, HALF_RACK = 0.12;
static const double AXLE = 1.6;                         /* height of the lever's pin */
static const double ARM = 0.5, RISE = 0.45, TIP = 0.03; /* of the pawls: pins, height, radius */

typedef struct pump {
    double swing, rate; /* rad, rad/s */
} pump;

static void pumped(void *user, double time, mo_pose *pose)
{
    const pump *how = user;
    *pose = mo_pose_planar(0, AXLE, how->swing * sin(how->rate * time));
}

/* A bar with teeth on both sides, flat below and sloped above; a plate on top carries the load. */
static void add_rack(sketch *s, double load_mass)
{
    const double lowest = AXLE + RISE + TIP - (TEETH - 3) * PITCH;
    const double middle = lowest + TEETH * PITCH / 2, half = TEETH * PITCH / 2 + 0.1;
    const mo_body_id rack = sketch_body(s, MO_BODY_FREE, mo_pose_at(0, middle, 0), "rack");
    sketch_shape(s, rack, in_layer(mo_shape_box(HALF_RACK, half, 0), SOLID));
    sketch_shape(s, rack, in_layer(at(mo_shape_box(HALF_RACK, 0.16, 0), 0, -half - 0.16), SOLID));
    sketch_shape(s, rack, in_layer(at(mo_shape_box(0.5, 0.06, 0), 0, half + 0.06), SOLID));
    for (int k = 0; k < TEETH; ++k) {
        const double y = lowest + k * PITCH - middle;
        for (int side = -1; side <= 1; side += 2) {
            const double root = side * HALF_RACK, tip = side * (HALF_RACK + TOOTH);
            const double points[] = {root, y, 0, tip, y, 0, root, y + PITCH, 0};
            sketch_shape(s, rack, in_layer(mo_shape_hull(points, 3), SOLID));
        }
    }
    mo_joint_def slide = mo_default_joint(MO_JOINT_PRISMATIC, (mo_body_id){0}, rack);
    slide.anchor[1] = middle;
    slide.axis[0] = slide.axis[2] = 0;
    slide.axis[1] = 1;
    sketch_joint(s, &slide);
    s->density = load_mass / (0.8 * 0.6);
    const mo_body_id load =
        sketch_body(s, MO_BODY_FREE, mo_pose_at(0, middle + half + 0.12 + 0.3, 0), "load");
    sketch_shape(s, load, in_layer(mo_shape_box(0.4, 0.3, 0), SOLID));
}

/* The lever, free for the mouse or moved up and down. */
static mo_body_id add_lever(sketch *s, double rate)
{
    pump how = {0.5, rate};
    mo_body_def def = mo_default_body(rate > 0 ? MO_BODY_DRIVEN : MO_BODY_FREE);
    def.pose = mo_pose_at(0, AXLE, 0);
    def.name = "lever";
    if (rate > 0) {
        def.motion = pumped;
        def.motion_user = &how;
        def.motion_user_size = sizeof how;
    }
    if (s->error) return (mo_body_id){0};
    const mo_body_id lever = mo_world_add_body(s->world, &def, &s->why);
    s->error = lever.index ? MO_OK : MO_ERR_ARGUMENT;
    sketch_shape(s, lever, in_layer(bar(-0.6, 0, 1.9, 0, 0.05), MIDDLE));
    sketch_shape(s, lever, in_layer(at(mo_shape_ball(0.12), 1.9, 0), MIDDLE));
    if (rate <= 0) pin(s, (mo_body_id){0}, lever, 0, AXLE);
    return lever;
}

/*
 * The lever rocks about a pin behind the rack.  A pawl stands on it at each side and leans against
 * the teeth: the one that goes up lifts the rack by a tooth, the other one slides down over the
 * slopes, and catches the next tooth.  So the load goes up on both strokes, and between them hangs
 * on both pawls, whose moments on the lever cancel.  Where the teeth end it goes no higher.
 */
mo_error world_jack(const double *values, mo_world **world, mo_message *why)
{
    sketch s = sketch_begin(mo_default_planar_world(), values[1]);
    s.density = 100;
    const mo_body_id frame = sketch_body(&s, MO_BODY_FIXED, mo_pose_identity(), "frame");
    sketch_shape(&s, frame, in_layer(at(mo_shape_box(2, 0.1, 0), 0, -0.1), SOLID));
    sketch_shape(&s, frame, behind(at(mo_shape_box(0.3, 0.06, 0), 0, 0.06)));
    add_rack(&s, values[0]);
    s.density = 50;
    const mo_body_id lever = add_lever(&s, 2 * acos(-1) * values[2]);
    /* The tip of a pawl touches the tooth above it and the slope of the one below. */
    const double inner = HALF_RACK + TIP * (hypot(PITCH, TOOTH) + TOOTH) / PITCH + 1e-4;
    for (int side = -1; side <= 1; side += 2) {
        const mo_body_id pawl =
            sketch_body(&s, MO_BODY_FREE, mo_pose_at(side * ARM, AXLE, 0), "pawl");
        sketch_shape(&s, pawl, in_layer(bar(0, 0, side * (inner - ARM), RISE, TIP), SOLID));
        pin(&s, lever, pawl, side * ARM, AXLE);
    }
    return sketch_finish(&s, world, why);
}
