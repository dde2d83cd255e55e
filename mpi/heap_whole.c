/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * A small contact problem of a heap, which every rank solves as a whole, as a world of one process
 * does: by the same method, from the same bodies and contacts in the same order.  Distributed
 * sweeps are for many contacts and coarse tolerances; few contacts are solved faster, and finer,
 * at one place.
 *
 * All ranks receive all contacts with their bodies.  Contacts are sorted by key, and bodies are
 * numbered as they come in contacts, which is their order in one world (sim/assemble.c).
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "heap.h"
#include "linalg/vec3.h"
#include "mail.h"
#include "problem/compact.h"
#include "solver/refine.h"
#include "spread.h"

enum {
    FEW = 64,      /* contacts: always */
    SEVERAL = 5000 /* contacts whose digits count, as in sim/impulses.c */
};
static const double COARSE = 1e-5; /* tolerance from which on sweeps are those of ranks */

typedef struct side {
    uint32_t id;
    double mass, J[9], f[6];
} side;

typedef struct record {
    uint64_t key;
    int rank, place; /* in whose list, and where */
    int is_there;    /* of each side, a bit: is it a body? */
    mo_rigid_contact contact;
    side side[2];
    double start[3];
    double rate_scale; /* of its closing speed */
    double square;     /* of the distance of its point from the origin */
} record;

/* A body of the problem. */
typedef struct named {
    uint32_t id;
    int number; /* or -1: not yet */
} named;

typedef struct whole {
    int count; /* contacts */
    record *record;
    named *body; /* by rising id */
    int body_count;
    mo_problem *problem;
    double *start;
    mo_result result;
} whole;

/* ---- records -------------------------------------------------------------------------------- */

static void put_side(const mo_world *world, int place, side *to)
{
    const mo_sim_body *body = world->body + place;
    to->id = body->id;
    to->mass = body->mass;
    memcpy(to->J, body->world_inertia, sizeof to->J);
    memcpy(to->f, world->problem->f + world->problem->body_start[body->block], sizeof to->f);
}

static void put_record(const mo_heap *heap, int place, const double *start, record *to)
{
    const mo_world *world = heap->world;
    const mo_sim_contact *contact = world->contacts.at + place;
    const mo_compact *compact = world->problem->compact;
    const mo_compact_contact *from = compact->contact + compact->contact_of[contact->constraint];
    const int row = world->problem->row_start[contact->constraint];
    memset(to, 0, sizeof *to);
    to->key = mo_heap_key(mo_heap_number(world, contact->shape[0]),
                          mo_heap_number(world, contact->shape[1]));
    to->rank = heap->rank;
    to->place = place;
    memcpy(to->contact.frame, from->frame, sizeof from->frame);
    memcpy(to->contact.arm, from->arm, sizeof from->arm);
    memcpy(to->contact.w, world->problem->w + row, sizeof to->contact.w);
    to->contact.mu = contact->mu;
    to->rate_scale =
        world->problem->rate_scale ? world->problem->rate_scale[contact->constraint] : 1;
    to->square = mo_vec3_dot(contact->point, contact->point);
    if (start) mo_vec3_copy(start + row, to->start);
    for (int k = 0; k < 2; ++k) {
        if (mo_moves_freely(world->body + contact->body[k])) {
            to->is_there |= 1 << k;
            put_side(world, contact->body[k], to->side + k);
        }
    }
}

static int by_key(const void *a, const void *b)
{
    const record *x = a, *y = b;
    return x->key != y->key ? (x->key > y->key) - (x->key < y->key)
                            : (x->place > y->place) - (x->place < y->place);
}

/* All records on all ranks, sorted. */
static mo_error gather(const mo_heap *heap, const double *start, whole *w)
{
    const mo_world *world = heap->world;
    const int own = world->problem->constraint_count;
    record *mine = malloc(((size_t)own + 1) * sizeof *mine);
    void *all = NULL;
    mo_error error = mo_mpi_agree(heap->comm, mine ? MO_OK : MO_ERR_MEMORY, NULL);
    for (int k = 0; k < world->contacts.count && !error; ++k) {
        const mo_sim_contact *contact = world->contacts.at + k;
        if (mo_contact_is_taken(contact)) put_record(heap, k, start, mine + contact->constraint);
    }
    error = error ? error : mo_mail_all(heap->comm, sizeof *mine, own, mine, &all, &w->count);
    if (!error) qsort(all, (size_t)w->count, sizeof *mine, by_key);
    w->record = all;
    free(mine);
    return error;
}

/* ---- the problem ---------------------------------------------------------------------------- */

static int by_id(const void *a, const void *b)
{
    const uint32_t x = ((const named *)a)->id, y = ((const named *)b)->id;
    return (x > y) - (x < y);
}

static named *find(const whole *w, uint32_t id)
{
    const named key = {.id = id};
    return bsearch(&key, w->body, (size_t)w->body_count, sizeof key, by_id);
}

static int has_side(const record *of, int k)
{
    return of->is_there >> k & 1;
}

/* The ids of all bodies, each once. */
static int list_bodies(whole *w)
{
    int count = 0;
    w->body = malloc((2 * (size_t)w->count + 1) * sizeof *w->body);
    for (int i = 0; i < 2 * w->count && w->body; ++i)
        if (has_side(w->record + i / 2, i % 2))
            w->body[count++] = (named){w->record[i / 2].side[i % 2].id, -1};
    if (w->body) qsort(w->body, (size_t)count, sizeof *w->body, by_id);
    for (int k = 0; k < count; ++k)
        if (w->body_count == 0 || w->body[k].id != w->body[w->body_count - 1].id)
            w->body[w->body_count++] = w->body[k];
    return w->body != NULL;
}

