/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * A step at the acceleration level: collision times, impacts, then forces [baraff1994;
 * trinkle1997], for comparison with time stepping.
 *
 * A step h is divided at the times when contacts close.  Each piece of length d:
 *
 *   1. impacts   touching contacts that approach change the velocities at once (impact.c), until
 *                none approaches
 *   2. length    to the next closing contact, by gap and speed, or to the end of h; shortened if
 *                the forces close one earlier
 *   3. forces    of this instant, acting for d (forces_piece.c); if none exist, an impulse changes
 *                the velocities, and the piece starts again
 *   4. motion    v+ = v + d a, positions by v+
 *
 * Limits: at most MOST_PIECES per step, fewer without solutions (checks.c); the last one takes the
 * rest.  First order.  After an error the world is unchanged.
 */
#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "sim/forces_piece.h"
#include "sim/pairs.h"

enum { MOST_PIECES = 100, MOST_IMPACTS = 30 };
static const double LEAST_PIECE = 0.02; /* of the step */
/* of the speed gained by gravity in the step: lower speeds count as rest */
static const double SLOW = 0.1;
static const double AT_REST = 1e-6; /* m/s: lower speeds always count as rest */

/* ---- impacts --------------------------------------------------------------------------------- */

static int choose_impacts(mo_piece *p)
{
    mo_world *world = p->world;
    const double fall = 2 * p->h * mo_vec3_norm(world->def.gravity);
    int count = 0;
    for (int k = 0; k < world->contacts.count; ++k) {
        mo_sim_contact *contact = world->contacts.at + k;
        const double approach = -mo_contact_approach(world, contact);
        const int is_near = mo_piece_touches(world, contact);
        contact->constraint = is_near ? 0 : MO_NONE;
        count += is_near && approach > p->options.speed;
        if (approach <= fmax(world->def.restitution_speed, fall)) contact->restitution = 0;
    }
    return count;
}

/* The velocities of the answer become the present ones. */
static void take_velocities(mo_world *world)
{
    mo_assemble_velocities(world);
    for (int k = 0; k < world->living_count; ++k) {
        mo_sim_body *body = world->body + world->living[k];
        if (body->kind == MO_BODY_FREE && body->block != MO_NONE)
            memcpy(body->v, body->next_v, sizeof body->v);
    }
    for (int k = 0; k < world->mechanism_places; ++k) {
        mo_sim_mechanism *mechanism = world->mechanism[k];
        if (mechanism && mechanism->block != MO_NONE) {
            memcpy(mechanism->v, mechanism->next_v,
                   (size_t)mechanism->tree.dofs * sizeof *mechanism->v);
            memcpy(mechanism->start_v, mechanism->v,
                   (size_t)mechanism->tree.dofs * sizeof *mechanism->v);
            mo_mechanism_place_links(world, mechanism);
        }
    }
    for (int k = 0; k < world->living_count; ++k) {
        mo_sim_body *body = world->body + world->living[k];
        memcpy(body->start_v, body->v, sizeof body->v);
    }
}

/* One of the solves of a step, of which the report has the worst residual and the first failure. */
static void add_solve(const mo_world *world, mo_status status, const mo_message *message,
                      mo_step_report *report)
{
    const mo_residual *residual = &world->result.residual;
    if (residual->natural_relative > report->residual.natural_relative)
        report->residual = *residual;
    if (status != MO_SOLVED && report->status == MO_SOLVED) {
        report->status = status;
        report->message = *message;
    }
}

static mo_error resolve_impacts(mo_piece *p, mo_step_report *report, mo_message *why)
{
    const mo_phase phase = {.kind = MO_PHASE_IMPACT, .h = p->h, .restitution = 1};
    const mo_result *result = &p->world->result;
    int left = choose_impacts(p);
    for (int round = 0; round < MOST_IMPACTS && left > 0 && !mo_step_is_spent(&p->world->step);
         ++round) {
        MO_TRY(mo_accuracy_choose(p->world, INFINITY));
        MO_TRY(mo_assemble(p->world, &phase, why));
        MO_TRY(mo_find_impulses(p->world, INFINITY, 0, why));
        report->iterations += result->iterations;
        add_solve(p->world, result->status, &result->message, report);
        take_velocities(p->world);
        left = choose_impacts(p);
    }
    report->impacts_left = left > report->impacts_left ? left : report->impacts_left;
    return MO_OK;
}

