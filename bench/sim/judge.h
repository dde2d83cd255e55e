/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * The residual of the impulses of one step, for any engine.
 *
 * With v the velocities before the step, v+ those after it, and the engine's own contacts (points,
 * normals, gaps, friction, impulses r), the problem is
 *
 *     M v+ = H r + M v + h F,    u = H' v+ + w,    (u, r) obeys Coulomb's law,                  (1)
 *     w_N = max(gap, 0) / h                                                                     (2)
 *
 * A gap may close by the end of the step, and a penetration must not grow.  The removal of an
 * existing penetration is not judged, since engines differ in it.  Steps with impacts faster than
 * bounce_speed are excluded: engines apply restitution at the start, at the end or within a step,
 * and (2) would favour one of these.  The residual is that of r alone; `momentum` compares the v+
 * that r causes with that of the engine, relative to |M v + h F| in the norm of M^-1.
 */
#ifndef BENCH_SIM_JUDGE_H
#define BENCH_SIM_JUDGE_H

#include "engine.h"

typedef struct sim_verdict {
    double residual; /* natural_relative of mo_measure */
    double scaled;   /* mo_measure_scaled */
    double momentum;
    double penetration; /* mean over the contacts that overlap, m */
    int touching;       /* contacts with an impulse */
    int bounces;        /* contacts that close and rebound; then nothing else is reported */
} sim_verdict;

mo_error sim_judge(const sim_scene *scene, const sim_motion *before, const sim_motion *after,
                   const sim_contact *contacts, int count, sim_verdict *verdict, mo_message *why);

#endif
