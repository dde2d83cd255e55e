/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* The data of one contact of a batch (batches.h): normal, lever arms, w and friction. */
#ifndef MO_PROBLEM_BATCH_POINT_H
#define MO_PROBLEM_BATCH_POINT_H

#include "problem/batches.h"

/* Constraint i becomes point k of a lane of the batch. */
void mo_batch_fill_point(const mo_batches *b, const mo_batch *batch, int k, int lane, int i);

#endif
