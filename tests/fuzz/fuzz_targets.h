/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* The readers that are fuzzed: what each is fed with, and from what the inputs are made. */
#ifndef TESTS_FUZZ_TARGETS_H
#define TESTS_FUZZ_TARGETS_H

#include "fuzz_mutate.h"

/* A place for one input more. */
typedef void fuzz_take_fn(void *user, const void *bytes, size_t size);

typedef struct fuzz_target {
    const char *name;
    fuzz_kind kind;
    /* Inputs of our own making to start from. */
    void (*seeds)(fuzz_take_fn *take, void *user);
    /* One input: aborts where the answer is wrong. */
    void (*run)(const uint8_t *data, size_t size);
} fuzz_target;

/* NULL where there is none of that name (or number). */
const fuzz_target *fuzz_target_find(const char *name);
const fuzz_target *fuzz_target_at(int k);

#endif
