/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* Distributes the solution of a contact problem to bodies, contacts and joints. */
#include <math.h>
#include <string.h>

#include "base/pace.h"
#include "linalg/vec3.h"
#include "problem/problem_data.h"
#include "sim/assemble.h"

/* Relative residual: the slip that such a tolerance leaves is removed in the next step. */
static const double TAKES_BACK = 1e-6;
/* m/s: the error of solves; slower contacts are sticking */
static const double SLIDING = 1e-8;
/* Distance from the cone's edge, relative to its width: within it, a contact slides.  Solves to
 * 1e-8 leave a tenth of this. */
static const double ON_CONE = 1e-7;

/* The length of the tangential part. */
static double tangential(const double *x, int rows)
{
    const double first = rows > 1 ? x[1] : 0, second = rows > 2 ? x[2] : 0;
    return sqrt(first * first + second * second);
}

static mo_contact_mode mode_of(double mu, const double *r, const double *u, int rows)
{
    if (!(r[0] > 0)) return MO_CONTACT_APART;
    const int on_cone = tangential(r, rows) >= mu * r[0] * (1 - ON_CONE);
    const int slides = mu > 0 ? on_cone && tangential(u, rows) > SLIDING : 1;
    return slides ? MO_CONTACT_SLIDES : MO_CONTACT_STICKS;
}

static void read_contact(const mo_world *world, mo_sim_contact *contact, double h)
{
    const int offset = world->problem->row_start[contact->constraint],
              rows = mo_constraint_dim(world->problem, contact->constraint);
    const double *r = world->result.r + offset, *u = world->result.u + offset;
    double *impulse = contact->impulse, *moment = contact->moment;
    mo_vec3_set(moment, 0, 0, 0);
    mo_vec3_set(contact->slip, 0, 0, 0);
    if (rows == 3) {
        mo_mat3_apply_transposed(contact->frame, r, impulse);
    } else {
        mo_vec3_set(impulse, 0, 0, 0);
        for (int k = 0; k < rows && k < 3; ++k)
            mo_vec3_along(impulse, r[k], contact->frame + 3 * k, impulse);
    }
    for (int k = 3; k < rows; ++k)
        mo_vec3_along(moment, r[k], mo_contact_axis(contact, rows, k), moment);
    contact->mode = mode_of(mo_step_friction(world, contact) * contact->mu, r, u, rows);
    const double tol = mo_is_coarse(world, contact) ? world->step.tol : world->def.solver.tol;
    for (int k = 1; k < rows && k < 3 && contact->mode == MO_CONTACT_STICKS && tol <= TAKES_BACK;
         ++k)
        mo_vec3_along(contact->slip, h * u[k], contact->frame + 3 * k, contact->slip);
}

/* Of b against a at the point. */
void mo_contact_velocity(const mo_world *world, const mo_sim_contact *contact, double out[3])
{
    double u[2][3];
    for (int side = 0; side < 2; ++side) {
        const double *v = world->body[contact->body[side]].next_v;
        double arm[3];
        mo_contact_arm(world, contact, side, arm);
        mo_vec3_cross(v + 3, arm, u[side]);
        mo_vec3_along(u[side], 1, v, u[side]);
    }
    mo_vec3_minus(u[1], u[0], out);
}

static void finish_contact(mo_world *world, mo_sim_contact *contact)
{
    if (mo_contact_is_taken(contact) || mo_vec3_dot(contact->impact, contact->impact) > 0) {
        mo_contact_velocity(world, contact, contact->velocity);
        if (mo_contact_is_late(contact)) { /* from now on it is an impulse of the last step */
            contact->gap -= world->step.late[contact->late].before;
            contact->late = MO_NONE;
            contact->was_late = 1;
        }
    }
}

void mo_assemble_finish(mo_world *world, double h)
{
    mo_sim_contacts *list = &world->contacts;
    for (int k = 0, next; k < list->count; k = next) {
        next = mo_contacts_end_of_pair(list, k);
        mo_pace_every(k, 64);
        for (int i = k; i < next; ++i) {
            mo_contacts_prefetch(world, i);
            finish_contact(world, list->at + i);
        }
        mo_contacts_note(world, list->at + k, next - k, h);
    }
    mo_pace();
}

void mo_assemble_velocities(mo_world *world)
{
    for (int k = 0; k < world->living_count; ++k) {
        mo_sim_body *body = world->body + world->living[k];
        mo_pace_every(k, 256);
        mo_living_prefetch(world, k, 0, offsetof(mo_sim_body, v));
        if (body->block != MO_NONE && body->mechanism == MO_NONE) {
            mo_from_block(world, world->result.v + world->problem->body_start[body->block],
                          body->next_v);
        }
    }
    mo_pace();
    mo_mechanisms_velocities(world);
}

void mo_assemble_answer(mo_world *world, double h)
{
    mo_assemble_velocities(world);
    for (int k = 0; k < world->contacts.count; ++k) {
        mo_pace_every(k, 64);
        mo_prefetch(world->contacts.at + k + MO_AHEAD, offsetof(mo_sim_contact, held));
        if (mo_contact_is_taken(world->contacts.at + k))
            read_contact(world, world->contacts.at + k, h);
    }
    mo_pace();
    for (int k = 0; k < world->jointed_count; ++k)
        mo_joint_answer(world, world->jointed[k], h);
    for (int k = 0; k < world->mechanism_places; ++k)
        if (world->mechanism[k] && mo_mechanism_moves(world, world->mechanism[k]))
            mo_mechanism_read_rows(world, world->mechanism[k], h, 1, 1 / h);
}
