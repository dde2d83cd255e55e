/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Nonsmooth block Gauss-Seidel in velocity form.
 *
 * Each block is solved exactly in turn with the others fixed (visit.h).  A sweep costs one pass
 * over the Jacobians, and W is never formed [jourdan1998], [acary2018].  The state x is the
 * whitened velocity L' v (sweep.h).  With nsgs.momentum > 1 a sweep starts from extrapolated
 * impulses (momentum.h).
 *
 * Contacts between rigid bodies are swept several manifolds at a time (sweeps.h) if the tolerance
 * is coarse or the problem large; these visits are exact between balls, and otherwise update the
 * normal impulse before friction.  Contacts with rolling or torsional friction are swept with them,
 * each by one step inside its block (law/relax.c).
 *
 * Chunks of a colour are visited in parallel, with the same bits for any number of threads.
 * Limits: linear convergence, slow for tall stacks and large mass ratios; no proof with friction.
 */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/pace.h"
#include "base/parallel.h"
#include "problem/views.h"
#include "solver/device_arrange.h"
#include "solver/method.h"
#include "solver/momentum.h"
#include "solver/pace.h"
#include "solver/sweeps.h"
#include "solver/visit.h"

enum { ORDER_AUTO, ORDER_NATURAL, ORDER_COLOURED };
enum { DEVICE_AUTO, DEVICE_CPU, DEVICE_GPU, DEVICE_MANY = 20000 /* constraints: a GPU gains */ };
enum {
    RATE_SWEEPS = 1000, /* after which a penetration rate is given up, and SINKING */
    /* above which the residual may not detect an unsupported weight (docs/measure.md) */
    MANY_CONTACTS = 30000
};
static const double SINKING = 0.5; /* for that many: largest power of the residual over r' W r */

static const double COARSE = 1e-5;  /* tolerance above which contacts are swept in vector lanes */
static const double NEARLY = 0.999; /* of the tolerance, by a look: leaves room for its rounding */

typedef struct workspace {
    const mo_sweep *sweep;
    double *state;               /* x of a global problem */
    double *movement;            /* sum of |dr|^2, one entry a chunk */
    double *r_before, *x_before; /* where there is momentum */
    mo_sweeps *in_lanes;         /* or NULL; else nothing but this is used */
} workspace;

/* Arguments of a sweep for the parallel loop. */
typedef struct sweep_context {
    mo_visitor visitor;
    double *movement;
    int first; /* position at which the current group starts */
} sweep_context;

/* The arrangement in lanes if the problem is suitable; otherwise *batches is NULL. */
static mo_error find_batches(const mo_problem *problem, const mo_options *options,
                             const mo_batches **batches)
{
    const int is_plain =
        options->nsgs.omega == 1 && options->nsgs.order == ORDER_AUTO && !options->nsgs.check_every;
    int contacts = 0;
    *batches = NULL;
    if (problem->form != MO_FORM_GLOBAL || !is_plain) return MO_OK;
    const mo_error error = mo_problem_swept_contacts(problem, &contacts);
    const int is_for_lanes =
        options->tol >= COARSE || (contacts > 0 && problem->constraint_count > MO_NATURAL_MOST);
    return error || !is_for_lanes ? error : mo_problem_batches(problem, batches);
}

static mo_error layout_in_lanes(const mo_batches *batches, mo_arena *arena, workspace *w)
{
    *w = (workspace){.in_lanes = MO_HEAD(arena, mo_sweeps)};
    mo_sweeps_layout(arena, batches, w->in_lanes);
    return MO_OK;
}

static mo_error layout(const mo_problem *problem, const mo_options *options, mo_arena *arena,
                       void **out)
{
    const int order = options->nsgs.order;
    const int coloured = order == ORDER_COLOURED ||
                         (order == ORDER_AUTO && problem->constraint_count > MO_NATURAL_MOST);
    workspace *w = MO_HEAD(arena, workspace);
    const mo_batches *batches;
    mo_error error = find_batches(problem, options, &batches);
    *out = w;
    if (error || batches) return error ? error : layout_in_lanes(batches, arena, w);
    const int has_momentum = options->nsgs.momentum > 1;
    *w = (workspace){0};
    MO_TRY(mo_problem_sweep(problem, coloured ? MO_SWEEP_COLOURED : MO_SWEEP_NATURAL, &w->sweep));
    const size_t state = mo_sweep_state_size(w->sweep);
    w->state = MO_TAKE(arena, state, double);
    w->movement = MO_TAKE(arena, mo_chunk_count(problem->constraint_count), double);
    w->r_before = MO_TAKE(arena, has_momentum ? problem->row_count : 0, double);
    w->x_before = MO_TAKE(arena, has_momentum ? state : 0, double);
    return MO_OK;
}

