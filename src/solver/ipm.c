/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * The interior point method for the full Coulomb law, with crossover to Newton's method.
 *
 * The steps of interior.h follow the central path of the law itself, with the shift mu |u_T|
 * linearised [acary2024].  Newton steps on regularised problems (proximal.h) finish.
 *
 *   1. with an accurate start: try Newton steps from it
 *   2. interior point steps, at most `ipm.iterations`: from the point near the best impulses with
 *      p o z = beta^2 e, or from p = z = beta e
 *   3. at FIRST_TRY of the initial residual, and at each further factor of 100: try Newton steps
 *   4. after SHORT_STEPS short steps (folds in interior.h; not on an arc): the next of AT_FOLD
 *   5. after the last of them, a stall, or the last iteration: proximal points from the best
 *      impulses, while they gain digits; if they fail, 2 from the next start
 *
 * ipm.crossover = 0 skips 1 and 3: the path then ends at the analytic centre of the solutions.
 * Limits: no proof with friction; no path if the contacts cannot all open at once; W is factored.
 */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "measure/measure_blocks.h"
#include "solver/interior.h"
#include "solver/proximal.h"

enum { SHORT_STEPS = 3, ARC = 4 }; /* ARC: more iterations along an arc */
static const double NEAR = 1e-3;   /* relative residual of impulses that are worth a try */
static const double FIRST_TRY = 0.03, NEXT_TRY = 0.01;
static const double SHORT = 0.1;    /* a step that is held back */
static const double NOWHERE = 1e-8; /* one that leads nowhere */

/* Where a path starts: near the best impulses, or at p = z = beta e.  What it does at a fold:
 * follow the arc, or continue with a part of the shift's gradient.  Iterations for a digit of the
 * proximal points at its end.  What one misses another may find. */
enum { BRIEF = 400, PATIENT = MO_PROXIMAL_PATIENCE };
typedef struct start {
    int is_near;
    double beta, least_slope;
    int by_arc, patience;
} start;
static const start STARTS[] = {{1, 0.01, 0.8, 0, BRIEF}, /* most heaps; beta: the least */
                               {0, 1, 1, 1, BRIEF},      /* balls that have settled */
                               {0, 1, 0.5, 0, PATIENT},  {0, 0.1, 1, 0, PATIENT},
                               {0, 100, 0, 0, PATIENT},  {0, 10, 0.5, 0, PATIENT},
                               {0, 0.01, 1, 0, PATIENT}};
static const start COLD = {0, 0.3, 0.8, 0, BRIEF}; /* in place of the first, without impulses */
enum { CENTRAL = 1 };                              /* the first of STARTS on the path alone */

/* beta of the first path is that many times the misfit of its start, at most 1: where p and z are
 * much smaller than what is missing in (1), the first steps are short. */
static const double MISFIT = 4;

/* At the folds of a path, one after the other: the part of the shift's gradient that is left. */
static const double AT_FOLD[] = {0.5, 0};
enum { FOLDS = sizeof AT_FOLD / sizeof AT_FOLD[0] };

typedef struct workspace {
    mo_proximal proximal;
    mo_interior interior;
} workspace;

static mo_error lay_out(const mo_problem *problem, int is_quick, mo_arena *arena, void **out)
{
    workspace *w = MO_HEAD(arena, workspace);
    *out = w;
    MO_TRY(mo_proximal_layout(problem, arena, &w->proximal));
    return mo_interior_layout(problem, is_quick, arena, &w->interior);
}

static mo_error layout(const mo_problem *problem, const mo_options *options, mo_arena *arena,
                       void **out)
{
    (void)options;
    return lay_out(problem, 0, arena, out);
}

static mo_error layout_quick(const mo_problem *problem, const mo_options *options, mo_arena *arena,
                             void **out)
{
    (void)options;
    return lay_out(problem, 1, arena, out);
}

typedef enum ending { GOES_ON, SOLVED, MUST_STOP } ending;

/* The natural residual of r, whose velocity is in run->u. */
static double residual_of(const mo_run *run, const double *r)
{
    return mo_natural_norm(run->problem, run->options->threads, run->u, r, run->partial);
}

/* The end of an interior step. */
static ending look(mo_run *run, const mo_interior *interior, int *iteration)
{
    ++*iteration;
    mo_interior_velocity(&interior->matrix, interior->r, run->u);
    if (mo_run_check(run, *iteration, run->u, interior->r)) return SOLVED;
    return mo_run_must_stop(run, *iteration) ? MUST_STOP : GOES_ON;
}

