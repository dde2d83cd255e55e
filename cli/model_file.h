/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* A robot's file (MJCF, URDF) on the command line: `moreau run robot.xml`, `moreau view robot.xml`.
 */
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
    int quiet; /* notes are not printed */
    mo_model model;
    int key; /* -1: the reference configuration */
    int has_floor;
    double floor;    /* m */
    double *control; /* at first: of the key, then of --target */
    mo_robot *robot; /* in the world that was built last */
    model_force *forces;
    int force_count;
    double *sensed; /* values of the sensors after the last step, or NULL */
} model_file;

/* The flags of a robot's file: rows that follow each other in the table of a command. */
enum { MODEL_KEY, MODEL_TARGET, MODEL_SERVO, MODEL_FREE, MODEL_FLOOR, MODEL_MESHES, MODEL_FLAGS };

/* clang-format off */
#define MODEL_FLAG_ROWS(first)                                                                     \
    [(first) + MODEL_KEY] = {                                                                      \
        .name = "key", .operand = "NAME",                                                          \
        .text = "robots: start from this keyframe of the file"},                                   \
    [(first) + MODEL_TARGET] = {                                                                   \
        .name = "target", .operand = "NAME=VALUE",                                                 \
        .text = "robots: command of an actuator, by its name or that of its joint; may be"         \
                " given several times"},                                                           \
    [(first) + MODEL_SERVO] = {                                                                    \
        .name = "servo", .operand = "HZ",                                                          \
        .text = "robots: turn motors into position servos with this natural frequency in Hz"       \
                " (typically 5); --target sets their positions"},                                  \
    [(first) + MODEL_FREE] = {                                                                     \
        .name = "free",                                                                            \
        .text = "robots: give the root link a free joint; URDF files of walking robots fix"        \
                " it to the world"},                                                               \
    [(first) + MODEL_FLOOR] = {                                                                    \
        .name = "floor", .operand = "Z",                                                           \
        .text = "robots: add a floor at this height, in m"},                                       \
    [(first) + MODEL_MESHES] = {                                                                   \
        .name = "meshes", .operand = "FOLDER",                                                     \
        .text = "robots: also search this folder for meshes and included files, besides"           \
                " the folder of the file and its ROS package"}
/* clang-format on */

/* Whether the name has the suffix of a model file. */
int model_file_is(const char *name);

/*
 * Reads it with the flags of MODEL_FLAG_ROWS, and prints its notes on standard error unless
 * `quiet`; `sets` (--set) must be empty.  An exit status, after a message.
 */
int model_file_open(const char *command, const char *path, const args_flag *rows,
                    const args_values *sets, int quiet, model_file *file);
/* Hints on standard error: motors without force, unused keyframes. */
void model_file_hint(const args_flag *rows, const model_file *file);
/* Refuses these flags for a scene; an exit status, after a message. */
int model_flags_refuse(const char *command, const args_flag *rows);
void model_file_close(model_file *file);
/* The step of the file, or MJCF's default, s. */
double model_file_step(const model_file *file);

/* A new world with the robot in it; `user` is the model_file. */
mo_error model_file_build(void *user, mo_world **world, mo_message *why);

/* The robot in the world that was built last; `user` is the model_file. */
mo_robot *model_file_robot(void *user);

/* Contact forces of the last step, of length h, on each moving body of the robot. */
void model_file_forces(model_file *file, const mo_world *world, double h);

/* Joints, actuators and keyframes, as text or JSON. */
void model_file_list(const model_file *file, int as_json);

#endif
