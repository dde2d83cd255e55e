/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * One trial: one solver on one problem, for each target residual, in a separate process, so that a
 * crash or a hang does not end the benchmark.  The process prints one line per target:
 *
 *     trial TARGET STATUS SECONDS RESIDUAL ITERATIONS TOLERANCE
 *
 * SECONDS is the fastest of a few runs, each on a new problem, so it includes all preparation.  The
 * time of a run is the smaller of wall time and processor time: with one thread, other programs can
 * only increase either of them.
 */
#ifndef BENCH_TRIAL_H
#define BENCH_TRIAL_H

#include <stdio.h>

enum { TRIAL_TARGETS_MOST = 8 };

/* Input of a trial. */
typedef struct trial_call {
    double targets[TRIAL_TARGETS_MOST]; /* of the natural residual / max(1, |q|), loosest first */
    int target_count;
    double time_limit; /* seconds of one run, by the processor */
    int repeats;       /* runs, the fastest of which counts */
} trial_call;

typedef struct trial_line {
    double target;
    char status[24]; /* "solved", or the reason: one word */
    double seconds;
    double residual;  /* by mo_measure, from r only */
    long iterations;  /* counted by the solver */
    double tolerance; /* that the solver was given */
} trial_line;

extern const char *const trial_solved;     /* "solved"      */
extern const char *const trial_time_limit; /* "time-limit"  */
extern const char *const trial_crashed;    /* "crashed"     */
extern const char *const trial_refused;    /* "unsupported" */

/* A target as text: "1e-8", "0.0025". */
typedef struct trial_name {
    char text[32];
} trial_name;

trial_name trial_target_name(double target);

int trial_is_solved(const trial_line *line);

/* Writes a line and flushes it, so it survives a crash. */
void trial_print(FILE *out, const trial_line *line);

/* Reads one; false if the text is something else. */
int trial_parse(const char *text, trial_line *line);

/* Should the run be repeated, after `done` runs in `total` seconds? */
int trial_wants_more(const trial_call *call, int done, double total);

/*
 * A watch around one run.  After `limit` seconds of processor time (0: never) *flag becomes 1.  If
 * the run continues for as long again and a second, or if flag is NULL, SIGPROF ends the process.
 */
typedef struct trial_watch {
    double wall, processor;
} trial_watch;

trial_watch trial_watch_start(double limit, volatile int *flag);
double trial_watch_stop(const trial_watch *watch); /* seconds */

#endif
