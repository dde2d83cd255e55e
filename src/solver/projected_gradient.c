/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Projected gradients on a convex problem (convex.h), plain or accelerated: the method `apgd` and
 * two engines.  An iteration is one product with W; nothing is factored.
 *
 *     d = least of  a(y).d + L/2 |d|_D^2 + g(y + d),      r+ = y + d         a(y) = velocity at y
 *
 *   y     r where plain [acary2011, section 6 (v)]; else r + beta (r - r before) [nesterov1983]
 *   D     diagonal: one number a block, a bound of |W_ii + compliance + weight|; L has no units
 *   L     the curvature: raised while d.(a(r+) - a(y)) > L |d|_D^2, lowered a little each iteration
 *   beta  (t - 1) / t+, t+ = (1 + sqrt(1 + 4 t^2)) / 2; t falls back to 1 if the last step
 *         went against the one before: (y - r+).D(r+ - r) > 0 [odonoghue2015]
 *
 * Limits: a linear rate at best; slow for large mass ratios and tall stacks.  Where W is not
 * symmetric, a is no gradient; only solutions are fixed points.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/parallel.h"
#include "linalg/dense.h"
#include "measure/measure_blocks.h"
#include "problem/views.h"
#include "solver/convex.h"

enum { TRIALS = 60, SUMS = 3 };
static const double RAISE = 2, LOWER = 0.95;

/* Sums are taken chunk by chunk, with the same bits for any number of threads. */
typedef struct gradient {
    const mo_sweep *sweep;
    int threads;
    int is_accelerated;
    double *scale;                                /* D without the weight, one a block */
    double *r_before, *u_before, *y, *u_y, *step; /* rows */
    double *state;                                /* of a global problem */
    double *sums;                                 /* three for each chunk */
    double L, t;
    int has_before;
} gradient;

static mo_error lay_out(const mo_problem *problem, mo_arena *arena, gradient *g)
{
    const size_t chunks = (size_t)mo_chunk_count(problem->constraint_count);
    *g = (gradient){.t = 1};
    MO_TAKE_EACH(arena, problem->row_count, double, &g->r_before, &g->u_before, &g->y, &g->u_y,
                 &g->step);
    g->scale = MO_TAKE(arena, problem->constraint_count, double);
    g->state = MO_TAKE(arena, problem->dof_count, double);
    g->sums = MO_TAKE(arena, SUMS * chunks, double);
    return mo_problem_sweep(problem, MO_SWEEP_NATURAL, &g->sweep);
}

/* Forgets the momentum: the problem or r has changed. */
static void restart(gradient *g)
{
    g->t = 1;
    g->has_before = 0;
}

/* Before the first step. */
static void begin(gradient *g, int threads, int is_accelerated)
{
    g->threads = threads;
    g->is_accelerated = is_accelerated;
    g->L = 1;
    mo_convex_scales(g->sweep, g->scale);
    restart(g);
}

/* u = the velocity of r. */
static void find_velocity(gradient *g, const double *r, double *u)
{
    const mo_sweep *sweep = g->sweep;
    mo_sweep_reset(sweep, g->threads, r, g->state);
    mo_sweep_all_velocities(sweep, g->threads, mo_sweep_state_size(sweep) ? g->state : r, u);
}

/* ---- loops over blocks ----------------------------------------------------------------------- */

typedef struct loop {
    gradient *g;
    const mo_convex *convex;
    double beta;
    double *r, *u; /* of the iterate; the trial where one is made */
} loop;

static double weighted_scale(const loop *l, int i)
{
    return l->g->scale[i] + (l->convex->weight ? l->convex->weight[i] : 0);
}

/* y and its velocity. */
static void extrapolate(void *context, int begin, int end)
{
    const loop *l = context;
    gradient *g = l->g;
    const int *row = l->convex->problem->row_start;
    if (l->beta == 0) { /* there may be no previous iterate */
        const size_t bytes = (size_t)(row[end] - row[begin]) * sizeof(double);
        memcpy(g->y + row[begin], l->r + row[begin], bytes);
        memcpy(g->u_y + row[begin], l->u + row[begin], bytes);
        return;
    }
    for (int k = row[begin]; k < row[end]; ++k) {
        g->y[k] = l->r[k] + l->beta * (l->r[k] - g->r_before[k]);
        g->u_y[k] = l->u[k] + l->beta * (l->u[k] - g->u_before[k]);
    }
}

