/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Assembles a contact problem from contacts and joints.
 *
 * Bodies without constraints are left out and keep their free velocities.  For the others
 *
 *     M v = M v_free + H r,      u = H' v + w.
 *
 * assemble_bodies.c has M and v_free, assemble_contacts.c has H and w of contacts, joint_problem.c
 * those of joints, and assemble_answer.c distributes the solution.
 */
#include <limits.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/pace.h"
#include "linalg/vec3.h"
#include "problem/builder_data.h"
#include "problem/problem_data.h"
#include "sim/assemble.h"

static void write_contact_start(const mo_sim_contact *contact, int rows, double *r)
{
    if (rows == 3) {
        mo_mat3_apply(contact->frame, contact->impulse, r);
        return;
    }
    for (int k = 0; k < rows; ++k) {
        r[k] = mo_vec3_dot(k < 3 ? contact->impulse : contact->moment,
                           mo_contact_axis(contact, rows, k));
    }
}

/* Room for `end` rows, of which those from `first` on are zero. */
static mo_error clear_start(mo_world *world, int first, int end)
{
    MO_FAIL_IF(!MO_GROW(&world->allocator, world->start, world->start_room, (size_t)end + 1),
               MO_ERR_MEMORY);
    memset(world->start + first, 0, (size_t)(end - first) * sizeof *world->start);
    return MO_OK;
}

/* The contacts that take part, with the impulses at which their solve starts. */
static mo_error add_contacts(mo_world *world, const mo_phase *phase)
{
    int row = mo_builder_row_count(world->builder);
    const int end = row + MO_CONTACT_ROWS * world->contacts.count;
    MO_FAIL_IF(clear_start(world, 0, row) || clear_start(world, end, end), MO_ERR_MEMORY);
    for (int k = 0; k < world->contacts.count; ++k) {
        mo_sim_contact *contact = world->contacts.at + k;
        mo_pace_every(k, 64);
        mo_contacts_prefetch(world, k);
        if (mo_contact_is_taken(contact)) {
            const int rows = mo_assemble_contact(world, contact, phase);
            write_contact_start(contact, rows, world->start + row);
            row += rows;
        }
    }
    return MO_OK;
}

/* contact_end: the rows below are those of joints and contacts. */
static mo_error write_start(mo_world *world, int contact_end)
{
    MO_FAIL_IF(clear_start(world, contact_end, mo_problem_row_count(world->problem)),
               MO_ERR_MEMORY);
    for (int k = 0; k < world->jointed_count; ++k)
        mo_joint_write_start(world, world->jointed[k], world->start);
    for (int k = 0; k < world->mechanism_places; ++k)
        if (world->mechanism[k]) mo_mechanism_write_start(world, world->mechanism[k], world->start);
    return MO_OK;
}

/* Of teams, and of worlds that are swept to their own tolerance: colours depend only on the
 * bodies of a contact, not on which others take part. */
static mo_error name_bodies(mo_world *world)
{
    mo_problem *problem = world->problem;
    if (!world->team && !(world->def.solver.tol > MO_FINE_TOLERANCE)) return MO_OK;
    problem->body_id =
        mo_memory_array(&problem->allocator, (size_t)problem->body_count, sizeof *problem->body_id);
    MO_NEED_MEMORY(problem->body_id, NULL);
    for (int b = 0; b < problem->body_count; ++b)
        problem->body_id[b] = (uint32_t)b;
    for (int k = 0; k < world->living_count; ++k) {
        const mo_sim_body *body = world->body + world->living[k];
        mo_pace_every(k, 256);
        if (body->block != MO_NONE) /* of a mechanism: that of its last link */
            problem->body_id[body->block] = body->id;
    }
    return MO_OK;
}

/* The closing speed that a coarse step may leave (impulses.c) is that of the smallest contact; each
 * has its own, in proportion to its size. */
