/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Islands: the connected components of a problem.  Two constraints are connected if a chain of
 * bodies and constraints leads from one to the other; static bodies and zero blocks do not
 * connect.  Each island is an independent problem, and the solutions of all islands together solve
 * the whole.
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

/* Takes time and memory in proportion to the blocks.  A lone constraint is an island. */
mo_error mo_islands_find(const mo_problem *problem, mo_islands *islands);
void mo_islands_clear(const mo_allocator *allocator, mo_islands *islands);

/* Island k as a separate problem, its constraints in the order of their numbers.  `local` is
 * scratch of the length mo_islands_scratch, all -1 before and after. */
size_t mo_islands_scratch(const mo_problem *problem);
mo_error mo_islands_extract(const mo_problem *problem, const mo_islands *islands, int k, int *local,
                            mo_problem **out);

#endif
