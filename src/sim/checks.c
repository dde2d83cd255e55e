/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Checks of a solution, each of which may ask for another round of the step.
 *
 *   contacts_that_close    contacts that were left out, and close: they take part
 *   shapes_that_overlap    at the end of the step: contacts are generated there (overlap.c)
 *   rough_answers          the last round is solved to the full tolerance
 *   joints_that_open       or add energy: they are held in another way (passive.c, joint_ahead.c)
 */
#include <float.h>
#include <math.h>

#include "base/error.h"
#include "base/pace.h"
#include "sim/world_data.h"

enum {
    MOST_ROUNDS = 10 /* rounds for late contacts */,
    OVERLAP_ROUNDS = 3 /* rounds for contacts of shapes that overlap at the end of the step */,
    PASSING_ROUNDS = 20 /* the same, with those of bodies that would pass through others */,
    MOST_MISSED = 20 /* solves of a step without a solution, each of which tried all methods */,
    MOST_NEWTON = 10 /* rounds of Newton's method on joints that are held ahead */,
    AHEAD_ITERATIONS = 200 /* iterations of a problem before the joints are closed */
};
/* Errors of joints, relative to the size of a body: above the first a step is solved again, and
 * if that does not help the projection closes them; Newton's method ends below the second, which
 * the next step corrects, or in a step of coarse tolerance below the first. */
static const double OPEN = 1e-2, CLOSED = 1e-3;
/* Limits of the penetration of a contact that was left out: parts of a body's size, of a coarse
 * tolerance and of the permitted overlap. */
static const double LATE = 1e-6, LATE_OF_TOLERANCE = 0.1, LATE_OF_OVERLAP = 0.5;
/* relative to the size of a body: added together with late contacts */
static const double NEARLY_LATE = 0.02;

/* Relative to the permitted overlap: a larger one at the end of the step requires another round.
 * A projection of positions removes smaller overlap at less cost.  In a mechanism it rotates
 * light links and lifts heavy ones, which adds energy, so in an island with links any overlap
 * requires a round. */
static const double DEEP[OVERLAP_ROUNDS] = {10, 10, 20}, DEEP_OF_LINKS = 1;

int mo_step_is_spent(const mo_step *step)
{
    return step->missed >= MOST_MISSED;
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
    MO_FAIL_IF(mo_team_agree(world, mo_contacts_look_again(world, h), NULL), MO_ERR_MEMORY);
    *count = mo_contacts_take_closing(world, h, late_depth(world), 1);
    if (*count > 0) /* and those that the next solution may close */
        *count += mo_contacts_take_closing(world, h, -NEARLY_LATE, 1);
    return MO_OK;
}

/* ---- checks of an answer --------------------------------------------------------------------- */

/* Late contacts: they take part in the next round. */
static mo_error contacts_that_close(mo_world *world, int *more)
{
    mo_step *step = &world->step;
    int *late = &step->report.late_contacts;
    if (step->late_rounds >= MOST_ROUNDS || mo_step_is_spent(step)) {
        MO_FAIL_IF(mo_team_agree(world, mo_contacts_look_again(world, step->h), NULL),
                   mo_fail_memory(&step->why));
        *late = mo_contacts_take_closing(world, step->h, late_depth(world), 0);
        return MO_OK;
    }
    MO_FAIL_IF(take_late_contacts(world, step->h, late), mo_fail_memory(&step->why));
    *late += mo_mechanisms_look_again(world, step->h);
    step->late_rounds += *late > 0;
    *more += *late;
    return MO_OK;
}

/* Shapes that overlap at the end of the step.  Contacts found there take part.  After the
 * overlap rounds, only bodies that pass through others require another one; after that they are
 * held back. */
static mo_error shapes_that_overlap(mo_world *world, int *more)
{
    mo_step *step = &world->step;
    const int round = mo_step_is_spent(step) ? PASSING_ROUNDS : step->overlap_rounds++;
    const int is_first = round < OVERLAP_ROUNDS;
    const double rest = round < PASSING_ROUNDS ? DBL_MAX : INFINITY;
    int pairs;
    MO_FAIL_IF(mo_overlaps_look(world, step->h, is_first ? DEEP[round] : rest,
                                is_first ? DEEP_OF_LINKS : rest, &pairs),
               mo_fail_memory(&step->why));
    *more += pairs;
    return MO_OK;
}

int mo_joints_are_open(mo_world *world, double h)
{
    return mo_joints_error_ahead(world, h) > OPEN;
}

static int is_well_held(mo_world *world)
{
    const double h = world->step.h, gain = mo_step_gain(world, h);
    const int may_gain = world->step.joints_hold == MO_HOLD_AHEAD && gain > 0 &&
                         mo_remove_energy_gain(world, h, gain, 0);
    return (gain == 0 || may_gain) && !mo_joints_are_open(world, h);
}

void mo_step_begin_rounds(mo_step *step)
{
    step->late_rounds = step->overlap_rounds = 0;
}

/* Newton's method closes joints that are held ahead (joint_ahead.c): each problem need not be
 * solved completely.  The final solve has all permitted iterations. */
static int closes_joints(mo_world *world)
{
    mo_step *step = &world->step;
    if (!step->guess) return 0;
    const int is_left = step->newton_rounds++ < MOST_NEWTON;
    const int is_cut = is_left && mo_guess_cut(world, step->h, step->guess);
    const double closed = world->step.tol > MO_FINE_TOLERANCE ? OPEN : CLOSED;
    if (is_left && (is_cut || mo_joints_error_ahead(world, step->h) > closed)) return 1;
    mo_memory_free(&world->allocator, step->guess);
    step->guess = NULL;
    step->most_iterations = 0;
    return world->result.status == MO_ITERATION_LIMIT;
}

/* A rough solution: if no other check requires a round, the step is solved again to the full
 * tolerance. */
static mo_error rough_answers(mo_world *world, int *more)
{
    if (*more == 0 && world->step.is_rough) {
        world->step.rough_rounds = 0;
        *more = 1;
    }
    return MO_OK;
}

/* Joints that open or add energy although all contacts hold.  The next round holds them in
 * another way. */
static mo_error joints_that_open(mo_world *world, int *more)
{
    mo_step *step = &world->step;
    if (world->jointed_count == 0 || *more > 0 || mo_step_is_spent(step)) return MO_OK;
    *more = closes_joints(world);
    if (!*more && step->joints_hold < MO_HOLD_SPEED && !is_well_held(world)) {
        *more = 1;
        mo_contacts_drop_late(world);
        mo_hold_next(world);
        if (step->joints_hold == MO_HOLD_AHEAD) {
            step->guess = mo_guess_take(world);
            step->newton_rounds = 0;
            step->most_iterations = AHEAD_ITERATIONS;
        }
        MO_FAIL_IF(step->joints_hold == MO_HOLD_AHEAD && !step->guess, mo_fail_memory(&step->why));
    }
    if (*more) mo_step_begin_rounds(step);
    return MO_OK;
}

/* Each check may require another round. */
static mo_error (*const CHECKS[])(mo_world *, int *more) = {
    contacts_that_close, shapes_that_overlap, rough_answers, joints_that_open};
enum { CHECK_COUNT = sizeof CHECKS / sizeof *CHECKS };

mo_error mo_step_check(mo_world *world, int *more)
{
    mo_error error = MO_OK;
    *more = 0;
    for (int k = 0; k < CHECK_COUNT && !error && !world->step.is_given_up; ++k) {
        mo_pace();
        error = CHECKS[k](world, more);
    }
    return error;
}