/* Newton steps from run->r: a try on the natural map without patience, else proximal points. */
static ending cross_over(mo_run *run, workspace *w, int patience, int *iteration)
{
    const mo_proximal_end end = patience ? mo_proximal_run(run, &w->proximal, patience, iteration)
                                         : mo_proximal_try(run, &w->proximal, iteration);
    return end == MO_PROXIMAL_SOLVED ? SOLVED : end == MO_PROXIMAL_MUST_STOP ? MUST_STOP : GOES_ON;
}

/* A point near the best impulses: with the least beta, or farther from the boundary. */
static void start_near(mo_run *run, mo_interior *interior, double least, double most)
{
    mo_interior_start_near(interior, least, run->result->r);
    const double beta = fmin(most, MISFIT * mo_interior_misfit(interior));
    if (beta > least) mo_interior_start_near(interior, beta, run->result->r);
}

/* Steps 2 to 5 from one start, beta in `unit`s. */
static ending follow_path(mo_run *run, workspace *w, start from, double unit, int *iteration)
{
    mo_interior *interior = &w->interior;
    const size_t bytes = (size_t)run->problem->row_count * sizeof(double);
    const int may_cross = run->options->ipm.crossover;
    const int most = (from.by_arc ? ARC : 1) * run->options->ipm.iterations;
    int short_steps = 0, folds = 0;
    interior->least_slope = from.least_slope;
    interior->by_arc = from.by_arc;
    if (from.is_near)
        start_near(run, interior, from.beta * unit, unit);
    else
        mo_interior_start(interior, from.beta * unit);
    mo_interior_velocity(&interior->matrix, interior->r, run->u);
    double next_try = FIRST_TRY * residual_of(run, interior->r);
    for (int k = 1;; ++k) {
        const int is_free = interior->slope > interior->least_slope;
        const double length = mo_interior_step(interior);
        ending end = look(run, interior, iteration);
        const double residual = residual_of(run, interior->r);
        short_steps = is_free ? 0 : short_steps + !(length > SHORT);
        const int is_held = may_cross && !from.by_arc && short_steps >= SHORT_STEPS;
        const int is_last = !(length > NOWHERE) || (is_held && folds == FOLDS) || k >= most;
        if (end == GOES_ON && ((may_cross && residual <= next_try) || is_last)) {
            const int is_left = is_last && may_cross;
            memcpy(run->r, is_left ? run->result->r : interior->r, bytes);
            end = cross_over(run, w, is_left ? from.patience : 0, iteration);
            next_try = NEXT_TRY * residual;
        }
        if (end != GOES_ON || is_last) return end;
        if (is_held) {
            interior->slope = interior->least_slope = AT_FOLD[folds++];
            short_steps = 0;
        }
    }
}

static mo_status solve(mo_run *run, void *memory)
{
    workspace *w = memory;
    int iteration = 0;
    mo_proximal_begin(&w->proximal);
    mo_interior_velocity(&w->interior.matrix, run->r, run->u);
    if (mo_run_check(run, 0, run->u, run->r)) return MO_SOLVED;
    ending end = mo_run_must_stop(run, 0) ? MUST_STOP : GOES_ON;
    const int is_cold = mo_run_is_zero(run->r, run->problem->row_count);
    const int is_near = residual_of(run, run->r) <= NEAR * run->q_scale;
    const int may_cross = run->options->ipm.crossover;
    if (end == GOES_ON && is_near && may_cross) end = cross_over(run, w, 0, &iteration);
    const double unit = mo_interior_begin(&w->interior, NULL, NULL, NULL);
    size_t k = may_cross ? 0 : CENTRAL;
    for (; k < sizeof STARTS / sizeof STARTS[0] && end == GOES_ON; ++k)
        end = follow_path(run, w, k == 0 && is_cold ? COLD : STARTS[k], unit, &iteration);
    if (end == GOES_ON) {
        return mo_run_stall(
            run, "neither the interior points nor Newton steps from them reach the tolerance");
    }
    return end == SOLVED ? MO_SOLVED : run->status;
}

const mo_method mo_ipm_method = {
    .name = "ipm",
    .summary = "interior point method for the full law, then semismooth Newton",
    .paper = "acary2024",
    .laws = MO_CONE_LAWS,
    .layout = layout,
    .solve = solve,
};

/*
 * The first try of `auto`: in the space of bodies where that is much quicker (interior_matrix.h).
 */
const mo_method mo_quick_ipm_method = {
    .name = "ipm",
    .summary = "interior point method, in the space of bodies if that takes far fewer operations",
    .paper = "acary2024",
    .laws = MO_CONE_LAWS,
    .layout = layout_quick,
    .solve = solve,
};
