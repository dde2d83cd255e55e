/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * One rerun of `moreau reproduce` measures, writes tables, draws figures and prints the results.
 * Each rerun supplies these functions.
 */
#ifndef PAPERS_RERUN_H
#define PAPERS_RERUN_H

#include <stddef.h>

#include "moreau/base.h"

struct experiment_call; /* tools/experiments.h */
struct json;            /* tools/json.h */

typedef struct paper_rerun {
    const char *name;            /* as typed; also the folder in out/ */
    size_t size;                 /* of its results */
    const unsigned char *script; /* gnuplot */
    size_t script_size;
    const char *const *figures;                          /* that the script draws, ended by NULL */
    mo_error (*measure)(void *results, mo_message *why); /* results are zero at first */
    mo_error (*write)(const char *folder, const void *results, mo_message *why);
    void (*print)(const void *results);
    void (*put)(struct json *j, const void *results);
} paper_rerun;

/* Its exit status. */
int paper_rerun_command(const paper_rerun *rerun, const struct experiment_call *asked);

/* The function of papers.h for a file whose functions have the names above.  The script is the
 * array that its .gp file becomes. */
#define PAPER_RERUN(function, typed, results_size, gp)                                             \
    int function(const struct experiment_call *asked)                                              \
    {                                                                                              \
        const paper_rerun rerun = {.name = typed,                                                  \
                                   .size = results_size,                                           \
                                   .script = gp,                                                   \
                                   .script_size = sizeof gp,                                       \
                                   .figures = FIGURES,                                             \
                                   .measure = measure,                                             \
                                   .write = write_all,                                             \
                                   .print = print,                                                 \
                                   .put = put};                                                    \
        return paper_rerun_command(&rerun, asked);                                                 \
    }

#endif
