/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* A heap to the device and back: which worlds are one, bodies, fixed shapes, contacts. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "linalg/vec3.h"
#include "sim/device_heap_data.h"

enum {
    MANY = 10000, /* bodies from which on device = auto takes a GPU */
    FIXED_MOST = 64,
    BITS_LEAST = 2,
    BITS_MOST = 8
};
enum { DEVICE_AUTO, DEVICE_CPU, DEVICE_GPU };

/* ---- which worlds ---------------------------------------------------------------------------- */

static int takes_ball(const mo_world *world, int place, mo_message *why)
{
    const mo_sim_body *body = world->body + place;
    const mo_sim_shape *shape = world->shape + body->first_shape;
    const char *wrong = NULL;
    double off[3];
    if (body->shape_count != 1 || shape->collider.def.kind != MO_SHAPE_BALL) {
        wrong = "is not a ball";
    } else {
        mo_vec3_minus(shape->collider.def.pose.position, body->centre, off);
        wrong = mo_vec3_dot(off, off) != 0 || !body->is_ball ? "is not a ball about its centre"
                : shape->is_on_show                          ? "touches nothing"
                                                             : NULL;
    }
    if (wrong) {
        mo_say(why, "body %d '%.64s' %s", place, body->def.name ? body->def.name : "", wrong);
    }
    return !wrong;
}

static int takes_fixed(const mo_world *world, int place, int *count, mo_message *why)
{
    const mo_sim_body *body = world->body + place;
    for (int k = body->first_shape; k != MO_NONE; k = world->shape[k].next) {
        const mo_shape_kind kind = world->shape[k].collider.def.kind;
        if (world->shape[k].is_on_show) {
            continue;
        }
        if ((kind != MO_SHAPE_PLANE && kind != MO_SHAPE_BOX) || ++*count > FIXED_MOST) {
            mo_say(why, "body %d '%.64s' has a %s, or there are more than %d fixed shapes", place,
                   body->def.name ? body->def.name : "", mo_shape_name(kind), FIXED_MOST);
            return 0;
        }
    }
    return 1;
}

static int takes_surfaces(const mo_world *world, mo_message *why)
{
    const mo_surfaces *s = &world->surfaces;
    for (int k = 0; k < world->shape_places; ++k) {
        if (world->shape[k].generation && world->near[k].surface == MO_NONE) {
            mo_say(why, "there are more than %d different surfaces", MO_SURFACES);
            return 0;
        }
        const mo_shape_def *def = &world->shape[k].collider.def;
        if (world->shape[k].generation && (def->layer != 1 || !(def->mask & 1))) {
            mo_say(why, "layers keep shape %d from touching others", k);
            return 0;
        }
    }
    for (int i = 0; i < s->count * s->count; ++i) {
        const mo_material *both = &s->both[i / s->count][i % s->count];
        if (both->rolling > 0 || both->torsion > 0 || !isfinite(both->friction)) {
            mo_say(why, "a surface has rolling, torsional or unlimited friction");
            return 0;
        }
    }
    return 1;
}

static int takes_definition(const mo_world *world, mo_message *why)
{
    const mo_world_def *def = &world->def;
    const char *method = def->solver.method;
    const char *wrong = def->dimension != 3                ? "it is planar"
                        : def->level != MO_LEVEL_VELOCITY  ? "it is solved for accelerations"
                        : def->first_order > 0             ? "it is of first order"
                        : def->projection || def->sleeping ? "projection or sleeping is on"
                        : world->jointed_count > 0         ? "it has joints"
                        : world->mechanism_count > 0       ? "it has mechanisms"
                        : world->own_pair_count > 0 || world->excluded_count > 0
                            ? "pairs of shapes have rules of their own"
                        : !mo_uses_auto(world) && strcmp(method, "nsgs") != 0
                            ? "its method is neither auto nor nsgs"
                            : NULL;
    if (wrong) {
        mo_say(why, "%s", wrong);
    }
    return !wrong;
}

int mo_device_heap_takes(const mo_world *world, mo_message *why)
{
    int fixed = 0, balls = 0;
    if (!takes_definition(world, why) || !takes_surfaces(world, why)) {
        return 0;
    }
    for (int k = 0; k < world->living_count; ++k) {
        const int place = world->living[k];
        const mo_body_kind kind = world->body[place].kind;
        if (kind == MO_BODY_FREE && !takes_ball(world, place, why)) {
            return 0;
        }
        if (kind == MO_BODY_FIXED && !takes_fixed(world, place, &fixed, why)) {
            return 0;
        }
        if (kind != MO_BODY_FREE && kind != MO_BODY_FIXED) {
            mo_say(why, "body %d '%.64s' is driven", place,
                   world->body[place].def.name ? world->body[place].def.name : "");
            return 0;
        }
        balls += kind == MO_BODY_FREE;
    }
    if (balls == 0) {
        mo_say(why, "nothing moves");
    }
    return balls > 0;
}

