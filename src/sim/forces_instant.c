/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * The problem of one instant: contacts, their classification as rolling or sliding, velocity
 * products, assembly and solution.
 *
 * With `per_step` = 1/d the accelerations act for a time d, v+ = v + d a (forces_step.c), and rows
 * refer to its end: rows at rest remove their velocity (w includes u/d), and stiff forces are
 * implicit.
 */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "moreau/solve.h"
#include "sim/forces_data.h"

static const double TOUCHES = 1e-6; /* of the smaller shape */
enum { LEMKES_ROWS = 600 };         /* above this auto is tried first */
static const double NO_TIME = 1e-9; /* s: the step of an impulse */

/* ---- contacts -------------------------------------------------------------------------------- */

static double touching_gap(const mo_sim_contact *contact, double gap)
{
    return gap > 0 ? gap : TOUCHES * contact->size;
}

void mo_instant_keep_touching(mo_world *world, double gap)
{
    int kept = 0;
    for (int k = 0; k < world->contacts.count; ++k) {
        const mo_sim_contact *contact = world->contacts.at + k;
        if (contact->gap <= touching_gap(contact, gap)) world->contacts.at[kept++] = *contact;
    }
    world->contacts.count = kept;
}

/* constraint 0: takes part; mode APART: already separates, otherwise SLIDES or STICKS. */
void mo_instant_classify(mo_world *world, mo_instant *instant, mo_forces *forces)
{
    for (int k = 0; k < world->contacts.count; ++k) {
        mo_sim_contact *contact = world->contacts.at + k;
        mo_contact_instant *at = instant->contact + k;
        const mo_sim_body *a = world->body + contact->body[0], *b = world->body + contact->body[1];
        double u_a[3], u[3];
        *at = (mo_contact_instant){.is_sliding = 0};
        mo_point_velocity(a->x, a->v, contact->point, u_a);
        mo_point_velocity(b->x, b->v, contact->point, u);
        mo_vec3_minus(u, u_a, u);
        mo_vec3_copy(u, contact->velocity);
        const double along = mo_vec3_dot(u, contact->frame);
        const double t[2] = {mo_vec3_dot(u, contact->frame + 3),
                             mo_is_planar(world) ? 0 : mo_vec3_dot(u, contact->frame + 6)};
        const double slip = hypot(t[0], t[1]);
        /* over a time, a separating contact may close again, which its row includes */
        const int takes_part = fabs(along) <= instant->speed || instant->per_step > 0;
        contact->constraint = takes_part ? 0 : MO_NONE;
        contact->mode = along > instant->speed ? MO_CONTACT_APART : MO_CONTACT_STICKS;
        forces->impacts += along < -instant->speed;
        if (slip > instant->speed) {
            at->is_sliding = 1;
            at->direction[0] = t[0] / slip;
            at->direction[1] = t[1] / slip;
            contact->rolling = contact->torsion = 0; /* its force is known; moments are left out */
        }
        if (mo_contact_is_taken(contact)) {
            forces->sliding += at->is_sliding;
            forces->rolling += !at->is_sliding;
        }
    }
}

/* ---- memory ---------------------------------------------------------------------------------- */

mo_error mo_instant_make(mo_world *world, mo_instant *instant)
{
    const mo_allocator *own = &world->allocator;
    const size_t contacts = (size_t)world->contacts.count, joints = (size_t)world->joint_places;
    size_t coordinates = 0;
    for (int k = 0; k < world->mechanism_places; ++k)
        coordinates += world->mechanism[k] ? (size_t)world->mechanism[k]->tree.coordinates : 0;
    const int has_all =
        MO_NEW(own, contacts, &instant->contact) && MO_NEW(own, contacts, &instant->rate) &&
        MO_NEW(own, contacts, &instant->has_rate) && MO_NEW(own, joints, &instant->joint) &&
        MO_NEW(own, joints, &instant->joint_rate) &&
        MO_NEW(own, instant->options ? instant->options->known_count : 0,
               &instant->known_constraint) &&
        MO_NEW(own, coordinates, &instant->kept_q);
    if (has_all) {
        memset(instant->joint, 0, joints * sizeof *instant->joint);
        memset(instant->joint_rate, 0, joints * sizeof *instant->joint_rate);
    }
    return has_all ? MO_OK : MO_ERR_MEMORY;
}

void mo_instant_free(mo_world *world, mo_instant *instant)
{
    MO_FREE(&world->allocator, instant->known_constraint, instant->contact, instant->rate,
            instant->has_rate, instant->joint, instant->joint_rate, instant->kept_q, instant->kept,
            instant->moved.at, instant->moved.open, instant->moved.fast);
}

