/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * An arena: one block of memory, divided from front to back and freed at once.
 *
 * The user lays out its arrays twice with the same function: first on a counting arena (base =
 * NULL), which returns NULL and adds up the sizes, then on an arena of that size.  Size and layout
 * therefore always agree, and nothing is allocated during the computation.
 */
#ifndef MO_BASE_ARENA_H
#define MO_BASE_ARENA_H

#include "base/memory.h"

typedef struct mo_arena {
    char *base; /* NULL while counting */
    size_t used;
} mo_arena;

enum { MO_ARENA_ALIGN = 64 };

/* count * size bytes aligned to a cache line; NULL while counting.  Not cleared. */
void *mo_arena_take(mo_arena *arena, size_t count, size_t size);

/* After counting: allocates the block and makes the arena real.  Returns the block for
 * mo_memory_free; NULL for lack of memory. */
void *mo_arena_allocate(mo_arena *arena, const mo_allocator *allocator);

#define MO_TAKE(arena, count, type) ((type *)mo_arena_take((arena), (size_t)(count), sizeof(type)))

#endif
