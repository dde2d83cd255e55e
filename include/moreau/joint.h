/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Joints of the simulator.
 *
 *   joint        leaves free              coordinate q
 *   ball         every rotation           -                 (in the plane the same as revolute)
 *   revolute     a turn about one axis    angle, rad
 *   prismatic    a slide along one axis   displacement, m
 *   weld         nothing                  -
 *   distance     all but the distance     distance, m       (of the two anchors)
 *
 * A joint is held by bilateral rows.  One with a coordinate may have limits (frictionless rows),
 * dry friction, and a motor or a servo (box rows: at most max_effort).
 */
#ifndef MOREAU_JOINT_H
#define MOREAU_JOINT_H

#include "moreau/world.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum mo_joint_kind {
    MO_JOINT_BALL,
    MO_JOINT_REVOLUTE,
    MO_JOINT_PRISMATIC,
    MO_JOINT_WELD,
    MO_JOINT_DISTANCE,
    MO_JOINT_KIND_COUNT
} mo_joint_kind;

typedef enum mo_drive_kind {
    MO_DRIVE_NONE,
    /* q' = target, as far as max_effort reaches */
    MO_DRIVE_VELOCITY,
    MO_DRIVE_POSITION /* q = target at the end of the step, as far as max_effort reaches */
} mo_drive_kind;

typedef struct mo_joint_def {
    mo_joint_kind kind;
    /* a may be none: the world */
    mo_body_id a, b;
    /* world, at the poses the bodies have when the joint is added */
    double anchor[3];
    /* distance: the anchor on b; others ignore it */
    double anchor_b[3];
    /* world; revolute, prismatic; ignored by a revolute in the plane */
    double axis[3];
    int has_limits;
    /* of q, which is zero (or the distance) when the joint is added */
    double lower, upper;
    /* moment or force that resists motion, N m or N */
    double dry_friction;
    mo_drive_kind drive;
    /* of q or q' */
    double target;
    /* N m or N; infinity allowed */
    double max_effort;
    /* 1: the two bodies may touch each other */
    int collide;
    /* weld: 1: b is held at `pose` in a's frame, not where it is when the joint is added */
    int has_pose;
    mo_pose pose;
} mo_joint_def;

MO_API mo_joint_def mo_default_joint(mo_joint_kind kind, mo_body_id a, mo_body_id b);
MO_API const char *mo_joint_name(mo_joint_kind kind);
MO_API mo_joint_id mo_world_add_joint(mo_world *world, const mo_joint_def *def, mo_message *why);
MO_API void mo_world_remove_joint(mo_world *world, mo_joint_id joint);
MO_API int mo_world_joint_count(const mo_world *world);
MO_API mo_joint_id mo_world_joint(const mo_world *world, int k);

typedef struct mo_joint_state {
    mo_joint_kind kind;
    mo_body_id a, b;
    /* world, as each of the two bodies has it */
    double anchor[2][3];
    double q, speed;
    /* on b in the last step, world axes: impulse / h */
    double force[3], moment[3];
    /* of the motor, servo or dry friction in the last step */
    double effort;
    /* distance of the anchors (along what the joint holds), m */
    double error;
    /* revolute, prismatic: world, as a has it; else zero */
    double axis[3];
    int has_limits;
    double lower, upper; /* as defined */
    mo_drive_kind drive; /* as it is now, with its target and its greatest effort */
    double target, max_effort;
} mo_joint_state;

MO_API mo_joint_state mo_joint_get(const mo_world *world, mo_joint_id joint);
MO_API mo_error mo_joint_set_drive(mo_world *world, mo_joint_id joint, mo_drive_kind drive,
                                   double target, double max_effort, mo_message *why);

#ifdef __cplusplus
}
#endif
#endif
