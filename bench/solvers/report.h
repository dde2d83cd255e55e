/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* The scoreboard as text, as JSON, and in files. */
#ifndef BENCH_REPORT_H
#define BENCH_REPORT_H

#include <stdio.h>

#include "board.h"

void report_print(const board *b);
void report_json(const board *b);

/*
 * runs.csv (with REPORT_ALL), a profile-TARGET.csv for each target and, where there is gnuplot, the
 * performance profiles as profile-TARGET.svg, in a folder that is made where it is missing.  An
 * exit status; errors are reported.
 */
typedef enum report_parts { REPORT_ALL, REPORT_PROFILES } report_parts;

int report_write(const board *b, const char *folder, report_parts parts);

/* The table of runs, as in runs.csv: its line of names, and one line a run. */
enum { REPORT_FIELDS = 12 };
void report_put_runs(FILE *file, const board *b, int with_peer);
int report_is_header(const char *line);

/* The fields of a line, in place; returns how many. */
int report_split(char *line, char **fields, int most);

/*
 * The peer's runs of an earlier runs.csv, for problems of the same name and size and for the same
 * targets.  Returns how many were taken, or -1 where the file cannot be read, which has then been
 * reported.
 */
int report_read_peer(board *b, const char *path);

#endif
