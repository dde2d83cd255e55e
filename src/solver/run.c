/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* What every method asks while it iterates: is it good enough, and is there a reason to end? */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "measure/measure_blocks.h"
#include "solver/method.h"

/* A full history keeps every second record and halves its pace from then on. */
static void thin_history(mo_run *run)
{
    mo_result *result = run->result;
    const int kept = result->history_count / 2;
    for (int k = 0; k < kept; ++k) {
        result->history[k] = result->history[2 * k];
    }
    result->history_count = kept;
    run->history_stride *= 2;
}

static void record(mo_run *run, const mo_progress *now, const double *r)
{
    mo_result *result = run->result;
    if (run->options->progress) {
        run->options->progress(run->options->progress_user, now, r);
    }
    if (!run->options->history || run->checks++ % run->history_stride != 0) {
        return;
    }
    if (result->history_count == result->history_room) {
        thin_history(run);
    }
    result->history[result->history_count++] = *now;
}

/* The word of the measure, which starts from r alone. */
static int confirm(mo_run *run, const double *r)
{
    mo_residual residual;
    run->error = mo_measure_into(run->problem, r, run->scratch, &residual);
    return !run->error && residual.natural_relative <= run->options->tol;
}

int mo_run_check(mo_run *run, int iteration, const double *u, const double *r)
{
    const int threads = run->options->threads;
    iteration += run->done;
    const double natural = mo_natural_norm(run->problem, threads, u, r, run->partial);
    const mo_progress now = {iteration, mo_clock() - run->start_time, natural, natural / run->q_scale};
    run->result->iterations = iteration;
    record(run, &now, r);
    if (natural < run->best) { /* false for NaN: a diverged iterate is never the best */
        run->best = natural;
        memcpy(run->result->r, r, (size_t)run->problem->row_count * sizeof *r);
    }
    if (!(natural <= run->options->tol * run->q_scale) || !confirm(run, r)) {
        return 0;
    }
    memcpy(run->result->r, r, (size_t)run->problem->row_count * sizeof *r); /* the one that was confirmed */
    return 1;
}

int mo_run_is_over(mo_run *run)
{
    const mo_options *options = run->options;
    if (run->error) {
        run->status = MO_STALLED; /* the driver returns the error instead */
    } else if (options->cancel && *options->cancel) {
        run->status = MO_CANCELLED;
    } else if (isfinite(options->time_limit) && mo_clock() - run->start_time >= options->time_limit) {
        run->status = MO_TIME_LIMIT;
    } else {
        return 0;
    }
    return 1;
}

int mo_run_must_stop(mo_run *run, int iteration)
{
    run->result->iterations = iteration + run->done;
    if (mo_run_is_over(run)) {
        return 1;
    }
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
