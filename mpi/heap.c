/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
#include "heap.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "linalg/vec3.h"
#include "scenes/rng.h"
#include "spread.h"

enum { MOST_BODIES = 500000000 };

mo_heap_def mo_default_heap(int count)
{
    const int many = 2000, huge = 50000; /* as in the scene beads */
    return (mo_heap_def){.count = count,
                         .radius = 0.1,
                         .density = 1000,
                         .mu = 0.3,
                         .gravity = 9.81,
                         .dt = 0.01,
                         .tol = count > huge   ? 2e-2
                                : count > many ? 2e-3
                                               : 1e-3,
                         .max_iter = 10000,
                         .balance = 20,
                         .seed = 1};
}

static mo_error check_def(const mo_heap_def *d, mo_message *why)
{
    const int is_fine =
        d->count >= 1 && d->count <= MOST_BODIES && d->radius > 0 && d->density > 0 && d->mu >= 0 &&
        isfinite(d->mu) && d->dt > 0 && d->tol > 0 && d->tol < 1 && d->max_iter > 0 &&
        d->balance > 0 && d->gravity >= 0 && d->box >= 0 && isfinite(d->gravity + d->dt + d->box) &&
        isfinite(d->radius * d->density) && d->shape >= 0 && d->shape < MO_HEAP_KIND_COUNT &&
        d->boxes >= 0 && d->restitution >= 0 && d->restitution <= 1;
    return is_fine
               ? MO_OK
               : mo_fail(why, MO_ERR_ARGUMENT,
                         "a heap has 1 to %d bodies of a known shape, a positive radius, density, "
                         "step and tolerance, friction from 0 on and restitution from 0 to 1",
                         MOST_BODIES);
}

/* The distance of bodies on the grid. */
static double cell_of(const mo_heap_def *d)
{
    return (d->is_turned ? 3.2 : 2.2) * d->radius;
}

/* As in the scene heap: on a loose grid, turned at random. */
static void place_turned(mo_heap *heap, int begin, int end)
{
    const mo_heap_def *d = &heap->def;
    const double cell = cell_of(d), pi = acos(-1);
    const int across = (int)ceil(cbrt((double)d->count));
    for (int k = begin; k < end; ++k) {
        rng random = rng_of(d->seed, (uint64_t)k);
        const int place[3] = {k % across, k / across % across, k / across / across};
        double at[3], axis[3];
        for (int i = 0; i < 3; ++i) {
            at[i] = (place[i] + 0.5 - (i < 2 ? 0.5 * across : 0)) * cell +
                    0.2 * d->radius * rng_between(&random, -0.5, 0.5);
            axis[i] = rng_between(&random, -1, 1);
        }
        const mo_pose pose =
            mo_pose_turned(at[0], at[1], at[2], axis, rng_between(&random, -pi, pi));
        mo_heap_body *body = heap->own + (k - begin);
        *body = (mo_heap_body){.id = (uint32_t)k, .rank = heap->rank};
        memcpy(body->at, pose.position, sizeof body->at);
        memcpy(body->turn, pose.orientation, sizeof body->turn);
    }
}

/* As in the scene beads: drawn for all balls, kept for those of this rank. */
static void place_beads(mo_heap *heap, int begin, int end)
{
    const mo_heap_def *d = &heap->def;
    const double cell = cell_of(d);
    const int across = (int)ceil(cbrt((double)d->count));
    rng random = rng_of(d->seed, 0);
    for (int k = 0; k < end; ++k) {
        const int place[3] = {k % across, k / across % across, k / across / across};
        mo_heap_body ball = {.id = (uint32_t)k, .rank = heap->rank, .turn = {1, 0, 0, 0}};
        for (int i = 0; i < 3; ++i) {
            ball.at[i] = (place[i] + 0.5 - (i < 2 ? 0.5 * across : 0)) * cell +
                         0.15 * d->radius * (rng_between(&random, 0, 1) - 0.5);
        }
        if (k >= begin) heap->own[k - begin] = ball;
    }
}

static int make_room(mo_heap *heap, size_t bodies)
{
    heap->own = calloc(bodies + 1, sizeof *heap->own);
    heap->impulse = calloc(1, sizeof *heap->impulse);
    return heap->own && heap->impulse;
}

