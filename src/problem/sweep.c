/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
#include "problem/sweep.h"

#include <string.h>

#include "base/error.h"
#include "base/pace.h"
#include "base/parallel.h"
#include "problem/colouring.h"

enum { CHUNKS_FEW = 8 }; /* below this, chunks are too few to be shared among threads */

/* ---- kernels --------------------------------------------------------------------------------- */

static inline void pull(int d, int n, const double *A, const double *x, double *u)
{
    if (d == 3 && n == 6) {
        for (int j = 0; j < 3; ++j)
            u[j] += mo_sweep_dot_6(A + 6 * j, x);
        return;
    }
    mo_add_block(d, n, A, x, u);
}

static inline void push(int d, int n, const double *A, const double *y, double *x)
{
    if (d == 3 && n == 6) {
        mo_sweep_push_3x6(A, y, x);
        return;
    }
    if (d == 2 && n == 3) {
        for (int k = 0; k < 3; ++k)
            x[k] += A[k] * y[0] + A[3 + k] * y[1];
        return;
    }
    for (int j = 0; j < d; ++j)
        mo_axpy(n, y[j], A + (size_t)j * n, x);
}

/* Adds the velocity of the state to u of the constraint at a position. */
static inline void add_velocity(const mo_sweep *sweep, int position, const double *x, double *u)
{
    const mo_problem *problem = sweep->problem;
    const int i = sweep->constraint[position], d = mo_constraint_dim(problem, i);
    if (problem->form == MO_FORM_REDUCED) {
        mo_reduced_row(problem, i, x, u);
        return;
    }
    const double *block = mo_sweep_pull(sweep, position);
    for (int k = problem->block_start[i]; k < problem->block_start[i + 1]; ++k) {
        const int body = problem->block_index[k], n = mo_body_dim(problem, body);
        pull(d, n, block, x + problem->body_start[body], u);
        block += (size_t)d * n;
    }
}

void mo_sweep_velocity(const mo_sweep *sweep, int position, const double *x, double *u)
{
    const mo_problem *problem = sweep->problem;
    const int row = problem->row_start[sweep->constraint[position]];
    const int d = problem->row_start[sweep->constraint[position] + 1] - row;
    for (int j = 0; j < d; ++j)
        u[j] = problem->w[row + j];
    add_velocity(sweep, position, x, u);
}

void mo_sweep_change(const mo_sweep *sweep, int position, const double *dx, double *du)
{
    const int d = mo_constraint_dim(sweep->problem, sweep->constraint[position]);
    memset(du, 0, (size_t)d * sizeof *du);
    add_velocity(sweep, position, dx, du);
}

void mo_sweep_apply(const mo_sweep *sweep, int position, const double *dr, double *x)
{
    const mo_problem *problem = sweep->problem;
    if (problem->form == MO_FORM_REDUCED) return; /* the state is r, which the caller has changed */
    const int i = sweep->constraint[position], d = mo_constraint_dim(problem, i);
    const double *block = mo_sweep_push(sweep, position);
    for (int k = problem->block_start[i]; k < problem->block_start[i + 1]; ++k) {
        const int body = problem->block_index[k], n = mo_body_dim(problem, body);
        push(d, n, block, dr, x + problem->body_start[body]);
        block += (size_t)d * n;
    }
}

/* ---- x from r -------------------------------------------------------------------------------- */

typedef struct reset_context {
    const mo_sweep *sweep;
    const double *r;
    double *x;
} reset_context;

static void reset_range(void *context, int begin, int end)
{
    const reset_context *c = context;
    for (int position = begin; position < end; ++position) {
        const int i = c->sweep->constraint[position];
        mo_sweep_apply(c->sweep, position, c->r + c->sweep->problem->row_start[i], c->x);
    }
}

void mo_sweep_reset(const mo_sweep *sweep, int threads, const double *r, double *x)
{
    const mo_problem *problem = sweep->problem;
    if (problem->form == MO_FORM_REDUCED) return;
    reset_context context = {sweep, r, x};
    if (problem->dof_count) memcpy(x, sweep->free_state, (size_t)problem->dof_count * sizeof *x);
    for (int g = 0; g < sweep->group_count; ++g) {
        mo_parallel_for(mo_sweep_is_parallel(sweep, g) ? threads : 1, sweep->group_start[g],
                        sweep->group_start[g + 1], reset_range, &context);
    }
}

/* ---- u from x -------------------------------------------------------------------------------- */

typedef struct velocity_context {
    const mo_sweep *sweep;
    const double *x;
    double *u;
} velocity_context;

static void velocity_range(void *context, int begin, int end)
{
    const velocity_context *c = context;
    for (int position = begin; position < end; ++position) {
        const int i = c->sweep->constraint[position];
        mo_sweep_velocity(c->sweep, position, c->x, c->u + c->sweep->problem->row_start[i]);
    }
}

