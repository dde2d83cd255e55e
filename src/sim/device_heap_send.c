/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* A heap to the device: bodies, fixed shapes, contacts (device_heap.h). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "linalg/vec3.h"
#include "sim/device_heap_data.h"

enum { BITS_LEAST = 2, BITS_MOST = 8 };

/* ---- construction ---------------------------------------------------------------------------- */

mo_error mo_device_heap_begin(mo_world *world, mo_device *device, int is_given, mo_message *why)
{
    mo_device_heap *heap = mo_memory_array(&world->allocator, 1, sizeof *heap);
    mo_device_heap_end(world);
    if (!heap) {
        mo_device_close(device);
        return mo_fail_memory(why);
    }
    *heap = (mo_device_heap){
        .device = device, .is_given = is_given, .has_bodies = 1, .has_contacts = 1};
    mo_device_sweeps_begin(device, &heap->sweeps);
    world->heap = heap;
    return MO_OK;
}

void mo_device_heap_end(mo_world *world)
{
    mo_device_heap_bring_back(world);
    mo_device_heap_drop(world);
}

void mo_device_heap_drop(mo_world *world)
{
    mo_device_heap *heap = world->heap;
    if (!heap) return;
    mo_device *device = heap->device;
    mo_buffer *const all[] = {
        heap->ball,          heap->ball + 1,     &heap->near,         &heap->free_line,
        &heap->fixed,        &heap->id,          &heap->key,          &heap->order,
        &heap->bucket_start, &heap->count,       &heap->listed,       &heap->listed_count,
        &heap->taken,        &heap->start,       &heap->figures,      &heap->partial,
        &heap->one,          &heap->two,         &heap->match,        &heap->slot_key,
        &heap->slot_order,   &heap->slot_start,  &heap->slot_numbers, &heap->slot_indices,
        &heap->rest,         &heap->velocity,    &heap->moved,        &heap->solid,
        &heap->fixed_solid,  &heap->hulls,       &heap->force,        &heap->pair_key,
        &heap->pair_order,   &heap->inertia,     &heap->pair_count,   &heap->pair_start,
        &heap->has_points,   &heap->node,        &heap->node_one,     &heap->node_two,
        &heap->node_pair,    &heap->point_count, &heap->first,        &heap->place,
        &heap->reach,        &heap->end_place,   &heap->wants,        &heap->wants_before,
        &heap->end_wants,    &heap->end_before,  &heap->old_start,    &heap->old_two,
        &heap->old_place,    &heap->old_reach,   &heap->now.touch,    &heap->now.count,
        &heap->ends.touch,   &heap->ends.count};
    for (size_t k = 0; k < sizeof all / sizeof *all; ++k)
        mo_buffer_free(device, all[k]);
    for (int k = 0; k < 2; ++k) {
        mo_buffer_free(device, &heap->list[k].begin);
        mo_buffer_free(device, &heap->list[k].end);
        mo_buffer_free(device, &heap->list[k].other);
        mo_buffer_free(device, &heap->list[k].feature);
        mo_buffer_free(device, &heap->list[k].point);
        mo_buffer_free(device, &heap->list[k].r);
    }
    mo_device_colouring_end(device, &heap->colouring);
    mo_device_sweeps_end(&heap->sweeps);
    mo_device_close(device);
    MO_FREE(&world->allocator, heap->body, heap->shown, heap->fixed_place, heap->fixed_here, heap);
    world->heap = NULL;
}

/* ---- to the device --------------------------------------------------------------------------- */

static mo_ball ball_of(const mo_world *world, int place, uint32_t id)
{
    const mo_sim_body *body = world->body + place;
    mo_ball ball = {.mass = body->mass,
                    .inertia = body->inertia[0],
                    .radius = body->size,
                    .linear_damping = body->def.linear_damping,
                    .angular_damping = body->def.angular_damping,
                    .id = id,
                    .surface = (uint32_t)world->near[body->first_shape].surface};
    memcpy(ball.x, body->x, sizeof ball.x);
    memcpy(ball.q, body->orientation, sizeof ball.q);
    memcpy(ball.v, body->v, sizeof ball.v);
    return ball;
}

