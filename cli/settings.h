/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* Scenes on the command line, and `--set NAME=VALUE`: their parameters. */
#ifndef CLI_SETTINGS_H
#define CLI_SETTINGS_H

#include "args.h"
#include "worlds.h"

/* The scene with this name, or NULL after a message. */
const world_scene *settings_scene(const char *command, const char *name);

/* A finite number, and nothing else. */
int settings_number(const char *text, double *value);

/* The defaults, then the given values; an exit status, after a message. */
int settings_read(const char *command, const world_scene *scene, const args_values *sets,
                  double *values);

/* A number of a flag within bounds; the value does not change if the flag is absent.  An exit
 * status, after a message. */
int settings_bounded(const char *command, const args_flag *flag, double least, double most,
                     int whole, double *value);

#endif
