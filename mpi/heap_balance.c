/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Distribution of the bodies of a heap.
 *
 * A coarse grid divides the box.  Each cell has an owner, which owns the bodies in it; bodies
 * outside the grid belong to the nearest cell.  If a rank has more than its share of the weight,
 * MatPartitioning (PT-Scotch) of PETSc partitions the graph of the cells anew.  The weight of a
 * cell is the sum over its bodies of 1 plus the number of contacts.
 *
 * Before each step, bodies that have left the cells of their rank migrate with their impulses: they
 * are the points of a DMSwarm with basic migration.  Those that come are sorted in by id.
 */
#include <math.h>
#include <petscdmswarm.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "heap.h"
#include "partition.h"

enum { CELLS = 256 };                  /* a rank, at most */
static const double UNBALANCED = 1.05; /* of the mean: the weight that a rank may have */

/* ---- cells ---------------------------------------------------------------------------------- */

/* As wide as asked for, or wider where there would be too many. */
static mo_heap_grid make_grid(const double low[3], const double high[3], double width, double most)
{
    mo_heap_grid grid = {.low = {low[0], low[1], low[2]}, .width = width};
    for (;; grid.width *= 1.1) {
        double total = 1;
        for (int k = 0; k < 3; ++k) {
            const double side = (high[k] - low[k]) / grid.width + 1;
            grid.n[k] = side < 1 ? 1 : side < 1e6 ? (int)side : 1000000;
            total *= grid.n[k];
        }
        if (total <= most) {
            grid.count = (int)total;
            return grid;
        }
    }
}

int mo_heap_cell_of(const mo_heap_grid *grid, const double at[3], int place[3])
{
    for (int k = 0; k < 3; ++k) {
        const double cell = (at[k] - grid->low[k]) / grid->width;
        place[k] = cell < 0 ? 0 : cell < grid->n[k] ? (int)cell : grid->n[k] - 1;
    }
    return mo_heap_cell_at(grid, place[0], place[1], place[2]);
}

/* The box, up to the highest body, but not to single ones far above the others. */
static mo_heap_grid cover(const mo_heap *heap)
{
    const double box = heap->def.box, low[3] = {-box, -box, 0};
    double sums[2] = {heap->count, 0}, top = 0;
    for (int b = 0; b < heap->count; ++b) {
        sums[1] += fmax(0, heap->own[b].at[2]);
        top = fmax(top, heap->own[b].at[2]);
    }
    MPI_Allreduce(MPI_IN_PLACE, sums, 2, MPI_DOUBLE, MPI_SUM, heap->comm);
    MPI_Allreduce(MPI_IN_PLACE, &top, 1, MPI_DOUBLE, MPI_MAX, heap->comm);
    const double high[3] = {box, box, fmin(top, 4 * sums[1] / sums[0])};
    return make_grid(low, high, 2 * heap->shapes.largest, (double)CELLS * heap->size);
}

/* The weights of all cells; returns the largest of a rank over the mean. */
static double weigh(const mo_heap *heap, const mo_heap_grid *grid, int *weight)
{
    double own = 0, most, all;
    int place[3];
    memset(weight, 0, (size_t)grid->count * sizeof *weight);
    for (int b = 0; b < heap->count; ++b) {
        const int of_body = 1 + (int)heap->own[b].contacts;
        weight[mo_heap_cell_of(grid, heap->own[b].at, place)] += of_body;
        own += of_body;
    }
    MPI_Allreduce(MPI_IN_PLACE, weight, grid->count, MPI_INT, MPI_SUM, heap->comm);
    MPI_Allreduce(&own, &most, 1, MPI_DOUBLE, MPI_MAX, heap->comm);
    MPI_Allreduce(&own, &all, 1, MPI_DOUBLE, MPI_SUM, heap->comm);
    return most * heap->size / all;
}

/* A cell and those that share a side with it. */
static int list_edges(const mo_heap_grid *grid, int cell, mo_edge *edges)
{
    const int *n = grid->n, place[3] = {cell % n[0], cell / n[0] % n[1], cell / n[0] / n[1]};
    const int stride[3] = {1, n[0], n[0] * n[1]};
    int count = 0;
    for (int k = 0; k < 3; ++k) {
        if (place[k] > 0) edges[count++] = (mo_edge){(uint32_t)cell, (uint32_t)(cell - stride[k])};
        if (place[k] < n[k] - 1)
            edges[count++] = (mo_edge){(uint32_t)cell, (uint32_t)(cell + stride[k])};
    }
    return count;
}

