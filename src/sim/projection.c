/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Positions put right at the end of a step.
 *
 * The smallest displacement d, in the metric of the masses, that opens every gap and closes every
 * joint to first order:
 *
 *   min d' M d / 2   subject to   gap + J d >= 0 at the contacts,    error + J d = 0 at the joints.
 *
 * Its optimality conditions are a contact problem with frictionless laws, v = d, f = 0 and w the
 * gaps.  Repeated where curvature leaves something.  Velocities stay as they are, and spins turn
 * with their bodies, so that no energy of motion comes from it.
 */
#include <math.h>
#include <string.h>

#include "linalg/vec3.h"
#include "sim/joint_rows.h"

enum { MOST_ROUNDS = 3 };
static const double GOOD_ENOUGH = 1e-9; /* of a size: what may be left */

static double least_size(const mo_world *world)
{
    double size = INFINITY;
    for (int k = 0; k < world->living_count; ++k) {
        const mo_sim_body *body = world->body + world->living[k];
        size = mo_moves_freely(body) && body->size > 0 ? fmin(size, body->size) : size;
    }
    return isfinite(size) ? size : 1;
}

static double worst_error(const mo_world *world)
{
    double worst = 0;
    for (int k = 0; k < world->before.count; ++k) {
        worst = fmax(worst, -world->before.at[k].gap);
    }
    for (int k = 0; k < world->jointed_count; ++k) {
        mo_joint_rows rows;
        mo_joint_hold(world, world->joint + world->jointed[k], &rows);
        for (int i = 0; i < rows.count; ++i) {
            worst = fmax(worst, fabs(rows.error[i]));
        }
    }
    return worst;
}

static void set_inertias(mo_world *world)
{
    for (int k = 0; k < world->living_count; ++k) {
        mo_body_turn_inertia(world->body + world->living[k]);
    }
}

static void displace(mo_world *world)
{
    for (int k = 0; k < world->living_count; ++k) {
        mo_sim_body *body = world->body + world->living[k];
        if (body->block != MO_NONE && body->mechanism == MO_NONE) {
            double turned[4], turn[4], spin[3];
            mo_vec3_along(body->x, 1, body->next_v, body->x);
            mo_advance_turn(body->orientation, body->next_v + 3, 1, turned);
            memcpy(body->orientation, turned, sizeof turned);
            mo_quat_rotation(body->next_v + 3, turn);
            mo_quat_turn(turn, body->v + 3, spin);
            mo_vec3_copy(spin, body->v + 3);
        }
    }
    mo_mechanisms_displace(world);
}

/* The step's problem and answer make room, and come back: a second call undoes the first. */
static void change_sides(mo_world *world)
{
    mo_problem *problem = world->problem;
    world->problem = world->side_problem;
    world->side_problem = problem;
    const mo_result result = world->result;
    world->result = world->side_result;
    world->side_result = result;
    const mo_sim_contacts contacts = world->contacts;
    world->contacts = world->before;
    world->before = contacts;
}

static mo_error project_once(mo_world *world, mo_message *why)
{
    const mo_phase phase = {.kind = MO_PHASE_PROJECTION, .h = 1};
    change_sides(world);
    set_inertias(world);
    mo_error error = mo_assemble(world, &phase, why);
    error = error ? error : mo_find_impulses(world, 1, 0, why);
    if (!error) {
        mo_assemble_velocities(world);
        double sum = 0;
        for (int k = 0; k < world->result.dof_count; ++k) {
            sum += world->result.v[k];
        }
        if (isfinite(sum)) {
            displace(world);
        }
    }
    change_sides(world);
    return error;
}

mo_error mo_project_positions(mo_world *world, mo_message *why)
{
    const double enough = GOOD_ENOUGH * least_size(world);
    mo_error error = MO_OK;
    for (int round = 0; round < MOST_ROUNDS && !error; ++round) {
        error = mo_contacts_touching(world);
        if (error || worst_error(world) <= enough) {
            break;
        }
        error = project_once(world, why);
    }
    world->before.count = 0;
    return error;
}
