/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Impacts that bounce, at the start of a step.
 *
 * Contacts that will close in the step, with restitution, and faster than `restitution_speed` and than two steps of falling, make one
 * problem without forces and without time,
 *
 *     M (v' - v) = H r,      u_N' + e u_N >= 0 and Coulomb's law at the impacts,      joints hold
 *
 * (Newton's law in Moreau's form).  Its velocities may bring further contacts to impact, as the balls of a cradle do: then the next problem
 * has those, and so on, until none is left.  Contacts that do not bounce wait for the step, which stops them.
 *
 * With friction Newton's law may add energy.  An impact that would is solved again with half the restitution, then with none.
 */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "linalg/vec3.h"
#include "sim/ball_step.h"

enum { MOST_IMPACTS = 200 }; /* one after the other in one step */

double mo_impact_speed(const mo_world *world, double h)
{
    return fmax(world->def.restitution_speed, 2 * h * mo_vec3_norm(world->def.gravity));
}

static int bounces(const mo_world *world, const mo_sim_contact *contact, double h, double least)
{
    const double speed = -mo_contact_approach(world, contact);
    return speed > least && contact->gap <= h * speed;
}

/* Before any impact: of the contacts that are fast enough as far as their shapes know. */
static int choose_first(mo_world *world, double h)
{
    mo_sim_contacts *list = &world->contacts;
    const double least = mo_impact_speed(world, h);
    int count = 0;
    for (int i = 0; i < list->fast_count; ++i) {
        if (bounces(world, list->at + list->fast[i], h, least)) {
            list->fast[count++] = list->fast[i];
        }
    }
    list->fast_count = count;
    for (int k = 0; k < list->count && count > 0; ++k) {
        list->at[k].constraint = MO_NONE;
        list->is_sorted_out = 0;
    }
    for (int i = 0; i < count; ++i) {
        list->at[list->fast[i]].constraint = 0;
    }
    return count;
}

/* After it only contacts of bodies that were in the one before can bounce: the others have the velocities of then. */
static int choose_again(mo_world *world, double h)
{
    const double least = mo_impact_speed(world, h);
    const int end = world->contacts.count;
    int count = 0;
    for (int k = 0; k < end; ++k) {
        mo_sim_contact *contact = world->contacts.at + k;
        if (k + MO_AHEAD < end) {
            mo_body_prefetch(world, contact[MO_AHEAD].body[0]);
            mo_body_prefetch(world, contact[MO_AHEAD].body[1]);
        }
        const int was_hit = world->body[contact->body[0]].block != MO_NONE ||
                            world->body[contact->body[1]].block != MO_NONE;
        const int takes_part =
            contact->restitution > 0 && was_hit && bounces(world, contact, h, least);
        contact->constraint = takes_part ? 0 : MO_NONE;
        count += takes_part;
    }
    return count;
}

/* Driven bodies may do work, so they excuse it. */
static int gains_energy(const mo_world *world)
{
    double before = 0, after = 0;
    if (world->has_driven) {
        return 0;
    }
    const int count = world->is_by_balls ? world->balls.body_count : world->living_count;
    const int *place = world->is_by_balls ? world->ball_body : world->living;
    for (int k = 0; k < count; ++k) {
        const mo_sim_body *body = world->body + place[k];
        if (body->block != MO_NONE && body->mechanism == MO_NONE) {
            before += mo_body_kinetic(world, body, body->start_v);
            after += mo_body_kinetic(world, body, body->next_v);
        }
    }
    mo_mechanisms_kinetic(world, &before, &after);
    return after > before * (1 + 1e-9);
}

static mo_error collide_once(mo_world *world, double h, double restitution, mo_step_report *report,
                             mo_message *why)
{
    const mo_phase phase = {.kind = MO_PHASE_IMPACT, .h = h, .restitution = restitution};
    int takes;
    if (mo_ball_step_solve(world, &phase, 0, &takes)) {
        return mo_fail_memory(why);
    }
    if (takes) {
        report->iterations += world->result.iterations;
        mo_ball_step_velocities(world);
        return MO_OK;
    }
    mo_error error = mo_assemble(world, &phase, why);
    error = error ? error : mo_find_impulses(world, INFINITY, 0, why);
    if (!error) {
        report->iterations += world->result.iterations;
        mo_assemble_velocities(world);
    }
    return error;
}

static void accept(mo_world *world, mo_step_report *report)
{
    const int count = world->is_by_balls ? world->balls.body_count : world->living_count;
    const int *place = world->is_by_balls ? world->ball_body : world->living;
    for (int k = 0; k < count; ++k) {
        mo_sim_body *body = world->body + place[k];
        if (body->block != MO_NONE) {
            memcpy(body->start_v, body->next_v, sizeof body->start_v);
        }
    }
    mo_mechanisms_accept_impact(world);
    for (int k = 0; k < world->contacts.count; ++k) {
        mo_sim_contact *contact = world->contacts.at + k;
        if (contact->constraint != MO_NONE && world->is_by_balls) {
            mo_contact_dress(world, contact);
            mo_vec3_along(contact->impact, 1, mo_ball_step_impulse(world, contact),
                          contact->impact);
        } else if (contact->constraint != MO_NONE) {
            const mo_constraint_view view =
                mo_problem_constraint(world->problem, contact->constraint);
            for (int i = 0; i < view.dim && i < 3; ++i) {
                mo_vec3_along(contact->impact, world->result.r[view.offset + i],
                              contact->frame + 3 * i, contact->impact);
            }
        }
    }
    if (world->result.status != MO_SOLVED && report->status == MO_SOLVED) {
        report->status = world->result.status;
        report->message = world->result.message;
    }
}

mo_error mo_impacts(mo_world *world, double h, mo_step_report *report, int *count, mo_message *why)
{
    mo_error error = MO_OK;
    int chosen = choose_first(world, h);
    for (*count = 0; !error && *count < MOST_IMPACTS && chosen > 0; ++*count) {
        error = collide_once(world, h, 1, report, why);
        for (double restitution = 0.5; !error && restitution >= 0 && gains_energy(world);
             restitution -= 0.5) {
            error = collide_once(world, h, restitution, report, why);
        }
        if (!error) {
            accept(world, report);
            chosen = choose_again(world, h);
        }
    }
    return error;
}
