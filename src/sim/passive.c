/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Steps that would add energy.  A step whose joints hold in velocity alone (w = 0) cannot: with M
 * (v+ - v - h g) = H r and u' r <= 0,
 *     E+ - E = v+' M v+ / 2 - v' M v / 2 - h g' M v+ = u' r - (v+ - v)' M (v+ - v) / 2 <= 0.
 * Drift correction (w = error / h) does work w' r, which may exceed the last term.  Such a step,
 * and one that would leave a joint open by more than OPEN (step.c), is solved again:
 *
 *   1. with joints closed at the end of the step (joint_ahead.c), which damps rotation;
 *   2. if that gains energy too (a cracking whip), it is accepted, and the gain is removed from the
 *      relative velocities of jointed bodies, conserving momenta (energy_gain.c);
 *   3. if that is impossible, or Newton's method did not close the joints, with joints held in
 *      velocity alone.  The projection of positions closes joints that are then open by more than
 *      OPEN; the height that bodies gain by it, beyond the loss of the step, is removed as in 2.
 *
 * Nothing is done if kinematic bodies, motors, mechanisms or applied forces may supply energy.
 */
#include <math.h>
#include <string.h>

#include "linalg/vec3.h"
#include "sim/world_data.h"

static const double OF_MOTION = 1e-10; /* relative to the kinetic energy: rounding */
static const double OF_SIZE = 1e-12;   /* relative to the size of a body: lift by rounding */

static int is_driven(const mo_world *world)
{
    for (int k = 0; k < world->jointed_count; ++k) {
        const mo_joint_def *def = &world->joint[world->jointed[k]].def;
        if (def->drive != MO_DRIVE_NONE && def->max_effort > 0) return 1;
    }
    for (int k = 0; k < world->living_count; ++k) {
        const mo_sim_body *body = world->body + world->living[k];
        if (body->kind == MO_BODY_DRIVEN || mo_vec3_norm(body->force) > 0 ||
            mo_vec3_norm(body->force + 3) > 0)
            return 1;
    }
    return 0;
}

static int is_passive(const mo_world *world)
{
    return world->jointed_count > 0 && world->mechanism_count == 0 && world->def.first_order == 0 &&
           !is_driven(world);
}

/* Negative if the step loses energy. */
static double change_of_energy(const mo_world *world, double h, double *rounding)
{
    const double g = mo_vec3_norm(world->def.gravity);
    double gain = 0;
    *rounding = 0;
    for (int k = 0; k < world->living_count; ++k) {
        const mo_sim_body *body = world->body + world->living[k];
        if (body->block != MO_NONE) {
            const double before = mo_body_kinetic(world, body, body->start_v),
                         after = mo_body_kinetic(world, body, body->next_v);
            gain += after - before - h * body->mass * mo_vec3_dot(world->def.gravity, body->next_v);
            *rounding += OF_MOTION * (before + after) + OF_SIZE * body->mass * g * body->size;
        }
    }
    return gain;
}

double mo_step_gain(const mo_world *world, double h)
{
    double rounding, gain = 0;
    if (is_passive(world)) {
        gain = change_of_energy(world, h, &rounding);
        gain = gain > rounding ? gain : 0;
    }
    return gain;
}

double mo_step_loss(const mo_world *world, double h)
{
    double rounding;
    return is_passive(world) ? fmax(0, -change_of_energy(world, h, &rounding)) : INFINITY;
}

void mo_remove_lift(mo_world *world, double lift)
{
    if (!(lift > 0)) return;
    for (int k = 0; k < world->living_count; ++k) {
        mo_sim_body *body = world->body + world->living[k];
        memcpy(body->next_v, body->v, sizeof body->v);
        mo_body_turn_inertia(body);
    }
    mo_remove_energy_gain(world, 0, lift, 1);
    for (int k = 0; k < world->living_count; ++k) {
        mo_sim_body *body = world->body + world->living[k];
        memcpy(body->v, body->next_v, sizeof body->v);
    }
}

void mo_hold_next(mo_world *world)
{
    world->step.joints_hold = (mo_hold)(world->step.joints_hold + 1);
    for (int k = 0; k < world->living_count; ++k) {
        mo_sim_body *body = world->body + world->living[k];
        /* not used as a start of the next solve, since it gained energy */
        if (body->block != MO_NONE) memcpy(body->next_v, body->start_v, sizeof body->next_v);
    }
}
