/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * An arena: one block of memory, divided from front to back and freed at once.
 *
 * The user lays out its arrays twice with the same function: first on a counting arena (base =
 * NULL), which returns NULL and adds up the sizes, then on an arena of that size.  Size and layout
 * therefore always agree, and nothing is allocated during the computation.  The struct that keeps
 * the arrays is there both times.
 */
#ifndef MO_BASE_ARENA_H
#define MO_BASE_ARENA_H

#include <stdint.h>

#include "base/memory.h"

typedef struct mo_arena {
    char *base; /* NULL while counting */
    size_t used;
    char *heads; /* room for structs while counting (MO_HEAD), where they are taken */
} mo_arena;

enum {
    MO_ARENA_ALIGN = 64,
    MO_HEAD_SIZE = 2048,             /* largest struct, in bytes */
    MO_HEADS_SIZE = 4 * MO_HEAD_SIZE /* nesting of methods and engines */
};

/* count * size bytes aligned to a cache line; NULL while counting.  Not cleared. */
static inline void *mo_arena_take(mo_arena *arena, size_t count, size_t size)
{
    const size_t align = MO_ARENA_ALIGN;
    const size_t start = (arena->used + align - 1) / align * align;
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes) || bytes > SIZE_MAX / 4 - start) {
        /* too large for any allocator: the overflow becomes lack of memory */
        arena->used = SIZE_MAX / 2;
        return NULL;
    }
    arena->used = start + bytes;
    return arena->base ? arena->base + start : NULL;
}

/* After counting: allocates the block and makes the arena real.  Returns the block for
 * mo_memory_free; NULL for lack of memory. */
void *mo_arena_allocate(mo_arena *arena, const mo_allocator *allocator);

#define MO_TAKE(arena, count, type) ((type *)mo_arena_take((arena), (size_t)(count), sizeof(type)))

/* Several arrays of one size: MO_TAKE_EACH(arena, rows, double, &w->r, &w->u). */
#define MO_TAKE_EACH(arena, count, type, ...)                                                      \
    mo_arena_take_each((arena), (size_t)(count), sizeof(type),                                     \
                       sizeof((type **[]){__VA_ARGS__}) / sizeof(void *), (void *[]){__VA_ARGS__})
void mo_arena_take_each(mo_arena *arena, size_t count, size_t size, size_t places,
                        void *const *place);

/* The struct of a workspace; while counting, a temporary one in `heads`. */
#define MO_HEAD(arena, type)                                                                       \
    ((type *)mo_arena_head((arena),                                                                \
                           sizeof(type) * sizeof(char[sizeof(type) <= MO_HEAD_SIZE ? 1 : -1])))
void *mo_arena_head(mo_arena *arena, size_t size);

#endif
