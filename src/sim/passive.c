/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Does a step give energy that nothing has put in?
 *
 * A step whose joints hold in velocity alone (w = 0) cannot: with M (v+ - v - h g) = H r and u' r
 * <= 0,
 *
 *     E+ - E = v+' M v+ / 2 - v' M v / 2 - h g' M v+ = u' r - (v+ - v)' M (v+ - v) / 2 <= 0.
 *
 * Joints that also take back their drift (w = error / h) do work w' r, which may be more than the
 * last term takes: a link on its way through the lowest point is lifted by what it has drifted
 * outwards, and a light link between a heavy one and its hold may gain without end.  Such a step is
 * solved again,
 *
 *   1. with joints held at the end of the step (joint_ahead.c), which leaves them closed.  The pull
 *      of a link that turns then slows it;
 *   2. where that gains, too (a whip that cracks, links that push), it counts anyway, and the
 *      gain is taken out of the velocities with which the step ends: those with which the jointed
 *      bodies move against each other shrink by one factor, so that momentum and angular momentum
 *      of what hangs together, and of nothing else, stay as they are;
 *   3. where there is not so much of them, or Newton's method did not close the joints, with joints
 *      held in velocity alone.  Drift stays until a later step can take it back.
 *
 * The same is done where a step would leave a joint open by more than OPEN (step.c).
 *
 * Held where they are, which is the rule, joints keep the angular momentum of what they join to
 * rounding; held ahead they lose of it h w^2 / 2 a second, so that this is the exception.
 *
 * Where there is a driven body, a motor, a mechanism (whose springs and actuators hold energy), or
 * a force from outside, energy may come from there, and nothing is asked.  Penetrations that go out
 * may lift, too.
 */
#include <math.h>
#include <string.h>

#include "linalg/vec3.h"
#include "sim/world_data.h"

static const double OF_MOTION = 1e-10; /* part of the kinetic energy that is rounding */
static const double OF_SIZE = 1e-12;   /* part of a body's size by which it is lifted in rounding */

static int is_driven(const mo_world *world)
{
    for (int k = 0; k < world->jointed_count; ++k) {
        const mo_joint_def *def = &world->joint[world->jointed[k]].def;
        if (def->drive != MO_DRIVE_NONE && def->max_effort > 0) {
            return 1;
        }
    }
    for (int k = 0; k < world->living_count; ++k) {
        const mo_sim_body *body = world->body + world->living[k];
        if (body->kind == MO_BODY_DRIVEN || mo_vec3_norm(body->force) > 0 ||
            mo_vec3_norm(body->force + 3) > 0) {
            return 1;
        }
    }
    return 0;
}

double mo_step_gain(const mo_world *world, double h)
{
    if (world->jointed_count == 0 || world->mechanism_count > 0 || world->def.first_order > 0 ||
        is_driven(world)) {
        return 0;
    }
    const double g = mo_vec3_norm(world->def.gravity);
    double gain = 0, rounding = 0;
    for (int k = 0; k < world->living_count; ++k) {
        const mo_sim_body *body = world->body + world->living[k];
        if (body->block != MO_NONE) {
            const double before = mo_body_kinetic(world, body, body->start_v),
                         after = mo_body_kinetic(world, body, body->next_v);
            gain += after - before - h * body->mass * mo_vec3_dot(world->def.gravity, body->next_v);
            rounding += OF_MOTION * (before + after) + OF_SIZE * body->mass * g * body->size;
        }
    }
    return gain > rounding ? gain : 0;
}

void mo_hold_otherwise(mo_world *world)
{
    world->step.joints_hold = (mo_hold)(world->step.joints_hold + 1);
    for (int k = 0; k < world->living_count; ++k) {
        mo_sim_body *body = world->body + world->living[k];
        if (body->block != MO_NONE) { /* what was found is no guide: it gained */
            memcpy(body->next_v, body->start_v, sizeof body->next_v);
        }
    }
}
