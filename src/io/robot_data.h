/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
#ifndef MO_IO_ROBOT_DATA_H
#define MO_IO_ROBOT_DATA_H

#include "base/pool.h"
#include "moreau/robot.h"

/* Where a joint is: in a mechanism, or the free joint of a body. */
typedef struct mo_robot_place {
    mo_mechanism_id mechanism;
    int number;
    int first_q, first_v, q_count, v_count; /* in the model */
    int at_q, at_v;                         /* in the mechanism */
    mo_body_id body;                        /* free body: itself */
} mo_robot_place;

typedef struct mo_robot_control {
    mo_mechanism_id mechanism;
    int number;
} mo_robot_control;

struct mo_robot {
    mo_allocator allocator;
    mo_body_id *bodies;
    mo_robot_place *joints;
    mo_robot_control *actuators;
    int body_count, joint_count, actuator_count;
    int most_q, most_v; /* of one mechanism */
    double *q, *v;      /* room for one mechanism */
    const char **notes; /* texts of the pool */
    int note_count;
    mo_pool texts;
};

/* robot.c */
mo_error mo_robot_keep_note(mo_robot *robot, mo_message *why, const char *format, ...)
    MO_PRINTF(3, 4);

/* robot_overlap.c: excludes what overlaps for ever; `all`: what overlaps now. */
mo_error mo_robot_part_overlaps(mo_robot *robot, mo_world *world, int all, mo_message *why);

#endif
