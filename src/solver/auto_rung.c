/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* One rung of auto's ladder: its run, its explanation, and its part of the summary. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/pace.h"
#include "linalg/blas_threads.h"
#include "measure/measure_blocks.h"
#include "solver/auto.h"

/* ---- running --------------------------------------------------------------------------------- */

/* Iterations, or 0: no limit but that of the caller. */
static int budget_of(const mo_run *run, const mo_rung *rung, const mo_walk *walk)
{
    const int is_slice = rung->budget == MO_SLICES || rung->budget == MO_MORE;
    const int budget = is_slice ? walk->slice : rung->budget < 0 ? MO_ALL : rung->budget;
    const int left = run->options->ladder.steps - walk->steps;
    const int is_limited = run->options->ladder.steps > 0 && mo_rung_factors(rung);
    return is_limited && (budget == 0 || budget > left) ? left : budget;
}

/* The caller's options with the budget of the rung. */
static void set_options(const mo_run *run, const mo_rung *rung, const mo_walk *walk,
                        mo_options *options)
{
    const int budget = budget_of(run, rung, walk);
    *options = *run->options;
    options->start = NULL; /* run->r is where it starts */
    options->nsgs.momentum = rung->momentum;
    options->newton.sweeps = 0; /* they are rungs of their own */
    options->newton.rounds = 1;
    if (budget && options->max_iter - run->done > budget) options->max_iter = run->done + budget;
}

void mo_rung_open(mo_run *run, const mo_rung *rung, mo_walk *walk, mo_rung_run *out)
{
    const mo_options *callers = run->options;
    run->done = out->iterations = run->result->iterations;
    out->run = run;
    out->rung = rung;
    out->status = MO_STALLED;
    out->seconds = 0;
    out->walk = walk;
    set_options(run, rung, walk, &out->options);
    run->options = &out->options;
    run->error = mo_run_make_room(run, rung->method, 0, &out->memory, &out->workspace);
    run->options = callers;
}

static void set_start(mo_run *run, mo_rung_start start)
{
    static const double zero[MO_BILATERAL_MAX_DIM];
    const mo_problem *problem = run->problem;
    const size_t rows = (size_t)problem->row_count;
    int is_cold = start == MO_START_COLD || (start == MO_START_WARM && !run->options->start);
    if (!is_cold && start != MO_START_ON && isfinite(run->best))
        memcpy(run->r, run->result->r, rows * sizeof *run->r);
    is_cold = is_cold || !mo_all_finite(run->r, rows); /* where sweeps have diverged */
    for (int i = 0; is_cold && i < problem->constraint_count; ++i) {
        const int row = problem->row_start[i], d = mo_constraint_dim(problem, i);
        mo_constraint_law(problem, i)
            ->project(mo_constraint_param(problem, i), d, zero, run->r + row);
    }
}

/* Otherwise the rung left the problem as it was, and is not reported. */
static int has_run(const mo_rung_run *s)
{
    return s->status == MO_SOLVED || s->run->result->iterations > s->iterations;
}

void mo_rung_solve(mo_rung_run *s)
{
    mo_run *run = s->run;
    const mo_options *callers = run->options;
    const double start = run->done > 0 ? mo_work_clock() : run->start_time;
    if (run->error) return;
    set_start(run, s->rung->start);
    run->options = &s->options;
    if (s->rung->method->uses_blas) mo_blas_threads_begin();
    s->status = s->rung->method->solve(run, s->workspace);
    if (s->rung->method->uses_blas) mo_blas_threads_end();
    run->options = callers;
    s->seconds = has_run(s) ? mo_work_clock() - start : 0;
}

void mo_rung_close(mo_rung_run *s, mo_explanation *explanation)
{
    mo_run *run = s->run;
    mo_memory_free(&run->problem->allocator, s->memory);
    s->memory = NULL;
    if (has_run(s)) {
        const unsigned bit = 1U << (s->rung - mo_ladder);
        mo_explain_rung(explanation, s->rung, !(s->walk->taken & bit),
                        run->result->iterations - s->iterations, run->best / run->q_scale,
                        s->seconds);
        s->walk->taken |= bit;
    }
}

int mo_auto_is_over(const mo_run *run, mo_status status)
{
    return status == MO_SOLVED || status == MO_CANCELLED || status == MO_TIME_LIMIT || run->error ||
           run->result->iterations >= run->options->max_iter;
}

/* ---- telling --------------------------------------------------------------------------------- */

/* The place of a rung among those that were taken, in the order of the ladder. */
static mo_rung_report *report_of(mo_explanation *e, const mo_rung *rung)
{
    int k = e->rung_count;
    for (const mo_rung *other = mo_ladder + mo_ladder_count - 1; k > 0; --k) {
        while (other > mo_ladder && other->name != e->rung[k - 1].name)
            --other;
        if (other == rung) return &e->rung[k - 1];
        if (other < rung) break;
    }
    if (e->rung_count >= MO_RUNGS_MOST) return NULL;
    memmove(e->rung + k + 1, e->rung + k, (size_t)(e->rung_count++ - k) * sizeof *e->rung);
    e->rung[k] = (mo_rung_report){.name = rung->name, .reason = rung->reason};
    return &e->rung[k];
}

void mo_explain_rung(mo_explanation *explanation, const mo_rung *rung, int islands, int iterations,
                     double residual, double seconds)
{
    mo_rung_report *report = report_of(explanation, rung);
    if (report) {
        const int is_again = islands == 0;
        report->islands += islands;
        report->iterations = is_again                          ? report->iterations + iterations
                             : iterations > report->iterations ? iterations
                                                               : report->iterations;
        report->residual = is_again || !(residual < report->residual) ? residual : report->residual;
        report->seconds += seconds;
    }
}

void mo_summary_add(mo_message *summary, const char *format, ...)
{
    const size_t length = strlen(summary->text), room = sizeof summary->text - length;
    va_list values;
    va_start(values, format);
    if (length && room > 3) memcpy(summary->text + length, ", ", 3);
    const size_t used = strlen(summary->text);
    vsnprintf(summary->text + used, sizeof summary->text - used, format, values);
    va_end(values);
}
