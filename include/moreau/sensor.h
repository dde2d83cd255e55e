/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Sensors of MJCF, and dynamics in the coordinates of the model: mass matrix, bias, inverse
 * dynamics and Jacobians.
 *
 * Values are those at the end of the last step.  An acceleration is the change of velocity over the
 * last step divided by its length: it includes impacts and needs mo_robot_sense after every step.
 *
 *   jointpos jointvel ballquat ballangvel          of a joint; tendonpos tendonvel of a tendon
 *   actuatorpos actuatorvel actuatorfrc            of an actuator; jointactuatorfrc of a joint
 *   accelerometer velocimeter gyro                 at a site, in its axes
 *   force torque                                   by the parent on the body of a site, site axes
 *   touch                                          normal force of contacts within a site
 *   framepos framequat framexaxis .. framezaxis framelinvel frameangvel framelinacc frameangacc
 *                                                  of a site, body or geom, in world axes; clock
 *   subtreecom subtreelinvel subtreeangmom         of a body and all below it: centre of mass, its
 *                                                  velocity, angular momentum about it, world axes
 */
#ifndef MOREAU_SENSOR_H
#define MOREAU_SENSOR_H

#include "moreau/robot.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Number of sensors of the model, and number of values of all of them. */
MO_API int mo_robot_sensor_count(const mo_robot *robot);
MO_API int mo_robot_sensor_values(const mo_robot *robot);
/* Name of a sensor, its kind in MJCF, and its range of the values; NULL for an invalid index. */
MO_API const char *mo_robot_sensor(const mo_robot *robot, int k, const char **kind, int *first,
                                   int *count);

/* Evaluates all sensors after a step of h (0: before the first step, without forces). */
MO_API mo_error mo_robot_sense(mo_robot *robot, const mo_world *world, double h, double *values,
                               mo_message *why);

/*
 * Dynamics in the coordinates of the model, n = v_count: M is n x n, bias and effort have n
 * numbers.
 */
MO_API mo_error mo_robot_mass_matrix(const mo_robot *robot, const mo_world *world, double *M,
                                     mo_message *why);
MO_API mo_error mo_robot_bias(const mo_robot *robot, const mo_world *world, double *bias,
                              mo_message *why);
/* Inverse dynamics: effort = M a + bias. */
MO_API mo_error mo_robot_inverse(const mo_robot *robot, const mo_world *world,
                                 const double *acceleration, double *effort, mo_message *why);
/* The Jacobian, 6 x n, of the point of a body that is now at `at` (world): velocity (3 rows), then
 * angular velocity (3). */
MO_API mo_error mo_robot_jacobian(const mo_robot *robot, const mo_world *world, int body,
                                  const double at[3], double *J, mo_message *why);
/* The same for the origin of a site. */
MO_API mo_error mo_robot_site_jacobian(const mo_robot *robot, const mo_world *world, int site,
                                       double *J, mo_message *why);
/* The present pose of a site. */
MO_API mo_pose mo_robot_site(const mo_robot *robot, const mo_world *world, int site);

#ifdef __cplusplus
}
#endif
#endif
