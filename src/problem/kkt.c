/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
#include "problem/kkt.h"

#include <string.h>

/* ---- the graph of bodies --------------------------------------------------------------------- */

typedef struct body_graph {
    int *weight, *start, *index, *last;
} body_graph;

/* Visits every ordered pair of different bodies that share a constraint; a pair may come again. */
static void visit_pairs(const mo_problem *problem, int body, const int *of_body, int count, int *last,
                        int *index, int *found)
{
    for (int c = 0; c < count; ++c) {
        const int i = of_body[c];
        for (int k = problem->block_start[i]; k < problem->block_start[i + 1]; ++k) {
            const int other = problem->block_index[k];
            if (other != body && last[other] != body) {
                last[other] = body;
                if (index) {
                    index[*found] = other;
                }
                ++*found;
            }
        }
    }
}

/* The constraints of each body, body after body: of_body[from[b]] .. of_body[from[b+1]]. */
static void list_constraints(const mo_problem *problem, int *from, int *of_body)
{
    const int blocks = problem->block_start[problem->constraint_count];
    memset(from, 0, ((size_t)problem->body_count + 1) * sizeof *from);
    for (int k = 0; k < blocks; ++k) {
        ++from[problem->block_index[k] + 1];
    }
    for (int b = 0; b < problem->body_count; ++b) {
        from[b + 1] += from[b];
    }
    for (int i = problem->constraint_count - 1; i >= 0; --i) {
        for (int k = problem->block_start[i]; k < problem->block_start[i + 1]; ++k) {
            of_body[--from[problem->block_index[k] + 1]] = i;
        }
    }
    /* from[b + 1] is now where the list of b starts: move it to from[b] */
    memmove(from, from + 1, (size_t)problem->body_count * sizeof *from);
    from[problem->body_count] = blocks;
}

/* Counts the neighbours (index NULL) or lists them. */
static void find_neighbours(const mo_problem *problem, const int *from, const int *of_body, body_graph *g)
{
    int found = 0;
    for (int b = 0; b < problem->body_count; ++b) {
        g->last[b] = -1;
    }
    for (int b = 0; b < problem->body_count; ++b) {
        g->start[b] = found;
        g->weight[b] = mo_body_dim(problem, b);
        visit_pairs(problem, b, of_body + from[b], from[b + 1] - from[b], g->last, g->index, &found);
    }
    g->start[problem->body_count] = found;
}

static mo_error analyse(const mo_problem *problem, mo_block_plan **plan)
{
    const mo_allocator *own = &problem->allocator;
    const size_t bodies = (size_t)problem->body_count;
    const size_t blocks = (size_t)problem->block_start[problem->constraint_count];
    int *memory = mo_memory_array(own, 4 * bodies + 2 + blocks, sizeof(int));
    mo_error error = memory ? MO_OK : MO_ERR_MEMORY;
    if (!error) {
        int *from = memory, *of_body = memory + bodies + 1;
        body_graph g = {of_body + blocks, of_body + blocks + bodies, NULL,
                        of_body + blocks + 2 * bodies + 1};
        list_constraints(problem, from, of_body);
        find_neighbours(problem, from, of_body, &g);
        g.index = mo_memory_array(own, (size_t)g.start[bodies], sizeof(int));
        error = g.index ? MO_OK : MO_ERR_MEMORY;
        if (!error) {
            find_neighbours(problem, from, of_body, &g);
            const mo_graph graph = {problem->body_count, g.weight, g.start, g.index};
            error = mo_block_plan_create(own, &graph, plan);
        }
        mo_memory_free(own, g.index);
    }
    mo_memory_free(own, memory);
    return error;
}

/* ---- targets --------------------------------------------------------------------------------- */

static void find_targets(mo_kkt *kkt)
{
    const mo_problem *problem = kkt->problem;
    mo_kkt_target *target = kkt->target;
    for (int i = 0; i < problem->constraint_count; ++i) {
        const int *body = problem->block_index + problem->block_start[i];
        const int count = problem->block_start[i + 1] - problem->block_start[i];
        kkt->target_start[i] = (size_t)(target - kkt->target);
        for (int k = 0; k < count; ++k) {
            for (int l = 0; l <= k; ++l, ++target) {
                target->value = mo_block_find(kkt->plan, body[k], body[l], &target->transposed);
            }
        }
    }
}

