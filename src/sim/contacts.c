/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * From positions to contacts.
 *
 * The narrow phase computes the contact points of each pair of shapes (pairs.c), in the order of
 * the pairs.  contacts_take.c selects those that take part in the step.  If a solve makes a body
 * faster than its bounding box allows for, its pairs are searched again.
 *
 * Contacts of the last step pass on their impulses (contacts_match.c).
 */
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "base/error.h"
#include "base/pace.h"
#include "linalg/dense.h"
#include "linalg/vec3.h"
#include "sim/device_heap.h"
#include "sim/pairs.h"

/* Of the least margin: how far a shape may move beyond its predicted motion without closing a gap
 * outside the margin. */
static const double LOOKS_AGAIN = 0.5;

static const double DEEP = 0.25; /* of the smaller shape: an overlap that no step leaves behind */
enum { MOST_DEEP = 16 };         /* pairs of a body that overlap deeply */

/* Between shapes that nearly touch, a normal is a unit vector to a few digits only. */
static void set_frame(const mo_world *world, const double normal[3], double frame[9])
{
    mo_vec3_scale(1 / mo_vec3_norm(normal), normal, frame);
    if (mo_is_planar(world)) {
        mo_vec3_set(frame + 3, -frame[1], frame[0], 0);
        mo_vec3_set(frame + 6, 0, 0, 1);
    } else {
        mo_vec3_tangents(frame, frame + 3, frame + 6);
    }
}

/* A contact of the pair before its point is known. */
static mo_sim_contact contact_of(const mo_world *world, const mo_pair *pair)
{
    const mo_shape_near *a = world->near + pair->a, *b = world->near + pair->b;
    mo_material own;
    const mo_material *both = mo_surface_between(world, pair->a, pair->b, &own);
    return (mo_sim_contact){.shape = {pair->a, pair->b},
                            .body = {a->body, b->body},
                            .is_new = 1,
                            .late = MO_NONE,
                            .size = a->size < b->size ? a->size : b->size,
                            .mu = both->friction,
                            .restitution = both->restitution,
                            .rolling = both->rolling,
                            .torsion = both->torsion};
}

/* Contacts of one pair: what they share is found once. */
static mo_error add_touches(mo_world *world, const mo_pair *pair, const mo_touch *touch, int count,
                            mo_sim_contacts *list)
{
    MO_FAIL_IF(
        !MO_GROW(&world->allocator, list->at, list->room, (size_t)list->count + (size_t)count),
        MO_ERR_MEMORY);
    mo_sim_contact *first = list->at + list->count;
    for (int i = 0; i < count; ++i, ++touch) {
        mo_sim_contact *contact = first + i;
        const int is_turned =
            i == 0 || !(mo_distance_square(3, touch->normal, touch[-1].normal) <= 0);
        mo_prefetch(contact + MO_AHEAD, sizeof *contact);
        *contact = i == 0 ? contact_of(world, pair) : contact[-1];
        contact->feature = touch->feature;
        contact->gap = touch->gap;
        mo_vec3_copy(touch->point, contact->point);
        if (is_turned) set_frame(world, touch->normal, contact->frame);
    }
    list->count += count;
    return MO_OK;
}

/* Points of a face: their normal forces resist rolling, and a rolling moment at each would be
 * redundant. */
enum { FACE = 3 };

static void sort_by_feature(mo_touch *touch, int count)
{
    for (int k = 1; k < count; ++k) {
        const mo_touch own = touch[k];
        int at = k;
        for (; at > 0 && touch[at - 1].feature > own.feature; --at)
            touch[at] = touch[at - 1];
        touch[at] = own;
    }
}

/* All of world->touches. */
static mo_error add_contacts(mo_world *world, const mo_pair *pair, mo_sim_contacts *list)
{
    const int first = list->count;
    const mo_touch_list *touches = &world->touches;
    MO_FAIL_IF(touches->count > 0 && add_touches(world, pair, touches->touch, touches->count, list),
               MO_ERR_MEMORY);
    if (list->count >= first + FACE)
        for (int k = first; k < list->count && list->at[k].rolling > 0; ++k)
            list->at[k].rolling = list->at[k].torsion = 0; /* never both */
    return world->touches.is_short ? MO_ERR_MEMORY : MO_OK;
}

mo_error mo_contacts_collide(mo_world *world, const mo_pair *pair, const mo_pose at[2],
                             const double *normal, double margin, mo_sim_contacts *list)
{
    const mo_sim_shape *a = world->shape + pair->a, *b = world->shape + pair->b;
    world->touches.count = world->touches.is_short = 0;
    world->touches.last_normal = normal;
    mo_collide_at(&a->collider, at, &b->collider, at + 1, margin, &world->touches);
    world->touches.last_normal = NULL;
    sort_by_feature(world->touches.touch, world->touches.count);
    return add_contacts(world, pair, list);
}

