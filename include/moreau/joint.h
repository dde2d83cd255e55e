/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Joints of the simulator.
 *
 *   joint        free motion               coordinate q
 *   ball         every rotation            -                 (in two dimensions: revolute)
 *   revolute     rotation about one axis   angle, rad
 *   prismatic    sliding along one axis    displacement, m
 *   weld         none                      -
 *   distance     all but the distance      distance, m       (of the two anchors)
 *
 * Joints are bilateral constraints.  A joint with a coordinate may have limits (unilateral
 * constraints), dry friction, and a motor or a servo with bounded effort (bounded variables).
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
    /* motor: q' = target, with at most max_effort */
    MO_DRIVE_VELOCITY,
    /*
     * servo: effort = stiffness (target - q) - damping q', with q and q' at the end of the step,
     * and at most max_effort.  If stiffness and damping are zero, q = target at the end of the
     * step; if such a servo reaches max_effort, it overshoots and oscillates.
     */
    MO_DRIVE_POSITION
} mo_drive_kind;

typedef struct mo_joint_def {
    mo_joint_kind kind;
    /* a = {0}: the world */
    mo_body_id a, b;
    /* m: in world coordinates, at the poses of the bodies when the joint is added */
    double anchor[3];
    /* m: anchor on b of a distance joint */
    double anchor_b[3];
    /* axis of a revolute (not in two dimensions) or prismatic joint, world axes */
    double axis[3];
    int has_limits;
    /* limits of q, rad or m; q is zero (or the distance) when the joint is added */
    double lower, upper;
    /* dry friction, N m or N */
    double dry_friction;
    mo_drive_kind drive;
    /* target of q or q' */
    double target;
    /* N m or N; may be infinity */
    double max_effort;
    /* gains of a servo: N m/rad or N/m, N m s/rad or N s/m */
    double stiffness, damping;
    /* 1: the two bodies collide with each other */
    int collide;
    /* weld: 1: hold b at `pose` in the frame of a; 0: at its pose when the joint is added */
    int has_pose;
    mo_pose pose;
    /* not used by the library */
    void *user_data;
} mo_joint_def;

MO_API mo_joint_def mo_default_joint(mo_joint_kind kind, mo_body_id a, mo_body_id b);
MO_API const char *mo_joint_name(mo_joint_kind kind);
MO_API mo_joint_id mo_world_add_joint(mo_world *world, const mo_joint_def *def, mo_message *why);
MO_API mo_error mo_world_remove_joint(mo_world *world, mo_joint_id joint, mo_message *why);
MO_API int mo_world_joint_count(const mo_world *world);
MO_API mo_joint_id mo_world_joint(const mo_world *world, int k);

typedef struct mo_joint_state {
    mo_joint_kind kind;
    mo_body_id a, b;
    /* m: anchors on the two bodies, world coordinates */
    double anchor[2][3];
    /* rad or m, and rad/s or m/s */
    double q, speed;
    /* N, N m: force and moment on b in the last step, world axes */
    double force[3], moment[3];
    /* N m or N: effort of motor, servo and dry friction in the last step */
    double effort;
    /* m: distance of the anchors in the constrained directions */
    double error;
    /* world axes, on body a; zero for joints without an axis */
    double axis[3];
    int has_limits;
    double lower, upper; /* m or rad */
    mo_drive_kind drive;
    double target, max_effort; /* m, rad, m/s or rad/s, by the drive; N or N m */
    void *user_data;
} mo_joint_state;

/* For a stale id: kind MO_JOINT_KIND_COUNT, all other members zero. */
MO_API mo_joint_state mo_joint_get(const mo_world *world, mo_joint_id joint);
MO_API mo_error mo_joint_set_drive(mo_world *world, mo_joint_id joint, mo_drive_kind drive,
                                   double target, double max_effort, mo_message *why);
MO_API mo_error mo_joint_set_user_data(mo_world *world, mo_joint_id joint, void *user_data,
                                       mo_message *why);

#ifdef __cplusplus
}
#endif
#endif
