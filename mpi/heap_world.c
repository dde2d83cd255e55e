/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * The world of a rank: a box, the rank's own bodies, and ghosts.
 *
 * Bodies stay in it from step to step and are removed or added as they come and go, so that their
 * places have no order; contacts are ordered by ids (mo_heap_key) where all ranks must agree.
 */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "heap.h"
#include "linalg/vec3.h"
#include "sim/pairs.h"

mo_error mo_heap_make_world(mo_heap *heap, mo_message *why)
{
    mo_world_def def = mo_default_world();
    mo_vec3_set(def.gravity, 0, 0, -heap->def.gravity);
    def.solver.tol = heap->def.tol;
    def.solver.max_iter = heap->def.max_iter;
    def.moving_tol = 0; /* the given tolerance applies to every step */
    MO_TRY(mo_world_create(&def, NULL, &heap->world, why));
    const mo_body_def fixed = mo_default_body(MO_BODY_FIXED);
    const mo_body_id box = mo_world_add_body(heap->world, &fixed, why);
    if (!box.index) return MO_ERR_MEMORY;
    for (int k = 0; k < MO_HEAP_WALLS; ++k) {
        mo_shape_def wall = heap->shapes.wall[k].def;
        wall.material.friction = heap->def.mu;
        wall.material.restitution = heap->def.restitution;
        if (!mo_world_add_shape(heap->world, box, &wall, why).index) return MO_ERR_MEMORY;
    }
    heap->world->body[mo_body_place(heap->world, box)].id = MO_HEAP_BOX;
    heap->team = mo_heap_team(heap);
    heap->world->team = &heap->team;
    return MO_OK;
}

/* ---- bodies --------------------------------------------------------------------------------- */

/* A shape of the table, with its density and friction; the place of its body in the world, or
 * MO_NONE. */
static int add_body(mo_heap *heap, const mo_heap_body *body, mo_message *why)
{
    mo_shape_def shape = mo_heap_shape_at(heap, body)->collider.def;
    mo_pose pose;
    shape.density = heap->def.density;
    shape.material.friction = heap->def.mu;
    shape.material.restitution = heap->def.restitution;
    mo_vec3_copy(body->at, pose.position);
    memcpy(pose.orientation, body->turn, sizeof pose.orientation);
    const mo_body_id made = mo_world_add_solid(heap->world, MO_BODY_FREE, &shape, &pose, why);
    const int place = mo_body_place(heap->world, made);
    if (place >= 0 && !MO_GROW(&heap->world->allocator, heap->owner, heap->owner_room,
                               (size_t)heap->world->body_places))
        return MO_NONE;
    return place;
}

static void set_state(mo_heap *heap, int place, const mo_heap_body *from)
{
    mo_sim_body *body = heap->world->body + place;
    const int is_ghost = from->rank != heap->rank;
    if (body->is_ghost != is_ghost) /* other pairs are this world's */
        heap->world->pairs_are_stale = 1;
    body->id = from->id;
    body->is_ghost = is_ghost;
    heap->owner[place] = from->rank;
    mo_vec3_copy(from->at, body->x);
    memcpy(body->orientation, from->turn, sizeof body->orientation);
    mo_vec3_copy(from->v, body->v);
    mo_vec3_copy(from->spin, body->v + 3);
}

/* A body that comes in the middle of a step is where it would be, had it been there. */
static void catch_up(mo_world *world, int place, double h)
{
    mo_sim_body *body = world->body + place;
    memcpy(body->start_v, body->v, sizeof body->v);
    mo_advance_body(world, body, h);
    memcpy(body->next_v, body->free_v, sizeof body->next_v);
    mo_body_let_go(body);
    mo_pairs_place(world, body->first_shape, h);
}

static int by_member_id(const void *a, const void *b)
{
    const uint32_t x = ((const mo_heap_member *)a)->id, y = ((const mo_heap_member *)b)->id;
    return (x > y) - (x < y);
}

static const mo_heap_body *body_of(const mo_heap *heap, const mo_heap_member *member)
{
    const int ghost = member->from - heap->count;
    return ghost < 0 ? heap->own + member->from : heap->ghost + ghost;
}

