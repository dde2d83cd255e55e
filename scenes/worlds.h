/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Simulated scenes: worlds by name, with parameters, shared by the program, tests, benchmarks and
 * the viewer.
 *
 * A scene is one row in worlds.c: name, description, parameters with ranges, default step and
 * duration, and the function that builds it.  Equal values give equal worlds, bit for bit.
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
    double value; /* default */
    double least, most;
    const char *text; /* description with unit */
    int is_whole;     /* an integer */
} world_parameter;

enum { WORLD_PARAMETERS = 12 }; /* at most; the list ends where a name is NULL */

/* values: one for each parameter, within their ranges. */
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
/* Sets one by name; fails with a message if the name or the value is not valid. */
mo_error world_set_value(const world_scene *scene, double *values, const char *name, double value,
                         mo_message *why);

/* world_default_values, then build. */
mo_error world_create_default(const char *name, mo_world **world, mo_message *why);

#ifdef __cplusplus
}
#endif
#endif