static mo_error scale_rates(mo_world *world)
{
    const mo_sim_contacts *list = &world->contacts;
    mo_problem *problem = world->problem;
    int k = 0;
    while (k < list->count && !(list->at[k].size > list->least))
        ++k;
    if (k == list->count || isfinite(world->def.solver.penetration_rate)) return MO_OK;
    MO_FAIL_IF(!MO_NEW(&problem->allocator, problem->constraint_count, &problem->rate_scale),
               MO_ERR_MEMORY);
    for (int i = 0; i < problem->constraint_count; ++i)
        problem->rate_scale[i] = 1;
    for (; k < list->count; ++k) {
        const mo_sim_contact *contact = list->at + k;
        mo_pace_every(k, 512);
        if (mo_contact_is_taken(contact))
            problem->rate_scale[contact->constraint] = fmin(1, list->least / contact->size);
    }
    mo_pace();
    return MO_OK;
}

/* Reserves room for all contacts, and for one Jacobian of any block. */
static mo_error reserve(mo_world *world)
{
    size_t widest = 6;
    for (int k = 0; k < world->mechanism_places; ++k)
        if (world->mechanism[k] && (size_t)world->mechanism[k]->tree.dofs > widest)
            widest = (size_t)world->mechanism[k]->tree.dofs;
    MO_FAIL_IF(
        !MO_GROW(&world->allocator, world->jacobian, world->jacobian_room, widest * MO_JOINT_ROWS),
        MO_ERR_MEMORY);
    const size_t count = (size_t)world->contacts.count;
    const size_t values = mo_is_planar(world) ? 2 * 6 * count : 0;
    mo_builder_reserve(world->builder, (size_t)world->living_count, count, 2 * count, values);
    return MO_OK;
}

/* Own bodies of a team that no constraint of this world touches: one of another world may. */
static void add_untouched(mo_world *world, const mo_phase *phase)
{
    world->step.touched_count = INT_MAX;
    if (world->team) {
        world->step.touched_count = 0;
        for (int k = 0; k < world->living_count; ++k)
            world->step.touched_count += world->body[world->living[k]].block != MO_NONE;
        for (int k = 0; k < world->living_count; ++k)
            if (!world->body[world->living[k]].is_ghost)
                mo_assemble_body(world, world->living[k], phase);
    }
}

mo_error mo_assemble(mo_world *world, const mo_phase *phase, mo_message *why)
{
    mo_problem_destroy(world->problem);
    world->problem = NULL;
    for (int k = 0; k < world->living_count; ++k) {
        mo_pace_every(k, 256);
        world->body[world->living[k]].block = MO_NONE;
    }
    mo_pace();
    for (int k = 0; k < world->mechanism_places; ++k)
        if (world->mechanism[k]) world->mechanism[k]->block = MO_NONE;
    mo_pace();
    MO_FAIL_IF(reserve(world) || mo_loops_begin(world), mo_fail_memory(why));
    for (int k = 0; k < world->jointed_count; ++k) {
        const mo_sim_joint *joint = world->joint + world->jointed[k];
        mo_assemble_body(world, joint->body[0], phase);
        mo_assemble_body(world, joint->body[1], phase);
        mo_joint_assemble(world, world->jointed[k], phase);
    }
    if (add_contacts(world, phase)) {
        mo_builder_clear(world->builder);
        return mo_fail_memory(why);
    }
    const int contact_end = mo_builder_row_count(world->builder);
    for (int k = 0; k < world->living_count && phase->kind == MO_PHASE_FORCE; ++k)
        mo_assemble_body(world, world->living[k], phase); /* accelerations of all are reported */
    mo_mechanisms_assemble(world, phase);
    add_untouched(world, phase);
    if (phase->kind == MO_PHASE_FORCE) mo_instant_known(world, phase->instant);
    mo_pace();
    MO_TRY(mo_builder_finish(world->builder, &world->problem, why));
    MO_FAIL_IF(name_bodies(world) || (phase->kind == MO_PHASE_STEP && scale_rates(world)) ||
                   write_start(world, contact_end),
               mo_fail_memory(why));
    return MO_OK;
}
