/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Ghosts: copies of bodies that other ranks own.
 *
 * With m the largest motion of a body in the step, two bodies may touch in it if their centres are
 * within 2 m plus their sizes and margins.  Each rank receives the bodies that near to its cells of
 * the coarse grid (heap_balance.c).
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "heap.h"
#include "linalg/vec3.h"
#include "mail.h"
#include "spread.h"

static const double MARGIN = 0.02; /* of the largest body: margins of two shapes, and rounding */

/* ---- which ---------------------------------------------------------------------------------- */

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

/* Own bodies that other ranks have as ghosts: how many, or, with places, which. */
static void visit_ghosts(mo_heap *heap, double distance, int *seen, int *ranks, int *next)
{
    memset(seen, 0xff, (size_t)heap->size * sizeof *seen);
    for (int b = 0; b < heap->count; ++b) {
        const int count = list_neighbours(heap, b, distance, seen, ranks);
        for (int k = 0; k < count; ++k) {
            if (next) {
                heap->sent[next[ranks[k]]++] = b;
            } else {
                ++heap->ghosts_for[ranks[k]];
            }
        }
    }
}

/* Lists them by rank, then by id; 0 where memory is short. */
static int list_ghosts(mo_heap *heap, double distance)
{
    const size_t size = (size_t)heap->size;
    int *seen = malloc(3 * size * sizeof *seen), *ranks = seen + size, *next = ranks + size;
    free(heap->sent);
    heap->sent = NULL;
    heap->sent_count = 0;
    memset(heap->ghosts_for, 0, size * sizeof *heap->ghosts_for);
    if (seen) {
        visit_ghosts(heap, distance, seen, ranks, NULL);
        for (int rank = 0; rank < heap->size; ++rank) {
            next[rank] = heap->sent_count;
            heap->sent_count += heap->ghosts_for[rank];
        }
        heap->sent = malloc(((size_t)heap->sent_count + 1) * sizeof *heap->sent);
    }
    if (heap->sent) {
        visit_ghosts(heap, distance, seen, ranks, next);
    }
    free(seen);
    return heap->sent != NULL;
}

mo_error mo_heap_find_ghosts(mo_heap *heap, double motion)
{
    const double distance = 2 * motion + (2 + MARGIN) * heap->shapes.largest;
    void *in = NULL;
    const int is_listed = list_ghosts(heap, distance);
    mo_heap_body *out = is_listed ? malloc(((size_t)heap->sent_count + 1) * sizeof *out) : NULL;
    mo_error error = mo_mpi_agree(heap->comm, out ? MO_OK : MO_ERR_MEMORY, NULL);
    for (int k = 0; !error && k < heap->sent_count; ++k) {
        out[k] = heap->own[heap->sent[k]];
    }
    error = error ? error
                  : mo_mail(heap->comm, sizeof *out, heap->ghosts_for, out, &in, &heap->ghost_count,
                            heap->ghosts_from);
    free(out);
    if (!error) {
        free(heap->ghost);
        heap->ghost = in;
        heap->covered = motion;
    }
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

/* ---- messages ------------------------------------------------------------------------------- */

mo_error mo_heap_send(const mo_heap *heap, size_t bytes, const void *out, void **in)
{
    int count;
    return mo_mail(heap->comm, bytes, heap->ghosts_for, out, in, &count, NULL);
}

mo_error mo_heap_send_back(const mo_heap *heap, size_t bytes, const void *out, void **in)
{
    int count;
    return mo_mail(heap->comm, bytes, heap->ghosts_from, out, in, &count, NULL);
}
