/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* A trial of one of our methods, for child_run. */
#ifndef BENCH_OURS_H
#define BENCH_OURS_H

#include <stdio.h>

#include "cases.h"
#include "trial.h"

typedef struct ours_input {
    const bench_case *one;
    const char *method;
    const trial_call *call;
} ours_input;

/*
 * input: an ours_input.  The method runs with its default options but for tol and, unless it is the
 * default method, the limit on iterations, which is lifted.  It is cancelled at the time limit.
 * One thread.
 */
int ours_try(const void *input, FILE *out);

#endif
