/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Islands (problem/islands.h), solved independently.
 *
 *   1. In place: the rung "few sweeps" (twice as many if that suffices) on every island of at most
 *      SMALL blocks that is not already near its solution and not joints alone, until its residual
 *      meets its goal.  Nothing is copied, so ten thousand bodies that each rest on the ground cost
 *      little more than one sweep over them.
 *   2. The unsolved islands are copied and continue along the ladder of auto.c.
 *
 * The goal of an island with n of N rows is sqrt(n / N) of the whole, so the whole meets its
 * tolerance if all islands do.  After each rung the whole is assembled and measured, and the work
 * ends as soon as it is accurate enough.
 *
 * Islands share nothing, so they are solved in parallel with the same bits for any number of
 * threads.  Memory is allocated between the parallel loops, since the caller's allocator need not
 * be thread safe.
 */
#include <math.h>
#include <string.h>

#include "base/pace.h"
#include "base/parallel.h"
#include "measure/measure_blocks.h"
#include "solver/auto_units.h"
#include "solver/visit.h"

enum { SMALL = 2000 };         /* constraints of an island that is swept in place, at most */
enum { PACE = 3 };             /* last sweeps, which tell the pace */
static const double AHEAD = 4; /* of the goal, squares: such a residual is worth measuring */

/* ---- in place -------------------------------------------------------------------------------- */

typedef struct in_place {
    mo_run *run;
    const mo_islands *islands;
    const mo_sweep *sweep; /* natural order: positions are constraints */
    mo_visitor visitor;
    double goal;    /* of the whole, absolute */
    double *square; /* of each island's residual */
    double *start;  /* the same, before the sweeps */
    int *sweeps;    /* done on each island */
    int has_swept;  /* the whole was swept before it was split */
    int may_sweep;  /* the rung is not left out */
} in_place;

/* The state of the island's bodies from r, rid of the rounding of the updates. */
static void reset_island(const in_place *c, const int *member, int count)
{
    const mo_problem *problem = c->run->problem;
    if (problem->form == MO_FORM_REDUCED) return;
    for (int m = 0; m < count; ++m) {
        for (int k = problem->block_start[member[m]]; k < problem->block_start[member[m] + 1];
             ++k) {
            const int b = problem->block_index[k], start = problem->body_start[b];
            memcpy(c->visitor.x + start, c->sweep->free_state + start,
                   (size_t)mo_body_dim(problem, b) * sizeof(double));
        }
    }
    for (int m = 0; m < count; ++m) {
        mo_sweep_apply(c->sweep, member[m], c->visitor.r + problem->row_start[member[m]],
                       c->visitor.x);
    }
}

static double measure_island(const in_place *c, const int *member, int count)
{
    const mo_problem *problem = c->run->problem;
    double square = 0;
    reset_island(c, member, count);
    for (int m = 0; m < count; ++m) {
        mo_sweep_velocity(c->sweep, member[m], c->visitor.x,
                          c->run->u + problem->row_start[member[m]]);
        square += mo_natural_square(problem, member[m], c->run->u, c->visitor.r);
    }
    return square;
}

static double goal_square(const in_place *c, int rows)
{
    return c->goal * c->goal * rows / c->run->problem->row_count;
}

static int island_rows(const mo_problem *problem, const int *member, int count)
{
    int rows = 0;
    for (int m = 0; m < count; ++m)
        rows += mo_constraint_dim(problem, member[m]);
    return rows;
}

/* Does the pace of the last `sweeps` lead to the goal within `more` of them?  All are squares. */
static int are_nearly_there(double before, double now, double goal, int sweeps, int more)
{
    return now < before && log(now / goal) * sweeps <= log(before / now) * more;
}

/* Joints alone are equations: a sweep carries news along one link, Newton's method along all. */
static int is_linear(const mo_problem *problem, const int *member, int count)
{
    for (int m = 0; m < count; ++m)
        if (problem->law[member[m]].kind != MO_LAW_BILATERAL) return 0;
    return count > 1;
}

static int is_swept_in_place(const in_place *c, int k, const int *member, int count)
{
    return c->may_sweep && count <= SMALL && !is_linear(c->run->problem, member, count) &&
           !mo_auto_is_near(c->run, island_rows(c->run->problem, member, count), c->square[k]);
}