static mo_error collide_balls(mo_world *world, const mo_pair *pair, mo_sim_contacts *list)
{
    const mo_shape_near *a = world->near + pair->a, *b = world->near + pair->b;
    mo_touch touch;
    const int meet =
        mo_touch_of_balls(a->x, a->size, b->x, b->size, mo_pair_reach(world, pair), &touch);
    return meet ? add_touches(world, pair, &touch, 1, list) : MO_OK;
}

/* Bodies that start at one place overlap in n^2 / 2 pairs, of which a few per body are sufficient:
 * a deeply overlapping pair is left out if both bodies have enough of them. */
static int is_one_too_many(mo_world *world, const mo_sim_contact *contact, int count)
{
    int is_deep = 0;
    if (world->team) /* which has no order of pairs to count in */
        return 0;
    for (int k = 0; k < count; ++k)
        is_deep |= contact[k].gap < -DEEP * contact[k].size;
    if (!is_deep) return 0;
    int *a = world->step.crowd + contact->body[0], *b = world->step.crowd + contact->body[1];
    if (*a >= MOST_DEEP && *b >= MOST_DEEP) return 1;
    ++*a;
    ++*b;
    return 0;
}

/* last: the contacts of the pair in the last step. */
static mo_error collide_shapes(mo_world *world, const mo_pair *pair, const mo_sim_contact *last,
                               int last_count, mo_sim_contacts *list)
{
    const int first = list->count;
    if (world->near[pair->a].is_round && world->near[pair->b].is_round && !mo_is_planar(world))
        return collide_balls(world, pair, list);
    const mo_pose at[2] = {world->shape[pair->a].pose, world->shape[pair->b].pose};
    const double reach = mo_pair_reach(world, pair);
    if (last && mo_contacts_hold(world, at, last, last_count, reach)) {
        const mo_error error = add_contacts(world, pair, list);
        for (int k = first; k < list->count; ++k)
            list->at[k].held = last[k - first].held;
        return error;
    }
    const double *normal = last ? last->frame : NULL;
    const mo_error error = mo_contacts_collide(world, pair, at, normal, reach, list);
    if (list->count > first) list->at[first].held.reach = reach;
    return error;
}

static mo_error collide_pair(mo_world *world, const mo_pair *pair, const mo_sim_contact *last,
                             int last_count, mo_sim_contacts *list)
{
    const int first = list->count;
    const mo_error error = collide_shapes(world, pair, last, last_count, list);
    if (!error && list->count > first &&
        is_one_too_many(world, list->at + first, list->count - first)) {
        list->count = first;
        world->step.left_out++;
    }
    return error;
}

/* No body has overlaps yet. */
static mo_error clear_crowd(mo_world *world)
{
    const size_t bodies = (size_t)world->body_places;
    MO_FAIL_IF(!MO_GROW(&world->allocator, world->step.crowd, world->step.crowd_room, bodies),
               MO_ERR_MEMORY);
    if (bodies > 0) memset(world->step.crowd, 0, bodies * sizeof *world->step.crowd);
    world->step.left_out = 0;
    return MO_OK;
}

/* ---- the last step --------------------------------------------------------------------------- */

int mo_contact_order(const mo_sim_contact *c, const mo_sim_contact *d)
{
    for (int side = 0; side < 2; ++side)
        if (c->shape[side] != d->shape[side]) return c->shape[side] > d->shape[side] ? 1 : -1;
    return (c->feature > d->feature) - (c->feature < d->feature);
}

static int is_before(const mo_sim_contact *contact, const mo_pair *pair)
{
    return contact->shape[0] < pair->a ||
           (contact->shape[0] == pair->a && contact->shape[1] < pair->b);
}

/* Number of contacts of the pair in the last step; *k: the first that is not before it. */
static int count_last(const mo_sim_contacts *before, int *k, const mo_pair *pair)
{
    while (*k < before->count && is_before(before->at + *k, pair))
        ++*k;
    if (*k == before->count) return 0;
    const mo_sim_contact *contact = before->at + *k;
    return contact->shape[0] == pair->a && contact->shape[1] == pair->b
               ? mo_contacts_end_of_pair(before, *k) - *k
               : 0;
}

/* The speed bound of the shapes; contact points may be slightly outside them. */
static int may_bounce(const mo_world *world, const mo_sim_contact *contact, double least_speed)
{
    const double speed =
        world->near[contact->shape[0]].speed + world->near[contact->shape[1]].speed;
    const double beyond = contact->size + (contact->gap > 0 ? contact->gap : 0);
    return contact->restitution > 0 && !(speed * beyond < 0.99 * least_speed * contact->size);
}

