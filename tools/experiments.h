/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Named experiments of `moreau reproduce` and `moreau bench`, whose sources are in papers/ and
 * bench/. A command has a table with one row and one function for each.
 */
#ifndef TOOLS_EXPERIMENTS_H
#define TOOLS_EXPERIMENTS_H

#include "args.h"

/* Contents of the call. */
typedef struct experiment_call {
    const char *out; /* the folder for files, or NULL */
    int json;
    const char *own; /* the value of the command's own flag, or NULL */
} experiment_call;

typedef struct experiment {
    const char *name;                         /* as typed */
    const char *summary;                      /* one line */
    int (*run)(const experiment_call *asked); /* its exit status; NULL: not in this build */
    double seconds; /* of processor time that it usually takes (AMD EPYC); 0: not measured */
} experiment;

/* The whole command: lists the experiments, or runs the named one.  own: an additional flag, or
 * NULL. */
int experiments_command(const args_command *command, const args_flag *own, const experiment *all,
                        int count, int argc, char **argv);

#endif
