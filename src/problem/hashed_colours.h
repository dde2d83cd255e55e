/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Colours of pairs of bodies in an order that depends on the pairs alone: not on how they are
 * numbered, on how many processes hold them, nor on where they are coloured.
 *
 * The order is that of falling urgency: a pair with a smaller priority comes first, and of two with
 * the same priority (they join the same bodies) the one that is listed first.  Each pair in turn
 * gets the lowest colour that no earlier pair of its moving bodies has.  What fits no other goes to
 * MO_COLOUR_REST, whose pairs may share bodies and are visited in this order, one after the other.
 *
 * Parallel rounds give the same colours (Jones and Plassmann 1993): in a round every pair that
 * comes before all other uncoloured pairs of its two bodies gets the lowest free colour.  Since
 * priorities are as good as random, some tens of rounds are enough for millions of pairs.
 */
#ifndef MO_PROBLEM_HASHED_COLOURS_H
#define MO_PROBLEM_HASHED_COLOURS_H

#include <stdint.h>

#include "moreau/base.h"
#include "problem/pair_order.h"

/* Pairs of bodies; a body below 0 or from body_count on does not move and bars no colour. */
typedef struct mo_body_pairs {
    int body_count, pair_count;
    const int (*body)[2]; /* of each pair                                       */
    const uint32_t *id;   /* of each body; NULL: its number, as in one process  */
} mo_body_pairs;

/*
 * One colour for each pair; order (NULL: not wanted) lists the pairs as they were coloured.
 * MO_ERR_MEMORY is the only error.
 */
mo_error mo_colour_pairs(const mo_allocator *allocator, const mo_body_pairs *pairs, uint8_t *colour,
                         int *order);

#endif
