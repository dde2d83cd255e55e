/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * `--plot`: what happened in every step, as numbers and as drawings.
 *
 *   steps.csv                                one row a step
 *   figures.gp                               the script; gnuplot draws with it
 *   energy.svg, forces.svg, solve.svg        energies; contact forces and contacts; residual and
 *                                            penetration
 */
#ifndef CLI_RUN_PLOT_H
#define CLI_RUN_PLOT_H

#include "output.h"
#include "run.h"

typedef struct run_plot {
    output steps;
} run_plot;

/* Each is true, or false after run_fail. */
int run_plot_begin(run_plot *plot, const run_call *call, run_tally *tally);
int run_plot_step(run_plot *plot, const run_call *call, const mo_world *world,
                  const mo_step_report *report, run_tally *tally);
int run_plot_end(run_plot *plot, const run_call *call, run_tally *tally);

#endif
