/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * The compact contacts of a problem (problem/batches.h) on a device: coloured in the order of
 * hashed priorities and packed by colour.  A central contact that is the only one between its
 * bodies and whose w lies along the normal is a slot; all others are manifolds.
 */
#ifndef MO_SOLVER_DEVICE_ARRANGE_H
#define MO_SOLVER_DEVICE_ARRANGE_H

#include "problem/batches.h"
#include "solver/device_sweeps.h"

typedef struct mo_device_arrangement {
    const mo_batches *batches;
    int *constraint; /* of each slot, then of each point */
    double *staging; /* three numbers for each of them   */
    mo_buffer numbers, indices, lines, inertia;
    mo_device_sweeps sweeps;
} mo_device_arrangement;

/* All constraints of the batches are contacts: row_count is 0.  MO_ERR_MEMORY, or the device's. */
mo_error mo_device_arrange(mo_device *device, const mo_batches *batches,
                           mo_device_arrangement *out);
void mo_device_arrangement_end(mo_device_arrangement *arrangement);

/* Impulses from and to the rows of the problem, along the axes of each contact. */
void mo_device_write_impulses(mo_device_arrangement *arrangement, const double *r);
void mo_device_read_impulses(mo_device_arrangement *arrangement, double *r);

#endif
