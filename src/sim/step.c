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

#include "base/error.h"
#include "base/pace.h"
#include "base/recycler.h"
#include "linalg/vec3.h"
#include "sim/device_heap.h"
#include "sim/pairs.h"
#include "sim/world_data.h"

enum {
    MOST_ROUNDS = 10 /* of contacts that turn out to close */,
    OVERLAP_ROUNDS = 3 /* of contacts taken where shapes overlap at the end of the step */,
    ROUGH_ROUNDS = 2 /* which others are likely to follow */,
    MOST_NEWTON = 10,
    AHEAD_ITERATIONS = 200 /* of a problem on the way to closed joints */
};
/* Errors of joints, relative to the size of a body: a step that leaves more is solved again, and if
 * that does not help they are closed by the projection; Newton's method ends below the second. */
static const double OPEN = 1e-2, CLOSED = 1e-8;
/* Limits of the penetration of a contact that was left out: parts of a body's size, of a coarse
 * tolerance and of the overlap that is let be. */
static const double LATE = 1e-6, LATE_OF_TOLERANCE = 0.1, LATE_OF_OVERLAP = 0.5;
static const double NEARLY_LATE = 0.02; /* of a body's size: taken with those that are late */

/* Of the overlap that is let be: more than this at the end of the step asks for each of the overlap
 * rounds.  A projection of positions removes less at less cost. */
static const double DEEP[OVERLAP_ROUNDS] = {10, 10, 20};

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
    return fmax(LATE,
                fmin(LATE_OF_TOLERANCE * world->step.tol, LATE_OF_OVERLAP * world->def.overlap));
}

/* *count of them. */
static mo_error take_late_contacts(mo_world *world, double h, int *count)
{
    *count = 0;
    if (mo_team_agree(world, mo_contacts_look_again(world, h), NULL)) {
        return MO_ERR_MEMORY;
    }
    *count = mo_contacts_take_closing(world, h, late_depth(world), 1);
    if (*count > 0) { /* and those that the next answer may close */
        *count += mo_contacts_take_closing(world, h, -NEARLY_LATE, 1);
    }
    return MO_OK;
}

/* ---- checks of an answer --------------------------------------------------------------------- */

/* Contacts that were left out, and close.  They take part in the next round. */
static mo_error contacts_that_close(mo_world *world, int *more)
{
    mo_step *step = &world->step;
    int *late = &step->report.late_contacts;
    if (++step->late_rounds > MOST_ROUNDS) {
        if (mo_team_agree(world, mo_contacts_look_again(world, step->h), NULL)) {
            return mo_fail_memory(&step->why);
        }
        *late = mo_contacts_take_closing(world, step->h, late_depth(world), 0);
        return MO_OK;
    }
    if (take_late_contacts(world, step->h, late)) {
        return mo_fail_memory(&step->why);
    }
    *late += mo_mechanisms_look_again(world, step->h);
    *more += *late;
    return MO_OK;
}

/* Shapes that overlap at the end of the step.  Contacts that are taken there take part. */
static mo_error shapes_that_overlap(mo_world *world, int *more)
{
    mo_step *step = &world->step;
    const int takes = step->late_rounds <= MOST_ROUNDS && step->overlap_rounds < OVERLAP_ROUNDS;
    const double most = takes ? DEEP[step->overlap_rounds++] * world->def.overlap : INFINITY;
    int pairs;
    if (mo_overlaps_look(world, step->h, most, &pairs)) {
        return mo_fail_memory(&step->why);
    }
    *more += pairs;
    return MO_OK;
}

static int is_well_held(mo_world *world)
{
    const double h = world->step.h, gain = mo_step_gain(world, h);
    const int may_gain = world->step.joints_hold == MO_HOLD_AHEAD && gain > 0 &&
                         mo_remove_energy_gain(world, h, gain, 0);
    return (gain == 0 || may_gain) && mo_joints_error_ahead(world, h) <= OPEN;
}

/* Another round, with all that it may take. */
static void begin_rounds(mo_step *step)
{
    step->late_rounds = step->overlap_rounds = 0;
}

/* Newton's method closes joints that are held ahead (joint_ahead.c): problem after problem, each of
 * which need not be solved to the last.  The answer that counts has all iterations that are
 * allowed. */
static int closes_joints(mo_world *world)
{
    mo_step *step = &world->step;
    if (!step->guess) {
        return 0;
    }
    const int is_left = step->newton_rounds++ < MOST_NEWTON;
    const int is_cut = is_left && mo_guess_cut(world, step->h, step->guess);
    const double closed = fmax(CLOSED, mo_step_depth(world));
    if (is_left && (is_cut || mo_joints_error_ahead(world, step->h) > closed)) {
        return 1;
    }
    mo_memory_free(&world->allocator, step->guess);
    step->guess = NULL;
    step->most_iterations = 0;
    return world->result.status == MO_ITERATION_LIMIT;
}

/* A rough answer.  Where nothing else asks for another round, that one is solved in full. */
static mo_error rough_answers(mo_world *world, int *more)
{
    if (*more == 0 && world->step.is_rough) {
        world->step.rough_rounds = 0;
        *more = 1;
    }
    return MO_OK;
}

