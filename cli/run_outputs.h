/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* What a run writes on its way.  A call is true, or false after run_fail. */
#ifndef CLI_RUN_OUTPUTS_H
#define CLI_RUN_OUTPUTS_H

#include "output.h"
#include "run.h"
#include "run_plot.h"
#include "run_replay.h"
#include "run_sensors.h"
#include "run_vtk.h"

typedef struct run_outputs {
    output csv;
    run_sensors sensors;
    mo_recorder *recorder; /* or NULL */
    run_vtk vtk;
    run_plot plot;
    run_replay replay;
    int has_vtk, has_plot; /* begun */
} run_outputs;

/* May the files that the call names be written?  An exit status; what is wrong has then been said.
 */
int run_outputs_check(const char *command, const run_call *call);

/* Opens them, and records the start. */
int run_outputs_begin(run_outputs *o, const run_call *call, mo_world *world, run_tally *tally);
/* After step k, from 1. */
int run_outputs_step(run_outputs *o, const run_call *call, mo_world *world, int k,
                     const mo_step_report *report, run_tally *tally);
/* Puts the files in place: also those of a run that ended early. */
void run_outputs_end(run_outputs *o, const run_call *call, const mo_world *world, run_tally *tally);

#endif
