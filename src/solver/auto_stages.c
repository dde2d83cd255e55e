/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * The stages of `auto`: which comes next, and how one is run.
 *
 *   newton      a few steps, where the start is near a solution (MO_AUTO_NEAR), as in the steps of what rests
 *   sweeps      a few, plain
 *   long sweeps with momentum, in slices of 40, 80, 160, ...: as long as the last slice promises that the tolerance is reached
 *               before they cost more than an attempt of Newton's method would; with a coarse tolerance, than five
 *   the ladder  attempts of Newton's method, one path of interior points after the first (the second where there are many blocks), growing numbers of
 *               sweeps between the others; then aln, interior points from all their starts, and aln once more from a cold start, since
 *               impulses that have run away on a redundant set of constraints do not come back
 *
 * Costs are counted operations of the plans, never seconds.
 */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "problem/delassus.h"
#include "solver/auto.h"

static const double HEAVY = 2e9; /* operations of a factorisation: about a second */
static const double VISIT =
    300; /* operations to which a visit of a block comes, beside its products */
static const double WEIGHT =
    1.7; /* an operation of a factorisation lasts as long as so many of a sweep */
static const double NEWTON_STEPS = 20; /* of an attempt */
static const double COARSE_STEPS = 100;
static const double PATIENCE = 2; /* with sweeps that are late */

enum { FIRST_SLICE = 40, WORTH_SLICES = 1000, SLICES_MOST = 5000, COLD_SWEEPS = 20, ALL = 0 };

/*
 * Iterations of an interior point method from one start, Newton steps included.  In packings the central path often turns back on the way: no step
 * leads on from there, and paths from other starts come to the same place.  aln is the quicker way out.
 */
enum { ONE_PATH = 70 };

static const mo_stage sweeps_alone = {&mo_nsgs_method, "sweeps", ALL, MO_AUTO_MOMENTUM,
                                      MO_START_BEST};

/* Two or three steps finish what is near. */
static const mo_stage near_newton = {&mo_newton_method, "newton", 3, 0, MO_START_BEST};

static const mo_stage ladder[] = {
    {&mo_newton_method, "newton", ALL, 0, MO_START_ON},
    {&mo_quick_ipm_method, "ipm", ONE_PATH, 0, MO_START_BEST},
    {&mo_nsgs_method, "sweeps", 40, MO_AUTO_MOMENTUM, MO_START_ON},
    {&mo_newton_method, "newton", ALL, 0, MO_START_ON},
    {&mo_quick_ipm_method, "ipm", ONE_PATH, 0, MO_START_BEST},
    {&mo_nsgs_method, "sweeps", 80, MO_AUTO_MOMENTUM, MO_START_BEST},
    {&mo_newton_method, "newton", ALL, 0, MO_START_ON},
    {&mo_nsgs_method, "sweeps", 160, MO_AUTO_MOMENTUM, MO_START_ON},
    {&mo_newton_method, "newton", ALL, 0, MO_START_ON},
    {&mo_aln_method, "aln", 4000, 0, MO_START_BEST},
    {&mo_ipm_method, "ipm", ALL, 0, MO_START_BEST},
    {&mo_nsgs_method, "cold sweeps", COLD_SWEEPS, 0, MO_START_COLD},
    {&mo_aln_method, "aln", 4000, 0, MO_START_ON},
};
enum { RUNGS = sizeof ladder / sizeof ladder[0], EARLY_IPM = 1, LATE_IPM = 4 };

/* Blocks up to which interior points come before a second attempt of Newton's method, which then costs more than it promises. */
enum { IPM_EARLY_MOST = 400 };

/* What comes before the ladder. */
enum { STEP_NEAR = -2, STEP_SWEEPS = -1 };

/* ---- which comes next ------------------------------------------------------------------------ */

static int takes(const mo_method *method, const mo_problem *problem)
{
    for (int i = 0; i < problem->constraint_count; ++i) {
        if (!(method->laws & MO_LAW_BIT(problem->law[i].kind))) {
            return 0;
        }
    }
    return 1;
}

static int is_for(int rung, const mo_problem *problem)
{
    const int is_early = problem->constraint_count <= IPM_EARLY_MOST;
    return takes(ladder[rung].method, problem) && !(rung == EARLY_IPM && !is_early) &&
           !(rung == LATE_IPM && is_early);
}

/* Sweeps that cost as much as an attempt of Newton's method; where digits are few, as the attempts and the path of interior points. */
static int sweeps_for_newton(const mo_problem *problem, int is_coarse, double flops)
{
    const double products = (double)problem->value_start[problem->constraint_count];
    const double of_sweep =
        (problem->form == MO_FORM_GLOBAL ? 4 : 2) * products + VISIT * problem->constraint_count;
    const double steps = is_coarse ? COARSE_STEPS : NEWTON_STEPS;
    const double sweeps = steps * (WEIGHT * flops + of_sweep) / of_sweep;
    return sweeps < SLICES_MOST ? (int)sweeps : SLICES_MOST;
}

mo_error mo_plan_begin(const mo_problem *problem, double tol, mo_plan_from from, mo_plan *plan)
{
    *plan = (mo_plan){.step = from == MO_FROM_SWEEPS    ? 0
                              : from == MO_FROM_NOWHERE ? STEP_SWEEPS
                                                        : STEP_NEAR,
                      .before = INFINITY};
    plan->is_by_sweeps =
        problem->constraint_count > MO_AUTO_LARGE || !takes(&mo_newton_method, problem);
    if (plan->is_by_sweeps) {
        return MO_OK;
    }
    mo_space space;
    double flops;
    const mo_error error = mo_delassus_choose(problem, &space, &flops);
    plan->is_by_sweeps = flops > HEAVY;
    plan->is_coarse = tol >= MO_AUTO_COARSE;
    plan->long_sweeps = error ? 0 : sweeps_for_newton(problem, plan->is_coarse, flops);
    return error;
}

