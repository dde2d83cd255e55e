/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Recursive coordinate bisection: a group of ranks and its bodies is divided across its longest
 * side into parts of equal weight per rank, until each group is one rank.  The weight of a body is
 * 1 plus the number of its contacts.  All groups of a level are divided together: a cut is found by
 * bisection, with a sum over all ranks in each step.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "heap.h"
#include "mail.h"
#include "spread.h"

enum { BISECTIONS = 30 }; /* of a side: a cut is exact to 1e-9 of it */

/* ---- bisection ------------------------------------------------------------------------------ */

/* A group: the ranks first .. first + count. */
typedef struct group {
    int first, count;
    int axis;
    double low, high; /* between which the cut lies */
    double goal;      /* weight below the cut       */
} group;

typedef struct cutter {
    mo_heap *heap;
    int *group_of; /* of each body */
    group *groups;
    int group_count;
    double *sum, *box; /* a number, and six, of each group */
} cutter;

static double weight_of(const mo_heap *heap, int body)
{
    return 1 + heap->contacts_of[body];
}

/* The longest side of each group, and its weight. */
static void measure_groups(cutter *c)
{
    const mo_heap *heap = c->heap;
    for (int g = 0; g < c->group_count; ++g) {
        c->sum[g] = 0;
        for (int k = 0; k < 6; ++k) { /* lower bounds, and upper ones with a minus */
            c->box[6 * g + k] = INFINITY;
        }
    }
    for (int b = 0; b < heap->count; ++b) {
        double *box = c->box + 6 * c->group_of[b];
        c->sum[c->group_of[b]] += weight_of(heap, b);
        for (int k = 0; k < 3; ++k) {
            box[k] = fmin(box[k], heap->own[b].at[k]);
            box[3 + k] = fmin(box[3 + k], -heap->own[b].at[k]);
        }
    }
    MPI_Allreduce(MPI_IN_PLACE, c->sum, c->group_count, MPI_DOUBLE, MPI_SUM, heap->comm);
    MPI_Allreduce(MPI_IN_PLACE, c->box, 6 * c->group_count, MPI_DOUBLE, MPI_MIN, heap->comm);
    for (int g = 0; g < c->group_count; ++g) {
        group *own = c->groups + g;
        const double *box = c->box + 6 * g;
        own->axis = 0;
        for (int k = 1; k < 3; ++k) {
            own->axis = -box[3 + k] - box[k] > -box[3 + own->axis] - box[own->axis] ? k : own->axis;
        }
        own->low = box[own->axis];
        own->high = -box[3 + own->axis];
        own->goal = c->sum[g] * (own->count / 2) / own->count;
    }
}

static void weigh_below(cutter *c)
{
    const mo_heap *heap = c->heap;
    memset(c->sum, 0, (size_t)c->group_count * sizeof *c->sum);
    for (int b = 0; b < heap->count; ++b) {
        const group *own = c->groups + c->group_of[b];
        if (heap->own[b].at[own->axis] < 0.5 * (own->low + own->high)) {
            c->sum[c->group_of[b]] += weight_of(heap, b);
        }
    }
    MPI_Allreduce(MPI_IN_PLACE, c->sum, c->group_count, MPI_DOUBLE, MPI_SUM, heap->comm);
    for (int g = 0; g < c->group_count; ++g) {
        group *own = c->groups + g;
        const double middle = 0.5 * (own->low + own->high);
        if (c->sum[g] < own->goal) {
            own->low = middle;
        } else {
            own->high = middle;
        }
    }
}

/* Each group becomes two, the second where a body lies above the cut; groups of one rank stay. */
static void split_groups(cutter *c, group *next)
{
    for (int b = 0; b < c->heap->count; ++b) {
        const group *own = c->groups + c->group_of[b];
        const int is_above = own->count > 1 && c->heap->own[b].at[own->axis] >= own->high;
        c->group_of[b] = 2 * c->group_of[b] + is_above;
    }
    for (int g = 0; g < c->group_count; ++g) {
        const group *own = c->groups + g;
        const int below = own->count > 1 ? own->count / 2 : own->count;
        next[2 * g] = (group){.first = own->first, .count = below};
        next[2 * g + 1] = (group){.first = own->first + below, .count = own->count - below};
    }
    c->group_count *= 2;
    memcpy(c->groups, next, (size_t)c->group_count * sizeof *next);
}

