/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Contacts of a step and those of the last one.
 *
 * A contact with the same shapes and feature passes on its impulse and slip.  Features change as a
 * face turns on another, most of all those of a rim: the impulse of a contact that is no more goes
 * to the nearest one of its pair, so that the pair starts with the sum of the last step.
 */
#include <stddef.h>

#include "linalg/vec3.h"
#include "sim/world_data.h"

/* Of the smaller shape: how far the impulse of a contact that is no more is handed on. */
static const double NEARBY = 0.5;

static void inherit(const mo_sim_contact *before, mo_sim_contact *now)
{
    now->is_new = 0;
    mo_vec3_copy(before->impulse, now->impulse);
    mo_vec3_copy(before->moment, now->moment);
    if (mo_vec3_dot(before->slip, before->slip) > 0) {
        mo_vec3_along(before->slip, -mo_vec3_dot(before->slip, now->frame), now->frame, now->slip);
    }
}

static int is_of_pair(const mo_sim_contact *c, const mo_sim_contact *d)
{
    return c->shape[0] == d->shape[0] && c->shape[1] == d->shape[1];
}

static int has_feature(const mo_sim_contacts *list, int first, uint32_t feature)
{
    while (first < list->count && list->at[first].feature != feature) {
        ++first;
    }
    return first < list->count;
}

/* The point of a contact from the start of the last step, moved with one of the bodies. */
static void move_point(const mo_world *world, const mo_sim_contact *contact, double point[3])
{
    const int side = world->body[contact->body[1]].kind != MO_BODY_FIXED;
    const mo_sim_body *body = world->body + contact->body[side];
    const double h = world->step.h;
    double x[3], arm[3], turned[3];
    mo_vec3_along(body->x, -h, body->v, x);
    mo_vec3_minus(contact->point, x, arm);
    mo_vec3_cross(body->v + 3, arm, turned);
    mo_vec3_along(contact->point, h, body->v, point);
    mo_vec3_along(point, h, turned, point);
}

/* The contact from `first` on that is nearest to a point, and not far from it, or NULL. */
static mo_sim_contact *nearest(mo_sim_contacts *list, int first, const double point[3])
{
    double least = NEARBY * list->at[first].size;
    mo_sim_contact *found = NULL;
    for (int k = first; k < list->count; ++k) {
        double d[3];
        mo_vec3_minus(list->at[k].point, point, d);
        const double distance = mo_vec3_norm(d);
        if (distance < least) {
            least = distance;
            found = list->at + k;
        }
    }
    return found;
}

/* Impulses of contacts of the pair that are no more, from k on. */
static void hand_on(const mo_world *world, const mo_sim_contacts *before, int k,
                    mo_sim_contacts *list, int first)
{
    for (; first < list->count && k < before->count && is_of_pair(before->at + k, list->at + first);
         ++k) {
        const mo_sim_contact *old = before->at + k;
        double point[3];
        if (mo_vec3_dot(old->impulse, old->impulse) > 0 &&
            !has_feature(list, first, old->feature)) {
            move_point(world, old, point);
            mo_sim_contact *now = nearest(list, first, point);
            if (now) {
                mo_vec3_along(now->impulse, 1, old->impulse, now->impulse);
            }
        }
    }
}

/* Both lists are sorted by shapes and feature: the contacts of the new one from `first` on, with
 * those of the last step from *k on. */
static void match(const mo_sim_contacts *before, int *k, mo_sim_contacts *list, int first)
{
    for (int i = first; i < list->count && *k < before->count; ++i) {
        mo_sim_contact *now = list->at + i;
        const mo_sim_contact *old = before->at + *k;
        int order = -1;
        if (*k + MO_AHEAD < before->count) {
            mo_prefetch(old + MO_AHEAD, offsetof(mo_sim_contact, is_new));
        }
        while (*k < before->count && (order = mo_contact_order(old, now)) < 0) {
            ++*k;
            ++old;
        }
        if (*k < before->count && order == 0) {
            inherit(old, now);
        }
    }
}

void mo_contacts_match(const mo_world *world, const mo_sim_contacts *before, int *k,
                       mo_sim_contacts *list, int first)
{
    const int from = *k;
    match(before, k, list, first);
    hand_on(world, before, from, list, first);
}
