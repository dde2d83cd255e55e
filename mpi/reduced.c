/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
#include "reduced.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "measure.h"
#include "measure/measure_blocks.h"
#include "problem/views.h"
#include "solver/method.h"
#include "solver/momentum.h"
#include "solver/pace.h"
#include "solver/visit.h"

enum { KIND_MOVED, KIND_MEASURED };

/* ---- sweeps --------------------------------------------------------------------------------- */

/* The impulses of a level into one row of numbers, or back. */
static void pack(const mo_spread *s, int level, int is_back)
{
    const mo_reduced *reduced = s->reduced;
    double *at = reduced->packed;
    for (int k = reduced->start[level]; k < reduced->start[level + 1]; ++k) {
        const int i = reduced->order[k], d = mo_constraint_dim(s->part, i);
        double *own = reduced->r + s->part->row_start[i];
        memcpy(is_back ? own : at, is_back ? at : own, (size_t)d * sizeof *at);
        at += d;
    }
}

static void exchange(const mo_spread *s, int level)
{
    const mo_reduced *reduced = s->reduced;
    if (s->size > 1) {
        pack(s, level, 0);
        MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, reduced->packed,
                       reduced->count + level * s->size, reduced->place + level * s->size,
                       MPI_DOUBLE, s->comm);
        pack(s, level, 1);
    }
}

static double sweep_once(mo_spread *s)
{
    mo_reduced *reduced = s->reduced;
    const mo_visitor visitor = mo_visitor_begin(reduced->sweep, 1, reduced->r, reduced->r);
    for (int c = 0; c < reduced->level_count; ++c) {
        for (int k = reduced->start[c]; k < reduced->start[c + 1]; ++k) {
            const int i = reduced->order[k];
            s->each[i] = reduced->owner[i] == s->rank ? mo_visit(&visitor, i) : 0;
        }
        exchange(s, c);
    }
    return mo_exact_sum(&s->exact, KIND_MOVED, s->each, (size_t)s->part->constraint_count);
}

static double exact_norm(mo_spread *s)
{
    s->exact.bound[KIND_MEASURED] = 0;
    return sqrt(mo_exact_sum(&s->exact, KIND_MEASURED, s->each, (size_t)s->part->constraint_count));
}

/* The norm of a vector with a number a row, from the rows of each rank. */
static double norm_of(mo_spread *s, const double *x)
{
    for (int i = 0; i < s->part->constraint_count; ++i) {
        const double *own = x + s->part->row_start[i];
        const int is_own = s->reduced->owner[i] == s->rank;
        s->each[i] = is_own ? mo_dot(mo_constraint_dim(s->part, i), own, own) : 0;
    }
    return exact_norm(s);
}

/* u of this rank's rows. */
static void write_u(mo_spread *s, const double *r)
{
    for (int i = 0; i < s->part->constraint_count; ++i)
        if (s->reduced->owner[i] == s->rank)
            mo_sweep_velocity(s->reduced->sweep, i, r, s->reduced->u + s->part->row_start[i]);
}

static void measure(mo_spread *s, double q_norm, mo_residual *residual)
{
    mo_reduced *reduced = s->reduced;
    const mo_problem *part = s->part;
    mo_residual all = {.q_norm = q_norm,
                       .block = {0, -1},
                       .penetration_rate = {0, -1},
                       .cone_violation = {0, -1},
                       .dissipation = {0, -1}};
    write_u(s, reduced->r);
    const double u_norm = norm_of(s, reduced->u), r_norm = norm_of(s, reduced->r);
    for (int i = 0; i < part->constraint_count; ++i) {
        const int row = part->row_start[i];
        s->each[i] = reduced->owner[i] == s->rank
                         ? mo_measure_block(part, i, reduced->u + row, reduced->r + row, &all)
                         : 0;
    }
    const double natural = exact_norm(s);
    mo_spread_agree_on_worst(s, &all);
    all.power = mo_spread_power(s, reduced->u, reduced->r, reduced->owner);
    mo_measure_sums(natural, u_norm, r_norm, &all);
    *residual = all;
}

