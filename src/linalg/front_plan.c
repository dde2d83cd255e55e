/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * The plan of a multifrontal factorisation: nodes, their order, the elimination tree and the
 * fronts.
 *
 * With L_k the nodes that the elimination of k fills, the parent of k is the first of them to be
 * eliminated.  A front absorbs a child if this adds few explicit zeros: none if the child fills the
 * same rows, and some if the fronts would otherwise be too small for dense loops.
 */
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/pace.h"
#include "linalg/front.h"
#include "linalg/node_graph.h"

enum { NONE = -1 };

/* Scratch of the analysis, indexed by elimination order unless noted. */
typedef struct analysis {
    const mo_block_pattern *pattern;
    mo_node_graph nodes;
    mo_elimination elimination;
    int *place;           /* of each node of the graph */
    int *parent;          /* or NONE */
    int *child, *sibling; /* lists of children */
    int *into;            /* the last place of the front that k belongs to */
    int *pivots, *below;  /* rows of the front that ends at k */
    int *front;           /* its number */
    int *number;          /* of k in the plan: fronts one after the other */
    int *cursor;
    double *zeros; /* stored in the front that ends at k */
    void *memory;
} analysis;

/* ---- the tree -------------------------------------------------------------------------------- */

static void find_tree(analysis *a)
{
    const mo_elimination *e = &a->elimination;
    const int count = a->nodes.graph.count;
    for (int k = 0; k < count; ++k)
        a->place[e->order[k]] = k;
    for (int k = 0; k < count; ++k) {
        int first = count, rows = 0;
        for (int j = e->start[k]; j < e->start[k + 1]; ++j) {
            const int place = a->place[e->filled[j]];
            first = place < first ? place : first;
            rows += a->nodes.graph.weight[e->filled[j]];
        }
        a->parent[k] = first < count ? first : NONE;
        a->pivots[k] = a->nodes.graph.weight[e->order[k]];
        a->below[k] = rows;
        a->zeros[k] = 0;
        a->into[k] = k;
        a->child[k] = NONE;
    }
}

/* The part of a front with this many pivots that may be zeros. */
static double allowance(double pivots)
{
    return pivots <= 16 ? 0.5 : pivots <= 48 ? 0.15 : 0.05;
}

/* Merges the front of child c into front p if that is cheap. */
static void try_to_merge(analysis *a, int p, int c)
{
    const double pivots = (double)a->pivots[p] + a->pivots[c], below = a->below[p];
    /* Rows of p that c does not fill. */
    const double rows_above = (double)a->pivots[p] + below - a->below[c];
    const double zeros = a->zeros[p] + a->zeros[c] + 2 * rows_above * a->pivots[c];
    if (zeros <= allowance(pivots) * pivots * (pivots + 2 * below)) {
        a->into[c] = p;
        a->pivots[p] += a->pivots[c];
        a->zeros[p] = zeros;
    }
}

static void merge_fronts(analysis *a)
{
    const int count = a->nodes.graph.count;
    for (int p = 0; p < count; ++p) {
        for (int c = a->child[p]; c != NONE; c = a->sibling[c])
            try_to_merge(a, p, c);
        if (a->parent[p] != NONE) {
            a->sibling[p] = a->child[a->parent[p]];
            a->child[a->parent[p]] = p;
        }
    }
    for (int k = count - 1; k >= 0; --k)
        a->into[k] = a->into[k] == k ? k : a->into[a->into[k]];
}

/* ---- numbers: children before parents, the nodes of a front in a row ------------------------- */

/* The tree of fronts, by their last places; a->parent becomes theirs. */
static void link_fronts(analysis *a)
{
    const int count = a->nodes.graph.count;
    for (int k = 0; k < count; ++k) {
        a->child[k] = NONE;
        a->parent[k] = a->parent[k] == NONE ? NONE : a->into[a->parent[k]];
    }
    for (int k = count - 1; k >= 0; --k) { /* lists of children rise */
        if (a->into[k] == k && a->parent[k] != NONE) {
            a->sibling[k] = a->child[a->parent[k]];
            a->child[a->parent[k]] = k;
        }
    }
}

static int number_fronts(analysis *a)
{
    const int count = a->nodes.graph.count;
    int fronts = 0;
    for (int root = 0; root < count; ++root) {
        if (a->into[root] != root || a->parent[root] != NONE) continue;
        for (int k = root; k != NONE;) { /* down to a leaf, then its sibling or its parent */
            if (a->child[k] != NONE) {
                const int next = a->child[k];
                a->child[k] = a->sibling[next];
                k = next;
            } else {
                a->front[k] = fronts++;
                k = a->parent[k];
            }
        }
    }
    for (int k = 0; k < count; ++k)
        a->front[k] = a->front[a->into[k]];
    return fronts;
}

