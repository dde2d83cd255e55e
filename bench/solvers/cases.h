/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* The problems of `moreau bench solvers`: FCLIB files, or scenes built in code where no file is
 * named. */
#ifndef BENCH_CASES_H
#define BENCH_CASES_H

#include "moreau/problem.h"

typedef struct bench_case {
    char name[80]; /* of the file without folder and ending, or of the scene */
    char *path;    /* NULL: a scene */
    int scene;     /* its number, for bench_case_load */
} bench_case;

typedef struct bench_cases {
    bench_case *list;
    int count, room;
} bench_cases;

/*
 * The files, and those below the folders that end in .hdf5 or .h5, sorted by their paths within a
 * folder; or every scene, where count is 0.  False if a path leads nowhere or memory runs out:
 * then `why` has the reason.
 */
int bench_cases_find(char **paths, int count, bench_cases *cases, mo_message *why);
void bench_cases_clear(bench_cases *cases);

/* Reads or builds it again, without cached data of a solver. */
mo_error bench_case_load(const bench_case *one, mo_problem **problem, mo_message *why);

#endif