/* ---- the loop, as in solver/nsgs.c ---------------------------------------------------------- */

typedef struct reduced_run {
    mo_spread *s;
    const mo_options *options;
    double start_time, q_norm, best;
    mo_result *result;
} reduced_run;

/* u and r of the best, on all ranks. */
static void keep_best(reduced_run *run)
{
    mo_spread *s = run->s;
    memcpy(run->result->r, s->reduced->r, (size_t)s->part->row_count * sizeof(double));
    for (int i = 0; i < s->part->constraint_count; ++i) {
        const int row = s->part->row_start[i], d = mo_constraint_dim(s->part, i);
        const int is_own = s->reduced->owner[i] == s->rank;
        for (int k = row; k < row + d; ++k)
            run->result->u[k] = is_own ? 0.0 + s->reduced->u[k] : 0; /* no -0: ranks are added */
    }
}

static int check(reduced_run *run, int iteration)
{
    mo_residual residual;
    measure(run->s, run->q_norm, &residual);
    run->result->iterations = iteration;
    if (residual.natural < run->best || !isfinite(run->best)) {
        run->best = residual.natural;
        run->result->residual = residual;
        keep_best(run);
    }
    mo_spread_show(run->options, run->start_time, iteration, residual.natural,
                   residual.natural_relative, run->s->reduced->r);
    return residual.natural_relative <= run->options->tol;
}

static void push_on(mo_spread *s, double beta)
{
    mo_reduced *reduced = s->reduced;
    for (int k = 0; k < s->part->row_count; ++k) {
        const double now = reduced->r[k];
        reduced->r[k] += beta > 0 ? beta * (now - reduced->before[k]) : 0;
        reduced->before[k] = now;
    }
}

/* At r = 0 the first sweep itself tells whether anything moves. */
static int is_worth_a_look(const reduced_run *run)
{
    const int rows = run->s->part->row_count;
    return rows == 0 || !mo_run_is_zero(run->s->reduced->r, rows);
}

static mo_status iterate(reduced_run *run, double cap)
{
    mo_spread *s = run->s;
    mo_momentum momentum = mo_momentum_begin(cap);
    double moved = INFINITY;
    for (int iteration = 0, due = !is_worth_a_look(run);; ++iteration) {
        const int is_last = iteration >= run->options->max_iter || s->exact.must_stop;
        if ((iteration >= due || is_last || moved == 0) && check(run, iteration)) return MO_SOLVED;
        due = iteration >= due ? mo_next_check(iteration, run->options->nsgs.check_every) : due;
        if (is_last || moved == 0) {
            return s->exact.must_stop ? (mo_status)s->exact.must_stop
                   : is_last          ? MO_ITERATION_LIMIT
                                      : MO_STALLED;
        }
        s->exact.wants_stop = run->options->cancel && *run->options->cancel ? MO_CANCELLED
                              : mo_clock() - run->start_time >= run->options->time_limit
                                  ? MO_TIME_LIMIT
                                  : 0;
        if (cap > 1) push_on(s, mo_momentum_next(&momentum));
        moved = sweep_once(s);
        mo_momentum_watch(&momentum, moved);
    }
}

mo_status mo_reduced_solve(mo_spread *s, const mo_options *options, double start_time,
                           double momentum, mo_result *result)
{
    const size_t rows = (size_t)s->part->row_count;
    reduced_run run = {s, options, start_time, 0, INFINITY, result};
    memset(s->reduced->r, 0, rows * sizeof(double));
    write_u(s, s->reduced->r);
    run.q_norm = norm_of(s, s->reduced->u);
    memcpy(s->reduced->r, result->r, rows * sizeof(double));
    s->exact.must_stop = 0;
    s->exact.bound[KIND_MOVED] = 0;
    const mo_status status = iterate(&run, momentum);
    MPI_Allreduce(MPI_IN_PLACE, result->u, (int)rows, MPI_DOUBLE, MPI_SUM, s->comm);
    if (status == MO_STALLED)
        mo_say(&result->message, "a whole sweep changes no impulse, yet the residual is above tol");
    return status;
}
