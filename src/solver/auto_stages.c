/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "problem/delassus.h"
#include "solver/auto.h"

static const double HEAVY = 2e9; /* operations of a factorisation: about a second */

enum { SWEEPS = 20, ALL = 0 };

/* In the order of their cost; each further attempt of Newton's method has twice as many sweeps before it. */
static const mo_stage accurate[] = {
    {&mo_nsgs_method, "sweeps", SWEEPS, 1, 0},
    {&mo_newton_method, "newton", ALL, 1, 1},
    {&mo_newton_method, "newton after 40 sweeps", ALL, 2 * SWEEPS, 1},
    {&mo_newton_method, "newton after 80 sweeps", ALL, 4 * SWEEPS, 1},
    {&mo_newton_method, "newton after 160 sweeps", ALL, 8 * SWEEPS, 1},
    {&mo_proximal_method, "proximal", 4000, SWEEPS, 0},
};

static const mo_stage by_sweeps_alone[] = {{&mo_nsgs_method, "sweeps", ALL, 1, 0}};

static int is_for_newton(const mo_problem *problem)
{
    if (problem->constraint_count > MO_AUTO_LARGE) {
        return 0;
    }
    for (int i = 0; i < problem->constraint_count; ++i) {
        if (!(mo_newton_method.laws & MO_LAW_BIT(problem->law[i].kind))) {
            return 0;
        }
    }
    if (problem->constraint_count <= MO_AUTO_TINY) {
        return 1;
    }
    mo_space space;
    double flops;
    return mo_delassus_choose(problem, &space, &flops) == MO_OK && flops <= HEAVY;
}

int mo_auto_stages(const mo_problem *problem, const mo_stage **stages)
{
    if (!is_for_newton(problem)) {
        *stages = by_sweeps_alone;
        return 1;
    }
    *stages = accurate;
    return sizeof accurate / sizeof accurate[0];
}

/* The caller's options with the budget of the stage. */
static mo_options options_of(const mo_run *run, const mo_stage *stage)
{
    mo_options options = *run->options;
    options.newton.sweeps = stage->sweeps;
    options.newton.rounds = 1;
    if (stage->budget && options.max_iter - run->done > stage->budget) {
        options.max_iter = run->done + stage->budget;
    }
    return options;
}

void mo_stage_open(mo_run *run, const mo_stage *stage, mo_stage_run *out)
{
    *out = (mo_stage_run){
        .run = run, .stage = stage, .options = options_of(run, stage), .status = MO_STALLED};
    const mo_options *callers = run->options;
    run->options = &out->options;
    run->error = mo_run_make_room(run, stage->method, 0, &out->memory, &out->workspace);
    run->options = callers;
}

void mo_stage_solve(mo_stage_run *s)
{
    mo_run *run = s->run;
    const mo_options *callers = run->options;
    if (run->error) {
        return;
    }
    if (!s->stage->goes_on && isfinite(run->best)) {
        memcpy(run->r, run->result->r, (size_t)run->problem->row_count * sizeof *run->r);
    }
    run->options = &s->options;
    s->status = s->stage->method->solve(run, s->workspace);
    run->options = callers;
}

void mo_stage_close(mo_stage_run *s)
{
    mo_memory_free(&s->run->problem->allocator, s->memory);
    s->memory = NULL;
}

int mo_auto_is_over(const mo_run *run, mo_status status)
{
    return status == MO_SOLVED || status == MO_CANCELLED || status == MO_TIME_LIMIT || run->error ||
           run->result->iterations >= run->options->max_iter;
}

void mo_story_add(mo_message *story, const char *format, ...)
{
    const size_t length = strlen(story->text), room = sizeof story->text - length;
    va_list values;
    va_start(values, format);
    if (length && room > 3) {
        memcpy(story->text + length, "; ", 3);
    }
    const size_t used = strlen(story->text);
    vsnprintf(story->text + used, sizeof story->text - used, format, values);
    va_end(values);
}

mo_status mo_auto_chain(mo_run *run, int first, mo_status before, mo_message *story)
{
    const mo_stage *stages;
    const int count = mo_auto_stages(run->problem, &stages);
    mo_status status = before;
    for (int k = first < count ? first : count - 1; k < count; ++k) {
        mo_stage_run stage_run;
        run->done = run->result->iterations;
        mo_stage_open(run, &stages[k], &stage_run);
        mo_stage_solve(&stage_run);
        mo_stage_close(&stage_run);
        status = stage_run.status;
        if (k > 0 || status != MO_SOLVED) { /* what is solved by the first stage needs no story */
            mo_story_add(story, "%s: %.1e after %d", stages[k].word, run->best / run->q_scale,
                         run->result->iterations - run->done);
        }
        if (mo_auto_is_over(run, status)) {
            return status;
        }
        status = MO_STALLED; /* a stage that used up its own budget is not the caller's limit */
    }
    return status;
}
