/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * From positions to contacts.
 *
 * The narrow phase turns each pair of shapes (pairs.c) into touches, in the order of the pairs.  A touch takes part in the problem where its gap
 * closes to less than the margin by the end of the step: with the velocities before it, with the free ones, or with these while one of the two bodies
 * is stopped by something else, as those are that a falling heap meets.  The others are kept, since a solve may show that they close after all; and
 * where it makes a body faster than its box was made for, that body looks again.
 *
 * Contacts of the last step with the same shapes and feature hand over their impulse and their slip.
 */
#include <math.h>
#include <string.h>

#include "linalg/vec3.h"
#include "sim/pairs.h"

/* Of the least margin: by so much two shapes may each move beyond what was thought, and still not close a gap that nobody has looked at. */
static const double LOOKS_AGAIN = 0.5;

/* ---- contacts --------------------------------------------------------------------------------- */

/* How fast both bodies move along the normal, from a to b. */
static void normal_rates(const mo_world *world, const mo_sim_contact *contact, int is_free,
                         double rate[2])
{
    for (int side = 0; side < 2; ++side) {
        const mo_sim_body *body = world->body + contact->body[side];
        rate[side] = mo_normal_rate(body->x, is_free ? body->free_v : body->start_v, contact);
    }
}

double mo_contact_approach(const mo_world *world, const mo_sim_contact *contact)
{
    double rate[2];
    normal_rates(world, contact, 0, rate);
    return rate[1] - rate[0];
}

/* The least that the gap may change by in a unit of time. */
static double fastest_approach(const mo_world *world, const mo_sim_contact *contact)
{
    double fastest = 0;
    for (int is_free = 0; is_free < 2; ++is_free) {
        double rate[2];
        normal_rates(world, contact, is_free, rate);
        fastest = fmin(fastest, fmin(rate[1] - rate[0], fmin(rate[1], -rate[0])));
    }
    return fastest;
}

void mo_contacts_choose(mo_world *world, double h)
{
    for (int k = 0; k < world->contacts.count; ++k) {
        mo_sim_contact *contact = world->contacts.at + k;
        const double margin = mo_margin_for(world, contact->size);
        const int is_near = contact->gap <= margin || /* the approach is never above zero */
                            contact->gap + h * fastest_approach(world, contact) <= margin;
        contact->constraint = is_near ? 0 : MO_NONE;
    }
}

static void set_frame(const mo_world *world, mo_sim_contact *contact, const double normal[3])
{
    mo_vec3_copy(normal, contact->frame);
    if (mo_is_planar(world)) {
        mo_vec3_set(contact->frame + 3, -normal[1], normal[0], 0);
        mo_vec3_set(contact->frame + 6, 0, 0, 1);
    } else {
        mo_vec3_tangents(normal, contact->frame + 3, contact->frame + 6);
    }
}

static double smaller_size(const mo_sim_shape *a, const mo_sim_shape *b)
{
    return a->collider.size < b->collider.size ? a->collider.size : b->collider.size;
}

static mo_error add_contact(mo_world *world, const mo_pair *pair, const mo_touch *touch,
                            mo_sim_contacts *list)
{
    if (!mo_memory_grow(&world->allocator, (void **)&list->at, &list->room, (size_t)list->count + 1,
                        sizeof *list->at)) {
        return MO_ERR_MEMORY;
    }
    mo_sim_contact *contact = list->at + list->count++;
    const mo_sim_shape *a = world->shape + pair->a, *b = world->shape + pair->b;
    const mo_material *own =
        world->own_pair_count > 0 ? mo_own_pair(world, pair->a, pair->b) : NULL;
    const mo_material both =
        own ? mo_material_combine(own, own)
            : mo_material_combine(&a->collider.def.material, &b->collider.def.material);
    *contact = (mo_sim_contact){.shape = {pair->a, pair->b},
                                .body = {a->body, b->body},
                                .feature = touch->feature,
                                .is_new = 1,
                                .gap = touch->gap,
                                .size = smaller_size(a, b),
                                .mu = both.friction,
                                .restitution = both.restitution,
                                .rolling = both.rolling,
                                .torsion = both.torsion};
    mo_vec3_copy(touch->point, contact->point);
    set_frame(world, contact, touch->normal);
    return MO_OK;
}

static void sort_by_feature(mo_sim_contact *contact, int count)
{
    for (int k = 1; k < count; ++k) {
        const mo_sim_contact own = contact[k];
        int at = k;
        for (; at > 0 && contact[at - 1].feature > own.feature; --at) {
            contact[at] = contact[at - 1];
        }
        contact[at] = own;
    }
}

