/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * The contact problem of the pairs of a heap that are taken, distributed, and its solution: that of
 * a step, or that of a projection of positions (heap.h).
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "heap.h"
#include "linalg/vec3.h"
#include "spread.h"

/* Of the radius: what a contact may close by in a step, and of the tolerance. */
static const double DEEPEST = 8e-4, DEEPEST_OF_TOLERANCE = 0.4;
/* Of the radius: what a projection may leave, which decides; and its residual. */
static const double LEFT = 1e-3, COARSE = 0.2;
static const double DEEP = 0.01; /* of the radius: a deeper penetration goes out by this a step */

static void free_room(mo_heap_problem *s)
{
    free(s->number);
    free(s->body);
    free(s->pair);
    free(s->start);
    s->number = s->body = s->pair = NULL;
    s->start = NULL;
}

/* Room for the problem of all bodies and pairs that there are now. */
static int make_room(mo_heap_problem *s)
{
    const mo_heap *heap = s->heap;
    const size_t bodies = (size_t)heap->all_count + 1, pairs = (size_t)heap->pair_count + 1;
    if (heap->pair_count < s->pair_room) {
        return 1;
    }
    free_room(s);
    s->number = malloc(bodies * sizeof *s->number);
    s->body = malloc(bodies * sizeof *s->body);
    s->pair = malloc(pairs * sizeof *s->pair);
    s->start = malloc(3 * pairs * sizeof *s->start);
    s->pair_room = (int)pairs;
    return s->number && s->body && s->pair && s->start;
}

static void number_bodies(mo_heap_problem *s)
{
    mo_heap *heap = s->heap;
    s->body_count = s->contact_count = 0;
    for (int b = 0; b < heap->all_count; ++b) {
        s->number[b] = heap->all[b].rank == heap->rank ? 0 : -1;
    }
    for (int k = 0; k < heap->pair_count; ++k) {
        const mo_heap_pair *pair = heap->pair + k;
        if (pair->is_taken) {
            s->pair[s->contact_count++] = k;
            s->number[pair->body[0]] = 0;
            if (pair->body[1] >= 0) {
                s->number[pair->body[1]] = 0;
            }
        }
    }
    for (int b = 0; b < heap->all_count; ++b) {
        if (s->number[b] == 0) {
            s->number[b] = s->body_count;
            s->body[s->body_count++] = b;
        }
    }
}

static void add_body(const mo_heap_problem *s, const mo_heap_body *body, mo_builder *builder)
{
    const double mass = mo_heap_shape_at(s->heap, body)->mass;
    double J[9], f[6] = {0};
    mo_heap_inertia(s->heap, body, J);
    if (!s->is_projection) {
        mo_vec3_scale(mass, body->v, f);
        mo_mat3_apply(J, body->spin, f + 3);
    }
    mo_builder_add_rigid_body(builder, mass, J, f);
}

void mo_heap_frame(const mo_heap_pair *pair, double frame[9])
{
    mo_vec3_copy(pair->normal, frame);
    mo_vec3_tangents(frame, frame + 3, frame + 6);
}

static void add_contact(mo_heap_problem *s, int contact, mo_builder *builder)
{
    const mo_heap *heap = s->heap;
    const mo_heap_pair *pair = heap->pair + s->pair[contact];
    const double deep = s->is_projection ? INFINITY : DEEP * heap->def.radius;
    mo_rigid_contact out = {
        .body = {s->number[pair->body[0]], pair->body[1] < 0 ? -1 : s->number[pair->body[1]]},
        .w = {(pair->gap < -deep ? -deep : pair->gap) / heap->def.dt, 0, 0},
        .mu = s->is_projection ? 0 : heap->def.mu};
    mo_heap_frame(pair, out.frame);
    memcpy(out.arm, pair->arm, sizeof out.arm);
    for (int k = 0; k < 3; ++k) {
        s->start[3 * contact + k] = mo_vec3_dot(out.frame + 3 * k, pair->r);
    }
    mo_builder_add_contact(builder, &out);
}

