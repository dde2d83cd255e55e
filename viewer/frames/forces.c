/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Display of contact forces, by the same rule as page/src/forces.ts.
 *
 * A contact has two opposite forces, and one of them is drawn: the one on the body that can move;
 * else on the upper one, by the normal; else, where the normal is level, on the one that comes
 * later in the scene.
 */
#include <math.h>

#include "frames.h"

static const double LEVEL = 0.05; /* sine of the angle below which a normal is level */

static int is_movable(const mo_recording *recording, int body)
{
    const mo_body_kind kind = recording->bodies[body].kind;
    return kind != MO_BODY_FIXED && kind != MO_BODY_DRIVEN;
}

int frames_shown_side(const mo_recording *recording, const mo_recorded_contact *contact)
{
    const int a = is_movable(recording, contact->a), b = is_movable(recording, contact->b);
    const double rise = contact->normal[recording->dimension == 2 ? 1 : 2];
    if (a != b) return b ? 1 : -1;
    if (fabs(rise) > LEVEL) return rise > 0 ? 1 : -1;
    return contact->b > contact->a ? 1 : -1;
}

/* Adds the contact to the link of its pair. */
static void add_contact(const mo_recorded_contact *contact, frames_link *link, double *weight)
{
    const double *f = contact->force, size = sqrt(f[0] * f[0] + f[1] * f[1] + f[2] * f[2]);
    for (int k = 0; k < 3; ++k) {
        link->point[k] += size * contact->point[k];
        link->force[k] += f[k];
    }
    link->slides |= contact->mode == MO_CONTACT_SLIDES;
    *weight += size;
}

int frames_next_link(const mo_recording *recording, const mo_recorded_frame *frame, int first,
                     frames_link *link)
{
    const mo_recorded_contact *contact = recording->contacts + frame->first_contact;
    double weight = 0;
    int k = first;
    *link = (frames_link){.a = contact[first].a, .b = contact[first].b};
    for (; k < frame->contact_count && contact[k].a == link->a && contact[k].b == link->b; ++k)
        add_contact(contact + k, link, &weight);
    for (int i = 0; i < 3; ++i)
        link->point[i] = weight > 0 ? link->point[i] / weight : contact[first].point[i];
    link->moves[0] = is_movable(recording, link->a);
    link->moves[1] = is_movable(recording, link->b);
    return k;
}
