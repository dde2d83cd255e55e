/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Forces and accelerations at one instant (forces.h).
 *
 *   1. contacts    present contacts, classified: rolling, sliding, separating, colliding
 *   2. drift       (d/dt J') v of contacts and joints (forces_drift.c)
 *   3. problem     M a = f + J c, u = J' a + drift, assembled like that of a step (assemble.c,
 *                  phase MO_PHASE_FORCE)
 *   4. methods     in order, until one solves it
 *   5. no forces   the impulse of a step of zero length from this state, if it exists
 *
 * Contacts, problem and result of the last step are saved and restored.
 */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "sim/device_heap.h"
#include "sim/forces_data.h"
#include "sim/pairs.h"
#include "sim/world_data.h"

/* m/s^2 over gravity (or 1): smaller accelerations count as zero, as do contact forces below the
 * same fraction of the largest. */
static const double NEGLIGIBLE = 1e-7;

static const double JUMP = 1e-6; /* of speeds (or 1): a smaller velocity jump is not an impulse */

mo_force_options mo_default_force_options(void)
{
    mo_force_options options = {.solver = mo_default_options(), .speed = 1e-6};
    options.solver.canonical = 1;
    options.solver.method = NULL;
    options.solver.tol = 1e-10;
    return options;
}

MO_NAMES(mo_transition_name, mo_transition, NULL, "sticks", "slips", "slides", "breaks", "impact")

void mo_forces_clear(mo_forces *forces)
{
    MO_NEED_OR(, forces, NULL);
    const mo_allocator own = mo_allocator_or_default(&forces->allocator);
    MO_FREE(&own, forces->contacts, forces->accelerations, forces->is_moving,
            forces->joint_accelerations, forces->known_efforts, forces->joints, forces->links,
            forces->axes, forces->actuator_efforts);
    mo_problem_destroy(forces->problem);
    mo_result_clear(&forces->result);
    *forces = (mo_forces){0};
}

/* ---- results --------------------------------------------------------------------------------- */

/* m/s^2: smaller accelerations count as zero; with soft contacts, the sum of those caused by
 * their compliance. */
static double least_of(const mo_world *world)
{
    double least = NEGLIGIBLE * fmax(1, mo_vec3_norm(world->def.gravity));
    for (int k = 0; k < world->contacts.count; ++k) {
        if (mo_contact_is_taken(world->contacts.at + k)) {
            const mo_constraint_view view =
                mo_problem_constraint(world->problem, world->contacts.at[k].constraint);
            for (int i = 0; i < view.dim && view.law.compliance; ++i)
                least += view.law.compliance[i] * fabs(world->result.r[view.offset + i]);
        }
    }
    return least;
}

static mo_transition transition_of(const mo_contact_force *out, const double *u, double force,
                                   double least_force, double least)
{
    const double across = hypot(u[1], u[2]);
    if (force <= least_force && u[0] > least) return MO_TRANSITION_BREAKS;
    if (out->is_sliding) return MO_TRANSITION_SLIDES;
    return across > least ? MO_TRANSITION_SLIPS : MO_TRANSITION_ROLLS;
}

static void write_answer(const mo_world *world, const mo_sim_contact *contact,
                         mo_contact_force *out, double least_force, double least)
{
    const mo_constraint_view view = mo_problem_constraint(world->problem, contact->constraint);
    const double *r = world->result.r + view.offset, *u = world->result.u + view.offset;
    double rate[3] = {0};
    for (int k = 0; k < view.dim && k < 3; ++k) {
        mo_vec3_along(out->force, r[k], contact->frame + 3 * k, out->force);
        mo_vec3_along(out->acceleration, u[k], contact->frame + 3 * k, out->acceleration);
        rate[k] = u[k];
    }
    for (int k = 3; k < view.dim; ++k) {
        const double *axis = contact->frame + (view.dim == 4 ? 0 : 3 * (k - 2));
        mo_vec3_along(out->moment, r[k], axis, out->moment);
    }
    out->transition = transition_of(out, rate, r[0], least_force, least);
}

static void write_contacts(const mo_world *world, const mo_instant *instant, mo_forces *forces)
{
    const double least = least_of(world);
    double largest = 0;
    for (int k = 0; k < world->result.row_count; ++k)
        largest = fmax(largest, fabs(world->result.r[k]));
    for (int k = 0; k < world->contacts.count; ++k) {
        const mo_sim_contact *contact = world->contacts.at + k;
        mo_contact_force *out = forces->contacts + k;
        *out = (mo_contact_force){.a = mo_body_id_of(world, contact->body[0]),
                                  .b = mo_body_id_of(world, contact->body[1]),
                                  .gap = contact->gap,
                                  .mu = contact->mu,
                                  .is_sliding = instant->contact[k].is_sliding};
        mo_vec3_copy(contact->point, out->point);
        mo_vec3_copy(contact->frame, out->normal);
        mo_vec3_copy(contact->velocity, out->velocity);
        if (!mo_contact_is_taken(contact)) {
            out->transition =
                contact->mode == MO_CONTACT_APART ? MO_TRANSITION_BREAKS : MO_TRANSITION_IMPACT;
        } else {
            write_answer(world, contact, out, NEGLIGIBLE * largest, least);
        }
    }
}

