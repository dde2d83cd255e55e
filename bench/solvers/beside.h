/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* The programs of other libraries (bench/peers/): their location, and running them in a child
 * process. */
#ifndef BENCH_BESIDE_H
#define BENCH_BESIDE_H

#include <stdio.h>

enum { BESIDE_PATH_SIZE = 1024 };

/* moreau-NAME beside our own program, as in the build folder, or where it is installed; false if
 * it is in neither folder. */
int beside_find(const char *name, char path[BESIDE_PATH_SIZE]);

/* In a child: becomes the program words[0] with one thread, its standard output being `out`.
 * Returns only on failure. */
int beside_become(char *const *words, FILE *out);

#endif
