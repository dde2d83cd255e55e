/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * One time step.
 *
 *   1. free velocities   of the bodies without constraints
 *   2. contacts          within reach of the step
 *   3. impacts           contacts that bounce change the velocities at the start (impact.c); then 1
 *   4. problem           assembled and solved (answer.c), from the impulses of the last step; again
 *                        if one of the checks (checks.c) asks for it
 *   5. new poses         refused, with the world unchanged, if a number is not finite
 *   6. projection        positions alone (projection.c), then the report (report.c)
 *
 * The time limit of the step is in deadline.c.
 */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/pace.h"
#include "base/recycler.h"
#include "linalg/vec3.h"
#include "sim/device_heap.h"
#include "sim/pairs.h"
#include "sim/world_data.h"

enum {
    MOST_WAKES = 10 /* rounds of islands that wake each other */,
    ROUGH_ROUNDS = 2 /* which others are likely to follow */
};

mo_error mo_check_masses(mo_world *world, mo_message *why)
{
    if (world->masses_are_fit) return MO_OK;
    for (int k = 0; k < world->living_count; ++k) {
        const mo_sim_body *body = world->body + world->living[k];
        const int has_mass = body->mass > 0 && body->inertia[8] > 0;
        MO_FAIL_IF(body->kind == MO_BODY_FREE && !has_mass,
                   mo_fail(why, MO_ERR_ARGUMENT,
                           "body %d '%.64s' is dynamic but has no mass or no inertia: give it a "
                           "shape, or mass and inertia",
                           k, body->def.name));
    }
    world->masses_are_fit = 1;
    return MO_OK;
}

