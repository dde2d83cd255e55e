/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* Worlds by hand, and steps that are all solved. */
#ifndef MO_TESTS_WORLD_STEPS_H
#define MO_TESTS_WORLD_STEPS_H

#include <stdlib.h>
#include <string.h>

#include "check.h"

#include "moreau/moreau.h"

static const double G = 9.81;

static inline mo_world *make_world(mo_world_def def)
{
    mo_world *world;
    mo_message why = {{0}};
    CHECK(mo_world_create(&def, NULL, &world, &why) == MO_OK);
    return world;
}

static inline mo_body_id add(mo_world *world, mo_body_kind kind, mo_shape_def shape, mo_pose pose)
{
    mo_message why = {{0}};
    mo_body_def def = mo_default_body(kind);
    def.pose = pose;
    const mo_body_id body = mo_world_add_body(world, &def, &why);
    const mo_shape_id made = mo_world_add_shape(world, body, &shape, &why);
    if (!made.index) fail_msg("%s", why.text);
    return body;
}

static inline mo_shape_def rough(mo_shape_def shape, double mu)
{
    shape.material.friction = mu;
    return shape;
}

/* So many steps, each of them solved. */
static inline mo_step_report go(mo_world *world, double h, int steps)
{
    mo_step_report report = {0};
    mo_message why = {{0}};
    for (int k = 0; k < steps; ++k) {
        if (mo_world_step(world, h, &report, &why)) fail_msg("step %d: %s", k, why.text);
        if (report.status != MO_SOLVED) fail_msg("step %d: %s", k, report.message.text);
    }
    return report;
}

static inline void set_velocity(mo_world *world, mo_body_id body, double x, double y, double z)
{
    const mo_body_state now = mo_body_get(world, body);
    CHECK(mo_body_set(world, body, &now.pose, (const double[3]){x, y, z}, now.spin, NULL) == MO_OK);
}

#endif
