/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* A world of a scene, with one parameter set. */
#ifndef MO_TESTS_SCENE_WORLD_H
#define MO_TESTS_SCENE_WORLD_H

#include "check.h"

#include "moreau/moreau.h"
#include "worlds.h"

/* parameter: NULL for the defaults of the scene. */
static inline mo_world *scene_world(const char *name, const char *parameter, double value)
{
    const world_scene *scene = world_scene_find(name);
    double values[WORLD_PARAMETERS];
    mo_message why = {{0}};
    mo_world *world = NULL;
    CHECK(scene != NULL);
    world_default_values(scene, values);
    CHECK(!parameter || world_set_value(scene, values, parameter, value, &why) == MO_OK);
    CHECK(scene->build(values, &world, &why) == MO_OK);
    return world;
}

#endif
