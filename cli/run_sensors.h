/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* The sensors of a robot: `--sensors` writes a row for each step, `--json` the last values. */
#ifndef CLI_RUN_SENSORS_H
#define CLI_RUN_SENSORS_H

#include "output.h"
#include "run.h"

typedef struct run_sensors {
    output file;
    int reads; /* sensors are read after each step */
} run_sensors;

/* If requested: the header and the row of the initial state.  0 after a failure, which is in the
 * tally. */
int run_sensors_begin(run_sensors *s, const run_call *call, const mo_world *world,
                      run_tally *tally);
/* After a step of h; all steps are read, since accelerations are differences; `put`: write it. The
 * values are in the model_file. */
int run_sensors_step(run_sensors *s, const run_call *call, const mo_world *world, double h, int put,
                     run_tally *tally);
void run_sensors_end(run_sensors *s, const run_call *call, run_tally *tally);

#endif
