/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * One time step.
 *
 *   1. free velocities   of the bodies without constraints
 *   2. contacts          within reach of the step
 *   3. impacts           contacts that bounce change the velocities at the start (impact.c); then 1
 *   4. problem           assembled and solved (answer.c), from the impulses of the last step; again
 *                        if a contact closes that was left out, or shapes overlap at the end of the
 *                        step (overlap.c)
 *   5. energy            if joints that correct their drift add some, 4 again with joints held in
 *                        another way (passive.c)
 *   6. new poses         refused, with the world unchanged, if a number is not finite
 *   7. projection        positions alone (projection.c), then the report (report.c)
 *
 * The time limit of the step is in deadline.c.
 */
#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/recycler.h"
#include "linalg/vec3.h"
#include "sim/device_heap.h"
#include "sim/pairs.h"
#include "sim/world_data.h"

enum {
    MOST_ROUNDS = 10 /* of contacts that turn out to close */,
    OVERLAP_ROUNDS = 2 /* of contacts taken where shapes overlap at the end of the step */,
    MOST_NEWTON = 10,
    AHEAD_ITERATIONS = 200 /* of a problem on the way to closed joints */
};
static const double OPEN = 1e-2,
                    CLOSED = 1e-8; /* error of a joint over the size of a body: held ahead */
/* Limits of the penetration of a contact that was left out: parts of a body's size and of a coarse
 * tolerance. */
static const double LATE = 1e-6, LATE_OF_TOLERANCE = 0.1, NEARLY_LATE = 0.02;

mo_error mo_check_masses(mo_world *world, mo_message *why)
{
    if (world->masses_are_fit) {
        return MO_OK;
    }
    for (int k = 0; k < world->living_count; ++k) {
        const mo_sim_body *body = world->body + world->living[k];
        const int has_mass = body->mass > 0 && body->inertia[8] > 0;
        if (body->kind == MO_BODY_FREE && !has_mass) {
            return mo_fail(
                why, MO_ERR_ARGUMENT,
                "body %d '%.64s' is free but has no mass or no inertia: give it a shape, or both",
                k, body->def.name);
        }
    }
    world->masses_are_fit = 1;
    return MO_OK;
}

static mo_error check_step(mo_world *world, double h, mo_message *why)
{
    if (!(h > 0) || isinf(h)) {
        return mo_fail(why, MO_ERR_ARGUMENT, "a step takes a finite time above zero, not %g s", h);
    }
    return mo_check_masses(world, why);
}

/*
 * What the tolerance leaves in the velocities, about tol g h, moves bodies by tol g h^2 in a step.
 * Where that is more than the size of a body that touches something, there is no contact left to
 * speak of.
 */
static mo_error check_length(const mo_world *world, double h, mo_message *why)
{
    const double tol = world->def.solver.tol, g = mo_vec3_norm(world->def.gravity);
    const double least = world->contacts.least;
    if (tol * g * h * h > least) {
        return mo_fail(
            why, MO_ERR_ARGUMENT,
            "a step of %g s is too long: in it a body falls so far that a residual of %g lets "
            "one of %.3g m "
            "pass through another; take steps of at most %.2g s, or a finer tolerance",
            h, tol, least, sqrt(least / (tol * g)));
    }
    return MO_OK;
}

/* ---- contacts that close after all ----------------------------------------------------------- */

static double late_depth(const mo_world *world)
{
    return fmax(LATE, LATE_OF_TOLERANCE * world->step.tol);
}

/* *count of them. */
static mo_error take_late_contacts(mo_world *world, double h, int *count)
{
    *count = 0;
    if (mo_contacts_look_again(world, h)) {
        return MO_ERR_MEMORY;
    }
    *count = mo_contacts_take_closing(world, h, late_depth(world), 1);
    if (*count > 0) { /* and those that the next answer may close */
        *count += mo_contacts_take_closing(world, h, -NEARLY_LATE, 1);
    }
    return MO_OK;
}