/* Own bodies and ghosts, by rising id. */
static void list_members(const mo_heap *heap, mo_heap_member *list, int count)
{
    for (int k = 0; k < count; ++k) {
        list[k] = (mo_heap_member){.from = k, .place = MO_NONE};
        list[k].id = body_of(heap, list + k)->id;
    }
    if (heap->ghost_count) qsort(list, (size_t)count, sizeof *list, by_member_id);
}

/* Members that are not in the list leave the world; the others keep their places. */
static void let_go(mo_heap *heap, mo_heap_member *list, int count)
{
    mo_world *world = heap->world;
    for (int m = 0, k = 0; m < heap->member_count; ++m) {
        const mo_heap_member *old = heap->member + m;
        while (k < count && list[k].id < old->id)
            ++k;
        if (k < count && list[k].id == old->id) {
            list[k].place = old->place;
        } else {
            world->contacts.count = 0; /* they are written again */
            heap->contacts_are_known = 0;
            mo_world_remove_body(world, mo_body_id_of(world, old->place), NULL);
        }
    }
}

static mo_error take_in(mo_heap *heap, mo_heap_member *member, int is_late, mo_message *why)
{
    const int is_new = member->place == MO_NONE, ghost = member->from - heap->count;
    if (is_new) {
        member->place = add_body(heap, body_of(heap, member), why);
        if (member->place == MO_NONE) return MO_ERR_MEMORY;
        heap->contacts_are_known = heap->contacts_are_known && is_late;
    }
    if (is_new || !is_late) set_state(heap, member->place, body_of(heap, member));
    if (is_new && is_late) catch_up(heap->world, member->place, heap->def.dt);
    *(ghost < 0 ? heap->place + member->from : heap->ghost_place + ghost) = member->place;
    return MO_OK;
}

mo_error mo_heap_enter(mo_heap *heap, int is_late, mo_message *why)
{
    const int count = heap->count + heap->ghost_count;
    mo_heap_member *list = malloc(((size_t)count + 1) * sizeof *list);
    free(heap->place);
    free(heap->ghost_place);
    heap->place = malloc(((size_t)heap->count + 1) * sizeof *heap->place);
    heap->ghost_place = malloc(((size_t)heap->ghost_count + 1) * sizeof *heap->ghost_place);
    mo_error error = list && heap->place && heap->ghost_place ? MO_OK : mo_fail_memory(why);
    if (!error) {
        list_members(heap, list, count);
        let_go(heap, list, count);
        free(heap->member);
        heap->member = list;
        heap->member_count = count;
    } else {
        free(list);
    }
    for (int k = 0; k < count && !error; ++k)
        error = take_in(heap, list + k, is_late, why);
    return error;
}

/* ---- contacts ------------------------------------------------------------------------------- */

/* The shape of a key in the world, or MO_NONE where its body is not there. */
static int shape_of(const mo_heap *heap, uint32_t number)
{
    if (number >= MO_HEAP_BOX) return (int)(number - MO_HEAP_BOX);
    const mo_heap_member key = {.id = number},
                         *found = bsearch(&key, heap->member, (size_t)heap->member_count,
                                          sizeof key, by_member_id);
    return found ? heap->world->body[found->place].first_shape : MO_NONE;
}

static int by_contact(const void *a, const void *b)
{
    return mo_contact_order(a, b);
}

mo_error mo_heap_write_contacts(mo_heap *heap)
{
    mo_world *world = heap->world;
    mo_sim_contacts *list = &world->contacts;
    if (!MO_GROW(&world->allocator, list->at, list->room, (size_t)heap->impulse_count + 1))
        return MO_ERR_MEMORY;
    list->count = 0;
    for (int k = 0; k < heap->impulse_count; ++k) {
        const mo_heap_impulse *from = heap->impulse + k;
        const int a = shape_of(heap, (uint32_t)(from->key >> 32)),
                  b = shape_of(heap, (uint32_t)from->key);
        if (a != MO_NONE && b != MO_NONE) {
            mo_sim_contact *to = list->at + list->count++;
            *to = (mo_sim_contact){.shape = {a, b},
                                   .body = {world->shape[a].body, world->shape[b].body},
                                   .feature = from->feature,
                                   .late = MO_NONE};
            mo_vec3_copy(from->r, to->impulse);
            mo_vec3_copy(from->slip, to->slip);
            mo_vec3_copy(from->normal, to->frame);
            mo_vec3_copy(from->point, to->point);
            to->held = from->held;
        }
    }
    qsort(list->at, (size_t)list->count, sizeof *list->at, by_contact);
    mo_contacts_forget_open(list);
    heap->contacts_are_known = 1;
    return MO_OK;
}

