/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * The default: one method after the other, until one has solved the problem.
 *
 *   problem                                      what is done
 *   up to MO_AUTO_TINY blocks                    sweeps over all of it, without looking at it any further
 *   more than MO_AUTO_LARGE blocks               sweeps over all of it, as many as the caller allows
 *   what these leave, and anything in between    split into islands (auto_islands.c); each goes through the stages of
 *                                                auto_stages.c: sweeps, newton, ipm, proximal
 *
 * Each stage starts from the impulses of those before.  Budgets are counted in iterations, never by the clock, so that the
 * answer is the same on every run.  What each stage reached is told in result.message where the first did not suffice.
 *
 * Memory is asked for when the turn of a stage comes: a problem that a few sweeps solve pays for nothing else.
 *
 * Limits: an island of more than MO_AUTO_LARGE blocks, or one whose factors would be too large, has first-order convergence only.
 */
#include "solver/auto.h"

#include <string.h>

static mo_error layout(const mo_problem *problem, const mo_options *options, mo_arena *arena,
                       void **out)
{
    (void)problem;
    (void)options;
    (void)arena;
    *out = NULL;
    return MO_OK;
}

/* Sweeps over the whole problem, before anything is known about it. */
static mo_status sweep_first(mo_run *run, mo_message *story)
{
    static const mo_stage few = {&mo_nsgs_method, "sweeps", MO_AUTO_SWEEPS, 0, MO_START_BEST};
    static const mo_stage all = {&mo_nsgs_method, "sweeps", 0, MO_AUTO_MOMENTUM, MO_START_BEST};
    mo_stage_run stage;
    mo_stage_open(run, run->problem->constraint_count > MO_AUTO_LARGE ? &all : &few, &stage);
    mo_stage_solve(&stage);
    mo_stage_close(&stage);
    if (stage.status != MO_SOLVED) { /* what a few sweeps solve needs no story */
        mo_story_add(story, "sweeps %.1e (%d)", run->best / run->q_scale, run->result->iterations);
    }
    return stage.status;
}

static mo_status solve(mo_run *run, void *memory)
{
    (void)memory;
    const int count = run->problem->constraint_count;
    const int sweeps_first = count <= MO_AUTO_TINY || count > MO_AUTO_LARGE;
    mo_message story = {{0}};
    mo_status status = sweeps_first ? sweep_first(run, &story) : MO_STALLED;
    if (!(sweeps_first && mo_auto_is_over(run, status))) {
        status = mo_auto_split(run, sweeps_first, status, &story);
    }
    run->result->message = story;
    return status;
}

const mo_method mo_auto_method = {
    .name = "auto",
    .summary =
        "the default: sweeps, newton, ipm, proximal, on each island of contacts; sweeps alone "
        "where it is too large",
    .paper = "acary2018",
    .laws = MO_ALL_LAWS,
    .layout = layout,
    .solve = solve,
};