static mo_fixed_shape fixed_of(const mo_world *world, int place)
{
    const mo_sim_shape *shape = world->shape + place;
    const mo_pose pose = mo_shape_pose(world->body + shape->body, shape);
    const mo_shape_kind kind = shape->collider.def.kind;
    mo_fixed_shape fixed = {.kind = kind == MO_SHAPE_PLANE ? MO_FIXED_PLANE
                                    : kind == MO_SHAPE_BOX ? MO_FIXED_BOX
                                                           : MO_FIXED_OTHER,
                            .size = shape->collider.size,
                            .surface = world->near[place].surface};
    memcpy(fixed.x, pose.position, sizeof fixed.x);
    memcpy(fixed.half, shape->collider.def.half, sizeof fixed.half);
    for (int k = 0; k < 3; ++k) {
        const double unit[3] = {k == 0, k == 1, k == 2};
        mo_pose_vector(&pose, unit, fixed.axis + 3 * k);
    }
    return fixed;
}

static double largest_friction(const mo_world *world)
{
    const mo_surfaces *s = &world->surfaces;
    double largest = 0;
    for (int i = 0; i < s->count * s->count; ++i)
        largest = fmax(largest, s->both[i / s->count][i % s->count].friction);
    return largest;
}

static void list_fixed(mo_world *world)
{
    mo_device_heap *heap = world->heap;
    heap->fixed_count = 0;
    for (int k = 0; k < world->living_count; ++k) {
        const mo_sim_body *body = world->body + world->living[k];
        for (int s = body->first_shape; s != MO_NONE && body->kind == MO_BODY_FIXED;
             s = world->shape[s].next) {
            if (!world->shape[s].is_on_show) {
                heap->fixed_here[heap->fixed_count] = fixed_of(world, s);
                heap->fixed_place[heap->fixed_count++] = s;
            }
        }
    }
    mo_device_write(heap->device,
                    MO_TAKE_BUFFER(heap->device, &heap->fixed, heap->fixed_count, mo_fixed_shape),
                    heap->fixed_here, (size_t)heap->fixed_count * sizeof(mo_fixed_shape));
    for (int i = 0; i < MO_SURFACES * MO_SURFACES; ++i) {
        const mo_material *both = &world->surfaces.both[i / MO_SURFACES][i % MO_SURFACES];
        heap->mu[i] = both->friction;
        heap->restitution[i] = both->restitution;
    }
    heap->sweeps.friction = largest_friction(world);
}

/* Buckets as many as balls, or up to eight times as many. */
static void take_room(mo_device_heap *heap)
{
    mo_device *device = heap->device;
    const size_t n = (size_t)heap->balls, lines = n + (size_t)heap->fixed_count;
    heap->bits = BITS_LEAST;
    while (heap->bits < BITS_MOST && 1 << 3 * heap->bits < heap->per_copy)
        ++heap->bits;
    MO_TAKE_BUFFER(device, heap->ball, n, mo_ball);
    MO_TAKE_BUFFER(device, heap->ball + 1, n, mo_ball);
    MO_TAKE_BUFFER(device, &heap->near, n, mo_ball_near);
    MO_TAKE_BUFFER(device, &heap->id, n, uint32_t);
    MO_TAKE_BUFFER(device, &heap->free_line, lines, mo_line);
    if (heap->has_solids) MO_TAKE_BUFFER(device, &heap->inertia, 8 * lines, double);
    MO_TAKE_BUFFER(device, &heap->key, n, uint32_t);
    MO_TAKE_BUFFER(device, &heap->order, n, int);
    MO_TAKE_BUFFER(device, &heap->bucket_start, ((size_t)heap->copies << 3 * heap->bits) + 1, int);
    MO_TAKE_BUFFER(device, &heap->count, n, int);
    MO_TAKE_BUFFER(device, &heap->listed, n * (size_t)mo_heap_listed(heap), int);
    MO_TAKE_BUFFER(device, &heap->listed_count, n, int);
    MO_TAKE_BUFFER(device, &heap->taken, n, uint32_t);
    MO_TAKE_BUFFER(device, &heap->start, n + 1, int);
    MO_TAKE_BUFFER(device, &heap->figures, 1, mo_heap_figures);
    const size_t patches = n / MO_PATCH + 1, copies = (size_t)heap->copies;
    MO_TAKE_BUFFER(device, &heap->slot_start,
                   ((patches > copies ? patches : copies) + 1) * MO_COLOURS + 1, int);
    heap->last = 0;
    for (int k = 0; k < (heap->has_solids ? 2 : 1); ++k) { /* balls need one */
        MO_TAKE_BUFFER(device, &heap->list[k].begin, n, int);
        MO_TAKE_BUFFER(device, &heap->list[k].end, n, int);
        mo_buffer_free(device, &heap->list[k].feature); /* balls have none */
    }
    mo_device_clear(device, heap->figures.at, sizeof(mo_heap_figures));
}

