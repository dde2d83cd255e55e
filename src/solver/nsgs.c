/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Nonsmooth block Gauss-Seidel in velocity form.
 *
 * Visits the blocks one after the other and solves each exactly with the others held (visit.h), so that a sweep costs one pass
 * over the Jacobians and W is never formed [jourdan1998], [acary2018].
 *
 *   here     literature   meaning
 *   x        L' v         whitened velocity (sweep.h)
 *
 * With nsgs.momentum > 1 a sweep starts from impulses moved on along their last change, and the state alike: momentum.h.
 *
 * Problems of balls, where the tolerance is not too fine for it, are swept over several contacts at a time: nsgs_balls.h.
 *
 * Chunks of a colour share nothing and are visited in parallel; the order of the colours is fixed, so
 * the answer has the same bits for any number of threads.  Up to SMALL blocks the natural order is used,
 * which converges a little faster in stacks and is too short to share.
 *
 * Limits: converges linearly at best, slowly for tall stacks and large mass ratios; no proof of
 * convergence with friction in general.  Ends as stalled where a sweep changes nothing.
 */
#include <math.h>
#include <string.h>

#include "base/parallel.h"
#include "problem/views.h"
#include "solver/method.h"
#include "solver/momentum.h"
#include "solver/nsgs_balls.h"
#include "solver/visit.h"

enum { ORDER_AUTO, ORDER_NATURAL, ORDER_COLOURED, SMALL = 2000 };

typedef struct workspace {
    const mo_sweep *sweep;
    double *state;               /* x of a global problem          */
    double *movement;            /* sum of |dr|^2, one entry a chunk */
    double *r_before, *x_before; /* where there is momentum */
    void *balls;                 /* nsgs_balls.h, or NULL: then nothing else is used */
} workspace;

/* One sweep as the parallel loop sees it. */
typedef struct sweep_context {
    mo_visitor visitor;
    double *movement;
    int first; /* position at which the present group starts */
} sweep_context;

static mo_error layout(const mo_problem *problem, const mo_options *options, mo_arena *arena,
                       void **out)
{
    const int order = options->nsgs.order;
    const int coloured =
        order == ORDER_COLOURED || (order == ORDER_AUTO && problem->constraint_count > SMALL);
    workspace *w = MO_TAKE(arena, 1, workspace);
    const mo_sweep *sweep;
    void *of_balls = NULL;
    int is_of_balls = 0;
    mo_error error = mo_nsgs_balls_layout(problem, options, arena, &is_of_balls, &of_balls);
    if (error || is_of_balls) {
        if (w) {
            *w = (workspace){.balls = of_balls};
        }
        *out = w;
        return error;
    }
    error = mo_problem_sweep(problem, coloured ? MO_SWEEP_COLOURED : MO_SWEEP_NATURAL, &sweep);
    if (error) {
        return error;
    }
    double *state = MO_TAKE(arena, mo_sweep_state_size(sweep), double);
    double *movement = MO_TAKE(arena, mo_chunk_count(problem->constraint_count), double);
    const int has_momentum = options->nsgs.momentum > 1;
    double *r_before = MO_TAKE(arena, has_momentum ? problem->row_count : 0, double);
    double *x_before = MO_TAKE(arena, has_momentum ? mo_sweep_state_size(sweep) : 0, double);
    if (w) {
        *w = (workspace){sweep, state, movement, r_before, x_before, NULL};
    }
    *out = w;
    return MO_OK;
}

static void visit_range(void *context, int begin, int end)
{
    const sweep_context *c = context;
    double moved = 0;
    for (int position = begin; position < end; ++position) {
        moved += mo_visit(&c->visitor, position);
    }
    c->movement[(begin - c->first) / MO_CHUNK] = moved;
}

/* Visits every block once; returns the sum of |dr|^2. */
static double sweep_once(sweep_context *c, int threads)
{
    const mo_sweep *sweep = c->visitor.sweep;
    double moved = 0;
    for (int g = 0; g < sweep->group_count; ++g) {
        c->first = sweep->group_start[g];
        const int end = sweep->group_start[g + 1];
        mo_parallel_for(mo_sweep_is_parallel(sweep, g) ? threads : 1, c->first, end, visit_range,
                        c);
        for (int chunk = 0; chunk < mo_chunk_count(end - c->first); ++chunk) {
            moved += c->movement[chunk];
        }
    }
    return moved;
}