static mo_error collide_at(mo_world *world, const mo_pair *pair, const mo_pose *at_a,
                           const mo_pose *at_b, double margin, mo_sim_contacts *list)
{
    const mo_sim_shape *a = world->shape + pair->a, *b = world->shape + pair->b;
    const int first = list->count;
    world->touches.count = 0;
    mo_collide_at(&a->collider, at_a, &b->collider, at_b, margin, &world->touches);
    for (int i = 0; i < world->touches.count; ++i) {
        if (add_contact(world, pair, world->touches.touch + i, list)) {
            return MO_ERR_MEMORY;
        }
    }
    sort_by_feature(list->at + first, list->count - first);
    return world->touches.is_short ? MO_ERR_MEMORY : MO_OK;
}

static mo_error collide_pair(mo_world *world, const mo_pair *pair, mo_sim_contacts *list)
{
    const mo_sim_shape *a = world->shape + pair->a, *b = world->shape + pair->b;
    return collide_at(world, pair, &a->pose, &b->pose,
                      mo_margin_of(world, a, b) + a->motion + b->motion, list);
}

/* By shapes, since the pairs are in that order, and by feature. */
static mo_error collide_pairs(mo_world *world, mo_sim_contacts *list)
{
    list->count = 0;
    for (int k = 0; k < world->pairs.count; ++k) {
        const mo_pair *pair = world->pairs.at + k;
        if (mo_pair_may_meet(world, pair) && collide_pair(world, pair, list)) {
            return MO_ERR_MEMORY;
        }
    }
    return MO_OK;
}

/* ---- the last step ---------------------------------------------------------------------------- */

static int by_identity(const mo_sim_contact *c, const mo_sim_contact *d)
{
    for (int side = 0; side < 2; ++side) {
        if (c->shape[side] != d->shape[side]) {
            return c->shape[side] > d->shape[side] ? 1 : -1;
        }
    }
    return (c->feature > d->feature) - (c->feature < d->feature);
}

/* is_of_ball: of a step by balls, which leaves neither moments nor slip. */
static void inherit(const mo_sim_contact *before, int is_of_ball, mo_sim_contact *now)
{
    now->is_new = 0;
    mo_vec3_copy(before->impulse, now->impulse);
    if (is_of_ball) {
        return;
    }
    mo_vec3_copy(before->moment, now->moment);
    mo_vec3_along(before->slip, -mo_vec3_dot(before->slip, now->frame), now->frame, now->slip);
}

/* Both lists are sorted by shapes and feature. */
static void match(mo_world *world)
{
    const mo_sim_contacts *before = &world->before;
    int k = 0;
    for (int i = 0; i < world->contacts.count; ++i) {
        mo_sim_contact *now = world->contacts.at + i;
        while (k < before->count && by_identity(before->at + k, now) < 0) {
            ++k;
        }
        if (k < before->count && by_identity(before->at + k, now) == 0) {
            inherit(before->at + k, world->is_by_balls, now);
        }
    }
}

mo_error mo_contacts_find(mo_world *world, double h)
{
    const mo_sim_contacts last = world->contacts;
    world->contacts = world->before;
    world->before = last;
    if (mo_pairs_update(world, h) || collide_pairs(world, &world->contacts)) {
        return MO_ERR_MEMORY;
    }
    match(world);
    if (world->def.sleeping) { /* else they are chosen after the impacts */
        mo_contacts_choose(world, h);
    }
    return MO_OK;
}

/* ---- faster than thought -------------------------------------------------------------------------- */

/*
 * A solve may make a body faster than its reach allows for, as one at rest that is hit.  Then it looks further.
 */
static mo_error look_further(mo_world *world, double h, mo_pairs *fresh)
{
    const double spare = LOOKS_AGAIN * world->least_margin;
    fresh->count = 0;
    for (int k = 0; k < world->shape_places; ++k) {
        mo_sim_shape *shape = world->shape + k;
        const mo_sim_body *body = world->body + shape->body;
        if (!shape->generation || !mo_moves_freely(body)) {
            continue;
        }
        if (mo_shape_strays(shape, body, h, spare) && mo_pairs_reach_out(world, k, h, fresh)) {
            return MO_ERR_MEMORY;
        }
    }
    return mo_pairs_sort(world, fresh);
}

