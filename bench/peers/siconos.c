/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * moreau-siconos --list
 * moreau-siconos FILE CONFIGURATION TIME_LIMIT REPEATS TARGET...
 *
 * The first form prints the names of the configurations.  The second runs one on the problem of an
 * FCLIB file and prints a line for each target (bench/solvers/trial.h), or exits with CHILD_REFUSES
 * if it does not apply.  `moreau bench solvers --against siconos` calls it.
 *
 * Timed is the call of Siconos' driver alone, with a new problem and new options in each run.  If a
 * local solver runs on a global problem, the time of mo_problem_reduce on a newly read
 * problem is added.
 *
 * Siconos divides by |q| what we divide by max(1, |q|).  A run gets the tolerance that means the
 * same as the target; if Siconos converged and our measure of its r has not, a tenth of that, and
 * so on.  The reported time is the fastest of REPEATS runs at the first tolerance that our measure
 * accepts.
 */
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <siconos/numerics/NumericsVerbose.h>
#include <siconos/numerics/SolverOptions.h>

#include "child.h"
#include "moreau/moreau.h"
#include "siconos.h"
#include "trial.h"

enum { TIGHTENINGS = 8, ITERATIONS = 100000000 };
static const double TOLERANCE_LEAST = 1e-16, TOLERANCE_MOST = 0.1;

/* One trial, and the vectors it works on. */
typedef struct attempt {
    const siconos_config *config;
    siconos_source source;
    trial_call call;
    double *r, *u, *v;
    const char *file;
    double reduction; /* seconds that making W took, for a local solver on a global problem */
    FILE *out;
} attempt;

/* ---- runs ------------------------------------------------------------------------------------ */

static SolverOptions *make_options(const siconos_config *config, double tolerance)
{
    SolverOptions *options = solver_options_create(config->solver);
    if (options) {
        options->dparam[SICONOS_DPARAM_TOL] = tolerance;
        options->iparam[SICONOS_IPARAM_MAX_ITER] = ITERATIONS;
        if (config->at) options->iparam[config->at] = config->value;
        if (config->inner) solver_options_update_internal(options, 0, config->inner);
    }
    return options;
}

/* One call of the driver; its result is in r.  Returns the seconds, or NAN if the call could not
 * be made. */
static double run_once(attempt *a, trial_line *line, int *content)
{
    const size_t rows = (size_t)mo_problem_row_count(a->source.problem);
    const size_t dofs = (size_t)mo_problem_dof_count(a->source.problem);
    siconos_problem *problem = siconos_problem_make(a->config, &a->source);
    SolverOptions *options = make_options(a->config, line->tolerance);
    if (!problem || !options) return NAN;
    memset(a->r, 0, rows * sizeof *a->r);
    memset(a->u, 0, rows * sizeof *a->u);
    memset(a->v, 0, dofs * sizeof *a->v);
    const trial_watch watch = trial_watch_start(a->call.time_limit, NULL);
    *content = siconos_problem_solve(problem, options, a->r, a->u, a->v) == 0;
    const double seconds = trial_watch_stop(&watch);
    line->iterations = options->iparam[SICONOS_IPARAM_ITER_DONE];
    solver_options_delete(options);
    siconos_problem_free(problem);
    return seconds;
}

/* Does r meet the tolerance by our measure? */
static int judge(const attempt *a, trial_line *line)
{
    mo_residual residual;
    const mo_error error = mo_measure(a->source.problem, a->r, &residual);
    line->residual = error ? NAN : residual.natural_relative;
    return !error && residual.natural_relative <= line->target;
}

/* The same call again, for a better time; as long as the result meets the tolerance. */
static void repeat(attempt *a, trial_line *line)
{
    double total = line->seconds;
    for (int done = 1; trial_wants_more(&a->call, done, total); ++done) {
        trial_line again = *line;
        int content;
        const double seconds = run_once(a, &again, &content);
        if (isnan(seconds) || !judge(a, &again)) break;
        line->seconds = fmin(line->seconds, seconds);
        total += seconds;
    }
}

/* Tightens the tolerance until our measure agrees. */
static void run_target(attempt *a, trial_line *line)
{
    const double q = a->source.q_norm;
    line->tolerance = fmin(TOLERANCE_MOST, line->target * (q > 0 ? fmax(1, 1 / q) : 1));
    for (int k = 0; k <= TIGHTENINGS && line->tolerance >= TOLERANCE_LEAST; ++k) {
        int content = 0;
        line->seconds = run_once(a, line, &content);
        if (!isnan(line->seconds) && judge(a, line)) {
            snprintf(line->status, sizeof line->status, "%s", trial_solved);
            repeat(a, line);
            line->seconds += a->reduction;
            return;
        }
        snprintf(line->status, sizeof line->status, "%s", content ? "mistaken" : "failed");
        if (!content) return;
        line->tolerance /= 10;
    }
}

/* ---- the program ----------------------------------------------------------------------------- */

static int list(void)
{
    for (int k = 0; k < siconos_config_count; ++k)
        puts(siconos_configs[k].name);
    return 0;
}