/* Those of the next step, where there are any. */
static mo_error send_forces(mo_world *world)
{
    mo_device_heap *heap = world->heap;
    const size_t count = 6 * (size_t)heap->balls;
    heap->has_force = 0;
    for (int id = 0; id < heap->balls; ++id)
        for (int k = 0; k < 6; ++k)
            heap->has_force |= world->body[heap->body[id]].force[k] != 0;
    double *force =
        heap->has_force ? mo_memory_array(&world->allocator, count, sizeof *force) : NULL;
    for (int id = 0; force && id < heap->balls; ++id)
        memcpy(force + 6 * id, world->body[heap->body[id]].force, 6 * sizeof *force);
    if (force) {
        mo_device_write(heap->device, MO_TAKE_BUFFER(heap->device, &heap->force, count, double),
                        force, count * sizeof *force);
    }
    mo_memory_free(&world->allocator, force);
    return heap->has_force && !force ? MO_ERR_MEMORY : MO_OK;
}

static mo_error send_balls(mo_world *world)
{
    mo_device_heap *heap = world->heap;
    mo_ball *ball = heap->shown;
    heap->largest = 0;
    heap->least = INFINITY;
    for (int id = 0; id < heap->balls; ++id) {
        ball[id] = ball_of(world, heap->body[id], (uint32_t)id);
        heap->largest = fmax(heap->largest, ball[id].radius);
        heap->least =
            fmin(heap->least, world->shape[world->body[heap->body[id]].first_shape].collider.size);
    }
    const mo_error error = heap->has_solids ? mo_device_solids_send(world, ball) : MO_OK;
    heap->side = 0;
    mo_device_write(heap->device, heap->ball[0].at, ball, (size_t)heap->balls * sizeof *ball);
    return error;
}

/* A contact of the world in the form of the device: the id that owns it, the other, the impulse
 * on the first. */
typedef struct known_contact {
    int owner, other;
    uint32_t feature;
    double r[3];
} known_contact;

static int by_owner(const void *a, const void *b)
{
    const known_contact *x = a, *y = b;
    return x->owner != y->owner   ? (x->owner > y->owner ? 1 : -1)
           : x->other != y->other ? (x->other > y->other ? 1 : -1)
                                  : (x->feature > y->feature) - (x->feature < y->feature);
}

/* id_of: of each place of a body, or balls + number of each place of a fixed shape. */
static int find_known(const mo_world *world, const int *id_of, const int *number_of,
                      known_contact *known)
{
    const int balls = world->heap->balls;
    int count = 0;
    for (int k = 0; k < world->contacts.count; ++k) {
        const mo_sim_contact *c = world->contacts.at + k;
        int id[2];
        for (int side = 0; side < 2; ++side) {
            id[side] = id_of[c->body[side]] >= 0 ? id_of[c->body[side]]
                                                 : balls + number_of[c->shape[side]];
        }
        const int first = id[0] > id[1];
        known_contact *own = known + count++;
        *own = (known_contact){.owner = id[first], .other = id[!first], .feature = c->feature};
        mo_vec3_scale(first == 1 ? 1 : -1, c->impulse, own->r);
    }
    qsort(known, (size_t)count, sizeof *known, by_owner);
    return count;
}

