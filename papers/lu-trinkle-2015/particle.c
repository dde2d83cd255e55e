/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * The particle of [lu2015, section IV] through the library.  mo_solve shows each iterate to a
 * watcher, which measures its error in the hard law (eq. 30-31) and ends the run at the paper's
 * tolerance.
 */
#include <string.h>

#include "lu_trinkle.h"
#include "scenes.h"

const double lt_forces[] = {-20, -10, -6, -5.1, -5.05, -5.01, -5.001, -5, -4};
const int lt_force_count = sizeof lt_forces / sizeof lt_forces[0];

const double lt_steps[] = {0.2, 0.5, 0.8, 0.9, 1, 1.1, 1.25, 1.5};
const int lt_step_count = sizeof lt_steps / sizeof lt_steps[0];

enum { FACETS = 4 };

typedef struct watcher {
    const mo_problem *problem;
    double tolerance;
    int facets;
    lt_trace *trace;
    volatile int enough;
} watcher;

static void watch(void *user, const mo_progress *now, const double *r)
{
    watcher *w = user;
    lt_trace *trace = w->trace;
    const int k = now->iteration;
    if (mo_measure_cck(w->problem, r, w->facets, LT_XI, &trace->error[k]))
        trace->error[k] = INFINITY; /* a diverged iterate */
    memcpy(trace->impulse[k], r, sizeof trace->impulse[k]);
    trace->last = k;
    if (k > 0 && !trace->reached && trace->error[k] < w->tolerance) {
        trace->reached = 1;
        trace->iterations = k;
        w->enough = 1;
    }
}

/* The run has ended at iterate `last`, and would have stayed there. */
static void extend(const watcher *w, int is_fixed_point)
{
    lt_trace *trace = w->trace;
    for (int k = trace->last + 1; k <= LT_MOST; ++k) {
        trace->error[k] = trace->error[trace->last];
        memcpy(trace->impulse[k], trace->impulse[trace->last], sizeof trace->impulse[k]);
    }
    if (is_fixed_point && !trace->reached && trace->error[trace->last] < w->tolerance) {
        trace->reached = 1;
        trace->iterations = trace->last > 1 ? trace->last : 1;
    }
}

static mo_options options_of(const lt_trial *trial, watcher *w)
{
    mo_options options = mo_default_options();
    options.method = "prox";
    options.tol = 0;
    options.max_iter = LT_MOST;
    options.cancel = &w->enough;
    options.progress = watch;
    options.progress_user = w;
    options.prox.model = trial->linearised;
    options.prox.order = trial->gauss_seidel;
    options.prox.rule = trial->adaptive ? LT_ADAPTIVE : LT_FIXED;
    options.prox.r = trial->adaptive ? 1 : trial->step;
    options.prox.zeta = trial->zeta;
    options.prox.facets = FACETS;
    return options;
}

mo_error lt_solve(const lt_trial *trial, lt_trace *trace)
{
    scene_particle_def def = scene_particle_default();
    mo_problem *problem;
    def.gravity = trial->gravity;
    def.mass = trial->mass > 0 ? trial->mass : def.mass;
    mo_error error = scene_particle(&def, &problem, NULL);
    if (error) return error;
    *trace = (lt_trace){.iterations = LT_MOST};
    watcher w = {.problem = problem,
                 .tolerance = trial->tolerance,
                 .facets = trial->linearised ? FACETS : 0,
                 .trace = trace};
    const mo_options options = options_of(trial, &w);
    mo_result result = {0};
    error = mo_solve(problem, &options, &result);
    extend(&w, result.status == MO_SOLVED || result.status == MO_STALLED);
    mo_result_clear(&result);
    mo_problem_destroy(problem);
    return error;
}