/* The rank of each own body. */
static mo_error choose_ranks(mo_heap *heap, int *rank_of)
{
    int levels = 0;
    while (1 << levels < heap->size) {
        ++levels;
    }
    const size_t most = (size_t)1 << levels;
    cutter c = {.heap = heap,
                .group_of = rank_of,
                .groups = calloc(most, sizeof *c.groups),
                .group_count = 1,
                .sum = malloc(most * sizeof *c.sum),
                .box = malloc(6 * most * sizeof *c.box)};
    group *next = calloc(most, sizeof *next);
    const mo_error error =
        mo_mpi_agree(heap->comm, c.groups && c.sum && c.box && next ? MO_OK : MO_ERR_MEMORY, NULL);
    if (!error) {
        c.groups[0] = (group){.first = 0, .count = heap->size};
        memset(rank_of, 0, (size_t)heap->count * sizeof *rank_of);
        for (int level = 0; level < levels; ++level) {
            measure_groups(&c);
            for (int k = 0; k < BISECTIONS; ++k) {
                weigh_below(&c);
            }
            split_groups(&c, next);
        }
        for (int b = 0; b < heap->count; ++b) {
            rank_of[b] = c.groups[rank_of[b]].first;
        }
    }
    free(c.groups);
    free(c.sum);
    free(c.box);
    free(next);
    return error;
}

/* ---- migration ------------------------------------------------------------------------------ */

/* An impulse goes where the body with its lower id goes. */
static void follow_bodies(const mo_heap *heap, const int *rank_of, int *rank_of_impulse)
{
    int b = 0;
    for (int k = 0; k < heap->impulse_count; ++k) {
        const uint32_t id = (uint32_t)(heap->impulse[k].key >> 32);
        while (b < heap->count - 1 && heap->own[b].id < id) {
            ++b;
        }
        rank_of_impulse[k] = rank_of[b];
    }
}

/* Sends elements to the ranks named; *array becomes those that come. */
static mo_error move(mo_heap *heap, size_t bytes, const int *rank_of, void **array, int *count)
{
    void *in;
    int in_count;
    const mo_error error =
        mo_mail_to(heap->comm, bytes, *count, rank_of, *array, &in, &in_count, NULL);
    if (!error) {
        free(*array);
        *array = in;
        *count = in_count;
    }
    return error;
}

static mo_error migrate(mo_heap *heap, const int *rank_of, int *rank_of_impulse)
{
    void *bodies = heap->own, *impulses = heap->impulse;
    follow_bodies(heap, rank_of, rank_of_impulse);
    for (int b = 0; b < heap->count; ++b) {
        heap->migrated += rank_of[b] != heap->rank;
        heap->own[b].rank = heap->contacts_of[b];
    }
    mo_error error = move(heap, sizeof *heap->own, rank_of, &bodies, &heap->count);
    error =
        error ? error
              : move(heap, sizeof *heap->impulse, rank_of_impulse, &impulses, &heap->impulse_count);
    heap->own = bodies;
    heap->impulse = impulses;
    if (!error) {
        qsort(heap->own, (size_t)heap->count, sizeof *heap->own, mo_heap_by_id);
        qsort(heap->impulse, (size_t)heap->impulse_count, sizeof *heap->impulse, mo_heap_by_key);
    }
    return error;
}

mo_error mo_heap_balance(mo_heap *heap, mo_message *why)
{
    int *rank_of = malloc(((size_t)heap->count + 1) * sizeof *rank_of);
    int *rank_of_impulse = malloc(((size_t)heap->impulse_count + 1) * sizeof *rank_of_impulse);
    mo_error error =
        mo_mpi_agree(heap->comm, rank_of && rank_of_impulse ? MO_OK : MO_ERR_MEMORY, NULL);
    error = error ? error : choose_ranks(heap, rank_of);
    error = error ? error : migrate(heap, rank_of, rank_of_impulse);
    free(rank_of);
    free(rank_of_impulse);
    if (!error) {
        int *contacts = realloc(heap->contacts_of, ((size_t)heap->count + 1) * sizeof *contacts);
        heap->contacts_of = contacts ? contacts : heap->contacts_of;
        error = mo_mpi_agree(heap->comm, contacts ? MO_OK : MO_ERR_MEMORY, NULL);
        for (int b = 0; !error && b < heap->count; ++b) {
            heap->contacts_of[b] = heap->own[b].rank;
            heap->own[b].rank = heap->rank;
        }
    }
    return error ? mo_fail(why, error, "bodies could not be dealt anew: %s", mo_error_text(error))
                 : MO_OK;
}
