/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * The impulses of one step of any engine, judged by our measure.
 *
 * With v the velocities before the step, v+ those after it, and the engine's own contacts (points,
 * normals, gaps, friction, impulses r), the problem is
 *
 *     M v+ = H r + M v + h F,    u = H' v+ + w,    (u, r) obeys Coulomb's law,                  (1)
 *     w_N = max(gap, 0) / h                                                                     (2)
 *
 * so that a contact may close by the end of the step and may not sink further; that it should also
 * come out of what it has sunk is not asked, since engines do that in different ways.  Nor is a
 * step judged in which something bounces, faster than bounce_speed: whether it does so at the start
 * of the step, at its end or in between is each engine's own affair, and (2) would take one for
 * right and the others for wrong.  The residual is that of r alone; `momentum` compares the v+ that
 * r gives with the one the engine moved on with, relative to |M v + h F| in the norm of M^-1.
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
    int bounces;        /* contacts that close and bounce: nothing else is reported then */
} sim_verdict;

mo_error sim_judge(const sim_scene *scene, const sim_motion *before, const sim_motion *after,
                   const sim_contact *contacts, int count, sim_verdict *verdict, mo_message *why);

#endif
