/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Stored results of one machine: a folder with one table per run of `bench solvers`,
 * DATE-COMMIT.csv, and the performance profiles of the latest run.  The first lines of a table
 * describe the machine and the build.  Tables are ordered by name.
 */
#ifndef BENCH_RESULTS_H
#define BENCH_RESULTS_H

#include "board.h"

/* Writes the table of our methods and draws the profiles.  An exit status; failures are
 * reported. */
int results_keep(const board *b, const char *folder);

#endif
