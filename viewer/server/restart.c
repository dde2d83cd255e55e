/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
#include "restart.h"

#include <math.h>

#include "frames.h"

static const double LEFT_SIZES = 2.5;    /* from the initial centre, in sizes of the scene */
static const double LEFT_TIMES = 3;      /* fraction of the scene's time before this is tested */
static const double REST_PART = 1e-4;    /* of the largest kinetic energy since the start */
static const double REST_LIFT = 1e-9;    /* of the scene's size: lifts as much as rounding moves */
static const double REST_SECONDS = 2;    /* simulated, that the scene is shown at rest */
static const double IDLE_SECONDS = 5;    /* simulated, since the last action of a user */
static const double USUAL_SECONDS = 4.0; /* of what has no time of its own */

restart_watch restart_begin(const mo_recording *recording, double usual_time)
{
    restart_watch w = {.usual_time = usual_time > 0 ? usual_time : USUAL_SECONDS,
                       .touched = -INFINITY};
    frames_look(recording, w.centre, &w.size);
    for (int k = 0; k < recording->body_count; ++k) {
        const mo_recorded_body *body = recording->bodies + k;
        w.most_energy += body->kind == MO_BODY_FIXED || body->kind == MO_BODY_DRIVEN
                             ? 0
                             : REST_LIFT / REST_PART * 9.81 * body->mass * w.size;
    }
    return w;
}

void restart_touch(restart_watch *w, double time)
{
    w->touched = time;
}

/* Whether every body that can move is far from where the scene began; false if there is none. */
static int have_left(const restart_watch *w, const mo_recording *recording)
{
    int count = 0;
    for (int k = 0; k < recording->body_count; ++k) {
        const mo_body_kind kind = recording->bodies[k].kind;
        const double *x = recording->poses[k].position;
        if (kind == MO_BODY_FIXED || kind == MO_BODY_DRIVEN) continue;
        const double away =
            hypot(hypot(x[0] - w->centre[0], x[1] - w->centre[1]), x[2] - w->centre[2]);
        if (!(away > LEFT_SIZES * w->size)) return 0;
        count += 1;
    }
    return count > 0;
}

int restart_is_due(restart_watch *w, const mo_recording *recording, int at_rest_too)
{
    const mo_recorded_frame *now = recording->frames;
    w->most_energy = fmax(w->most_energy, now->kinetic_energy);
    if (now->kinetic_energy > REST_PART * w->most_energy) w->moved = now->time;
    if (now->time - w->touched < IDLE_SECONDS) return 0;
    if (now->time >= LEFT_TIMES * w->usual_time && (at_rest_too || have_left(w, recording)))
        return 1;
    return at_rest_too && now->time >= w->usual_time && now->time - w->moved >= REST_SECONDS;
}
