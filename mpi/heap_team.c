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
#include "spread.h"

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
    for (int b = 0; b < world->problem->body_count && !error; ++b) {
        owner[b] = heap->rank; /* of those that an earlier solve has found untouched */
    }
    for (int k = 0; k < world->living_count && !error; ++k) {
        const int place = world->living[k], block = world->body[place].block;
        if (block != MO_NONE) {
            owner[block] = heap->owner[place];
        }
    }
    for (int k = 0; k < count && !error; ++k) {
        name[k] = (heap->rank ? before : 0) + k;
    }
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
            spread->holder_count[body->block] == 1) {
            body->block = MO_NONE;
        }
    }
}

static mo_error solve(void *user, const mo_options *options)
{
    mo_heap *heap = user;
    mo_spread *spread = NULL;
    mo_result *result = &heap->world->result;
    mo_error error = mo_heap_solve_whole(heap, options);
    if (error != MO_ERR_UNSUPPORTED) {
        return error;
    }
    error = spread_problem(heap, &spread, &result->message);
    if (!error) {
        heap->colours = mo_spread_colour_count(spread);
        drop_untouched(heap, spread);
        error = mo_spread_solve(spread, options, result);
    }
    mo_spread_destroy(spread);
    return error;
}

/* ---- ghosts --------------------------------------------------------------------------------- */

/* What is sent of a body. */
typedef struct news {
    double x[3], orientation[4], v[6]; /* v: next_v, or v */
    double part;
    int is_displaced, unused;
} news;

static void tell(const mo_sim_body *body, mo_shared what, news *to)
{
    const int is_pose = what == MO_SHARED_POSE;
    *to = (news){.part = body->part, .is_displaced = body->is_displaced};
    memcpy(to->v, is_pose ? body->v : body->next_v, sizeof to->v);
    mo_vec3_copy(body->x, to->x);
    memcpy(to->orientation, body->orientation, sizeof to->orientation);
}

static void hear(const news *from, mo_shared what, mo_sim_body *body)
{
    if (what == MO_SHARED_VELOCITY) {
        memcpy(body->next_v, from->v, sizeof body->next_v);
    } else if (what == MO_SHARED_PART) {
        body->part = fmin(body->part, from->part);
    } else if (what == MO_SHARED_MARK) {
        body->is_displaced |= from->is_displaced;
    } else {
        mo_vec3_copy(from->x, body->x);
        memcpy(body->orientation, from->orientation, sizeof body->orientation);
        memcpy(body->v, from->v, sizeof body->v);
        body->is_displaced = from->is_displaced;
    }
}

/* From the owners to the ghosts, or back. */
static mo_error send(mo_heap *heap, mo_shared what, int goes_back)
{
    const int out_count = goes_back ? heap->ghost_count : heap->sent_count,
              in_count = goes_back ? heap->sent_count : heap->ghost_count;
    mo_sim_body *body = heap->world->body;
    news *out = malloc(((size_t)out_count + 1) * sizeof *out);
    void *in = NULL;
    mo_error error = mo_mpi_agree(heap->comm, out ? MO_OK : MO_ERR_MEMORY, NULL);
    for (int k = 0; k < out_count && !error; ++k) {
        tell(body + (goes_back ? heap->ghost_place[k] : heap->place[heap->sent[k]]), what, out + k);
    }
    error = error       ? error
            : goes_back ? mo_heap_send_back(heap, sizeof *out, out, &in)
                        : mo_heap_send(heap, sizeof *out, out, &in);
    for (int k = 0; k < in_count && !error; ++k) {
        hear((const news *)in + k, what,
             body + (goes_back ? heap->place[heap->sent[k]] : heap->ghost_place[k]));
    }
    free(out);
    free(in);
    return error;
}

/* How far a point of an own body may move in the step, as mo_shape_near.motion has it. */
static double motion_of(const mo_heap *heap, const mo_sim_body *body)
{
    const double h = heap->def.dt,
                 size = heap->world->near[body->first_shape].is_central ? 0 : body->size;
    double way[3];
    for (int k = 0; k < 3; ++k) {
        way[k] = h * fmax(fabs(body->v[k]), fmax(fabs(body->free_v[k]), fabs(body->next_v[k])));
    }
    const double spin = fmax(mo_vec3_norm(body->v + 3),
                             fmax(mo_vec3_norm(body->free_v + 3), mo_vec3_norm(body->next_v + 3)));
    return mo_vec3_norm(way) + fmin(h * spin, 2) * size;
}

/* More ghosts, where a body is faster than was thought. */
static mo_error widen(mo_heap *heap)
{
    double motion = 0;
    mo_message why;
    for (int b = 0; b < heap->count; ++b) {
        motion = fmax(motion, motion_of(heap, heap->world->body + heap->place[b]));
    }
    motion = mo_exact_largest(&heap->exact, motion);
    if (motion <= heap->covered) {
        return MO_OK;
    }
    const mo_error error = mo_heap_find_ghosts(heap, motion);
    return error ? error : mo_mpi_agree(heap->comm, mo_heap_enter(heap, 1, &why), NULL);
}

static int has_news(const mo_heap *heap, mo_shared what)
{
    int count = 0;
    for (int m = 0; m < heap->member_count; ++m) {
        const mo_sim_body *body = heap->world->body + heap->member[m].place;
        count += what == MO_SHARED_PART ? body->part < 1 : body->is_displaced;
    }
    MPI_Allreduce(MPI_IN_PLACE, &count, 1, MPI_INT, MPI_SUM, heap->comm);
    return count > 0;
}

static mo_error share(void *user, mo_shared what)
{
    mo_heap *heap = user;
    mo_error error = MO_OK;
    if (heap->size == 1) {
        return MO_OK;
    }
    if (what == MO_SHARED_VELOCITY) {
        error = widen(heap);
    } else if (what != MO_SHARED_POSE) {
        if (!has_news(heap, what)) {
            return MO_OK;
        }
        error = send(heap, what, 1);
    }
    return error ? error : send(heap, what, 0);
}

mo_team mo_heap_team(mo_heap *heap)
{
    return (mo_team){.user = heap,
                     .sum = sum,
                     .largest = largest,
                     .agree = agree,
                     .solve = solve,
                     .share = share};
}
