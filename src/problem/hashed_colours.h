/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Colouring of nodes (manifolds of contacts, joints) in an order that depends on their bodies
 * alone, not on numbering, number of processes or device.
 *
 * A node with a smaller priority comes first; of two nodes with the same priority (between the same
 * bodies), the one listed first.  Each node gets the lowest colour that no earlier node of its
 * moving bodies has.  Nodes that fit no other colour get MO_COLOUR_REST; these may share bodies and
 * are visited sequentially.
 *
 * Parallel rounds give the same colours (Jones and Plassmann 1993): in a round, every node that
 * precedes all other uncoloured nodes of its bodies gets the lowest free colour.  Priorities are
 * pseudo-random, so some tens of rounds are enough for millions of nodes.
 */
#ifndef MO_PROBLEM_HASHED_COLOURS_H
#define MO_PROBLEM_HASHED_COLOURS_H

#include <stdint.h>

#include "moreau/base.h"
#include "problem/pair_order.h"

/* Nodes by their bodies; one below 0 or from body_count on does not move and excludes no colour. */
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