static void sweep_island(const in_place *c, int k)
{
    const int *member = c->islands->member + c->islands->start[k];
    const int count = c->islands->start[k + 1] - c->islands->start[k];
    const int left = c->run->options->max_iter - c->run->done, few = mo_rung_in_place->budget;
    const int budget = left < 2 * few ? left : 2 * few;
    int most = left < few ? left : few;
    double per_moved = 0; /* the residual for each change of r in the sweep before it, squares */
    const double goal = goal_square(c, island_rows(c->run->problem, member, count));
    c->sweeps[k] = 0;
    c->start[k] = c->square[k] = measure_island(c, member, count);
    if (!is_swept_in_place(c, k, member, count)) return;
    for (int measured = 0; c->sweeps[k] < most && !(c->square[k] <= goal);) {
        double moved = 0;
        for (int m = 0; m < count; ++m)
            moved += mo_visit(&c->visitor, member[m]);
        const int sweeps = ++c->sweeps[k], left_over = most - sweeps;
        if (sweeps == 1 || left_over == 0 || left_over == PACE ||
            per_moved * moved <= AHEAD * goal) {
            const double before = c->square[k];
            c->square[k] = measure_island(c, member, count);
            per_moved = c->square[k] / moved;
            if (left_over == 0 && most < budget &&
                are_nearly_there(before, c->square[k], goal, sweeps - measured, few))
                most = budget;
            measured = sweeps;
        }
    }
}

static void sweep_range(void *context, int begin, int end)
{
    for (int k = begin; k < end; ++k) {
        mo_pace();
        sweep_island(context, k);
    }
    mo_pace();
}

/* The whole, measured at run->r; true where it is solved.  Iterations: those of the busiest island.
 */
static int check_whole(mo_run *run, const mo_sweep *sweep, double *x, int iteration)
{
    mo_sweep_reset(sweep, 1, run->r, x);
    mo_pace();
    mo_sweep_all_velocities(sweep, run->options->threads, x, run->u);
    return mo_run_check(run, iteration, run->u, run->r);
}

/* ---- copied out ------------------------------------------------------------------------------ */

/* A unit for every island that the sweeps have left, the largest first. */
static mo_error make_units(mo_island_units *f, const in_place *c)
{
    const mo_problem *problem = f->whole->problem;
    const mo_allocator *own = &problem->allocator;
    const size_t nodes = mo_islands_scratch(problem);
    int *local = mo_memory_array(own, nodes, sizeof *local);
    f->units = mo_memory_array(own, (size_t)f->islands->count, sizeof *f->units);
    mo_error error = local && f->units ? MO_OK : MO_ERR_MEMORY;
    for (size_t k = 0; !error && k < nodes; ++k)
        local[k] = -1;
    for (int k = 0; k < f->islands->count && !error; ++k) {
        const int *member = f->islands->member + f->islands->start[k];
        const int count = f->islands->start[k + 1] - f->islands->start[k];
        mo_pace();
        if (c->square[k] <= goal_square(c, island_rows(problem, member, count))) continue;
        mo_island_unit *u = &f->units[f->count++];
        memset(u, 0, sizeof *u);
        error = mo_units_make(f, k, local, u);
        u->walk = error ? (mo_walk){0} : mo_walk_begin(&u->run);
        error = error ? error : mo_walk_plan(&u->walk, &u->run);
        u->walk.before = sqrt(c->square[k]);
        u->walk.has_swept = c->has_swept ? c->has_swept : c->sweeps[k] > 0;
        if (f->whole->options->start)
            u->walk.facts.start_residual = sqrt(c->start[k]) / u->run.q_scale;
    }
    mo_pace();
    mo_memory_free(own, local);
    return error;
}

static mo_status run_islands(mo_island_units *f, mo_message *summary)
{
    mo_run *whole = f->whole;
    mo_status status = MO_STALLED;
    while (!whole->error && mo_units_advance(f)) {
        whole->done = 0;
        if (check_whole(whole, f->sweep, f->x, mo_units_iterations(f))) {
            status = MO_SOLVED;
            break;
        }
        if (mo_run_is_over(whole)) break;
    }
    mo_units_tell(f, summary);
    return status == MO_SOLVED ? status : mo_units_status(f);
}

/* ---- all islands at once --------------------------------------------------------------------- */

