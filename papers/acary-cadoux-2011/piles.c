/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * The paper stops a simulation of 300 beads when 250 contacts are reached, with beads still in
 * motion.  Here: the bed of stones of scene_packing, whose stones move at random, with mu changed;
 * and the same bed released from rest.
 */
#include "acary_cadoux_2011.h"
#include "scenes.h"

enum { SEED = 4 };
static const double STEP = 0.01; /* of scene_packing, s */

const char *const ac_state_names[AC_STATES] = {"moving", "released"};

/* Body b again: its own f, or what gravity alone gives. */
static void copy_body(const mo_problem *from, int b, ac_state state, mo_builder *builder)
{
    const mo_body_view body = mo_problem_body(from, b);
    double f[6] = {0};
    f[2] = -body.M[2 * body.dim + 2] * SCENE_GRAVITY * STEP; /* z is up */
    mo_builder_add_body(builder, body.dim, body.M, state == AC_MOVING ? body.f : f);
}

static void copy_constraint(const mo_problem *from, int i, double mu, mo_builder *builder)
{
    const mo_constraint_view view = mo_problem_constraint(from, i);
    const mo_law law = mo_law_coulomb(mu);
    mo_builder_add_constraint(builder, view.dim, &law, view.w);
    for (int k = 0; k < view.block_count; ++k) {
        const mo_block_view block = mo_problem_block(from, i, k);
        mo_builder_add_jacobian(builder, i, block.index, view.dim,
                                mo_problem_body(from, block.index).dim, block.values);
    }
}

mo_error ac_pile(int contacts, ac_state state, double mu, mo_problem **problem)
{
    mo_problem *bed;
    mo_builder *builder;
    mo_error error = scene_packing(contacts, SEED, &bed, NULL);
    *problem = NULL;
    if (error) return error;
    error = mo_builder_create(NULL, &builder);
    if (!error) {
        for (int b = 0; b < mo_problem_body_count(bed); ++b)
            copy_body(bed, b, state, builder);
        for (int i = 0; i < mo_problem_constraint_count(bed); ++i)
            copy_constraint(bed, i, mu, builder);
        error = mo_builder_finish(builder, problem, NULL);
        mo_builder_destroy(builder);
    }
    mo_problem_destroy(bed);
    return error;
}