/* The owners of all cells, on all ranks. */
static mo_error choose_owners(const mo_heap *heap, const mo_heap_grid *grid, const int *weight,
                              int *owner, mo_message *why)
{
    const mo_home home = mo_home_of(heap->comm, grid->count);
    const int own = (int)(home.last - home.first);
    mo_edge *edges = malloc(6 * ((size_t)own + 1) * sizeof *edges);
    int *counts = malloc(2 * (size_t)heap->size * sizeof *counts), edge_count = 0;
    mo_error error = edges && counts ? MO_OK : mo_fail_memory(why);
    error = mo_mpi_agree(heap->comm, error, why);
    for (int cell = (int)home.first; !error && cell < home.last; ++cell)
        edge_count += list_edges(grid, cell, edges + edge_count);
    error = error ? error
                  : mo_partition(&home, edges, edge_count, weight + home.first, owner + home.first,
                                 why);
    for (int rank = 0; !error && rank < heap->size; ++rank) {
        const int64_t first = home.total * rank / home.size;
        counts[heap->size + rank] = (int)first;
        counts[rank] = (int)(home.total * (rank + 1) / home.size - first);
    }
    if (!error) {
        MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, owner, counts, counts + heap->size,
                       MPI_INT, heap->comm);
    }
    free(edges);
    free(counts);
    return error;
}

mo_error mo_heap_balance(mo_heap *heap, mo_message *why)
{
    const mo_heap_grid grid = cover(heap);
    int *weight = malloc(2 * ((size_t)grid.count + 1) * sizeof *weight);
    mo_error error = mo_mpi_agree(heap->comm, weight ? MO_OK : mo_fail_memory(why), why);
    if (!error && (weigh(heap, &grid, weight) > UNBALANCED || !heap->cell_owner)) {
        int *owner = malloc((size_t)grid.count * sizeof *owner);
        error = mo_mpi_agree(heap->comm, owner ? MO_OK : mo_fail_memory(why), why);
        error = error ? error : choose_owners(heap, &grid, weight, owner, why);
        free(error ? owner : heap->cell_owner);
        if (!error) {
            heap->grid = grid;
            heap->cell_owner = owner;
        }
    }
    free(weight);
    return error;
}

/* ---- migration ------------------------------------------------------------------------------ */

/* Sends the records of a swarm, each to its rank; *records becomes those that come. */
static PetscErrorCode swarm_out(MPI_Comm comm, size_t bytes, int count, const int *rank_of,
                                void **records, int *in_count)
{
    DM swarm = NULL;
    void *at;
    PetscInt *rank, in = 0;
    PetscErrorCode code = DMCreate(comm, &swarm);
    code = code ? code : DMSetType(swarm, DMSWARM);
    code = code ? code : DMSwarmSetType(swarm, DMSWARM_BASIC);
    code = code ? code : DMSwarmInitializeFieldRegister(swarm);
    code = code ? code : DMSwarmRegisterUserStructField(swarm, "record", bytes);
    code = code ? code : DMSwarmFinalizeFieldRegister(swarm);
    code = code ? code : DMSwarmSetLocalSizes(swarm, count, 0);
    code = code ? code : DMSwarmGetField(swarm, "record", NULL, NULL, &at);
    if (!code && count) memcpy(at, *records, bytes * (size_t)count);
    code = code ? code : DMSwarmRestoreField(swarm, "record", NULL, NULL, &at);
    code = code ? code : DMSwarmGetField(swarm, DMSwarmField_rank, NULL, NULL, (void **)&rank);
    for (int k = 0; !code && k < count; ++k)
        rank[k] = rank_of[k];
    code = code ? code : DMSwarmRestoreField(swarm, DMSwarmField_rank, NULL, NULL, (void **)&rank);
    code = code ? code : DMSwarmMigrate(swarm, PETSC_TRUE);
    code = code ? code : DMSwarmGetLocalSize(swarm, &in);
    void *came = code ? NULL : realloc(*records, bytes * ((size_t)in + 1));
    code = code || came ? code : PETSC_ERR_MEM;
    *records = came ? came : *records;
    *in_count = (int)in;
    code = code ? code : DMSwarmGetField(swarm, "record", NULL, NULL, &at);
    if (!code && in) memcpy(came, at, bytes * (size_t)in);
    code = code ? code : DMSwarmRestoreField(swarm, "record", NULL, NULL, &at);
    DMDestroy(&swarm);
    return code;
}

/* Records of which some go to other ranks; those that come are sorted in. */
typedef struct flock {
    size_t bytes;
    void **array;
    int *count;
    int (*order)(const void *, const void *);
} flock;