/* ---- the length of a piece ------------------------------------------------------------------- */

static double length_of(const mo_piece *p)
{
    double length = fmin(p->left, p->most);
    for (int k = 0; k < p->world->contacts.count; ++k) {
        const mo_sim_contact *contact = p->world->contacts.at + k;
        const double approach = -mo_contact_approach(p->world, contact);
        if (!mo_piece_touches(p->world, contact) && approach > 0 &&
            contact->gap < approach * length)
            length = contact->gap / approach;
    }
    return p->is_last ? p->left : fmin(p->left, fmax(length, LEAST_PIECE * p->h));
}

/* ---- collisions that the forces bring about -------------------------------------------------- */

/* free_v = v + d a of all bodies; next_v holds accelerations. */
static void predict(mo_world *world, double d)
{
    for (int k = 0; k < world->living_count; ++k) {
        mo_sim_body *body = world->body + world->living[k];
        for (int i = 0; i < 6; ++i)
            body->free_v[i] = body->v[i] + (body->kind == MO_BODY_FREE ? d * body->next_v[i] : 0);
    }
    for (int k = 0; k < world->mechanism_places; ++k) {
        mo_sim_mechanism *mechanism = world->mechanism[k];
        if (mechanism && mechanism->block != MO_NONE) {
            mo_linkage_motions(&mechanism->tree, mechanism->next_v, mechanism->motion);
            for (int i = 0; i < mechanism->tree.links; ++i) {
                mo_sim_body *body = world->body + mechanism->body[i];
                mo_spatial_add(d, mechanism->motion[i], body->free_v);
            }
        }
    }
}

static double approach_with(const mo_world *world, const mo_sim_contact *contact, int is_free)
{
    const mo_sim_body *a = world->body + contact->body[0], *b = world->body + contact->body[1];
    return mo_normal_rate(a->x, is_free ? a->free_v : a->v, contact) -
           mo_normal_rate(b->x, is_free ? b->free_v : b->v, contact);
}

/* The time at which the first open contact closes, moving as in a piece of d: gap = t (u + a t),
 * with u its approach and a the contribution of the forces; d if none closes. */
static mo_error find_collision(mo_piece *p, double d, double *when)
{
    mo_world *world = p->world;
    *when = d;
    mo_assemble_velocities(world);
    predict(world, d);
    MO_FAIL_IF(mo_contacts_list(world, d, &p->instant.moved), MO_ERR_MEMORY);
    for (int k = 0; k < p->instant.moved.count; ++k) {
        const mo_sim_contact *contact = p->instant.moved.at + k;
        const double u = approach_with(world, contact, 0);
        const double gain = (approach_with(world, contact, 1) - u) / d;
        const double left = u * u + 4 * gain * contact->gap;
        if (mo_piece_touches(world, contact) || !(left >= 0)) continue;
        const double t = 2 * contact->gap / (u + sqrt(left)); /* the root that comes first */
        *when = t > 0 && t < *when ? t : *when;
    }
    return MO_OK;
}

/* ---- motion ---------------------------------------------------------------------------------- */

static void move_body(mo_sim_body *body, double d)
{
    double turned[4];
    for (int i = 0; i < 6 && body->kind == MO_BODY_FREE; ++i)
        body->v[i] += d * body->next_v[i];
    mo_vec3_along(body->x, d, body->v, body->x);
    mo_advance_turn(body->orientation, body->v + 3, d, turned);
    memcpy(body->orientation, turned, sizeof turned);
}

