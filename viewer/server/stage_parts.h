/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* Declarations shared by stage.c (the world) and stage_command.c (commands of pages). */
#ifndef VIEWER_STAGE_PARTS_H
#define VIEWER_STAGE_PARTS_H

#include "stage.h"

/* Lists the world again after bodies were added or removed: a new generation. */
mo_error stage_look(stage *s, mo_message *why);
/* Applies options, gravity and method to the world. */
mo_error stage_apply(stage *s, mo_message *why);
/* Sets the friction of every surface; NaN: the original one. */
mo_error stage_replace_friction(stage *s, double friction, mo_message *why);
mo_error stage_reset(stage *s, mo_message *why);
mo_error stage_load(stage *s, const world_scene *scene, const double *values, mo_message *why);

#endif
