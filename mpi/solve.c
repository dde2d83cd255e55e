/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* mo_spread_solve: checks, allocation of the result, the method. */
#include <math.h>
#include <string.h>

#include "admm.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/options.h"
#include "measure/measure_blocks.h"
#include "newton.h"
#include "reduced.h"

enum {
    AUTO_SWEEPS = 1000,       /* of auto, before it goes on with newton and admm  */
    AUTO_MATRIX_MOST = 300000 /* constraints: with more, a matrix is too large    */
};
static const double AUTO_MOMENTUM = 10; /* as the ladder of auto has it         */

static int is_method(const mo_options *options, const char *name)
{
    return options->method && strcmp(options->method, name) == 0;
}

static mo_error check_options(const mo_spread *s, const mo_options *options, mo_message *why)
{
    const mo_error error = mo_options_check(options, why);
    if (error) return error;
    if (options->start && !mo_all_finite(options->start, (size_t)s->part->row_count)) {
        return mo_fail(why, MO_ERR_ARGUMENT,
                       "the starting point holds a number that is not finite");
    }
    const int needs_bodies = is_method(options, "admm") || is_method(options, "newton");
    if (options->method && !needs_bodies && !is_method(options, "nsgs") &&
        !is_method(options, "auto")) {
        return mo_fail(why, MO_ERR_UNSUPPORTED,
                       "ranks have the methods nsgs, newton, admm and auto, not %.40s",
                       options->method);
    }
    if (s->reduced && needs_bodies) {
        return mo_fail(why, MO_ERR_UNSUPPORTED,
                       "on ranks %s works on bodies, which a reduced problem lacks; take nsgs",
                       options->method);
    }
    if (options->nsgs.omega != 1 || options->nsgs.check_every || options->nsgs.order == 1) {
        return mo_fail(why, MO_ERR_UNSUPPORTED,
                       "nsgs.omega, nsgs.check_every and the natural order are for one process");
    }
    return MO_OK;
}

void mo_spread_show(const mo_options *options, double start_time, int iteration, double natural,
                    double relative, const double *r)
{
    if (options->progress) {
        const mo_progress now = {iteration, mo_clock() - start_time, natural, relative};
        options->progress(options->progress_user, &now, r);
    }
}

mo_error mo_spread_prepare_result(const mo_problem *part, mo_result *result, mo_message *why)
{
    const size_t rows = (size_t)part->row_count, dofs = (size_t)part->dof_count;
    const size_t needed = dofs + 3 * rows + 1;
    if (!result->allocator.reallocate) result->allocator = part->allocator;
    if (result->vector_room < needed) {
        mo_memory_free(&result->allocator, result->v);
        result->v = mo_memory_array(&result->allocator, needed, sizeof(double));
        result->vector_room = result->v ? needed : 0;
    }
    if (!result->v) return mo_fail_memory(why);
    result->u = result->v + dofs;
    result->r = result->u + rows;
    result->ray = NULL;
    result->dof_count = part->dof_count;
    result->row_count = part->row_count;
    result->iterations = result->history_count = 0;
    result->contraction = 0;
    result->explanation.rung_count = 0;
    return MO_OK;
}

/* The starting point, each block moved to the nearest impulse that its law allows. */
static void set_start(const mo_problem *part, const double *start, double *r)
{
    if (!start)
        memset(r, 0, (size_t)part->row_count * sizeof *r);
    else if (start != r)
        memmove(r, start, (size_t)part->row_count * sizeof *r);
    for (int i = 0; i < part->constraint_count; ++i) {
        double *own = r + part->row_start[i];
        mo_constraint_law(part, i)->project(mo_constraint_param(part, i),
                                            mo_constraint_dim(part, i), own, own);
    }
}

typedef mo_error further(mo_spread_run *run, int iterations, mo_status *status, mo_message *why);

/* Goes on from the best so far; where the method does not take the problem, that stands. */
static mo_error go_on(mo_spread_run *run, further *method)
{
    mo_result *result = run->result;
    const int left = run->options->max_iter - result->iterations;
    const int may_go_on = result->status == MO_ITERATION_LIMIT || result->status == MO_STALLED;
    if (!may_go_on || left <= 0 || run->s->constraint_total > AUTO_MATRIX_MOST) return MO_OK;
    mo_message why = {""};
    const mo_error error = method(run, left, &result->status, &why);
    return error == MO_ERR_UNSUPPORTED ? MO_OK : error;
}

/* Sweeps, and where these do not get there, Newton steps, then alternating directions. */
static mo_error solve_auto(mo_spread_run *run)
{
    const mo_options *asked = run->options;
    mo_options sweeps = *asked;
    sweeps.max_iter = asked->max_iter < AUTO_SWEEPS ? asked->max_iter : AUTO_SWEEPS;
    run->options = &sweeps;
    run->result->status = mo_spread_sweep(run, AUTO_MOMENTUM);
    run->options = asked;
    const mo_error error = go_on(run, mo_spread_newton);
    return error ? error : go_on(run, mo_spread_admm);
}

static mo_error solve_by(mo_spread_run *run)
{
    mo_result *result = run->result;
    if (is_method(run->options, "nsgs")) {
        result->status = mo_spread_sweep(run, run->options->nsgs.momentum);
        return MO_OK;
    }
    further *const method = is_method(run->options, "admm")     ? mo_spread_admm
                            : is_method(run->options, "newton") ? mo_spread_newton
                                                                : NULL;
    return method ? method(run, run->options->max_iter, &result->status, &result->message)
                  : solve_auto(run);
}

static mo_error solve(mo_spread_run *run)
{
    mo_result *result = run->result;
    const int is_nsgs = is_method(run->options, "nsgs");
    const double momentum = is_nsgs ? run->options->nsgs.momentum : AUTO_MOMENTUM;
    result->method = run->options->method ? run->options->method : "auto";
    if (run->s->reduced) {
        set_start(run->s->part, run->options->start, result->r);
        result->status = mo_reduced_solve(run->s, run->options, run->start_time, momentum, result);
        return MO_OK;
    }
    mo_error error = mo_spread_run_begin(run, &result->message);
    if (!error) {
        set_start(run->s->part, run->options->start, result->r);
        result->setup_seconds = mo_clock() - run->start_time;
        error = solve_by(run);
    }
    mo_spread_run_end(run);
    return error;
}

mo_error mo_spread_solve(mo_spread *s, const mo_options *options, mo_result *result)
{
    mo_spread_run run = {.s = s,
                         .options = options ? options : mo_options_default(),
                         .result = result,
                         .start_time = mo_clock()};
    result->message.text[0] = '\0';
    result->status = MO_STALLED;
    mo_error error = check_options(s, run.options, &result->message);
    error = error ? error : mo_spread_prepare_result(s->part, result, &result->message);
    error = mo_mpi_agree(s->comm, error, &result->message);
    error = error ? error : solve(&run);
    result->seconds = mo_clock() - run.start_time;
    return error;
}