int mo_device_heap_is_due(mo_world *world, mo_error *error, mo_message *why)
{
    mo_device_heap *heap = world->heap;
    const int asked = world->def.solver.device;
    const int is_given = heap && heap->is_given;
    mo_device *device;
    *error = MO_OK;
    if (heap && heap->is_there) {
        return 1;
    }
    world->device_note = (mo_message){""};
    if (!is_given && asked == DEVICE_GPU) {
        *error = mo_device_find_gpu(why);
    }
    const int is_wanted =
        is_given || asked == DEVICE_GPU ||
        (asked == DEVICE_AUTO && world->living_count >= MANY && mo_device_has_gpu());
    if (*error || !is_wanted || !mo_device_heap_takes(world, &world->device_note)) {
        return 0;
    }
    if (!heap) {
        *error = mo_device_open_gpu(&world->allocator, &device, why);
        *error = *error ? *error : mo_device_heap_begin(world, device, 0);
    }
    return !*error;
}

/* ---- coming and going ------------------------------------------------------------------------ */

mo_error mo_device_heap_begin(mo_world *world, mo_device *device, int is_given)
{
    mo_device_heap *heap = mo_memory_array(&world->allocator, 1, sizeof *heap);
    mo_device_heap_end(world);
    if (!heap) {
        mo_device_close(device);
        return MO_ERR_MEMORY;
    }
    *heap = (mo_device_heap){
        .device = device, .is_given = is_given, .has_bodies = 1, .has_contacts = 1};
    mo_device_sweeps_begin(device, &heap->sweeps);
    world->heap = heap;
    return MO_OK;
}

void mo_device_heap_end(mo_world *world)
{
    mo_device_heap *heap = world->heap;
    if (!heap) {
        return;
    }
    mo_device_heap_bring_back(world);
    mo_device *device = heap->device;
    mo_buffer *const all[] = {
        heap->ball,          heap->ball + 1,      &heap->near,       &heap->free_line,
        &heap->fixed,        &heap->id,           &heap->shown,      &heap->key,
        &heap->order,        &heap->bucket_start, &heap->count,      &heap->start,
        &heap->figures,      &heap->partial,      &heap->one,        &heap->two,
        &heap->match,        &heap->slot_key,     &heap->slot_order, &heap->slot_start,
        &heap->slot_numbers, &heap->slot_indices, &heap->rest};
    for (size_t k = 0; k < sizeof all / sizeof *all; ++k) {
        mo_buffer_free(device, all[k]);
    }
    for (int k = 0; k < 2; ++k) {
        mo_buffer_free(device, &heap->list[k].begin);
        mo_buffer_free(device, &heap->list[k].end);
        mo_buffer_free(device, &heap->list[k].other);
        mo_buffer_free(device, &heap->list[k].r);
    }
    mo_device_colouring_end(device, &heap->colouring);
    mo_device_sweeps_end(&heap->sweeps);
    mo_device_close(device);
    mo_memory_free(&world->allocator, heap->body);
    mo_memory_free(&world->allocator, heap->fixed_place);
    mo_memory_free(&world->allocator, heap->fixed_here);
    mo_memory_free(&world->allocator, heap);
    world->heap = NULL;
}

/* ---- to the device --------------------------------------------------------------------------- */

static mo_ball ball_of(const mo_world *world, int place, uint32_t id)
{
    const mo_sim_body *body = world->body + place;
    mo_ball ball = {.mass = body->mass,
                    .inertia = body->inertia[0],
                    .radius = world->shape[body->first_shape].collider.def.radius,
                    .linear_damping = body->def.linear_damping,
                    .angular_damping = body->def.angular_damping,
                    .id = id,
                    .surface = (uint32_t)world->near[body->first_shape].surface};
    memcpy(ball.x, body->x, sizeof ball.x);
    memcpy(ball.q, body->orientation, sizeof ball.q);
    memcpy(ball.v, body->v, sizeof ball.v);
    memcpy(ball.force, body->force, sizeof ball.force);
    return ball;
}