double mo_body_kinetic(const mo_world *world, const mo_sim_body *body, const double v[6])
{
    double Jw[3];
    if (mo_is_planar(world)) {
        mo_vec3_set(Jw, 0, 0, body->inertia[8] * v[5]);
    } else {
        mo_mat3_apply(body->world_inertia, v + 3, Jw);
    }
    return 0.5 * (body->mass * mo_vec3_dot(v, v) + mo_vec3_dot(v + 3, Jw));
}

/* ---- the solve ------------------------------------------------------------------------------- */

/* Contacts that close after all: *count of them. */
static mo_error look_over(mo_world *world, double h, int *count)
{
    const mo_error error = take_late_contacts(world, h, count);
    *count += mo_mechanisms_look_again(world, h);
    return error;
}

/* The same of a better answer, where a contact penetrates in the present one. */
static mo_error look_closer(mo_world *world, double h, mo_step_report *report, int *count,
                            mo_message *why)
{
    const int before = world->result.iterations;
    int is_better;
    mo_error error = mo_slow_penetration(world, h, &is_better, why);
    if (!error && is_better) {
        report->iterations += world->result.iterations - before;
        mo_assemble_answer(world, h);
        error = look_over(world, h, count) ? mo_fail_memory(why) : MO_OK;
    }
    return error;
}

/* Solves again until no contact closes late and nothing overlaps by much.  Where the time is over
 * before a round, the next call makes it, if the step can pause. */
static mo_error solve_step(mo_world *world, double h, int goes_on, mo_step_report *report,
                           mo_message *why)
{
    int *overlap_rounds = &world->step.pause.overlap_rounds;
    *overlap_rounds = goes_on ? *overlap_rounds : 0;
    double start = mo_clock();
    mo_error error = mo_step_solve(world, h, goes_on, report, why);
    for (int round = 0; !error && !mo_deadline_waits(world, h); ++round) {
        if (!mo_deadline_has(world, 0) && mo_pause_is_possible(world) &&
            !(goes_on && round == 0 && world->step.pause.stage == MO_STAGE_LOOK)) {
            mo_step_postpone(world, MO_STAGE_LOOK);
            break;
        }
        const int has_time = mo_deadline_has(world, mo_clock() - start);
        const int may_go_on = round < MOST_ROUNDS && (has_time || mo_pause_is_possible(world));
        report->late_contacts = 0;
        if (!may_go_on) {
            report->late_contacts = mo_contacts_take_closing(world, h, late_depth(world), 0);
        } else if (look_over(world, h, &report->late_contacts)) {
            return mo_fail_memory(why);
        }
        if (report->late_contacts == 0 && may_go_on) {
            error = look_closer(world, h, report, &report->late_contacts, why);
        }
        int more = report->late_contacts;
        if (!error && (more == 0 || !may_go_on)) {
            const int takes = may_go_on && (*overlap_rounds)++ < OVERLAP_ROUNDS;
            error = mo_overlaps_look(world, h, takes, &more) ? mo_fail_memory(why) : MO_OK;
        }
        if (error || more == 0 || !may_go_on) {
            break;
        }
        if (!has_time) {
            mo_step_postpone(world, MO_STAGE_ASSEMBLE);
            break;
        }
        start = mo_clock();
        error = mo_step_solve(world, h, 0, report, why);
    }
    return error;
}

static int is_well_held(mo_world *world, double h)
{
    if (world->jointed_count == 0) {
        return 1;
    }
    const double gain = mo_step_gain(world, h);
    const int may_gain = world->step.joints_hold == MO_HOLD_AHEAD && gain > 0 &&
                         mo_remove_energy_gain(world, h, gain, 0);
    return (gain == 0 || may_gain) && mo_joints_error_ahead(world, h) <= OPEN;
}

/* Newton's method closes joints that are held ahead (joint_ahead.c): problem after problem, each of
 * which need not be solved to the last. */
static mo_error close_ahead(mo_world *world, double h, double *guess, mo_step_report *report,
                            mo_message *why)
{
    mo_error error = solve_step(world, h, 0, report, why);
    for (int round = 0; round < MOST_NEWTON && !error; ++round) {
        const int is_cut = mo_guess_cut(world, h, guess);
        if (!is_cut && mo_joints_error_ahead(world, h) <= CLOSED) {
            break;
        }
        error = solve_step(world, h, 0, report, why);
    }
    return error;
}

