/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Islands: the connected parts of a problem.  Two constraints belong together where a chain of
 * bodies and constraints leads from one to the other; what is fixed is no body, and cuts the chain,
 * and so does a block of zeros.  Each island is a problem of its own: the solutions of all of them,
 * put side by side, are the solution of the whole.
 */
#ifndef MO_PROBLEM_ISLANDS_H
#define MO_PROBLEM_ISLANDS_H

#include "problem/problem_data.h"

typedef struct mo_islands {
    int count;
    int *start; /* constraints of island k: member[start[k]] .. member[start[k+1] - 1] */
    /* rising within an island; the islands by falling size, then by their first member */
    int *member;
    int *island; /* of each constraint */
} mo_islands;

/* Takes time and memory in proportion to the blocks.  A constraint that touches nothing is an
 * island. */
mo_error mo_islands_find(const mo_problem *problem, mo_islands *islands);
void mo_islands_clear(const mo_allocator *allocator, mo_islands *islands);

/*
 * Island k as a problem of its own, its constraints in the order of their numbers.  `local` is
 * scratch of the length that mo_islands_scratch tells, and is left as it was found: all -1.
 */
size_t mo_islands_scratch(const mo_problem *problem);
mo_error mo_islands_extract(const mo_problem *problem, const mo_islands *islands, int k, int *local,
                            mo_problem **out);

#endif
