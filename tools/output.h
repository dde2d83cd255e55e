/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Atomic output files: written next to the target under a temporary name, synced and renamed.  An
 * existing file keeps its permissions, a symbolic link its target.
 */
#ifndef TOOLS_OUTPUT_H
#define TOOLS_OUTPUT_H

#include <stddef.h>
#include <stdio.h>

enum { OUTPUT_PATH = 4096 };

typedef struct output {
    FILE *file; /* NULL: none is open */
    char target[OUTPUT_PATH], temporary[OUTPUT_PATH];
} output;

/* They return true, or false with errno; a file that cannot be renamed is removed. */
int output_open(output *o, const char *path);
int output_commit(output *o);
int output_place(output *o); /* the same without sync, for one of many files */
void output_cancel(output *o);

/* Names of the temporary files of open outputs, which a signal handler that ends the program
 * removes; an empty name is a free place. */
enum { OUTPUT_UNFINISHED = 16 };
extern char output_unfinished[OUTPUT_UNFINISHED][OUTPUT_PATH];

/* "FOLDER/NAME" into `path`; false, with errno, if it is too long. */
int output_join(char path[OUTPUT_PATH], const char *folder, const char *name);

#endif
