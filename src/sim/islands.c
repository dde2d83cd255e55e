/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Islands of dynamic bodies connected by contacts and joints, and sleeping.
 *
 * With `sleeping`, an island whose bodies have all been slower than QUIET for STEPS steps falls
 * asleep: its velocities become zero, and it takes no part in steps until a moving body touches it,
 * or one of its bodies is pushed, moved or changed.  The whole island then wakes up.
 */
#include <math.h>
#include <string.h>

#include "base/pace.h"
#include "base/union_find.h"
#include "linalg/vec3.h"
#include "sim/world_data.h"

enum { STEPS = 50 };
static const double QUIET = 1e-4; /* of its size, each second */

static int leader_of(mo_world *world, int place)
{
    mo_sim_body *body = world->body;
    while (body[place].leader != place)
        place = body[place].leader = body[body[place].leader].leader;
    return place;
}

/* Two islands become one, whose leader is the body with the smaller place: were they two, of bodies
 * that move? */
static int join(int *leader, int a, int b)
{
    if (a < 0 || b < 0 || leader[a] == MO_NONE || leader[b] == MO_NONE) return 0;
    int were_two;
    mo_set_unite(leader, a, b, &were_two);
    return were_two;
}

/* A link without shapes: the radius of gyration, or a unit of length. */
static double size_of(const mo_sim_body *body)
{
    const double trace = body->inertia[0] + body->inertia[4] + body->inertia[8];
    return body->size > 0 ? body->size : body->mass > 0 && trace > 0 ? sqrt(trace / body->mass) : 1;
}

static int is_quiet(const mo_sim_body *body)
{
    const double size = size_of(body);
    return mo_vec3_norm(body->v) + mo_vec3_norm(body->v + 3) * size <= QUIET * size;
}

static int is_moving(const mo_sim_body *body)
{
    return mo_is_driven(body) || (mo_moves_freely(body) && !is_quiet(body));
}

int mo_islands_wake_touched(mo_world *world)
{
    int count = 0;
    for (int k = 0; k < world->contacts.count; ++k) {
        const mo_sim_contact *contact = world->contacts.at + k;
        for (int side = 0; side < 2 && mo_contact_is_taken(contact); ++side) {
            if (world->body[contact->body[side]].is_asleep &&
                is_moving(world->body + contact->body[!side])) {
                mo_islands_wake(world, contact->body[side]);
                ++count;
            }
        }
    }
    return count;
}

/* The leader keeps the smallest count of quiet steps of its island. */
static void lay_to_sleep(mo_world *world)
{
    for (int k = 0; k < world->living_count; ++k) {
        mo_sim_body *body = world->body + world->living[k];
        const int may_rest =
            body->mechanism == MO_NONE || !mo_mechanism_stays_awake(world, body->mechanism);
        body->quiet_steps = is_quiet(body) && may_rest ? body->quiet_steps + 1 : 0;
    }
    for (int k = 0; k < world->living_count; ++k) {
        const int place = world->living[k], leader = leader_of(world, place);
        if (mo_moves_freely(world->body + place) &&
            world->body[place].quiet_steps < world->body[leader].quiet_steps)
            world->body[leader].quiet_steps = world->body[place].quiet_steps;
    }
    for (int k = 0; k < world->living_count; ++k) {
        const int place = world->living[k];
        mo_sim_body *body = world->body + place;
        if (mo_moves_freely(body) && world->body[leader_of(world, place)].quiet_steps >= STEPS) {
            memset(body->v, 0, sizeof body->v);
            if (body->mechanism != MO_NONE) mo_mechanism_rest(world, body->mechanism);
            body->quiet_steps =
                STEPS; /* so that the leader's count stays the least until all sleep */
        }
    }
    for (int k = 0; k < world->living_count; ++k) {
        mo_sim_body *body = world->body + world->living[k];
        const int sleeps = mo_moves_freely(body) &&
                           world->body[leader_of(world, world->living[k])].quiet_steps >= STEPS;
        body->is_asleep = body->is_asleep || sleeps;
    }
}

void mo_islands_wake(mo_world *world, int place)
{
    const int leader = leader_of(world, place);
    for (int k = 0; k < world->living_count; ++k) {
        mo_sim_body *body = world->body + world->living[k];
        if (body->is_asleep && leader_of(world, world->living[k]) == leader) {
            body->is_asleep = 0;
            body->quiet_steps = 0;
        }
    }
}

/* Sleeping bodies keep their island. */
static void keep_leaders(mo_world *world)
{
    for (int k = 0; k < world->living_count; ++k) {
        const int place = world->living[k];
        mo_sim_body *body = world->body + place;
        if (!body->is_asleep)
            body->leader = world->leader[place] == MO_NONE ? place : world->leader[place];
    }
}

int mo_islands_update(mo_world *world)
{
    int *leader = world->leader, islands = 0;
    for (int k = 0; k < world->living_count; ++k) {
        const int place = world->living[k], moves = mo_moves_freely(world->body + place);
        mo_pace_every(k, 512);
        mo_living_prefetch(world, k, 0, offsetof(mo_sim_body, mass));
        leader[place] = moves ? place : MO_NONE;
        islands += moves;
    }
    mo_pace();
    for (int k = 0; k < world->contacts.count; ++k) {
        const mo_sim_contact *contact = world->contacts.at + k;
        mo_pace_every(k, 512);
        mo_prefetch(contact + MO_AHEAD, offsetof(mo_sim_contact, is_new));
        if (mo_contact_is_taken(contact))
            islands -= join(leader, contact->body[0], contact->body[1]);
    }
    mo_pace();
    for (int k = 0; k < world->jointed_count; ++k) {
        const int *body = world->joint[world->jointed[k]].body;
        islands -= join(leader, body[0], body[1]);
    }
    for (int k = 0; k < world->living_count && world->mechanism_count > 0; ++k) {
        const int place = world->living[k];
        if (world->body[place].mechanism != MO_NONE) {
            const int first = mo_mechanism_first(world, world->body[place].mechanism);
            islands -= join(leader, place, first);
        }
    }
    if (world->def.sleeping) {
        keep_leaders(world);
        lay_to_sleep(world);
    }
    return islands;
}