/* Of links: J a and the velocity products. */
static void write_mechanism(const mo_world *world, mo_sim_mechanism *mechanism, mo_forces *forces,
                            int first)
{
    const int n = mechanism->tree.dofs;
    double *a = forces->joint_accelerations + first;
    memset(a, 0, (size_t)n * sizeof *a);
    if (mechanism->block != MO_NONE) {
        const mo_body_view view = mo_problem_body(world->problem, mechanism->block);
        memcpy(a, world->result.v + view.offset, (size_t)n * sizeof *a);
    }
    for (int i = 0; i < n && forces->is_impulsive; ++i)
        a[i] -= mechanism->v[i];
    mo_linkage_motions(&mechanism->tree, a, mechanism->motion);
    for (int k = 0; k < world->living_count; ++k) {
        const mo_sim_body *body = world->body + world->living[k];
        if (body->mechanism != MO_NONE && world->mechanism[body->mechanism] == mechanism) {
            memcpy(forces->accelerations[k], mechanism->motion[body->link], sizeof body->v);
            if (!forces->is_impulsive) {
                double drift[6];
                mo_linkage_drift(&mechanism->tree, mechanism->v, body->link, body->x, drift);
                mo_spatial_add(1, drift, forces->accelerations[k]);
            }
        }
    }
}

static void write_bodies(mo_world *world, mo_forces *forces)
{
    mo_assemble_velocities(world);
    for (int k = 0; k < world->living_count; ++k) {
        const mo_sim_body *body = world->body + world->living[k];
        const int moves = body->kind == MO_BODY_FREE;
        for (int i = 0; i < 6; ++i) {
            const double before = forces->is_impulsive ? body->v[i] : 0;
            forces->accelerations[k][i] = moves ? body->next_v[i] - before : 0;
        }
    }
    for (int k = 0, first = 0; k < world->mechanism_places; ++k) {
        if (world->mechanism[k]) {
            write_mechanism(world, world->mechanism[k], forces, first);
            first += world->mechanism[k]->tree.dofs;
        }
    }
}

static void count_moving(const mo_world *world, mo_forces *forces)
{
    const double least = least_of(world);
    forces->moving = 0;
    for (int k = 0; k < forces->body_count; ++k) {
        const double *a = forces->accelerations[k];
        const double size = fmax(world->body[world->living[k]].size, 0);
        forces->is_moving[k] =
            mo_vec3_norm(a) + (isfinite(size) ? size : 1) * mo_vec3_norm(a + 3) > least;
        forces->moving += forces->is_moving[k];
    }
}

static void write_known(const mo_world *world, const mo_instant *instant, mo_forces *forces)
{
    for (int k = 0; k < forces->known_count; ++k) {
        const int own = instant->known_constraint[k];
        forces->known_efforts[k] =
            forces->is_impulsive
                ? 0
                : world->result.r[mo_problem_constraint(world->problem, own).offset];
    }
}

static mo_error write_results(mo_world *world, const mo_instant *instant, mo_forces *forces)
{
    const mo_allocator *own = &world->allocator;
    forces->contact_count = world->contacts.count;
    forces->body_count = world->living_count;
    forces->joint_acceleration_count = 0;
    for (int k = 0; k < world->mechanism_places; ++k) {
        forces->joint_acceleration_count +=
            world->mechanism[k] ? world->mechanism[k]->tree.dofs : 0;
    }
    forces->contacts =
        mo_memory_array(own, (size_t)forces->contact_count, sizeof *forces->contacts);
    forces->accelerations =
        mo_memory_array(own, (size_t)forces->body_count, sizeof *forces->accelerations);
    forces->is_moving = mo_memory_array(own, (size_t)forces->body_count, sizeof *forces->is_moving);
    forces->joint_accelerations =
        mo_memory_array(own, (size_t)forces->joint_acceleration_count, sizeof(double));
    forces->known_count = instant->options->known_count;
    forces->known_efforts = mo_memory_array(own, (size_t)forces->known_count, sizeof(double));
    MO_NEED_MEMORY(forces->contacts && forces->accelerations && forces->is_moving &&
                       forces->joint_accelerations && forces->known_efforts,
                   NULL);
    write_contacts(world, instant, forces);
    write_bodies(world, forces);
    write_known(world, instant, forces);
    count_moving(world, forces);
    return mo_forces_write_joints(world, instant, forces);
}

/* ---- the instant ----------------------------------------------------------------------------- */