/* ---- momentum ------------------------------------------------------------------------------ */

typedef struct extrapolation {
    double beta;
    double *now, *before;
} extrapolation;

static void extrapolate_range(void *context, int begin, int end)
{
    const extrapolation *e = context;
    for (int k = begin; k < end; ++k) {
        const double now = e->now[k];
        if (e->beta > 0) { /* else before may not be set yet */
            e->now[k] += e->beta * (now - e->before[k]);
        }
        e->before[k] = now;
    }
}

static void extrapolate(int threads, double beta, int count, double *now, double *before)
{
    extrapolation e = {beta, now, before};
    mo_parallel_for(threads, 0, count, extrapolate_range, &e);
}

/* Moves r and the state on before a sweep. */
static void push_on(mo_momentum *m, const workspace *w, int threads, double *r)
{
    const double beta = mo_momentum_next(m);
    extrapolate(threads, beta, w->sweep->problem->row_count, r, w->r_before);
    extrapolate(threads, beta, mo_sweep_state_size(w->sweep), w->state, w->x_before);
}

/* ---- the loop ------------------------------------------------------------------------------ */

/* A check costs about two sweeps: every sweep at first, every sixteenth later on. */
static int next_check(const mo_options *options, int iteration)
{
    const int pace = iteration / 3;
    const int wait = options->nsgs.check_every ? options->nsgs.check_every
                     : pace < 1                ? 1
                     : pace > 16               ? 16
                                               : pace;
    return iteration + wait;
}

/* Small problems go straight to the measure; large ones are looked at in parallel first. */
static int measure(mo_run *run, const workspace *w, const double *x, int iteration)
{
    if (run->problem->constraint_count <= MO_CHUNK) {
        return mo_run_measure(run, iteration, run->r);
    }
    mo_sweep_all_velocities(w->sweep, run->options->threads, x, run->u);
    return mo_run_check(run, iteration, run->u, run->r);
}

/*
 * Whether to measure before the first sweep.  At r = 0 the sweep itself tells: where nothing moves, zero is the answer, and that is
 * measured next.
 */
static int is_worth_a_look(const mo_run *run)
{
    const int rows = run->problem->row_count;
    return rows == 0 || run->options->progress || run->options->history || isfinite(run->best) ||
           !mo_run_is_zero(run->r, rows);
}

static mo_status solve(mo_run *run, void *memory)
{
    const workspace *w = memory;
    if (w->balls) {
        return mo_nsgs_balls_solve(run, w->balls);
    }
    const int threads = run->options->threads;
    double *x = mo_sweep_state_size(w->sweep) ? w->state : run->r;
    sweep_context context = {.visitor =
                                 mo_visitor_begin(w->sweep, run->options->nsgs.omega, run->r, x),
                             .movement = w->movement};
    mo_momentum m = mo_momentum_begin(run->options->nsgs.momentum);
    int due = is_worth_a_look(run) ? 0 : 1;
    double moved = INFINITY;
    mo_sweep_reset(w->sweep, threads, run->r, x);
    for (int iteration = 0;; ++iteration) {
        if (iteration >= due || iteration + run->done >= run->options->max_iter || moved == 0) {
            mo_sweep_reset(w->sweep, threads, run->r, x); /* rid of the rounding of the updates */
            if (measure(run, w, x, iteration)) {
                return MO_SOLVED;
            }
            due = next_check(run->options, iteration);
        }
        if (mo_run_must_stop(run, iteration)) {
            return run->status;
        }
        if (moved == 0) {
            return mo_run_stall(run,
                                "a whole sweep changes no impulse, yet the residual is above tol");
        }
        if (m.cap > 1) {
            push_on(&m, w, threads, run->r);
        }
        moved = sweep_once(&context, threads);
        mo_momentum_watch(&m, moved);
    }
}

const mo_method mo_nsgs_method = {
    .name = "nsgs",
    .summary = "block Gauss-Seidel in velocities, each block solved exactly; parallel by colours",
    .paper = "jourdan1998",
    .laws = MO_ALL_LAWS,
    .layout = layout,
    .solve = solve,
};
