/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* The scenes and their parameters: all, or the given one. */
#ifndef CLI_RUN_LIST_H
#define CLI_RUN_LIST_H

#include "json.h"
#include "worlds.h"

void run_list(const world_scene *one, int as_json);

/* One scene, with its time and step if it moves. */
void run_list_put(const world_scene *scene);
void run_list_json(json *j, const world_scene *scene);

#endif
