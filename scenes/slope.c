/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* A block on a slope, on its four lower corners. */
#include <math.h>

#include "rigid.h"
#include "scenes.h"

static const double SIDES[3] = {1, 1, 0.5};

scene_slope_def scene_slope_default(void)
{
    return (scene_slope_def){.angle = 20 * acos(-1.0) / 180, .mu = 0.5, .step = 0.01};
}

static void add_corner(mo_builder *builder, int body, double x, double y, const mo_law *law)
{
    static const double frame[9] = {0, 0, 1, 1, 0, 0, 0, 1, 0}; /* normal z, tangents x and y */
    const double arm[3] = {x * SIDES[0] / 2, y * SIDES[1] / 2, -SIDES[2] / 2};
    double J[3 * RIGID];
    rigid_jacobian(3, frame, arm, 1, J);
    const int contact = mo_builder_add_constraint(builder, 3, law, NULL);
    mo_builder_add_jacobian(builder, contact, body, 3, RIGID, J);
}

mo_error scene_block_on_slope(const scene_slope_def *def, mo_problem **problem, mo_message *why)
{
    *problem = NULL;
    mo_builder *builder;
    mo_error error = mo_builder_create(NULL, &builder);
    if (error) return scene_fail(why, error, "%s", mo_error_text(error));
    const double pull = SCENE_GRAVITY * def->step; /* on 1 kg */
    const double impulse[3] = {pull * sin(def->angle), 0, -pull * cos(def->angle)};
    const int body = rigid_add_box(builder, 1, SIDES, impulse);
    const mo_law law = mo_law_coulomb(def->mu);
    for (int corner = 0; corner < 4; ++corner)
        add_corner(builder, body, corner & 1 ? 1 : -1, corner & 2 ? 1 : -1, &law);
    error = mo_builder_finish(builder, problem, why);
    mo_builder_destroy(builder);
    return error;
}
