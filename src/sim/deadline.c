/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * The time of a step: solver.time_limit is that of the step, not of each of its solves.
 *
 *   solves      each has SHARE of the time that is left.  No round follows that would take longer
 *               than what is left
 *   late        where the time ends before the tolerance is met, the step is taken if the answer is
 *               ENOUGH and no contact closes by more than DEEP: the projection then leaves no more
 *               overlap than before.  Such a step is not solved.  Else the state and the time stay
 *               as they are: a world that is too slow runs in slow motion
 *   pause       the next call goes on from the impulses that were found.  Contacts and problem are
 *               kept for it, unless something was changed meanwhile or there are joints.  A round
 *               for which there is no time is made by the next call, too
 *   projection  once in any case, again while there is time
 *
 * Contacts are sought whatever the time: a limit below what that takes is not kept.
 */
#include <math.h>

#include "base/clock.h"
#include "sim/world_data.h"

static const double SHARE = 0.5;   /* of the time that is left: for one solve */
static const double RESERVE = 0.2; /* of the limit: for what comes after the solves */
static const double NEAR = 0.7;    /* of the limit: with less left no first solve is begun */
static const double ENOUGH = 1e-2; /* residual, relative: velocities to a hundredth of g h */
static const double DEEP = 1e-2;   /* of the smallest body: by which a contact may close */

void mo_deadline_start(mo_world *world)
{
    world->step.ends = mo_clock() + world->def.solver.time_limit;
    world->step.is_cut_short = 0;
}

static double reserve(const mo_world *world)
{
    return RESERVE * world->def.solver.time_limit;
}

double mo_deadline_share(const mo_world *world)
{
    return isfinite(world->step.ends)
               ? fmax(0, SHARE * (world->step.ends - reserve(world) - mo_clock()))
               : world->def.solver.time_limit;
}

int mo_deadline_waits(const mo_world *world, double h)
{
    const mo_residual *residual = &world->result.residual;
    const int is_enough = residual->natural_relative <= ENOUGH &&
                          h * residual->penetration_rate.value <= DEEP * world->contacts.least;
    return world->result.status == MO_TIME_LIMIT && !is_enough;
}

/* ---- a step in several calls ----------------------------------------------------------------- */

static mo_pause present(const mo_world *world, double h)
{
    return (mo_pause){.h = h,
                      .generation = world->generation,
                      .bodies = world->living_count,
                      .contacts = world->contacts.count,
                      .own_pairs = world->own_pair_count,
                      .excluded = world->excluded_count};
}

int mo_pause_is_possible(const mo_world *world)
{
    return world->jointed_count == 0 && world->mechanism_count == 0 && !world->def.sleeping;
}

void mo_pause_begin(mo_world *world, double h)
{
    mo_pause pause = present(world, h);
    pause.stage = world->step.pause.stage;
    pause.overlap_rounds = world->step.pause.overlap_rounds;
    pause.status = world->step.pause.status;
    pause.residual = world->step.pause.residual;
    world->step.pause = pause;
    world->step.pause.is_ready = 1;
}

int mo_pause_ends(mo_world *world, double h)
{
    const mo_pause was = world->step.pause, now = present(world, h);
    world->step.pause.is_ready = 0;
    return was.is_ready && world->problem && was.h == now.h && was.generation == now.generation &&
           was.bodies == now.bodies && was.contacts == now.contacts &&
           was.own_pairs == now.own_pairs && was.excluded == now.excluded;
}

/* ---- asked ----------------------------------------------------------------------------------- */

int mo_deadline_has(const mo_world *world, double seconds)
{
    return !isfinite(world->step.ends) || mo_clock() + seconds < world->step.ends - reserve(world);
}

int mo_deadline_is_near(const mo_world *world)
{
    return isfinite(world->step.ends) &&
           mo_clock() > world->step.ends - NEAR * world->def.solver.time_limit;
}

int mo_deadline_is_over(mo_world *world)
{
    world->step.is_cut_short =
        world->step.is_cut_short || (isfinite(world->step.ends) && mo_clock() > world->step.ends);
    return world->step.is_cut_short;
}