static size_t count_targets(const mo_problem *problem)
{
    size_t total = 0;
    for (int i = 0; i < problem->constraint_count; ++i) {
        const size_t count = (size_t)(problem->block_start[i + 1] - problem->block_start[i]);
        total += count * (count + 1) / 2;
    }
    return total;
}

mo_error mo_kkt_create(const mo_problem *problem, mo_kkt **out)
{
    const mo_allocator *own = &problem->allocator;
    const size_t count = (size_t)problem->constraint_count, targets = count_targets(problem);
    mo_kkt *kkt = mo_memory_array(own, 1, sizeof *kkt);
    *out = NULL;
    if (!kkt) {
        return MO_ERR_MEMORY;
    }
    *kkt = (mo_kkt){.problem = problem};
    mo_error error = analyse(problem, &kkt->plan);
    kkt->target_start = mo_memory_array(own, count, sizeof *kkt->target_start);
    kkt->target = mo_memory_array(own, targets, sizeof *kkt->target);
    if (error || !kkt->target_start || !kkt->target) {
        mo_kkt_destroy(own, kkt);
        return error ? error : MO_ERR_MEMORY;
    }
    find_targets(kkt);
    kkt->bytes = sizeof *kkt + kkt->plan->bytes + count * sizeof *kkt->target_start +
                 targets * sizeof *kkt->target;
    *out = kkt;
    return MO_OK;
}

void mo_kkt_destroy(const mo_allocator *allocator, mo_kkt *kkt)
{
    if (kkt) {
        mo_block_plan_destroy(allocator, kkt->plan);
        mo_memory_free(allocator, kkt->target_start);
        mo_memory_free(allocator, kkt->target);
        mo_memory_free(allocator, kkt);
    }
}

/* ---- the matrix ------------------------------------------------------------------------------ */

void mo_kkt_begin(const mo_kkt *kkt, double *values)
{
    const mo_block_plan *plan = kkt->plan;
    mo_block_clear(plan, values);
    for (int k = 0; k < plan->count; ++k) {
        double *diagonal = values + plan->value[plan->start[k]];
        for (int j = 0; j < plan->dim[k]; ++j) {
            diagonal[(size_t)j * (size_t)plan->dim[k] + (size_t)j] = 1;
        }
    }
}

/* C += X' B Y for X (d x m) and Y (d x n): m x n, or transposed, n x m. */
static void add_product(int d, int m, int n, const double *X, const double *B, const double *Y,
                        bool transposed, double *C)
{
    for (int a = 0; a < d; ++a) {
        for (int b = 0; b < d; ++b) {
            const double factor = B[a * d + b];
            if (factor == 0) {
                continue;
            }
            const double *x = X + (size_t)a * m, *y = Y + (size_t)b * n;
            for (int i = 0; i < (transposed ? n : m); ++i) {
                mo_axpy(transposed ? m : n, factor * (transposed ? y[i] : x[i]), transposed ? x : y,
                        C + (size_t)i * (size_t)(transposed ? m : n));
            }
        }
    }
}

void mo_kkt_add(const mo_kkt *kkt, const mo_sweep *sweep, int position, const double *B, double *values)
{
    const mo_problem *problem = kkt->problem;
    const int i = sweep->constraint[position], d = mo_constraint_dim(problem, i);
    const int *body = problem->block_index + problem->block_start[i];
    const int count = problem->block_start[i + 1] - problem->block_start[i];
    const mo_kkt_target *target = kkt->target + kkt->target_start[i];
    const double *X = mo_sweep_pull(sweep, position);
    for (int k = 0; k < count; ++k) {
        const int m = mo_body_dim(problem, body[k]);
        const double *Y = mo_sweep_pull(sweep, position);
        for (int l = 0; l <= k; ++l, ++target) {
            const int n = mo_body_dim(problem, body[l]);
            add_product(d, m, n, X, B, Y, target->transposed, values + target->value);
            Y += (size_t)d * n;
        }
        X += (size_t)d * m;
    }
}
