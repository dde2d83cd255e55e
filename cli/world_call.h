/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * The operand of `moreau run`, `moreau view` and `moreau forces`: a scene of the list with its
 * parameters, or a robot from its file (model_file.h); and the flags that they share.
 */
#ifndef CLI_WORLD_CALL_H
#define CLI_WORLD_CALL_H

#include "args.h"
#include "model_file.h"
#include "worlds.h"

/* Rows of a table of flags. */
#define WORLD_ROW_SET                                                                              \
    {                                                                                              \
        .name = "set", .operand = "NAME=VALUE",                                                    \
        .text = "set a parameter of the scene; may be given several times"                         \
    }
#define WORLD_ROW_DT                                                                               \
    {                                                                                              \
        .name = "dt", .operand = "H", .text = "step size, in s; default: that of the scene"        \
    }

typedef struct world_call {
    const world_scene *scene; /* of the list, or file_scene */
    double values[WORLD_PARAMETERS];
    model_file *model; /* receives a robot's file; NULL after reading: a scene */
    world_scene file_scene;
} world_call;

/* `sets` are of --set, `rows` those of MODEL_FLAG_ROWS; `quiet`: notes on a robot's file are not
 * printed.  An exit status, after a message. */
int world_call_read(const char *command, const char *name, const args_values *sets,
                    const args_flag *rows, int quiet, world_call *call);

mo_error world_call_build(const world_call *call, mo_world **world, mo_message *why);

#endif
