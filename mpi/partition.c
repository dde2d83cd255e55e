/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
#include "partition.h"

#include <petscmat.h>
#include <stdlib.h>

#include "base/error.h"

mo_home mo_home_of(MPI_Comm comm, int64_t total)
{
    mo_home home = {.comm = comm, .total = total};
    MPI_Comm_rank(comm, &home.rank);
    MPI_Comm_size(comm, &home.size);
    home.first = total * home.rank / home.size;
    home.last = total * (home.rank + 1) / home.size;
    return home;
}

int mo_home_rank(const mo_home *home, uint32_t id)
{
    int rank = (int)((int64_t)id * home->size / home->total);
    while (id < home->total * rank / home->size)
        --rank;
    while (id >= home->total * (rank + 1) / home->size)
        ++rank;
    return rank;
}

static int by_bodies(const void *a, const void *b)
{
    const mo_edge *x = a, *y = b;
    const int order = (x->body > y->body) - (x->body < y->body);
    return order ? order : (x->other > y->other) - (x->other < y->other);
}

static int is_new(const mo_edge *edges, int k)
{
    const mo_edge *e = edges + k;
    return e->other != e->body && (k == 0 || by_bodies(e - 1, e) != 0);
}

/* Runs of ids that weigh the same. */
static void deal_runs(const mo_home *home, const int *weight, int *owner)
{
    const int count = (int)(home->last - home->first);
    double own = 0, before = 0, all;
    for (int b = 0; b < count; ++b)
        own += 1 + weight[b];
    MPI_Exscan(&own, &before, 1, MPI_DOUBLE, MPI_SUM, home->comm);
    MPI_Allreduce(&own, &all, 1, MPI_DOUBLE, MPI_SUM, home->comm);
    before = home->rank ? before : 0;
    for (int b = 0; b < count; ++b) {
        const int rank = (int)(before / all * home->size);
        owner[b] = rank < home->size ? rank : home->size - 1;
        before += 1 + weight[b];
    }
}

#ifdef PETSC_HAVE_PTSCOTCH
/* The rows of the graph, which the matrix takes. */
static PetscErrorCode make_graph(const mo_home *home, const mo_edge *edges, int edge_count,
                                 Mat *graph)
{
    const int count = (int)(home->last - home->first);
    PetscInt *start = NULL, *column = NULL, total = 0;
    PetscErrorCode code = PetscMalloc1((size_t)count + 1, &start);
    code = code ? code : PetscMalloc1((size_t)edge_count + 1, &column);
    for (int b = 0, k = 0; b < count && !code; ++b) {
        start[b] = total;
        for (; k < edge_count && edges[k].body == home->first + b; ++k)
            if (is_new(edges, k)) column[total++] = (PetscInt)edges[k].other;
    }
    if (code) {
        PetscFree(start);
        return code;
    }
    start[count] = total;
    return MatCreateMPIAdj(home->comm, count, (PetscInt)home->total, start, column, NULL, graph);
}

static PetscErrorCode divide(const mo_home *home, Mat graph, const int *weight, int *owner)
{
    const int count = (int)(home->last - home->first);
    MatPartitioning partitioning = NULL;
    PetscInt *weights = NULL;
    const PetscInt *rank;
    IS ranks = NULL;
    PetscErrorCode code = PetscMalloc1((size_t)count + 1, &weights);
    for (int b = 0; b < count && !code; ++b)
        weights[b] = 1 + weight[b];
    code = code ? code : MatPartitioningCreate(home->comm, &partitioning);
    code = code ? code : MatPartitioningSetAdjacency(partitioning, graph);
    code = code ? code : MatPartitioningSetType(partitioning, MATPARTITIONINGPTSCOTCH);
    code = code ? code : MatPartitioningSetVertexWeights(partitioning, weights); /* takes them */
    code = code ? code : MatPartitioningSetNParts(partitioning, home->size);
    code = code ? code : MatPartitioningApply(partitioning, &ranks);
    code = code ? code : ISGetIndices(ranks, &rank);
    for (int b = 0; b < count && !code; ++b)
        owner[b] = (int)rank[b];
    code = code ? code : ISRestoreIndices(ranks, &rank);
    ISDestroy(&ranks);
    MatPartitioningDestroy(&partitioning);
    return code;
}

static mo_error deal_graph(const mo_home *home, const mo_edge *edges, int edge_count,
                           const int *weight, int *owner, mo_message *why)
{
    Mat graph = NULL;
    PetscErrorCode code = make_graph(home, edges, edge_count, &graph);
    mo_error error = mo_mpi_agree(home->comm, mo_mpi_petsc_error(code, why), why);
    if (!error) {
        code = divide(home, graph, weight, owner);
        error = mo_mpi_agree(home->comm, mo_mpi_petsc_error(code, why), why);
    }
    MatDestroy(&graph);
    return error;
}
#endif

mo_error mo_partition(const mo_home *home, mo_edge *edges, int edge_count, const int *weight,
                      int *owner, mo_message *why)
{
    int64_t pairs = 0;
    qsort(edges, (size_t)edge_count, sizeof *edges, by_bodies);
    for (int k = 0; k < edge_count; ++k)
        pairs += is_new(edges, k);
    MPI_Allreduce(MPI_IN_PLACE, &pairs, 1, MPI_INT64_T, MPI_SUM, home->comm);
#ifdef PETSC_HAVE_PTSCOTCH
    if (home->size > 1 && home->total >= 2 * home->size && pairs > 0)
        return deal_graph(home, edges, edge_count, weight, owner, why);
#endif
    (void)why;
    deal_runs(home, weight, owner);
    return MO_OK;
}
