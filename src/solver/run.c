/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* Services for iterating methods: residual checks and stopping criteria. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/pace.h"
#include "base/parallel.h"
#include "measure/measure_blocks.h"
#include "problem/views.h"
#include "solver/method.h"

/* A full history drops every second record and records half as often afterwards. */
static void thin_history(mo_run *run)
{
    mo_result *result = run->result;
    const int kept = result->history_count / 2;
    for (int k = 0; k < kept; ++k)
        result->history[k] = result->history[2 * k];
    result->history_count = kept;
    run->history_stride *= 2;
}

static void record(mo_run *run, const mo_progress *now, const double *r)
{
    mo_result *result = run->result;
    if (run->options->progress) run->options->progress(run->options->progress_user, now, r);
    if (!run->options->history || run->checks++ % run->history_stride != 0) return;
    if (result->history_count == result->history_room) thin_history(run);
    result->history[result->history_count++] = *now;
}

/* Writes the record, and keeps r where it is the best so far. */
static void keep(mo_run *run, int iteration, double natural, const double *r)
{
    const int is_watched = run->options->progress || run->options->history;
    const double seconds = is_watched ? mo_work_clock() - run->start_time : 0;
    const mo_progress now = {iteration + run->done, seconds, natural, natural / run->q_scale};
    run->result->iterations = now.iteration;
    record(run, &now, r);
    if (natural < run->best) { /* false for NaN: a diverged iterate is never the best */
        run->best = natural;
        run->is_confirmed = 0;
        memcpy(run->result->r, r, (size_t)run->problem->row_count * sizeof *r);
    }
}

/* Returns the confirmed iterate. */
static int confirm(mo_run *run, const double *r)
{
    if (!(run->residual.natural / run->q_scale <= run->options->tol)) return 0;
    memcpy(run->result->r, r, (size_t)run->problem->row_count * sizeof *r);
    run->best = run->residual.natural;
    return run->is_confirmed = 1;
}

int mo_run_check(mo_run *run, int iteration, const double *u, const double *r)
{
    const double natural = mo_natural_norm(run->problem, run->options->threads, u, r, run->partial);
    keep(run, iteration, natural, r);
    if (!(natural / run->q_scale <= run->options->tol)) return 0;
    run->is_confirmed = run->has_q = 0; /* the scratch is about to be overwritten */
    run->error = mo_measure_into(run->problem, r, run->scratch, &run->residual);
    return !run->error && confirm(run, r);
}

/* Most solves start from zero, where u = q needs no product. */
int mo_run_is_zero(const double *r, int count)
{
    for (int k = 0; k < count; ++k)
        if (r[k] != 0) return 0;
    return 1;
}

int mo_run_measure(mo_run *run, int iteration, const double *r)
{
    const mo_problem *problem = run->problem;
    double *u = run->scratch + problem->dof_count, q_norm = 0;
    run->is_confirmed = run->has_q = 0;
    mo_problem_response_into(problem, mo_run_is_zero(r, problem->row_count) ? NULL : r,
                             run->scratch, u);
    const double natural = mo_natural_norm(run->problem, run->options->threads, u, r, run->partial);
    keep(run, iteration, natural, r);
    if (!(natural / run->q_scale <= run->options->tol)) return 0;
    run->error = mo_problem_q_norm(run->problem, &q_norm);
    mo_measure_at(run->problem, q_norm, u, r, &run->residual);
    return !run->error && confirm(run, r);
}

int mo_run_judged(mo_run *run, int iteration, const double *r)
{
    keep(run, iteration, run->residual.natural, r);
    return confirm(run, r);
}

int mo_run_confirm(mo_run *run, int iteration, const double *r)
{
    double *u = run->scratch + run->problem->dof_count, q_norm = 0;
    run->is_confirmed = run->has_q = 0;
    run->error = mo_problem_q_norm(run->problem, &q_norm);
    mo_problem_response_into(run->problem, mo_run_is_zero(r, run->problem->row_count) ? NULL : r,
                             run->scratch, u);
    mo_measure_at(run->problem, q_norm, u, r, &run->residual);
    keep(run, iteration, run->residual.natural, r);
    return !run->error && confirm(run, r);
}

/* ---- room ------------------------------------------------------------------------------------ */

void mo_run_layout(mo_arena *arena, const mo_problem *problem, mo_run *run)
{
    MO_TAKE_EACH(arena, problem->row_count, double, &run->r, &run->u);
    run->partial = MO_TAKE(arena, mo_chunk_count(problem->constraint_count), double);
    run->scratch = MO_TAKE(arena, mo_measure_scratch(problem), double);
}

static mo_error lay_out(mo_arena *arena, mo_run *run, const mo_method *method, int with_run,
                        void **workspace)
{
    if (with_run) mo_run_layout(arena, run->problem, run);
    return method->layout(run->problem, run->options, arena, workspace);
}

mo_error mo_run_make_room(mo_run *run, const mo_method *method, int with_run, void **memory,
                          void **workspace)
{
    _Alignas(MO_ARENA_ALIGN) char heads[MO_HEADS_SIZE];
    mo_arena arena = {.heads = heads};
    *memory = NULL;
    if (!method->takes_compact) mo_problem_write_rows(run->problem);
    MO_TRY(lay_out(&arena, run, method, with_run, workspace));
    const size_t size = arena.used + MO_ARENA_ALIGN;
    if (arena.used == 0 && !with_run) return MO_OK; /* the method needs none */
    *memory = mo_arena_allocate(&arena, &run->problem->allocator);
    MO_NEED_MEMORY(*memory, NULL);
    run->result->bytes = with_run || size > run->result->bytes ? size : run->result->bytes;
    return lay_out(&arena, run, method, with_run, workspace);
}

int mo_run_ends_at_start(mo_run *run, double *v)
{
    mo_problem_response_into(run->problem, run->r, v, run->u);
    if (mo_run_check(run, 0, run->u, run->r)) {
        run->status = MO_SOLVED;
        return 1;
    }
    return mo_run_must_stop(run, 0);
}

/* ---- endings --------------------------------------------------------------------------------- */

int mo_run_is_over(mo_run *run)
{
    const mo_options *options = run->options;
    mo_pace();
    if (run->error)
        run->status = MO_STALLED; /* the driver returns the error instead */
    else if (options->cancel && *options->cancel)
        run->status = MO_CANCELLED;
    else if (isfinite(options->time_limit) &&
             mo_work_clock() - run->start_time >= options->time_limit)
        run->status = MO_TIME_LIMIT;
    else
        return 0;
    mo_pace(); /* another piece of work begins */
    return 1;
}

int mo_run_must_stop(mo_run *run, int iteration)
{
    run->result->iterations = iteration + run->done;
    if (mo_run_is_over(run)) return 1;
    run->status = MO_ITERATION_LIMIT;
    return run->result->iterations >= run->options->max_iter;
}

void mo_run_keep_ray(mo_run *run, const double *ray)
{
    mo_result *result = run->result;
    result->ray = result->r + result->row_count; /* the room behind r: see prepare_result */
    memcpy(result->ray, ray, (size_t)result->row_count * sizeof *ray);
}

mo_status mo_run_stall(mo_run *run, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    vsnprintf(run->result->message.text, sizeof run->result->message.text, format, values);
    va_end(values);
    return MO_STALLED;
}
