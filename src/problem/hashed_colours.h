/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Colours of nodes (manifolds of contacts, joints) in an order that depends on their bodies alone:
 * not on how these are numbered, on how many processes hold them, nor on where they are coloured.
 *
 * A node with a smaller priority comes first, and of two with the same priority (they join the same
 * bodies) the one that is listed first.  Each node in turn gets the lowest colour that no earlier
 * node of its moving bodies has.  What fits no other goes to MO_COLOUR_REST, whose nodes may share
 * bodies and are visited one after the other.
 *
 * Parallel rounds give the same colours (Jones and Plassmann 1993): in a round every node that
 * comes before all other uncoloured nodes of its bodies gets the lowest free colour.  Since
 * priorities are as good as random, some tens of rounds are enough for millions of nodes.
 */
#ifndef MO_PROBLEM_HASHED_COLOURS_H
#define MO_PROBLEM_HASHED_COLOURS_H

#include <stdint.h>

#include "moreau/base.h"
#include "problem/pair_order.h"

/* Nodes by their bodies; one below 0 or from body_count on does not move and bars no colour. */
typedef struct mo_colour_graph {
    int body_count, node_count;
    const int *start; /* bodies of node k: body[start[k]] .. body[start[k + 1]] */
    const int *body;
    const uint32_t *id; /* of each body; NULL: its number, as in one process */
} mo_colour_graph;

/* Of the bodies of a node, of which the first two may come in either order. */
uint64_t mo_node_priority(int count, const int *body, int body_count, const uint32_t *id);

/* One colour for each node.  MO_ERR_MEMORY is the only error. */
mo_error mo_colour_nodes(const mo_allocator *allocator, const mo_colour_graph *graph,
                         uint8_t *colour);

#endif
