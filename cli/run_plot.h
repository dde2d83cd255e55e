/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * `--plot`: the quantities of every step, as numbers and figures.
 *
 *   steps.csv                                one row per step
 *   figures.gp                               the gnuplot script
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
