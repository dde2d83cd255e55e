/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Gauss-Seidel sweeps over a distributed problem (nsgs): those of solver/sweeps.h, with an exchange
 * after each colour.
 */
#ifndef MOREAU_MPI_SWEEP_H
#define MOREAU_MPI_SWEEP_H

#include "solver/sweeps.h"
#include "spread.h"

/* A solve in progress. */
typedef struct mo_spread_run {
    mo_spread *s;
    const mo_options *options;
    mo_result *result;
    double start_time;
    double q_norm;
    mo_sweeps sweeps;
    mo_sweep_others others;
    void *memory; /* of the sweeps */
    mo_status status;
    int shown; /* the last sweep that the caller's progress function was called for */
} mo_spread_run;

/* Room for the sweeps, and |q|. */
mo_error mo_spread_run_begin(mo_spread_run *run, mo_message *why);
void mo_spread_run_end(mo_spread_run *run);

/* Sweeps from result->r with this cap of the momentum; r, v, u and the
 * residual of the result are those of the best. */
mo_status mo_spread_sweep(mo_spread_run *run, double momentum);

#endif
