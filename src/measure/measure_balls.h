/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * The measure of a problem of balls (problem/balls.h) that nobody has written out with rows and Jacobians: the same figures as mo_measure, from r
 * alone, with vectors in the axes of the world in the place of rows.  They agree to rounding.
 */
#ifndef MO_MEASURE_MEASURE_BALLS_H
#define MO_MEASURE_MEASURE_BALLS_H

#include "moreau/measure.h"
#include "problem/balls.h"

/* |q|: of the relative velocities without impulses. */
double mo_balls_q_norm(const mo_balls *balls);

/*
 * r: three numbers for each contact; state: what it makes of the free states, written here.
 */
void mo_measure_balls(const mo_balls *balls, double q_norm, const double *r, mo_ball *state,
                      mo_residual *residual);

#endif
