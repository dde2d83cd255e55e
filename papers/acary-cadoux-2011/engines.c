/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * The inner solvers of section 6 on one problem: successive approximations to the paper's rule
 * (6.1) with epsilon = 1e-4, then to 1e-4 in the measure, from zero and from the solution of a
 * neighbouring problem (mu = 0.31 instead of 0.3), as a time step would.
 */
#include <string.h>

#include "acary_cadoux_2011.h"

const char *const ac_engine_names[AC_ENGINES] = {"newton", "gradient", "apgd",
                                                 "facets", "interior", "admm"};
const int ac_sizes[AC_SIZES] = {239, 506, 741};

static const double MU = 0.3, NEIGHBOUR = 0.31;
enum { REPEATS = 2 };

static mo_error make_options(int engine, double patience, mo_options *options)
{
    *options = mo_default_options();
    options->method = "acary-cadoux";
    options->acary_cadoux.outer = 0;
    options->acary_cadoux.rescue = 0;
    options->acary_cadoux.inner = 250; /* as the paper allows its projected gradient */
    options->tol = 1e-4;
    options->max_iter = 200;
    options->time_limit = patience;
    return mo_options_set(options, "acary-cadoux.engine", ac_engine_names[engine], NULL);
}

/* The least time of some runs; the last result is kept. */
static mo_error run_some(const mo_problem *problem, const mo_options *options, mo_result *result,
                         double *seconds)
{
    mo_error error = MO_OK;
    for (int k = 0; k < REPEATS && !error; ++k) {
        error = mo_solve(problem, options, result);
        *seconds = k == 0 || result->seconds < *seconds ? result->seconds : *seconds;
    }
    return error;
}

static mo_error measure(const mo_problem *problem, const mo_problem *neighbour, mo_options options,
                        ac_cost *cost)
{
    mo_result result = {0}, start = {0};
    options.acary_cadoux.epsilon = 1e-4;
    options.tol = 1e-13; /* the rule alone ends it */
    mo_error error = run_some(problem, &options, &result, &cost->seconds);
    cost->rounds = result.iterations;
    cost->residual = result.residual.natural_relative;
    options.acary_cadoux.epsilon = 0;
    options.tol = 1e-4;
    error = error ? error : run_some(problem, &options, &result, &cost->full_seconds);
    cost->full_rounds = result.iterations;
    cost->is_solved = result.status == MO_SOLVED;
    error = error ? error : mo_solve(neighbour, &options, &start);
    options.start = start.r;
    error = error ? error : run_some(problem, &options, &result, &cost->warm_seconds);
    cost->warm_rounds = result.iterations;
    cost->is_warm_solved = result.status == MO_SOLVED;
    mo_result_clear(&result);
    mo_result_clear(&start);
    return error;
}

mo_error ac_measure_cost(int engine, int contacts, double patience, ac_cost *cost)
{
    mo_problem *problem = NULL, *neighbour = NULL;
    mo_options options;
    *cost = (ac_cost){.engine = engine, .contacts = contacts};
    mo_error error = make_options(engine, patience, &options);
    error = error ? error : ac_pile(contacts, AC_MOVING, MU, &problem);
    error = error ? error : ac_pile(contacts, AC_MOVING, NEIGHBOUR, &neighbour);
    error = error ? error : measure(problem, neighbour, options, cost);
    mo_problem_destroy(problem);
    mo_problem_destroy(neighbour);
    return error;
}