/* ---- solving --------------------------------------------------------------------------------- */

static mo_error try_method(mo_world *world, const mo_options *options, const char *method,
                           mo_forces *forces)
{
    mo_options own = *options;
    own.method = method;
    const mo_error error = mo_solve(world->problem, &own, &world->result);
    if (!error) {
        forces->status = world->result.status;
        forces->method = world->result.method;
        forces->iterations += world->result.iterations;
        forces->residual = world->result.residual;
        forces->message = world->result.message;
    }
    return error;
}

/* Until one solves it, or proves that there is no solution.  Methods that do not support these
 * laws are skipped. */
mo_error mo_instant_solve(mo_world *world, const mo_force_options *options, mo_forces *forces,
                          mo_message *why)
{
    static const char *const CONE[] = {"auto", "dantzig", "lemke", "newton"};
    static const char *const PYRAMID[] = {"lemke", "dantzig", "auto", "newton"};
    const int is_pyramid = options->friction == MO_FRICTION_PYRAMID &&
                           mo_problem_row_count(world->problem) <= LEMKES_ROWS;
    const int count = options->solver.method ? 1 : 4;
    mo_error error = MO_ERR_UNSUPPORTED;
    forces->status = MO_STALLED;
    for (int k = 0; k < count && forces->status != MO_SOLVED && forces->status != MO_NO_SOLUTION;
         ++k) {
        const char *method =
            options->solver.method ? options->solver.method : (is_pyramid ? PYRAMID : CONE)[k];
        const mo_error own = try_method(world, &options->solver, method, forces);
        error = own == MO_ERR_UNSUPPORTED && k > 0 ? error : own;
        if (error && error != MO_ERR_UNSUPPORTED) break;
    }
    return error ? mo_fail(why, error, "the problem of forces was not taken: %.400s",
                           world->result.message.text)
                 : MO_OK;
}

/* Velocities of a step of zero length: the impulse, if any. */
mo_error mo_instant_impulse(mo_world *world, const mo_force_options *options, double least,
                            mo_forces *forces, mo_message *why)
{
    const mo_phase phase = {.kind = MO_PHASE_STEP, .h = NO_TIME};
    for (int k = 0; k < world->contacts.count; ++k)
        world->contacts.at[k].gap = 0; /* no time for corrections */
    mo_advance_driven(world, NO_TIME);
    mo_advance_free(world, NO_TIME);
    mo_error error = mo_assemble(world, &phase, why);
    mo_forces found = *forces;
    mo_force_options own = *options;
    own.friction = MO_FRICTION_CONE;
    error = error ? error : mo_instant_solve(world, &own, &found, why);
    MO_TRY(error);
    mo_assemble_velocities(world);
    double jump = 0;
    for (int k = 0; k < world->living_count; ++k) {
        const mo_sim_body *body = world->body + world->living[k];
        for (int i = 0; i < 6; ++i)
            jump = fmax(jump, fabs(body->next_v[i] - body->v[i]));
    }
    if (found.status == MO_SOLVED && jump > least) {
        *forces = found;
        forces->is_impulsive = 1;
    }
    return MO_OK;
}

/* ---- the problem ----------------------------------------------------------------------------- */

/* Velocities and inertias as they are now; nothing sleeps. */
void mo_instant_begin(mo_world *world, mo_instant *instant)
{
    for (int k = 0; k < world->living_count; ++k) {
        mo_sim_body *body = world->body + world->living[k];
        instant->kept[k].is_asleep = body->is_asleep;
        body->is_asleep = 0;
        memcpy(body->start_v, body->v, sizeof body->v);
        memcpy(body->next_v, body->v, sizeof body->v);
        mo_body_turn_inertia(body);
    }
    mo_mechanisms_begin(world, 0);
}

/* The velocities of driven bodies are in the drift; they have no accelerations. */
mo_error mo_instant_assemble(mo_world *world, const mo_instant *instant, mo_message *why)
{
    const mo_phase phase = {.kind = MO_PHASE_FORCE,
                            .h = 1,
                            .instant = instant,
                            .softness = instant->options ? instant->options->softness : 0};
    for (int k = 0; k < world->living_count; ++k)
        memset(world->body[world->living[k]].free_v, 0, sizeof world->body->free_v);
    for (int k = 0; k < world->mechanism_places; ++k)
        if (world->mechanism[k]) mo_instant_mechanism(world, world->mechanism[k], instant);
    return mo_assemble(world, &phase, why);
}
