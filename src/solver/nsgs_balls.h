/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * nsgs over balls (problem/balls.h): the sweeps of nsgs.c in the order of colours, several contacts at a time (ball_sweeps.h).  What passes there is
 * confirmed by the measure, from r and the problem itself.
 *
 * The view agrees with the problem to about ten digits, so this is for tolerances down to MO_BALLS_TOLERANCE.
 */
#ifndef MO_SOLVER_NSGS_BALLS_H
#define MO_SOLVER_NSGS_BALLS_H

#include "solver/method.h"

#define MO_BALLS_TOLERANCE 1e-7

/* Lays out a workspace where this is a problem for it (*takes). */
mo_error mo_nsgs_balls_layout(const mo_problem *problem, const mo_options *options, mo_arena *arena,
                              int *takes, void **workspace);
mo_status mo_nsgs_balls_solve(mo_run *run, void *workspace);

#endif