/* step = r+, the prox of y less its gradient. */
static void project(void *context, int begin, int end)
{
    const loop *l = context;
    const gradient *g = l->g;
    for (int i = begin; i < end; ++i) {
        const int row = l->convex->problem->row_start[i],
                  d = mo_constraint_dim(l->convex->problem, i);
        const double length = 1 / (g->L * weighted_scale(l, i));
        double a[MO_BILATERAL_MAX_DIM];
        mo_convex_velocity(l->convex, i, g->u_y + row, g->y + row, a);
        mo_along(d, g->y + row, -length, a, a);
        mo_convex_prox(l->convex, i, length, a, g->step + row);
    }
}

/* |d|_D^2, d.(a(r+) - a(y)), |r+|_D^2; l->u is the velocity of the step. */
static void measure_curvature(void *context, int begin, int end)
{
    const loop *l = context;
    const gradient *g = l->g;
    double *sums = g->sums + SUMS * (begin / MO_CHUNK);
    memset(sums, 0, SUMS * sizeof *sums);
    for (int i = begin; i < end; ++i) {
        const int row = l->convex->problem->row_start[i],
                  d = mo_constraint_dim(l->convex->problem, i);
        const double scale = weighted_scale(l, i);
        double here[MO_BILATERAL_MAX_DIM], there[MO_BILATERAL_MAX_DIM];
        mo_convex_velocity(l->convex, i, g->u_y + row, g->y + row, here);
        mo_convex_velocity(l->convex, i, l->u + row, g->step + row, there);
        for (int k = 0; k < d; ++k) {
            const double moved = g->step[row + k] - g->y[row + k];
            sums[0] += scale * moved * moved;
            sums[1] += moved * (there[k] - here[k]);
            sums[2] += scale * g->step[row + k] * g->step[row + k];
        }
    }
}

/* (y - r+).D(r+ - r); then r_before = r and r = r+. */
static void advance(void *context, int begin, int end)
{
    const loop *l = context;
    gradient *g = l->g;
    double *sums = g->sums + SUMS * (begin / MO_CHUNK);
    sums[0] = 0;
    for (int i = begin; i < end; ++i) {
        const double scale = weighted_scale(l, i);
        for (int k = l->convex->problem->row_start[i]; k < l->convex->problem->row_start[i + 1];
             ++k) {
            sums[0] += scale * (g->y[k] - g->step[k]) * (g->step[k] - l->r[k]);
            g->r_before[k] = l->r[k];
            l->r[k] = g->step[k];
        }
    }
}

static void run_loop(loop *l, mo_range_fn *fn)
{
    mo_parallel_for(l->g->threads, 0, l->convex->problem->constraint_count, fn, l);
}

static double total(const loop *l, int which)
{
    const int chunks = mo_chunk_count(l->convex->problem->constraint_count);
    double sum = 0;
    for (int k = 0; k < chunks; ++k)
        sum += l->g->sums[SUMS * k + which];
    return sum;
}

/* ---- one iteration --------------------------------------------------------------------------- */

/* r+ from y, with L raised until it bounds the curvature of the step; false if that fails. */
static int find_step(loop *l, double *u)
{
    gradient *g = l->g;
    loop trial = {g, l->convex, 0, NULL, u};
    for (int k = 0; k < TRIALS; ++k) {
        run_loop(l, project);
        find_velocity(g, g->step, u);
        run_loop(&trial, measure_curvature);
        const double moved = total(l, 0), curved = total(l, 1), size = total(l, 2);
        if (!isfinite(moved) || !isfinite(curved)) return 0;
        /* A step at rounding level contains no curvature. */
        if (curved <= g->L * moved || moved <= 1e4 * DBL_EPSILON * DBL_EPSILON * size)
            return moved > 0;
        g->L *= RAISE;
    }
    return 0;
}

static double momentum(gradient *g)
{
    if (!g->is_accelerated || !g->has_before) return 0;
    const double next = 0.5 * (1 + sqrt(1 + 4 * g->t * g->t)), beta = (g->t - 1) / next;
    g->t = next;
    return beta;
}

