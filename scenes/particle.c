/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* The particle above a plane of [lu2015, section IV A]. */
#include "rigid.h"
#include "scenes.h"

enum { D = 3 };

scene_particle_def scene_particle_default(void)
{
    return (scene_particle_def){
        .mass = 1, .gap = 0.15, .velocity = {-1, 1, 0}, .gravity = -10, .step = 0.1, .mu = 0.5};
}

mo_error scene_particle(const scene_particle_def *def, mo_problem **problem, mo_message *why)
{
    *problem = NULL;
    if (!(def->mass > 0) || !(def->step > 0))
        return scene_fail(why, MO_ERR_ARGUMENT, "the particle needs a mass and a step above zero");
    const double m = def->mass, h = def->step, c = def->compliance;
    const double M[D * D] = {m, 0, 0, 0, m, 0, 0, 0, m}, J[D * D] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    const double f[D] = {m * def->velocity[0] + h * m * def->gravity, m * def->velocity[1],
                         m * def->velocity[2]};
    const double w[D] = {def->gap / h, 0, 0}, compliance[D] = {c, c, c};
    mo_law law = mo_law_coulomb(def->mu);
    law.compliance = c != 0 ? compliance : NULL;

    mo_builder *builder;
    mo_error error = mo_builder_create(NULL, &builder);
    if (error) return scene_fail(why, error, "%s", mo_error_text(error));
    const int body = mo_builder_add_body(builder, D, M, f);
    const int contact = mo_builder_add_constraint(builder, D, &law, w);
    mo_builder_add_jacobian(builder, contact, body, D, D, J);
    error = mo_builder_finish(builder, problem, why);
    mo_builder_destroy(builder);
    return error;
}