/* Moves the records that leave from the array to `out`; returns how many stay. */
static int take_out(const mo_heap *heap, const flock *f, const int *rank_of, char *out, int *to)
{
    char *array = *f->array;
    int stay = 0, gone = 0;
    for (int k = 0; k < *f->count; ++k) {
        const char *record = array + f->bytes * (size_t)k;
        if (rank_of[k] == heap->rank) {
            memmove(array + f->bytes * (size_t)stay++, record, f->bytes);
        } else {
            to[gone] = rank_of[k];
            memcpy(out + f->bytes * (size_t)gone++, record, f->bytes);
        }
    }
    return stay;
}

/* Sorted records into an array that is sorted, too, and has room, from behind. */
static void merge(const flock *f, char *array, int count, const char *more, int more_count)
{
    for (int k = count + more_count - 1, i = count - 1, j = more_count - 1; j >= 0; --k) {
        const char *a = array + f->bytes * (size_t)(i < 0 ? 0 : i),
                   *b = more + f->bytes * (size_t)j;
        const int is_old = i >= 0 && f->order(a, b) > 0;
        memcpy(array + f->bytes * (size_t)k, is_old ? a : b, f->bytes);
        i -= is_old;
        j -= !is_old;
    }
}

static mo_error move(const mo_heap *heap, const flock *f, const int *rank_of, mo_message *why)
{
    int leaving = 0, coming = 0, stay = 0;
    for (int k = 0; k < *f->count; ++k)
        leaving += rank_of[k] != heap->rank;
    void *out = malloc(f->bytes * ((size_t)leaving + 1)), *array = NULL;
    int *to = malloc(((size_t)leaving + 1) * sizeof *to);
    mo_error error = mo_mpi_agree(heap->comm, out && to ? MO_OK : mo_fail_memory(why), why);
    if (!error) {
        stay = take_out(heap, f, rank_of, out, to);
        const PetscErrorCode code = swarm_out(heap->comm, f->bytes, leaving, to, &out, &coming);
        array = realloc(*f->array, f->bytes * ((size_t)stay + (size_t)coming + 1));
        *f->array = array ? array : *f->array;
        error = code ? mo_mpi_petsc_error(code, why) : array ? MO_OK : mo_fail_memory(why);
        error = mo_mpi_agree(heap->comm, error, why);
    }
    if (!error) {
        qsort(out, (size_t)coming, f->bytes, f->order);
        merge(f, array, stay, out, coming);
        *f->count = stay + coming;
    }
    free(out);
    free(to);
    return error;
}

/* The rank of each body, and of each impulse.  Returns how many bodies of all ranks leave. */
static int64_t choose_ranks(const mo_heap *heap, int *of_body, int *of_impulse)
{
    int64_t leaving = 0;
    int place[3];
    for (int b = 0; b < heap->count; ++b) {
        of_body[b] = heap->cell_owner[mo_heap_cell_of(&heap->grid, heap->own[b].at, place)];
        leaving += of_body[b] != heap->rank;
    }
    for (int k = 0; k < heap->impulse_count; ++k) {
        const mo_heap_body key = {.id = mo_heap_key_owner(heap->impulse[k].key)},
                           *body = bsearch(&key, heap->own, (size_t)heap->count, sizeof key,
                                           mo_heap_by_id);
        of_impulse[k] = body ? of_body[body - heap->own] : heap->rank;
    }
    MPI_Allreduce(MPI_IN_PLACE, &leaving, 1, MPI_INT64_T, MPI_SUM, heap->comm);
    return leaving;
}

mo_error mo_heap_migrate(mo_heap *heap, mo_message *why)
{
    int *of_body = malloc(((size_t)heap->count + 1) * sizeof *of_body);
    int *of_impulse = malloc(((size_t)heap->impulse_count + 1) * sizeof *of_impulse);
    void *own = heap->own, *impulse = heap->impulse;
    const flock bodies = {sizeof *heap->own, &own, &heap->count, mo_heap_by_id};
    const flock impulses = {sizeof *heap->impulse, &impulse, &heap->impulse_count, mo_heap_by_key};
    mo_error error =
        mo_mpi_agree(heap->comm, of_body && of_impulse ? MO_OK : mo_fail_memory(why), why);
    const int64_t leaving = error ? 0 : choose_ranks(heap, of_body, of_impulse);
    if (leaving) {
        error = move(heap, &bodies, of_body, why);
        error = error ? error : move(heap, &impulses, of_impulse, why);
        heap->own = own;
        heap->impulse = impulse;
        heap->migrated += leaving;
        heap->contacts_are_known = 0;
    }
    for (int b = 0; !error && b < heap->count; ++b)
        heap->own[b].rank = heap->rank;
    free(of_body);
    free(of_impulse);
    return error;
}
