/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * The default: one method after the other, until one has solved the problem.
 *
 *   problem                                      what is done
 *   joints alone                                 no sweeps: the stages of auto_stages.c from Newton's method on
 *   up to MO_AUTO_TINY blocks                    MO_AUTO_GLANCE sweeps over all of it, without looking at it any further
 *   more than MO_AUTO_LARGE blocks               sweeps over all of it, as many as the caller allows
 *   contacts of rigid bodies, coarse tolerance   sweeps over all of it: up to LANE_SWEEPS, alone from MANY contacts on
 *   what these leave, and anything in between    split into islands (auto_islands.c); each goes through the stages of
 *                                                auto_stages.c: sweeps, newton, ipm, aln
 *
 * A start that solves the problem is handed back at once; from one that is near, Newton's method is tried first.  Each stage starts from the impulses of those before.  Budgets are counted in iterations, never by the clock, so that the
 * answer is the same on every run.  What each stage reached is told in result.message where the first did not suffice.
 *
 * Memory is asked for when the turn of a stage comes: a problem that a few sweeps solve pays for nothing else.
 *
 * Limits: an island of more than MO_AUTO_LARGE blocks, or one whose factors would be too large, has first-order convergence only.
 */
#include "solver/auto.h"

#include <string.h>

#include "measure/measure_blocks.h"
#include "problem/views.h"
#include "solver/small.h"

enum {
    LANE_SWEEPS = 1000,
    MANY =
        500 /* contacts: from here on sweeps alone, since a factorisation costs a thousand of them */
};

static mo_error layout(const mo_problem *problem, const mo_options *options, mo_arena *arena,
                       void **out)
{
    (void)options;
    const int is_tiny = problem->constraint_count <= MO_AUTO_TINY;
    const mo_error error = is_tiny ? mo_problem_write_rows(problem) : MO_OK;
    mo_small_prepare(problem, arena, out);
    return error;
}

/* Joints alone: equations, which Newton's method solves at once and sweeps along a chain hardly at all. */
static int is_linear(const mo_problem *problem)
{
    for (int i = 0; i < problem->constraint_count; ++i) {
        if (problem->law[i].kind != MO_LAW_BILATERAL) {
            return 0;
        }
    }
    return problem->constraint_count > 1;
}

/* The sweeps over the whole problem, before it is looked at any further; NULL: none. */
static const mo_stage *first_stage(mo_run *run)
{
    static const mo_stage few = {&mo_nsgs_method, "sweeps", MO_AUTO_GLANCE, 0, MO_START_BEST};
    static const mo_stage all = {&mo_nsgs_method, "sweeps", 0, MO_AUTO_MOMENTUM, MO_START_BEST};
    static const mo_stage many = {&mo_nsgs_method, "sweeps", LANE_SWEEPS, MO_AUTO_MOMENTUM,
                                  MO_START_BEST};
    const int count = run->problem->constraint_count;
    const mo_compact *compact = NULL;
    if (count <= MO_AUTO_TINY || count > MO_AUTO_LARGE) {
        return count <= MO_AUTO_TINY ? &few : &all;
    }
    if (run->options->tol >= MO_AUTO_COARSE) {
        run->error = mo_problem_compact(run->problem, &compact);
    }
    const int is_for_lanes = !run->error && compact && compact->contact_count > count / 2;
    return !is_for_lanes ? NULL : count > MANY ? &all : &many;
}

static mo_status sweep_first(mo_run *run, const mo_stage *first, mo_message *story)
{
    mo_stage_run stage;
    mo_stage_open(run, first, &stage);
    mo_stage_solve(&stage);
    mo_stage_close(&stage);
    if (stage.status != MO_SOLVED) { /* what a few sweeps solve needs no story */
        mo_story_add(story, "sweeps %.1e (%d)", run->best / run->q_scale, run->result->iterations);
    }
    return stage.status;
}

/*
 * May zero solve the problem?  Told at the first block that says no; on a tiny problem the first sweep tells as cheaply.  Things that
 * fly apart are solved here, before anything is prepared.
 */
static int zero_may_solve(mo_run *run)
{
    const mo_problem *problem = run->problem;
    const double goal = run->options->tol * run->q_scale;
    const double *q = problem->w;
    if (problem->constraint_count <= MO_AUTO_TINY || !mo_run_is_zero(run->r, problem->row_count)) {
        return 0;
    }
    if (problem->form == MO_FORM_GLOBAL) {
        double *u = run->scratch + problem->dof_count;
        mo_problem_response_into(problem, NULL, run->scratch, u);
        q = u;
    }
    for (int i = 0; i < problem->constraint_count; ++i) {
        if (!(mo_natural_square(problem, i, q, run->r) <= goal * goal)) {
            return 0;
        }
    }
    return 1;
}

/* Do the impulses that the caller starts from solve the problem already? */
static int start_solves(mo_run *run)
{
    return (run->options->start || zero_may_solve(run)) && mo_run_measure(run, 0, run->r);
}

static mo_status solve(mo_run *run, void *memory)
{
    if (memory) {
        const mo_status small = mo_small_solve(run, memory);
        if (mo_auto_is_over(run, small)) {
            return small;
        }
        run->done = run->result->iterations;
    }
    const int equations = is_linear(run->problem);
    const mo_stage *first = equations ? NULL : first_stage(run);
    const int looks_itself = first && first->budget != MO_AUTO_GLANCE; /* at its start, in lanes */
    if ((!looks_itself && start_solves(run)) || run->error) {
        return run->error ? MO_STALLED : MO_SOLVED;
    }
    mo_message story = {{0}};
    mo_status status = first && !run->error ? sweep_first(run, first, &story) : MO_STALLED;
    if (!run->error && !(first && mo_auto_is_over(run, status))) {
        const int has_swept = first && first->budget != MO_AUTO_GLANCE;
        const int is_near =
            !first && run->options->start && run->best <= MO_AUTO_NEAR * run->q_scale;
        const mo_plan_from from = has_swept || equations ? MO_FROM_SWEEPS
                                  : is_near              ? MO_FROM_NEAR
                                                         : MO_FROM_NOWHERE;
        status = mo_auto_split(run, from, status, &story);
    }
    run->result->message = story;
    return status;
}

const mo_method mo_auto_method = {
    .name = "auto",
    .summary = "the default: sweeps, newton, ipm, aln, on each island of contacts; sweeps alone "
               "where it is too large",
    .paper = "acary2018",
    .laws = MO_ALL_LAWS,
    .takes_compact = 1,
    .layout = layout,
    .solve = solve,
};
