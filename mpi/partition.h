/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* Owners of bodies or cells, from the graph of the neighbours. */
#ifndef MOREAU_MPI_PARTITION_H
#define MOREAU_MPI_PARTITION_H

#include "spread.h"

/* Two bodies of a constraint, the first one at home; a constraint of one body names it twice. */
typedef struct mo_edge {
    uint32_t body, other;
} mo_edge;

/* Ids first .. last are at home on this rank. */
typedef struct mo_home {
    MPI_Comm comm;
    int rank, size;
    int64_t total, first, last;
} mo_home;

mo_home mo_home_of(MPI_Comm comm, int64_t total);
int mo_home_rank(const mo_home *home, uint32_t id);

/*
 * The owner of each body at home, which has 1 plus this weight.  Edges are sorted.  PT-Scotch by
 * PETSc, or runs of ids with equal weights where PETSc lacks it or there are fewer bodies than
 * ranks.
 */
mo_error mo_partition(const mo_home *home, mo_edge *edges, int edge_count, const int *weight,
                      int *owner, mo_message *why);

#endif
