/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* Copies bodies and contacts of a heap back from the device (device_heap.h). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "linalg/vec3.h"
#include "sim/device_heap_data.h"

static mo_world *changed(const mo_world *world)
{
    return (mo_world *)(uintptr_t)world; /* fetching does not change the world */
}

int mo_device_heap_is_away(const mo_world *world)
{
    return world->heap && world->heap->is_there;
}

const char *mo_device_heap_device(const mo_world *world)
{
    return mo_device_name(world->heap->device);
}

void mo_device_heap_fetch(const mo_world *world)
{
    mo_device_heap *heap = world ? world->heap : NULL;
    if (!heap || !heap->is_there || heap->has_bodies) return;
    const size_t n = (size_t)heap->balls;
    const mo_show_args show = {heap->ball[heap->side].at, heap->ball[!heap->side].at};
    mo_ball *ball = heap->shown;
    mo_device_launch(heap->device, MO_KERNEL_ball_show, heap->balls, &show);
    mo_device_read(heap->device, ball, show.by_id, n * sizeof *ball);
    for (int id = 0; !heap->device->error && id < heap->balls; ++id) {
        mo_sim_body *body = world->body + heap->body[id];
        memcpy(body->x, ball[id].x, sizeof body->x);
        memcpy(body->orientation, ball[id].q, sizeof body->orientation);
        memcpy(body->v, ball[id].v, sizeof body->v);
        memset(body->force, 0, sizeof body->force);
    }
    heap->has_bodies = !heap->device->error;
}

/*
 * The contacts of the last step as read.  Of balls, one and two are places; of solids two is an id,
 * whose contacts go from begin to end, and place_of has the place of each id.
 */
typedef struct fetched {
    mo_ball_near *near;
    mo_line *line;
    int *one, *two;
    double *r;
    mo_solid_point *point;
    int *begin, *end, *place_of;
} fetched;

static mo_contact_mode mode_of(const mo_sim_contact *c, mo_vec n, mo_vec r, mo_vec u)
{
    const double ON_CONE = 1e-7, SLIDING = 1e-8; /* as sim/assemble.c */
    const mo_split of_r = mo_split_of(r, n), of_u = mo_split_of(u, n);
    return !(of_r.N > 0) ? MO_CONTACT_APART
           : of_r.length >= c->mu * of_r.N * (1 - ON_CONE) && of_u.length > SLIDING
               ? MO_CONTACT_SLIDES
               : MO_CONTACT_STICKS;
}

/* A contact of the device: the impulse on the first, the velocity of the first less that of the
 * second. */
typedef struct device_contact {
    int one, two;
    uint32_t feature;
    mo_vec n, point, r, u;
    double gap, size;
} device_contact;

/* A contact of the world has its shapes in the order of their indices, with the normal from a to b.
 * */
static void write_contact(const mo_world *world, const fetched *f, const device_contact *c,
                          mo_sim_contact *out)
{
    const mo_device_heap *heap = world->heap;
    const int is_fixed = c->two >= heap->balls;
    const int shape_one = world->body[heap->body[f->near[c->one].id]].first_shape,
              shape_two = is_fixed ? heap->fixed_place[c->two - heap->balls]
                                   : world->body[heap->body[f->near[c->two].id]].first_shape;
    const int turned = shape_one < shape_two; /* then a is the first, and the impulse on b is -r */
    const double sign = turned ? -1 : 1;
    const int shapes[2] = {turned ? shape_one : shape_two, turned ? shape_two : shape_one};
    *out = (mo_sim_contact){.shape = {shapes[0], shapes[1]},
                            .body = {world->near[shapes[0]].body, world->near[shapes[1]].body},
                            .feature = c->feature,
                            .late = MO_NONE,
                            .gap = c->gap,
                            .size = c->size,
                            .mu = heap->mu[world->near[shapes[0]].surface * MO_FIXED_SURFACES +
                                           world->near[shapes[1]].surface]};
    mo_vec3_set(out->point, c->point.x, c->point.y, c->point.z);
    mo_vec3_set(out->impulse, sign * c->r.x, sign * c->r.y, sign * c->r.z);
    mo_vec3_set(out->velocity, sign * c->u.x, sign * c->u.y, sign * c->u.z);
    mo_vec3_set(out->frame, sign * c->n.x, sign * c->n.y, sign * c->n.z);
    mo_vec3_tangents(out->frame, out->frame + 3, out->frame + 6);
    out->mode = mode_of(out, c->n, c->r, c->u);
}

