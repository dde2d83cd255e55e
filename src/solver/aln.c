/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Proximal points, each by Newton's method: the augmented Lagrangian of the bodies' velocities.
 *
 * In place of the problem, whose W may be singular, a sequence of regularised ones is solved:
 *
 *     r = proj(r_k - theta rho uhat(u)),    u = W r + q;    r_{k+1} = r                                   (1)
 *
 * the proximal point algorithm on r [acary2018, PPA].  Seen from the velocities it is the method of multipliers,
 *
 *     M v = f + H proj(r_k - theta rho uhat(H' v + w))                                                     (2)
 *
 * with multipliers r_k and penalty theta rho: with r = proj(...) put in, (1) and (2) are the same equations, and their Newton
 * steps (I + B W) dr = -z and (M + H B H') dv = ... the same steps, taken in whichever space costs less (delassus.h).
 * At a fixed point the regularisation vanishes, so nothing of it is left in the answer.  It falls as long as the inner
 * problems are solved with ease (theta times 1.5) and rises where Newton fails (theta over five, r_k kept).  A faster growth loses walls
 * and other redundant sets.
 *
 * Inner problems are solved to 1e-5 of their first merit, with a floor at rounding: below it the merit cannot fall, and
 * a failure would be a false one.  Near its solution Newton's method takes one step more for that, and a centre that is off costs the next
 * problem many: with 1e-3 heaps of 400 beads need twice as many steps, with 0.03 most of them are not solved.  STEPS Newton steps at most each, with HALVINGS halvings that must lower the merit.
 *
 * Slower than `newton` where that converges, and the more robust of the two: it needs no luck with the set of contacts.
 * Starts from `newton.sweeps` sweeps.  An iteration is a sweep or a Newton step.
 *
 * Limits: those of `newton` in size.  No proof of convergence with friction; ends as stalled when theta has reached its floor and
 * Newton fails there too.
 */
#include <math.h>
#include <string.h>

#include "solver/newton_step.h"

enum { STEPS = 40, HALVINGS = 10 };
static const double GROW = 1.5, SHRINK = 0.2, LEAST = 1e-3, MOST = 1e10;
static const double INNER = 1e-5;   /* of the merit at the start of an inner problem           */
static const double FLOOR = 1e-14;  /* of |r|, in the units of the merit: rounding             */
static const double DESCENT = 1e-4; /* a step of length t must lower the merit by this times t */

typedef struct workspace {
    mo_newton newton;
    double *centre; /* r_k */
} workspace;

static mo_error layout(const mo_problem *problem, const mo_options *options, mo_arena *arena,
                       void **out)
{
    (void)options;
    workspace *w = MO_TAKE(arena, 1, workspace);
    double *centre = MO_TAKE(arena, problem->row_count, double);
    if (w) {
        w->centre = centre;
    }
    *out = w;
    return mo_newton_layout(problem, arena, w ? &w->newton : NULL);
}

/* |r| in the units of the merit. */
static double size_of(const mo_newton *newton, const double *r)
{
    const mo_problem *problem = newton->problem;
    double sum = 0;
    for (int i = 0; i < problem->constraint_count; ++i) {
        const int row = problem->row_start[i], d = problem->row_start[i + 1] - row;
        sum += mo_dot(d, r + row, r + row) / newton->rho[i];
    }
    return sqrt(sum);
}

typedef enum ending { FAILED, REACHED, SOLVED, MUST_STOP } ending;

/* The problem regularised around the centre, from run->r. */
static ending solve_inner(mo_run *run, workspace *w, int *iteration)
{
    mo_newton *newton = &w->newton;
    double merit = mo_newton_evaluate(newton, run->r);
    const double goal = fmax(INNER * merit, FLOOR * size_of(newton, run->r));
    for (int step = 0; step < STEPS; ++step) {
        if (!mo_newton_find_step(newton, run->r)) {
            return FAILED;
        }
        const double before = merit;
        merit = mo_newton_take_step(newton, (1 - DESCENT) * before, HALVINGS, run->r);
        if (mo_run_check(run, ++*iteration, newton->u, run->r)) {
            return SOLVED;
        }
        if (mo_run_must_stop(run, *iteration)) {
            return MUST_STOP;
        }
        if (merit <= goal) {
            return REACHED;
        }
        if (!(merit < before)) {
            return FAILED;
        }
    }
    return FAILED;
}

/* Each block moved to the nearest impulse that its law allows. */
static void project_all(const mo_problem *problem, double *r)
{
    for (int i = 0; i < problem->constraint_count; ++i) {
        double *block = r + problem->row_start[i];
        mo_constraint_law(problem, i)
            ->project(mo_constraint_param(problem, i), mo_constraint_dim(problem, i), block, block);
    }
}

static mo_status iterate(mo_run *run, workspace *w, int iteration)
{
    const size_t bytes = (size_t)run->problem->row_count * sizeof(double);
    double theta = 1;
    w->newton.centre = w->centre;
    for (;;) {
        memcpy(w->centre, run->r, bytes);
        w->newton.theta = theta;
        const ending end = solve_inner(run, w, &iteration);
        if (end == SOLVED || end == MUST_STOP) {
            return end == SOLVED ? MO_SOLVED : run->status;
        }
        if (end == REACHED) {
            theta = fmin(MOST, GROW * theta);
            project_all(w->newton.problem, run->r);
            continue;
        }
        if (theta <= LEAST) {
            return mo_run_stall(run, "Newton fails on the most strongly regularised problem too");
        }
        theta = fmax(LEAST, SHRINK * theta);
        memcpy(run->r, w->centre, bytes);
    }
}

static mo_status solve(mo_run *run, void *memory)
{
    workspace *w = memory;
    mo_newton *newton = &w->newton;
    mo_newton_begin(newton, 0);
    for (int iteration = 0; iteration <= run->options->newton.sweeps; ++iteration) {
        if (iteration % 5 == 0 || iteration == run->options->newton.sweeps) {
            mo_newton_velocity(newton, run->r);
            if (mo_run_check(run, iteration, newton->u, run->r)) {
                return MO_SOLVED;
            }
        }
        if (mo_run_must_stop(run, iteration)) {
            return run->status;
        }
        mo_newton_sweep(newton, run->r);
    }
    return iterate(run, w, run->options->newton.sweeps + 1);
}

const mo_method mo_aln_method = {
    .name = "aln",
    .summary = "augmented Lagrangian: proximal points, each by semismooth Newton; slow and robust",
    .paper = "acary2018",
    .laws = MO_NEWTON_LAWS,
    .layout = layout,
    .solve = solve,
};