/*
 * Does the pace of the last slice lead to the tolerance within the sweeps that are left, or not much later?  Sweeps of a packing have quick and
 * slow spells, and what they reach is not lost on Newton's method.
 */
static int is_promising(const mo_plan *plan, const mo_run *run)
{
    if (plan->slice == 0) { /* nothing is known yet, and on small problems Newton is soon tried */
        return plan->is_coarse || plan->long_sweeps >= WORTH_SLICES;
    }
    const double gained = log(plan->before / run->best);
    const double missing = log(run->best / (run->options->tol * run->q_scale));
    return gained > 0 && missing / gained * plan->slice <= PATIENCE * plan->long_sweeps;
}

static const mo_stage *next_slice(mo_plan *plan, const mo_run *run)
{
    plan->slice = plan->slice ? 2 * plan->slice : FIRST_SLICE;
    plan->slice = plan->slice < plan->long_sweeps ? plan->slice : plan->long_sweeps;
    plan->long_sweeps -= plan->slice;
    plan->before = run->best;
    plan->stage = (mo_stage){&mo_nsgs_method, "sweeps", plan->slice, MO_AUTO_MOMENTUM, MO_START_ON};
    return &plan->stage;
}

const mo_stage *mo_plan_next(mo_plan *plan, const mo_run *run)
{
    if (plan->is_by_sweeps) {
        plan->stage = sweeps_alone;
        return plan->step++ <= 0 ? &plan->stage : NULL;
    }
    if (plan->step == STEP_NEAR) {
        plan->step = STEP_SWEEPS;
        plan->stage = near_newton;
        return &plan->stage;
    }
    if (plan->step == STEP_SWEEPS) {
        plan->step = 0;
        plan->stage = (mo_stage){&mo_nsgs_method, "sweeps",
                                 mo_auto_sweeps(run->problem->constraint_count), 0, MO_START_BEST};
        return &plan->stage;
    }
    if (plan->step == 0 && plan->long_sweeps > 0 && is_promising(plan, run)) {
        return next_slice(plan, run);
    }
    while (plan->step < RUNGS && !is_for(plan->step, run->problem)) {
        ++plan->step;
    }
    return plan->step < RUNGS ? &ladder[plan->step++] : NULL;
}

/* ---- running one --------------------------------------------------------------------------- */

/* The caller's options with the budget of the stage. */
static mo_options options_of(const mo_run *run, const mo_stage *stage)
{
    mo_options options = *run->options;
    options.start = NULL; /* run->r is where it starts */
    options.nsgs.momentum = stage->momentum;
    options.newton.sweeps = 0; /* they are stages of their own */
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

static void set_start(mo_run *run, mo_stage_start start)
{
    static const double zero[MO_BILATERAL_MAX_DIM];
    const mo_problem *problem = run->problem;
    if (start == MO_START_BEST && isfinite(run->best)) {
        memcpy(run->r, run->result->r, (size_t)problem->row_count * sizeof *run->r);
    }
    for (int i = 0; start == MO_START_COLD && i < problem->constraint_count; ++i) {
        const int row = problem->row_start[i], d = mo_constraint_dim(problem, i);
        mo_constraint_law(problem, i)
            ->project(mo_constraint_param(problem, i), d, zero, run->r + row);
    }
}

void mo_stage_solve(mo_stage_run *s)
{
    mo_run *run = s->run;
    const mo_options *callers = run->options;
    if (run->error) {
        return;
    }
    set_start(run, s->stage->start);
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

/* ---- the story ----------------------------------------------------------------------------- */

void mo_story_add(mo_message *story, const char *format, ...)
{
    const size_t length = strlen(story->text), room = sizeof story->text - length;
    va_list values;
    va_start(values, format);
    if (length && room > 3) {
        memcpy(story->text + length, ", ", 3);
    }
    const size_t used = strlen(story->text);
    vsnprintf(story->text + used, sizeof story->text - used, format, values);
    va_end(values);
}

/* ---- one after the other ------------------------------------------------------------------- */

static mo_status run_stage(mo_run *run, const mo_stage *stage, mo_message *story)
{
    mo_stage_run stage_run;
    run->done = run->result->iterations;
    mo_stage_open(run, stage, &stage_run);
    mo_stage_solve(&stage_run);
    mo_stage_close(&stage_run);
    mo_story_add(story, "%s %.1e (%d)", stage->word, run->best / run->q_scale,
                 run->result->iterations - run->done);
    return stage_run.status;
}

mo_status mo_auto_chain(mo_run *run, mo_plan_from from, mo_status before, mo_message *story)
{
    mo_plan plan;
    mo_status status = before;
    run->error = mo_plan_begin(run->problem, run->options->tol, from, &plan);
    const mo_stage *stage;
    double before_last = INFINITY;
    while (!run->error && (stage = mo_plan_next(&plan, run)) != NULL) {
        before_last = run->best;
        status = run_stage(run, stage, story);
        if (mo_auto_is_over(run, status)) {
            return status;
        }
        status = MO_STALLED; /* a stage that used up its own budget is not the caller's limit */
    }
    if (!run->error && !plan.is_by_sweeps && run->best > 0.5 * before_last) {
        mo_story_add(
            story, "the last stage gained nothing: a valley of the residual, or no solution near");
    }
    return status;
}
