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
    if (mo_vec3_dot(before->slip, before->slip) > 0)
        mo_vec3_along(before->slip, -mo_vec3_dot(before->slip, now->frame), now->frame, now->slip);
}

static int has_feature(const mo_sim_contact *contact, int count, uint32_t feature)
{
    int k = 0;
    while (k < count && contact[k].feature != feature)
        ++k;
    return k < count;
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

/* The contact that is nearest to a point, and not far from it, or NULL. */
static mo_sim_contact *nearest(mo_sim_contact *contact, int count, const double point[3])
{
    double least = NEARBY * contact->size;
    mo_sim_contact *found = NULL;
    for (int k = 0; k < count; ++k) {
        double d[3];
        mo_vec3_minus(contact[k].point, point, d);
        const double distance = mo_vec3_norm(d);
        if (distance < least) {
            least = distance;
            found = contact + k;
        }
    }
    return found;
}

/* The impulse of a contact that is no more. */
static void hand_on(const mo_world *world, const mo_sim_contact *old, mo_sim_contact *now,
                    int count)
{
    double point[3];
    if (mo_vec3_dot(old->impulse, old->impulse) > 0 && !has_feature(now, count, old->feature)) {
        move_point(world, old, point);
        mo_sim_contact *next = nearest(now, count, point);
        if (next) mo_vec3_along(next->impulse, 1, old->impulse, next->impulse);
    }
}

void mo_contacts_match(const mo_world *world, const mo_sim_contact *last, int last_count,
                       mo_sim_contact *now, int count)
{
    int k = 0, found = 0, latest = MO_NONE; /* of the last step */
    for (int i = 0; i < count; ++i) {
        while (k < last_count && last[k].feature < now[i].feature)
            ++k;
        if (k < last_count && last[k].feature == now[i].feature) {
            inherit(last + k, now + i);
            found += k != latest;
            latest = k;
        }
    }
    for (k = 0; k < last_count && count > 0 && found < last_count; ++k)
        hand_on(world, last + k, now, count);
}
