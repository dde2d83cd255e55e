/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
#include "problem/hashed_colours.h"

#include <string.h>

#include "base/memory.h"
#include "base/pace.h"

/* Digits of a priority, the highest last; an insertion sort decides the rest, which is little where
 * no more than some entries have the same digits. */
enum { DIGIT = 256, FIRST_SHIFT = 40, LAST_SHIFT = 56, FEW = 64, SOME = 8 };

typedef struct entry {
    uint64_t priority;
    int node;
} entry;

static int is_moving(int body, int body_count)
{
    return body >= 0 && body < body_count;
}

static uint32_t id_of(int count, const int *body, int k, int body_count, const uint32_t *id)
{
    const int moves = k < count && is_moving(body[k], body_count);
    return !moves ? MO_FIXED_ID : id ? id[body[k]] : (uint32_t)body[k];
}

uint64_t mo_node_priority(int count, const int *body, int body_count, const uint32_t *id)
{
    uint64_t priority = mo_pair_priority(id_of(count, body, 0, body_count, id),
                                         id_of(count, body, 1, body_count, id));
    for (int k = 2; k < count; ++k)
        priority ^= mo_pair_priority(id_of(count, body, k, body_count, id), (uint32_t)priority);
    return priority;
}

/* By one digit; nodes with the same digit stay in their order. */
static void sort_by_digit(int count, int shift, const entry *from, entry *to)
{
    int start[DIGIT + 1] = {0};
    for (int k = 0; k < count; ++k) {
        mo_pace_every(k, 1024);
        ++start[((from[k].priority >> shift) & (DIGIT - 1)) + 1];
    }
    mo_running_sums(DIGIT, start);
    for (int k = 0; k < count; ++k) {
        mo_pace_every(k, 1024);
        to[start[(from[k].priority >> shift) & (DIGIT - 1)]++] = from[k];
    }
}

/* Returns the one of the two arrays that is sorted. */
static const entry *sort_entries(int count, entry *entries, entry *other)
{
    int shift = count > SOME * DIGIT * DIGIT ? FIRST_SHIFT
                : count > SOME * DIGIT       ? FIRST_SHIFT + 8
                                             : LAST_SHIFT;
    for (; count > FEW && shift <= LAST_SHIFT; shift += 8) {
        entry *const sorted = other;
        sort_by_digit(count, shift, entries, sorted);
        other = entries;
        entries = sorted;
    }
    for (int k = 1; k < count; ++k) {
        const entry own = entries[k];
        mo_pace_every(k, 1024);
        int at = k;
        for (; at > 0 && entries[at - 1].priority > own.priority; --at)
            entries[at] = entries[at - 1];
        entries[at] = own;
    }
    return entries;
}

/* used[b]: the colours that touch body b, a bit each. */
static int colour_of(const mo_colour_graph *g, int node, uint64_t *used)
{
    uint64_t taken = 0;
    for (int k = g->start[node]; k < g->start[node + 1]; ++k)
        taken |= is_moving(g->body[k], g->body_count) ? used[g->body[k]] : 0;
    const int colour = mo_colour_free(taken);
    for (int k = g->start[node]; k < g->start[node + 1]; ++k)
        if (is_moving(g->body[k], g->body_count)) used[g->body[k]] |= UINT64_C(1) << colour;
    return colour;
}

static void colour_all(const mo_colour_graph *g, entry *entries, entry *other, uint64_t *used,
                       uint8_t *colour)
{
    for (int k = 0; k < g->node_count; ++k) {
        const int *body = g->body + g->start[k];
        mo_pace_every(k, 512);
        entries[k] =
            (entry){mo_node_priority(g->start[k + 1] - g->start[k], body, g->body_count, g->id), k};
    }
    const entry *sorted = sort_entries(g->node_count, entries, other);
    memset(used, 0, (size_t)g->body_count * sizeof *used);
    for (int k = 0; k < g->node_count; ++k) {
        mo_pace_every(k, 512);
        colour[sorted[k].node] = (uint8_t)colour_of(g, sorted[k].node, used);
    }
}

mo_error mo_colour_nodes(const mo_allocator *own, const mo_colour_graph *graph, uint8_t *colour)
{
    const size_t count = (size_t)graph->node_count;
    entry *entries = mo_memory_array(own, 2 * count, sizeof *entries);
    uint64_t *used = mo_memory_array(own, (size_t)graph->body_count, sizeof *used);
    const mo_error error = entries && used ? MO_OK : MO_ERR_MEMORY;
    if (!error) colour_all(graph, entries, entries + count, used, colour);
    MO_FREE(own, entries, used);
    return error;
}
