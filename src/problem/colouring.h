/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Colouring: constraints of one colour share no body (or no row of W), so they can be processed in
 * parallel.
 */
#ifndef MO_PROBLEM_COLOURING_H
#define MO_PROBLEM_COLOURING_H

#include <stdint.h>

#include "problem/pair_order.h"
#include "problem/problem_data.h"

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