static mo_fixed_shape fixed_of(const mo_world *world, int place)
{
    const mo_sim_shape *shape = world->shape + place;
    const mo_pose pose = mo_shape_pose(world->body + shape->body, shape);
    mo_fixed_shape fixed = {.kind = shape->collider.def.kind == MO_SHAPE_PLANE ? MO_FIXED_PLANE
                                                                               : MO_FIXED_BOX,
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
}

/* Buckets as many as balls, or up to eight times as many. */
static void take_room(mo_device_heap *heap)
{
    mo_device *device = heap->device;
    const size_t n = (size_t)heap->balls, lines = n + (size_t)heap->fixed_count;
    heap->bits = BITS_LEAST;
    while (heap->bits < BITS_MOST && (size_t)1 << 3 * heap->bits < n) {
        ++heap->bits;
    }
    MO_TAKE_BUFFER(device, heap->ball, n, mo_ball);
    MO_TAKE_BUFFER(device, heap->ball + 1, n, mo_ball);
    MO_TAKE_BUFFER(device, &heap->near, n, mo_ball_near);
    MO_TAKE_BUFFER(device, &heap->id, n, uint32_t);
    MO_TAKE_BUFFER(device, &heap->free_line, lines, mo_line);
    MO_TAKE_BUFFER(device, &heap->key, n, uint32_t);
    MO_TAKE_BUFFER(device, &heap->order, n, int);
    MO_TAKE_BUFFER(device, &heap->bucket_start, ((size_t)1 << 3 * heap->bits) + 1, int);
    MO_TAKE_BUFFER(device, &heap->count, n, int);
    MO_TAKE_BUFFER(device, &heap->start, n + 1, int);
    MO_TAKE_BUFFER(device, &heap->figures, 1, mo_heap_figures);
    MO_TAKE_BUFFER(device, &heap->slot_start, (n / MO_PATCH + 2) * MO_COLOURS + 1, int);
    for (int k = 0; k < 2; ++k) {
        MO_TAKE_BUFFER(device, &heap->list[k].begin, n, int);
        MO_TAKE_BUFFER(device, &heap->list[k].end, n, int);
    }
    mo_device_clear(device, heap->figures.at, sizeof(mo_heap_figures));
}

static mo_error send_balls(mo_world *world)
{
    mo_device_heap *heap = world->heap;
    mo_ball *ball = mo_memory_array(&world->allocator, (size_t)heap->balls, sizeof *ball);
    if (!ball) {
        return MO_ERR_MEMORY;
    }
    heap->largest = 0;
    heap->least = INFINITY;
    for (int id = 0; id < heap->balls; ++id) {
        ball[id] = ball_of(world, heap->body[id], (uint32_t)id);
        heap->largest = fmax(heap->largest, ball[id].radius);
        heap->least = fmin(heap->least, ball[id].radius);
    }
    heap->side = 0;
    mo_device_write(heap->device, heap->ball[0].at, ball, (size_t)heap->balls * sizeof *ball);
    mo_memory_free(&world->allocator, ball);
    return MO_OK;
}

/* A contact of the world as the device knows it: the id that owns it, the other, the impulse on
 * the first. */
typedef struct known_contact {
    int owner, other;
    double r[3];
} known_contact;

static int by_owner(const void *a, const void *b)
{
    const known_contact *x = a, *y = b;
    return x->owner != y->owner ? (x->owner > y->owner ? 1 : -1)
                                : (x->other > y->other) - (x->other < y->other);
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
        *own = (known_contact){.owner = id[first], .other = id[!first]};
        mo_vec3_scale(first == 1 ? 1 : -1, c->impulse, own->r);
    }
    qsort(known, (size_t)count, sizeof *known, by_owner);
    return count;
}

