/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* The same scene with Coulomb's cone replaced by facets, for methods and tests of polyhedral laws.
 */
#ifndef MO_TESTS_RESTATE_H
#define MO_TESTS_RESTATE_H

#include "check.h"

#include "moreau/moreau.h"

/* A copy of the problem; coulomb in space becomes faceted with `facets` directions, or a pyramid
 * for 0. */
static inline mo_problem *restate(const mo_problem *problem, int facets)
{
    mo_builder *builder;
    mo_problem *copy;
    CHECK(mo_builder_create(NULL, &builder) == MO_OK);
    for (int b = 0; b < mo_problem_body_count(problem); ++b) {
        const mo_body_view body = mo_problem_body(problem, b);
        mo_builder_add_body(builder, body.dim, body.M, body.f);
    }
    for (int i = 0; i < mo_problem_constraint_count(problem); ++i) {
        const mo_constraint_view view = mo_problem_constraint(problem, i);
        mo_law law = view.law;
        if (law.kind == MO_LAW_COULOMB && view.dim == 3) {
            law = facets ? mo_law_faceted(law.mu, facets) : mo_law_pyramid(law.mu);
            law.compliance = view.law.compliance;
        }
        mo_builder_add_constraint(builder, view.dim, &law, view.w);
        for (int k = 0; k < view.block_count; ++k) {
            const mo_block_view block = mo_problem_block(problem, i, k);
            mo_builder_add_jacobian(builder, i, block.index, view.dim,
                                    mo_problem_body(problem, block.index).dim, block.values);
        }
    }
    CHECK(mo_builder_finish(builder, &copy, NULL) == MO_OK);
    mo_builder_destroy(builder);
    return copy;
}

#endif
