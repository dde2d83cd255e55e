/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* Scenes as problems: solved, swept, numbered in another order. */
#ifndef MO_TESTS_SCENE_PROBLEMS_H
#define MO_TESTS_SCENE_PROBLEMS_H

#include "check.h"

#include <stdlib.h>
#include <string.h>

#include "base/parallel.h"
#include "linalg/dense.h"
#include "moreau/moreau.h"
#include "problem/colouring.h"
#include "problem/views.h"
#include "scenes.h"

/* ---- helpers --------------------------------------------------------------------------------- */

static inline mo_result solved(const mo_problem *problem, double tol)
{
    mo_options options = mo_default_options();
    mo_result result = {0};
    options.method = "nsgs";
    options.tol = tol;
    options.max_iter = 200000;
    CHECK(mo_solve(problem, &options, &result) == MO_OK);
    if (result.status != MO_SOLVED) {
        fail_msg("%s after %d sweeps, residual %g", mo_status_name(result.status),
                 result.iterations, result.residual.natural_relative);
    }
    return result;
}

/* `sweeps` sweeps in the coloured order. */
static inline mo_result swept(const mo_problem *problem, int threads, int sweeps, double omega)
{
    mo_options options = mo_default_options();
    mo_result result = {0};
    options.method = "nsgs";
    options.tol = 0;
    options.threads = threads;
    options.max_iter = sweeps;
    options.nsgs.order = 2;
    options.nsgs.omega = omega;
    CHECK(mo_solve(problem, &options, &result) == MO_OK);
    CHECK(result.iterations == sweeps);
    return result;
}

static inline int same_bits(const mo_problem *problem, const double *a, const double *b)
{
    return memcmp(a, b, sizeof *a * (size_t)mo_problem_row_count(problem)) == 0;
}

/* The sum of the normal impulses of `count` contacts in space, from the first on. */
static inline double normal_sum(const double *r, int count)
{
    double sum = 0;
    for (int k = 0; k < count; ++k)
        sum += r[3 * k];
    return sum;
}

/* The same problem with constraint order[k] in place k (NULL: as it is), and `lone` bodies of three
 * velocities that nothing touches behind the others. */
static inline mo_problem *copy_of(const mo_problem *problem, const int *order, int lone)
{
    static const double unit[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    mo_builder *builder;
    mo_problem *copy;
    CHECK(mo_builder_create(NULL, &builder) == MO_OK);
    for (int b = 0; b < mo_problem_body_count(problem); ++b) {
        const mo_body_view body = mo_problem_body(problem, b);
        mo_builder_add_body(builder, body.dim, body.M, body.f);
    }
    for (int b = 0; b < lone; ++b)
        mo_builder_add_body(builder, 3, unit, NULL);
    for (int k = 0; k < mo_problem_constraint_count(problem); ++k) {
        const int i = order ? order[k] : k;
        const mo_constraint_view view = mo_problem_constraint(problem, i);
        mo_builder_add_constraint(builder, view.dim, &view.law, view.w);
        for (int m = 0; m < view.block_count; ++m) {
            const mo_block_view block = mo_problem_block(problem, i, m);
            mo_builder_add_jacobian(builder, k, block.index, view.dim,
                                    mo_problem_body(problem, block.index).dim, block.values);
        }
    }
    CHECK(mo_builder_finish(builder, &copy, NULL) == MO_OK);
    mo_builder_destroy(builder);
    return copy;
}

/* A permutation that leaves nobody near its neighbours. */
static inline int *shuffled(int count)
{
    int *order = malloc(sizeof *order * (size_t)count);
    mo_random random = {5};
    for (int k = 0; k < count; ++k) {
        const int j = (int)uniform(&random, 0, k + 1);
        order[k] = order[j];
        order[j] = k;
    }
    return order;
}

#endif
