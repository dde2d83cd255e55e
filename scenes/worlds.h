/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Scenes that move: worlds by name, with parameters, shared by the program, tests, benchmarks and
 * the viewer.
 *
 * A scene is one row in worlds.c: its name, a line of text, its parameters with their ranges, the
 * step and the time it is usually run for, and the function that builds it.  The same values build
 * the same world, bit for bit.
 */
#ifndef SCENES_WORLDS_H
#define SCENES_WORLDS_H

#include "moreau/joint.h"
#include "moreau/world.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct world_parameter {
    const char *name;
    double value; /* unless another is given */
    double least, most;
    const char *text; /* what it is, with its unit */
    int is_whole;     /* a number of things */
} world_parameter;

enum { WORLD_PARAMETERS = 12 }; /* at most; the list ends where a name is NULL */

/* values: one a parameter, in their order, inside their ranges (see world_check). */
typedef mo_error world_build_fn(const double *values, mo_world **world, mo_message *why);

typedef struct world_scene {
    const char *name;
    const char *text;
    double step, time; /* s */
    world_build_fn *build;
    world_parameter parameter[WORLD_PARAMETERS];
} world_scene;

int world_scene_count(void);
const world_scene *world_scene_at(int k);
const world_scene *world_scene_find(const char *name); /* NULL if there is none */

int world_parameter_count(const world_scene *scene);
void world_default_values(const world_scene *scene, double *values);
/* Sets one by name; a sentence where the name or the range is wrong. */
mo_error world_set_value(const world_scene *scene, double *values, const char *name, double value,
                         mo_message *why);

/* world_default_values, then build. */
mo_error world_create_default(const char *name, mo_world **world, mo_message *why);

#ifdef __cplusplus
}
#endif
#endif