/* One iteration: (r, u) becomes (r+, its velocity).  False if nothing moves, or for NaN. */
static int take_step(gradient *g, const mo_convex *convex, double *r, double *u)
{
    loop l = {g, convex, momentum(g), r, u};
    run_loop(&l, extrapolate);
    memcpy(g->u_before, u, (size_t)convex->problem->row_count * sizeof *u);
    if (!find_step(&l, u)) {
        memcpy(u, g->u_before, (size_t)convex->problem->row_count * sizeof *u);
        const int had_momentum = l.beta > 0;
        restart(g);
        return had_momentum; /* once more without */
    }
    run_loop(&l, advance);
    g->has_before = 1;
    if (total(&l, 0) > 0) g->t = 1;
    g->L *= LOWER;
    return 1;
}

/* ---- the method ------------------------------------------------------------------------------ */

/*
 * With the shift s of the normal velocity frozen, Coulomb's law is a convex problem in r.  The
 * published method [mazhar2015] has s = 0, and sliding contacts also open (apgd.model=relaxed).
 * Here s is updated:
 *
 *   1. s = 0, or the shift of the starting point
 *   2. accelerated steps with s frozen, until the convex problem is solved to a fifth of the
 *      residual of the law
 *   3. s = mu |u_T|, momentum is reset, go to 2                               [acary2011, eq. 3.19]
 *
 * If 3 does not reduce the residual of the law, s is under-relaxed, since the map is a contraction
 * for small mu only.  The paper's gamma is r, its L and beta are the curvature and the momentum.
 */
enum { MODEL_EXACT, MODEL_RELAXED };
enum { METHOD_CHECKS = 5, ROUND_LEAST = 5 }; /* steps between checks, and in a round */
static const double FORCING = 0.2; /* accuracy of a round, relative to the law's residual */
static const double PART_LEAST = 0.1, PART_FALL = 0.7,
                    PART_RISE = 1.2;  /* relative length of a step of s */
static const double ROUND_PAYS = 0.9; /* a round should reduce the residual to this fraction */

typedef struct workspace {
    gradient gradient;
    double *s, *image; /* of the method */
    double *best_r;    /* of the engines */
    int most, has_begun;
} workspace;

static mo_error layout_method(const mo_problem *problem, const mo_options *options, mo_arena *arena,
                              void **out)
{
    (void)options;
    workspace *w = MO_HEAD(arena, workspace);
    *out = w;
    MO_TAKE_EACH(arena, problem->constraint_count, double, &w->s, &w->image);
    return lay_out(problem, arena, &w->gradient);
}

/* State at the end of a round. */
typedef struct rounds {
    double last; /* residual of the law  */
    double part; /* of the way */
    int steps;   /* since then */
} rounds;

static void move_shift(mo_run *run, workspace *w, rounds *round, double residual)
{
    const int count = run->problem->constraint_count;
    round->part = residual < ROUND_PAYS * round->last ? fmin(1, PART_RISE * round->part)
                                                      : fmax(PART_LEAST, PART_FALL * round->part);
    round->last = residual;
    round->steps = 0;
    mo_convex_shifts(run->problem, run->u, run->r, w->image);
    for (int i = 0; i < count; ++i)
        w->s[i] += round->part * (w->image[i] - w->s[i]);
    restart(&w->gradient);
}

static void begin_method(mo_run *run, workspace *w)
{
    begin(&w->gradient, run->options->threads, 1);
    find_velocity(&w->gradient, run->r, run->u);
    memset(w->s, 0, (size_t)run->problem->constraint_count * sizeof *w->s);
    if (run->options->start && run->options->apgd.model == MODEL_EXACT)
        mo_convex_shifts(run->problem, run->u, run->r, w->s);
}

/* The relaxed model returns its last iterate; its residual in the exact law may be large. */
static mo_status end(mo_run *run, mo_status status)
{
    if (run->options->apgd.model == MODEL_RELAXED)
        memcpy(run->result->r, run->r, (size_t)run->problem->row_count * sizeof(double));
    return status;
}

static mo_status stall(mo_run *run)
{
    return run->options->apgd.model == MODEL_RELAXED
               ? mo_run_stall(
                     run,
                     "the relaxed law is solved: a contact that slips with speed lambda also opens "
                     "with mu lambda, which leaves this residual")
               : mo_run_stall(run,
                              "the steps have shrunk to rounding, but the residual is above tol");
}

/* After a check: updates s if due; true if no further progress is possible. */
static int end_round(mo_run *run, workspace *w, const mo_convex *convex, int moves, rounds *round)
{
    const double convex_part = mo_convex_residual(convex, run->u, run->r);
    if (run->options->apgd.model == MODEL_RELAXED)
        return !moves || convex_part <= run->options->tol * run->q_scale;
    const double law =
        mo_natural_norm(run->problem, run->options->threads, run->u, run->r, run->partial);
    if (!moves && !(convex_part < law)) return 1;
    if (round->steps >= ROUND_LEAST && (convex_part <= FORCING * law || !moves))
        move_shift(run, w, round, law);
    return 0;
}

