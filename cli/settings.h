/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* Scenes on the command line, and `--set NAME=VALUE`: their parameters. */
#ifndef CLI_SETTINGS_H
#define CLI_SETTINGS_H

#include "args.h"
#include "worlds.h"

/* The scene of this name, or NULL after a sentence. */
const world_scene *settings_scene(const char *command, const char *name);

/* A finite number, and nothing else. */
int settings_number(const char *text, double *value);

/* The defaults, then what was set; an exit status, after a sentence. */
int settings_read(const char *command, const world_scene *scene, const args_values *sets,
                  double *values);

/* A number of a flag between bounds; where it is absent the value stays.  An exit status, after a
 * sentence. */
int settings_bounded(const char *command, const args_flag *flag, double least, double most,
                     int whole, double *value);

#endif
