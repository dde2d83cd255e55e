/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Named things to run, for `moreau reproduce` and `moreau bench`.  Their sources lie in papers/ and
 * bench/; a command gives each of them one row with a function that calls it.
 */
#ifndef TOOLS_EXPERIMENTS_H
#define TOOLS_EXPERIMENTS_H

#include "args.h"

/* What the call asks for. */
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

/* The whole command: lists the experiments, or runs the one that is named.  own: one more flag that
 * they understand, or NULL. */
int experiments_command(const args_command *command, const args_flag *own, const experiment *all,
                        int count, int argc, char **argv);

#endif