static int note(const mo_world *world, int **list, int *count, size_t *room, int k)
{
    MO_PASS(
        mo_memory_grow(&world->allocator, (void **)list, room, (size_t)*count + 1, sizeof **list));
    (*list)[(*count)++] = k;
    return 1;
}

/* Initialises new contacts. */
static mo_error look_at(const mo_world *world, double least_speed, int is_step,
                        mo_sim_contacts *list, int first)
{
    for (int i = first; i < list->count; ++i) {
        mo_sim_contact *contact = list->at + i;
        list->deepest = -contact->gap > list->deepest ? -contact->gap : list->deepest;
        list->least = contact->size < list->least ? contact->size : list->least;
        const int is_open = contact->gap > mo_contact_margin(world, contact);
        contact->constraint = is_open && is_step ? MO_NONE : 0; /* until it is chosen */
        MO_FAIL_IF((is_open && !note(world, &list->open, &list->open_count, &list->open_room, i)) ||
                       (may_bounce(world, contact, least_speed) &&
                        !note(world, &list->fast, &list->fast_count, &list->fast_room, i)),
                   MO_ERR_MEMORY);
    }
    return MO_OK;
}

/* Sorted by shapes, in the order of the pairs, and by feature; matched with the last step's
 * contacts. */
static mo_error collide_pairs(mo_world *world, double h, const mo_sim_contacts *before,
                              mo_sim_contacts *list)
{
    const double least_speed = mo_impact_speed(world, h);
    int of_last = 0;
    list->count = list->open_count = list->fast_count = 0;
    list->deepest = 0;
    list->least = INFINITY;
    MO_FAIL_IF(clear_crowd(world), MO_ERR_MEMORY);
    for (int k = 0; k < world->pairs.count; ++k) {
        const mo_pair *pair = world->pairs.at + k;
        const int first = list->count;
        mo_pace_every(k, 8);
        if (world->step.is_given_up) break;
        if (k + MO_AHEAD < world->pairs.count) {
            mo_prefetch(world->near + pair[MO_AHEAD].b, sizeof *world->near);
            mo_prefetch(&world->shape[pair[MO_AHEAD].b].reach, sizeof world->shape->reach);
        }
        if (!mo_pair_may_meet(world, pair)) continue;
        const int last_count = before ? count_last(before, &of_last, pair) : 0;
        const mo_sim_contact *last = last_count > 0 ? before->at + of_last : NULL;
        MO_FAIL_IF(collide_pair(world, pair, last, last_count, list) ||
                       look_at(world, least_speed, before != NULL, list, first),
                   MO_ERR_MEMORY);
        mo_contacts_match(world, last, last_count, list->at + first, list->count - first);
    }
    mo_pace();
    return MO_OK;
}

void mo_contacts_swap(mo_sim_contacts *a, mo_sim_contacts *b)
{
    const mo_sim_contacts own = *a;
    *a = *b;
    *b = own;
}

void mo_contacts_exchange(mo_world *world)
{
    mo_contacts_swap(&world->contacts, &world->before);
    world->step.stage = world->step.stage == MO_STAGE_START ? MO_STAGE_SOLVE : MO_STAGE_START;
}

mo_error mo_contacts_find(mo_world *world, double h)
{
    mo_contacts_exchange(world);
    mo_error error = mo_pairs_update(world, h);
    const mo_sim_contacts *last = world->found.count > 0 ? &world->found : &world->before;
    error = error ? error : collide_pairs(world, h, last, &world->contacts);
    MO_FAIL_IF(mo_team_agree(world, error, NULL), MO_ERR_MEMORY);
    world->contacts.deepest = mo_team_largest(world, world->contacts.deepest);
    world->contacts.least = mo_team_least(world, world->contacts.least);
    if (world->def.sleeping) /* otherwise they are selected after the impacts */
        mo_contacts_choose(world, h);
    return MO_OK;
}

/* ---- faster than thought --------------------------------------------------------------------- */

/*
 * A solve may make a body faster than its reach allows for, as one at rest that is hit.  Then it
 * looks further.
 */
static mo_error look_further(mo_world *world, double h, mo_pairs *fresh)
{
    const double spare = LOOKS_AGAIN * world->least_margin;
    fresh->count = 0;
    for (int k = 0; k < world->shape_places; ++k) {
        const int soon = k + MO_AHEAD;
        mo_pace_every(k, 256);
        if (soon < world->shape_places && world->near[soon].moves) {
            mo_prefetch(world->body[world->near[soon].body].next_v, 6 * sizeof(double));
            mo_prefetch(&world->shape[soon].turn, sizeof(double) + sizeof(mo_bounds));
        }
        const int strays = world->near[k].moves && mo_shape_strays(world, k, h, spare);
        MO_FAIL_IF(strays && mo_pairs_reach_out(world, k, h, fresh), MO_ERR_MEMORY);
    }
    mo_pace();
    return mo_pairs_of_box(world, fresh) ? MO_ERR_MEMORY : mo_pairs_sort(world, fresh);
}

