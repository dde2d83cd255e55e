/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Energy that an inexact solution adds, island by island.
 *
 * A solution has u' r <= 0, so its kinetic energy T+ obeys T+ <= T + A(v+) + P with the work
 * A(v) = h F' v of the forces at the velocities v and P = max(0, -w' r) of the corrections of
 * position.  An inexact one may exceed this.  Its velocities are then scaled by the largest f <= 1
 * with
 *
 *     f^2 T+ <= T + f A(v+) + P.
 *
 * Contacts with w_N >= 0 remain satisfied: H' f v+ + w = f (H' v+ + w) + (1 - f) w.  Islands with
 * joints, mechanisms or kinematic bodies, which may supply energy, are left as they are.
 */
#include <math.h>

#include "base/error.h"
#include "base/pace.h"
#include "linalg/vec3.h"
#include "problem/problem_data.h"
#include "sim/world_data.h"

static void add_body(const mo_world *world, const mo_sim_body *body, double h,
                     mo_island_facts *island)
{
    const double *v = body->next_v;
    island->before += mo_body_kinetic(world, body, body->start_v);
    island->after += mo_body_kinetic(world, body, v);
    island->work += h * (body->mass * mo_vec3_dot(world->def.gravity, v) +
                         mo_vec3_dot(body->force, v) + mo_vec3_dot(body->force + 3, v + 3));
}

static void add_contact(const mo_world *world, const mo_sim_contact *contact)
{
    mo_island_facts *island = mo_island_of_contact(world, contact);
    if (island && mo_contact_is_taken(contact)) {
        const mo_problem *problem = world->problem;
        const int first = problem->row_start[contact->constraint],
                  end = problem->row_start[contact->constraint + 1];
        for (int k = first; k < end; ++k) {
            island->correction -= problem->w[k] * world->result.r[k];
        }
    }
}

/* f of an island. */
static double factor(const mo_island_facts *island)
{
    const double all = island->before + fmax(0, island->correction), work = island->work;
    const int is_fed = island->has_joints || island->is_driven;
    if (is_fed || !(island->after > all + work)) {
        return 1;
    }
    return fmin(1, (work + sqrt(work * work + 4 * island->after * all)) / (2 * island->after));
}

mo_error mo_islands_remove_gain(mo_world *world, double h)
{
    if (world->team || world->def.first_order > 0) {
        return MO_OK;
    }
    MO_TRY(mo_accuracy_islands(world));
    for (int k = 0; k < world->living_count; ++k) {
        mo_island_facts *island = mo_island_of(world, world->living[k]);
        mo_pace_every(k, 256);
        if (island) {
            add_body(world, world->body + world->living[k], h, island);
        }
    }
    mo_pace();
    for (int k = 0; k < world->contacts.count; ++k) {
        mo_pace_every(k, 512);
        add_contact(world, world->contacts.at + k);
    }
    mo_pace();
    for (int k = 0; k < world->living_count; ++k) {
        mo_sim_body *body = world->body + world->living[k];
        const mo_island_facts *island = mo_island_of(world, world->living[k]);
        const double f = island ? factor(island) : 1;
        mo_pace_every(k, 256);
        if (f < 1) {
            world->step.report.energy_removed +=
                (1 - f * f) * mo_body_kinetic(world, body, body->next_v);
            mo_vec3_scale(f, body->next_v, body->next_v);
            mo_vec3_scale(f, body->next_v + 3, body->next_v + 3);
        }
    }
    mo_pace();
    return MO_OK;
}
