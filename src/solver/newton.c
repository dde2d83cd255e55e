/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Semismooth Newton on the natural map, started by Gauss-Seidel sweeps.
 *
 * Newton steps (newton_step.h) converge in a few iterations once the modes of the contacts are
 * known: the method of Alart and Curnier [acary2018], regularised for singular W.  Sweeps find the
 * modes: `newton.sweeps` before the first attempt, twice as many before each further one.
 *
 * A step is halved at most twice.  If the merit does not decrease, the best of the three is
 * accepted, and the third such event ends the attempt: convergence depends on the modes, not on
 * descent.  A step that multiplies the merit by ASTRAY ends it, too.  An attempt that did not halve
 * the residual is undone.
 *
 * Limits: a matrix of the size of all contacts or bodies is factored, so in space memory and time
 * grow faster than linearly.  No proof of convergence; ends as stalled after the last attempt.  An
 * iteration is a sweep or a Newton step.
 */
#include <math.h>
#include <string.h>

#include "solver/newton_step.h"

enum { STEPS = 30, HALVINGS = 2, BAD_STEPS = 3 };

/* Of the merit before a step: the step lies in the null space of W, so the set is far from right.
 * Steps of attempts that succeed stay below 300. */
static const double ASTRAY = 1000;

typedef struct workspace {
    mo_newton newton;
    double *kept; /* r before an attempt */
} workspace;

static mo_error layout(const mo_problem *problem, const mo_options *options, mo_arena *arena,
                       void **out)
{
    workspace *w = MO_HEAD(arena, workspace);
    *out = w;
    w->kept = MO_TAKE(arena, problem->row_count, double);
    const mo_space space = options->newton.eps > 0 ? MO_SPACE_BEST : MO_SPACE_CONTACTS;
    return mo_newton_layout_in(space, problem, arena, &w->newton);
}

/* ---- rounds ---------------------------------------------------------------------------------- */

typedef enum ending { GOES_ON, SOLVED, MUST_STOP } ending;

/* The end of an iteration: measured at r, whose velocity is in newton->u. */
static ending look(mo_run *run, const mo_newton *newton, int *iteration)
{
    ++*iteration;
    if (mo_run_check(run, *iteration, newton->u, run->r)) return SOLVED;
    return mo_run_must_stop(run, *iteration) ? MUST_STOP : GOES_ON;
}

static ending sweep_round(mo_run *run, mo_newton *newton, int sweeps, int *iteration)
{
    ending end = GOES_ON;
    for (int k = 0; k < sweeps && end == GOES_ON; ++k) {
        mo_newton_sweep(newton, run->r);
        if (k == 0 || k % 5 == 4 || k == sweeps - 1) { /* a check costs about a sweep */
            mo_newton_velocity(newton, run->r);
            end = look(run, newton, iteration);
        } else if (mo_run_must_stop(run, ++*iteration)) {
            end = MUST_STOP;
        }
    }
    return end;
}

static ending newton_round(mo_run *run, workspace *w, int *iteration)
{
    mo_newton *newton = &w->newton;
    const size_t bytes = (size_t)run->problem->row_count * sizeof(double);
    const double best_before = run->best;
    double merit = sqrt(mo_newton_judge(newton, run->r));
    int is_astray = 0;
    memcpy(w->kept, run->r, bytes);
    for (int step = 0, bad = 0; step < STEPS && bad < BAD_STEPS && !is_astray; ++step) {
        if (!mo_newton_find_step(newton, run->r)) break;
        const double before = merit;
        merit = mo_newton_take_step(newton, before, HALVINGS, run->r);
        bad += !(merit < before);
        is_astray = !(merit <= ASTRAY * before);
        const ending end = look(run, newton, iteration);
        if (end != GOES_ON) return end;
    }
    memcpy(run->r, run->best < 0.5 * best_before ? run->result->r : w->kept, bytes);
    return GOES_ON;
}

static mo_status solve(mo_run *run, void *memory)
{
    workspace *w = memory;
    mo_newton *newton = &w->newton;
    int iteration = 0, sweeps = run->options->newton.sweeps;
    mo_newton_begin(newton, run->options->newton.eps);
    newton->function = run->options->newton.function;
    mo_newton_velocity(newton, run->r);
    if (mo_run_check(run, 0, newton->u, run->r)) return MO_SOLVED;
    ending end = mo_run_must_stop(run, 0) ? MUST_STOP : GOES_ON;
    for (int round = 0; round < run->options->newton.rounds && end == GOES_ON; ++round) {
        if (round > 0) mo_newton_velocity(newton, run->r);
        end = sweep_round(run, newton, sweeps, &iteration);
        end = end == GOES_ON ? newton_round(run, w, &iteration) : end;
        sweeps = sweeps < 100000 ? 2 * sweeps : sweeps;
    }
    if (end == GOES_ON) {
        return mo_run_stall(run, "%d rounds of sweeps and Newton steps did not reach the tolerance",
                            run->options->newton.rounds);
    }
    return end == SOLVED ? MO_SOLVED : run->status;
}

const mo_method mo_newton_method = {
    .name = "newton",
    .summary = "Gauss-Seidel sweeps, then semismooth Newton on the natural map",
    .paper = "acary2018",
    .laws = MO_NEWTON_LAWS,
    .layout = layout,
    .solve = solve,
};