/*
 * Is there a contact of these shapes among the first `end`, which are sorted?  *from: the first
 * that is not before them, sought from there on by leaps that grow, then by halves; pairs are asked
 * for in their order.
 */
static int has_pair(const mo_sim_contact *contact, int *from, int end, const mo_pair *pair)
{
    int low = *from, leap = 1;
    while (low + leap - 1 < end && is_before(contact + low + leap - 1, pair)) {
        low += leap;
        leap *= 2;
    }
    for (int count = leap - 1 < end - low ? leap - 1 : end - low; count > 0;) {
        const int half = count / 2;
        if (is_before(contact + low + half, pair)) {
            low += half + 1;
            count -= half + 1;
        } else {
            count = half;
        }
    }
    *from = low;
    return low < end && contact[low].shape[0] == pair->a && contact[low].shape[1] == pair->b;
}

mo_error mo_contacts_merge(mo_world *world, int sorted)
{
    mo_sim_contacts *list = &world->contacts;
    int left = sorted, right = list->count - sorted;
    if (right == 0) return MO_OK;
    mo_contacts_forget_open(list);
    mo_sim_contact *own = mo_memory_array(&world->allocator, (size_t)right, sizeof *own);
    MO_NEED_MEMORY(own, NULL);
    mo_pace_copy(own, list->at + sorted, (size_t)right * sizeof *own);
    while (right > 0) {
        mo_pace_every(left + right, 64);
        const int takes_left =
            left > 0 && mo_contact_order(list->at + left - 1, own + right - 1) > 0;
        list->at[left + right - 1] = takes_left ? list->at[left - 1] : own[right - 1];
        left -= takes_left;
        right -= !takes_left;
    }
    mo_pace();
    mo_memory_free(&world->allocator, own);
    return MO_OK;
}

mo_error mo_contacts_look_again(mo_world *world, double h)
{
    mo_pairs *fresh = &world->fresh_pairs; /* twice if both shapes are fast */
    const int sorted = world->contacts.count;
    int from = 0;
    MO_FAIL_IF(look_further(world, h, fresh), MO_ERR_MEMORY);
    for (int k = 0; k < fresh->count; ++k) {
        const mo_pair *pair = fresh->at + k;
        mo_pace_every(k, 8);
        const int is_twice = k > 0 && pair[-1].a == pair->a && pair[-1].b == pair->b;
        MO_FAIL_IF(!is_twice && mo_pair_may_meet(world, pair) &&
                       !has_pair(world->contacts.at, &from, sorted, pair) &&
                       collide_pair(world, pair, NULL, 0, &world->contacts),
                   MO_ERR_MEMORY);
    }
    mo_pace();
    for (int k = sorted; k < world->contacts.count; ++k) {
        mo_pace_every(k, 512);
        world->contacts.at[k].constraint = MO_NONE;
    }
    mo_pace();
    return mo_contacts_merge(world, sorted);
}

/* ---- access ---------------------------------------------------------------------------------- */

mo_error mo_contacts_list(mo_world *world, double h, mo_sim_contacts *list)
{
    MO_FAIL_IF(mo_pairs_update(world, h) || collide_pairs(world, h, NULL, list), MO_ERR_MEMORY);
    return MO_OK;
}

mo_error mo_contacts_again(mo_world *world, const mo_sim_contacts *of, mo_sim_contacts *list)
{
    mo_contacts_clear(list);
    for (int k = 0; k < of->count; ++k) {
        const mo_sim_contact *own = of->at + k;
        const mo_pair pair = {own->shape[0], own->shape[1]};
        if (k > 0 && own[-1].shape[0] == pair.a && own[-1].shape[1] == pair.b) continue;
        const mo_sim_shape *a = world->shape + pair.a, *b = world->shape + pair.b;
        const mo_pose at[2] = {mo_shape_pose(world->body + a->body, a),
                               mo_shape_pose(world->body + b->body, b)};
        MO_FAIL_IF(
            mo_contacts_collide(world, &pair, at, own->frame, mo_margin_of(world, a, b), list),
            MO_ERR_MEMORY);
    }
    return MO_OK;
}

mo_error mo_contacts_touching(mo_world *world)
{
    MO_FAIL_IF(mo_contacts_list(world, 0, &world->before), MO_ERR_MEMORY);
    for (int k = 0; k < world->before.count; ++k) {
        mo_sim_contact *contact = world->before.at + k;
        contact->mu = contact->rolling = contact->torsion = contact->restitution = 0;
    }
    return MO_OK;
}