static void visit_range(void *context, int begin, int end)
{
    const sweep_context *c = context;
    double moved = 0;
    for (int position = begin; position < end; ++position)
        moved += mo_visit(&c->visitor, position);
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
        for (int chunk = 0; chunk < mo_chunk_count(end - c->first); ++chunk)
            moved += c->movement[chunk];
    }
    return moved;
}

/* ---- momentum -------------------------------------------------------------------------------- */

typedef struct extrapolation {
    double beta;
    double *now, *before;
} extrapolation;

static void extrapolate_range(void *context, int begin, int end)
{
    const extrapolation *e = context;
    for (int k = begin; k < end; ++k) {
        const double now = e->now[k];
        if (e->beta > 0) /* otherwise `before` may not be set yet */
            e->now[k] += e->beta * (now - e->before[k]);
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

/* ---- in lanes -------------------------------------------------------------------------------- */

static int must_stop(void *context, int iteration)
{
    return mo_run_must_stop(context, iteration);
}

/* Whether the measured residual of the best impulses meets the tolerance. */
static int confirm(mo_run *run, mo_sweeps *sweeps)
{
    double q_norm = 0;
    run->is_confirmed = run->has_q = 0;
    run->error = mo_problem_q_norm(run->problem, &q_norm);
    mo_pace();
    mo_sweeps_measure(sweeps, q_norm, run->r, run->scratch, run->scratch + run->problem->dof_count,
                      &run->residual);
    mo_pace();
    return !run->error && mo_run_judged(run, sweeps->iteration, run->r);
}

/* Is the weight of a large heap not carried by the answer?  After confirm. */
static int is_not_carried(const mo_run *run, const mo_sweeps *sweeps)
{
    return run->problem->constraint_count >= MANY_CONTACTS && sweeps->batches->row_count == 0 &&
           sweeps->iteration < RATE_SWEEPS &&
           run->residual.power > SINKING * mo_sweeps_exchange(sweeps);
}

/* If the answer is not accurate enough, its velocities are those of the sweeps, as on ranks. */
static mo_status end_unsolved(mo_run *run, const mo_sweeps *sweeps)
{
    run->is_confirmed = !run->error && run->residual.natural == run->best;
    return mo_run_must_stop(run, sweeps->iteration)
               ? run->status
               : mo_run_stall(run,
                              "a whole sweep changes no impulse, yet the residual is above tol");
}

static mo_status solve_in_lanes(mo_run *run, mo_sweeps *sweeps)
{
    mo_sweep_goal goal = {NEARLY * run->options->tol * run->q_scale, run->options->penetration_rate,
                          RATE_SWEEPS, INFINITY, 0};
    mo_sweeps_start(sweeps, run->options->threads, run->options->nsgs.momentum, run->r);
    while (mo_sweeps_run(sweeps, goal, must_stop, run)) {
        if (confirm(run, sweeps) && !is_not_carried(run, sweeps)) return MO_SOLVED;
        if (!mo_sweep_goal_tighten(&goal)) break;
    }
    return confirm(run, sweeps) ? MO_SOLVED : end_unsolved(run, sweeps);
}

/* ---- on a device --------------------------------------------------------------------------- */

/* The same on a device, which holds the state; every answer is measured here. */
static mo_status sweep_on_device(mo_run *run, mo_sweeps *sweeps, mo_device_arrangement *on)
{
    mo_sweep_goal goal = {NEARLY * run->options->tol * run->q_scale, run->options->penetration_rate,
                          RATE_SWEEPS, INFINITY, 0};
    int passes = 1;
    mo_device_write_impulses(on, run->r);
    mo_device_sweeps_start(&on->sweeps, run->options->nsgs.momentum);
    while (passes) {
        passes = mo_device_sweeps_run(&on->sweeps, goal, must_stop, run);
        mo_device_read_impulses(on, run->r);
        run->error = mo_device_error(on->sweeps.device, &run->result->message);
        mo_sweeps_start(sweeps, run->options->threads, run->options->nsgs.momentum, run->r);
        sweeps->iteration = on->sweeps.iteration;
        if (run->error || (confirm(run, sweeps) && !is_not_carried(run, sweeps)))
            return run->error ? MO_STALLED : MO_SOLVED;
        passes = passes && mo_sweep_goal_tighten(&goal);
    }
    return end_unsolved(run, sweeps);
}

/* A missing device was refused before the run, so an error here is lack of device memory. */
static mo_status solve_on_device(mo_run *run, mo_sweeps *sweeps)
{
    mo_device *device;
    mo_device_arrangement on;
    mo_status status = MO_STALLED;
    run->error = mo_device_open_gpu(&run->problem->allocator, &device, &run->result->message);
    if (run->error) return status;
    run->error = mo_device_arrange(device, sweeps->batches, &on);
    if (!run->error) {
        status = sweep_on_device(run, sweeps, &on);
        mo_device_arrangement_end(&on);
    }
    mo_device_close(device);
    return status;
}

/* Work on a device cannot be suspended, so auto keeps a time limit on the CPU. */
static int uses_device(const mo_run *run, const mo_batches *batches)
{
    const int asked = run->options->device, count = run->problem->constraint_count;
    const int is_auto = asked == DEVICE_AUTO && !isfinite(run->options->time_limit);
    return batches->row_count == 0 &&
           (asked == DEVICE_GPU || (is_auto && count >= DEVICE_MANY && mo_device_has_gpu()));
}

/* With device = gpu nsgs accepts only contacts between rigid bodies and the default order. */
static mo_error check(const mo_problem *problem, const mo_options *options, mo_message *why)
{
    const mo_compact *compact;
    const mo_batches *batches;
    if (options->device != DEVICE_GPU) return MO_OK;
    mo_error error = mo_problem_compact(problem, &compact);
    for (int i = 0; !error && i < problem->constraint_count; ++i) {
        if (compact->contact_of[i] < 0) {
            return mo_fail(why, MO_ERR_UNSUPPORTED,
                           "device = gpu: constraint %d (%s) is not a hard Coulomb contact between "
                           "rigid bodies in space; use device = cpu",
                           i, mo_constraint_law(problem, i)->name);
        }
    }
    error = error ? error : find_batches(problem, options, &batches);
    if (!error && !batches && problem->constraint_count > 0) {
        return mo_fail(why, MO_ERR_UNSUPPORTED,
                       "device = gpu: nsgs sweeps there with its default order and relaxation, and "
                       "from a tolerance of %g or %d constraints on; use device = cpu",
                       COARSE, MO_NATURAL_MOST);
    }
    return error ? mo_fail_memory(why) : MO_OK;
}

/* ---- the loop ------------------------------------------------------------------------------ */

/* Small problems are measured directly; large ones are first checked in parallel. */
static int measure(mo_run *run, const workspace *w, const double *x, int iteration)
{
    if (run->problem->constraint_count <= MO_CHUNK) return mo_run_measure(run, iteration, run->r);
    mo_sweep_all_velocities(w->sweep, run->options->threads, x, run->u);
    return mo_run_check(run, iteration, run->u, run->r);
}

/* Whether to measure before the first sweep.  At r = 0 the sweep decides: if nothing changes,
 * zero is the solution and is measured next. */
static int needs_check(const mo_run *run)
{
    const int rows = run->problem->row_count;
    return rows == 0 || run->options->progress || run->options->history || isfinite(run->best) ||
           !mo_run_is_zero(run->r, rows);
}

static mo_status solve(mo_run *run, void *memory)
{
    const workspace *w = memory;
    if (w->in_lanes) {
        return uses_device(run, w->in_lanes->batches) ? solve_on_device(run, w->in_lanes)
                                                      : solve_in_lanes(run, w->in_lanes);
    }
    const int threads = run->options->threads;
    double *x = mo_sweep_state_size(w->sweep) ? w->state : run->r;
    sweep_context context = {.visitor =
                                 mo_visitor_begin(w->sweep, run->options->nsgs.omega, run->r, x),
                             .movement = w->movement};
    mo_momentum m = mo_momentum_begin(run->options->nsgs.momentum);
    int due = needs_check(run) ? 0 : 1;
    double moved = INFINITY;
    mo_sweep_reset(w->sweep, threads, run->r, x);
    for (int iteration = 0;; ++iteration) {
        if (iteration >= due || iteration + run->done >= run->options->max_iter || moved == 0) {
            mo_sweep_reset(w->sweep, threads, run->r, x); /* without the rounding of the updates */
            if (measure(run, w, x, iteration)) return MO_SOLVED;
            due = mo_next_check(iteration, run->options->nsgs.check_every);
        }
        if (mo_run_must_stop(run, iteration)) return run->status;
        if (moved == 0) {
            return mo_run_stall(run,
                                "a whole sweep changes no impulse, yet the residual is above tol");
        }
        if (m.cap > 1) push_on(&m, w, threads, run->r);
        moved = sweep_once(&context, threads);
        mo_momentum_watch(&m, moved);
    }
}

const mo_method mo_nsgs_method = {
    .name = "nsgs",
    .summary = "block Gauss-Seidel in velocities, each block solved exactly; parallel by colours",
    .paper = "jourdan1998",
    .laws = MO_ALL_LAWS,
    .takes_compact = 1, /* mo_problem_sweep writes rows itself */
    .check = check,
    .layout = layout,
    .solve = solve,
};