void mo_sweep_all_velocities(const mo_sweep *sweep, int threads, const double *x, double *u)
{
    velocity_context context = {sweep, x, u};
    mo_parallel_for(threads, 0, sweep->problem->constraint_count, velocity_range, &context);
}

/* ---- construction ---------------------------------------------------------------------------- */

static void make_natural_order(mo_sweep *sweep)
{
    const int count = sweep->problem->constraint_count;
    sweep->group_count = 1;
    sweep->last_is_sequential = 1;
    sweep->group_start[0] = 0;
    sweep->group_start[1] = count;
    for (int i = 0; i < count; ++i)
        sweep->constraint[i] = i;
}

/* Positions sorted by colour, in the order of the constraints within one; empty colours vanish. */
static void sort_by_colour(mo_sweep *sweep, const uint8_t *colour)
{
    const int count = sweep->problem->constraint_count;
    int next[MO_COLOURS + 1] = {0};
    for (int i = 0; i < count; ++i)
        ++next[colour[i] + 1];
    sweep->last_is_sequential = next[MO_COLOUR_REST + 1] > 0;
    sweep->group_count = 0;
    for (int c = 0; c < MO_COLOURS; ++c) {
        if (next[c + 1] > 0) sweep->group_start[sweep->group_count++] = next[c];
        next[c + 1] += next[c];
    }
    sweep->group_start[sweep->group_count] = count;
    for (int i = 0; i < count; ++i)
        sweep->constraint[next[colour[i]]++] = i;
}

/*
 * Constraints in a row mostly lie near each other and share bodies that are still in the cache, so
 * whole chunks get a colour: a sweep then reads memory as in the natural order, which is twice as
 * fast.  Constraints numbered at random would need too many colours for that; where the chunks need
 * more than twice as many as single constraints do, each constraint is coloured by itself.
 */
static void colour_for_sweep(const mo_problem *problem, uint8_t *colour, uint64_t *used)
{
    const int chunks = mo_chunk_count(problem->constraint_count);
    const int of_single = mo_colour_chunks(problem, 1, colour, used);
    const int of_chunks =
        chunks < CHUNKS_FEW ? MO_COLOURS : mo_colour_chunks(problem, MO_CHUNK, colour, used);
    if (of_chunks > MO_COLOUR_REST || of_chunks > 2 * of_single)
        mo_colour_constraints(problem, colour, used);
}

static int make_order(mo_sweep *sweep, mo_sweep_order order)
{
    const mo_problem *problem = sweep->problem;
    const mo_allocator *own = &problem->allocator;
    if (order == MO_SWEEP_NATURAL) {
        make_natural_order(sweep);
        return 1;
    }
    const size_t count = (size_t)problem->constraint_count, bodies = (size_t)problem->body_count;
    uint8_t *colour = mo_memory_array(own, count, sizeof *colour);
    uint64_t *used = mo_memory_array(own, count > bodies ? count : bodies, sizeof *used);
    const int made = colour && used;
    if (made) {
        colour_for_sweep(problem, colour, used);
        sort_by_colour(sweep, colour);
    }
    MO_FREE(own, colour, used);
    return made;
}

mo_error mo_sweep_positions(const mo_problem *problem, mo_sweep_order order, int *constraint)
{
    int start[MO_COLOURS + 1];
    mo_sweep sweep = {.problem = problem, .group_start = start, .constraint = constraint};
    return make_order(&sweep, order) ? MO_OK : MO_ERR_MEMORY;
}

/* Doubles in the record of constraint i: the diagonal block, and a global problem's Jacobians. */
static size_t record_size(const mo_problem *problem, int i)
{
    const size_t d = (size_t)mo_constraint_dim(problem, i);
    const size_t values = problem->value_start[i + 1] - problem->value_start[i];
    if (problem->form == MO_FORM_REDUCED) return d * d;
    return d * d + (problem->is_symmetric ? values : 2 * values);
}

/* Number of doubles in all records. */
static size_t records_size(const mo_problem *problem)
{
    size_t total = 0;
    for (int i = 0; i < problem->constraint_count; ++i)
        total += record_size(problem, i);
    return total;
}

/* The view and its arrays on one block of memory, widest numbers first. */
static mo_sweep *make_room(const mo_problem *problem, mo_sweep_order order)
{
    const size_t count = (size_t)problem->constraint_count, dofs = (size_t)problem->dof_count;
    const size_t records = records_size(problem),
                 groups = order == MO_SWEEP_NATURAL ? 2 : MO_COLOURS + 1;
    const size_t bytes = sizeof(mo_sweep) + (records + dofs) * sizeof(double) +
                         (count + 1) * sizeof(size_t) + (count + groups) * sizeof(int);
    mo_sweep *sweep = mo_memory_array(&problem->allocator, bytes, 1);
    if (sweep) {
        *sweep = (mo_sweep){.problem = problem, .bytes = bytes};
        sweep->records = (double *)(sweep + 1);
        sweep->free_state = sweep->records + records;
        sweep->record_start = (size_t *)(sweep->free_state + dofs);
        sweep->constraint = (int *)(sweep->record_start + count + 1);
        sweep->group_start = sweep->constraint + count;
    }
    return sweep;
}