static mo_status solve(mo_run *run, void *memory)
{
    workspace *w = memory;
    const mo_convex convex = {.problem = run->problem, .kind = MO_CONVEX_SHIFTED, .s = w->s};
    rounds round = {INFINITY, 1, 0};
    int moves = 1;
    begin_method(run, w);
    for (int iteration = 0;; ++iteration) {
        if (iteration % METHOD_CHECKS == 0 || iteration == run->options->max_iter || !moves) {
            if (mo_run_check(run, iteration, run->u, run->r)) return MO_SOLVED;
            if (end_round(run, w, &convex, moves, &round)) return end(run, stall(run));
        }
        if (mo_run_must_stop(run, iteration)) return end(run, run->status);
        moves = take_step(&w->gradient, &convex, run->r, run->u);
        ++round.steps;
    }
}

const mo_method mo_apgd_method = {
    .name = "apgd",
    .summary = "accelerated projected gradients, with updates of the sliding speed",
    .paper = "mazhar2015",
    .laws = MO_CONVEX_LAWS,
    .layout = layout_method,
    .solve = solve,
};

/* ---- the engines ----------------------------------------------------------------------------- */

/*
 *   gradient   the naive method of [acary2011, section 6 (v)] on the dual problem (4.7):
 *              r+ = Proj(r - grad I(r) / (L D)).  The paper does not specify its step; here L
 *              follows the curvature.
 *   apgd       the same with momentum and restarts, which takes hundreds of times fewer iterations
 *              for ill-conditioned W.
 *
 * Both start from the given r, keep the best, and end after `acary-cadoux.inner` iterations (the
 * paper: 250).
 */
enum { ENGINE_CHECKS = 10 };

static mo_error layout_engine(const mo_problem *problem, const mo_options *options, mo_arena *arena,
                              void **out)
{
    workspace *w = MO_HEAD(arena, workspace);
    *out = w;
    w->best_r = MO_TAKE(arena, problem->row_count, double);
    w->most = options->acary_cadoux.inner;
    w->has_begun = 0;
    return lay_out(problem, arena, &w->gradient);
}

static mo_convex_answer solve_convex(mo_run *run, workspace *w, int is_accelerated,
                                     const mo_convex *convex, double tol, double *r, double *u)
{
    gradient *g = &w->gradient;
    const size_t bytes = (size_t)convex->problem->row_count * sizeof *r;
    double best = INFINITY;
    int iteration = 0, is_over = 0;
    if (!w->has_begun) {
        begin(g, run->options->threads, is_accelerated);
        w->has_begun = 1;
    }
    restart(g);
    find_velocity(g, r, u);
    for (int moves = 1;; ++iteration) {
        if (iteration % ENGINE_CHECKS == 0 || !moves || iteration == w->most) {
            const double residual = mo_convex_residual(convex, u, r);
            if (residual < best) {
                best = residual;
                memcpy(w->best_r, r, bytes);
            }
            is_over = mo_run_is_over(run);
            if (best <= tol || !moves || iteration == w->most || is_over) break;
        }
        moves = take_step(g, convex, r, u);
    }
    if (isfinite(best)) {
        memcpy(r, w->best_r, bytes);
        find_velocity(g, r, u);
    }
    return (mo_convex_answer){best, iteration, is_over};
}

static mo_convex_answer solve_plain(mo_run *run, void *memory, const mo_convex *convex, double tol,
                                    double *r, double *u)
{
    return solve_convex(run, memory, 0, convex, tol, r, u);
}

static mo_convex_answer solve_accelerated(mo_run *run, void *memory, const mo_convex *convex,
                                          double tol, double *r, double *u)
{
    return solve_convex(run, memory, 1, convex, tol, r, u);
}

const mo_convex_engine mo_convex_gradient_engine = {
    .name = "gradient",
    .takes_bounded_slip = 1,
    .layout = layout_engine,
    .solve = solve_plain,
};

const mo_convex_engine mo_convex_apgd_engine = {
    .name = "apgd",
    .takes_bounded_slip = 1,
    .layout = layout_engine,
    .solve = solve_accelerated,
};
