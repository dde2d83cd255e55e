/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* A fill-reducing order for the elimination of a symmetric block matrix. */
#ifndef MO_LINALG_MIN_DEGREE_H
#define MO_LINALG_MIN_DEGREE_H

#include "base/memory.h"

/* A graph: the neighbours of i are index[start[i]] .. index[start[i+1]], each once, without i. */
typedef struct mo_graph {
    int count;
    const int *weight; /* rows of each block */
    const int *start, *index;
} mo_graph;

/* The fill of elimination in that order: the blocks below the diagonal, column by column. */
typedef struct mo_elimination {
    int *order;  /* order[k]: the block that is eliminated k-th */
    int *start;  /* of the column of the k-th, count + 1 entries */
    int *filled; /* its blocks: numbers of the graph, none of them eliminated before, in no order */
} mo_elimination;

/* Arrays come from the allocator and belong to the caller (mo_elimination_clear). */
mo_error mo_min_degree(const mo_allocator *allocator, const mo_graph *graph, mo_elimination *out);
void mo_elimination_clear(const mo_allocator *allocator, mo_elimination *elimination);

#endif
