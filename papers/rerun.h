/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * One rerun of `moreau reproduce` from end to end: measure, write tables, draw, tell.  A rerun says
 * what is its own in one row of functions.
 */
#ifndef PAPERS_RERUN_H
#define PAPERS_RERUN_H

#include <stddef.h>

#include "moreau/base.h"

struct experiment_call; /* cli/experiments.h */
struct json;            /* tools/json.h */

typedef struct paper_rerun {
    const char *name;            /* as typed; also the folder in out/ */
    size_t size;                 /* of its results */
    const unsigned char *script; /* gnuplot */
    size_t script_size;
    const char *const *figures;                          /* that the script draws, ended by NULL */
    mo_error (*measure)(void *results, mo_message *why); /* results are zero at first */
    mo_error (*write)(const char *folder, const void *results, mo_message *why);
    void (*print)(const void *results);               /* for a person  */
    void (*put)(struct json *j, const void *results); /* for a program */
} paper_rerun;

/* Its exit status. */
int paper_rerun_command(const paper_rerun *rerun, const struct experiment_call *asked);

#endif
