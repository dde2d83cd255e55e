/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * The input of `moreau check`: the problem of an FCLIB file, a named problem (scenes/problems.h),
 * or the problem of one step of a scene.  A file takes precedence over a scene of the same name.
 */
#ifndef CLI_CHECK_INPUT_H
#define CLI_CHECK_INPUT_H

#include "args.h"
#include "moreau/moreau.h"
#include "problems.h"

typedef struct check_input {
    const char *name;           /* as typed */
    const problem_scene *small; /* one of these two, or neither for a file */
    const world_scene *moving;
    double values[WORLD_PARAMETERS];
    int step; /* of a scene that moves, from 1 */

    const mo_problem *problem; /* what was loaded; the others own it */
    mo_document document;
    mo_problem *built;
    mo_world *world;
} check_input;

/* The scene's name and parameters, or NULL for a file. */
const world_scene *check_input_scene(const check_input *input);

/* Interprets an argument and sets the parameters of a scene; an exit status, after a message. */
int check_input_find(const char *command, const char *word, const args_values *sets, int step,
                     check_input *input);

/* Reads or builds the problem; `why` receives the error. */
mo_error check_input_load(check_input *input, mo_message *why);
void check_input_clear(check_input *input);

/* The named problems, with their parameters. */
void check_input_list(int as_json);

#endif
