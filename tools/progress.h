/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Progress of long work on a terminal, and its end by Ctrl-C.
 */
#ifndef TOOLS_PROGRESS_H
#define TOOLS_PROGRESS_H

#include "moreau/options.h"

/* From this call on, the first Ctrl-C sets the flag and the second ends the program.  SIGTERM (from
 * a queue whose time limit is reached) and SIGHUP (from a closed terminal) do the same, and end the
 * program within a second even if the flag is not read.  Signals that the parent process ignores
 * stay ignored. */
const volatile int *interrupt_watch(void);
int interrupt_came(void);

typedef struct progress {
    int on_terminal;  /* standard error is a terminal: show the line */
    int shown;        /* a line is shown and must be erased */
    double next;      /* seconds of the solve at which it is due */
    double tol;       /* for comparison with the residual */
    const char *name; /* of the file */
    int index, count; /* of the file, and number of files */
} progress;

progress progress_start(const char *name, int index, int count, double tol);

/* For mo_options.progress, with the progress as its user. */
void progress_show(void *user, const mo_progress *now, const double *r);

void progress_end(progress *p);

/* Starts work with a known usual duration; lines then show the remaining time. */
void progress_expect(double seconds);
/* Shows the current activity on a terminal; "" erases it. */
void MO_PRINTF(1, 2) progress_line(const char *format, ...);

/*
 * Work in parts: on a terminal a line shows the number of finished parts and the estimated
 * remaining time.  Work shorter than FIRST_SECONDS shows nothing.
 */
typedef struct progress_clock {
    double began, next; /* s of a monotonic clock */
    int shown;
} progress_clock;

progress_clock progress_begin(void);
/* After `done` of `count` parts: progress_line shows the remaining time. */
void progress_expect_rest(const progress_clock *p, int done, int count);
/* After `done` of `count` parts with the name `what`: "frame 12 of 90, 3.1 s left". */
void progress_part(progress_clock *p, const char *what, long long done, long long count);
void progress_done(progress_clock *p);

/* A duration as text: "0.4 s", "12 s", "3 min", "1 h 20 min".  `to` has room for 24 bytes. */
char *progress_duration(double seconds, char *to);

#endif