/* Solves with joints held otherwise than here.  The answer that counts has all the iterations that
 * are allowed. */
static mo_error hold(mo_world *world, double h, mo_step_report *report, mo_message *why)
{
    const int most = world->def.solver.max_iter;
    if (world->step.joints_hold != MO_HOLD_AHEAD) {
        return solve_step(world, h, 0, report, why);
    }
    double *guess = mo_guess_take(world);
    if (!guess) {
        return mo_fail_memory(why);
    }
    world->def.solver.max_iter = most < AHEAD_ITERATIONS ? most : AHEAD_ITERATIONS;
    mo_error error = close_ahead(world, h, guess, report, why);
    world->def.solver.max_iter = most;
    if (!error && world->result.status == MO_ITERATION_LIMIT) {
        error = solve_step(world, h, 0, report, why);
    }
    mo_memory_free(&world->allocator, guess);
    return error;
}

/* Impacts, and what the bodies would do after them. */
static mo_error bounce(mo_world *world, double h, mo_step_report *report, mo_message *why)
{
    int count;
    const mo_error error = mo_impacts(world, h, report, &count, why);
    if (!error && count > 0) {
        mo_advance_free(world, h);
    }
    mo_contacts_choose(world, h);
    return error;
}

/* ---- the step -------------------------------------------------------------------------------- */

/* What a step that is refused has touched: the coordinates of joints at the last look, and whether
 * the impulses are canonical. */
static void keep_start(mo_world *world)
{
    world->step.was_canonical = world->is_canonical;
    for (int k = 0; k < world->jointed_count; ++k) {
        mo_sim_joint *joint = world->joint + world->jointed[k];
        joint->start_q = joint->q;
    }
}

static void undo_start(mo_world *world)
{
    world->is_canonical = world->step.was_canonical;
    for (int k = 0; k < world->jointed_count; ++k) {
        mo_sim_joint *joint = world->joint + world->jointed[k];
        joint->q = joint->start_q;
    }
}

/* The contacts of the last step become the present ones again. */
static void undo_contacts(mo_world *world)
{
    const mo_sim_contacts now = world->contacts;
    world->contacts = world->before;
    world->before = now;
}

/* Free velocities and contacts; again where that wakes what slept. */
static mo_error find_contacts(mo_world *world, double h)
{
    mo_advance_start(world, h);
    mo_error error = mo_contacts_find(world, h);
    for (int round = 0;
         !error && world->def.sleeping && round < MOST_ROUNDS && mo_islands_wake_touched(world);
         ++round) {
        undo_contacts(world);
        mo_advance_start(world, h);
        error = mo_contacts_find(world, h);
    }
    return error;
}

/* The time is over before there is an answer: the state stays, and the next call goes on from the
 * impulses that were found. */
static void wait(mo_world *world, double h, mo_step_report *report)
{
    if (mo_pause_is_possible(world)) {
        mo_pause_begin(world, h);
    } else {
        mo_contacts_drop_late(world);
        mo_contacts_keep_taken(world);
    }
    undo_start(world);
    world->step.is_cut_short = 1;
    world->step.is_projected = 1; /* the energies are those of the present state */
    report->is_waiting = 1;
    mo_report_fill(world, report);
    mo_recycler_end_round(world->recycler);
}

/* Free velocities, contacts and impacts. */
static mo_error begin(mo_world *world, double h, mo_step_report *report, mo_message *why)
{
    const double start = mo_clock();
    mo_mechanisms_begin(world, h);
    mo_error error =
        find_contacts(world, h) ? mo_fail_pairs(world, why) : mo_mechanisms_check(world, why);
    error = error ? error : check_length(world, h, why);
    report->seconds_collide = mo_clock() - start;
    return error ? error : bounce(world, h, report, why);
}

