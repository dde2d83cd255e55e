/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Ghosts: copies of bodies that other ranks own.
 *
 * With m the largest motion of a body in the step, two bodies may touch in it if their centres are
 * within 2 m plus their sizes and margins.  Each rank receives the bodies that near to its cells of
 * the coarse grid (heap_balance.c).  A PetscSF has the graph of owners and ghosts.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "heap.h"
#include "linalg/vec3.h"
#include "mail.h"
#include "spread.h"

static const double MARGIN = 0.02; /* of the largest body: margins of two shapes, and rounding */

/* ---- choice of ghosts ------------------------------------------------------------------------ */

/* The other ranks with a cell within a distance of a body; returns how many.  seen[rank] is the
 * body that has found it last. */
static int list_neighbours(const mo_heap *heap, int body, double distance, int *seen, int *ranks)
{
    const double *at = heap->own[body].at;
    const double low[3] = {at[0] - distance, at[1] - distance, at[2] - distance},
                 high[3] = {at[0] + distance, at[1] + distance, at[2] + distance};
    int first[3], last[3], count = 0;
    mo_heap_cell_of(&heap->grid, low, first);
    mo_heap_cell_of(&heap->grid, high, last);
    for (int z = first[2]; z <= last[2]; ++z) {
        for (int y = first[1]; y <= last[1]; ++y) {
            for (int x = first[0]; x <= last[0]; ++x) {
                const int rank = heap->cell_owner[mo_heap_cell_at(&heap->grid, x, y, z)];
                if (rank != heap->rank && seen[rank] != body) {
                    seen[rank] = body;
                    ranks[count++] = rank;
                }
            }
        }
    }
    return count;
}

/* Own bodies that other ranks have as ghosts: how many of each rank, or, with places, which. */
static void visit_ghosts(const mo_heap *heap, double distance, int *seen, int *ranks, int *count,
                         int *sent)
{
    memset(seen, 0xff, (size_t)heap->size * sizeof *seen);
    for (int b = 0; b < heap->count; ++b) {
        const int found = list_neighbours(heap, b, distance, seen, ranks);
        for (int k = 0; k < found; ++k) {
            if (sent) sent[count[ranks[k]]] = b;
            ++count[ranks[k]];
        }
    }
}

/* New memory: own bodies by the ranks that have them as ghosts, and how many of each. */
static int *list_ghosts(const mo_heap *heap, double distance, int *count)
{
    const size_t size = (size_t)heap->size;
    int *seen = malloc(3 * size * sizeof *seen), *ranks = seen + size, *next = ranks + size,
        *sent = NULL, total = 0;
    if (seen) {
        visit_ghosts(heap, distance, seen, ranks, count, NULL);
        for (int rank = 0; rank < heap->size; ++rank) {
            next[rank] = total;
            total += count[rank];
        }
        sent = malloc(((size_t)total + 1) * sizeof *sent);
    }
    if (sent) visit_ghosts(heap, distance, seen, ranks, next, sent);
    free(seen);
    return sent;
}

/* The graph of owners and ghosts, from the places of the latter at the ranks that they come from.
 */
static PetscErrorCode make_graph(mo_heap *heap, const int *place, const int *from)
{
    PetscSFNode *owner;
    PetscErrorCode code = PetscSFDestroy(&heap->ghosts);
    code = code ? code : PetscMalloc1((size_t)heap->ghost_count + 1, &owner);
    if (code) return code;
    for (int rank = 0, k = 0; rank < heap->size; ++rank)
        for (const int end = k + from[rank]; k < end; ++k)
            owner[k] = (PetscSFNode){rank, place[k]};
    code = PetscSFCreate(heap->comm, &heap->ghosts);
    code = code ? code
                : PetscSFSetGraph(heap->ghosts, heap->count, heap->ghost_count, NULL,
                                  PETSC_COPY_VALUES, owner, PETSC_COPY_VALUES);
    code = code ? code : PetscSFSetUp(heap->ghosts);
    PetscFree(owner);
    return code;
}

mo_error mo_heap_send(const mo_heap *heap, size_t bytes, const void *own, void *ghosts)
{
    MPI_Datatype record;
    MPI_Type_contiguous((int)bytes, MPI_BYTE, &record);
    MPI_Type_commit(&record);
    PetscErrorCode code = PetscSFBcastBegin(heap->ghosts, record, own, ghosts, MPI_REPLACE);
    code = code ? code : PetscSFBcastEnd(heap->ghosts, record, own, ghosts, MPI_REPLACE);
    MPI_Type_free(&record);
    return mo_mpi_petsc_error(code, NULL);
}

mo_error mo_heap_least(const mo_heap *heap, const double *ghosts, double *own)
{
    PetscErrorCode code = PetscSFReduceBegin(heap->ghosts, MPI_DOUBLE, ghosts, own, MPI_MIN);
    code = code ? code : PetscSFReduceEnd(heap->ghosts, MPI_DOUBLE, ghosts, own, MPI_MIN);
    return mo_mpi_petsc_error(code, NULL);
}

/* The graph, and the ghosts themselves. */
static mo_error receive_ghosts(mo_heap *heap, const int *place, const int *from)
{
    free(heap->ghost);
    heap->ghost = malloc(((size_t)heap->ghost_count + 1) * sizeof *heap->ghost);
    mo_error error =
        heap->ghost ? mo_mpi_petsc_error(make_graph(heap, place, from), NULL) : MO_ERR_MEMORY;
    error = mo_mpi_agree(heap->comm, error, NULL);
    return error ? error : mo_heap_send(heap, sizeof *heap->own, heap->own, heap->ghost);
}

mo_error mo_heap_find_ghosts(mo_heap *heap, double motion)
{
    const double distance = 2 * motion + (2 + MARGIN) * heap->shapes.largest;
    const size_t size = (size_t)heap->size;
    int *count = calloc(2 * size + 1, sizeof *count), *from = count + size;
    int *sent = count ? list_ghosts(heap, distance, count) : NULL;
    void *place = NULL;
    mo_error error = mo_mpi_agree(heap->comm, sent ? MO_OK : MO_ERR_MEMORY, NULL);
    error = error
                ? error
                : mo_mail(heap->comm, sizeof *sent, count, sent, &place, &heap->ghost_count, from);
    error = error ? error : receive_ghosts(heap, place, from);
    heap->covered = error ? 0 : motion;
    free(count);
    free(sent);
    free(place);
    return error;
}

/* No free motion is faster: gravity adds h g, and a body without moments on it that keeps its
 * angular momentum J w spins by at most |J w| over its least moment of inertia. */
double mo_heap_largest_motion(const mo_heap *heap)
{
    const double h = heap->def.dt;
    double motion = 0;
    for (int b = 0; b < heap->count; ++b) {
        const mo_heap_body *body = heap->own + b;
        const mo_heap_shape *shape = mo_heap_shape_at(heap, body);
        const double way[3] = {body->v[0], body->v[1], fabs(body->v[2]) + h * heap->def.gravity};
        const double spin = shape->is_ball ? 0 : shape->spin_up * mo_vec3_norm(body->spin);
        motion = fmax(motion, h * mo_vec3_norm(way) + fmin(h * spin, 2) * shape->size);
    }
    MPI_Allreduce(MPI_IN_PLACE, &motion, 1, MPI_DOUBLE, MPI_MAX, heap->comm);
    return motion;
}
