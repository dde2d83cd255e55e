/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* Declarations shared by the files that assemble a problem and distribute its solution. */
#ifndef MO_SIM_ASSEMBLE_H
#define MO_SIM_ASSEMBLE_H

#include "sim/forces_data.h"

/* assemble_bodies.c: a body, or its mechanism, that moves freely gets a block if it has none; place
 * may be MO_NONE. */
void mo_assemble_body(mo_world *world, int place, const mo_phase *phase);
/* The inverse of mo_to_block. */
void mo_from_block(const mo_world *world, const double *in, double v[6]);

/* assemble_contacts.c: adds it, and returns the number of its rows. */
int mo_assemble_contact(mo_world *world, mo_sim_contact *contact, const mo_phase *phase);
int mo_contact_rows(const mo_world *world, const mo_sim_contact *contact);
/* The axis of row k: normal and tangents for the first three, then the axes of the moments. */
const double *mo_contact_axis(const mo_sim_contact *contact, int rows, int k);

/* A loop over contacts at k will read the bodies of later ones. */
static inline void mo_contacts_prefetch(const mo_world *world, int k)
{
    const mo_sim_contact *contact = world->contacts.at + k;
    if (k + 2 * MO_AHEAD < world->contacts.count)
        mo_prefetch(contact + 2 * MO_AHEAD, offsetof(mo_sim_contact, rolling));
    for (int side = 0; side < 2 && k + MO_AHEAD < world->contacts.count; ++side) {
        const mo_sim_body *body = world->body + contact[MO_AHEAD].body[side];
        mo_prefetch(body, offsetof(mo_sim_body, v));
        mo_prefetch(body->world_inertia, sizeof body->world_inertia);
    }
}

#endif
