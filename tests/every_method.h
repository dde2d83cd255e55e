/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * The contract of mo_solve, asked of every method in the list: a new method joins these tests by
 * itself. Answers are judged by the measure and by closed forms, never by what a method says of
 * itself.
 */
#ifndef TESTS_EVERY_METHOD_H
#define TESTS_EVERY_METHOD_H

#include "check.h"
#include "moreau/moreau.h"

static inline mo_options options_of(int method)
{
    mo_options options = mo_default_options();
    options.method = mo_method_describe(method).name;
    options.max_iter = 200000;
    return options;
}

/* The laws of a problem as bits, and those of blocks with more than two rows. */
static inline unsigned laws_of(const mo_problem *problem, int least_dim)
{
    unsigned bits = 0;
    for (int i = 0; i < mo_problem_constraint_count(problem); ++i) {
        const mo_constraint_view view = mo_problem_constraint(problem, i);
        bits |= view.dim >= least_dim ? 1u << view.law.kind : 0;
    }
    return bits;
}

/* Does the method take these laws, and as they are?  Some replace the cone by facets, or relax it.
 */
static inline int is_exact(int method, const mo_problem *problem)
{
    const mo_method_info info = mo_method_describe(method);
    const unsigned laws = laws_of(problem, 0);
    return !(laws & ~info.laws) && !(laws & info.relaxed) &&
           !(laws_of(problem, 3) & info.by_facets);
}

/* Solves to `tol` and checks the answer with the measure. */
static inline mo_result solved(int method, const mo_problem *problem, double tol)
{
    mo_options options = options_of(method);
    mo_result result = {0};
    options.tol = tol;
    CHECK(mo_solve(problem, &options, &result) == MO_OK);
    if (result.status != MO_SOLVED) {
        fail_msg("%s: %s after %d iterations, residual %g. %s", options.method,
                 mo_status_name(result.status), result.iterations, result.residual.natural_relative,
                 result.message.text);
    }
    mo_residual residual;
    CHECK(mo_measure(problem, result.r, &residual) == MO_OK);
    CHECK_BELOW(residual.natural_relative, tol);
    CHECK(residual.natural == result.residual.natural);
    return result;
}

#endif
