/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Colours: constraints of one colour touch no body (or no row of W) in common, so that they can be
 * worked on at the same time without seeing each other.
 */
#ifndef MO_PROBLEM_COLOURING_H
#define MO_PROBLEM_COLOURING_H

#include <stdint.h>

#include "problem/problem_data.h"

/* The last colour takes what fits no other; its constraints may touch each other. */
enum { MO_COLOURS = 64, MO_COLOUR_REST = MO_COLOURS - 1 };

/* The lowest colour that is not among those used, a bit each. */
static inline int mo_colour_free(uint64_t used)
{
    const int colour = ~used ? __builtin_ctzll(~used) : MO_COLOUR_REST;
    return colour < MO_COLOUR_REST ? colour : MO_COLOUR_REST;
}

/*
 * Greedy in the order of the constraints, hence the same for any number of threads.  colour has
 * constraint_count entries; used is scratch of max(body_count, constraint_count) entries.
 */
void mo_colour_constraints(const mo_problem *problem, uint8_t *colour, uint64_t *used);

/*
 * The same for chunks of `size` constraints in a row, which get one colour together: two chunks of
 * one colour share nothing, the constraints inside a chunk may.  Returns the number of colours.
 */
int mo_colour_chunks(const mo_problem *problem, int size, uint8_t *colour, uint64_t *used);

#endif