/* A contact of the world, by its key. */
typedef struct named {
    uint64_t key;
    uint32_t feature;
    int contact;
} named;

static int by_name(const void *a, const void *b)
{
    const named *x = a, *y = b;
    const int order = (x->key > y->key) - (x->key < y->key);
    return order ? order : (x->feature > y->feature) - (x->feature < y->feature);
}

uint32_t mo_heap_number(const mo_world *world, int shape)
{
    const mo_sim_body *body = world->body + world->shape[shape].body;
    return body->kind == MO_BODY_FIXED ? MO_HEAP_BOX + (uint32_t)shape : body->id;
}

static void sort_names(const mo_world *world, named *list)
{
    int is_sorted = 1;
    for (int k = 0; k < world->contacts.count; ++k) {
        const mo_sim_contact *c = world->contacts.at + k;
        list[k] = (named){
            mo_heap_key(mo_heap_number(world, c->shape[0]), mo_heap_number(world, c->shape[1])),
            c->feature, k};
        is_sorted = is_sorted && (k == 0 || by_name(list + k - 1, list + k) <= 0);
    }
    if (!is_sorted) qsort(list, (size_t)world->contacts.count, sizeof *list, by_name);
}

static void read_contacts(mo_heap *heap, const named *list)
{
    static const double NONE[3] = {0};
    heap->loaded_count = 0;
    heap->impulse_count = heap->world->contacts.count;
    for (int k = 0; k < heap->impulse_count; ++k) {
        const mo_sim_contact *c = heap->world->contacts.at + list[k].contact;
        mo_heap_impulse *to = heap->impulse + k;
        *to = (mo_heap_impulse){.key = list[k].key, .feature = list[k].feature};
        mo_vec3_copy(c->impulse, to->r);
        mo_vec3_copy(c->slip, to->slip);
        mo_vec3_copy(c->frame, to->normal);
        mo_vec3_copy(c->point, to->point);
        to->held = c->held;
        if (!mo_vec3_are_equal(c->impulse, NONE) || !mo_vec3_are_equal(c->impact, NONE))
            heap->loaded[heap->loaded_count++] = list[k].contact;
    }
}

/* Of each own body: contacts that it has to compute. */
static void count_contacts(mo_heap *heap)
{
    for (int b = 0; b < heap->count; ++b)
        heap->own[b].contacts = 0;
    for (int k = 0; k < heap->impulse_count; ++k) {
        const mo_heap_body key = {.id = mo_heap_key_owner(heap->impulse[k].key)};
        mo_heap_body *own =
            bsearch(&key, heap->own, (size_t)heap->count, sizeof key, mo_heap_by_id);
        if (own) ++own->contacts;
    }
}

mo_error mo_heap_read_world(mo_heap *heap)
{
    const mo_world *world = heap->world;
    const size_t contacts = (size_t)world->contacts.count + 1;
    for (int b = 0; b < heap->count; ++b) {
        const mo_sim_body *from = world->body + heap->place[b];
        mo_heap_body *to = heap->own + b;
        mo_vec3_copy(from->x, to->at);
        memcpy(to->turn, from->orientation, sizeof to->turn);
        mo_vec3_copy(from->v, to->v);
        mo_vec3_copy(from->v + 3, to->spin);
    }
    named *list = malloc(contacts * sizeof *list);
    mo_heap_impulse *impulse = realloc(heap->impulse, contacts * sizeof *impulse);
    heap->impulse = impulse ? impulse : heap->impulse;
    int *loaded = realloc(heap->loaded, contacts * sizeof *loaded);
    heap->loaded = loaded ? loaded : heap->loaded;
    if (list && impulse && loaded) {
        sort_names(world, list);
        read_contacts(heap, list);
        count_contacts(heap);
    }
    free(list);
    return list && impulse && loaded ? MO_OK : MO_ERR_MEMORY;
}