/*
 * One reduction of the problem as the file holds it: a problem keeps M^-1 H once it is known.  One
 * that is not timed comes before it, as in our own runs.
 */
static mo_problem *reduce_once(const char *file, double *seconds)
{
    mo_document document[2] = {{0}, {0}};
    mo_problem *reduced = NULL;
    int ok = !mo_fclib_read(file, NULL, &document[0], NULL) &&
             !mo_fclib_read(file, NULL, &document[1], NULL);
    for (int k = 0; ok && k < 2; ++k) {
        mo_problem_destroy(reduced);
        const trial_watch watch = trial_watch_start(0, NULL);
        ok = !mo_problem_reduce(document[k].problem, &reduced, NULL);
        *seconds = trial_watch_stop(&watch);
    }
    mo_document_clear(&document[0]);
    mo_document_clear(&document[1]);
    return ok ? reduced : NULL;
}

/* The reduced form, and the time of the fastest of a few attempts to make it. */
static int reduce(attempt *a)
{
    double total = 0;
    a->source.reduced = NULL;
    for (int done = 0; trial_wants_more(&a->call, done, total); ++done) {
        double seconds = 0;
        mo_problem_destroy(a->source.reduced);
        a->source.reduced = reduce_once(a->file, &seconds);
        if (!a->source.reduced) return 0;
        a->reduction = done > 0 ? fmin(a->reduction, seconds) : seconds;
        total += seconds;
    }
    return 1;
}

/* The vectors, |q|, and the reduced form where a local solver is to have it. */
static int prepare(attempt *a, mo_problem *problem)
{
    const size_t rows = (size_t)mo_problem_row_count(problem);
    a->source = (siconos_source){.problem = problem, .reduced = problem};
    a->r = malloc((rows + 1) * sizeof *a->r);
    a->u = malloc((rows + 1) * sizeof *a->u);
    a->v = malloc(((size_t)mo_problem_dof_count(problem) + 1) * sizeof *a->v);
    if (!a->r || !a->u || !a->v || mo_problem_response(problem, NULL, a->u)) return 0;
    for (size_t k = 0; k < rows; ++k)
        a->source.q_norm = hypot(a->source.q_norm, a->u[k]);
    return mo_problem_form(problem) == MO_FORM_REDUCED || a->config->family == SICONOS_GLOBAL_3D ||
           a->config->family == SICONOS_GLOBAL_ROLLING || reduce(a);
}

static const siconos_config *find_config(const char *name)
{
    for (int k = 0; k < siconos_config_count; ++k)
        if (strcmp(siconos_configs[k].name, name) == 0) return &siconos_configs[k];
    return NULL;
}

/* Output of Siconos is discarded; ours uses the original standard output. */
static FILE *take_output(void)
{
    const int kept = dup(STDOUT_FILENO), nowhere = open("/dev/null", O_WRONLY);
    if (kept < 0 || nowhere < 0 || dup2(nowhere, STDOUT_FILENO) < 0 ||
        dup2(nowhere, STDERR_FILENO) < 0)
        return NULL;
    return fdopen(kept, "w");
}

static int try_targets(attempt *a)
{
    for (int k = 0; k < a->call.target_count; ++k) {
        trial_line line = {.target = a->call.targets[k]};
        run_target(a, &line);
        trial_print(a->out, &line);
    }
    return 0;
}

int main(int argc, char **argv)
{
    enum { FILE_AT = 1, CONFIG_AT, LIMIT_AT, REPEATS_AT, TARGETS_AT };
    attempt a = {0};
    mo_document document = {0};
    mo_message why;
    if (argc == 2 && strcmp(argv[1], "--list") == 0) return list();
    a.config = argc > TARGETS_AT ? find_config(argv[CONFIG_AT]) : NULL;
    if (!a.config || argc > TARGETS_AT + TRIAL_TARGETS_MOST) {
        fputs("moreau-siconos: the call is: moreau-siconos --list, or moreau-siconos FILE "
              "CONFIGURATION"
              " TIME_LIMIT REPEATS TARGET...\n",
              stderr);
        return 2;
    }
    a.call.time_limit = strtod(argv[LIMIT_AT], NULL);
    a.call.repeats = (int)strtol(argv[REPEATS_AT], NULL, 10);
    for (int k = TARGETS_AT; k < argc; ++k)
        a.call.targets[a.call.target_count++] = strtod(argv[k], NULL);
    if (mo_fclib_read(argv[FILE_AT], NULL, &document, &why)) {
        fprintf(stderr, "moreau-siconos: %s\n", why.text);
        return 1;
    }
    a.file = argv[FILE_AT];
    a.source.problem = document.problem;
    if (!siconos_takes(a.config, &a.source)) return CHILD_REFUSES;
    a.out = take_output();
    if (!a.out || !prepare(&a, document.problem)) return 1;
    numerics_set_verbose(0);
    const int status = try_targets(&a);
    fflush(a.out);
    _exit(status); /* memory of Siconos is not freed */
}
