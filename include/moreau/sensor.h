/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Sensors of a robot, as MJCF has them, and what a controller asks for in the coordinates of the
 * model: mass matrix, bias, inverse dynamics, Jacobians, the wrench of the contacts of a body.
 *
 * Velocities, forces and torques are those at the end of the last step.  An acceleration is the
 * change of velocity over the last step divided by its length, so that it includes impacts; for it
 * mo_robot_sense must be called once after every step.
 *
 *   jointpos jointvel ballquat ballangvel          of a joint
 *   tendonpos tendonvel                            of a tendon
 *   actuatorpos actuatorvel actuatorfrc            of an actuator; jointactuatorfrc of a joint
 *   accelerometer velocimeter gyro                 at a site, in its axes
 *   force torque                                   by its parent on the body of a site, its axes
 *   touch                                          normal force of contacts within a site
 *   framepos framequat framexaxis .. framezaxis framelinvel frameangvel framelinacc frameangacc
 *                                                  of a site, body or geom, in world axes
 *   clock                                          the time
 */
#ifndef MOREAU_SENSOR_H
#define MOREAU_SENSOR_H

#include "moreau/robot.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Sensors of the model, and how many numbers all of them have. */
MO_API int mo_robot_sensor_count(const mo_robot *robot);
MO_API int mo_robot_sensor_values(const mo_robot *robot);
/* Name of a sensor, its kind as MJCF calls it, and its part of the values; NULL where there is no
 * such sensor. */
MO_API const char *mo_robot_sensor(const mo_robot *robot, int k, const char **kind, int *first,
                                   int *count);

/* All values, after a step of h (0: before the first step, without forces). */
MO_API mo_error mo_robot_sense(mo_robot *robot, const mo_world *world, double h, double *values,
                               mo_message *why);

/*
 * In the coordinates of the model, n = v_count: M is n x n, bias and effort have n numbers; rows of
 * bodies that are not in the model's joints do not exist.
 */
MO_API mo_error mo_robot_mass_matrix(const mo_robot *robot, const mo_world *world, double *M,
                                     mo_message *why);
MO_API mo_error mo_robot_bias(const mo_robot *robot, const mo_world *world, double *bias,
                              mo_message *why);
/* effort = M a + bias */
MO_API mo_error mo_robot_inverse(const mo_robot *robot, const mo_world *world,
                                 const double *acceleration, double *effort, mo_message *why);
/* 6 x n: velocity (3 rows) and spin (3) of the point of a body of the model that is at `at` (world)
 * now. */
MO_API mo_error mo_robot_jacobian(const mo_robot *robot, const mo_world *world, int body,
                                  const double at[3], double *J, mo_message *why);
/* The same of the origin of a site of the model. */
MO_API mo_error mo_robot_site_jacobian(const mo_robot *robot, const mo_world *world, int site,
                                       double *J, mo_message *why);
/* Where a site is now. */
MO_API mo_pose mo_robot_site(const mo_robot *robot, const mo_world *world, int site);

#ifdef __cplusplus
}
#endif
#endif
