/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * The time limit of a step: solver.time_limit applies to a call of mo_world_step.
 *
 *   pieces    the phases of a step run as paced work (base/pace.h).  A step that needs more time is
 *             suspended, and the next call resumes it
 *   state     while a step is suspended, bodies, time and contacts are those of its start: new
 *             contacts and moved bodies are exchanged with saved ones
 *   solves    each may use SHARE of the remaining time.  If it ends before the tolerance is met,
 *             its result is accepted, as unsolved, if the residual is at most ENOUGH, no contact
 *             closes by more than DEEP, so the projection leaves no more overlap than otherwise,
 *             and no more than GAIN of the energy is added.  Otherwise the solve continues with
 *             twice the time
 *   change    changing the world discards a suspended step.  The next step starts from the impulses
 *             found so far and is not suspended, so a world changed at every call still advances
 */
#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/pace.h"
#include "linalg/vec3.h"
#include "sim/world_data.h"

static const double SHARE = 0.5;     /* of the remaining time: for one solve */
static const double RESERVE = 0.2;   /* of the limit: for the work after the solves */
static const double LEAST = 0.25;    /* of the limit: least time of a solve */
static const double SHORTEST = 1e-4; /* s: the same, so that a limit of zero ends */
static const double ENOUGH = 1e-2;   /* residual, relative: velocities to a hundredth of g h */
static const double DEEP = 1e-2;     /* relative to the smallest body: permitted penetration */
static const double GAIN = 1e-2;     /* of the energy of motion: that may be added */

/* ---- solves ---------------------------------------------------------------------------------- */

double mo_step_share(const mo_world *world)
{
    const double limit = world->def.solver.time_limit, left = mo_pace_left();
    if (!isfinite(limit)) return limit;
    const double share = isfinite(left) ? SHARE * (left - RESERVE * limit) : limit;
    return ldexp(fmax(share, fmax(LEAST * limit, SHORTEST)), world->step.tries);
}

int mo_step_needs_time(mo_world *world, double h)
{
    const mo_residual *residual = &world->result.residual;
    if (world->result.status != MO_TIME_LIMIT || world->step.is_given_up) return 0;
    mo_assemble_velocities(world);
    return residual->natural_relative > ENOUGH ||
           h * residual->penetration_rate.value > DEEP * world->contacts.least ||
           mo_answer_gains(world, h, GAIN);
}

/* ---- the state of the start ------------------------------------------------------------------ */

static void exchange(double *a, double *b, int count)
{
    for (int k = 0; k < count; ++k) {
        const double own = a[k];
        a[k] = b[k];
        b[k] = own;
    }
}

static void exchange_joint(mo_sim_joint *joint, mo_kept_joint *kept)
{
    exchange(&joint->q, &kept->q, 1);
    exchange(joint->impulse, kept->impulse, MO_JOINT_IMPULSES);
    exchange(joint->force, kept->force, 3);
    exchange(joint->moment, kept->moment, 3);
    exchange(&joint->effort, &kept->effort, 1);
}

/* A refused step takes back the impulses and efforts that its answers left in mechanisms. */
static mo_error keep_mechanisms(mo_world *world)
{
    mo_step *step = &world->step;
    const size_t count = mo_mechanisms_size(world);
    MO_FAIL_IF(
        !MO_GROW(&world->allocator, step->kept_mechanisms, step->kept_mechanisms_room, count + 1),
        MO_ERR_MEMORY);
    mo_mechanisms_save(world, (char *)step->kept_mechanisms);
    return MO_OK;
}

mo_error mo_step_keep_joints(mo_world *world)
{
    mo_step *step = &world->step;
    step->was_canonical = world->canonical;
    MO_FAIL_IF(!MO_GROW(&world->allocator, step->kept_joint, step->kept_joint_room,
                        (size_t)world->jointed_count + 1),
               MO_ERR_MEMORY);
    for (int k = 0; k < world->jointed_count; ++k) {
        const mo_sim_joint *joint = world->joint + world->jointed[k];
        mo_kept_joint *kept = step->kept_joint + k;
        kept->q = joint->q;
        kept->effort = joint->effort;
        memcpy(kept->impulse, joint->impulse, sizeof kept->impulse);
        mo_vec3_copy(joint->force, kept->force);
        mo_vec3_copy(joint->moment, kept->moment);
    }
    return keep_mechanisms(world);
}

mo_error mo_step_keep_bodies(mo_world *world)
{
    mo_step *step = &world->step;
    if (!step->is_paced) return MO_OK;
    MO_FAIL_IF(
        !MO_GROW(&world->allocator, step->kept, step->kept_room, (size_t)world->body_places + 1),
        MO_ERR_MEMORY);
    mo_pace_copy(step->kept, world->body, (size_t)world->body_places * sizeof *step->kept);
    step->kept_time = world->time;
    step->kept_last = world->last_step;
    step->kept_steps = world->steps;
    return MO_OK;
}

void mo_step_undo_joints(mo_world *world)
{
    const int canonical = (int)world->canonical;
    world->canonical = (mo_canonical_state)world->step.was_canonical;
    world->step.was_canonical = canonical;
    for (int k = 0; k < world->jointed_count; ++k)
        exchange_joint(world->joint + world->jointed[k], world->step.kept_joint + k);
}

/* Swaps the state of the start and the current one: a second call undoes the first. */
static void exchange_states(mo_world *world)
{
    mo_step *step = &world->step;
    mo_step_undo_joints(world);
    mo_mechanisms_exchange(world, step->kept_mechanisms);
    if (step->stage >= MO_STAGE_SOLVE) mo_contacts_swap(&world->contacts, &world->before);
    if (step->stage >= MO_STAGE_ACCEPT) {
        mo_sim_body *body = world->body;
        world->body = step->kept;
        step->kept = body;
        const size_t room = world->body_room;
        world->body_room = step->kept_room;
        step->kept_room = room;
        exchange(&world->time, &step->kept_time, 1);
        exchange(&world->last_step, &step->kept_last, 1);
        const uint64_t steps = world->steps;
        world->steps = step->kept_steps;
        step->kept_steps = steps;
    }
}

/* ---- a step in several calls ----------------------------------------------------------------- */

/* Is there a limit, and can phases be paced? */
static int is_to_be_paced(mo_world *world)
{
    mo_step *step = &world->step;
    if (!isfinite(world->def.solver.time_limit)) return 0;
    step->paced = step->paced ? step->paced : mo_paced_create(&world->allocator);
    return step->paced != NULL;
}

int mo_step_run(mo_world *world, void (*phases)(void *))
{
    mo_step *step = &world->step;
    const double ends = mo_clock() + world->def.solver.time_limit;
    if (step->is_waiting) {
        exchange_states(world);
    } else {
        step->is_paced = is_to_be_paced(world);
        if (!step->is_paced) {
            phases(world);
            return 1;
        }
        mo_paced_begin(step->paced, phases, world);
    }
    step->is_waiting = !mo_paced_continue(step->paced, ends);
    if (step->is_waiting) exchange_states(world);
    mo_paced_leave(step->paced);
    return !step->is_waiting;
}

void mo_step_give_up(mo_world *world)
{
    if (!world || !world->step.is_waiting) return;
    mo_step *step = &world->step;
    exchange_states(world);
    step->is_given_up = step->begins_again = 1;
    mo_paced_continue(step->paced, INFINITY);
    if (step->stage == MO_STAGE_ACCEPT) /* which it has ended */
        exchange_states(world);
    step->is_waiting = step->is_given_up = 0;
}
