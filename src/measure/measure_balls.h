/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * The measure of a problem of balls (problem/balls.h) that nobody has written out with rows and Jacobians: the same figures as mo_measure, from r
 * alone, with vectors in the axes of the world in the place of rows.  They agree to rounding.
 *
 * It shares its arithmetic with the sweeps (problem/ball_lanes.h), but none of their numbers: states are made anew from the impulses.  What holds it to the general measure are tests, for
 * every kind of processor and for the steps of heaps.
 */
#ifndef MO_MEASURE_MEASURE_BALLS_H
#define MO_MEASURE_MEASURE_BALLS_H

#include "moreau/measure.h"
#include "problem/ball_kernel.h"

/* |q|: of the relative velocities without impulses. */
double mo_balls_q_norm(const mo_balls *balls);

/* The states of `given` are written here: what its impulses make of the free ones. */
void mo_measure_balls(const mo_ball_given *given, double q_norm, mo_residual *residual);

#endif
