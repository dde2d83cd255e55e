/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
#include "sweep.h"

#include <math.h>
#include <petsclog.h>
#include <stdint.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "measure.h"

enum { KIND_MOVED, KIND_LOOKED, RATE_SWEEPS = 1000 /* as in solver/nsgs.c */ };
static const double NEARLY = 0.999;

/* ---- exchange with other ranks --------------------------------------------------------------- */

static void begin_colour(void *context, int group, double *state)
{
    mo_spread *s = context;
    s->rounds += group == 0;
    if (s->exchange[group]) {
        const double messages = petsc_isend_ct, bytes = petsc_isend_len;
        PetscSFBcastBegin(s->exchange[group], s->line, state, state, MPI_REPLACE);
        s->messages += (int64_t)(petsc_isend_ct - messages);
        s->bytes += (int64_t)(petsc_isend_len - bytes);
    }
}

static void end_colour(void *context, int group, double *state)
{
    mo_spread *s = context;
    if (s->exchange[group]) PetscSFBcastEnd(s->exchange[group], s->line, state, state, MPI_REPLACE);
}

static double sum_of(void *context, int is_look)
{
    mo_spread *s = context;
    const size_t numbers =
        (size_t)s->batches->batch_count * MO_LANES + (size_t)s->batches->row_count;
    const double sum =
        mo_exact_sum(&s->exact, is_look ? KIND_LOOKED : KIND_MOVED, s->each, numbers);
    if (!is_look) {
        const double now = mo_clock(), taken = now - s->swept;
        s->swept = now;
        s->fastest = taken < s->fastest || s->timed == 0 ? taken : s->fastest;
        s->recent[s->timed++ % MO_RECENT] = taken;
    }
    return sum;
}

static double largest_of(void *context, double value)
{
    mo_spread *s = context;
    return mo_exact_largest(&s->exact, value);
}

/* ---- the run -------------------------------------------------------------------------------- */

mo_error mo_spread_run_begin(mo_spread_run *run, mo_message *why)
{
    mo_spread *s = run->s;
    mo_arena arena = {0};
    mo_sweeps_layout(&arena, s->batches, &run->sweeps);
    const size_t bytes = arena.used + MO_ARENA_ALIGN;
    run->memory = mo_memory_array(&s->part->allocator, bytes, 1);
    const mo_error error = mo_mpi_agree(s->comm, run->memory ? MO_OK : mo_fail_memory(why), why);
    if (error) return error;
    const uintptr_t misaligned = (uintptr_t)run->memory % MO_ARENA_ALIGN;
    arena = (mo_arena){.base = (char *)run->memory + (MO_ARENA_ALIGN - misaligned)};
    mo_sweeps_layout(&arena, s->batches, &run->sweeps);
    run->others = (mo_sweep_others){.context = s,
                                    .constraint_count = (int)fmin(1e9, (double)s->constraint_total),
                                    .each = s->each,
                                    .begin_colour = begin_colour,
                                    .end_colour = end_colour,
                                    .sum = sum_of,
                                    .largest = largest_of};
    run->sweeps.others = &run->others;
    run->result->bytes = bytes;
    run->q_norm = mo_spread_q_norm(s, &run->sweeps, run->result->u);
    return MO_OK;
}

void mo_spread_run_end(mo_spread_run *run)
{
    mo_memory_free(&run->s->part->allocator, run->memory);
}

/* A rank's own reasons to end travel with the next sum, so that all end at the same sweep. */
static int must_stop(void *context, int iteration)
{
    mo_spread_run *run = context;
    const mo_options *options = run->options;
    mo_exact *exact = &run->s->exact;
    run->result->iterations = iteration;
    if (run->sweeps.last_look > run->shown) { /* the least residual so far */
        run->shown = run->sweeps.last_look;
        mo_spread_show(options, run->start_time, run->shown, run->sweeps.least,
                       run->sweeps.least / fmax(1, run->q_norm), run->result->r);
    }
    exact->wants_stop = options->cancel && *options->cancel                   ? MO_CANCELLED
                        : mo_clock() - run->start_time >= options->time_limit ? MO_TIME_LIMIT
                                                                              : 0;
    if (exact->must_stop) {
        run->status = (mo_status)exact->must_stop;
        return 1;
    }
    run->status = MO_ITERATION_LIMIT;
    return iteration >= options->max_iter;
}

static int confirm(mo_spread_run *run)
{
    mo_result *result = run->result;
    mo_sweeps_take_best(&run->sweeps, result->r);
    mo_spread_measure(run->s, &run->sweeps, run->q_norm, result->r, result->v, result->u,
                      &result->residual);
    mo_spread_show(run->options, run->start_time, run->sweeps.iteration, result->residual.natural,
                   result->residual.natural_relative, result->r);
    return result->residual.natural_relative <= run->options->tol;
}

mo_status mo_spread_sweep(mo_spread_run *run, double momentum)
{
    const mo_options *options = run->options;
    mo_sweep_goal goal = {NEARLY * options->tol * fmax(1, run->q_norm), options->penetration_rate,
                          RATE_SWEEPS, INFINITY, 0};
    run->s->exact.must_stop = 0;
    run->shown = 0;
    mo_sweeps_start(&run->sweeps, 1, momentum, run->result->r);
    run->s->swept = mo_clock();
    while (mo_sweeps_run(&run->sweeps, goal, must_stop, run)) {
        if (confirm(run)) return MO_SOLVED;
        if (!mo_sweep_goal_tighten(&goal)) break;
    }
    const int is_solved = confirm(run), must_end = must_stop(run, run->sweeps.iteration);
    if (is_solved || must_end) return is_solved ? MO_SOLVED : run->status;
    mo_say(&run->result->message,
           "a whole sweep changes no impulse, yet the residual is above tol");
    return MO_STALLED;
}
