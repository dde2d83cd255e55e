/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* The scoreboard for a person, for a program, and in files. */
#ifndef BENCH_REPORT_H
#define BENCH_REPORT_H

#include "board.h"

void report_print(const board *b);
void report_json(const board *b);

/*
 * runs.csv, a profile-TARGET.csv for each target and, where there is gnuplot, the performance profiles as
 * profile-TARGET.svg, in a folder that is made where it is missing.  An exit status; what went wrong has been said.
 */
int report_write(const board *b, const char *folder);

/*
 * The peer's runs of an earlier runs.csv, for problems of the same name and size and for the same targets.  Returns how many
 * were taken, or -1 where the file cannot be read, which has then been said.
 */
int report_read_peer(board *b, const char *path);

#endif
