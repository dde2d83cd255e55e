/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* The report of a step, whether it counts as solved, and access to its contacts and solution. */
#include "base/error.h"
#include "base/pace.h"
#include "linalg/vec3.h"
#include "sim/device_heap.h"
#include "sim/world_data.h"

/* Of the allowed overlap: a step that adds more is unsolved. */
static const double TOO_DEEP = 10;

static void set(mo_step_report *report, mo_status status)
{
    report->status = report->status == MO_SOLVED ? status : report->status;
}

void mo_report_left(const mo_world *world, mo_step_report *report)
{
    if (report->impacts_left > 0) {
        set(report, MO_ITERATION_LIMIT);
        mo_say(&report->message,
               "%d contacts still bounce after the maximum number of impacts per step",
               report->impacts_left);
    } else if (report->late_contacts > 0) {
        set(report, MO_ITERATION_LIMIT);
        mo_say(&report->message, "%d contacts or limits still close after the last round",
               report->late_contacts);
    } else if (report->overlap - report->overlap_before > TOO_DEEP * world->def.overlap) {
        set(report, MO_ITERATION_LIMIT);
        mo_say(&report->message, "shapes still overlap by %.2g of their size", report->overlap);
    } else if (report->held_back > 0) {
        set(report, MO_ITERATION_LIMIT);
        mo_say(&report->message, "%d bodies were stopped before they passed through another",
               report->held_back);
    } else if (world->step.left_out > 0) {
        set(report, MO_ITERATION_LIMIT);
        mo_say(&report->message, "%d pairs of bodies that overlap deeply were left out",
               world->step.left_out);
    } else if (world->step.has_open_joints) {
        set(report, MO_ITERATION_LIMIT);
        mo_say(&report->message, "joints remain open by more than 0.01 of the size of a body");
    } else if (report->friction_reduced > 0) {
        set(report, MO_STALLED);
        mo_say(&report->message,
               "no solution was found with the friction of the contacts that kinematic bodies "
               "push: it was reduced by %g %%",
               100 * report->friction_reduced);
    }
    if (report->status != MO_SOLVED && !report->message.text[0]) {
        mo_say(&report->message, "%s: relative residual %.1e", mo_status_text(report->status),
               report->residual.natural_relative);
    }
    if (report->status != MO_SOLVED && mo_step_is_spent(&world->step)) {
        const mo_message left = report->message;
        mo_say(&report->message, "%.400s; %d solves found no solution, and no more were tried",
               left.text, world->step.missed);
    }
}

static int count_held(const mo_world *world)
{
    int count = 0;
    for (int k = 0; k < world->living_count && mo_may_be_held_back(world); ++k) {
        mo_pace_every(k, 512);
        const mo_sim_body *body = world->body + world->living[k];
        count += body->part < 1 && !body->is_ghost;
    }
    mo_pace();
    return (int)mo_team_sum(world, count);
}

/* r' W r: dv' M dv over the free bodies, dv from the velocities without impulses. */
static double exchanged(const mo_world *world)
{
    double sum = 0;
    for (int k = 0; k < world->living_count; ++k) {
        const mo_sim_body *body = world->body + world->living[k];
        double v[3], spin[3], turn[3];
        mo_pace_every(k, 256);
        if (body->kind == MO_BODY_FREE && !body->is_asleep) {
            mo_vec3_minus(body->v, body->free_v, v);
            mo_vec3_minus(body->v + 3, body->free_v + 3, spin);
            mo_mat3_apply(body->world_inertia, spin, turn);
            sum += body->mass * mo_vec3_dot(v, v) + mo_vec3_dot(spin, turn);
        }
    }
    mo_pace();
    return sum;
}

void mo_report_fill(mo_world *world, mo_step_report *report)
{
    report->contacts = mo_contacts_taken(world);
    report->joints = world->jointed_count;
    mo_pace();
    report->bodies = world->problem ? mo_problem_body_count(world->problem) : 0;
    if (report->status == MO_SOLVED) { /* otherwise an impact was not, which is already reported */
        report->status = world->result.status;
        report->message = report->status != MO_SOLVED ? world->result.message : report->message;
    }
    report->residual = world->result.residual;
    report->tolerance = mo_accuracy_tolerance(world);
    const double exchange = report->residual.power > 0 ? exchanged(world) : 0;
    report->sinking = exchange > 0 ? report->residual.power / exchange : 0;
    mo_pace();
    report->held_back = count_held(world);
    mo_pace();
    const double kinetic = mo_world_kinetic_energy(world);
    const double potential = mo_world_potential_energy(world);
    report->kinetic_energy = kinetic; /* the fields hold initial values until here */
    report->potential_energy = potential;
    mo_report_left(world, report);
}

/* ---- access ---------------------------------------------------------------------------------- */

int mo_world_contact_count(const mo_world *world)
{
    (void)mo_device_heap_fetch_contacts(world);
    MO_NEED_OR(0, world, NULL);
    return world->contacts.count;
}

mo_contact mo_world_contact(const mo_world *world, int k)
{
    (void)mo_device_heap_fetch_contacts(world);
    MO_NEED_OR((mo_contact){0}, world, NULL);
    mo_contact out = {0};
    if (k < 0 || k >= world->contacts.count) return out;
    const mo_sim_contact *in = world->contacts.at + k;
    out.a = mo_body_id_of(world, in->body[0]);
    out.b = mo_body_id_of(world, in->body[1]);
    out.id = ((uint64_t)in->shape[0] << 44) ^ ((uint64_t)in->shape[1] << 24) ^ in->feature;
    mo_vec3_copy(in->point, out.point);
    mo_vec3_copy(in->frame, out.normal);
    mo_vec3_along(in->impulse, 1, in->impact, out.impulse);
    mo_vec3_copy(in->moment, out.moment);
    mo_vec3_copy(in->velocity, out.velocity);
    out.gap = in->gap;
    out.mu = in->mu;
    out.mode = in->mode;
    return out;
}

const mo_problem *mo_world_problem(const mo_world *world)
{
    MO_NEED_OR(NULL, world, NULL);
    return mo_device_heap_is_away(world) || world->step.is_waiting ? NULL : world->problem;
}

void mo_world_device(const mo_world *world, mo_message *where)
{
    MO_NEED_OR(, world && where, where);
    if (mo_device_heap_is_away(world))
        mo_say(where, "%s", mo_device_heap_device(world));
    else if (world->device_note.text[0])
        mo_say(where, "cpu (%.400s)", world->device_note.text);
    else
        mo_say(where, "cpu");
}

const mo_result *mo_world_result(const mo_world *world)
{
    MO_NEED_OR(NULL, world, NULL);
    return &world->result;
}
