/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
#include "info_graph.h"

#include <math.h>
#include <stdlib.h>

/* ---- islands: union-find over constraints, then bodies --------------------------------------- */

static int root_of(int *parent, int node)
{
    while (parent[node] != node) {
        parent[node] = parent[parent[node]]; /* halve the path on the way */
        node = parent[node];
    }
    return node;
}

/* The smaller root wins, so that the root of an island with a constraint is a constraint. */
static void join(int *parent, int a, int b)
{
    a = root_of(parent, a);
    b = root_of(parent, b);
    parent[a > b ? a : b] = a < b ? a : b;
}

static int is_zero(const double *values, int count)
{
    for (int k = 0; k < count; ++k)
        if (values[k] != 0) return 0;
    return 1;
}

/* The width of a block: velocities of its body, or rows of its column constraint. */
static int block_width(const mo_problem *problem, int index)
{
    return mo_problem_form(problem) == MO_FORM_GLOBAL ? mo_problem_body(problem, index).dim
                                                      : mo_problem_constraint(problem, index).dim;
}

static void join_blocks(const mo_problem *problem, int constraint_count, int *parent,
                        graph_facts *facts)
{
    const int shift = mo_problem_form(problem) == MO_FORM_GLOBAL ? constraint_count : 0;
    for (int i = 0; i < constraint_count; ++i) {
        const mo_constraint_view row = mo_problem_constraint(problem, i);
        facts->blocks += row.block_count;
        for (int k = 0; k < row.block_count; ++k) {
            const mo_block_view block = mo_problem_block(problem, i, k);
            if (!is_zero(block.values, row.dim * block_width(problem, block.index)))
                join(parent, i, shift + block.index);
        }
    }
}

static mo_error find_islands(const mo_problem *problem, graph_facts *facts)
{
    const int constraints = mo_problem_constraint_count(problem);
    const size_t nodes = (size_t)constraints + (size_t)mo_problem_body_count(problem);
    int *parent = malloc((nodes + 1) * sizeof *parent);
    int *size = calloc((size_t)constraints + 1, sizeof *size);
    if (parent && size) {
        for (size_t k = 0; k < nodes; ++k)
            parent[k] = (int)k;
        join_blocks(problem, constraints, parent, facts);
        for (int i = 0; i < constraints; ++i) {
            const int members = ++size[root_of(parent, i)];
            facts->islands += members == 1;
            facts->largest_island =
                members > facts->largest_island ? members : facts->largest_island;
        }
    }
    const mo_error error = parent && size ? MO_OK : MO_ERR_MEMORY;
    free(parent);
    free(size);
    return error;
}

/* ---- asymmetry of W -------------------------------------------------------------------------- */

/* The blocks of W by columns: those of column j are first[j] up to first[j + 1]. */
typedef struct columns {
    int *first;
    int *row;
    const double **values;
} columns;

static mo_error sort_columns(const mo_problem *problem, int n, long long block_count, columns *c)
{
    c->first = calloc((size_t)n + 2, sizeof *c->first);
    c->row = malloc(((size_t)block_count + 1) * sizeof *c->row);
    c->values = malloc(((size_t)block_count + 1) * sizeof *c->values);
    if (!c->first || !c->row || !c->values) return MO_ERR_MEMORY;
    /* Count into first[j + 2], so that filling through first[j + 1] leaves first[j] in place. */
    for (int i = 0; i < n; ++i)
        for (int k = 0; k < mo_problem_constraint(problem, i).block_count; ++k)
            c->first[mo_problem_block(problem, i, k).index + 2] += 1;
    for (int j = 0; j < n; ++j)
        c->first[j + 1] += c->first[j];
    for (int i = 0; i < n; ++i) {
        for (int k = 0; k < mo_problem_constraint(problem, i).block_count; ++k) {
            const mo_block_view block = mo_problem_block(problem, i, k);
            const int at = c->first[block.index + 1]++;
            c->row[at] = i;
            c->values[at] = block.values;
        }
    }
    return MO_OK;
}

/* |A - B'|^2, A being m x n and B n x m; either may be NULL, which stands for zero. */
static double difference(const double *A, const double *B, int m, int n)
{
    double sum = 0;
    for (int i = 0; i < m; ++i) {
        for (int j = 0; j < n; ++j) {
            const double d = (A ? A[i * n + j] : 0) - (B ? B[j * m + i] : 0);
            sum += d * d;
        }
    }
    return sum;
}

/* Adds row i of W against column i: |W_ij - W_ji'|^2 and |W_ij|^2 for every j of either. */
static void compare_row(const mo_problem *problem, int i, const columns *c, const double **slot,
                        double *apart, double *total)
{
    const mo_constraint_view row = mo_problem_constraint(problem, i);
    for (int k = 0; k < row.block_count; ++k) {
        const mo_block_view block = mo_problem_block(problem, i, k);
        slot[block.index] = block.values;
        *total += difference(block.values, NULL, row.dim, block_width(problem, block.index));
    }
    for (int k = c->first[i]; k < c->first[i + 1]; ++k) {
        const int j = c->row[k];
        *apart += difference(slot[j], c->values[k], row.dim, block_width(problem, j));
        slot[j] = NULL;
    }
    /* The remaining blocks have no partner on the other side. */
    for (int k = 0; k < row.block_count; ++k) {
        const int j = mo_problem_block(problem, i, k).index;
        *apart += slot[j] ? difference(slot[j], NULL, row.dim, block_width(problem, j)) : 0;
        slot[j] = NULL;
    }
}

static mo_error measure_asymmetry(const mo_problem *problem, graph_facts *facts)
{
    const int n = mo_problem_constraint_count(problem);
    columns c = {0};
    const double **slot = calloc((size_t)n + 1, sizeof *slot);
    mo_error error = sort_columns(problem, n, facts->blocks, &c);
    if (!slot) error = MO_ERR_MEMORY;
    double apart = 0, total = 0;
    for (int i = 0; i < n && !error; ++i)
        compare_row(problem, i, &c, slot, &apart, &total);
    facts->asymmetry = total > 0 ? sqrt(apart / total) : 0;
    free(slot);
    free(c.first);
    free(c.row);
    free(c.values);
    return error;
}

mo_error graph_study(const mo_problem *problem, graph_facts *facts)
{
    *facts = (graph_facts){0};
    const mo_error error = find_islands(problem, facts);
    return error || mo_problem_form(problem) == MO_FORM_GLOBAL ? error
                                                               : measure_asymmetry(problem, facts);
}
