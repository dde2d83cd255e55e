/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* A stack of cubes with four contacts a face. */
#include <math.h>

#include "rigid.h"
#include "scenes.h"

scene_stack_def scene_stack_default(void)
{
    return (scene_stack_def){.boxes = 5, .mass_ratio = 1, .mu = 0.5, .push = 0, .step = 0.01};
}

static void add_boxes(mo_builder *builder, const scene_stack_def *def)
{
    static const double unit[3] = {1, 1, 1};
    const double growth = def->boxes > 1 ? pow(def->mass_ratio, 1.0 / (def->boxes - 1)) : 1;
    double mass = 1;
    for (int k = 0; k < def->boxes; ++k, mass *= growth) {
        const double weight = mass * SCENE_GRAVITY * def->step;
        const int is_top = k == def->boxes - 1;
        const double impulse[3] = {is_top ? def->push * weight : 0, 0, -weight};
        rigid_add_box(builder, mass, unit, impulse);
    }
}

/* The contact between cube k - 1 (or the floor) and cube k at one of four corners. */
static void add_corner(mo_builder *builder, int k, double x, double y, const mo_law *law)
{
    static const double frame[9] = {0, 0, 1, 1, 0, 0, 0, 1, 0}; /* normal z, tangents x and y */
    const double above[3] = {x, y, -0.5}, below[3] = {x, y, 0.5};
    double J[3 * RIGID];
    const int contact = mo_builder_add_constraint(builder, 3, law, NULL);
    if (k > 0) {
        rigid_jacobian(3, frame, below, -1, J);
        mo_builder_add_jacobian(builder, contact, k - 1, 3, RIGID, J);
    }
    rigid_jacobian(3, frame, above, 1, J);
    mo_builder_add_jacobian(builder, contact, k, 3, RIGID, J);
}

mo_error scene_box_stack(const scene_stack_def *def, mo_problem **problem, mo_message *why)
{
    *problem = NULL;
    if (def->boxes < 1 || !(def->mass_ratio > 0)) {
        return scene_fail(why, MO_ERR_ARGUMENT,
                          "a stack needs at least one box and a mass ratio above 0");
    }
    mo_builder *builder;
    mo_error error = mo_builder_create(NULL, &builder);
    if (error) return scene_fail(why, error, "%s", mo_error_text(error));
    const mo_law law = mo_law_coulomb(def->mu);
    add_boxes(builder, def);
    for (int contact = 0; contact < 4 * def->boxes; ++contact)
        add_corner(builder, contact / 4, contact & 1 ? 0.5 : -0.5, contact & 2 ? 0.5 : -0.5, &law);
    error = mo_builder_finish(builder, problem, why);
    mo_builder_destroy(builder);
    return error;
}
