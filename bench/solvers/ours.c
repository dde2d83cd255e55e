/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
#include "ours.h"

#include <math.h>
#include <string.h>

#include "child.h"
#include "moreau/moreau.h"

static mo_options options_of(const ours_input *in, double target, const volatile int *cancel)
{
    mo_options options = mo_default_options();
    options.method = in->method;
    options.tol = target;
    options.cancel = cancel;
    if (!mo_method_describe(mo_method_find(in->method)).is_default) options.max_iter = 2000000000;
    return options;
}

/* Measures r again, independently of the result. */
static void judge(const mo_problem *problem, const mo_result *result, trial_line *line)
{
    mo_residual residual;
    const mo_error error = mo_measure(problem, result->r, &residual);
    const int good = !error && residual.natural_relative <= line->target;
    line->residual = error ? NAN : residual.natural_relative;
    line->iterations = result->iterations;
    snprintf(line->status, sizeof line->status, "%s",
             good                             ? trial_solved
             : result->status == MO_SOLVED    ? "mistaken"
             : result->status == MO_CANCELLED ? trial_time_limit
                                              : mo_status_name(result->status));
}

/*
 * A short run is preceded by one that is not timed, on a problem of its own.  Reading the file
 * leaves little of the solver in the caches; a peer's runs follow each other without a file between
 * them.
 */
static void warm_up(const ours_input *in, const mo_options *options, double seconds,
                    mo_result *result)
{
    static const double SHORT = 1e-3;
    mo_problem *problem;
    mo_message why;
    if (seconds <= SHORT && !bench_case_load(in->one, &problem, &why)) {
        mo_solve(problem, options, result);
        mo_problem_destroy(problem);
    }
}

/* One run; its seconds. */
static double run_once(const ours_input *in, mo_result *result, trial_line *line)
{
    mo_problem *problem;
    mo_message why;
    double seconds = 0;
    volatile int cancel = 0;
    const mo_options options = options_of(in, line->target, &cancel);
    mo_error error = bench_case_load(in->one, &problem, &why);
    if (!error) {
        warm_up(in, &options, line->seconds, result);
        const trial_watch watch = trial_watch_start(in->call->time_limit, &cancel);
        error = mo_solve(problem, &options, result);
        seconds = trial_watch_stop(&watch);
    }
    if (error) {
        snprintf(line->status, sizeof line->status, "%s",
                 error == MO_ERR_UNSUPPORTED ? trial_refused
                 : error == MO_ERR_MEMORY    ? "memory"
                                             : "error");
        line->residual = NAN;
    } else {
        judge(problem, result, line);
    }
    mo_problem_destroy(problem);
    return seconds;
}

static void run_target(const ours_input *in, mo_result *result, trial_line *line)
{
    double total = 0;
    line->tolerance = line->target;
    line->seconds = INFINITY;
    for (int done = 0; trial_wants_more(in->call, done, total); ++done) {
        const double seconds = run_once(in, result, line);
        line->seconds = fmin(line->seconds, seconds);
        total += seconds;
        if (!trial_is_solved(line)) break;
    }
}

int ours_try(const void *input, FILE *out)
{
    const ours_input *in = input;
    mo_result result = {0};
    int refused = 0;
    for (int k = 0; k < in->call->target_count && !refused; ++k) {
        trial_line line = {.target = in->call->targets[k]};
        run_target(in, &result, &line);
        refused = strcmp(line.status, trial_refused) == 0;
        if (!refused) trial_print(out, &line);
        if (strcmp(line.status, trial_time_limit) == 0) break; /* the next target is harder */
    }
    mo_result_clear(&result);
    return refused ? CHILD_REFUSES : 0;
}
