/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Selection of the contacts that take part in a step.
 *
 * A contact takes part if its gap closes to less than the margin by the end of the step: with the
 * velocities before the step, with the free velocities, or with the latter while one of the two
 * bodies is stopped, as in a heap that is hit; links of one mechanism stop together.  The others
 * wait, since a solve may show that they close, and are discarded at the end of the step.  Most
 * contacts of a heap are within the margin from the start, so only the listed open ones are tested.
 * Contacts of links that others imply are left out (contacts_span.c).
 */
#include <math.h>
#include <stddef.h>

#include "base/pace.h"
#include "linalg/vec3.h"
#include "sim/pairs.h"
#include "sim/world_data.h"

/* ---- choice of contacts ---------------------------------------------------------------------- */

/* Of the margin, for contacts of links: the foot of a robot is a mesh with a dozen points within
 * the margin, of which one to three carry load, and each costs three dense rows. */
static const double OF_LINKS = 0.01;

double mo_contact_margin(const mo_world *world, const mo_sim_contact *contact)
{
    const double margin = mo_margin_for(world, contact->size);
    return mo_contact_has_link(world, contact) ? OF_LINKS * margin : margin;
}

/* Velocities of both bodies along the normal, from a to b. */
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

/* Lower bound on the rate of the gap. */
static double fastest_approach(const mo_world *world, const mo_sim_contact *contact)
{
    const int mechanism = world->body[contact->body[0]].mechanism,
              is_own = mechanism != MO_NONE && mechanism == world->body[contact->body[1]].mechanism;
    double fastest = 0;
    for (int is_free = 0; is_free < 2; ++is_free) {
        double rate[2];
        normal_rates(world, contact, is_free, rate);
        fastest = fmin(fastest, rate[1] - rate[0]);
        fastest = is_own ? fastest : fmin(fastest, fmin(rate[1], -rate[0]));
    }
    return fastest;
}

/* A loop over contacts that may be left out, by the list of open ones where there is one, will read
 * some velocities of bodies. */
static void look_ahead(const mo_world *world, int i, int by_open, size_t velocities, size_t size)
{
    const mo_sim_contacts *list = &world->contacts;
    const int end = by_open ? list->open_count : list->count, soon = i + MO_AHEAD;
    if (by_open && soon + MO_AHEAD < end)
        mo_prefetch(list->at + list->open[soon + MO_AHEAD], offsetof(mo_sim_contact, impulse));
    if (soon >= end) return;
    const mo_sim_contact *contact = list->at + (by_open ? list->open[soon] : soon);
    for (int side = 0; side < 2 && !mo_contact_is_taken(contact); ++side) {
        const mo_sim_body *body = world->body + contact->body[side];
        mo_prefetch(body->x, sizeof body->x);
        mo_prefetch((const char *)body + velocities, size);
    }
}

void mo_contacts_take_near(mo_world *world)
{
    mo_sim_contacts *list = &world->contacts;
    for (int k = 0; k < list->count; ++k) {
        mo_sim_contact *contact = list->at + k;
        const int is_near = contact->gap <= mo_contact_margin(world, contact);
        contact->constraint = is_near ? 0 : MO_NONE;
    }
}

void mo_contacts_choose(mo_world *world, double h)
{
    mo_sim_contacts *list = &world->contacts;
    for (int i = 0; i < list->open_count; ++i) {
        mo_sim_contact *contact = list->at + list->open[i];
        mo_pace_every(i, 256);
        look_ahead(world, i, 1, offsetof(mo_sim_body, start_v), 12 * sizeof(double));
        const double closest = contact->gap + h * fastest_approach(world, contact);
        contact->constraint = closest <= mo_contact_margin(world, contact) ? 0 : MO_NONE;
    }
    mo_pace();
    mo_contacts_span(world);
}

/* Does it close to less than `depth` of a body's size? */
static int closes(const mo_world *world, const mo_sim_contact *contact, double h, double depth)
{
    double of_body[2];
    for (int side = 0; side < 2; ++side) {
        const mo_sim_body *body = world->body + contact->body[side];
        of_body[side] = mo_normal_rate(body->x, body->next_v, contact);
    }
    const double rate = of_body[1] - of_body[0];
    return contact->gap + h * rate < -depth * contact->size;
}

int mo_contacts_take_closing(mo_world *world, double h, double depth, int takes)
{
    mo_sim_contacts *list = &world->contacts;
    const int by_open = mo_contacts_know_open(list), end = by_open ? list->open_count : list->count;
    int count = 0;
    for (int i = 0; i < end; ++i) {
        mo_sim_contact *contact = list->at + (by_open ? list->open[i] : i);
        mo_pace_every(i, 256);
        look_ahead(world, i, by_open, offsetof(mo_sim_body, next_v), 6 * sizeof(double));
        if (!mo_contact_is_taken(contact) && closes(world, contact, h, depth)) {
            contact->constraint = takes ? MO_NEXT : MO_NONE;
            ++count;
        }
    }
    mo_pace();
    return (int)mo_team_sum(world, count);
}

void mo_contacts_drop_late(mo_world *world)
{
    mo_sim_contacts *list = &world->contacts;
    int kept = 0;
    for (int k = 0; k < list->count && world->step.late_count > 0; ++k) {
        mo_pace_every(k, 256);
        if (!mo_contact_is_late(list->at + k)) list->at[kept++] = list->at[k];
    }
    mo_pace();
    list->count = world->step.late_count > 0 ? kept : list->count;
    world->step.late_count = 0;
}

/* ---- at the end of a step -------------------------------------------------------------------- */

/* A contact that bounced and then takes no part in the step keeps the impulse of the impact. */
static int has_bounced(mo_sim_contact *contact)
{
    const double *p = contact->impact;
    if (p[0] == 0 && p[1] == 0 && p[2] == 0) return 0;
    mo_vec3_set(contact->impulse, 0, 0, 0);
    mo_vec3_set(contact->moment, 0, 0, 0);
    contact->mode = MO_CONTACT_APART;
    return 1;
}

void mo_contacts_keep_taken(mo_world *world)
{
    mo_sim_contacts *list = &world->contacts;
    mo_sim_contact *at = list->at;
    int kept = 0;
    for (int k = 0; k < list->count; ++k) {
        mo_pace_every(k, 256);
        mo_prefetch(at + k + MO_AHEAD, sizeof *at);
        if (at[k].constraint == MO_NONE && !has_bounced(&at[k])) continue;
        if (kept > 0 && mo_contact_order(at + kept - 1, at + k) == 0) { /* taken again, late */
            mo_vec3_along(at[kept - 1].impulse, 1, at[k].impulse, at[kept - 1].impulse);
            mo_vec3_along(at[kept - 1].moment, 1, at[k].moment, at[kept - 1].moment);
            continue;
        }
        if (kept != k) at[kept] = at[k];
        ++kept;
    }
    mo_pace();
    list->count = kept;
    mo_contacts_forget_open(list);
}

int mo_contacts_taken(const mo_world *world)
{
    int taken = 0;
    for (int k = 0; k < world->contacts.count; ++k) {
        mo_pace_every(k, 1024);
        taken += mo_contact_is_taken(world->contacts.at + k);
    }
    mo_pace();
    return taken;
}
