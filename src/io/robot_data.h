/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
#ifndef MO_IO_ROBOT_DATA_H
#define MO_IO_ROBOT_DATA_H

#include "base/pool.h"
#include "moreau/robot.h"

/* Place of a joint: in a mechanism, or the free joint of a body. */
typedef struct mo_robot_place {
    mo_mechanism_id mechanism;
    int number;
    int first_q, first_v, q_count, v_count; /* in the model */
    int at_q, at_v;                         /* in the mechanism */
    mo_body_id body;                        /* free body: itself */
} mo_robot_place;

/* Motion of a body when the sensors were last read. */
/* A body as in the model; in the world, a static one has no mass. */
typedef struct mo_robot_part {
    int parent;
    double mass, centre[3]; /* in the body frame */
} mo_robot_part;

typedef struct mo_robot_motion {
    mo_pose pose;
    double centre[3], velocity[3], spin[3];
    double momentum[3]; /* angular, about the centre of mass */
} mo_robot_motion;

typedef struct mo_robot_control {
    mo_mechanism_id mechanism;
    int number;
} mo_robot_control;

/* A robot while it is built. */
typedef struct mo_building {
    const mo_model *model;
    mo_world *world;
    mo_robot *robot;
    mo_pool pool; /* for private data */
    /* of each body: the one above it, or itself, that moves against its parent; 0: still */
    int *group;
    int *joined;   /* of the root of a tree: the first root of those that one mechanism holds */
    int *link;     /* of each body: its number in its mechanism */
    int *number;   /* of each joint, in its mechanism */
    int *touches;  /* has it shapes that collide? */
    mo_pose *pose; /* in the world, of still bodies and at the reference */
    /* of the mechanism that is being added: one room for all of them, or memory would grow with the
     * square of their number */
    mo_link_def *links;
    mo_axis_def *axes;
    mo_actuator_def *actuators;
    mo_tendon_def *tendons;
    mo_message *why;
} mo_building;

static inline const char *mo_name_or_null(const char *name)
{
    return name[0] ? name : NULL;
}

/* robot_mechanism.c: the tree that starts at `root` and those joined to it, as a free body or a
 * mechanism. */
mo_error mo_building_add_trees(mo_building *b, int root);
void mo_building_join_trees(mo_building *b);

/* robot_tune.c: actuator parameters that depend on the mechanism. */
mo_error mo_building_tune(mo_building *b, mo_mechanism_id id);

struct mo_robot {
    mo_allocator allocator;
    mo_body_id *bodies;
    mo_robot_place *joints;
    mo_robot_control *actuators, *tendons;
    int body_count, joint_count, actuator_count, tendon_count;
    int *mocap; /* bodies of the model */
    int mocap_count;
    double *q, *v;            /* room for one mechanism */
    mo_model_sensor *sensors; /* names are texts of the pool */
    mo_model_site *sites;
    mo_robot_part *parts; /* of each body */
    mo_robot_motion *last;
    int sensor_count, sensor_values, site_count, v_count;
    int has_last;
    double last_time;
    const char **notes; /* texts of the pool */
    int note_count;
    mo_pool texts;
};

/* robot.c */
mo_error mo_robot_keep_note(mo_robot *robot, mo_message *why, const char *format, ...)
    MO_PRINTF(3, 4);

/* robot_sensor.c */
mo_error mo_robot_keep_sensors(mo_robot *robot, const mo_model *model, mo_message *why);

/* robot_overlap.c: excludes pairs that always overlap; `all`: all that overlap now. */
mo_error mo_robot_part_overlaps(mo_robot *robot, mo_world *world, int all, mo_message *why);

#endif
