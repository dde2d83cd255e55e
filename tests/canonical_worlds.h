/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* Worlds whose impulses are canonical. */
#ifndef MO_TESTS_CANONICAL_WORLDS_H
#define MO_TESTS_CANONICAL_WORLDS_H

#include "every_method.h"

#include <stdlib.h>
#include <string.h>

#include "worlds.h"

static const double G = 9.81;

/* ---- worlds ---------------------------------------------------------------------------------- */

typedef struct setting {
    const char *name;
    double value;
} setting;

static inline mo_world *build(const char *name, const char *method, int count, const setting *set)
{
    const world_scene *scene = world_scene_find(name);
    double values[WORLD_PARAMETERS];
    mo_world *world;
    world_default_values(scene, values);
    for (int k = 0; k < count; ++k)
        CHECK(world_set_value(scene, values, set[k].name, set[k].value, NULL) == MO_OK);
    CHECK(scene->build(values, &world, NULL) == MO_OK);
    mo_world_def def = mo_world_definition(world);
    def.solver.method = method;
    CHECK(mo_world_change(world, &def, NULL) == MO_OK);
    return world;
}

/* False where a step was not solved. */
static inline int runs(mo_world *world, double h, int steps)
{
    for (int k = 0; k < steps; ++k) {
        mo_step_report report;
        CHECK(mo_world_step(world, h, &report, NULL) == MO_OK);
        if (report.status != MO_SOLVED) return 0;
    }
    return 1;
}

static inline void run(mo_world *world, double h, int steps)
{
    if (!runs(world, h, steps)) fail_msg("%s did not solve a step", mo_world_result(world)->method);
}

/* Methods that take contacts with friction in space as they are. */
static inline int takes_friction(int method)
{
    const mo_method_info info = mo_method_describe(method);
    const unsigned bit = 1u << MO_LAW_COULOMB;
    return (info.laws & bit) && !(info.relaxed & bit) && !(info.by_facets & bit);
}

/* Normal and tangential parts of a contact's force, in N. */
static inline void force_of(const mo_contact *contact, double h, double *normal, double *friction)
{
    double square = 0;
    *normal = 0;
    for (int k = 0; k < 3; ++k) {
        *normal += contact->impulse[k] * contact->normal[k] / h;
        square += pow(contact->impulse[k] / h, 2);
    }
    *friction = 0;
    for (int k = 0; k < 3; ++k)
        *friction += pow(contact->impulse[k] / h - *normal * contact->normal[k], 2);
    *friction = sqrt(*friction);
    *normal = fabs(*normal);
    CHECK(isfinite(square));
}

#endif
