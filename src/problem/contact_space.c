/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
#include "problem/contact_space.h"

#include <string.h>

/* The pattern of W as a graph: symmetric, without the diagonal. */
typedef struct contact_graph {
    int *weight, *start, *index, *next, *seen;
} contact_graph;

static int reserve_graph(const mo_allocator *own, const mo_problem *W, contact_graph *g)
{
    const size_t count = (size_t)W->constraint_count, blocks = (size_t)W->block_start[count];
    g->weight = mo_memory_array(own, count, sizeof(int));
    g->start = mo_memory_array(own, count + 1, sizeof(int));
    g->next = mo_memory_array(own, count + 1, sizeof(int));
    g->seen = mo_memory_array(own, count, sizeof(int));
    g->index = mo_memory_array(own, 2 * blocks, sizeof(int));
    return g->weight && g->start && g->next && g->seen && g->index;
}

/* Lists every neighbour of i and of its mirror, then drops what came twice. */
static void fill_graph(const mo_problem *W, contact_graph *g)
{
    const int count = W->constraint_count;
    memset(g->next, 0, ((size_t)count + 1) * sizeof(int));
    for (int i = 0; i < count; ++i) {
        g->weight[i] = mo_constraint_dim(W, i);
        for (int k = W->block_start[i]; k < W->block_start[i + 1]; ++k) {
            g->next[i + 1] += W->block_index[k] != i;
            g->next[W->block_index[k] + 1] += W->block_index[k] != i;
        }
    }
    for (int i = 0; i < count; ++i) {
        g->next[i + 1] += g->next[i];
    }
    memcpy(g->start, g->next, ((size_t)count + 1) * sizeof(int));
    for (int i = 0; i < count; ++i) {
        for (int k = W->block_start[i]; k < W->block_start[i + 1]; ++k) {
            const int j = W->block_index[k];
            if (j != i) {
                g->index[g->next[i]++] = j;
                g->index[g->next[j]++] = i;
            }
        }
        g->seen[i] = -1;
    }
    int kept = 0, from = 0;
    for (int i = 0; i < count; ++i) {
        const int end = g->start[i + 1];
        g->start[i] = kept;
        for (; from < end; ++from) {
            if (g->seen[g->index[from]] != i) {
                g->seen[g->index[from]] = i;
                g->index[kept++] = g->index[from];
            }
        }
    }
    g->start[count] = kept;
}

static void release_graph(const mo_allocator *own, contact_graph *g)
{
    int *const arrays[] = {g->weight, g->start, g->index, g->next, g->seen};
    for (size_t k = 0; k < sizeof arrays / sizeof arrays[0]; ++k) {
        mo_memory_free(own, arrays[k]);
    }
}

static mo_error make_plan(const mo_allocator *own, mo_contact_space *space)
{
    contact_graph g = {0};
    mo_error error = MO_ERR_MEMORY;
    if (reserve_graph(own, space->W, &g)) {
        fill_graph(space->W, &g);
        const mo_graph graph = {space->W->constraint_count, g.weight, g.start, g.index};
        error = mo_block_plan_create(own, &graph, &space->plan);
    }
    release_graph(own, &g);
    return error;
}

static mo_error find_places(const mo_allocator *own, mo_contact_space *space)
{
    const mo_problem *W = space->W;
    const size_t blocks = (size_t)W->block_start[W->constraint_count];
    space->place = mo_memory_array(own, blocks, sizeof *space->place);
    space->is_upper = mo_memory_array(own, blocks, sizeof *space->is_upper);
    if (!space->place || !space->is_upper) {
        return MO_ERR_MEMORY;
    }
    for (int i = 0; i < W->constraint_count; ++i) {
        for (int k = W->block_start[i]; k < W->block_start[i + 1]; ++k) {
            bool transposed;
            space->place[k] = mo_block_find(space->plan, i, W->block_index[k], &transposed);
            space->is_upper[k] = transposed;
        }
    }
    space->bytes = sizeof *space + blocks * (sizeof(size_t) + 1) + space->plan->bytes;
    return MO_OK;
}

mo_error mo_contact_space_create(const mo_problem *problem, mo_contact_space **out)
{
    const mo_allocator *own = &problem->allocator;
    mo_contact_space *space = mo_memory_array(own, 1, sizeof *space);
    *out = NULL;
    if (!space) {
        return MO_ERR_MEMORY;
    }
    *space = (mo_contact_space){.W = problem};
    mo_error error = MO_OK;
    if (problem->form == MO_FORM_GLOBAL) {
        error = mo_problem_reduce(problem, &space->own, NULL);
        space->W = space->own;
    }
    error = error ? error : make_plan(own, space);
    error = error ? error : find_places(own, space);
    if (error) {
        mo_contact_space_destroy(own, space);
        return error;
    }
    space->bytes += space->own ? mo_problem_bytes(space->own) : 0;
    *out = space;
    return MO_OK;
}

void mo_contact_space_destroy(const mo_allocator *allocator, mo_contact_space *space)
{
    if (space) {
        mo_problem_destroy(space->own);
        mo_block_plan_destroy(allocator, space->plan);
        mo_memory_free(allocator, space->place);
        mo_memory_free(allocator, space->is_upper);
        mo_memory_free(allocator, space);
    }
}
