/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * The time of a step: solver.time_limit is that of the step, not of each of its solves.
 *
 *   solves      each has SHARE of the time that is left.  No round follows that would take longer
 *               than what is left
 *   no answer   where the time ends before the tolerance is met, the state stays as it is, in which
 *               nothing overlaps more than before, and time too: the next call goes on from the
 *               impulses that were found.  A world that is too slow runs in slow motion
 *   projection  once in any case, again while there is time
 *
 * Contacts are sought whatever the time: a limit below what that takes is not kept.
 */
#include <math.h>

#include "base/clock.h"
#include "sim/world_data.h"

static const double SHARE = 0.5;   /* of the time that is left: for one solve */
static const double RESERVE = 0.2; /* of the limit: for what comes after the solves */

void mo_deadline_start(mo_world *world)
{
    world->time_limit = world->def.solver.time_limit;
    world->ends = mo_clock() + world->time_limit;
    world->is_cut_short = 0;
}

void mo_deadline_finish(mo_world *world)
{
    world->def.solver.time_limit = world->time_limit;
}

void mo_deadline_allow(mo_world *world)
{
    if (isfinite(world->ends)) {
        const double left = world->ends - RESERVE * world->time_limit - mo_clock();
        world->def.solver.time_limit = fmax(0, SHARE * left);
    }
}

int mo_deadline_has(const mo_world *world, double seconds)
{
    return !isfinite(world->ends) ||
           mo_clock() + seconds < world->ends - RESERVE * world->time_limit;
}

int mo_deadline_is_over(mo_world *world)
{
    world->is_cut_short =
        world->is_cut_short || (isfinite(world->ends) && mo_clock() > world->ends);
    return world->is_cut_short;
}
