/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Results that are kept for one machine: a folder with one small table a run of `bench solvers`,
 * DATE-COMMIT.csv, and the performance profiles of the last one.  A table begins with lines that
 * say on what it was measured; those of a folder are in the order of their names.
 */
#ifndef BENCH_RESULTS_H
#define BENCH_RESULTS_H

#include "board.h"

/* Writes the table of our methods and draws the profiles.  An exit status; failures are said. */
int results_keep(const board *b, const char *folder);

#endif