/* next_v holds accelerations. */
static int move_all(mo_world *world, double d)
{
    double sum = 0;
    mo_assemble_velocities(world);
    for (int k = 0; k < world->living_count; ++k) {
        mo_sim_body *body = world->body + world->living[k];
        if (body->kind == MO_BODY_FREE || body->kind == MO_BODY_DRIVEN) move_body(body, d);
    }
    for (int k = 0; k < world->mechanism_places; ++k) {
        mo_sim_mechanism *mechanism = world->mechanism[k];
        for (int i = 0; mechanism && i < mechanism->tree.dofs; ++i)
            mechanism->v[i] += mechanism->block == MO_NONE ? 0 : d * mechanism->next_v[i];
        if (mechanism) {
            mo_linkage_move(&mechanism->tree, mechanism->q, mechanism->v, d, mechanism->q);
            mo_mechanism_place_links(world, mechanism);
        }
    }
    for (int k = 0; k < world->living_count; ++k) {
        const mo_sim_body *body = world->body + world->living[k];
        for (int i = 0; i < 6; ++i)
            sum += body->v[i] * body->v[i] + body->x[i % 3] * body->x[i % 3];
    }
    world->time += d;
    return sum <= MO_LARGEST * MO_LARGEST;
}

/* Kinematic bodies reach their prescribed pose at the end of the step. */
static void drive(mo_world *world, double left)
{
    mo_advance_free(world, left);
    for (int k = 0; k < world->living_count; ++k) {
        mo_sim_body *body = world->body + world->living[k];
        if (body->kind == MO_BODY_DRIVEN) {
            memcpy(body->v, body->free_v, sizeof body->v);
            memcpy(body->start_v, body->free_v, sizeof body->v);
        }
    }
}

static mo_error take_piece(mo_piece *p, mo_step_report *report, mo_message *why)
{
    mo_world *world = p->world;
    mo_instant_begin(world, &p->instant);
    drive(world, p->left);
    mo_error error = mo_mechanisms_check(world, why);
    if (!error && mo_contacts_find(world, p->left)) error = mo_fail_pairs(world, why);
    error = error ? error : resolve_impacts(p, report, why);
    MO_TRY(error);
    const double length = length_of(p);
    p->instant.per_step = 1 / length;
    error = mo_piece_forces(p, why);
    MO_TRY(error);
    report->iterations += p->forces.iterations;
    world->step.missed += p->forces.status != MO_SOLVED;
    add_solve(world, p->forces.status, &p->forces.message, report);
    if (p->forces.is_impulsive) {
        take_velocities(world);
        return MO_OK;
    }
    double collision;
    MO_FAIL_IF(find_collision(p, length, &collision), mo_fail_memory(why));
    if (!p->is_last && collision < 0.99 * length &&
        length > LEAST_PIECE * p->h) { /* a shorter one, then */
        p->most = collision;
        return MO_OK;
    }
    p->left -= length;
    p->most = p->h;
    mo_instant_write_joints(world, &p->instant, p->h);
    return move_all(world, length)
               ? MO_OK
               : mo_fail(why, MO_ERR_ARGUMENT, "the step would make the state infinite or NaN");
}

/* ---- the step -------------------------------------------------------------------------------- */

/* Reports the contacts of the last piece: impulses of the whole step with their forces. */
static void write_contacts(mo_world *world, const mo_instant *instant, double h)
{
    int kept = 0;
    for (int k = 0; k < world->contacts.count; ++k) {
        mo_sim_contact contact = world->contacts.at[k];
        if (contact.constraint == MO_NONE) continue;
        const mo_constraint_view view = mo_problem_constraint(world->problem, contact.constraint);
        const double *r = world->result.r + view.offset;
        memset(contact.impulse, 0, sizeof contact.impulse);
        memset(contact.moment, 0, sizeof contact.moment);
        for (int i = 0; i < view.dim; ++i) {
            const int axis = i < 3 ? i : view.dim == 4 ? 0 : i - 2; /* torsion, or rolling */
            double *into = i < 3 ? contact.impulse : contact.moment;
            mo_vec3_along(into, h * r[i], contact.frame + 3 * axis, into);
        }
        contact.mode = !(r[0] > 0)                      ? MO_CONTACT_APART
                       : instant->contact[k].is_sliding ? MO_CONTACT_SLIDES
                                                        : MO_CONTACT_STICKS;
        world->contacts.at[kept++] = contact;
    }
    world->contacts.count = kept;
}