/* Joints that open, or add energy, though all contacts hold.  The next round holds them in another
 * way. */
static mo_error joints_that_open(mo_world *world, int *more)
{
    mo_step *step = &world->step;
    if (world->jointed_count == 0 || *more > 0) {
        return MO_OK;
    }
    *more = closes_joints(world);
    if (!*more && step->joints_hold < MO_HOLD_SPEED && !is_well_held(world)) {
        *more = 1;
        mo_contacts_drop_late(world);
        mo_hold_otherwise(world);
        if (step->joints_hold == MO_HOLD_AHEAD) {
            step->guess = mo_guess_take(world);
            step->newton_rounds = 0;
            step->most_iterations = AHEAD_ITERATIONS;
        }
        if (step->joints_hold == MO_HOLD_AHEAD && !step->guess) {
            return mo_fail_memory(&step->why);
        }
    }
    if (*more) {
        begin_rounds(step);
    }
    return MO_OK;
}

/* Each adds to what asks for another round. */
static mo_error (*const CHECKS[])(mo_world *, int *more) = {
    contacts_that_close, shapes_that_overlap, rough_answers, joints_that_open};
enum { CHECK_COUNT = sizeof CHECKS / sizeof *CHECKS };

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
         !error && world->def.sleeping && round < MOST_ROUNDS && mo_islands_wake_touched(world);
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
    if (!error && count > 0) {
        mo_advance_free(world, step->h);
    }
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
        more = 0;
        for (int k = 0; k < CHECK_COUNT && !error && !step->is_given_up; ++k) {
            mo_pace();
            error = CHECKS[k](world, &more);
        }
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
    step->has_open_joints = mo_joints_error_ahead(world, h) > OPEN;
    const double gain = mo_step_gain(world, h);
    if (gain > 0 && mo_remove_energy_gain(world, h, gain, 1)) {
        report->energy_removed = gain;
    }
    const double loss = mo_step_loss(world, h);
    mo_assemble_finish(world);
    step->stage = MO_STAGE_ACCEPT;
    const int holds = world->mechanism_count > 0 || world->def.sleeping; /* which is not kept */
    if (holds) {
        mo_pace_hold(1);
    }
    mo_advance_accept(world, h);
    const double accepted = mo_work_clock();
    mo_message why;
    report->overlap_before = step->overlap_before;
    const double low = isfinite(loss) ? mo_world_potential_energy(world) : 0;
    const int is_projected = !mo_project_positions(world, &report->overlap, &why);
    if (isfinite(loss)) {
        mo_take_back_lift(world, mo_world_potential_energy(world) - low - loss);
    }
    report->seconds_project = mo_work_clock() - accepted;
    mo_contacts_keep_taken(world);
    report->islands = mo_islands_update(world);
    mo_report_fill(world, report);
    if (!is_projected) {
        mo_say(&report->message, "positions were not projected: %s", mo_error_text(MO_ERR_MEMORY));
    }
    report->seconds_advance = mo_work_clock() - start;
    return MO_OK;
}

/* ---- the step -------------------------------------------------------------------------------- */

static mo_error (*const PHASES[])(mo_world *) = {predict, collide, bounce, solve, accept};
enum { PHASE_COUNT = sizeof PHASES / sizeof *PHASES };

/* A step that is given up hands on the contacts and impulses that it has found. */
static void undo(mo_world *world)
{
    mo_step_undo_joints(world);
    if (!world->step.error && world->step.report.rounds > 0) {
        mo_contacts_drop_late(world);
        mo_contacts_keep_taken(world);
    } else if (world->step.stage > MO_STAGE_START) {
        mo_contacts_exchange(world);
    }
}

static void take_phases(void *user)
{
    mo_world *world = user;
    mo_step *step = &world->step;
    if (step->begins_again) {
        mo_pace_hold(1);
    }
    step->begins_again = 0;
    for (int k = 0; k < PHASE_COUNT && !step->error && !step->is_given_up; ++k) {
        mo_pace();
        step->error = PHASES[k](world);
    }
    if (step->error || (step->is_given_up && step->stage < MO_STAGE_ACCEPT)) {
        undo(world);
    }
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
    step->late_count = step->overlapping.count = 0;
    step->rough_rounds = ROUGH_ROUNDS;
    begin_rounds(step);
    if (mo_step_keep_joints(world)) {
        return mo_fail_memory(why);
    }
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
    if (world->def.level == MO_LEVEL_ACCELERATION) {
        return mo_forces_step(world, h, report, why);
    }
    if (world->step.is_waiting && world->step.h != h) {
        mo_step_give_up(world);
    }
    const mo_error error = world->step.is_waiting ? MO_OK : begin(world, h, why);
    if (error) {
        return error;
    }
    const int is_done = mo_step_run(world, take_phases);
    *report = world->step.report;
    if (!is_done) {
        report_waiting(report);
        return MO_OK;
    }
    if (world->step.error && why) {
        *why = world->step.why;
    }
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
    return mo_device_heap_is_away(world) || world->step.is_waiting ? NULL : world->problem;
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
