/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * The default: one method after the other, until one has solved the problem.
 *
 *   problem                                           stages
 *   more than LARGE blocks, or factors that cost      nsgs
 *     more than HEAVY operations a step, or a law
 *     that Newton's method does not take
 *   anything else                                     newton (ROUNDS rounds: 300 sweeps in all),
 *                                                     proximal (at most PROXIMAL_STEPS steps)
 *
 * Each stage starts from the best impulses of those before.  Budgets are counted in iterations, never by the clock, so
 * that the answer is the same on every run.  What each stage reached is told in result.message where the problem was not
 * solved by the first.
 *
 * Limits: islands of contacts are solved together; large problems have first-order convergence only.
 */
#include <stdio.h>
#include <string.h>

#include "problem/views.h"
#include "solver/method.h"

enum { LARGE = 20000, ROUNDS = 4, PROXIMAL_STEPS = 4000, MAX_STAGES = 2 };
static const double HEAVY = 2e9; /* about a second for each factorisation */

typedef struct workspace {
    mo_arena arena; /* every stage lays out its workspace on the same room, when its turn comes */
} workspace;

static int is_for_newton(const mo_problem *problem)
{
    if (problem->constraint_count > LARGE) {
        return 0;
    }
    for (int i = 0; i < problem->constraint_count; ++i) {
        if (!(mo_newton_method.laws & MO_LAW_BIT(problem->law[i].kind))) {
            return 0;
        }
    }
    const mo_contact_space *space;
    return mo_problem_contact_space(problem, &space) == MO_OK && space->plan->flops <= HEAVY;
}

/* The stages of a problem; returns their number. */
static int choose_stages(const mo_problem *problem, const mo_method *stages[MAX_STAGES])
{
    if (!is_for_newton(problem)) {
        stages[0] = &mo_nsgs_method;
        return 1;
    }
    stages[0] = &mo_newton_method;
    stages[1] = &mo_proximal_method;
    return 2;
}

static mo_error layout(const mo_problem *problem, const mo_options *options, mo_arena *arena, void **out)
{
    const mo_method *stages[MAX_STAGES];
    workspace *w = MO_TAKE(arena, 1, workspace);
    const mo_arena start = *arena;
    const int count = choose_stages(problem, stages);
    mo_error error = MO_OK;
    for (int k = 0; k < count && !error; ++k) { /* the largest of them */
        mo_arena own = start;
        void *unused;
        error = stages[k]->layout(problem, options, &own, &unused);
        arena->used = own.used > arena->used ? own.used : arena->used;
    }
    if (w) {
        w->arena = start;
    }
    *out = w;
    return error;
}

/* The caller's options with the budget of a stage. */
static mo_options stage_options(const mo_run *run, const mo_method *stage)
{
    mo_options options = *run->options;
    options.newton.rounds = ROUNDS;
    if (stage == &mo_proximal_method && options.max_iter - run->done > PROXIMAL_STEPS) {
        options.max_iter = run->done + PROXIMAL_STEPS;
    }
    return options;
}

static void tell(mo_run *run, const mo_method *stage, mo_status status, mo_message *story)
{
    const size_t length = strlen(story->text);
    snprintf(story->text + length, sizeof story->text - length, "%s%s: %s at a residual of %.1e after %d iterations",
             length ? "; " : "", stage->name, mo_status_word(status), run->best / run->q_scale,
             run->result->iterations - run->done);
}

static mo_status run_stage(mo_run *run, const workspace *w, const mo_method *stage)
{
    const mo_options *callers = run->options, own = stage_options(run, stage);
    mo_arena arena = w->arena;
    void *memory;
    run->options = &own;
    run->error = stage->layout(run->problem, &own, &arena, &memory);
    const mo_status status = run->error ? MO_STALLED : stage->solve(run, memory);
    run->options = callers;
    return status;
}

static mo_status solve(mo_run *run, void *memory)
{
    const mo_method *stages[MAX_STAGES];
    const int count = choose_stages(run->problem, stages), limit = run->options->max_iter;
    const size_t bytes = (size_t)run->problem->row_count * sizeof(double);
    mo_message story = {{0}};
    mo_status status = MO_STALLED;
    for (int k = 0; k < count; ++k) {
        status = run_stage(run, memory, stages[k]);
        tell(run, stages[k], status, &story);
        const int is_over = status == MO_CANCELLED || status == MO_TIME_LIMIT || run->result->iterations >= limit;
        if (status == MO_SOLVED || is_over || run->error) {
            break;
        }
        run->done = run->result->iterations;
        memcpy(run->r, run->result->r, bytes);
        status = MO_STALLED; /* a stage that used up its own budget is not the caller's limit */
    }
    run->result->message = story;
    return status;
}

const mo_method mo_auto_method = {
    .name = "auto",
    .summary = "the default: newton, then proximal; nsgs where the problem is too large for them",
    .paper = "acary2018",
    .laws = MO_ALL_LAWS,
    .layout = layout,
    .solve = solve,
};
