/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* Scenes with joints. */
#include <math.h>

#include "world_list.h"
#include "world_tools.h"

/* Links of 0.2 m, level at the start, from the origin along x. */
mo_error world_chain(const double *values, mo_world **world, mo_message *why)
{
    const int links = (int)values[0];
    const double half = 0.1;
    sketch s = sketch_begin(mo_default_world(), 0.5);
    const mo_shape_def link =
        mo_shape_capsule((const double[3]){-0.07, 0, 0}, (const double[3]){0.07, 0, 0}, 0.025);
    mo_body_id last = {0};
    for (int k = 0; k < links; ++k) {
        s.density = 1000 * (k == links - 1 ? values[2] : 1);
        const mo_body_id body =
            sketch_add(&s, MO_BODY_FREE, link, mo_pose_at((2 * k + 1) * half, 0, 0));
        mo_joint_def joint = mo_default_joint(MO_JOINT_BALL, last, body);
        joint.anchor[0] = 2 * k * half;
        sketch_joint(&s, &joint);
        last = body;
    }
    if (values[1] >= 2) {
        mo_joint_def joint = mo_default_joint(MO_JOINT_BALL, (mo_body_id){0}, last);
        joint.anchor[0] = 2 * links * half;
        sketch_joint(&s, &joint);
    }
    return sketch_finish(&s, world, why);
}

/* Crank of 0.2 m, rod of 0.6 m, slider along x; a closed loop of joints in the plane. */
mo_error world_slider_crank(const double *values, mo_world **world, mo_message *why)
{
    const double crank = 0.2, rod = 0.6;
    sketch s = sketch_begin(mo_default_planar_world(), 0.3);
    s.density = 100;
    mo_shape_def bar = mo_shape_box(crank / 2, 0.02, 0);
    bar.mask = 0; /* the parts lie in layers and do not collide */
    const mo_body_id a = sketch_add(&s, MO_BODY_FREE, bar, mo_pose_at(crank / 2, 0, 0));
    bar.half[0] = rod / 2;
    const mo_body_id b = sketch_add(&s, MO_BODY_FREE, bar, mo_pose_at(crank + rod / 2, 0, 0));
    mo_shape_def block = mo_shape_box(0.06, 0.04, 0);
    block.mask = 0;
    const mo_body_id c = sketch_add(&s, MO_BODY_FREE, block, mo_pose_at(crank + rod, 0, 0));
    mo_joint_def hinge = mo_default_joint(MO_JOINT_REVOLUTE, (mo_body_id){0}, a);
    hinge.drive = MO_DRIVE_VELOCITY;
    hinge.target = values[0];
    hinge.max_effort = values[1];
    sketch_joint(&s, &hinge);
    hinge = mo_default_joint(MO_JOINT_REVOLUTE, a, b);
    hinge.anchor[0] = crank;
    sketch_joint(&s, &hinge);
    hinge = mo_default_joint(MO_JOINT_REVOLUTE, b, c);
    hinge.anchor[0] = crank + rod;
    sketch_joint(&s, &hinge);
    mo_joint_def slide = mo_default_joint(MO_JOINT_PRISMATIC, (mo_body_id){0}, c);
    slide.anchor[0] = crank + rod;
    slide.axis[0] = 1;
    slide.axis[2] = 0;
    sketch_joint(&s, &slide);
    return sketch_finish(&s, world, why);
}

typedef struct lift {
    double speed, wait;
} lift;

static void lifted(void *user, double time, mo_pose *pose)
{
    const lift *how = user;
    *pose = mo_pose_at(0, 0, 0.5 + (time > how->wait ? how->speed * (time - how->wait) : 0));
}

/* A driven palm carries two fingers on slides that press with a force on a box; after a quarter of
 * a second it goes up. */
mo_error world_gripper(const double *values, mo_world **world, mo_message *why)
{
    const double half = 0.1, thick = 0.02;
    sketch s = sketch_begin(mo_default_world(), values[1]);
    sketch_floor(&s);
    s.density = values[0] / (8 * half * half * half);
    sketch_add(&s, MO_BODY_FREE, mo_shape_box(half, half, half), mo_pose_at(0, 0, half));
    if (s.error) return sketch_finish(&s, world, why);
    lift how = {values[3], 0.25};
    mo_body_def def = mo_default_body(MO_BODY_DRIVEN);
    def.pose = mo_pose_at(0, 0, 0.5);
    def.motion = lifted;
    def.motion_user = &how;
    def.motion_user_size = sizeof how;
    def.name = "palm";
    const mo_body_id palm = mo_world_add_body(s.world, &def, &s.why);
    s.error = palm.index ? MO_OK : MO_ERR_ARGUMENT;
    s.density = 0.1 / (8 * thick / 2 * 0.05 * 0.15);
    for (int side = 0; side < 2; ++side) {
        const double sign = side ? 1 : -1, x = sign * (half + thick / 2 + 0.002);
        const mo_body_id finger = sketch_add(&s, MO_BODY_FREE, mo_shape_box(thick / 2, 0.05, 0.15),
                                             mo_pose_at(x, 0, half + 0.1));
        mo_joint_def slide = mo_default_joint(MO_JOINT_PRISMATIC, palm, finger);
        slide.anchor[0] = x;
        slide.anchor[2] = half + 0.1;
        slide.axis[0] = -sign;
        slide.axis[2] = 0;
        slide.drive = MO_DRIVE_VELOCITY;
        slide.target = 0.5;
        slide.max_effort = values[2];
        slide.collide = 0;
        sketch_joint(&s, &slide);
    }
    return sketch_finish(&s, world, why);
}