static void write_ball_contact(const mo_world *world, const fetched *f, int k, mo_sim_contact *out)
{
    const mo_device_heap *heap = world->heap;
    const mo_ball_near *own = f->near + f->one[k];
    const int two = f->two[k], is_fixed = two >= heap->balls;
    const mo_ball_touch t = is_fixed ? mo_touch_fixed(own, heap->fixed_here + (two - heap->balls))
                                     : mo_touch_balls(own, f->near + two);
    const double lever = own->radius + 0.5 * t.gap;
    const mo_side one = mo_side_read(f->line, f->one[k]), other = mo_side_read(f->line, two);
    const mo_ball_contact c = {t.n, -lever, is_fixed ? 0 : f->near[two].radius + 0.5 * t.gap, 0, 0};
    const device_contact contact = {.one = f->one[k],
                                    .two = two,
                                    .n = t.n,
                                    .point = mo_vec_along(mo_vec_at(own->x), -lever, t.n),
                                    .r = mo_vec_read(f->r, (size_t)heap->contacts, (size_t)k),
                                    .u = mo_slot_velocity(&c, &one, &other),
                                    .gap = t.gap,
                                    .size = t.size};
    write_contact(world, f, &contact, out);
}

/* The points of the pairs of one solid. */
static void write_solid_contacts(const mo_world *world, const fetched *f, int one)
{
    const mo_device_heap *heap = world->heap;
    const uint32_t id = f->near[one].id;
    const int shape_one = world->body[heap->body[id]].first_shape;
    for (int k = f->begin[id]; k < f->end[id]; ++k) {
        const mo_solid_point *p = f->point + k;
        const int other = f->two[k], is_fixed = other >= heap->balls,
                  two = is_fixed ? other : f->place_of[other],
                  shape_two = is_fixed ? heap->fixed_place[other - heap->balls]
                                       : world->body[heap->body[other]].first_shape;
        const mo_vec arm_1 = mo_vec_at(p->arm[0]), arm_2 = mo_vec_at(p->arm[1]);
        const device_contact contact = {.one = one,
                                        .two = two,
                                        .feature = p->touch.feature & MO_OWN_FEATURE,
                                        .n = mo_vec_at(p->touch.normal),
                                        .point = mo_vec_at(p->touch.point),
                                        .r = mo_vec_read(f->r, (size_t)heap->contacts, (size_t)k),
                                        .u = mo_vec_minus(mo_velocity_in(f->line, one, &arm_1),
                                                          mo_velocity_in(f->line, two, &arm_2)),
                                        .gap = p->touch.gap,
                                        .size = fmin(world->shape[shape_one].collider.size,
                                                     world->shape[shape_two].collider.size)};
        write_contact(world, f, &contact, world->contacts.at + k);
    }
}

static int by_shapes(const void *a, const void *b)
{
    return mo_contact_order(a, b);
}

