/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * The reduced problem: W_ij = sum over shared bodies of pull_ib push_jb' (sweep.h), q = H' M^-1 f +
 * w.
 *
 * For each row, the constraints that share a body with i are collected from the lists of the
 * bodies, and their blocks are accumulated in the order of the bodies.  W is therefore exactly
 * symmetric if M is.
 */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "problem/problem_data.h"
#include "problem/views.h"

typedef struct reduction {
    const mo_problem *problem;
    const mo_sweep *sweep;
    int *body_list_start; /* constraints on each body: body_list[start[b]] .. */
    int *body_list;
    int *mark;      /* constraint -> row that last saw it */
    int *neighbour; /* the constraints of one row, then sorted */
    double *q;
    mo_builder *builder;
} reduction;

static int prepare(reduction *job)
{
    const mo_problem *problem = job->problem;
    const mo_allocator *own = &problem->allocator;
    const size_t constraints = (size_t)problem->constraint_count;
    const int made = MO_NEW_EACH(own, problem->body_count + 2, int, &job->body_list_start) &&
                     MO_NEW_EACH(own, problem->block_start[constraints], int, &job->body_list) &&
                     MO_NEW_EACH(own, constraints, int, &job->mark, &job->neighbour) &&
                     MO_NEW_EACH(own, problem->row_count, double, &job->q) &&
                     mo_builder_create(own, &job->builder) == MO_OK;
    if (made) {
        mo_list_incidence(problem, job->body_list_start, job->body_list);
        memset(job->mark, -1, constraints * sizeof(int));
    }
    return made;
}

static void release(reduction *job)
{
    const mo_allocator *own = &job->problem->allocator;
    MO_FREE(own, job->body_list_start, job->body_list, job->mark, job->neighbour, job->q);
    mo_builder_destroy(job->builder);
}

static int collect_neighbours(reduction *job, int i)
{
    const mo_problem *problem = job->problem;
    int count = 0;
    for (int k = problem->block_start[i]; k < problem->block_start[i + 1]; ++k) {
        const int body = problem->block_index[k];
        for (int m = job->body_list_start[body]; m < job->body_list_start[body + 1]; ++m) {
            const int j = job->body_list[m];
            if (job->mark[j] != i) {
                job->mark[j] = i;
                job->neighbour[count++] = j;
            }
        }
    }
    qsort(job->neighbour, (size_t)count, sizeof(int), mo_compare_ints);
    return count;
}

/* W (d_i x d_j) of constraints i and j: their bodies rise, and shared ones meet in a merge. */
static void couple(const reduction *job, int i, int j, double *W)
{
    const mo_problem *problem = job->problem;
    const int di = mo_constraint_dim(problem, i), dj = mo_constraint_dim(problem, j);
    const double *A = mo_sweep_pull(job->sweep, i), *B = mo_sweep_push(job->sweep, j);
    int ki = problem->block_start[i], kj = problem->block_start[j];
    memset(W, 0, (size_t)(di * dj) * sizeof *W);
    while (ki < problem->block_start[i + 1] && kj < problem->block_start[j + 1]) {
        const int bi = problem->block_index[ki], bj = problem->block_index[kj];
        const int ni = mo_body_dim(problem, bi), nj = mo_body_dim(problem, bj);
        for (int a = 0; bi == bj && a < di; ++a)
            for (int b = 0; b < dj; ++b)
                W[a * dj + b] += mo_dot(ni, A + (size_t)a * ni, B + (size_t)b * nj);
        if (bi <= bj) {
            A += (size_t)di * ni;
            ++ki;
        }
        if (bj <= bi) {
            B += (size_t)dj * nj;
            ++kj;
        }
    }
}

static void add_rows(reduction *job)
{
    const mo_problem *problem = job->problem;
    double W[MO_BILATERAL_MAX_DIM * MO_BILATERAL_MAX_DIM];
    for (int i = 0; i < problem->constraint_count; ++i) {
        const mo_constraint_view view = mo_problem_constraint(problem, i);
        mo_builder_add_constraint(job->builder, view.dim, &view.law, job->q + view.offset);
    }
    for (int i = 0; i < problem->constraint_count; ++i) {
        const int di = mo_constraint_dim(problem, i), count = collect_neighbours(job, i);
        for (int k = 0; k < count; ++k) {
            const int j = job->neighbour[k], dj = mo_constraint_dim(problem, j);
            couple(job, i, j, W);
            mo_builder_add_coupling(job->builder, i, j, di, dj, W);
        }
        if (count == 0) { /* touches nothing: an explicit zero keeps the form known */
            memset(W, 0, (size_t)(di * di) * sizeof *W);
            mo_builder_add_coupling(job->builder, i, i, di, di, W);
        }
    }
}

static mo_error reduce_global(const mo_problem *problem, mo_problem **reduced, mo_message *why)
{
    reduction job = {.problem = problem};
    mo_error error = mo_problem_sweep(problem, MO_SWEEP_NATURAL, &job.sweep);
    if (!error && !prepare(&job)) error = MO_ERR_MEMORY;
    error = error ? error : mo_problem_response(problem, NULL, job.q);
    if (error) {
        mo_fail_memory(why);
    } else {
        add_rows(&job);
        error = mo_builder_finish(job.builder, reduced, why);
    }
    release(&job);
    return error;
}

/* A reduced problem again: the same blocks. */
static mo_error copy_reduced(const mo_problem *problem, mo_problem **copy, mo_message *why)
{
    mo_builder *builder = NULL;
    MO_FAIL_IF(mo_builder_create(&problem->allocator, &builder), mo_fail_memory(why));
    for (int i = 0; i < problem->constraint_count; ++i) {
        const mo_constraint_view view = mo_problem_constraint(problem, i);
        mo_builder_add_constraint(builder, view.dim, &view.law, view.w);
        for (int k = 0; k < view.block_count; ++k) {
            const mo_block_view block = mo_problem_block(problem, i, k);
            mo_builder_add_coupling(builder, i, block.index, view.dim,
                                    mo_constraint_dim(problem, block.index), block.values);
        }
    }
    const mo_error error = mo_builder_finish(builder, copy, why);
    mo_builder_destroy(builder);
    return error;
}

mo_error mo_problem_reduce(const mo_problem *problem, mo_problem **reduced, mo_message *why)
{
    MO_NEED(problem && reduced, why);
    *reduced = NULL;
    return problem->form == MO_FORM_GLOBAL ? reduce_global(problem, reduced, why)
                                           : copy_reduced(problem, reduced, why);
}