static void number_nodes(analysis *a, mo_front_plan *plan)
{
    const int count = plan->node_count;
    memset(plan->pivot_start, 0, ((size_t)plan->front_count + 1) * sizeof(int));
    for (int k = 0; k < count; ++k)
        ++plan->pivot_start[a->front[k] + 1];
    mo_running_sums(plan->front_count, plan->pivot_start);
    memcpy(a->cursor, plan->pivot_start, (size_t)plan->front_count * sizeof(int));
    for (int k = 0; k < count; ++k)
        a->number[k] = a->cursor[a->front[k]]++;
}

/* ---- contents of the plan -------------------------------------------------------------------- */

static void place_blocks(const analysis *a, mo_front_plan *plan)
{
    plan->rows = 0;
    memset(plan->node_start, 0, ((size_t)plan->node_count + 1) * sizeof(int));
    for (int i = 0; i < plan->block_count; ++i) {
        plan->dim[i] = a->pattern->dim[i];
        plan->offset[i] = plan->rows;
        plan->rows += plan->dim[i];
        plan->node[i] = a->number[a->place[a->nodes.node[i]]];
        ++plan->node_start[plan->node[i] + 1];
    }
    for (int k = 0; k < plan->node_count; ++k) {
        plan->node_start[k + 1] += plan->node_start[k];
        a->cursor[k] = plan->node_start[k];
    }
    for (int i = 0; i < plan->block_count; ++i)
        plan->node_block[a->cursor[plan->node[i]]++] = i;
}

/* The rows of every front, rising: fronts are listed under each node, then nodes under each front.
 * `by_node` is as long as row_node. */
static void place_rows(const analysis *a, mo_front_plan *plan, int *node_list, int *by_node)
{
    const mo_elimination *e = &a->elimination;
    memset(node_list, 0, ((size_t)plan->node_count + 1) * sizeof(int));
    memset(plan->row_start, 0, ((size_t)plan->front_count + 1) * sizeof(int));
    for (int pass = 0; pass < 2; ++pass) {
        for (int k = 0; k < plan->node_count; ++k) {
            const int s = a->front[k];
            for (int j = e->start[k]; a->into[k] == k && j < e->start[k + 1]; ++j) {
                const int node = a->number[a->place[e->filled[j]]];
                if (pass == 0) {
                    ++node_list[node + 1];
                    ++plan->row_start[s + 1];
                } else {
                    by_node[node_list[node]++] = s;
                }
            }
        }
        for (int k = 0; pass == 0 && k < plan->node_count; ++k)
            node_list[k + 1] += node_list[k];
    }
    for (int s = 0; s < plan->front_count; ++s) {
        plan->row_start[s + 1] += plan->row_start[s];
        a->cursor[s] = plan->row_start[s];
    }
    for (int node = 0, from = 0; node < plan->node_count; ++node)
        for (; from < node_list[node]; ++from) /* node_list[node] is now the end of its list */
            plan->row_node[a->cursor[by_node[from]]++] = node;
}

/* An entry belongs to the front that eliminates the first of its two nodes. */
static void place_entries(const analysis *a, mo_front_plan *plan)
{
    const mo_block_pattern *p = a->pattern;
    size_t value = 0;
    memset(plan->entry_start, 0, ((size_t)plan->front_count + 1) * sizeof(int));
    for (int pass = 0; pass < 2; ++pass) {
        for (int i = 0; i < p->count; ++i) {
            for (int k = p->start[i]; k < p->start[i + 1]; ++k) {
                const int j = p->index[k], of_i = a->front[a->place[a->nodes.node[i]]];
                const int of_j = a->front[a->place[a->nodes.node[j]]],
                          s = of_i < of_j ? of_i : of_j;
                if (pass == 0) {
                    ++plan->entry_start[s + 1];
                } else {
                    plan->entry[a->cursor[s]++] = (mo_front_entry){i, j, value};
                    value += (size_t)p->dim[i] * (size_t)p->dim[j];
                }
            }
        }
        for (int s = 0; pass == 0 && s < plan->front_count; ++s) {
            plan->entry_start[s + 1] += plan->entry_start[s];
            a->cursor[s] = plan->entry_start[s];
        }
    }
}

/* Sizes and operations with all blocks present; follows the stack of what children leave. */
static void count_work(const analysis *a, mo_front_plan *plan)
{
    int *last = a->cursor, *waiting = a->child, waiting_count = 0;
    size_t stack = 0;
    for (int k = 0; k < plan->node_count; ++k) {
        if (a->into[k] == k) {
            plan->parent[a->front[k]] = a->parent[k] == NONE ? NONE : a->front[a->parent[k]];
            last[a->front[k]] = k;
        }
    }
    for (int s = 0; s < plan->front_count; ++s) {
        const double pivots = a->pivots[last[s]], below = a->below[last[s]];
        const int rows = a->pivots[last[s]] + a->below[last[s]];
        for (; waiting_count > 0 && plan->parent[waiting[waiting_count - 1]] == s;
             --waiting_count) {
            const size_t left = (size_t)a->below[last[waiting[waiting_count - 1]]];
            stack -= left * left;
        }
        stack += (size_t)a->below[last[s]] * (size_t)a->below[last[s]];
        waiting[waiting_count++] = s;
        plan->stack_size = stack > plan->stack_size ? stack : plan->stack_size;
        plan->factor_size += (size_t)(pivots * (pivots + 2 * below));
        plan->largest = rows > plan->largest ? rows : plan->largest;
        plan->flops += pivots * (pivots * pivots / 1.5 + 2 * below * (pivots + below));
    }
}

