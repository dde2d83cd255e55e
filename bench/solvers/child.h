/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* A separate process for work that may crash, hang or print. */
#ifndef BENCH_CHILD_H
#define BENCH_CHILD_H

#include <stdio.h>

typedef enum child_end {
    CHILD_DONE,       /* it ended by itself, with status 0 */
    CHILD_REFUSED,    /* it ended with CHILD_REFUSES: not supported */
    CHILD_TIME,       /* its alarm or ours ended it */
    CHILD_CRASHED,    /* it ended in any other way */
    CHILD_NOT_STARTED /* the system refused a process, a pipe, ... */
} child_end;

enum { CHILD_REFUSES = 3 };

/*
 * Calls `work` in a new process, with `input` and a stream for its answer; its standard output and
 * standard error are discarded.  The value of `work` is the status it ends with.  Its output is
 * returned in `answer`, terminated and cut to `room` bytes.  It is ended after `seconds` of wall
 * time.
 */
child_end child_run(int (*work)(const void *input, FILE *out), const void *input, double seconds,
                    char *answer, size_t room);

#endif
