/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* Outputs during a run.  Functions return true, or false after run_fail. */
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

/* Checks that the output files can be written; an exit status, after a message. */
int run_outputs_check(const char *command, const run_call *call);

/* Opens them and records the initial state. */
int run_outputs_begin(run_outputs *o, const run_call *call, mo_world *world, run_tally *tally);
/* After step k, from 1. */
int run_outputs_step(run_outputs *o, const run_call *call, mo_world *world, int k,
                     const mo_step_report *report, run_tally *tally);
/* Completes and renames the files, also after an interrupted run. */
void run_outputs_end(run_outputs *o, const run_call *call, const mo_world *world, run_tally *tally);

#endif
