/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Impacts with restitution at the start of a step.
 *
 * Contacts with restitution that will close in the step, faster than `restitution_speed` and than
 * the speed of two steps of free fall, form one problem without forces,
 *
 *     M (v' - v) = H r,      u_N' + e u_N >= 0 and Coulomb's law at the impacts,      joints hold
 *
 * (Newton's law in Moreau's form).  If its velocities cause further impacts, as in Newton's cradle,
 * another problem follows, until none is left.  The step itself stops contacts that do not bounce.
 *
 * With friction, Newton's law may add energy.  Such an impact is solved again with half the
 * restitution, then with none.
 */
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "base/error.h"
#include "base/pace.h"
#include "linalg/vec3.h"
#include "sim/world_data.h"

enum { MOST_IMPACTS = 200 };         /* one after the other in one step */
static const double ROUNDING = 1e-9; /* of the kinetic energy: a gain below this is rounding */

double mo_impact_speed(const mo_world *world, double h)
{
    return fmax(world->def.restitution_speed, 2 * h * mo_vec3_norm(world->def.gravity));
}

static int bounces(const mo_world *world, const mo_sim_contact *contact, double h, double least)
{
    const double speed = -mo_contact_approach(world, contact);
    return speed > least && contact->gap <= h * speed;
}

/* ---- choice of contacts ---------------------------------------------------------------------- */

static void set_constraints(mo_sim_contacts *list, int constraint)
{
    for (int i = 0; i < list->fast_count; ++i)
        list->at[list->fast[i]].constraint = constraint;
}

/* Before any impact: for the contacts that are fast enough by the speed bounds of their shapes.
 * Returns their number, in a team that of all. */
static int64_t choose_first(mo_world *world, double h)
{
    mo_sim_contacts *list = &world->contacts;
    const double least = mo_impact_speed(world, h);
    int count = 0;
    for (int i = 0; i < list->fast_count; ++i)
        if (bounces(world, list->at + list->fast[i], h, least)) list->fast[count++] = list->fast[i];
    list->fast_count = count;
    const int64_t all = mo_team_sum(world, count);
    for (int k = 0; k < list->count && all > 0; ++k)
        list->at[k].constraint = MO_NONE;
    set_constraints(list, 0);
    return all;
}

/* The contacts of each body, so later impacts need not test all of them; also room for the list of
 * bouncing contacts. */
static mo_error list_contacts(mo_world *world)
{
    mo_sim_contacts *list = &world->contacts;
    const mo_allocator *own = &world->allocator;
    const size_t bodies = (size_t)world->body_places, count = (size_t)list->count;
    MO_FAIL_IF(!MO_GROW(own, world->touch_start, world->touch_start_room, bodies + 2) ||
                   !MO_GROW(own, world->touching, world->touching_room, 2 * count + 1) ||
                   !MO_GROW(own, world->seen, world->seen_room, count + 1) ||
                   !MO_GROW(own, list->fast, list->fast_room, count + 1),
               MO_ERR_MEMORY);
    int *start = world->touch_start; /* initially one place later; filling moves it back */
    memset(start, 0, (bodies + 2) * sizeof *start);
    for (size_t k = 0; k < count; ++k) {
        mo_prefetch(list->at + k + MO_AHEAD, offsetof(mo_sim_contact, feature));
        ++start[list->at[k].body[0] + 2];
        ++start[list->at[k].body[1] + 2];
    }
    for (size_t k = 2; k < bodies + 2; ++k)
        start[k] += start[k - 1];
    for (size_t k = 0; k < count; ++k) {
        mo_prefetch(list->at + k + MO_AHEAD, offsetof(mo_sim_contact, feature));
        world->touching[start[list->at[k].body[0] + 1]++] = (int)k;
        world->touching[start[list->at[k].body[1] + 1]++] = (int)k;
    }
    return MO_OK;
}

/* seen: 1 of the contacts of a body, 2 of those that bounce */
static void see_contacts(mo_world *world, int place, double h, double least)
{
    for (int i = world->touch_start[place]; i < world->touch_start[place + 1]; ++i) {
        const int k = world->touching[i];
        const mo_sim_contact *contact = world->contacts.at + k;
        if (!world->seen[k])
            world->seen[k] = contact->restitution > 0 && bounces(world, contact, h, least) ? 2 : 1;
    }
}

/* After it only contacts of bodies that were in the one before can bounce: the velocities of
 * others are unchanged.  In a team such a body may have been in that of another world. */
static int64_t choose_again(mo_world *world, double h)
{
    mo_sim_contacts *list = &world->contacts;
    const double least = mo_impact_speed(world, h);
    memset(world->seen, 0, (size_t)list->count);
    for (int k = 0; k < world->living_count; ++k)
        if (world->team || world->body[world->living[k]].block != MO_NONE)
            see_contacts(world, world->living[k], h, least);
    set_constraints(list, MO_NONE);
    list->fast_count = 0;
    for (int k = 0; k < list->count; ++k)
        if (world->seen[k] == 2) list->fast[list->fast_count++] = k;
    set_constraints(list, 0);
    return mo_team_sum(world, list->fast_count);
}

/* ---- an impact ------------------------------------------------------------------------------- */

static double gain_of(const mo_world *world, const mo_sim_body *body, double h, double *all)
{
    (void)h;
    *all = mo_body_kinetic(world, body, body->start_v);
    return mo_body_kinetic(world, body, body->next_v) - *all;
}

/* Kinematic bodies may do work, which permits a gain. */
static int gains_energy(const mo_world *world)
{
    double before = 0, after = 0;
    if (world->has_driven) return 0;
    mo_mechanisms_kinetic(world, &before, &after);
    return mo_gain_sum(world, 0, ROUNDING, gain_of) + after - (1 + ROUNDING) * before > 0;
}

static mo_error collide_once(mo_world *world, double h, double restitution, mo_step_report *report,
                             mo_message *why)
{
    const mo_phase phase = {.kind = MO_PHASE_IMPACT, .h = h, .restitution = restitution};
    MO_TRY(mo_accuracy_choose(world, INFINITY));
    mo_error error = mo_team_agree(world, mo_assemble(world, &phase, why), why);
    error = error ? error : mo_find_impulses(world, INFINITY, 0, why);
    if (!error) {
        report->iterations += world->result.iterations;
        mo_assemble_velocities(world);
    }
    return error;
}

static mo_error accept(mo_world *world, mo_step_report *report)
{
    for (int k = 0; k < world->living_count; ++k) {
        mo_sim_body *body = world->body + world->living[k];
        if (body->block != MO_NONE) memcpy(body->start_v, body->next_v, sizeof body->start_v);
    }
    mo_mechanisms_accept_impact(world);
    for (int k = 0; k < world->contacts.fast_count; ++k) {
        mo_sim_contact *contact = world->contacts.at + world->contacts.fast[k];
        const mo_constraint_view view = mo_problem_constraint(world->problem, contact->constraint);
        for (int i = 0; i < view.dim && i < 3; ++i) {
            mo_vec3_along(contact->impact, world->result.r[view.offset + i], contact->frame + 3 * i,
                          contact->impact);
        }
    }
    if (world->result.status != MO_SOLVED && report->status == MO_SOLVED) {
        report->status = world->result.status;
        report->message = world->result.message;
    }
    return mo_team_share(world, MO_SHARED_START);
}

mo_error mo_impacts(mo_world *world, double h, mo_step_report *report, int *count, mo_message *why)
{
    mo_error error = MO_OK;
    mo_pace();
    int64_t left = choose_first(world, h);
    mo_pace();
    const int leaves_out = left > 0; /* those that do not bounce */
    if (leaves_out && mo_team_agree(world, list_contacts(world), NULL)) error = mo_fail_memory(why);
    for (*count = 0; !error && *count < MOST_IMPACTS && left > 0 && !world->step.is_given_up &&
                     !mo_step_is_spent(&world->step);
         ++*count) {
        error = collide_once(world, h, 1, report, why);
        for (double restitution = 0.5; !error && restitution >= 0 && gains_energy(world);
             restitution -= 0.5)
            error = collide_once(world, h, restitution, report, why);
        if (!error) {
            mo_pace();
            error = accept(world, report) ? mo_fail_memory(why) : MO_OK;
            mo_pace();
            left = choose_again(world, h);
        }
    }
    mo_pace();
    if (leaves_out) mo_contacts_take_near(world);
    report->impacts_left = (int)left;
    return error;
}