static mo_error build(mo_heap_problem *s, mo_problem **part, mo_message *why)
{
    mo_builder *builder;
    if (mo_builder_create(NULL, &builder)) {
        return mo_fail_memory(why);
    }
    for (int k = 0; k < s->body_count; ++k) {
        add_body(s, s->heap->all + s->body[k], builder);
    }
    for (int k = 0; k < s->contact_count; ++k) {
        add_contact(s, k, builder);
    }
    const mo_error error = mo_builder_finish(builder, part, why);
    mo_builder_destroy(builder);
    return error;
}

/* A name of a contact that all ranks know: both ids, and which of the pair's it is. */
static int64_t name_of(uint64_t key, int which)
{
    enum { ID_BITS = 29, WHICH_BITS = 5 };
    const uint64_t low = key >> 32, high = key & ((UINT64_C(1) << ID_BITS) - 1); /* walls as well */
    return (int64_t)(low << (ID_BITS + WHICH_BITS) | high << WHICH_BITS | (uint64_t)which);
}

static void name_contacts(const mo_heap_problem *s, int64_t *name)
{
    for (int k = 0, which = 0; k < s->contact_count; ++k) {
        const uint64_t key = s->heap->pair[s->pair[k]].key;
        which = k > 0 && s->heap->pair[s->pair[k - 1]].key == key ? which + 1 : 0;
        name[k] = name_of(key, which);
    }
}

/* Names of bodies and contacts that all ranks know. */
static mo_error spread_problem(mo_heap_problem *s, mo_problem *part, mo_message *why)
{
    const mo_heap *heap = s->heap;
    uint32_t *id = malloc(((size_t)s->body_count + 1) * sizeof *id);
    int *owner = malloc(((size_t)s->body_count + 1) * sizeof *owner);
    int64_t *name = malloc(((size_t)s->contact_count + 1) * sizeof *name);
    mo_error error = id && owner && name ? MO_OK : mo_fail_memory(why);
    error = mo_mpi_agree(heap->comm, error, why);
    if (error) {
        mo_problem_destroy(part);
    } else {
        for (int k = 0; k < s->body_count; ++k) {
            id[k] = heap->all[s->body[k]].id;
            owner[k] = heap->all[s->body[k]].rank;
        }
        name_contacts(s, name);
        error =
            mo_spread_create(heap->comm, part, &(mo_spread_map){id, owner, name}, &s->spread, why);
    }
    free(id);
    free(owner);
    free(name);
    return error;
}

/* ---- its solution --------------------------------------------------------------------------- */

static mo_options options_of(const mo_heap_problem *s)
{
    const mo_heap *heap = s->heap;
    mo_options options = mo_default_options();
    const double depth =
        s->is_projection ? LEFT : fmax(DEEPEST, DEEPEST_OF_TOLERANCE * heap->def.tol);
    options.tol = s->is_projection ? COARSE : heap->def.tol;
    options.max_iter = heap->def.max_iter;
    options.penetration_rate = depth * heap->def.radius / heap->def.dt;
    return options;
}

mo_error mo_heap_solve(mo_heap_problem *s, mo_message *why)
{
    mo_heap *heap = s->heap;
    mo_options options = options_of(s);
    mo_problem *part = NULL;
    mo_error error = make_room(s) ? MO_OK : mo_fail_memory(why);
    if (!error) {
        number_bodies(s);
        error = build(s, &part, why);
    }
    error = mo_mpi_agree(heap->comm, error, why);
    if (error) {
        mo_problem_destroy(part);
        return error;
    }
    mo_spread_destroy(s->spread);
    s->spread = NULL;
    error = spread_problem(s, part, why);
    if (!error) {
        options.start = s->start;
        error = mo_spread_solve(s->spread, &options, &s->result);
        *why = error ? s->result.message : *why;
    }
    return error;
}

void mo_heap_problem_clear(mo_heap_problem *s)
{
    mo_spread_destroy(s->spread);
    mo_result_clear(&s->result);
    free_room(s);
}
