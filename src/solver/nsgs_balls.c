/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
#include "solver/nsgs_balls.h"

#include "linalg/vec3.h"
#include "problem/views.h"
#include "solver/ball_sweeps.h"

static const double NEARLY =
    0.95; /* of the tolerance, by a look: leaves room for the rounding of the view */

typedef struct workspace {
    mo_ball_sweeps sweeps;
    double *r; /* impulses in the axes of the world */
} workspace;

mo_error mo_nsgs_balls_layout(const mo_problem *problem, const mo_options *options, mo_arena *arena,
                              int *takes, void **out)
{
    const mo_balls *balls = NULL;
    const int is_plain = options->nsgs.omega == 1 && options->nsgs.order == 0 &&
                         options->nsgs.check_every == 0 && options->tol >= MO_BALLS_TOLERANCE;
    const mo_error error = is_plain ? mo_problem_balls(problem, &balls) : MO_OK;
    *takes = balls != NULL;
    if (error || !balls) {
        return error;
    }
    mo_ball_sweeps sweeps;
    workspace *w = MO_TAKE(arena, 1, workspace);
    double *r = MO_TAKE(arena, problem->row_count, double);
    mo_ball_sweeps_layout(arena, balls, &sweeps);
    if (w) {
        *w = (workspace){sweeps, r};
    }
    *out = w;
    return MO_OK;
}

/* ---- impulses along the axes of contacts and of the world ----------------------------------------- */

static void to_world(const mo_problem *problem, const double *rows, double *r)
{
    for (int i = 0; i < problem->constraint_count; ++i) {
        const double *own = rows + problem->row_start[i];
        for (int x = 0; x < 3; ++x) {
            r[3 * i + x] = own[0] * mo_ball_axis(problem, i, 0)[x] +
                           own[1] * mo_ball_axis(problem, i, 1)[x] +
                           own[2] * mo_ball_axis(problem, i, 2)[x];
        }
    }
}

static void to_rows(const mo_problem *problem, const double *r, double *rows)
{
    for (int i = 0; i < problem->constraint_count; ++i) {
        for (int k = 0; k < 3; ++k) {
            rows[problem->row_start[i] + k] =
                mo_vec3_dot(r + 3 * (size_t)i, mo_ball_axis(problem, i, k));
        }
    }
}

/* ---- the loop --------------------------------------------------------------------------------- */

static int must_stop(void *context, int iteration)
{
    return mo_run_must_stop(context, iteration);
}

/* Does the measure, from r and the problem itself, say that the best is solved? */
static int confirm(mo_run *run, workspace *w)
{
    mo_ball_sweeps_best(&w->sweeps, w->r);
    to_rows(run->problem, w->r, run->r);
    return mo_run_confirm(run, w->sweeps.iteration, run->r);
}

mo_status mo_nsgs_balls_solve(mo_run *run, void *memory)
{
    workspace *w = memory;
    double goal = NEARLY * run->options->tol * run->q_scale;
    to_world(run->problem, run->r, w->r);
    const mo_ball_gait gait = {1, 1, run->options->nsgs.momentum};
    mo_ball_sweeps_start(&w->sweeps, &(mo_ball_pace){run->options->threads, gait, gait, 0}, w->r);
    while (mo_ball_sweeps_run(&w->sweeps, goal, must_stop, run)) {
        if (confirm(run, w)) {
            return MO_SOLVED;
        }
        goal = 0.7 * goal;
    }
    if (confirm(run, w)) {
        return MO_SOLVED;
    }
    return mo_run_must_stop(run, w->sweeps.iteration)
               ? run->status
               : mo_run_stall(run,
                              "a whole sweep changes no impulse, yet the residual is above tol");
}
