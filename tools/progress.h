/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Long work: a line on the terminal that follows it, and Ctrl-C to end it early.
 */
#ifndef TOOLS_PROGRESS_H
#define TOOLS_PROGRESS_H

#include "moreau/options.h"

/* The first Ctrl-C from here on sets the flag, the second ends the program; so do SIGTERM, which a
 * queue sends to a job whose time is over, and SIGHUP, of a terminal that goes.  After these two
 * the program ends within a second, even where the flag is not read.  A parent that made
 * it deaf to one of them is obeyed. */
const volatile int *interrupt_watch(void);
int interrupt_came(void);

typedef struct progress {
    int on_terminal;  /* standard error is one: show the line */
    int shown;        /* a line is shown and must be erased */
    double next;      /* seconds of the solve at which it is due */
    double tol;       /* what the residual is compared with */
    const char *name; /* of the file */
    int index, count; /* which of how many files */
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
 * Work in parts: on a terminal a line says how many are done and how long the rest will take, by
 * the time of those that are done.  Shorter work than FIRST_SECONDS shows nothing.
 */
typedef struct progress_clock {
    double began, next; /* s of a monotonic clock */
    int shown;
} progress_clock;

progress_clock progress_begin(void);
/* After `done` of `count` parts: progress_line shows the remaining time. */
void progress_expect_rest(const progress_clock *p, int done, int count);
/* After `done` of `count` parts, which are called `what`: "frame 12 of 90, 3.1 s left". */
void progress_part(progress_clock *p, const char *what, long long done, long long count);
void progress_done(progress_clock *p);

/* A duration for people: "0.4 s", "12 s", "3 min", "1 h 20 min".  `to` has room for 24 bytes. */
char *progress_duration(double seconds, char *to);

#endif