/* m/s or rad/s; at least 1. */
static double fastest(const mo_world *world)
{
    double speed = 1;
    for (int k = 0; k < world->living_count; ++k)
        for (int i = 0; i < 6; ++i)
            speed = fmax(speed, fabs(world->body[world->living[k]].v[i]));
    return speed;
}

static mo_error check_results(const mo_forces *forces, mo_message *why)
{
    int are_moderate =
        mo_are_moderate(forces->joint_acceleration_count, forces->joint_accelerations);
    for (int k = 0; k < forces->body_count; ++k)
        are_moderate = are_moderate && mo_are_moderate(6, forces->accelerations[k]);
    MO_REFUSE_IF(!are_moderate, why,
                 "the accelerations are not finite, or above %g: velocities, forces or masses are "
                 "out of range",
                 MO_LARGEST);
    return MO_OK;
}

static mo_error find_forces(mo_world *world, const mo_force_options *options, mo_instant *instant,
                            mo_forces *forces, mo_message *why)
{
    mo_instant_begin(world, instant);
    MO_FAIL_IF(mo_contacts_list(world, 0, &world->contacts), mo_fail_pairs(world, why));
    mo_instant_keep_touching(world, options->gap);
    MO_FAIL_IF(mo_instant_make(world, instant), mo_fail_memory(why));
    mo_instant_classify(world, instant, forces);
    MO_FAIL_IF(mo_instant_drift(world, instant), mo_fail_memory(why));
    mo_error error = mo_instant_assemble(world, instant, why);
    error = error ? error : mo_mechanisms_check(world, why);
    error = error ? error : mo_instant_solve(world, options, forces, why);
    if (!error && forces->status != MO_SOLVED && forces->sliding > 0) {
        mo_force_options any = *options;
        any.solver.method = NULL;
        error = mo_instant_impulse(world, &any, JUMP * fastest(world), forces, why);
        if (!error && !forces->is_impulsive) { /* the problem of forces and its answer again */
            error = mo_instant_assemble(world, instant, why);
            error = error ? error : mo_instant_solve(world, options, forces, why);
        }
    }
    MO_TRY(error);
    MO_FAIL_IF(write_results(world, instant, forces), mo_fail_memory(why));
    return check_results(forces, why);
}

static mo_error check_known(const mo_world *world, const mo_force_options *options, mo_message *why)
{
    for (int k = 0; k < options->known_count; ++k) {
        const mo_known_acceleration *known = options->known + k;
        const mo_sim_mechanism *mechanism = mo_mechanism_at(world, known->mechanism);
        MO_REFUSE_IF(!mechanism || known->velocity < 0 || known->velocity >= mechanism->tree.dofs ||
                         !isfinite(known->acceleration),
                     why,
                     "known acceleration %d is not of a velocity of a mechanism in the "
                     "world, or not finite",
                     k);
    }
    return MO_OK;
}

mo_error mo_world_forces(mo_world *world, const mo_force_options *options, mo_forces *forces,
                         mo_message *why)
{
    MO_NEED(world && forces, why);
    mo_force_options own = options ? *options : mo_default_force_options();
    own.solver.start = NULL; /* which belongs to another problem */
    options = &own;
    mo_forces_clear(forces);
    MO_REFUSE_IF(
        !(options->speed >= 0) || !(options->gap >= 0) || !(options->softness >= 0) ||
            (options->friction != MO_FRICTION_CONE && options->friction != MO_FRICTION_PYRAMID),
        why,
        "gap, speed and softness of mo_force_options must not be negative, and its friction "
        "the cone or the pyramid");
    MO_TRY(mo_options_check(&options->solver, why));
    MO_TRY(check_known(world, options, why));
    MO_TRY(mo_check_masses(world, why));
    mo_device_heap_bring_back(world);
    MO_FAIL_IF(mo_step_keep_joints(world), mo_fail_memory(why));
    mo_instant instant = {.speed = options->speed,
                          .options = options,
                          .is_pyramid = options->friction == MO_FRICTION_PYRAMID};
    instant.kept =
        mo_memory_array(&world->allocator, (size_t)world->living_count, sizeof *instant.kept);
    MO_NEED_MEMORY(instant.kept, why);
    mo_problem *problem = world->problem;
    const mo_result result = world->result;
    const mo_sim_contacts contacts = world->contacts;
    world->problem = NULL;
    world->result = (mo_result){.allocator = world->allocator};
    world->contacts = world->before;
    forces->allocator = world->allocator;
    const mo_error error = find_forces(world, options, &instant, forces, why);
    mo_step_undo_joints(world);
    for (int k = 0; k < world->living_count; ++k)
        world->body[world->living[k]].is_asleep = instant.kept[k].is_asleep;
    mo_instant_free(world, &instant);
    forces->problem = world->problem;
    forces->result = world->result;
    world->before = world->contacts;
    world->before.count = 0;
    world->contacts = contacts;
    world->result = result;
    world->problem = problem;
    if (error) mo_forces_clear(forces);
    return error;
}
