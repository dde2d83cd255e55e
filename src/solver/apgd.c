/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Accelerated projected gradients for the full law.
 *
 * With the shift s of the normal velocity frozen, Coulomb's law is a convex problem in r
 * (convex.h), which momentum with restarts solves with one product with W per iteration
 * [mazhar2015].  The published method has s = 0, and sliding contacts also open
 * (apgd.model=relaxed).  Here s is updated:
 *
 *   1. s = 0, or the shift of the starting point
 *   2. accelerated steps with s frozen (projected_gradient.h), until the convex problem is solved
 *      to a fifth of the residual of the law
 *   3. s = mu |u_T|, momentum is reset, go to 2                               [acary2011, eq. 3.19]
 *
 * If 3 does not reduce the residual of the law, s is under-relaxed, since the map is a contraction
 * for small mu only.  The paper's gamma is r, its L and beta are the curvature and the momentum.
 * Limits: linear at best; slow for large mass ratios and tall stacks; no proof for large mu.
 */
#include <math.h>
#include <string.h>

#include "measure/measure_blocks.h"
#include "solver/projected_gradient.h"

enum { MODEL_EXACT, MODEL_RELAXED };
enum { CHECK_EVERY = 5, ROUND_LEAST = 5 };
static const double FORCING = 0.2; /* accuracy of a round, relative to the law's residual */
static const double PART_LEAST = 0.1, PART_FALL = 0.7,
                    PART_RISE = 1.2;  /* relative length of a step of s */
static const double ROUND_PAYS = 0.9; /* a round should reduce the residual to this fraction */

typedef struct workspace {
    mo_projected_gradient gradient;
    double *s, *image;
} workspace;

static mo_error layout(const mo_problem *problem, const mo_options *options, mo_arena *arena,
                       void **out)
{
    (void)options;
    workspace *w = MO_HEAD(arena, workspace);
    *out = w;
    MO_TAKE_EACH(arena, problem->constraint_count, double, &w->s, &w->image);
    return mo_projected_gradient_layout(problem, arena, &w->gradient);
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
    for (int i = 0; i < count; ++i) {
        w->s[i] += round->part * (w->image[i] - w->s[i]);
    }
    mo_projected_gradient_restart(&w->gradient);
}

static void begin(mo_run *run, workspace *w)
{
    mo_projected_gradient_begin(&w->gradient, run->options->threads, 1);
    mo_projected_gradient_velocity(&w->gradient, run->r, run->u);
    memset(w->s, 0, (size_t)run->problem->constraint_count * sizeof *w->s);
    if (run->options->start && run->options->apgd.model == MODEL_EXACT) {
        mo_convex_shifts(run->problem, run->u, run->r, w->s);
    }
}

/* The relaxed model returns its last iterate; its residual in the exact law may be large. */
static mo_status end(mo_run *run, mo_status status)
{
    if (run->options->apgd.model == MODEL_RELAXED) {
        memcpy(run->result->r, run->r, (size_t)run->problem->row_count * sizeof(double));
    }
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
    if (run->options->apgd.model == MODEL_RELAXED) {
        return !moves || convex_part <= run->options->tol * run->q_scale;
    }
    const double law =
        mo_natural_norm(run->problem, run->options->threads, run->u, run->r, run->partial);
    if (!moves && !(convex_part < law)) {
        return 1;
    }
    if (round->steps >= ROUND_LEAST && (convex_part <= FORCING * law || !moves)) {
        move_shift(run, w, round, law);
    }
    return 0;
}

static mo_status solve(mo_run *run, void *memory)
{
    workspace *w = memory;
    const mo_convex convex = {.problem = run->problem, .kind = MO_CONVEX_SHIFTED, .s = w->s};
    rounds round = {INFINITY, 1, 0};
    int moves = 1;
    begin(run, w);
    for (int iteration = 0;; ++iteration) {
        if (iteration % CHECK_EVERY == 0 || iteration == run->options->max_iter || !moves) {
            if (mo_run_check(run, iteration, run->u, run->r)) {
                return MO_SOLVED;
            }
            if (end_round(run, w, &convex, moves, &round)) {
                return end(run, stall(run));
            }
        }
        if (mo_run_must_stop(run, iteration)) {
            return end(run, run->status);
        }
        moves = mo_projected_gradient_step(&w->gradient, &convex, run->r, run->u);
        ++round.steps;
    }
}

const mo_method mo_apgd_method = {
    .name = "apgd",
    .summary = "accelerated projected gradients, with updates of the sliding speed",
    .paper = "mazhar2015",
    .laws = MO_CONVEX_LAWS,
    .layout = layout,
    .solve = solve,
};
