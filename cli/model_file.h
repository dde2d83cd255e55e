/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* A robot's file (MJCF, URDF) on the command line: `moreau run robot.xml`, `moreau view robot.xml`. */
#ifndef CLI_MODEL_FILE_H
#define CLI_MODEL_FILE_H

#include "args.h"
#include "moreau/moreau.h"

/* The contact forces on one body in the last step. */
typedef struct model_force {
    int body; /* of the model */
    int contacts;
    double force[3]; /* N, world axes */
} model_force;

typedef struct model_file {
    const char *path;
    int quiet; /* notes are not said */
    mo_model model;
    int key;         /* -1: the reference configuration */
    int has_floor;
    double floor;    /* m */
    double *control; /* at first: of the key, then of --target */
    mo_robot *robot; /* in the world that was built last */
    model_force *forces;
    int force_count;
} model_file;

/* Does the name end as that of a model? */
int model_file_is(const char *name);

/*
 * Reads it, and says its notes on standard error unless `quiet`; `key` (or NULL) and the targets "NAME=VALUE" are for when it is built.  An exit status,
 * after a sentence.
 */
int model_file_open(const char *command, const char *path, const char *key,
                    const args_values *targets, int quiet, model_file *file);
/* Sets free what the file fixes to the world and has joints or mass. */
int model_file_free(const char *command, model_file *file);
void model_file_close(model_file *file);
/* The step that the file asks for, or MJCF's default, s. */
double model_file_step(const model_file *file);

/* A new world with the robot in it; `user` is the model_file. */
mo_error model_file_build(void *user, mo_world **world, mo_message *why);

/* What the contacts of the last step, of h, put on each body of the robot that moves. */
void model_file_forces(model_file *file, const mo_world *world, double h);

/* Joints, actuators and keyframes, for a person or as JSON. */
void model_file_list(const model_file *file, int as_json);

#endif