/* Is there a contact of these shapes among the first `count`, which are sorted? */
static int has_pair(const mo_sim_contact *contact, int count, const mo_pair *pair)
{
    int low = 0;
    const int end = count;
    while (count > 0) {
        const int half = count / 2;
        const mo_sim_contact *c = contact + low + half;
        if (c->shape[0] < pair->a || (c->shape[0] == pair->a && c->shape[1] < pair->b)) {
            low += half + 1;
            count -= half + 1;
        } else {
            count = half;
        }
    }
    return low < end && contact[low].shape[0] == pair->a && contact[low].shape[1] == pair->b;
}

/* Sorts the contacts from `sorted` on into those before. */
static mo_error merge(mo_world *world, int sorted)
{
    mo_sim_contacts *list = &world->contacts;
    int left = sorted, right = list->count - sorted;
    if (right == 0) {
        return MO_OK;
    }
    mo_sim_contact *own = mo_memory_array(&world->allocator, (size_t)right, sizeof *own);
    if (!own) {
        return MO_ERR_MEMORY;
    }
    memcpy(own, list->at + sorted, (size_t)right * sizeof *own);
    while (right > 0) {
        const int takes_left = left > 0 && by_identity(list->at + left - 1, own + right - 1) > 0;
        list->at[left + right - 1] = takes_left ? list->at[left - 1] : own[right - 1];
        left -= takes_left;
        right -= !takes_left;
    }
    mo_memory_free(&world->allocator, own);
    return MO_OK;
}

mo_error mo_contacts_look_again(mo_world *world, double h)
{
    mo_pairs *fresh = &world->fresh_pairs; /* twice where both shapes are fast */
    const int sorted = world->contacts.count;
    if (look_further(world, h, fresh)) {
        return MO_ERR_MEMORY;
    }
    for (int k = 0; k < fresh->count; ++k) {
        const mo_pair *pair = fresh->at + k;
        const int is_twice = k > 0 && pair[-1].a == pair->a && pair[-1].b == pair->b;
        if (!is_twice && !has_pair(world->contacts.at, sorted, pair) &&
            collide_pair(world, pair, &world->contacts)) {
            return MO_ERR_MEMORY;
        }
    }
    for (int k = sorted; k < world->contacts.count; ++k) {
        world->contacts.at[k].constraint = MO_NONE;
    }
    return merge(world, sorted);
}

/* ---- looking ---------------------------------------------------------------------------------- */

mo_error mo_contacts_list(mo_world *world, double h, mo_sim_contacts *list)
{
    return mo_pairs_update(world, h) || collide_pairs(world, list) ? MO_ERR_MEMORY : MO_OK;
}

static mo_pose place_of(const mo_world *world, const mo_sim_shape *shape)
{
    const mo_pose pose = mo_body_pose(world->body + shape->body);
    return mo_pose_compose(&pose, &shape->collider.def.pose);
}

mo_error mo_contacts_again(mo_world *world, const mo_sim_contacts *of, mo_sim_contacts *list)
{
    list->count = 0;
    for (int k = 0; k < of->count; ++k) {
        const mo_sim_contact *own = of->at + k;
        const mo_pair pair = {own->shape[0], own->shape[1]};
        if (k > 0 && own[-1].shape[0] == pair.a && own[-1].shape[1] == pair.b) {
            continue;
        }
        const mo_sim_shape *a = world->shape + pair.a, *b = world->shape + pair.b;
        const mo_pose at_a = place_of(world, a), at_b = place_of(world, b);
        if (collide_at(world, &pair, &at_a, &at_b, mo_margin_of(world, a, b), list)) {
            return MO_ERR_MEMORY;
        }
    }
    return MO_OK;
}

mo_error mo_contacts_touching(mo_world *world)
{
    if (mo_contacts_list(world, 0, &world->before)) {
        return MO_ERR_MEMORY;
    }
    for (int k = 0; k < world->before.count; ++k) {
        mo_sim_contact *contact = world->before.at + k;
        contact->mu = contact->rolling = contact->torsion = contact->restitution = 0;
    }
    return MO_OK;
}

double mo_world_penetration(mo_world *world)
{
    double depth = 0;
    if (mo_pairs_update(world, 0)) {
        return NAN;
    }
    for (int k = 0; k < world->pairs.count; ++k) {
        const mo_sim_shape *a = world->shape + world->pairs.at[k].a,
                           *b = world->shape + world->pairs.at[k].b;
        if (!mo_pair_may_meet(world, world->pairs.at + k)) {
            continue;
        }
        world->touches.count = 0;
        mo_collide_at(&a->collider, &a->pose, &b->collider, &b->pose, 0, &world->touches);
        for (int i = 0; i < world->touches.count; ++i) {
            depth = fmax(depth, -world->touches.touch[i].gap);
        }
    }
    return depth;
}
