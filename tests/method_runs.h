/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* One method on one problem. */
#ifndef MO_TESTS_METHOD_RUNS_H
#define MO_TESTS_METHOD_RUNS_H

#include "check.h"

#include <string.h>

#include "building.h"
#include "linalg/dense.h"
#include "moreau/moreau.h"
#include "scenes.h"

static inline mo_options options_of(const char *method, double tol)
{
    mo_options options = mo_default_options();
    options.method = method;
    options.tol = tol;
    options.max_iter = 100000;
    return options;
}

static inline mo_result run(const char *method, const mo_problem *problem, double tol)
{
    const mo_options options = options_of(method, tol);
    mo_result result = {0};
    CHECK(mo_solve(problem, &options, &result) == MO_OK);
    return result;
}

/* Solves to `tol` and checks the answer with the measure. */
static inline mo_result solved(const char *method, const mo_problem *problem, double tol)
{
    mo_result result = run(method, problem, tol);
    if (result.status != MO_SOLVED) {
        fail_msg("%s: %s after %d iterations, residual %g. %s", method,
                 mo_status_name(result.status), result.iterations, result.residual.natural_relative,
                 result.message.text);
    }
    mo_residual residual;
    CHECK(mo_measure(problem, result.r, &residual) == MO_OK);
    CHECK_BELOW(residual.natural_relative, tol);
    return result;
}

/* The reduced problem with other laws: kind[i % kinds] for contact i. */
static inline mo_problem *with_laws(const mo_problem *problem, const mo_law *laws, int kinds)
{
    mo_problem *reduced;
    CHECK(mo_problem_reduce(problem, &reduced, NULL) == MO_OK);
    mo_builder *builder = new_builder();
    for (int i = 0; i < mo_problem_constraint_count(reduced); ++i) {
        const mo_constraint_view view = mo_problem_constraint(reduced, i);
        mo_builder_add_constraint(builder, view.dim, &laws[i % kinds], view.w);
        for (int k = 0; k < view.block_count; ++k) {
            const mo_block_view block = mo_problem_block(reduced, i, k);
            const mo_constraint_view other = mo_problem_constraint(reduced, block.index);
            mo_builder_add_coupling(builder, i, block.index, view.dim, other.dim, block.values);
        }
    }
    mo_problem_destroy(reduced);
    return finish(builder);
}

static inline mo_problem *wall(int courses, int length, int frictionless, int in_plane,
                               double shake)
{
    scene_wall_def def = scene_wall_default();
    mo_problem *problem;
    def.courses = courses;
    def.length = length;
    def.frictionless = frictionless;
    def.in_plane = in_plane;
    def.shake = shake;
    CHECK(scene_wall(&def, &problem, NULL) == MO_OK);
    return problem;
}

#endif
