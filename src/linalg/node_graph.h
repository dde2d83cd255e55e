/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * The graph of a block pattern, in which blocks with the same neighbours are merged into nodes.
 *
 * Such blocks (contacts between the same two bodies) can be eliminated consecutively in any good
 * order.  Merging them reduces the cost of finding that order by the square of their number.
 */
#ifndef MO_LINALG_NODE_GRAPH_H
#define MO_LINALG_NODE_GRAPH_H

#include "linalg/front.h"
#include "linalg/min_degree.h"

typedef struct mo_node_graph {
    mo_graph graph; /* of the nodes */
    int *node;      /* of each block; nodes in the order of their first block */
    int *memory;
} mo_node_graph;

/* The neighbours of each block, those of (i, j) and of (j, i), each once and without itself: start
 * has count + 1 numbers, index room for twice the entries; next, as start, and seen are scratch. */
void mo_list_neighbours(const mo_block_pattern *pattern, int *start, int *index, int *next,
                        int *seen);

mo_error mo_node_graph_create(const mo_allocator *allocator, const mo_block_pattern *pattern,
                              mo_node_graph *out);
void mo_node_graph_clear(const mo_allocator *allocator, mo_node_graph *graph);

#endif
