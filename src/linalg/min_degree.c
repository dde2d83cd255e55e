/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Minimum degree on the quotient graph, with approximate degrees [amestoy1996].
 *
 * Eliminating p joins its neighbours into a clique, the element L_p, kept as one list instead of
 * its edges. A block then sees the blocks and the elements around it:
 *
 *   L_p = (blocks around p) u (union of L_e, e around p) \ {p},     those e are absorbed by p
 *   A_i loses what L_p holds, E_i loses what p absorbed and gains p,    for i in L_p
 *   degree(i) <= |A_i| + |L_p \ i| + sum over e in E_i \ p of |L_e \ L_p|
 *
 * with |.| the rows of the blocks in the set.  L_p is the column of p in the factor.  Each i of L_p
 * gives up p or an absorbed element for its new element, so its two lists never outgrow the room of
 * its first neighbours.  Ties go to the block that was touched last; the order depends on the graph
 * alone.
 * Limits: blocks with the same neighbours are not merged, which is slow above a million blocks.
 */
#include "linalg/min_degree.h"
#include "base/pace.h"

#include <limits.h>
#include <stdint.h>
#include <string.h>

enum { NONE = -1 };

typedef struct quotient {
    const mo_graph *graph;
    int *list;              /* neighbours of i: blocks first, then elements, from graph->start[i] */
    int *blocks, *elements; /* how many of each */
    int *degree;            /* rows around i, at most */
    int *head;              /* of the list of blocks with a degree */
    int *next, *before;     /* in that list */
    int *element_start;     /* L_e in `filled`, by element */
    int *element_end;
    int *outside;  /* |L_e \ L_p| while p is eliminated, for elements stamped with p */
    int *seen;     /* the last p whose L_p held this block */
    int *stamp;    /* the last p that examined this element */
    uint8_t *gone; /* eliminated (a block), absorbed (an element) */
    int *filled;
    size_t filled_count, filled_room;
    int most;   /* the largest degree, rows of the whole matrix */
    int lowest; /* no list below this degree holds a block */
} quotient;

enum { GONE = 1, ABSORBED = 2 };

/* ---- lists of blocks by degree --------------------------------------------------------------- */

static void unlink_block(quotient *q, int i)
{
    if (q->before[i] == NONE)
        q->head[q->degree[i]] = q->next[i];
    else
        q->next[q->before[i]] = q->next[i];
    if (q->next[i] != NONE) q->before[q->next[i]] = q->before[i];
}

static void link_block(quotient *q, int i, int degree)
{
    q->degree[i] = degree < q->most ? degree : q->most;
    q->before[i] = NONE;
    q->next[i] = q->head[q->degree[i]];
    if (q->next[i] != NONE) q->before[q->next[i]] = i;
    q->head[q->degree[i]] = i;
    q->lowest = q->degree[i] < q->lowest ? q->degree[i] : q->lowest;
}

static int take_lowest(quotient *q)
{
    while (q->head[q->lowest] == NONE)
        ++q->lowest;
    const int p = q->head[q->lowest];
    unlink_block(q, p);
    q->gone[p] |= GONE;
    return p;
}

/* ---- one elimination ------------------------------------------------------------------------- */

static void gather_block(quotient *q, int p, int i)
{
    if (i != p && q->seen[i] != p && !(q->gone[i] & GONE)) {
        q->seen[i] = p;
        q->filled[q->filled_count++] = i;
    }
}

/* L_p at the end of `filled`; the elements around p are absorbed. */
static int gather(const mo_allocator *own, quotient *q, int p)
{
    const int *list = q->list + q->graph->start[p];
    size_t most = (size_t)q->blocks[p];
    for (int k = 0; k < q->elements[p]; ++k) {
        const int e = list[q->blocks[p] + k];
        most += (size_t)(q->element_end[e] - q->element_start[e]);
    }
    void *filled = q->filled;
    if (q->filled_count + most > INT_MAX ||
        !mo_memory_grow(own, &filled, &q->filled_room, q->filled_count + most, sizeof *q->filled))
        return 0;
    q->filled = filled;
    q->element_start[p] = (int)q->filled_count;
    for (int k = 0; k < q->blocks[p]; ++k)
        gather_block(q, p, list[k]);
    for (int k = 0; k < q->elements[p]; ++k) {
        const int e = list[q->blocks[p] + k];
        for (int j = q->element_start[e]; j < q->element_end[e]; ++j)
            gather_block(q, p, q->filled[j]);
        q->gone[e] |= ABSORBED;
    }
    q->element_end[p] = (int)q->filled_count;
    return 1;
}

static int rows_of_element(const quotient *q, int e)
{
    int rows = 0;
    for (int j = q->element_start[e]; j < q->element_end[e]; ++j)
        rows += q->graph->weight[q->filled[j]];
    return rows;
}

