/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Visits of constraints in rows (mo_row_block of batches.h): any law, any number and size of
 * bodies.
 */
#ifndef MO_PROBLEM_ROW_BLOCKS_H
#define MO_PROBLEM_ROW_BLOCKS_H

#include "problem/batches.h"

/* u = J v + w of a row block, at the state. */
void mo_row_velocity(const mo_batches *batches, const mo_row_block *row, const double *state,
                     double *u);

/* The state gains M^-1 J' dr. */
void mo_row_apply(const mo_batches *batches, const mo_row_block *row, const double *dr,
                  double *state);

/* Solves its law with the others held: r, d entries, becomes the solution.  Returns |dr|^2. */
double mo_row_visit(const mo_batches *batches, const mo_row_block *row, double *r, double *state);

#endif
