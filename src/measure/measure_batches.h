/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * The figures of mo_measure for a problem arranged in batches (problem/batches.h), computed in
 * vector lanes.  It shares the arithmetic of the sweeps but none of their numbers; tests compare it
 * with mo_measure.
 */
#ifndef MO_MEASURE_BATCHES_H
#define MO_MEASURE_BATCHES_H

#include "problem/batch_kernel.h"

/* The input: impulses of points and row blocks, and the state computed from them. */
typedef struct mo_batch_answer {
    const mo_batches *batches;
    double *state;
    mo_point_impulses *impulses;
    const double *row_r; /* at row_start of the problem */
} mo_batch_answer;

/* v and u become those of the problem; point_u is scratch of 3 * MO_LANES numbers a point. */
void mo_measure_batches(const mo_batch_answer *answer, double q_norm, double *point_u, double *v,
                        double *u, mo_residual *residual);

#endif
