/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Solvers of other projects: a separate program moreau-NAME (bench/peers/) that lists its
 * configurations and runs one of them on an FCLIB file.  It is built if the library of the peer is
 * installed.
 */
#ifndef BENCH_PEER_H
#define BENCH_PEER_H

#include <stdio.h>

#include "beside.h"
#include "cases.h"
#include "trial.h"

enum { PEER_CONFIGS_MOST = 128, PEER_NAME_SIZE = 48, PEER_PATH_SIZE = BESIDE_PATH_SIZE };

typedef struct peer {
    const char *name;
    char program[PEER_PATH_SIZE];
    char configs[PEER_CONFIGS_MOST][PEER_NAME_SIZE];
    int config_count;
} peer;

/*
 * Finds the program of a peer and asks it for its configurations.  only: names between commas, or
 * NULL for all.  False if there is no such peer, no such program, or no such configuration: then
 * `why` receives the reason.
 */
int peer_open(const char *name, const char *only, peer *p, mo_message *why);

typedef struct peer_input {
    const peer *p;
    int config;
    const char *path; /* of the FCLIB file */
    const trial_call *call;
} peer_input;

/* A trial, for child_run; input: a peer_input. */
int peer_try(const void *input, FILE *out);

/*
 * The problem of a case as an FCLIB file: its own, or one in `folder`.  False if FCLIB cannot
 * represent it; then no peer supports it.
 */
int peer_file(const bench_case *one, const char *folder, char *path, size_t room);

#endif
