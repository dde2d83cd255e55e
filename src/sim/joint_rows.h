/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* The rows of a joint, and its coordinate. */
#ifndef MO_SIM_JOINT_ROWS_H
#define MO_SIM_JOINT_ROWS_H

#include "sim/world_data.h"

/* Rows of the Jacobians of both bodies, always (velocity, spin), and their errors, in m or rad. */
typedef struct mo_joint_rows {
    int count;
    double line[2][MO_JOINT_ROWS][6];
    double error[MO_JOINT_ROWS];
} mo_joint_rows;

void mo_joint_hold(const mo_world *world, const mo_sim_joint *joint, mo_joint_rows *rows);

/* The coordinate q (in rows->error[0]) and its line; rows->count is 0 for a joint without one. */
void mo_joint_coordinate(const mo_world *world, const mo_sim_joint *joint, mo_joint_rows *rows);

/* The velocities along the rows, and along the first one. */
void mo_joint_rates(const mo_world *world, const mo_sim_joint *joint, const mo_joint_rows *rows,
                    double *rate);
double mo_joint_speed(const mo_world *world, const mo_sim_joint *joint, const mo_joint_rows *rows);

/* What the last solution exerts on b, in units of r: force, moment about the anchor `point`, the
 * part of each constraint along its first row, and all r. */
typedef struct mo_joint_reaction {
    double force[3], moment[3], point[3], part[MO_PART_COUNT], r[MO_JOINT_IMPULSES];
} mo_joint_reaction;
void mo_joint_react(const mo_world *world, const mo_sim_joint *joint, mo_joint_reaction *out);

/* Both anchors in the world. */
void mo_joint_anchors(const mo_world *world, const mo_sim_joint *joint, double anchor[2][3]);

/* joint_ahead.c: the rows at the poses to which next_v leads, and w such that they are linearised
 * there. */
void mo_joint_hold_ahead(mo_world *world, const mo_sim_joint *joint, double h, mo_joint_rows *rows,
                         double *w);

/* The norm of its errors over the size of the smaller body that it joins. */
double mo_joint_gap(const mo_world *world, const mo_sim_joint *joint, const mo_joint_rows *rows);
/* Whether the projection at the end of the step corrects its error, as for loops of a mechanism;
 * the drift of a joint between bodies is corrected by velocities (passive.c). */
int mo_joint_is_projected(const mo_world *world, const mo_sim_joint *joint);

/* joint_span.c: a loop joins links to each other or to the world; in a step, those of its rows that
 * follow from loops before it are given a compliance. */
int mo_joint_is_loop(const mo_world *world, const mo_sim_joint *joint);
void mo_loop_release(mo_world *world, const mo_sim_joint *joint, const mo_joint_rows *rows,
                     double *compliance);

#endif