/* By which constraints are coloured. */
static mo_error name_bodies(whole *w)
{
    uint32_t *id = mo_memory_array(&w->problem->allocator, (size_t)w->body_count + 1, sizeof *id);
    w->problem->body_id = id;
    for (int b = 0; b < w->body_count && id; ++b)
        id[w->body[b].number] = w->body[b].id;
    return id ? MO_OK : MO_ERR_MEMORY;
}

static mo_error scale_rates(whole *w)
{
    double *scale = mo_memory_array(&w->problem->allocator, (size_t)w->count + 1, sizeof *scale);
    w->problem->rate_scale = scale;
    for (int i = 0; i < w->count && scale; ++i)
        scale[i] = w->record[i].rate_scale;
    return scale ? MO_OK : MO_ERR_MEMORY;
}

/* Contacts in their order; bodies as they come, the first one of a contact before the second. */
static mo_error build(whole *w, int is_coarse)
{
    mo_builder *builder;
    mo_message why;
    if (!list_bodies(w) || mo_builder_create(NULL, &builder)) return MO_ERR_MEMORY;
    for (int i = 0; i < w->count; ++i) {
        record *own = w->record + i;
        for (int k = 0; k < 2; ++k) { /* u = v_b - v_a */
            named *body = has_side(own, k) ? find(w, own->side[k].id) : NULL;
            if (body && body->number < 0) {
                body->number = mo_builder_add_rigid_body(builder, own->side[k].mass, own->side[k].J,
                                                         own->side[k].f);
            }
            own->contact.body[!k] = body ? body->number : -1;
        }
        mo_builder_add_contact(builder, &own->contact);
        mo_vec3_copy(own->start, w->start + 3 * i);
    }
    mo_error error = mo_builder_finish(builder, &w->problem, &why);
    mo_builder_destroy(builder);
    error = error ? error : scale_rates(w);
    return error || !is_coarse ? error : name_bodies(w);
}

/* ---- the answer ----------------------------------------------------------------------------- */

/* v of the bodies of this rank's problem, r and u of its contacts. */
static void take_answer(const mo_heap *heap, const whole *w)
{
    mo_world *world = heap->world;
    const mo_problem *part = world->problem;
    mo_result *result = &world->result;
    memset(result->v, 0, (size_t)part->dof_count * sizeof *result->v);
    for (int k = 0; k < world->living_count; ++k) {
        mo_sim_body *body = world->body + world->living[k];
        const named *found = body->block != MO_NONE ? find(w, body->id) : NULL;
        if (found) {
            memcpy(result->v + part->body_start[body->block], w->result.v + 6 * found->number,
                   6 * sizeof(double));
        } else {
            body->block = MO_NONE; /* nothing touches it */
        }
    }
    for (int i = 0; i < w->count; ++i) {
        if (w->record[i].rank == heap->rank) {
            const int row = part->row_start[world->contacts.at[w->record[i].place].constraint];
            mo_vec3_copy(w->result.r + 3 * i, result->r + row);
            mo_vec3_copy(w->result.u + 3 * i, result->u + row);
        }
    }
    result->status = w->result.status;
    result->is_canonical = w->result.is_canonical;
    result->residual = w->result.residual;
    result->iterations = w->result.iterations;
    result->method = w->result.method;
    result->message = w->result.message;
}

static mo_error solve(mo_heap *heap, const mo_options *options, whole *w)
{
    mo_options own = *options;
    double squares = 0;
    w->start = malloc((3 * (size_t)w->count + 1) * sizeof *w->start);
    mo_error error = mo_mpi_agree(heap->comm, w->start ? MO_OK : MO_ERR_MEMORY, NULL);
    error = error ? error : gather(heap, options->start, w);
    error =
        error ? error : mo_mpi_agree(heap->comm, build(w, heap->def.tol > MO_FINE_TOLERANCE), NULL);
    if (error) return error;
    for (int i = 0; i < w->count; ++i)
        squares += w->record[i].square;
    own.start = options->start ? w->start : NULL;
    own.noise = options->noise > 0 ? mo_place_rounding(squares, heap->def.dt) : options->noise;
    error = mo_solve(w->problem, &own, &w->result);
    error = error ? error
                  : mo_spread_prepare_result(heap->world->problem, &heap->world->result,
                                             &heap->world->result.message);
    error = mo_mpi_agree(heap->comm, error, NULL);
    if (!error) take_answer(heap, w);
    return error;
}

mo_error mo_heap_solve_whole(mo_heap *heap, const mo_options *options)
{
    const mo_problem *part = heap->world->problem;
    int64_t counts[2] = {part->constraint_count, 0}; /* and those that are not compact */
    for (int i = 0; i < part->constraint_count; ++i)
        counts[1] += !part->compact || part->compact->contact_of[i] < 0;
    MPI_Allreduce(MPI_IN_PLACE, counts, 2, MPI_INT64_T, MPI_SUM, heap->comm);
    const int is_fine = options->refine != MO_REFINE_NONE || options->tol < COARSE;
    if (counts[1] > 0 || counts[0] > (is_fine ? SEVERAL : FEW)) return MO_ERR_UNSUPPORTED;
    whole w = {.count = (int)counts[0]};
    const mo_error error = solve(heap, options, &w);
    free(w.record);
    free(w.body);
    free(w.start);
    mo_problem_destroy(w.problem);
    mo_result_clear(&w.result);
    return error;
}