/* outside[e] = |L_e \ L_p| for every element next to a block of L_p. */
static void measure_elements(quotient *q, int p)
{
    for (int j = q->element_start[p]; j < q->element_end[p]; ++j) {
        const int i = q->filled[j];
        const int *elements = q->list + q->graph->start[i] + q->blocks[i];
        for (int k = 0; k < q->elements[i]; ++k) {
            const int e = elements[k];
            if (q->gone[e] & ABSORBED) continue;
            if (q->stamp[e] != p) {
                q->stamp[e] = p;
                q->outside[e] = rows_of_element(q, e);
            }
            q->outside[e] -= q->graph->weight[i];
        }
    }
}

/* The lists of i after the elimination of p, and its degree without the part that L_p adds. */
static int update_lists(quotient *q, int p, int i)
{
    int *list = q->list + q->graph->start[i];
    int blocks = 0, elements = 0, rows = 0;
    for (int k = 0; k < q->blocks[i]; ++k) {
        const int j = list[k];
        if (j != p && q->seen[j] != p) {
            list[blocks++] = j;
            rows += q->graph->weight[j];
        }
    }
    for (int k = 0; k < q->elements[i]; ++k) {
        const int e = list[q->blocks[i] + k];
        if (!(q->gone[e] & ABSORBED)) {
            list[blocks + elements++] = e;
            rows += q->outside[e];
        }
    }
    list[blocks + elements++] = p;
    q->blocks[i] = blocks;
    q->elements[i] = elements;
    return rows;
}

static int eliminate(const mo_allocator *own, quotient *q, int p)
{
    if (!gather(own, q, p)) return 0;
    measure_elements(q, p);
    const int rows = rows_of_element(q, p);
    for (int j = q->element_start[p]; j < q->element_end[p]; ++j) {
        const int i = q->filled[j];
        unlink_block(q, i);
        link_block(q, i, update_lists(q, p, i) + rows - q->graph->weight[i]);
    }
    return 1;
}

/* ---- entry points ---------------------------------------------------------------------------- */

static int make_room(const mo_allocator *own, const mo_graph *graph, quotient *q, int **memory)
{
    const size_t count = (size_t)graph->count, edges = (size_t)graph->start[graph->count];
    q->graph = graph;
    q->most = 0;
    for (int i = 0; i < graph->count; ++i)
        q->most += graph->weight[i];
    int *p = *memory = mo_memory_array(own, edges + 10 * count + (size_t)q->most + 1, sizeof(int));
    q->gone = mo_memory_array(own, count, sizeof *q->gone);
    if (!p || !q->gone) return 0;
    int **const arrays[] = {&q->blocks,        &q->elements,    &q->degree,  &q->next, &q->before,
                            &q->element_start, &q->element_end, &q->outside, &q->seen, &q->stamp};
    for (size_t k = 0; k < sizeof arrays / sizeof arrays[0]; ++k, p += count)
        *arrays[k] = p;
    q->list = p;
    q->head = p + edges;
    return 1;
}

static void begin(quotient *q)
{
    const mo_graph *graph = q->graph;
    if (graph->start[graph->count])
        memcpy(q->list, graph->index, (size_t)graph->start[graph->count] * sizeof(int));
    for (int k = 0; k <= q->most; ++k)
        q->head[k] = NONE;
    memset(q->gone, 0, (size_t)graph->count);
    q->lowest = q->most;
    for (int i = graph->count - 1; i >= 0; --i) { /* the first block ends at the head of its list */
        int rows = 0;
        for (int k = graph->start[i]; k < graph->start[i + 1]; ++k)
            rows += graph->weight[graph->index[k]];
        q->blocks[i] = graph->start[i + 1] - graph->start[i];
        q->elements[i] = 0;
        q->element_start[i] = q->element_end[i] = 0;
        q->seen[i] = q->stamp[i] = NONE;
        link_block(q, i, rows);
    }
}

mo_error mo_min_degree(const mo_allocator *allocator, const mo_graph *graph, mo_elimination *out)
{
    quotient q = {0};
    int *memory = NULL;
    *out = (mo_elimination){0};
    out->order = mo_memory_array(allocator, (size_t)graph->count, sizeof(int));
    out->start = mo_memory_array(allocator, (size_t)graph->count + 1, sizeof(int));
    int fine = make_room(allocator, graph, &q, &memory) && out->order && out->start;
    if (fine) begin(&q);
    for (int k = 0; fine && k < graph->count; ++k) {
        const int p = take_lowest(&q);
        mo_pace_every(k, 32);
        out->order[k] = p;
        out->start[k] = (int)q.filled_count;
        fine = eliminate(allocator, &q, p);
    }
    mo_pace();
    MO_FREE(allocator, memory, q.gone);
    out->filled = q.filled;
    if (!fine) {
        mo_elimination_clear(allocator, out);
        return MO_ERR_MEMORY;
    }
    out->start[graph->count] = (int)q.filled_count;
    return MO_OK;
}

void mo_elimination_clear(const mo_allocator *allocator, mo_elimination *elimination)
{
    MO_FREE(allocator, elimination->order, elimination->start, elimination->filled);
    *elimination = (mo_elimination){0};
}