/* Velocities and impulses, with joints held in another way where they would add energy. */
static mo_error solve(mo_world *world, double h, int goes_on, mo_step_report *report,
                      mo_message *why)
{
    const double start = mo_clock();
    mo_error error = solve_step(world, h, goes_on, report, why);
    while (!error && world->step.joints_hold < MO_HOLD_SPEED && !mo_deadline_is_over(world) &&
           !is_well_held(world, h)) {
        mo_contacts_drop_late(world);
        mo_hold_otherwise(world);
        error = hold(world, h, report, why);
    }
    report->seconds_solve = mo_clock() - start - report->seconds_assemble;
    return error;
}

/* The next state becomes the present one.  Once it is, what fails is said in the report. */
static mo_error accept(mo_world *world, double h, mo_step_report *report, mo_message *why)
{
    const double start = mo_clock();
    mo_error error = mo_accuracy_rest(world, h) ? mo_fail_memory(why) : MO_OK;
    error = error ? error : mo_advance_poses(world, h, why);
    if (error) {
        return error;
    }
    const double gain = mo_step_gain(world, h);
    if (gain > 0 && mo_remove_energy_gain(world, h, gain, 1)) {
        report->energy_removed = gain;
    }
    mo_assemble_finish(world);
    mo_advance_accept(world, h);
    const double accepted = mo_clock();
    report->overlap_before = world->step.overlap_before;
    const int is_projected = !mo_project_positions(world, &report->overlap, why);
    report->seconds_project = mo_clock() - accepted;
    mo_contacts_keep_taken(world);
    report->islands = mo_islands_update(world);
    mo_report_fill(world, report);
    if (!is_projected) {
        mo_say(&report->message, "positions were not projected: %s", mo_error_text(MO_ERR_MEMORY));
    }
    mo_recycler_end_round(world->recycler);
    report->seconds_advance = mo_clock() - start;
    return MO_OK;
}

static mo_error step(mo_world *world, double h, mo_step_report *report, mo_message *why)
{
    world->step.joints_hold = MO_HOLD_HERE;
    mo_deadline_start(world);
    if (world->def.level == MO_LEVEL_ACCELERATION) {
        return mo_forces_step(world, h, report, why);
    }
    const int goes_on = mo_pause_ends(world, h);
    world->step.late_count = goes_on ? world->step.late_count : 0;
    world->step.overlapping.count = 0;
    keep_start(world);
    mo_error error = goes_on ? MO_OK : begin(world, h, report, why);
    report->penetration = world->contacts.deepest;
    error = error ? error : solve(world, h, goes_on, report, why);
    if (!error && mo_deadline_waits(world, h)) {
        wait(world, h, report);
        return MO_OK;
    }
    error = error ? error : accept(world, h, report, why);
    if (error) {
        undo_contacts(world);
        undo_start(world);
    }
    return error;
}

mo_error mo_world_step(mo_world *world, double h, mo_step_report *report, mo_message *why)
{
    MO_NEED(world, why);
    mo_step_report own;
    report = report ? report : &own;
    *report = (mo_step_report){0};
    mo_error error = check_step(world, h, why);
    const int is_on_device = !error && mo_device_heap_is_due(world, &error, why);
    return error          ? error
           : is_on_device ? mo_device_heap_step(world, h, report, why)
                          : step(world, h, report, why);
}

/* ---- looking --------------------------------------------------------------------------------- */

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
    if (k < 0 || k >= world->contacts.count) {
        return out;
    }
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
    return mo_device_heap_is_away(world) ? NULL : world->problem;
}

void mo_world_device(const mo_world *world, mo_message *where)
{
    MO_NEED_OR(, world && where, where);
    if (mo_device_heap_is_away(world)) {
        mo_say(where, "%s", mo_device_heap_device(world));
    } else if (world->device_note.text[0]) {
        mo_say(where, "cpu (%.400s)", world->device_note.text);
    } else {
        mo_say(where, "cpu");
    }
}

const mo_result *mo_world_result(const mo_world *world)
{
    MO_NEED_OR(NULL, world, NULL);
    return &world->result;
}
