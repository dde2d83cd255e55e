/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
#include "gradient/pair_matrix.h"

#include "base/error.h"

#include <string.h>

enum { NONE = -1 };

/* Lists of columns, row after row. */
typedef struct lists {
    int *start, *index, *next, *seen;
} lists;

static bool reserve(const mo_allocator *own, const mo_problem *W, lists *g)
{
    const size_t count = (size_t)W->constraint_count, blocks = (size_t)W->block_start[count];
    return MO_NEW_EACH(own, count + 1, int, &g->start, &g->next) &&
           MO_NEW_EACH(own, count, int, &g->seen) &&
           MO_NEW_EACH(own, 2 * blocks + count, int, &g->index);
}

static void release(const mo_allocator *own, lists *g)
{
    MO_FREE(own, g->start, g->next, g->seen, g->index);
}

/* Row i lists itself and every j of which W has (i, j) or (j, i), some of them twice. */
static void list_neighbours(const mo_problem *W, lists *g)
{
    const int count = W->constraint_count;
    g->next[0] = 0;
    for (int i = 0; i < count; ++i) {
        g->next[i + 1] = 1;
    }
    for (int i = 0; i < count; ++i) {
        for (int e = W->block_start[i]; e < W->block_start[i + 1]; ++e) {
            ++g->next[i + 1];
            ++g->next[W->block_index[e] + 1];
        }
    }
    for (int i = 0; i < count; ++i) {
        g->next[i + 1] += g->next[i];
    }
    memcpy(g->start, g->next, ((size_t)count + 1) * sizeof(int));
    for (int i = 0; i < count; ++i) {
        g->index[g->next[i]++] = i;
        for (int e = W->block_start[i]; e < W->block_start[i + 1]; ++e) {
            g->index[g->next[i]++] = W->block_index[e];
            g->index[g->next[W->block_index[e]]++] = i;
        }
    }
}

/* Removes duplicates; start and index shrink in place. */
static void drop_doubles(int count, lists *g)
{
    int kept = 0, from = 0;
    for (int i = 0; i < count; ++i) {
        g->seen[i] = NONE;
    }
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

/* The pattern is its own transpose, and transposing puts every row in rising order. */
static void write_sorted(const mo_problem *W, const lists *g, mo_pair_pattern *out)
{
    const int count = W->constraint_count;
    memcpy(out->start, g->start, ((size_t)count + 1) * sizeof(int));
    memcpy(g->next, g->start, ((size_t)count + 1) * sizeof(int));
    for (int i = 0; i < count; ++i) {
        out->dim[i] = 2 * mo_constraint_dim(W, i);
        for (int e = g->start[i]; e < g->start[i + 1]; ++e) {
            out->index[g->next[g->index[e]]++] = i;
        }
    }
    for (int i = 0; i < count; ++i) {
        for (int e = out->start[i]; e < out->start[i + 1]; ++e) {
            out->value[e] = out->value_count;
            out->value_count += (size_t)out->dim[i] * (size_t)out->dim[out->index[e]];
        }
    }
}

static mo_error make(const mo_allocator *own, const mo_problem *W, lists *g, mo_pair_pattern *out)
{
    if (!reserve(own, W, g)) {
        return MO_ERR_MEMORY;
    }
    list_neighbours(W, g);
    drop_doubles(W->constraint_count, g);
    const size_t count = (size_t)W->constraint_count, entries = (size_t)g->start[count];
    out->count = W->constraint_count;
    MO_NEED_MEMORY(MO_NEW_EACH(own, count, int, &out->dim) &&
                       MO_NEW_EACH(own, count + 1, int, &out->start) &&
                       MO_NEW_EACH(own, entries, int, &out->index) &&
                       MO_NEW_EACH(own, entries, size_t, &out->value),
                   NULL);
    write_sorted(W, g, out);
    const mo_block_pattern pattern = {out->count, out->dim, out->start, out->index};
    return mo_front_plan_create(own, &pattern, &out->plan);
}

mo_error mo_pair_pattern_create(const mo_allocator *allocator, const mo_problem *W,
                                mo_pair_pattern *pattern)
{
    lists g = {0};
    *pattern = (mo_pair_pattern){0};
    const mo_error error = make(allocator, W, &g, pattern);
    release(allocator, &g);
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
