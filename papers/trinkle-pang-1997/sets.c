/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Both methods on one data set.  The library does not report the number of starts that a method
 * used.  Starts are drawn from a seed, so a run with fewer restarts is the beginning of one with
 * more; the smallest number with which the method succeeds is therefore the number used.
 */
#include "rerun.h"

const char *const tp_method_names[TP_METHOD_COUNT] = {"lemke", "fip"};

enum { PAPER_PIVOTS = 100 };

static mo_options options_of(tp_method method, int restarts)
{
    mo_options options = mo_default_options();
    options.method = tp_method_names[method];
    options.tol = TP_TOLERANCE;
    options.max_iter = 1000000; /* the limits of each start are the method's own */
    options.lemke.restarts = options.fip.restarts = restarts;
    return options;
}

/* The least number of starts with which the method solves the problem. */
static mo_error count_starts(const mo_problem *problem, tp_method method, int restarts, int *starts)
{
    mo_result result = {0};
    mo_error error = MO_OK;
    for (*starts = 1; !error && *starts <= restarts; ++*starts) {
        const mo_options options = options_of(method, *starts - 1);
        error = mo_solve(problem, &options, &result);
        if (result.status == MO_SOLVED) break;
    }
    mo_result_clear(&result);
    return error;
}

static mo_error run_method(const mo_problem *problem, tp_method method, tp_run *out)
{
    const mo_options defaults = mo_default_options();
    const int restarts = method == TP_LEMKE ? defaults.lemke.restarts : defaults.fip.restarts;
    const mo_options options = options_of(method, restarts);
    mo_result result = {0};
    mo_error error = mo_solve(problem, &options, &result);
    *out = (tp_run){.solved = result.status == MO_SOLVED,
                    .iterations = result.iterations,
                    .residual = result.residual.natural_relative,
                    .seconds = result.seconds,
                    .message = result.message};
    mo_result_clear(&result);
    if (!error && out->solved) error = count_starts(problem, method, restarts, &out->starts);
    return error;
}

/* Lemke's algorithm within the paper's 100 pivots a start. */
static mo_error run_within_100(const mo_problem *problem, int *solved)
{
    mo_options options = options_of(TP_LEMKE, mo_default_options().lemke.restarts);
    mo_result result = {0};
    options.lemke.pivots = PAPER_PIVOTS;
    const mo_error error = mo_solve(problem, &options, &result);
    *solved = result.status == MO_SOLVED;
    mo_result_clear(&result);
    return error;
}

mo_error tp_solve(int number, tp_set *out, mo_message *why)
{
    mo_problem *problem;
    *out = (tp_set){.set = trinkle_pang_set_of(number)};
    mo_error error = scene_grasp(&out->set.def, &problem, why);
    if (error) return error;
    for (int method = 0; !error && method < TP_METHOD_COUNT; ++method)
        error = run_method(problem, (tp_method)method, &out->run[method]);
    error = error ? error : run_within_100(problem, &out->within_100);
    mo_problem_destroy(problem);
    return error;
}
