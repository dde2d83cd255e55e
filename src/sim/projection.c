/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Positions put right at the end of a step, as positions [anitescu2004, sec. 2].
 *
 * The smallest displacement d, in the metric of the masses, that opens the gaps and closes the
 * joints to first order:
 *
 *   min d' M d / 2   subject to   gap + J d >= 0 at the contacts,    error + J d = 0 at the joints.
 *
 * Its optimality conditions are a contact problem with frictionless laws, f = 0 and w the gaps, in
 * a unit of length instead of time.  It has the contacts of the bodies that overlap, and of those
 * that it has moved; repeated where curvature leaves something.  Velocities stay as they are, and
 * spins turn with their bodies, so that no energy of motion comes from it.
 */
#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "linalg/vec3.h"
#include "sim/joint_rows.h"
#include "sim/mechanism.h"
#include "sim/pairs.h"

enum { MOST_ROUNDS = 3, MOST_ITERATIONS = 300 };
static const double CLOSED = 1e-11; /* of the size of a body, or rad: error of a joint */
/* Of the unit, which is the overlap that may be left: the tolerance, and what one contact may be
 * off by. */
static const double TOLERANCE = 1e-2, OFF = 0.25;
/* Of the unit, of joints: they are closed to the last digits. */
static const double JOINT_TOLERANCE = 1e-7;

/* ---- what is to be put right ----------------------------------------------------------------- */

static void mark(mo_world *world, int body)
{
    world->body[body].is_displaced = mo_moves_freely(world->body + body);
}

/* Is a joint open by more than a step may leave it? */
static int is_joint_open(const mo_world *world)
{
    for (int k = 0; k < world->jointed_count; ++k) {
        const mo_sim_joint *joint = world->joint + world->jointed[k];
        mo_joint_rows rows;
        if (mo_joint_is_projected(world, joint)) {
            mo_joint_hold(world, joint, &rows);
            if (mo_joint_gap(world, joint, &rows) > CLOSED) {
                return 1;
            }
        }
    }
    return 0;
}

/* Contacts at the present poses between displaced bodies and others, into world->before; the
 * deepest overlap, over the size. */
static mo_error find_contacts(mo_world *world, double *deepest)
{
    const mo_sim_contacts *of = &world->contacts;
    mo_sim_contacts *list = &world->before;
    list->count = list->has_open = 0;
    *deepest = 0;
    for (int k = 0; k < of->count; ++k) {
        const mo_sim_contact *own = of->at + k;
        const mo_pair pair = {own->shape[0], own->shape[1]};
        const int is_again = k > 0 && own[-1].shape[0] == pair.a && own[-1].shape[1] == pair.b;
        if (is_again ||
            !(world->body[own->body[0]].is_displaced || world->body[own->body[1]].is_displaced)) {
            continue;
        }
        const mo_sim_shape *a = world->shape + pair.a, *b = world->shape + pair.b;
        const mo_pose at[2] = {mo_shape_pose(world->body + a->body, a),
                               mo_shape_pose(world->body + b->body, b)};
        if (mo_contacts_collide(world, &pair, at, mo_margin_of(world, a, b), list)) {
            return MO_ERR_MEMORY;
        }
    }
    for (int k = 0; k < list->count; ++k) {
        mo_sim_contact *contact = list->at + k;
        contact->mu = contact->rolling = contact->torsion = 0;
        contact->constraint = 0;
        *deepest = fmax(*deepest, -contact->gap / contact->size);
    }
    return MO_OK;
}

/* ---- a displacement -------------------------------------------------------------------------- */

static void set_inertias(mo_world *world)
{
    for (int k = 0; k < world->living_count; ++k) {
        mo_body_turn_inertia(world->body + world->living[k]);
    }
}

static void displace(mo_world *world, double unit)
{
    for (int k = 0; k < world->living_count; ++k) {
        mo_sim_body *body = world->body + world->living[k];
        if (body->block == MO_NONE) {
            continue;
        }
        mark(world, world->living[k]);
        if (body->mechanism == MO_NONE) {
            double turned[4], turn[4], spin[3], by[3];
            mo_vec3_along(body->x, unit, body->next_v, body->x);
            mo_advance_turn(body->orientation, body->next_v + 3, unit, turned);
            memcpy(body->orientation, turned, sizeof turned);
            mo_vec3_scale(unit, body->next_v + 3, by);
            mo_quat_rotation(by, turn);
            mo_quat_turn(turn, body->v + 3, spin);
            mo_vec3_copy(spin, body->v + 3);
        }
    }
    mo_mechanisms_displace(world, unit);
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

static mo_error solve(mo_world *world, mo_message *why)
{
    mo_options options = world->def.solver;
    const int has_joints = world->jointed_count > 0 || world->mechanism_count > 0;
    options.tol = has_joints ? JOINT_TOLERANCE : TOLERANCE;
    options.penetration_rate = OFF;
    options.max_iter = options.max_iter < MOST_ITERATIONS ? options.max_iter : MOST_ITERATIONS;
    options.start = NULL;
    options.time_limit = INFINITY; /* few iterations, which must be made */
    const mo_error error = mo_solve(world->problem, &options, &world->result);
    return error ? mo_fail(why, error, "the projection was not taken: %.400s",
                           world->result.message.text)
                 : MO_OK;
}

static mo_error project_once(mo_world *world, double unit, mo_message *why)
{
    const mo_phase phase = {.kind = MO_PHASE_PROJECTION, .h = unit};
    change_sides(world);
    set_inertias(world);
    mo_error error = mo_assemble(world, &phase, why);
    error = error ? error : solve(world, why);
    if (!error) {
        double sum = 0;
        mo_assemble_velocities(world);
        for (int k = 0; k < world->result.dof_count; ++k) {
            sum += world->result.v[k];
        }
        if (isfinite(sum)) {
            displace(world, unit);
        }
    }
    change_sides(world);
    return error;
}

/* The overlap that may be left of the smallest body, in m. */
static double unit_of(const mo_world *world)
{
    double size = INFINITY;
    for (int k = 0; k < world->living_count; ++k) {
        const mo_sim_body *body = world->body + world->living[k];
        size = mo_moves_freely(body) && body->size > 0 ? fmin(size, body->size) : size;
    }
    return world->def.overlap * (isfinite(size) ? size : 1);
}

static int needs(mo_world *world, double deepest, int is_first)
{
    return deepest > world->def.overlap || (is_first && world->overlapping.count > 0) ||
           is_joint_open(world) || mo_mechanisms_worst(world) > CLOSED;
}

mo_error mo_project_positions(mo_world *world, double *deepest, mo_message *why)
{
    mo_error error = MO_OK;
    *deepest = 0;
    world->is_projected = 0;
    for (int k = 0; k < world->living_count; ++k) {
        world->body[world->living[k]].is_displaced = 0;
    }
    for (int k = 0; k < world->overlapping.count; ++k) {
        mark(world, world->near[world->overlapping.at[k].a].body);
        mark(world, world->near[world->overlapping.at[k].b].body);
    }
    for (int round = 0; round < MOST_ROUNDS && !error && needs(world, *deepest, round == 0) &&
                        (round == 0 || !mo_deadline_is_over(world));
         ++round) {
        double before;
        if (round == 0 && find_contacts(world, &before)) {
            return mo_fail_memory(why);
        }
        world->is_projected = 1;
        error = project_once(world, unit_of(world), why);
        if (!error && find_contacts(world, deepest)) {
            error = mo_fail_memory(why);
        }
    }
    world->before.count = 0;
    return error;
}
