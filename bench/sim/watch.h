/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Quantities computed from poses and velocities alone: displacement, creep, energy, speed, and the
 * errors of analytical solutions.
 *
 *   slide   a block on a plane, from rest: a = |g_T| - mu |g_N|, from its displacement
 *   roll    a solid ball that starts with v0 and no spin: the speed of its lowest point falls
 *           linearly to zero at t = 2 v0 / (7 mu g).  The measured time is that at which it has
 *           fallen to a fiftieth, over 0.98
 */
#ifndef BENCH_SIM_WATCH_H
#define BENCH_SIM_WATCH_H

#include "run.h"

typedef struct sim_watch {
    const sim_scene *scene;
    const sim_call *call;
    sim_motion *start, *half; /* at the start, and at half time */
    double weight;            /* sum of m |g|, N */
    double energy_least;
    double slip, roll_time; /* of the ball: slip speed one step ago; when it rolls, 0 before */
    int k;                  /* steps seen */
} sim_watch;

int sim_watch_begin(const sim_scene *scene, const sim_call *call, sim_watch *watch);
void sim_watch_step(sim_watch *watch, const sim_motion *now, sim_outcome *outcome);
void sim_watch_end(sim_watch *watch);

#endif