/* One allocation for what the split needs: the state, and the squares and sweeps of the islands. */
static mo_error prepare(in_place *c, mo_island_units *f, void **memory)
{
    mo_run *run = c->run;
    const size_t dofs = (size_t)run->problem->dof_count, count = (size_t)c->islands->count;
    const mo_error error = mo_problem_sweep(run->problem, MO_SWEEP_NATURAL, &c->sweep);
    double *numbers = mo_memory_array(&run->problem->allocator, dofs + 3 * count, sizeof(double));
    *memory = numbers;
    if (error || !numbers) return error ? error : MO_ERR_MEMORY;
    c->square = numbers + dofs;
    c->start = c->square + count;
    c->sweeps = (int *)(c->square + 2 * count);
    double *x = mo_sweep_state_size(c->sweep) ? numbers : run->r;
    c->visitor = mo_visitor_begin(c->sweep, 1, run->r, x);
    c->goal = 0.99 * run->options->tol * run->q_scale; /* the sum of the parts rounds too */
    *f = (mo_island_units){.whole = run, .islands = c->islands, .sweep = c->sweep, .x = x};
    mo_sweep_reset(c->sweep, 1, run->r, x);
    return MO_OK;
}

/* The residuals of the whole before and after the sweeps; true where it is solved. */
static int judge_sweeps(mo_run *run, int iteration, double before, double after)
{
    if (after <= run->options->tol * run->q_scale) return mo_run_confirm(run, iteration, run->r);
    run->best = fmin(run->best, before); /* the start is in the result already */
    run->residual.natural = after;
    return mo_run_judged(run, iteration, run->r);
}

static mo_status sweep_and_split(in_place *c, mo_island_units *f, mo_message *summary)
{
    mo_run *run = c->run;
    double start = 0, end = 0;
    int most = 0;
    if (mo_run_must_stop(run, 0)) return run->status;
    const double begin = mo_work_clock();
    int swept = 0;
    mo_parallel_for(run->options->threads, 0, c->islands->count, sweep_range, c);
    for (int k = 0; k < c->islands->count; ++k) {
        most = c->sweeps[k] > most ? c->sweeps[k] : most;
        swept += c->sweeps[k] > 0;
        start += c->start[k];
        end += c->square[k];
    }
    const int is_solved = judge_sweeps(run, most, sqrt(start), sqrt(end));
    if (swept > 0) {
        mo_explain_rung(&run->result->explanation, mo_rung_in_place, swept, most,
                        run->best / run->q_scale, mo_work_clock() - begin);
    }
    if (is_solved) return MO_SOLVED;
    if (mo_run_must_stop(run, most)) return run->status;
    run->error = make_units(f, c);
    return run->error ? MO_STALLED : run_islands(f, summary);
}

static mo_status walk_as_one(mo_run *run, mo_walk *walk, mo_message *summary)
{
    run->error = mo_walk_plan(walk, run);
    run->result->explanation.facts = walk->facts;
    return mo_auto_walk(run, walk, summary);
}

/* The facts of the largest island; where it was not copied out, its counts. */
static void explain_islands(const mo_island_units *f, mo_explanation *e)
{
    e->facts.islands = f->islands->count;
    for (int k = 0, most = 0; k < f->count; ++k) {
        if (f->units[k].walk.facts.constraints > most) {
            e->facts = f->units[k].walk.facts;
            e->facts.islands = f->islands->count;
            most = e->facts.constraints;
        }
    }
}

mo_status mo_auto_split(mo_run *run, mo_walk *walk, mo_message *summary)
{
    mo_islands islands;
    run->error = mo_islands_find(run->problem, &islands);
    if (run->error) return MO_STALLED;
    mo_status status;
    if (islands.count <= 1) {
        status = walk_as_one(run, walk, summary);
    } else {
        const int number = (int)(mo_rung_in_place - mo_ladder);
        in_place context = {.run = run,
                            .islands = &islands,
                            .has_swept = walk->has_swept,
                            .may_sweep = !(run->options->ladder.skip >> number & 1)};
        mo_island_units f = {.whole = run, .islands = &islands};
        void *memory = NULL;
        run->done = run->result->iterations;
        run->error = prepare(&context, &f, &memory);
        status = run->error ? MO_STALLED : sweep_and_split(&context, &f, summary);
        explain_islands(&f, &run->result->explanation);
        mo_units_clear(&f);
        mo_memory_free(&run->problem->allocator, memory);
    }
    mo_islands_clear(&run->problem->allocator, &islands);
    return status;
}
