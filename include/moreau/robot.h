/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * A model (model.h) in a world: maps its parts to bodies, mechanisms, joints and actuators of the
 * world, and gives access to the coordinates q, velocities v and controls of the model.
 *
 *   in the model                                       in the world
 *   body without a joint between it and the world      static body
 *   body with a free joint and no children             dynamic body
 *   any other tree                                     mechanism; coupled trees share one
 *   mocap body                                         kinematic body
 *   <connect>, <weld>                                  joints of joint.h
 *
 * Every geom is a shape of its body, in the order of the model, with its colour.  Visual shapes
 * have layer and mask 0.  mo_model_drop_visuals removes them.
 *
 * A robot contains ids only.  It does not own the world; the model may be cleared once the robot is
 * built.
 */
#ifndef MOREAU_ROBOT_H
#define MOREAU_ROBOT_H

#include "moreau/mechanism.h"
#include "moreau/model.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct mo_robot mo_robot;

/* The default world with the gravity of the model. */
MO_API mo_world_def mo_model_world(const mo_model *model);

/* Adds the model to a three-dimensional world at its reference configuration, with controls zero or
 * at the nearest value of their ranges.  After an error the world has not changed. */
MO_API mo_error mo_model_build(const mo_model *model, mo_world *world,
                               const mo_allocator *allocator, mo_robot **robot, mo_message *why);
MO_API void mo_robot_destroy(mo_robot *robot);

/* Notes about the robot, one sentence each: for example, pairs of bodies that always overlap and
 * therefore do not collide. */
MO_API int mo_robot_note_count(const mo_robot *robot);
MO_API const char *mo_robot_note(const mo_robot *robot, int k);

/*
 * Corrects the current configuration before the first step: moves joints beyond a limit to that
 * limit, closes open loops by the smallest change of q, and finds overlapping bodies.  Each gives a
 * note with the amount.
 */
MO_API mo_error mo_robot_order(mo_robot *robot, mo_world *world, mo_message *why);

/* The body with this index in the model; body 0 is {0} if the world of the model has no shapes. */
MO_API mo_body_id mo_robot_body(const mo_robot *robot, int body);
/* The mechanism of a joint, actuator or tendon, and its index there (`number` may be NULL); {0} for
 * the joint of a dynamic body and for an ignored actuator. */
MO_API mo_mechanism_id mo_robot_joint(const mo_robot *robot, int joint, int *number);
MO_API mo_mechanism_id mo_robot_actuator(const mo_robot *robot, int actuator, int *number);
MO_API mo_mechanism_id mo_robot_tendon(const mo_robot *robot, int tendon, int *number);

/* q and v in the order of the model; either may be NULL. */
MO_API void mo_robot_get(const mo_robot *robot, const mo_world *world, double *q, double *v);
MO_API mo_error mo_robot_set(const mo_robot *robot, mo_world *world, const double *q,
                             const double *v, mo_message *why);
/* Sets one control, or all (one per actuator of the model). */
MO_API mo_error mo_robot_set_control(const mo_robot *robot, mo_world *world, int actuator,
                                     double control, mo_message *why);
MO_API mo_error mo_robot_set_controls(const mo_robot *robot, mo_world *world,
                                      const double *controls, mo_message *why);
/* Moves a mocap body (by its index in the model) to a pose: immediately, or with the constant
 * velocity that reaches it in `time` (s), which the body then keeps. */
MO_API mo_error mo_robot_move_mocap(const mo_robot *robot, mo_world *world, int body,
                                    const mo_pose *to, double time, mo_message *why);
/* Sets q, v, controls and mocap bodies of a keyframe. */
MO_API mo_error mo_robot_set_key(const mo_robot *robot, mo_world *world, const mo_model_key *key,
                                 mo_message *why);

#ifdef __cplusplus
}
#endif
#endif
