/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * The kinds of solids to the device (device_heap.h): shapes with their hulls, and inertias.  Bodies
 * with the same numbers share one.
 */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "linalg/vec3.h"
#include "sim/device_heap_data.h"

int mo_device_is_round(const mo_world *world, int place)
{
    const mo_sim_body *body = world->body + place;
    const mo_collider *c = &world->shape[body->first_shape].collider;
    return c->def.kind == MO_SHAPE_BALL && body->is_ball &&
           mo_vec3_are_equal(c->def.pose.position, body->centre);
}

/* ---- kinds ----------------------------------------------------------------------------------- */

/* Data by which colliders are compared: all that the narrow phase reads except the hull. */
static mo_collider plain_collider(const mo_collider *from)
{
    mo_collider c;
    memset(&c, 0, sizeof c);
    c.def.kind = from->def.kind;
    c.def.radius = from->def.radius;
    memcpy(c.def.half, from->def.half, sizeof c.def.half);
    memcpy(c.def.ends, from->def.ends, sizeof c.def.ends);
    c.size = from->size;
    c.hull = from->hull;
    return c;
}

static mo_solid solid_of(const mo_world *world, int place)
{
    const mo_sim_body *body = world->body + place;
    const mo_collider *from = &world->shape[body->first_shape].collider;
    mo_solid s;
    memset(&s, 0, sizeof s);
    s.collider = plain_collider(from);
    mo_vec3_minus(from->def.pose.position, body->centre, s.in_body.position);
    memcpy(s.in_body.orientation, from->def.pose.orientation, sizeof s.in_body.orientation);
    memcpy(s.inertia, body->inertia, sizeof s.inertia);
    s.is_isotropic = body->is_ball;
    s.is_round = mo_device_is_round(world, place);
    return s;
}

static mo_solid fixed_solid(const mo_world *world, int place, int first_free)
{
    const mo_sim_shape *shape = world->shape + place;
    mo_solid s;
    memset(&s, 0, sizeof s);
    s.collider = plain_collider(&shape->collider);
    s.in_body = mo_shape_pose(world->body + shape->body, shape);
    s.is_first = place < first_free;
    return s;
}

/* Byte by byte, padding too, which was cleared.  Of boxes: hulls with the same half edges are
 * the same. */
static int are_same(const mo_solid *one, const mo_solid *other)
{
    mo_solid a, b;
    memcpy(&a, one, sizeof a);
    memcpy(&b, other, sizeof b);
    if (a.collider.def.kind == MO_SHAPE_BOX && b.collider.def.kind == MO_SHAPE_BOX)
        a.collider.hull = b.collider.hull = NULL;
    return memcmp((const char *)&a, (const char *)&b, sizeof a) == 0;
}

/* ---- hulls ----------------------------------------------------------------------------------- */

/* An array of a hull in the bytes that go over; its place there.  Without `to` it is counted. */
static void *put(char *to, size_t *at, const void *at_device, const void *from, size_t bytes)
{
    const size_t place = *at;
    *at += (bytes + 15) / 16 * 16;
    if (to && bytes > 0) memcpy(to + place, from, bytes);
    return (void *)((uintptr_t)at_device + place);
}

/* The hull as it is on the device, where the bytes start at at_device. */
static mo_hull *put_hull(char *to, size_t *at, const void *at_device, const mo_hull *hull)
{
    mo_hull own = *hull;
    const size_t vertices = (size_t)hull->vertex_count, faces = (size_t)hull->face_count,
                 corners = (size_t)hull->face_start[faces],
                 ring = (size_t)hull->ring_start[vertices];
    own.vertex = put(to, at, at_device, hull->vertex, vertices * sizeof *hull->vertex);
    own.plane = put(to, at, at_device, hull->plane, faces * sizeof *hull->plane);
    own.face_start = put(to, at, at_device, hull->face_start, (faces + 1) * sizeof(int));
    own.face_vertex = put(to, at, at_device, hull->face_vertex, corners * sizeof(int));
    own.ring_start = put(to, at, at_device, hull->ring_start, (vertices + 1) * sizeof(int));
    own.ring_vertex = put(to, at, at_device, hull->ring_vertex, ring * sizeof(int));
    own.ring_face = put(to, at, at_device, hull->ring_face, ring * sizeof(int));
    own.ring_edge = put(to, at, at_device, hull->ring_edge, ring * sizeof *hull->ring_edge);
    own.edge = NULL;
    return put(to, at, at_device, &own, sizeof own);
}

static size_t put_hulls(char *to, const void *at_device, mo_solid *solid, int count)
{
    size_t at = 0;
    for (int k = 0; k < count; ++k) {
        if (solid[k].collider.hull) {
            mo_hull *there = put_hull(to, &at, at_device, solid[k].collider.hull);
            solid[k].collider.hull = to ? there : solid[k].collider.hull;
        }
    }
    return at;
}

/* ---- entry points ---------------------------------------------------------------------------- */

/* Kinds of the bodies first, then each fixed shape.  Returns the number of kinds of bodies. */
static int find_kinds(const mo_world *world, mo_ball *ball, mo_solid *kind)
{
    const mo_device_heap *heap = world->heap;
    enum {
        LOOK_BACK = 8
    }; /* kinds that a body is compared with: heaps have few kinds, or all bodies differ */
    int count = 0;
    for (int id = 0; id < heap->balls; ++id) {
        const mo_solid own = solid_of(world, heap->body[id]);
        int at = count - 1;
        while (at >= 0 && at >= count - LOOK_BACK && !are_same(kind + at, &own))
            --at;
        const int is_known = at >= 0 && at >= count - LOOK_BACK;
        if (!is_known) kind[count] = own;
        ball[id].solid = (uint32_t)(is_known ? at : count++);
    }
    const int first_free = world->body[heap->body[0]].first_shape;
    for (int k = 0; k < heap->fixed_count; ++k)
        kind[count + k] = fixed_solid(world, heap->fixed_place[k], first_free);
    return count;
}

mo_error mo_device_solids_send(mo_world *world, mo_ball *ball)
{
    mo_device_heap *heap = world->heap;
    mo_device *device = heap->device;
    const mo_allocator *own = &world->allocator;
    const size_t room = (size_t)heap->balls + (size_t)heap->fixed_count;
    mo_solid *kind = mo_memory_array(own, room, sizeof *kind);
    MO_NEED_MEMORY(kind, NULL);
    const int count = find_kinds(world, ball, kind), all = count + heap->fixed_count;
    const size_t bytes = put_hulls(NULL, NULL, kind, all);
    char *hulls = mo_memory_array(own, bytes + 1, 1);
    if (hulls) {
        put_hulls(hulls, MO_TAKE_BUFFER(device, &heap->hulls, bytes, char), kind, all);
        mo_device_write(device, heap->hulls.at, hulls, bytes);
        mo_device_write(device, MO_TAKE_BUFFER(device, &heap->solid, count, mo_solid), kind,
                        (size_t)count * sizeof *kind);
        mo_device_write(device,
                        MO_TAKE_BUFFER(device, &heap->fixed_solid, heap->fixed_count, mo_solid),
                        kind + count, (size_t)heap->fixed_count * sizeof *kind);
    }
    MO_FREE(own, kind, hulls);
    return hulls ? MO_OK : MO_ERR_MEMORY;
}