static mo_error check_step(mo_world *world, double h, mo_message *why)
{
    MO_REFUSE_IF(!(h >= 1 / MO_LARGEST && h <= MO_LARGEST), why,
                 "the step size must be between %g and %g s, not %g s", 1 / MO_LARGEST, MO_LARGEST,
                 h);
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

/* ---- phases ---------------------------------------------------------------------------------- */

static mo_error predict(mo_world *world)
{
    mo_step *step = &world->step;
    if (step->is_paced) { /* for the report of a call that leaves it waiting */
        mo_pace_hold(1);
        step->report.kinetic_energy = mo_world_kinetic_energy(world);
        step->report.potential_energy = mo_world_potential_energy(world);
        mo_pace_hold(0);
    }
    mo_recycler_end_round(world->recycler); /* of the last step */
    mo_advance_start(world, step->h);
    return MO_OK;
}

/* Contacts; again where that wakes what slept. */
static mo_error collide(mo_world *world)
{
    mo_step *step = &world->step;
    const double start = mo_work_clock(), h = step->h;
    mo_error error = mo_contacts_find(world, h);
    for (int round = 0;
         !error && world->def.sleeping && round < MOST_WAKES && mo_islands_wake_touched(world);
         ++round) {
        mo_contacts_exchange(world);
        mo_advance_start(world, h);
        error = mo_contacts_find(world, h);
    }
    error = error ? mo_fail_pairs(world, &step->why) : mo_mechanisms_check(world, &step->why);
    error = error ? error : check_length(world, h, &step->why);
    step->report.penetration = world->contacts.deepest;
    step->report.seconds_collide = mo_work_clock() - start;
    return error;
}

/* Impacts, and what the bodies would do after them. */
static mo_error bounce(mo_world *world)
{
    mo_step *step = &world->step;
    int count;
    const mo_error error = mo_impacts(world, step->h, &step->report, &count, &step->why);
    if (!error && count > 0) mo_advance_free(world, step->h);
    mo_contacts_choose(world, step->h);
    return error;
}

/* Velocities and impulses: round after round, until no check asks for another. */
static mo_error solve(mo_world *world)
{
    mo_step *step = &world->step;
    const double start = mo_work_clock();
    mo_error error = MO_OK;
    for (int more = 1; more && !error && !step->is_given_up;) {
        error = mo_step_solve(world, &step->why);
        error = error ? error : mo_step_check(world, &more);
    }
    mo_memory_free(&world->allocator, step->guess);
    step->guess = NULL;
    step->report.seconds_solve = mo_work_clock() - start - step->report.seconds_assemble;
    return error;
}

/* The next state becomes the present one.  Once it is, what fails is said in the report. */
static mo_error accept(mo_world *world)
{
    mo_step *step = &world->step;
    mo_step_report *report = &step->report;
    const double start = mo_work_clock(), h = step->h;
    MO_TRY(mo_accuracy_rest(world, h) ? mo_fail_memory(&step->why) : MO_OK);
    MO_TRY(mo_team_agree(world, mo_advance_poses(world, h, &step->why), &step->why));
    MO_TRY(mo_step_keep_bodies(world) ? mo_fail_memory(&step->why) : MO_OK);
    step->has_open_joints = mo_joints_are_open(world, h);
    const double gain = mo_step_gain(world, h);
    if (gain > 0 && mo_remove_energy_gain(world, h, gain, 1)) report->energy_removed += gain;
    const double loss = mo_step_loss(world, h);
    const int is_cut = world->result.status != MO_SOLVED && world->def.first_order == 0;
    MO_TRY(is_cut && mo_islands_keep_loss(world, h) ? mo_fail_memory(&step->why) : MO_OK);
    mo_assemble_finish(world, h);
    step->stage = MO_STAGE_ACCEPT;
    const int holds = world->mechanism_count > 0 || world->def.sleeping; /* which is not kept */
    if (holds) mo_pace_hold(1);
    mo_advance_accept(world, h);
    const double accepted = mo_work_clock();
    mo_message why;
    report->overlap_before = mo_team_largest(world, step->overlap_before);
    const double low = isfinite(loss) ? mo_world_potential_energy(world) : 0;
    int is_projected = !mo_project_positions(world, &report->overlap, &why);
    if (is_projected && is_cut)
        is_projected = !mo_islands_remove_lift(world) || !mo_fail_memory(&why);
    if (isfinite(loss)) mo_remove_lift(world, mo_world_potential_energy(world) - low - loss);
    report->seconds_project = mo_work_clock() - accepted;
    step->has_open_joints = step->has_open_joints && mo_joints_are_open(world, 0);
    mo_contacts_keep_taken(world);
    world->found.count = 0;
    report->islands = mo_islands_update(world);
    mo_report_fill(world, report);
    if (!is_projected) {
        report->status = report->status == MO_SOLVED ? MO_STALLED : report->status;
        mo_say(&report->message, "positions were not projected: %.400s", why.text);
    }
    report->seconds_advance = mo_work_clock() - start;
    return MO_OK;
}

/* ---- the step -------------------------------------------------------------------------------- */

static mo_error (*const PHASES[])(mo_world *) = {predict, collide, bounce, solve, accept};
enum { PHASE_COUNT = sizeof PHASES / sizeof *PHASES };

/* The contacts of a step that is given up are kept, since the next one starts from their impulses;
 * the world has those of the start. */
static void undo(mo_world *world)
{
    mo_step_undo_joints(world);
    mo_mechanisms_load(world, (const char *)world->step.kept_mechanisms);
    if (world->step.stage == MO_STAGE_START) return;
    if (!world->step.error && world->step.report.rounds > 0) {
        mo_contacts_drop_late(world);
        mo_contacts_keep_taken(world);
        mo_contacts_swap(&world->contacts, &world->found);
    }
    mo_contacts_exchange(world);
}

static void take_phases(void *user)
{
    mo_world *world = user;
    mo_step *step = &world->step;
    if (step->begins_again) mo_pace_hold(1);
    step->begins_again = 0;
    for (int k = 0; k < PHASE_COUNT && !step->error && !step->is_given_up; ++k) {
        mo_pace();
        step->error = PHASES[k](world);
    }
    if (step->error || (step->is_given_up && step->stage < MO_STAGE_ACCEPT)) undo(world);
    step->ease = 0; /* forces at an instant are not eased */
    step->smooth = 0;
}

/* The steps without a solution before this one: the most of all bodies. */
static int most_misses(const mo_world *world)
{
    int most = 0;
    for (int k = 0; k < world->living_count; ++k) {
        const int own = world->body[world->living[k]].misses;
        most = own > most ? own : most;
    }
    return most;
}

/* Commands of mechanisms and prescribed motions are asked for by the caller's own thread and
 * stack. */
static mo_error begin(mo_world *world, double h, mo_message *why)
{
    mo_step *step = &world->step;
    step->h = h;
    step->report = (mo_step_report){0};
    step->why.text[0] = '\0';
    step->error = MO_OK;
    step->stage = MO_STAGE_START;
    step->joints_hold = MO_HOLD_HERE;
    step->most_iterations = step->tries = 0;
    step->finer_tol = 0;
    step->has_missed = step->missed = 0;
    step->misses = most_misses(world);
    step->late_count = step->overlapping.count = 0;
    step->rough_rounds = ROUGH_ROUNDS;
    mo_step_begin_rounds(step);
    MO_FAIL_IF(mo_step_keep_joints(world), mo_fail_memory(why));
    mo_mechanisms_begin(world, h);
    mo_advance_driven(world, h);
    return MO_OK;
}

/* Of a step that waits for the next call.  Energies are those of its start. */
static void report_waiting(mo_step_report *report)
{
    report->is_waiting = 1;
    report->status = MO_TIME_LIMIT;
    mo_say(&report->message, "the time limit of the call has passed after %d rounds of the step",
           report->rounds);
}

static mo_error step(mo_world *world, double h, mo_step_report *report, mo_message *why)
{
    if (world->def.level == MO_LEVEL_ACCELERATION) return mo_forces_step(world, h, report, why);
    if (world->step.is_waiting && world->step.h != h) mo_step_give_up(world);
    const mo_error error = world->step.is_waiting ? MO_OK : begin(world, h, why);
    MO_TRY(error);
    const int is_done = mo_step_run(world, take_phases);
    *report = world->step.report;
    if (!is_done) {
        report_waiting(report);
        return MO_OK;
    }
    if (world->step.error && why) *why = world->step.why;
    return world->step.error;
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
