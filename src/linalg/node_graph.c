/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
#include "linalg/node_graph.h"
#include "base/memory.h"

#include <string.h>

enum { NONE = -1 };

/* Work arrays, each with an entry for each block unless said. */
typedef struct joining {
    const mo_block_pattern *pattern;
    int *start, *index; /* the symmetric graph of blocks: count + 1, and twice the entries */
    int *next;          /* count + 1 */
    int *seen;
    uint32_t *hash;
    int *head, *chain; /* first blocks of nodes by hash */
    int *first;        /* block of each node */
    int node_count;
} joining;

void mo_list_neighbours(const mo_block_pattern *p, int *start, int *index, int *next, int *seen)
{
    memset(next, 0, ((size_t)p->count + 1) * sizeof(int));
    for (int i = 0; i < p->count; ++i) {
        for (int k = p->start[i]; k < p->start[i + 1]; ++k) {
            next[i + 1] += p->index[k] != i;
            next[p->index[k] + 1] += p->index[k] != i;
        }
    }
    mo_running_sums(p->count, next);
    memcpy(start, next, ((size_t)p->count + 1) * sizeof(int));
    for (int i = 0; i < p->count; ++i) {
        for (int k = p->start[i]; k < p->start[i + 1]; ++k) {
            const int j = p->index[k];
            if (j != i) {
                index[next[i]++] = j;
                index[next[j]++] = i;
            }
        }
        seen[i] = NONE;
    }
    int kept = 0, from = 0;
    for (int i = 0; i < p->count; ++i) { /* removes duplicates */
        const int end = start[i + 1];
        start[i] = kept;
        for (; from < end; ++from) {
            if (seen[index[from]] != i) {
                seen[index[from]] = i;
                index[kept++] = index[from];
            }
        }
    }
    start[p->count] = kept;
}

/* A number that depends on i and its neighbours as a set. */
static uint32_t hash_of(const joining *g, int i)
{
    uint32_t sum = ((uint32_t)i + 1) * 2654435761u;
    for (int k = g->start[i]; k < g->start[i + 1]; ++k)
        sum += ((uint32_t)g->index[k] + 1) * 2654435761u;
    return sum;
}

static bool is_twin(const joining *g, int i, int other)
{
    bool same = g->hash[i] == g->hash[other] && g->seen[other] == i &&
                g->start[i + 1] - g->start[i] == g->start[other + 1] - g->start[other];
    for (int k = g->start[other]; same && k < g->start[other + 1]; ++k)
        same = g->seen[g->index[k]] == i;
    return same;
}

static void join(joining *g, int *node)
{
    const int count = g->pattern->count;
    for (int i = 0; i < count; ++i)
        g->head[i] = g->seen[i] = NONE;
    for (int i = 0; i < count; ++i) {
        g->seen[i] = i;
        for (int k = g->start[i]; k < g->start[i + 1]; ++k)
            g->seen[g->index[k]] = i;
        g->hash[i] = hash_of(g, i);
        int *list = g->head + g->hash[i] % (uint32_t)count, twin = *list;
        while (twin != NONE && !is_twin(g, i, twin))
            twin = g->chain[twin];
        if (twin != NONE) {
            node[i] = node[twin];
        } else {
            node[i] = g->node_count;
            g->first[g->node_count++] = i;
            g->chain[i] = *list;
            *list = i;
        }
    }
}

/* The neighbours of a node are the nodes around its first block. */
static void list_nodes(joining *g, const int *node, int *weight, int *start, int *index)
{
    int kept = 0;
    for (int k = 0; k < g->node_count; ++k) {
        weight[k] = 0;
        g->seen[k] = NONE;
    }
    for (int i = 0; i < g->pattern->count; ++i)
        weight[node[i]] += g->pattern->dim[i];
    for (int k = 0; k < g->node_count; ++k) {
        const int from = g->start[g->first[k]], end = g->start[g->first[k] + 1];
        start[k] = kept;
        g->seen[k] = k;
        for (int e = from; e < end; ++e) {
            const int other = node[g->index[e]];
            if (g->seen[other] != k) {
                g->seen[other] = k;
                index[kept++] = other;
            }
        }
    }
    start[g->node_count] = kept;
}

mo_error mo_node_graph_create(const mo_allocator *allocator, const mo_block_pattern *pattern,
                              mo_node_graph *out)
{
    const size_t count = (size_t)pattern->count, entries = (size_t)pattern->start[pattern->count];
    const size_t scratch = 7 * count + 2 + 2 * entries, kept = 3 * count + 1 + 2 * entries;
    int *work = mo_memory_array(allocator, scratch, sizeof(int));
    *out = (mo_node_graph){.memory = mo_memory_array(allocator, kept, sizeof(int))};
    if (!work || !out->memory) {
        mo_memory_free(allocator, work);
        mo_node_graph_clear(allocator, out);
        return MO_ERR_MEMORY;
    }
    joining g = {pattern, work, work + 2 * count + 2, work + count + 1, NULL, NULL, NULL, NULL,
                 NULL,    0};
    g.seen = g.index + 2 * entries;
    g.hash = (uint32_t *)(g.seen + count);
    g.head = g.seen + 2 * count;
    g.chain = g.seen + 3 * count;
    g.first = g.seen + 4 * count;
    int *weight = out->memory + count, *start = weight + count, *index = start + count + 1;
    out->node = out->memory;
    mo_list_neighbours(pattern, g.start, g.index, g.next, g.seen);
    join(&g, out->node);
    list_nodes(&g, out->node, weight, start, index);
    out->graph = (mo_graph){g.node_count, weight, start, index};
    mo_memory_free(allocator, work);
    return MO_OK;
}

void mo_node_graph_clear(const mo_allocator *allocator, mo_node_graph *graph)
{
    mo_memory_free(allocator, graph->memory);
    *graph = (mo_node_graph){0};
}
