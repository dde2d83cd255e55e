/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* What stage.c (the world) and stage_command.c (what pages do to it) share. */
#ifndef VIEWER_STAGE_PARTS_H
#define VIEWER_STAGE_PARTS_H

#include "stage.h"

/* Looks at the world anew, as after bodies came or went: another generation. */
mo_error stage_look(stage *s, mo_message *why);
/* Options, gravity and method, to the world. */
mo_error stage_apply(stage *s, mo_message *why);
/* Every surface has this friction from now on; NaN: the one that it had. */
mo_error stage_replace_friction(stage *s, double friction, mo_message *why);
mo_error stage_reset(stage *s, mo_message *why);
mo_error stage_load(stage *s, const world_scene *scene, const double *values, mo_message *why);

#endif