static void place_records(mo_sweep *sweep)
{
    const int count = sweep->problem->constraint_count;
    size_t total = 0;
    for (int position = 0; position < count; ++position) {
        sweep->record_start[position] = total;
        total += record_size(sweep->problem, sweep->constraint[position]);
    }
    sweep->record_start[count] = total;
}

/* pull = J U^-1, push = J L^-T (pull if M is symmetric), row by row; W_ii += pull push'. */
static void whiten(const mo_problem *problem, int i, double *W, double *pull, double *push)
{
    const int d = mo_constraint_dim(problem, i);
    const double *J = problem->values + problem->value_start[i];
    for (int k = problem->block_start[i]; k < problem->block_start[i + 1]; ++k) {
        const int body = problem->block_index[k], n = mo_body_dim(problem, body);
        const size_t count = (size_t)d * n;
        memcpy(pull, J, count * sizeof *J);
        memcpy(push, J, count * sizeof *J);
        for (int j = 0; j < d; ++j) {
            mo_solve_first(n, mo_body_factor(problem, body), push + (size_t)j * n);
            if (pull != push)
                mo_solve_second_transposed(n, mo_body_factor(problem, body), pull + (size_t)j * n);
        }
        for (int j = 0; j < d; ++j)
            for (int m = 0; m < d; ++m)
                W[j * d + m] += mo_dot(n, pull + (size_t)j * n, push + (size_t)m * n);
        J += count;
        pull += count;
        push += count;
    }
}

/* W_ii of a reduced problem; its diagonal block may be absent. */
static void copy_diagonal(const mo_problem *problem, int i, double *W)
{
    const int d = mo_constraint_dim(problem, i);
    const double *block = problem->values + problem->value_start[i];
    for (int k = problem->block_start[i]; k < problem->block_start[i + 1]; ++k) {
        if (problem->block_index[k] == i) {
            memcpy(W, block, (size_t)(d * d) * sizeof *W);
            return;
        }
        block += (size_t)d * (size_t)mo_constraint_dim(problem, problem->block_index[k]);
    }
}

static void fill_records(void *context, int begin, int end)
{
    const mo_sweep *sweep = context;
    const mo_problem *problem = sweep->problem;
    for (int position = begin; position < end; ++position) {
        const int i = sweep->constraint[position], d = mo_constraint_dim(problem, i);
        double *W = sweep->records + sweep->record_start[position];
        memset(W, 0, (size_t)(d * d) * sizeof *W);
        if (problem->form == MO_FORM_GLOBAL) {
            const size_t values = problem->value_start[i + 1] - problem->value_start[i];
            whiten(problem, i, W, W + d * d, W + d * d + (problem->is_symmetric ? 0 : values));
        } else {
            copy_diagonal(problem, i, W);
        }
        for (int j = 0; problem->compliance && j < d; ++j)
            W[j * d + j] += problem->compliance[problem->row_start[i] + j];
    }
}

/* x at r = 0. */
static void make_free_state(mo_sweep *sweep)
{
    const mo_problem *problem = sweep->problem;
    if (problem->dof_count)
        memcpy(sweep->free_state, problem->f, (size_t)problem->dof_count * sizeof(double));
    for (int b = 0; b < problem->body_count; ++b) {
        mo_pace_every(b, 512);
        mo_solve_first(mo_body_dim(problem, b), mo_body_factor(problem, b),
                       sweep->free_state + problem->body_start[b]);
    }
}

mo_error mo_sweep_create(const mo_problem *problem, mo_sweep_order order, mo_sweep **out)
{
    const mo_allocator *own = &problem->allocator;
    mo_sweep *sweep = make_room(problem, order);
    *out = NULL;
    MO_NEED_MEMORY(sweep, NULL);
    if (!make_order(sweep, order)) {
        mo_sweep_destroy(own, sweep);
        return MO_ERR_MEMORY;
    }
    mo_pace();
    place_records(sweep);
    mo_pace();
    mo_parallel_for(1, 0, problem->constraint_count, fill_records, sweep);
    mo_pace();
    make_free_state(sweep);
    *out = sweep;
    return MO_OK;
}

void mo_sweep_destroy(const mo_allocator *allocator, mo_sweep *sweep)
{
    mo_memory_free(allocator, sweep);
}
