/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* The scenes and their parameters: all, or the one that is given. */
#ifndef CLI_RUN_LIST_H
#define CLI_RUN_LIST_H

#include "worlds.h"

void run_list(const world_scene *one, int as_json);

#endif
