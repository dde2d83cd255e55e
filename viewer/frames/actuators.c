/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * The actuators of the mechanisms of a world, as sliders.
 *
 * With effort e = gain u + bias0 + bias1 l + bias2 l' (mechanism.h) a target u asks for
 *
 *   a position    where bias1 is not 0: at rest l = -gain u / bias1, and l = gear q for a joint of
 *                 one coordinate;
 *   a velocity    where only bias2 is not 0;
 *   an effort     else.
 *
 * The range of a slider is that of the target where it has one; else the limits of the joint, or of
 * the effort, in terms of u; else what is common for a joint of its kind.  It always holds the
 * present target.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "frames.h"
#include "moreau/mechanism.h"

static const double COMMON_SPEED[2] = {1, 10};   /* m/s, rad/s */
static const double COMMON_LENGTH[2] = {1, 3.2}; /* m, rad */
static const double COMMON_EFFORT = 10;          /* N or N m */

static frames_actuator_kind kind_of(const mo_actuator_state *state)
{
    return state->bias[1] != 0   ? FRAMES_POSITION
           : state->bias[2] != 0 ? FRAMES_VELOCITY
                                 : FRAMES_EFFORT;
}

/* Between these bounds, in either order, each times `scale`; none where that is not a range. */
static int range_between(frames_actuator *to, double a, double b, double scale)
{
    const double least = fmin(a * scale, b * scale), most = fmax(a * scale, b * scale);
    if (!(isfinite(least) && isfinite(most) && least < most)) return 0;
    to->lower = least;
    to->upper = most;
    return 1;
}

static void choose_range(frames_actuator *to, const mo_actuator_state *state,
                         const mo_axis_state *joint)
{
    const int turns = joint->kind != MO_AXIS_PRISMATIC;
    const double per_length = -state->bias[1] / state->gain; /* u over l at rest */
    if (state->has_target_range && range_between(to, state->target_lower, state->target_upper, 1))
        return;
    if (to->kind == FRAMES_POSITION) {
        const int has_limits = joint->has_limits && joint->kind != MO_AXIS_BALL;
        if (!(has_limits &&
              range_between(to, joint->lower, joint->upper, state->gear[0] * per_length)))
            range_between(to, -COMMON_LENGTH[turns], COMMON_LENGTH[turns], 1);
    } else if (to->kind == FRAMES_VELOCITY) {
        range_between(to, -COMMON_SPEED[turns], COMMON_SPEED[turns], 1);
    } else if (!range_between(to, state->lower, state->upper, 1 / state->gain)) {
        range_between(to, -COMMON_EFFORT, COMMON_EFFORT, 1);
    }
    to->lower = fmin(to->lower, state->target);
    to->upper = fmax(to->upper, state->target);
}

static frames_actuator describe(const mo_world *world, mo_mechanism_id mechanism, int k)
{
    const mo_actuator_state state = mo_mechanism_actuator(world, mechanism, k);
    const mo_axis_state joint = mo_mechanism_joint(world, mechanism, state.joint);
    const char *name = state.name && state.name[0] ? state.name : joint.name;
    frames_actuator found = {.mechanism = mechanism,
                             .number = k,
                             .kind = kind_of(&state),
                             .target = state.target,
                             .q = -1,
                             .effort = -1};
    found.turns = joint.kind != MO_AXIS_PRISMATIC && state.joint >= 0;
    if (name && name[0])
        snprintf(found.name, sizeof found.name, "%s", name);
    else
        snprintf(found.name, sizeof found.name, "actuator %d", k + 1);
    choose_range(&found, &state, &joint);
    return found;
}

int frames_actuators(const mo_world *world, frames_actuator **list)
{
    int count = 0, used = 0;
    for (int m = 0; m < mo_world_mechanism_count(world); ++m)
        count += mo_mechanism_get(world, mo_world_mechanism(world, m)).actuator_count;
    *list = count ? calloc((size_t)count, sizeof **list) : NULL;
    for (int m = 0; *list && m < mo_world_mechanism_count(world); ++m) {
        const mo_mechanism_id mechanism = mo_world_mechanism(world, m);
        const int here = mo_mechanism_get(world, mechanism).actuator_count;
        for (int k = 0; k < here; ++k)
            (*list)[used++] = describe(world, mechanism, k);
    }
    return used;
}