mo_error mo_heap_begin(MPI_Comm comm, const mo_heap_def *def, int bodies, mo_heap **out,
                       mo_message *why)
{
    mo_heap *heap = calloc(1, sizeof *heap);
    *out = NULL;
    mo_error error = mo_mpi_agree(comm, heap ? check_def(def, why) : mo_fail_memory(why), why);
    if (error) {
        free(heap);
        return error;
    }
    heap->comm = comm;
    heap->def = *def;
    MPI_Comm_rank(comm, &heap->rank);
    MPI_Comm_size(comm, &heap->size);
    mo_exact_init(&heap->exact, comm);
    if (!(heap->def.box > 0)) heap->def.box = 0.5 * ceil(cbrt((double)def->count)) * cell_of(def);
    error = make_room(heap, (size_t)bodies) ? mo_heap_shapes_make(&heap->def, &heap->shapes, why)
                                            : mo_fail_memory(why);
    error = error ? error : mo_heap_make_world(heap, why);
    error = mo_mpi_agree(comm, error, why);
    if (error) {
        mo_heap_destroy(heap);
        return error;
    }
    *out = heap;
    return MO_OK;
}

mo_error mo_heap_create(MPI_Comm comm, const mo_heap_def *def, mo_heap **out, mo_message *why)
{
    int rank, size;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    const int begin = (int)((int64_t)def->count * rank / size);
    const int end = (int)((int64_t)def->count * (rank + 1) / size);
    mo_error error = mo_heap_begin(comm, def, end - begin, out, why);
    if (error) return error;
    (def->is_turned ? place_turned : place_beads)(*out, begin, end);
    (*out)->count = end - begin;
    error = mo_heap_balance(*out, why);
    error = error ? error : mo_heap_migrate(*out, why);
    if (error) {
        mo_heap_destroy(*out);
        *out = NULL;
    } else {
        (*out)->migrated = 0;
    }
    return error;
}

void mo_heap_destroy(mo_heap *heap)
{
    if (heap) {
        mo_exact_clear(&heap->exact);
        mo_heap_shapes_clear(&heap->shapes);
        if (heap->world) mo_memory_free(&heap->world->allocator, heap->owner);
        mo_world_destroy(heap->world);
        PetscSFDestroy(&heap->ghosts);
        void *const arrays[] = {heap->own,   heap->impulse, heap->cell_owner,
                                heap->each,  heap->ghost,   heap->member,
                                heap->place, heap->loaded,  heap->ghost_place};
        for (size_t k = 0; k < sizeof arrays / sizeof *arrays; ++k)
            free(arrays[k]);
        free(heap);
    }
}

int mo_heap_own_count(const mo_heap *heap)
{
    return heap->count;
}

mo_heap_state mo_heap_own(const mo_heap *heap, int k)
{
    const mo_heap_body *body = heap->own + k;
    mo_heap_state state = {.id = body->id};
    memcpy(state.at, body->at, sizeof state.at);
    memcpy(state.turn, body->turn, sizeof state.turn);
    memcpy(state.v, body->v, sizeof state.v);
    memcpy(state.spin, body->spin, sizeof state.spin);
    return state;
}

/* ---- contacts ------------------------------------------------------------------------------- */

int mo_heap_contact_count(const mo_heap *heap)
{
    return heap->loaded_count;
}

mo_heap_contact mo_heap_contact_get(const mo_heap *heap, int k)
{
    const mo_world *world = heap->world;
    const mo_sim_contact *from = world->contacts.at + heap->loaded[k];
    const int is_box =
        world->body[from->body[1]].kind == MO_BODY_FIXED; /* which comes first here */
    const double sign = is_box ? -1 : 1;
    mo_heap_contact c = {.a = is_box ? -1 : (int64_t)world->body[from->body[0]].id,
                         .b = (int64_t)world->body[from->body[!is_box]].id,
                         .feature = from->feature,
                         .is_sliding = from->mode == MO_CONTACT_SLIDES,
                         .gap = from->gap};
    mo_vec3_copy(from->point, c.point);
    mo_vec3_scale(sign, from->frame, c.normal);
    mo_vec3_along(from->impulse, 1, from->impact, c.impulse);
    mo_vec3_scale(sign, c.impulse, c.impulse);
    mo_vec3_scale(sign, from->velocity, c.velocity);
    return c;
}

int mo_heap_by_id(const void *a, const void *b)
{
    const uint32_t x = ((const mo_heap_body *)a)->id, y = ((const mo_heap_body *)b)->id;
    return (x > y) - (x < y);
}

int mo_heap_by_key(const void *a, const void *b)
{
    const mo_heap_impulse *x = a, *y = b;
    const int by_key = (x->key > y->key) - (x->key < y->key);
    return by_key ? by_key : (x->feature > y->feature) - (x->feature < y->feature);
}

int64_t mo_heap_steps(const mo_heap *heap)
{
    return heap->step;
}

const mo_heap_def *mo_heap_def_of(const mo_heap *heap)
{
    return &heap->def;
}
