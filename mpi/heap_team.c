/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * What the world of a rank asks of those of the others in a step: sums, the solution of the whole
 * problem, and the state of ghosts.
 *
 * A solution may make bodies faster than was thought.  Then ghosts are found again for the largest
 * motion, before the worlds look for the contacts of such bodies.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "heap.h"
#include "linalg/vec3.h"
#include "mail.h"
#include "spread.h"

static const double MOMENTUM = 10; /* as auto has it */

static int64_t sum(void *user, int64_t count)
{
    const mo_heap *heap = user;
    MPI_Allreduce(MPI_IN_PLACE, &count, 1, MPI_INT64_T, MPI_SUM, heap->comm);
    return count;
}

static double largest(void *user, double value)
{
    mo_heap *heap = user;
    return mo_exact_largest(&heap->exact, value);
}

static mo_error agree(void *user, mo_error error, mo_message *why)
{
    const mo_heap *heap = user;
    return mo_mpi_agree(heap->comm, error, why);
}

/* Records of a name and values; the name comes first. */
static int by_name(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* All of one name get their sum, or the largest. */
static void combine_equals(mo_combine how, int64_t *all, int count, int width)
{
    const size_t stride = (size_t)width + 1;
    qsort(all, (size_t)count, stride * sizeof *all, by_name);
    for (int k = 0, end = 0; k < count; k = end) {
        int64_t *first = all + stride * (size_t)k;
        for (end = k + 1; end < count && all[stride * (size_t)end] == *first; ++end) {
            const int64_t *other = all + stride * (size_t)end;
            for (int i = 1; i <= width; ++i) {
                const int64_t larger = other[i] > first[i] ? other[i] : first[i];
                first[i] = how == MO_COMBINE_SUM ? first[i] + other[i] : larger;
            }
        }
        for (int same = k + 1; same < end; ++same)
            memcpy(all + stride * (size_t)same, first, stride * sizeof *all);
    }
}

static mo_error combine(void *user, mo_combine how, int count, const uint32_t *name, int width,
                        int64_t *value)
{
    const mo_heap *heap = user;
    const size_t stride = (size_t)width + 1, bytes = stride * sizeof *value;
    int64_t *own = malloc(((size_t)count + 1) * bytes);
    void *all = NULL;
    int total = 0;
    mo_error error = mo_mpi_agree(heap->comm, own ? MO_OK : MO_ERR_MEMORY, NULL);
    for (int k = 0; k < count && !error; ++k) {
        own[stride * (size_t)k] = name[k];
        memcpy(own + stride * (size_t)k + 1, value + width * k, bytes - sizeof *own);
    }
    error = error ? error : mo_mail_all(heap->comm, bytes, count, own, &all, &total);
    if (!error) combine_equals(how, all, total, width);
    for (int k = 0; k < count && !error; ++k) {
        const int64_t key = name[k], *found = bsearch(&key, all, (size_t)total, bytes, by_name);
        memcpy(value + width * k, found + 1, bytes - sizeof *own);
    }
    free(own);
    free(all);
    return error;
}

/* ---- the problem ---------------------------------------------------------------------------- */

/* Ids and owners of the bodies of the problem; constraints are numbered rank by rank. */
static mo_error spread_problem(mo_heap *heap, mo_spread **spread, mo_message *why)
{
    const mo_world *world = heap->world;
    const size_t bodies = (size_t)world->problem->body_count + 1,
                 constraints = (size_t)world->problem->constraint_count + 1;
    int *owner = malloc(bodies * sizeof *owner);
    int64_t *name = malloc(constraints * sizeof *name);
    int64_t count = world->problem->constraint_count, before = 0;
    mo_error error = owner && name ? MO_OK : mo_fail_memory(why);
    error = mo_mpi_agree(heap->comm, error, why);
    MPI_Exscan(&count, &before, 1, MPI_INT64_T, MPI_SUM, heap->comm);
    for (int b = 0; b < world->problem->body_count && !error; ++b)
        owner[b] = heap->rank; /* of those that an earlier solve has found untouched */
    for (int k = 0; k < world->living_count && !error; ++k) {
        const int place = world->living[k], block = world->body[place].block;
        if (block != MO_NONE) owner[block] = heap->owner[place];
    }
    for (int k = 0; k < count && !error; ++k)
        name[k] = (heap->rank ? before : 0) + k;
    const mo_spread_map map = {world->problem->body_id, owner, name};
    error = error ? error : mo_spread_borrow(heap->comm, world->problem, &map, spread, why);
    free(owner);
    free(name);
    return error;
}

/* Own bodies that no constraint of any rank touches move freely. */
static void drop_untouched(mo_heap *heap, const mo_spread *spread)
{
    mo_world *world = heap->world;
    for (int b = 0; b < heap->count; ++b) {
        mo_sim_body *body = world->body + heap->place[b];
        if (body->block != MO_NONE && !mo_is_touched(world, body) &&
            spread->holder_count[body->block] == 1)
            body->block = MO_NONE;
    }
}

/* By sweeps: the sums of newton and admm, with which auto goes on, depend on the ranks. */
static mo_error solve(void *user, const mo_options *options)
{
    mo_heap *heap = user;
    mo_spread *spread = NULL;
    mo_result *result = &heap->world->result;
    mo_options own = *options;
    if (mo_uses_auto(heap->world)) {
        own.method = "nsgs";
        own.nsgs.momentum = MOMENTUM;
    }
    mo_error error = mo_heap_solve_whole(heap, options);
    if (error != MO_ERR_UNSUPPORTED) return error;
    error = spread_problem(heap, &spread, &result->message);
    if (!error) {
        heap->colours = mo_spread_colour_count(spread);
        drop_untouched(heap, spread);
        result->is_canonical = 0;
        error = mo_spread_solve(spread, &own, result);
    }
    mo_spread_destroy(spread);
    return error;
}

/* ---- ghosts --------------------------------------------------------------------------------- */

/* Numbers of a body: of those that are one, the least of all copies is taken first. */
static const int NUMBERS[] = {
    [MO_SHARED_START] = 6, [MO_SHARED_VELOCITY] = 6, [MO_SHARED_POSE] = 14,
    [MO_SHARED_PART] = 1,  [MO_SHARED_MARK] = 1,     [MO_SHARED_ISLAND] = 1};
enum { MOST_NUMBERS = 14 };

static void tell(const mo_sim_body *body, mo_shared what, double *to)
{
    switch (what) {
    case MO_SHARED_START:
        memcpy(to, body->start_v, sizeof body->start_v);
        break;
    case MO_SHARED_VELOCITY:
        memcpy(to, body->next_v, sizeof body->next_v);
        break;
    case MO_SHARED_PART:
        *to = body->part;
        break;
    case MO_SHARED_MARK:
        *to = !body->is_displaced;
        break;
    case MO_SHARED_ISLAND:
        *to = body->island;
        break;
    case MO_SHARED_POSE:
        mo_vec3_copy(body->x, to);
        memcpy(to + 3, body->orientation, sizeof body->orientation);
        memcpy(to + 7, body->v, sizeof body->v);
        to[13] = body->is_displaced;
    }
}

static void hear(const double *from, mo_shared what, mo_heap *heap, int place)
{
    mo_sim_body *body = heap->world->body + place;
    switch (what) {
    case MO_SHARED_START:
        memcpy(body->start_v, from, sizeof body->start_v);
        mo_advance_body(heap->world, body, heap->def.dt);
        break;
    case MO_SHARED_VELOCITY:
        memcpy(body->next_v, from, sizeof body->next_v);
        break;
    case MO_SHARED_PART:
        body->part = *from;
        break;
    case MO_SHARED_MARK:
        body->is_displaced = !(*from > 0);
        break;
    case MO_SHARED_ISLAND:
        body->island = (uint32_t)*from;
        break;
    case MO_SHARED_POSE:
        mo_vec3_copy(from, body->x);
        memcpy(body->orientation, from + 3, sizeof body->orientation);
        memcpy(body->v, from + 7, sizeof body->v);
        body->is_displaced = from[13] != 0;
    }
}

/* From the owners to the ghosts. */
static mo_error send(mo_heap *heap, mo_shared what)
{
    const int numbers = NUMBERS[what];
    const size_t width = (size_t)numbers, members = (size_t)heap->count + (size_t)heap->ghost_count;
    double *own = malloc((members * width + MOST_NUMBERS) * sizeof *own),
           *ghost = own + (size_t)heap->count * width;
    mo_error error = mo_mpi_agree(heap->comm, own ? MO_OK : MO_ERR_MEMORY, NULL);
    for (int b = 0; b < heap->count && !error; ++b)
        tell(heap->world->body + heap->place[b], what, own + numbers * b);
    for (int k = 0; k < heap->ghost_count && !error; ++k)
        tell(heap->world->body + heap->ghost_place[k], what, ghost + numbers * k);
    if (numbers == 1 && !error) {
        error = mo_heap_least(heap, ghost, own);
        for (int b = 0; b < heap->count && !error; ++b)
            hear(own + b, what, heap, heap->place[b]);
    }
    error = error ? error : mo_heap_send(heap, width * sizeof *own, own, ghost);
    for (int k = 0; k < heap->ghost_count && !error; ++k)
        hear(ghost + numbers * k, what, heap, heap->ghost_place[k]);
    free(own);
    return error;
}

/* How far a point of an own body may move in the step, as mo_shape_near.motion has it. */
static double motion_of(const mo_heap *heap, const mo_sim_body *body)
{
    const double h = heap->def.dt,
                 size = heap->world->near[body->first_shape].is_central ? 0 : body->size;
    double way[3];
    for (int k = 0; k < 3; ++k)
        way[k] = h * fmax(fabs(body->v[k]), fmax(fabs(body->free_v[k]), fabs(body->next_v[k])));
    const double spin = fmax(mo_vec3_norm(body->v + 3),
                             fmax(mo_vec3_norm(body->free_v + 3), mo_vec3_norm(body->next_v + 3)));
    return mo_vec3_norm(way) + fmin(h * spin, 2) * size;
}

/* More ghosts, where a body is faster than was thought. */
static mo_error widen(mo_heap *heap)
{
    double motion = 0;
    mo_message why;
    for (int b = 0; b < heap->count; ++b)
        motion = fmax(motion, motion_of(heap, heap->world->body + heap->place[b]));
    motion = mo_exact_largest(&heap->exact, motion);
    if (motion <= heap->covered) return MO_OK;
    mo_error error = mo_heap_find_ghosts(heap, motion);
    error = error ? error : mo_mpi_agree(heap->comm, mo_heap_enter(heap, 1, &why), NULL);
    return error ? error : send(heap, MO_SHARED_START); /* which impacts may have changed */
}

/* Is there a body that is held back or displaced? */
static int has_news(mo_heap *heap, mo_shared what)
{
    int count = 0;
    for (int m = 0; m < heap->member_count; ++m) {
        const mo_sim_body *body = heap->world->body + heap->member[m].place;
        count += what == MO_SHARED_PART ? body->part < 1 : body->is_displaced;
    }
    return sum(heap, count) > 0;
}

static mo_error share(void *user, mo_shared what)
{
    mo_heap *heap = user;
    const int may_be_none = what == MO_SHARED_PART || what == MO_SHARED_MARK;
    if (heap->size == 1 || (may_be_none && !has_news(heap, what))) return MO_OK;
    const mo_error error = what == MO_SHARED_VELOCITY ? widen(heap) : MO_OK;
    return error ? error : send(heap, what);
}

mo_team mo_heap_team(mo_heap *heap)
{
    return (mo_team){.user = heap,
                     .sum = sum,
                     .largest = largest,
                     .agree = agree,
                     .solve = solve,
                     .share = share,
                     .combine = combine};
}
