/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
#include "gradient/pair_matrix.h"

#include "base/error.h"
#include "linalg/node_graph.h"

/* Every row lists itself and its neighbours.  The pattern is its own transpose, and transposing
 * puts every row in rising order. */
static void write_sorted(const mo_problem *W, const int *start, const int *index, int *next,
                         mo_pair_pattern *out)
{
    for (int i = 0; i <= out->count; ++i) {
        out->start[i] = next[i] = start[i] + i;
    }
    for (int i = 0; i < out->count; ++i) {
        out->dim[i] = 2 * mo_constraint_dim(W, i);
        out->index[next[i]++] = i;
        for (int e = start[i]; e < start[i + 1]; ++e) {
            out->index[next[index[e]]++] = i;
        }
    }
    for (int i = 0; i < out->count; ++i) {
        for (int e = out->start[i]; e < out->start[i + 1]; ++e) {
            out->value[e] = out->value_count;
            out->value_count += (size_t)out->dim[i] * (size_t)out->dim[out->index[e]];
        }
    }
}

mo_error mo_pair_pattern_create(const mo_allocator *allocator, const mo_problem *W,
                                mo_pair_pattern *pattern)
{
    const size_t count = (size_t)W->constraint_count, blocks = (size_t)W->block_start[count];
    int *start = mo_memory_array(allocator, 3 * count + 2 + 2 * blocks, sizeof *start);
    *pattern = (mo_pair_pattern){.count = W->constraint_count};
    MO_NEED_MEMORY(start, NULL);
    int *next = start + count + 1, *seen = next + count + 1, *index = seen + count;
    const mo_block_pattern given = {W->constraint_count, NULL, W->block_start, W->block_index};
    mo_list_neighbours(&given, start, index, next, seen);
    const size_t entries = (size_t)start[count] + count;
    mo_error error = MO_ERR_MEMORY;
    if (MO_NEW(allocator, count, &pattern->dim) && MO_NEW(allocator, count + 1, &pattern->start) &&
        MO_NEW(allocator, entries, &pattern->index) &&
        MO_NEW(allocator, entries, &pattern->value)) {
        write_sorted(W, start, index, next, pattern);
        const mo_block_pattern both = {pattern->count, pattern->dim, pattern->start,
                                       pattern->index};
        error = mo_front_plan_create(allocator, &both, &pattern->plan);
    }
    mo_memory_free(allocator, start);
    return error;
}

void mo_pair_pattern_clear(const mo_allocator *allocator, mo_pair_pattern *pattern)
{
    if (pattern->plan) {
        mo_front_plan_destroy(allocator, pattern->plan);
    }
    MO_FREE(allocator, pattern->dim, pattern->start, pattern->index, pattern->value);
}

size_t mo_pair_pattern_find(const mo_pair_pattern *pattern, int i, int j)
{
    int low = pattern->start[i], high = pattern->start[i + 1];
    while (high - low > 1) {
        const int middle = low + (high - low) / 2;
        if (pattern->index[middle] <= j) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return pattern->value[low];
}
