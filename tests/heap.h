/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* The scene `beads`: a heap of balls. */
#ifndef MO_TESTS_HEAP_H
#define MO_TESTS_HEAP_H

#include "check.h"

#include "moreau/moreau.h"
#include "worlds.h"

static inline mo_world *heap_of_beads(int count, double tol, int threads)
{
    const world_scene *scene = world_scene_find("beads");
    double values[WORLD_PARAMETERS];
    mo_world *world;
    mo_message why = {""};
    world_default_values(scene, values);
    CHECK(world_set_value(scene, values, "count", count, &why) == MO_OK);
    CHECK(scene->build(values, &world, &why) == MO_OK);
    mo_world_def def = mo_world_definition(world);
    def.solver.tol = tol;
    def.solver.threads = threads;
    CHECK(mo_world_change(world, &def, &why) == MO_OK);
    return world;
}

static inline void heap_set_tolerance(mo_world *world, double tol)
{
    mo_world_def def = mo_world_definition(world);
    def.solver.tol = tol;
    CHECK(mo_world_change(world, &def, NULL) == MO_OK);
}

/* The last of so many steps. */
static inline mo_step_report heap_step(mo_world *world, int steps)
{
    mo_step_report report = {0};
    mo_message why = {""};
    for (int k = 0; k < steps; ++k)
        CHECK(mo_world_step(world, 0.02, &report, &why) == MO_OK);
    return report;
}

#endif
