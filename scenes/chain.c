/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* A chain of rods and ball joints. */
#include <math.h>

#include "rigid.h"
#include "scenes.h"

/* Rods of 1 m and 1 kg, 0.1 m thick, so that they have inertia about their own axis too. */
static const double MASS = 1, LENGTH = 1, THICKNESS = 0.1;

scene_chain_def scene_chain_default(void)
{
    return (scene_chain_def){.links = 10, .angle = acos(-1.0) / 3, .closed = 0, .step = 0.01};
}

/* Inertia of a square rod along `axis`: c I + (a - c) axis axis'. */
static void add_rod(mo_builder *builder, const double axis[3], double step)
{
    const double across = MASS * (LENGTH * LENGTH + THICKNESS * THICKNESS) / 12;
    const double along = MASS * THICKNESS * THICKNESS / 6;
    const double inertia[3] = {across, across, across};
    double M[RIGID * RIGID];
    rigid_mass(MASS, inertia, M);
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            M[(3 + i) * RIGID + 3 + j] += (along - across) * axis[i] * axis[j];
    const double f[RIGID] = {0, 0, -MASS * SCENE_GRAVITY * step, 0, 0, 0};
    mo_builder_add_body(builder, RIGID, M, f);
}

/* Joint k: the lower end of link k - 1 and the upper end of link k, where there are such links. */
static void add_joint(mo_builder *builder, const scene_chain_def *def, int k, const double axis[3])
{
    static const double world[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    const double half = LENGTH / 2;
    const double lower[3] = {half * axis[0], half * axis[1], half * axis[2]};
    const double upper[3] = {-lower[0], -lower[1], -lower[2]};
    const mo_law law = mo_law_bilateral();
    double J[3 * RIGID];
    const int joint = mo_builder_add_constraint(builder, 3, &law, NULL);
    if (k > 0) {
        rigid_jacobian(3, world, lower, -1, J);
        mo_builder_add_jacobian(builder, joint, k - 1, 3, RIGID, J);
    }
    if (k < def->links) {
        rigid_jacobian(3, world, upper, 1, J);
        mo_builder_add_jacobian(builder, joint, k, 3, RIGID, J);
    }
}

mo_error scene_joint_chain(const scene_chain_def *def, mo_problem **problem, mo_message *why)
{
    *problem = NULL;
    if (def->links < 1) return scene_fail(why, MO_ERR_ARGUMENT, "a chain needs at least one link");
    mo_builder *builder;
    mo_error error = mo_builder_create(NULL, &builder);
    if (error) return scene_fail(why, error, "%s", mo_error_text(error));
    const double axis[3] = {sin(def->angle), 0,
                            -cos(def->angle)}; /* from its upper end downwards */
    for (int k = 0; k < def->links; ++k)
        add_rod(builder, axis, def->step);
    for (int k = 0; k < def->links + (def->closed != 0); ++k)
        add_joint(builder, def, k, axis);
    error = mo_builder_finish(builder, problem, why);
    mo_builder_destroy(builder);
    return error;
}
