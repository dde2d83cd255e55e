/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
#include "solver/auto_units.h"

#include <math.h>
#include <string.h>

#include "base/pace.h"
#include "base/parallel.h"

/* r of an island to or from r of the whole. */
static void move_rows(const mo_island_units *f, int k, double *whole, double *part, int out)
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

mo_error mo_units_make(const mo_island_units *f, int k, int *local, mo_island_unit *u)
{
    mo_run *whole = f->whole;
    const mo_error error = mo_islands_extract(whole->problem, f->islands, k, local, &u->problem);
    if (error) return error;
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
    if (!u->memory) return MO_ERR_MEMORY;
    arena = (mo_arena){.base = (char *)u->memory + rows};
    mo_run_layout(&arena, u->problem, &u->run);
    double norm; /* found here, where memory may be asked for */
    u->run.has_q = mo_problem_q_norm_into(u->problem, u->run.scratch, &norm);
    u->result.r = u->memory;
    u->result.row_count = u->problem->row_count;
    u->result.iterations = whole->result->iterations;
    move_rows(f, k, whole->r, u->run.r, 1);
    memcpy(u->result.r, u->run.r, rows);
    return MO_OK;
}

void mo_units_clear(mo_island_units *f)
{
    const mo_allocator *own = &f->whole->problem->allocator;
    for (int k = 0; f->units && k < f->count; ++k) {
        mo_pace();
        mo_memory_free(own, f->units[k].memory);
        mo_problem_destroy(f->units[k].problem);
    }
    mo_memory_free(own, f->units);
}

static void solve_task(void *context, int k)
{
    mo_island_unit *u = &((mo_island_unit *)context)[k];
    if (u->rung.rung) mo_rung_solve(&u->rung);
}

/* Opens the next rung of a unit; false where there is none. */
static int open_unit(mo_island_unit *u)
{
    const mo_rung *rung = u->is_over ? NULL : mo_walk_next(&u->walk, &u->run);
    u->rung.rung = NULL;
    if (!rung) return 0;
    u->name = rung->name;
    mo_rung_open(&u->run, rung, &u->walk, &u->rung);
    return 1;
}

static void close_unit(mo_island_unit *u, mo_explanation *explanation)
{
    u->status = u->rung.status;
    u->is_over = mo_auto_is_over(&u->run, u->status);
    mo_rung_close(&u->rung, explanation);
}

int mo_units_advance(mo_island_units *f)
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
        mo_island_unit *u = &f->units[k];
        if (u->rung.rung) {
            close_unit(u, &f->whole->result->explanation);
            f->whole->error = f->whole->error ? f->whole->error : u->run.error;
        }
        move_rows(f, u->island, f->whole->r, u->result.r, 0);
    }
    mo_pace();
    return open > 0;
}

int mo_units_iterations(const mo_island_units *f)
{
    int most = f->whole->result->iterations;
    for (int k = 0; k < f->count; ++k)
        most = f->units[k].result.iterations > most ? f->units[k].result.iterations : most;
    return most;
}

mo_status mo_units_status(const mo_island_units *f)
{
    mo_status status = MO_STALLED;
    for (int k = 0; k < f->count; ++k) {
        const mo_status s = f->units[k].status;
        const int is_limit =
            s == MO_ITERATION_LIMIT && f->units[k].result.iterations >= f->whole->options->max_iter;
        if (s == MO_CANCELLED || s == MO_TIME_LIMIT) return s;
        status = is_limit ? MO_ITERATION_LIMIT : status;
    }
    return status;
}

/* How many islands were solved by this rung, those that were swept in place included. */
static int solved_by(const mo_island_units *f, const char *name)
{
    int count = name == mo_rung_in_place->name ? f->islands->count - f->count : 0;
    for (int k = 0; k < f->count; ++k)
        count += f->units[k].status == MO_SOLVED && f->units[k].name == name;
    return count;
}

void mo_units_tell(const mo_island_units *f, mo_message *summary)
{
    int left = 0, worst = 0;
    for (int k = 0; k < f->count; ++k) {
        left += f->units[k].status != MO_SOLVED;
        worst = f->units[k].run.best > f->units[worst].run.best ? k : worst;
    }
    mo_summary_add(summary, "%d islands: %d left", f->islands->count, left);
    for (int k = 0; k < mo_ladder_count; ++k) {
        const int count = solved_by(f, mo_ladder[k].name);
        if (count) mo_summary_add(summary, "%d solved by %s", count, mo_ladder[k].name);
    }
    if (left) {
        const int island = f->units[worst].island, first = f->islands->start[island];
        mo_summary_add(summary,
                       "the worst holds %d constraints, the first of them %d, and was left at %.1e",
                       f->islands->start[island + 1] - first, f->islands->member[first],
                       f->units[worst].run.best / f->whole->q_scale);
    }
}
