/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * An arena: one block of memory, carved from front to back and freed at once.
 *
 * A user lays its arrays out twice with the same function: first on a counting arena (base = NULL),
 * which hands out NULL and adds up the sizes, then on one of that size.  So the size and the
 * layout cannot drift apart, and nothing is allocated once the work has begun.
 */
#ifndef MO_BASE_ARENA_H
#define MO_BASE_ARENA_H

#include "moreau/base.h"

typedef struct mo_arena {
    char *base; /* NULL while counting */
    size_t used;
} mo_arena;

enum { MO_ARENA_ALIGN = 64 };

/* count * size bytes aligned to a cache line; NULL while counting.  Not cleared. */
void *mo_arena_take(mo_arena *arena, size_t count, size_t size);

#define MO_TAKE(arena, count, type) ((type *)mo_arena_take((arena), (size_t)(count), sizeof(type)))

#endif