/* other: of each contact; then it has room for their features. */
static void write_list(mo_device_heap *heap, const known_contact *known, int count, int *begin,
                       int *other, double *r)
{
    mo_device_heap_list *list = heap->list + heap->last;
    const size_t apart = (size_t)count, n = (size_t)heap->balls;
    int k = 0;
    for (int id = 0; id <= heap->balls; ++id) {
        while (k < count && known[k].owner < id)
            ++k;
        begin[id] = k;
    }
    for (int c = 0; c < count; ++c) {
        other[c] = known[c].other;
        for (size_t x = 0; x < 3; ++x)
            r[x * apart + (size_t)c] = known[c].r[x];
    }
    list->apart = apart;
    mo_device_write(heap->device, list->begin.at, begin, n * sizeof *begin);
    mo_device_write(heap->device, list->end.at, begin + 1, n * sizeof *begin);
    mo_device_write(heap->device, MO_TAKE_BUFFER(heap->device, &list->other, count, int), other,
                    apart * sizeof *other);
    for (int c = 0; c < count; ++c)
        other[c] = (int)known[c].feature;
    if (heap->has_solids) {
        mo_device_write(heap->device, MO_TAKE_BUFFER(heap->device, &list->feature, count, uint32_t),
                        other, apart * sizeof *other);
    }
    mo_device_write(heap->device, MO_TAKE_BUFFER(heap->device, &list->r, 3 * apart, double), r,
                    3 * apart * sizeof *r);
}

static mo_error send_contacts(mo_world *world)
{
    mo_device_heap *heap = world->heap;
    const mo_allocator *own = &world->allocator;
    const size_t count = (size_t)world->contacts.count, places = (size_t)world->body_places,
                 shapes = (size_t)world->shape_places, n = (size_t)heap->balls;
    known_contact *known = mo_memory_array(own, count, sizeof *known);
    int *index = mo_memory_array(own, places + shapes + n + 1 + count, sizeof *index);
    double *r = mo_memory_array(own, 3 * count, sizeof *r);
    const mo_error error = known && index && r ? MO_OK : MO_ERR_MEMORY;
    if (!error) {
        int *id_of = index, *number_of = id_of + places, *begin = number_of + shapes,
            *other = begin + n + 1;
        memset(id_of, 0xff, places * sizeof *id_of);
        for (int id = 0; id < heap->balls; ++id)
            id_of[heap->body[id]] = id;
        for (int k = 0; k < heap->fixed_count; ++k)
            number_of[heap->fixed_place[k]] = k;
        write_list(heap, known, find_known(world, id_of, number_of, known), begin, other, r);
    }
    MO_FREE(own, known, index, r);
    return error;
}

/* Are there shapes other than centred balls, planes and boxes? */
static int has_solids(const mo_world *world)
{
    const mo_device_heap *heap = world->heap;
    int found = 0;
    for (int id = 0; id < heap->balls; ++id)
        found = found || !mo_device_is_round(world, heap->body[id]);
    for (int k = 0; k < heap->fixed_count; ++k)
        found = found || heap->fixed_here[k].kind == MO_FIXED_OTHER;
    return found;
}

mo_error mo_device_heap_send(mo_world *world)
{
    mo_device_heap *heap = world->heap;
    const mo_allocator *own = &world->allocator;
    const size_t living = (size_t)world->living_count;
    MO_FREE(own, heap->body, heap->shown, heap->fixed_place, heap->fixed_here);
    heap->body = mo_memory_array(own, living, sizeof *heap->body);
    heap->shown = mo_memory_array(own, living, sizeof *heap->shown);
    heap->fixed_place = mo_memory_array(own, MO_FIXED_MOST, sizeof *heap->fixed_place);
    heap->fixed_here = mo_memory_array(own, MO_FIXED_MOST, sizeof *heap->fixed_here);
    MO_NEED_MEMORY(heap->body && heap->shown && heap->fixed_place && heap->fixed_here, NULL);
    heap->balls = 0;
    for (int k = 0; k < world->living_count; ++k)
        if (world->body[world->living[k]].kind == MO_BODY_FREE)
            heap->body[heap->balls++] = world->living[k];
    heap->copies = world->copies > 0 ? world->copies : 1;
    heap->per_copy = heap->balls / heap->copies;
    list_fixed(world);
    heap->has_solids = has_solids(world);
    take_room(heap);
    mo_error error = send_balls(world);
    error = error ? error : send_forces(world);
    error = error ? error : send_contacts(world);
    error = error ? error : mo_device_error(heap->device, NULL);
    heap->is_there = !error;
    return error;
}
