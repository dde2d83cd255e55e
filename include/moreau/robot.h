/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * A model (model.h) in a world: which body, mechanism, joint and actuator of the world each of its
 * parts became, and moving it by the model's own coordinates q, velocities v and controls.
 *
 *   in the model                                            in the world
 *   a body without a joint between it and the world         a fixed body
 *   a free joint, and nothing that hangs on the body        a free body
 *   any other tree           a mechanism; trees that a coupling or a tendon ties together share one
 *   a mocap body                                             a driven body
 *   <connect>, <weld>                                        joints of joint.h
 *
 * Every geom is a shape of its body in the world, in the model's order, with its colour; those that
 * only show the robot have layer and mask 0, so that a viewer finds all it draws by mo_body_shape.
 * mo_model_drop_visuals leaves them out.
 *
 * The robot keeps ids only; it neither owns the world nor the model, which may be cleared once the
 * robot is built.
 */
#ifndef MOREAU_ROBOT_H
#define MOREAU_ROBOT_H

#include "moreau/mechanism.h"
#include "moreau/model.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct mo_robot mo_robot;

/* The default world with the model's gravity. */
MO_API mo_world_def mo_model_world(const mo_model *model);

/* Adds the model to a world in space, at its reference configuration, with all controls zero, or
 * as near to it as their ranges allow.  A model that is refused leaves nothing behind. */
MO_API mo_error mo_model_build(const mo_model *model, mo_world *world,
                               const mo_allocator *allocator, mo_robot **robot, mo_message *why);
MO_API void mo_robot_destroy(mo_robot *robot);

/* Sentences on what the world took otherwise: parts that overlap for ever, and therefore do not
 * touch each other. */
MO_API int mo_robot_note_count(const mo_robot *robot);
MO_API const char *mo_robot_note(const mo_robot *robot, int k);

/*
 * Puts the present configuration in order, before the first step: joints beyond their limits are
 * moved to them, loops that are open are closed by the smallest change of q, and bodies that
 * overlap are named.  Each leaves a note that says by how much.
 */
MO_API mo_error mo_robot_order(mo_robot *robot, mo_world *world, mo_message *why);

/* By the numbers of the model; body 0 is {0} where the model's world has no shapes. */
MO_API mo_body_id mo_robot_body(const mo_robot *robot, int body);
/* The mechanism of a joint, or of an actuator, and its number there (NULL: not wanted); {0} for the
 * joint of a free body, or an actuator that does nothing. */
MO_API mo_mechanism_id mo_robot_joint(const mo_robot *robot, int joint, int *number);
MO_API mo_mechanism_id mo_robot_actuator(const mo_robot *robot, int actuator, int *number);
MO_API mo_mechanism_id mo_robot_tendon(const mo_robot *robot, int tendon, int *number);

/* q and v as the model has them; NULL is passed over. */
MO_API void mo_robot_get(const mo_robot *robot, const mo_world *world, double *q, double *v);
MO_API mo_error mo_robot_set(const mo_robot *robot, mo_world *world, const double *q,
                             const double *v, mo_message *why);
/* One control, or all of them (as many as the model has actuators). */
MO_API mo_error mo_robot_set_control(const mo_robot *robot, mo_world *world, int actuator,
                                     double control, mo_message *why);
MO_API mo_error mo_robot_set_controls(const mo_robot *robot, mo_world *world,
                                      const double *controls, mo_message *why);
/* A mocap body (by its number in the model) goes to a pose: at once, or with the steady velocity
 * that brings it there in `time`, and which it then keeps. */
MO_API mo_error mo_robot_move_mocap(const mo_robot *robot, mo_world *world, int body,
                                    const mo_pose *to, double time, mo_message *why);
/* q, v, controls and mocap bodies of a keyframe. */
MO_API mo_error mo_robot_set_key(const mo_robot *robot, mo_world *world, const mo_model_key *key,
                                 mo_message *why);

#ifdef __cplusplus
}
#endif
#endif
