/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
#include "sim/team.h"

#include "sim/world_data.h"

int64_t mo_team_sum(const mo_world *world, int64_t count)
{
    return world->team ? world->team->sum(world->team->user, count) : count;
}

int mo_team_any(const mo_world *world, int is_so)
{
    return mo_team_sum(world, is_so != 0) > 0;
}

double mo_team_largest(const mo_world *world, double value)
{
    return world->team ? world->team->largest(world->team->user, value) : value;
}

double mo_team_least(const mo_world *world, double value)
{
    return -mo_team_largest(world, -value);
}

mo_error mo_team_agree(const mo_world *world, mo_error error, mo_message *why)
{
    return world->team ? world->team->agree(world->team->user, error, why) : error;
}

mo_error mo_team_solve(mo_world *world, const mo_options *options)
{
    return world->team ? world->team->solve(world->team->user, options)
                       : mo_solve(world->problem, options, &world->result);
}

mo_error mo_team_share(const mo_world *world, mo_shared what)
{
    return world->team ? world->team->share(world->team->user, what) : MO_OK;
}

int64_t mo_team_constraints(const mo_world *world)
{
    return mo_team_sum(world, mo_problem_constraint_count(world->problem));
}

int mo_team_has_pair(const mo_world *world, int shape_a, int shape_b)
{
    const mo_sim_body *a = world->body + world->near[shape_a].body,
                      *b = world->body + world->near[shape_b].body;
    const int a_is_first = a->kind == MO_BODY_FREE && (a->id < b->id || b->kind != MO_BODY_FREE);
    return !(a_is_first ? a : b)->is_ghost;
}