static void write_list(mo_device_heap *heap, const known_contact *known, int count, int *begin,
                       int *other, double *r)
{
    mo_device_heap_list *list = heap->list + heap->last;
    const size_t apart = (size_t)count, n = (size_t)heap->balls;
    int k = 0;
    for (int id = 0; id <= heap->balls; ++id) {
        while (k < count && known[k].owner < id) {
            ++k;
        }
        begin[id] = k;
    }
    for (int c = 0; c < count; ++c) {
        other[c] = known[c].other;
        for (size_t x = 0; x < 3; ++x) {
            r[x * apart + (size_t)c] = known[c].r[x];
        }
    }
    list->apart = apart;
    mo_device_write(heap->device, list->begin.at, begin, n * sizeof *begin);
    mo_device_write(heap->device, list->end.at, begin + 1, n * sizeof *begin);
    mo_device_write(heap->device, MO_TAKE_BUFFER(heap->device, &list->other, count, int), other,
                    apart * sizeof *other);
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
        for (int id = 0; id < heap->balls; ++id) {
            id_of[heap->body[id]] = id;
        }
        for (int k = 0; k < heap->fixed_count; ++k) {
            number_of[heap->fixed_place[k]] = k;
        }
        write_list(heap, known, find_known(world, id_of, number_of, known), begin, other, r);
    }
    mo_memory_free(own, known);
    mo_memory_free(own, index);
    mo_memory_free(own, r);
    return error;
}

mo_error mo_device_heap_send(mo_world *world)
{
    mo_device_heap *heap = world->heap;
    const mo_allocator *own = &world->allocator;
    const size_t living = (size_t)world->living_count;
    mo_memory_free(own, heap->body);
    mo_memory_free(own, heap->fixed_place);
    mo_memory_free(own, heap->fixed_here);
    heap->body = mo_memory_array(own, living, sizeof *heap->body);
    heap->fixed_place = mo_memory_array(own, FIXED_MOST, sizeof *heap->fixed_place);
    heap->fixed_here = mo_memory_array(own, FIXED_MOST, sizeof *heap->fixed_here);
    if (!heap->body || !heap->fixed_place || !heap->fixed_here) {
        return MO_ERR_MEMORY;
    }
    heap->balls = 0;
    for (int k = 0; k < world->living_count; ++k) {
        if (world->body[world->living[k]].kind == MO_BODY_FREE) {
            heap->body[heap->balls++] = world->living[k];
        }
    }
    list_fixed(world);
    take_room(heap);
    mo_error error = send_balls(world);
    error = error ? error : send_contacts(world);
    error = error ? error : mo_device_error(heap->device, NULL);
    heap->is_there = !error;
    return error;
}

/* ---- back from the device -------------------------------------------------------------------- */

static mo_world *changed(const mo_world *world)
{
    return (mo_world *)(uintptr_t)world; /* what is fetched is what it is: the world is the same */
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
    if (!heap || !heap->is_there || heap->has_bodies) {
        return;
    }
    const size_t n = (size_t)heap->balls;
    const mo_show_args show = {heap->ball[heap->side].at,
                               MO_TAKE_BUFFER(heap->device, &heap->shown, n, mo_ball)};
    mo_ball *ball = mo_memory_array(&world->allocator, n, sizeof *ball);
    mo_device_launch(heap->device, MO_KERNEL_ball_show, heap->balls, &show);
    if (ball) {
        mo_device_read(heap->device, ball, heap->shown.at, n * sizeof *ball);
    }
    for (int id = 0; ball && !heap->device->error && id < heap->balls; ++id) {
        mo_sim_body *body = world->body + heap->body[id];
        memcpy(body->x, ball[id].x, sizeof body->x);
        memcpy(body->orientation, ball[id].q, sizeof body->orientation);
        memcpy(body->v, ball[id].v, sizeof body->v);
        memset(body->force, 0, sizeof body->force);
    }
    heap->has_bodies = ball && !heap->device->error;
    mo_memory_free(&world->allocator, ball);
}