/* ---- memory ---------------------------------------------------------------------------------- */

static void layout_plan(mo_arena *arena, size_t blocks, size_t nodes, size_t fronts, size_t rows,
                        size_t entries, mo_front_plan *plan)
{
    MO_TAKE_EACH(arena, blocks, int, &plan->dim, &plan->offset, &plan->node, &plan->node_block);
    plan->node_start = MO_TAKE(arena, nodes + 1, int);
    MO_TAKE_EACH(arena, fronts + 1, int, &plan->pivot_start, &plan->row_start, &plan->entry_start);
    plan->parent = MO_TAKE(arena, fronts, int);
    plan->row_node = MO_TAKE(arena, rows, int);
    plan->entry = MO_TAKE(arena, entries, mo_front_entry);
}

static mo_front_plan *make_plan(const mo_allocator *own, const analysis *a, int fronts, size_t rows)
{
    const size_t blocks = (size_t)a->pattern->count, nodes = (size_t)a->nodes.graph.count;
    const size_t entries = (size_t)a->pattern->start[a->pattern->count];
    mo_front_plan *plan = mo_memory_array(own, 1, sizeof *plan), counted;
    mo_arena arena = {0};
    layout_plan(&arena, blocks, nodes, (size_t)fronts, rows, entries, &counted);
    void *memory = mo_memory_array(own, arena.used, 1);
    if (!plan || !memory) {
        MO_FREE(own, plan, memory);
        return NULL;
    }
    *plan = (mo_front_plan){.block_count = a->pattern->count,
                            .node_count = a->nodes.graph.count,
                            .front_count = fronts,
                            .bytes = sizeof *plan + arena.used,
                            .memory = memory};
    arena = (mo_arena){.base = memory};
    layout_plan(&arena, blocks, nodes, (size_t)fronts, rows, entries, plan);
    return plan;
}

static bool make_scratch(const mo_allocator *own, analysis *a)
{
    const size_t count = (size_t)a->nodes.graph.count;
    int *p = mo_memory_array(own, 10 * count, sizeof(int));
    a->memory = p;
    a->zeros = mo_memory_array(own, count, sizeof(double));
    int **const arrays[] = {&a->place,  &a->parent, &a->child, &a->sibling, &a->into,
                            &a->pivots, &a->below,  &a->front, &a->number,  &a->cursor};
    for (size_t k = 0; p && k < sizeof arrays / sizeof arrays[0]; ++k)
        *arrays[k] = p + k * count;
    return p && a->zeros;
}

/* Blocks below the fronts: those filled by the last node of each front. */
static size_t count_rows(const analysis *a)
{
    size_t rows = 0;
    for (int k = 0; k < a->nodes.graph.count; ++k) {
        rows +=
            a->into[k] == k ? (size_t)(a->elimination.start[k + 1] - a->elimination.start[k]) : 0;
    }
    return rows;
}

static mo_error analyse(const mo_allocator *own, analysis *a, mo_front_plan **out)
{
    MO_FAIL_IF(!make_scratch(own, a), MO_ERR_MEMORY);
    mo_pace();
    find_tree(a);
    mo_pace();
    merge_fronts(a);
    mo_pace();
    link_fronts(a);
    const int fronts = number_fronts(a);
    const size_t rows = count_rows(a);
    int *lists = mo_memory_array(own, (size_t)a->nodes.graph.count + 1 + rows, sizeof(int));
    mo_front_plan *plan = lists ? make_plan(own, a, fronts, rows) : NULL;
    if (plan) {
        number_nodes(a, plan);
        place_blocks(a, plan);
        mo_pace();
        place_rows(a, plan, lists, lists + a->nodes.graph.count + 1);
        mo_pace();
        place_entries(a, plan);
        mo_pace();
        count_work(a, plan);
    }
    mo_memory_free(own, lists);
    *out = plan;
    return plan ? MO_OK : MO_ERR_MEMORY;
}

mo_error mo_front_plan_create(const mo_allocator *allocator, const mo_block_pattern *pattern,
                              mo_front_plan **plan)
{
    analysis a = {.pattern = pattern};
    *plan = NULL;
    mo_error error = mo_node_graph_create(allocator, pattern, &a.nodes);
    error = error ? error : mo_min_degree(allocator, &a.nodes.graph, &a.elimination);
    error = error ? error : analyse(allocator, &a, plan);
    MO_FREE(allocator, a.memory, a.zeros);
    mo_elimination_clear(allocator, &a.elimination);
    mo_node_graph_clear(allocator, &a.nodes);
    return error;
}

void mo_front_plan_destroy(const mo_allocator *allocator, mo_front_plan *plan)
{
    if (plan) MO_FREE(allocator, plan->memory, plan);
}
