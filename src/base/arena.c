/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
#include "base/arena.h"

#include <stdint.h>

void *mo_arena_take(mo_arena *arena, size_t count, size_t size)
{
    const size_t align = MO_ARENA_ALIGN;
    const size_t start = (arena->used + align - 1) / align * align;
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes) || bytes > SIZE_MAX / 4 - start) {
        /* no allocator grants this: the overflow ends as lack of memory */
        arena->used = SIZE_MAX / 2;
        return NULL;
    }
    arena->used = start + bytes;
    return arena->base ? arena->base + start : NULL;
}

void *mo_arena_allocate(mo_arena *arena, const mo_allocator *allocator)
{
    char *memory = mo_memory_array(allocator, arena->used + MO_ARENA_ALIGN, 1);
    if (memory) {
        *arena = (mo_arena){memory + (MO_ARENA_ALIGN - (uintptr_t)memory % MO_ARENA_ALIGN), 0};
    }
    return memory;
}