/* Allocates all; false if memory runs out. `release` frees it. */
static int take_fetched(const mo_world *world, fetched *f)
{
    const mo_device_heap *heap = world->heap;
    const mo_allocator *own = &world->allocator;
    const size_t n = (size_t)heap->balls, count = (size_t)heap->contacts,
                 solids = heap->has_solids ? n : 0, points = heap->has_solids ? count : 0;
    *f = (fetched){.near = mo_memory_array(own, n, sizeof *f->near),
                   .line = mo_memory_array(own, n + (size_t)heap->fixed_count, sizeof *f->line),
                   .one = mo_memory_array(own, count - points, sizeof *f->one),
                   .two = mo_memory_array(own, count, sizeof *f->two),
                   .r = mo_memory_array(own, 3 * count, sizeof *f->r),
                   .point = mo_memory_array(own, points, sizeof *f->point),
                   .begin = mo_memory_array(own, solids, sizeof *f->begin),
                   .end = mo_memory_array(own, solids, sizeof *f->end),
                   .place_of = mo_memory_array(own, solids, sizeof *f->place_of)};
    return f->near && f->line && f->one && f->two && f->r && f->point && f->begin && f->end &&
           f->place_of;
}

static void release(const mo_allocator *own, const fetched *f)
{
    void *const all[] = {f->near,  f->line,  f->one, f->two,     f->r,
                         f->point, f->begin, f->end, f->place_of};
    for (size_t k = 0; k < sizeof all / sizeof *all; ++k)
        mo_memory_free(own, all[k]);
}

static void read_all(const mo_device_heap *heap, const fetched *f)
{
    mo_device *device = heap->device;
    const mo_device_heap_list *list = heap->list + heap->last;
    const size_t n = (size_t)heap->balls, count = (size_t)heap->contacts;
    mo_device_read(device, f->near, heap->near.at, n * sizeof *f->near);
    mo_device_read(device, f->line, heap->sweeps.line.at,
                   (n + (size_t)heap->fixed_count) * sizeof *f->line);
    mo_device_read(device, f->r, list->r.at, 3 * count * sizeof *f->r);
    if (!heap->has_solids) {
        mo_device_read(device, f->one, heap->one.at, count * sizeof *f->one);
        mo_device_read(device, f->two, heap->two.at, count * sizeof *f->two);
        return;
    }
    mo_device_read(device, f->two, list->other.at, count * sizeof *f->two);
    mo_device_read(device, f->point, list->point.at, count * sizeof *f->point);
    mo_device_read(device, f->begin, list->begin.at, n * sizeof *f->begin);
    mo_device_read(device, f->end, list->end.at, n * sizeof *f->end);
    for (int k = 0; !device->error && k < heap->balls; ++k)
        f->place_of[f->near[k].id] = k;
}

static void write_contacts(mo_world *world, const fetched *f)
{
    mo_device_heap *heap = world->heap;
    const int count = heap->has_solids ? heap->balls : heap->contacts;
    read_all(heap, f);
    for (int k = 0; !heap->device->error && k < count; ++k)
        if (heap->has_solids)
            write_solid_contacts(world, f, k);
        else
            write_ball_contact(world, f, k, world->contacts.at + k);
    if (heap->contacts > 0)
        qsort(world->contacts.at, (size_t)heap->contacts, sizeof *world->contacts.at, by_shapes);
    world->contacts.count = heap->contacts;
    mo_contacts_forget_open(&world->contacts);
    heap->has_contacts = 1;
}

mo_error mo_device_heap_fetch_contacts(const mo_world *constant)
{
    mo_world *world = changed(constant);
    mo_device_heap *heap = world ? world->heap : NULL;
    fetched f;
    if (!heap || !heap->is_there || heap->has_contacts) return MO_OK;
    const mo_allocator *own = &world->allocator;
    const int has_room =
        take_fetched(world, &f) &&
        MO_GROW(own, world->contacts.at, world->contacts.room, (size_t)heap->contacts);
    if (has_room) write_contacts(world, &f);
    release(own, &f);
    return has_room ? MO_OK : MO_ERR_MEMORY;
}

void mo_device_heap_bring_back(mo_world *world)
{
    mo_step_give_up(world);
    if (world && world->heap && world->heap->is_there) {
        mo_device_heap_fetch(world);
        if (mo_device_heap_fetch_contacts(world))
            world->contacts.count = 0; /* of an earlier step */
        world->heap->is_there = 0;
    }
}
