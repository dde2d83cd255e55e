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
#include "problem/islands.h"
#include "problem/views.h"
#include "solver/auto.h"
#include "solver/visit.h"

enum { SMALL = 2000 };

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
    if (problem->form == MO_FORM_REDUCED) {
        return;
    }
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
    for (int m = 0; m < count; ++m) {
        rows += mo_constraint_dim(problem, member[m]);
    }
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
    for (int m = 0; m < count; ++m) {
        if (problem->law[member[m]].kind != MO_LAW_BILATERAL) {
            return 0;
        }
    }
    return count > 1;
}

static int is_swept_in_place(const in_place *c, int k, const int *member, int count)
{
    return c->may_sweep && count <= SMALL && !is_linear(c->run->problem, member, count) &&
           !mo_auto_is_near(c->run, count, c->square[k]);
}

static void sweep_island(const in_place *c, int k)
{
    const int *member = c->islands->member + c->islands->start[k];
    const int count = c->islands->start[k + 1] - c->islands->start[k];
    const int left = c->run->options->max_iter - c->run->done;
    const int budget = left < 2 * MO_AUTO_FEW ? left : 2 * MO_AUTO_FEW;
    int most = left < MO_AUTO_FEW ? left : MO_AUTO_FEW;
    const double goal = goal_square(c, island_rows(c->run->problem, member, count));
    c->sweeps[k] = 0;
    c->start[k] = c->square[k] = measure_island(c, member, count);
    if (!is_swept_in_place(c, k, member, count)) {
        return;
    }
    for (int due = 1, measured = 0; c->sweeps[k] < most && !(c->square[k] <= goal);) {
        for (int m = 0; m < count; ++m) {
            mo_visit(&c->visitor, member[m]);
        }
        if (++c->sweeps[k] >= due || c->sweeps[k] == most) {
            const double before = c->square[k];
            c->square[k] = measure_island(c, member, count);
            if (c->sweeps[k] == most && most < budget &&
                are_nearly_there(before, c->square[k], goal, c->sweeps[k] - measured,
                                 MO_AUTO_FEW)) {
                most = budget;
            }
            measured = c->sweeps[k];
            due = measured + 1 + measured / 3;
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

/* An island with a run of its own. */
typedef struct unit {
    int island;
    mo_problem *problem;
    mo_options options;
    mo_result result;
    mo_run run;
    void *memory;
    mo_walk walk;
    mo_rung_run rung;
    const char *name; /* of the last rung */
    int is_over;
    mo_status status;
} unit;

typedef struct island_units {
    mo_run *whole;
    const mo_islands *islands;
    const mo_sweep *sweep;
    double *x; /* the state of the whole */
    unit *units;
    int count;
} island_units;

/* r of an island to or from r of the whole. */
static void move_rows(const island_units *f, int k, double *whole, double *part, int out)
{
    const mo_problem *problem = f->whole->problem;
    for (int m = f->islands->start[k]; m < f->islands->start[k + 1]; ++m) {
        const int i = f->islands->member[m];
        const size_t d = (size_t)mo_constraint_dim(problem, i);
        double *there = whole + problem->row_start[i];
        memcpy(out ? part : there, out ? there : part, d * sizeof *part);
        part += d;
    }
}

static mo_error make_unit(const island_units *f, int k, int *local, unit *u)
{
    mo_run *whole = f->whole;
    const mo_error error = mo_islands_extract(whole->problem, f->islands, k, local, &u->problem);
    if (error) {
        return error;
    }
    const mo_allocator *own = &whole->problem->allocator;
    const double share = sqrt((double)u->problem->row_count / whole->problem->row_count);
    mo_arena arena = {0};
    u->island = k;
    u->status = MO_STALLED;
    u->options = *whole->options;
    u->options.start = NULL;
    u->options.progress = NULL;
    u->options.history = 0;
    u->run = (mo_run){.problem = u->problem,
                      .options = &u->options,
                      .result = &u->result,
                      .start_time = whole->start_time,
                      .q_scale = whole->q_scale * share,
                      .best = INFINITY,
                      .done = whole->result->iterations,
                      .history_stride = 1};
    mo_run_layout(&arena, u->problem, &u->run);
    const size_t rows = (size_t)u->problem->row_count * sizeof(double),
                 room = arena.used + MO_ARENA_ALIGN;
    u->memory = mo_memory_array(own, room + rows, 1);
    if (!u->memory) {
        return MO_ERR_MEMORY;
    }
    arena = (mo_arena){.base = (char *)u->memory + rows};
    mo_run_layout(&arena, u->problem, &u->run);
    u->result.r = u->memory;
    u->result.row_count = u->problem->row_count;
    u->result.iterations = whole->result->iterations;
    move_rows(f, k, whole->r, u->run.r, 1);
    memcpy(u->result.r, u->run.r, rows);
    return MO_OK;
}

static void clear_units(island_units *f)
{
    const mo_allocator *own = &f->whole->problem->allocator;
    for (int k = 0; f->units && k < f->count; ++k) {
        mo_pace();
        mo_memory_free(own, f->units[k].memory);
        mo_problem_destroy(f->units[k].problem);
    }
    mo_memory_free(own, f->units);
}

/* A unit for every island that the sweeps have left, the largest first. */
static mo_error make_units(island_units *f, const in_place *c)
{
    const mo_problem *problem = f->whole->problem;
    const mo_allocator *own = &problem->allocator;
    const size_t nodes = mo_islands_scratch(problem);
    int *local = mo_memory_array(own, nodes, sizeof *local);
    f->units = mo_memory_array(own, (size_t)f->islands->count, sizeof *f->units);
    mo_error error = local && f->units ? MO_OK : MO_ERR_MEMORY;
    for (size_t k = 0; !error && k < nodes; ++k) {
        local[k] = -1;
    }
    for (int k = 0; k < f->islands->count && !error; ++k) {
        const int *member = f->islands->member + f->islands->start[k];
        const int count = f->islands->start[k + 1] - f->islands->start[k];
        mo_pace();
        if (c->square[k] <= goal_square(c, island_rows(problem, member, count))) {
            continue;
        }
        unit *u = &f->units[f->count++];
        memset(u, 0, sizeof *u);
        error = make_unit(f, k, local, u);
        error = error ? error : mo_walk_begin(&u->run, 0, &u->walk);
        u->walk.has_swept = c->has_swept || c->sweeps[k] > 0;
        if (f->whole->options->start) {
            u->walk.facts.start_residual = sqrt(c->start[k]) / u->run.q_scale;
        }
    }
    mo_pace();
    mo_memory_free(own, local);
    return error;
}

static void solve_task(void *context, int k)
{
    unit *u = &((unit *)context)[k];
    if (u->rung.rung) {
        mo_rung_solve(&u->rung);
    }
}

/* Opens the next rung of a unit; false where there is none. */
static int open_unit(unit *u)
{
    const mo_rung *rung = u->is_over ? NULL : mo_walk_next(&u->walk, &u->run);
    u->rung.rung = NULL;
    if (!rung) {
        return 0;
    }
    u->name = rung->name;
    mo_rung_open(&u->run, rung, &u->walk, &u->rung);
    return 1;
}

static void close_unit(unit *u, mo_explanation *explanation)
{
    u->status = u->rung.status;
    u->is_over = mo_auto_is_over(&u->run, u->status);
    mo_rung_close(&u->rung, explanation);
}

/* The next rung of every unit that is not through; false where there is none. */
static int advance(island_units *f)
{
    int open = 0;
    for (int k = 0; k < f->count; ++k) {
        mo_pace();
        f->units[k].options.threads = f->count == 1 ? f->whole->options->threads : 1;
        open += open_unit(&f->units[k]);
    }
    mo_pace();
    mo_parallel_tasks(f->whole->options->threads, f->count, solve_task, f->units);
    for (int k = 0; k < f->count; ++k) {
        mo_pace();
        unit *u = &f->units[k];
        if (u->rung.rung) {
            close_unit(u, &f->whole->result->explanation);
            f->whole->error = f->whole->error ? f->whole->error : u->run.error;
        }
        move_rows(f, u->island, f->whole->r, u->result.r, 0);
    }
    mo_pace();
    return open > 0;
}

static int most_iterations(const island_units *f)
{
    int most = f->whole->result->iterations;
    for (int k = 0; k < f->count; ++k) {
        most = f->units[k].result.iterations > most ? f->units[k].result.iterations : most;
    }
    return most;
}

/* The status of the whole where it is not solved: the worst that happened to an island. */
static mo_status worst_status(const island_units *f)
{
    mo_status status = MO_STALLED;
    for (int k = 0; k < f->count; ++k) {
        const mo_status s = f->units[k].status;
        const int is_limit =
            s == MO_ITERATION_LIMIT && f->units[k].result.iterations >= f->whole->options->max_iter;
        if (s == MO_CANCELLED || s == MO_TIME_LIMIT) {
            return s;
        }
        status = is_limit ? MO_ITERATION_LIMIT : status;
    }
    return status;
}

static const char *const in_place_name = "few sweeps";

/* How many islands were solved by this rung, those that were swept in place included. */
static int solved_by(const island_units *f, const char *name)
{
    int count = strcmp(name, in_place_name) == 0 ? f->islands->count - f->count : 0;
    for (int k = 0; k < f->count; ++k) {
        count += f->units[k].status == MO_SOLVED && strcmp(f->units[k].name, name) == 0;
    }
    return count;
}

static void tell(const island_units *f, mo_message *summary)
{
    int left = 0, worst = 0;
    for (int k = 0; k < f->count; ++k) {
        left += f->units[k].status != MO_SOLVED;
        worst = f->units[k].run.best > f->units[worst].run.best ? k : worst;
    }
    mo_summary_add(summary, "%d islands: %d left", f->islands->count, left);
    for (int k = 0; k < mo_ladder_count; ++k) {
        const int count = mo_ladder[k].is_whole ? 0 : solved_by(f, mo_ladder[k].name);
        if (count) {
            mo_summary_add(summary, "%d solved by %s", count, mo_ladder[k].name);
        }
    }
    if (left) {
        const int island = f->units[worst].island, first = f->islands->start[island];
        mo_summary_add(summary,
                       "the worst holds %d constraints, the first of them %d, and was left at %.1e",
                       f->islands->start[island + 1] - first, f->islands->member[first],
                       f->units[worst].run.best / f->whole->q_scale);
    }
}

static mo_status run_islands(island_units *f, mo_message *summary)
{
    mo_run *whole = f->whole;
    mo_status status = MO_STALLED;
    while (!whole->error && advance(f)) {
        whole->done = 0;
        if (check_whole(whole, f->sweep, f->x, most_iterations(f))) {
            status = MO_SOLVED;
            break;
        }
        if (mo_run_is_over(whole)) {
            break;
        }
    }
    tell(f, summary);
    return status == MO_SOLVED ? status : worst_status(f);
}

/* ---- together -------------------------------------------------------------------------------- */

/* One allocation for what the split needs: the state, and the squares and sweeps of the islands. */
static mo_error prepare(in_place *c, island_units *f, void **memory)
{
    mo_run *run = c->run;
    const size_t dofs = (size_t)run->problem->dof_count, count = (size_t)c->islands->count;
    const mo_error error = mo_problem_sweep(run->problem, MO_SWEEP_NATURAL, &c->sweep);
    double *numbers = mo_memory_array(&run->problem->allocator, dofs + 3 * count, sizeof(double));
    *memory = numbers;
    if (error || !numbers) {
        return error ? error : MO_ERR_MEMORY;
    }
    c->square = numbers + dofs;
    c->start = c->square + count;
    c->sweeps = (int *)(c->square + 2 * count);
    double *x = mo_sweep_state_size(c->sweep) ? numbers : run->r;
    c->visitor = mo_visitor_begin(c->sweep, 1, run->r, x);
    c->goal = 0.99 * run->options->tol * run->q_scale; /* the sum of the parts rounds too */
    *f = (island_units){.whole = run, .islands = c->islands, .sweep = c->sweep, .x = x};
    mo_sweep_reset(c->sweep, 1, run->r, x);
    return MO_OK;
}

/* The rung that is taken in place; its number on the ladder where asked for. */
static const mo_rung *rung_in_place(int *number)
{
    int k = 0;
    while (strcmp(mo_ladder[k].name, in_place_name) != 0) {
        ++k;
    }
    if (number) {
        *number = k;
    }
    return mo_ladder + k;
}

static mo_status sweep_and_split(in_place *c, island_units *f, mo_message *summary)
{
    mo_run *run = c->run;
    int most = 0;
    if (check_whole(run, c->sweep, f->x, 0)) {
        return MO_SOLVED;
    }
    if (mo_run_must_stop(run, 0)) {
        return run->status;
    }
    const double start = mo_work_clock();
    int swept = 0;
    mo_parallel_for(run->options->threads, 0, c->islands->count, sweep_range, c);
    for (int k = 0; k < c->islands->count; ++k) {
        most = c->sweeps[k] > most ? c->sweeps[k] : most;
        swept += c->sweeps[k] > 0;
    }
    const int is_solved = check_whole(run, c->sweep, f->x, most);
    if (swept > 0) {
        mo_explain_rung(&run->result->explanation, rung_in_place(NULL), swept, most,
                        run->best / run->q_scale, mo_work_clock() - start);
    }
    if (is_solved) {
        return MO_SOLVED;
    }
    if (mo_run_must_stop(run, most)) {
        return run->status;
    }
    run->error = make_units(f, c);
    return run->error ? MO_STALLED : run_islands(f, summary);
}

static mo_status walk_as_one(mo_run *run, int has_swept, mo_status before, mo_message *summary)
{
    mo_walk walk;
    run->error = mo_walk_begin(run, 0, &walk);
    walk.has_swept = has_swept;
    run->result->explanation.facts = walk.facts;
    return mo_auto_walk(run, &walk, before, summary);
}

/* The facts of the largest island; where it was not copied out, its counts. */
static void explain_islands(const island_units *f, mo_explanation *e)
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

mo_status mo_auto_split(mo_run *run, int has_swept, mo_status before, mo_message *summary)
{
    mo_islands islands;
    run->error = mo_islands_find(run->problem, &islands);
    if (run->error) {
        return MO_STALLED;
    }
    mo_status status;
    if (islands.count <= 1) {
        status = walk_as_one(run, has_swept, before, summary);
    } else {
        int number;
        in_place context = {.run = run, .islands = &islands, .has_swept = has_swept};
        island_units f = {.whole = run, .islands = &islands};
        void *memory = NULL;
        rung_in_place(&number);
        context.may_sweep = !(run->options->ladder.skip >> number & 1);
        run->done = run->result->iterations;
        run->error = prepare(&context, &f, &memory);
        status = run->error ? MO_STALLED : sweep_and_split(&context, &f, summary);
        explain_islands(&f, &run->result->explanation);
        clear_units(&f);
        mo_memory_free(&run->problem->allocator, memory);
    }
    mo_islands_clear(&run->problem->allocator, &islands);
    return status;
}
