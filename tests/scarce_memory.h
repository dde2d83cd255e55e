/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Memory that runs out, for tests that let every request fail once:
 *
 *     scarce memory = {.left = n};
 *     const mo_allocator allocator = {scarce_reallocate, &memory};
 *
 * After n requests all fail; `live` must be zero in the end.
 */
#ifndef TESTS_SCARCE_MEMORY_H
#define TESTS_SCARCE_MEMORY_H

#include <stdlib.h>

typedef struct scarce {
    long left; /* requests that are still granted */
    long live; /* blocks in use */
} scarce;

enum { SCARCE_PLENTY = 1000000000 }; /* requests that no test makes */

static inline void *scarce_reallocate(void *user, void *p, size_t size)
{
    scarce *memory = user;
    if (size == 0) {
        memory->live -= p != NULL;
        free(p);
        return NULL;
    }
    if (memory->left-- <= 0) return NULL;
    void *moved = realloc(p, size);
    memory->live += p == NULL && moved != NULL;
    return moved;
}

#endif
