/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
#include "base/arena.h"

#include <stdint.h>
#include <string.h>

void mo_arena_take_each(mo_arena *arena, size_t count, size_t size, size_t places,
                        void *const *place)
{
    const size_t align = MO_ARENA_ALIGN;
    size_t bytes;
    const bool fits = !__builtin_mul_overflow(count, size, &bytes) && bytes < SIZE_MAX / 4;
    const size_t stride = fits ? (bytes + align - 1) / align * align : SIZE_MAX / 2;
    char *first = mo_arena_take(arena, places, stride); /* refused if it does not fit */
    for (size_t k = 0; k < places; ++k) {
        void *const taken = first ? first + k * stride : NULL;
        memcpy(place[k], &taken, sizeof taken);
    }
}

void *mo_arena_head(mo_arena *arena, size_t size)
{
    void *head = mo_arena_take(arena, 1, size);
    if (!arena->base) {
        head = arena->heads;
        arena->heads += MO_HEAD_SIZE;
    }
    return head;
}

void *mo_arena_allocate(mo_arena *arena, const mo_allocator *allocator)
{
    char *memory = mo_memory_array(allocator, arena->used + MO_ARENA_ALIGN, 1);
    if (memory)
        *arena = (mo_arena){.base = memory + (MO_ARENA_ALIGN - (uintptr_t)memory % MO_ARENA_ALIGN)};
    return memory;
}
