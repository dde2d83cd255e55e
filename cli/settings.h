/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* `--set NAME=VALUE`: the parameters of a scene. */
#ifndef CLI_SETTINGS_H
#define CLI_SETTINGS_H

#include "args.h"
#include "worlds.h"

/* A finite number, and nothing else. */
int settings_number(const char *text, double *value);

/* The defaults, then what was set; an exit status, after a sentence. */
int settings_read(const char *command, const world_scene *scene, const args_values *sets,
                  double *values);

#endif