/* What is read of the contacts of the last step. */
typedef struct fetched {
    mo_ball_near *near;
    mo_line *line;
    int *one, *two;
    double *r;
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

/* The world's contact lies between shapes in the order of their places, its normal from a to b. */
static void write_contact(const mo_world *world, const fetched *f, int k, mo_sim_contact *out)
{
    const mo_device_heap *heap = world->heap;
    const mo_ball_near *own = f->near + f->one[k];
    const int two = f->two[k], is_fixed = two >= heap->balls;
    const mo_ball_touch t = is_fixed ? mo_touch_fixed(own, heap->fixed_here + (two - heap->balls))
                                     : mo_touch_balls(own, f->near + two);
    const size_t apart = (size_t)heap->contacts;
    const int shape_one = world->body[heap->body[own->id]].first_shape,
              shape_two = is_fixed ? heap->fixed_place[two - heap->balls]
                                   : world->body[heap->body[f->near[two].id]].first_shape;
    const int turned = shape_one < shape_two; /* then a is the first, and the impulse on b is -r */
    const double sign = turned ? -1 : 1, lever = own->radius + 0.5 * t.gap;
    const mo_side one = mo_side_read(f->line, f->one[k]), other = mo_side_read(f->line, two);
    const mo_ball_contact c = {t.n, -lever, is_fixed ? 0 : f->near[two].radius + 0.5 * t.gap, 0, 0};
    const mo_vec u = mo_slot_velocity(&c, &one, &other), r = mo_vec_read(f->r, apart, (size_t)k),
                 point = mo_vec_along(mo_vec_at(own->x), -lever, t.n);
    const int shapes[2] = {turned ? shape_one : shape_two, turned ? shape_two : shape_one};
    *out = (mo_sim_contact){.shape = {shapes[0], shapes[1]},
                            .body = {world->near[shapes[0]].body, world->near[shapes[1]].body},
                            .gap = t.gap,
                            .size = t.size,
                            .mu = heap->mu[world->near[shapes[0]].surface * MO_FIXED_SURFACES +
                                           world->near[shapes[1]].surface]};
    mo_vec3_set(out->point, point.x, point.y, point.z);
    mo_vec3_set(out->impulse, sign * r.x, sign * r.y, sign * r.z);
    mo_vec3_set(out->velocity, sign * u.x, sign * u.y, sign * u.z);
    mo_vec3_set(out->frame, sign * t.n.x, sign * t.n.y, sign * t.n.z);
    mo_vec3_tangents(out->frame, out->frame + 3, out->frame + 6);
    out->mode = mode_of(out, t.n, r, u);
}

static int by_shapes(const void *a, const void *b)
{
    const mo_sim_contact *x = a, *y = b;
    const int side = x->shape[0] == y->shape[0];
    return (x->shape[side] > y->shape[side]) - (x->shape[side] < y->shape[side]);
}

static void write_contacts(mo_world *world, const fetched *f)
{
    mo_device_heap *heap = world->heap;
    const size_t n = (size_t)heap->balls, count = (size_t)heap->contacts;
    mo_device_read(heap->device, f->near, heap->near.at, n * sizeof *f->near);
    mo_device_read(heap->device, f->line, heap->sweeps.line.at,
                   (n + (size_t)heap->fixed_count) * sizeof *f->line);
    mo_device_read(heap->device, f->one, heap->one.at, count * sizeof *f->one);
    mo_device_read(heap->device, f->two, heap->two.at, count * sizeof *f->two);
    mo_device_read(heap->device, f->r, heap->list[heap->last].r.at, 3 * count * sizeof *f->r);
    for (int k = 0; !heap->device->error && k < heap->contacts; ++k) {
        write_contact(world, f, k, world->contacts.at + k);
    }
    if (count > 0) {
        qsort(world->contacts.at, count, sizeof *world->contacts.at, by_shapes);
    }
    world->contacts.count = heap->contacts;
    mo_contacts_forget_open(&world->contacts);
    heap->has_contacts = 1;
}

mo_error mo_device_heap_fetch_contacts(const mo_world *constant)
{
    mo_world *world = changed(constant);
    mo_device_heap *heap = world ? world->heap : NULL;
    if (!heap || !heap->is_there || heap->has_contacts) {
        return MO_OK;
    }
    const mo_allocator *own = &world->allocator;
    const size_t n = (size_t)heap->balls, count = (size_t)heap->contacts;
    const fetched f = {.near = mo_memory_array(own, n, sizeof *f.near),
                       .line = mo_memory_array(own, n + (size_t)heap->fixed_count, sizeof *f.line),
                       .one = mo_memory_array(own, count, sizeof *f.one),
                       .two = mo_memory_array(own, count, sizeof *f.two),
                       .r = mo_memory_array(own, 3 * count, sizeof *f.r)};
    const int has_room = f.near && f.line && f.one && f.two && f.r &&
                         mo_memory_grow(own, (void **)&world->contacts.at, &world->contacts.room,
                                        count, sizeof *world->contacts.at);
    if (has_room) {
        write_contacts(world, &f);
    }
    mo_memory_free(own, f.near);
    mo_memory_free(own, f.line);
    mo_memory_free(own, f.one);
    mo_memory_free(own, f.two);
    mo_memory_free(own, f.r);
    return has_room ? MO_OK : MO_ERR_MEMORY;
}

void mo_device_heap_bring_back(mo_world *world)
{
    if (world && world->heap && world->heap->is_there) {
        mo_device_heap_fetch(world);
        mo_device_heap_fetch_contacts(world);
        world->heap->is_there = 0;
    }
}