static mo_error take_pieces(mo_piece *p, mo_step_report *report, mo_message *why)
{
    mo_error error = MO_OK;
    for (int k = 0; k < MOST_PIECES && !error && p->left > 1e-12 * p->h; ++k) {
        p->forces = (mo_forces){0};
        k = mo_step_is_spent(&p->world->step) ? MOST_PIECES - 1 : k;
        p->is_last = k == MOST_PIECES - 1;
        p->instant = (mo_instant){.speed = p->options.speed};
        p->instant.kept = mo_memory_array(&p->world->allocator, (size_t)p->world->living_count,
                                          sizeof *p->instant.kept);
        MO_NEED_MEMORY(p->instant.kept, why);
        error = take_piece(p, report, why);
        if (!error && !(p->left > 1e-12 * p->h)) write_contacts(p->world, &p->instant, p->h);
        mo_instant_free(p->world, &p->instant);
    }
    return error;
}

static void fill_report(mo_world *world, double h, mo_step_report *report)
{
    for (int k = 0; k < world->living_count; ++k)
        memset(world->body[world->living[k]].force, 0, sizeof world->body->force);
    for (int k = 0; k < world->mechanism_places; ++k) {
        if (world->mechanism[k]) {
            memset(world->mechanism[k]->push, 0,
                   (size_t)world->mechanism[k]->tree.dofs * sizeof(double));
            for (int i = 0; i < world->mechanism[k]->actuators; ++i)
                mo_actuator_follow(world->mechanism[k]->actuator + i, h);
        }
    }
    world->steps++;
    world->last_step = h;
    report->islands = mo_islands_update(world);
    report->contacts = world->contacts.count;
    report->joints = world->jointed_count;
    report->bodies = mo_problem_body_count(world->problem);
    report->tolerance = world->def.solver.tol;
    report->kinetic_energy = mo_world_kinetic_energy(world);
    report->potential_energy = mo_world_potential_energy(world);
    for (int k = 0; k < world->contacts.count; ++k)
        report->penetration = fmax(report->penetration, -world->contacts.at[k].gap);
    world->step.has_open_joints = 0; /* not measured here */
    mo_report_left(world, report);
}

mo_error mo_forces_step(mo_world *world, double h, mo_step_report *report, mo_message *why)
{
    const double start = mo_clock();
    const size_t size = mo_world_save(world, NULL, 0), count = (size_t)world->contacts.count + 1;
    mo_sim_contacts *list = &world->contacts, *other = &world->before;
    MO_FAIL_IF(!MO_GROW(&world->allocator, list->at, list->room, count) ||
                   !MO_GROW(&world->allocator, other->at, other->room, count),
               mo_fail_memory(why)); /* what a refused step restores needs no more */
    void *before = mo_memory_array(&world->allocator, size, 1);
    MO_NEED_MEMORY(before, why);
    mo_world_save(world, before, size);
    world->found.count = world->step.missed = 0;
    mo_piece p = {
        .world = world, .h = h, .left = h, .most = h, .options = mo_default_force_options()};
    p.options.solver = world->def.solver;
    p.options.solver.start = NULL;
    p.options.speed = fmax(AT_REST, SLOW * h * mo_vec3_norm(world->def.gravity));
    mo_error error = take_pieces(&p, report, why);
    if (error)
        mo_world_restore(world, before);
    else
        fill_report(world, h, report);
    mo_memory_free(&world->allocator, before);
    report->seconds_solve = mo_clock() - start;
    return error;
}
