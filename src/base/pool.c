/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
#include "base/pool.h"

#include <stdint.h>
#include <string.h>

#include "base/memory.h"

enum { BLOCK = 16384, ALIGN = sizeof(max_align_t) };

struct mo_pool_block {
    mo_pool_block *before;
    size_t size;
    max_align_t start[];
};

void *mo_pool_take(mo_pool *pool, size_t count, size_t size)
{
    if (size && count > (SIZE_MAX / 4) / size) return NULL;
    const size_t bytes = (count * size + ALIGN - 1) / ALIGN * ALIGN;
    if (!pool->last || pool->last->size - pool->used < bytes) {
        const size_t room = bytes > BLOCK ? bytes : BLOCK;
        mo_pool_block *block = mo_memory_array(&pool->allocator, 1, sizeof(mo_pool_block) + room);
        if (!block) return NULL;
        block->before = pool->last;
        block->size = room;
        pool->last = block;
        pool->used = 0;
    }
    char *taken = (char *)pool->last->start + pool->used;
    pool->used += bytes;
    return memset(taken, 0, bytes);
}

bool mo_pool_take_each(mo_pool *pool, size_t count, size_t size, size_t places, void *const *place)
{
    bool good = true;
    for (size_t k = 0; k < places; ++k) {
        void *const taken = mo_pool_take(pool, count, size);
        memcpy(place[k], &taken, sizeof taken);
        good = good && taken;
    }
    return good;
}

char *mo_pool_text(mo_pool *pool, const char *text, size_t length)
{
    char *copy = mo_pool_take(pool, length + 1, 1);
    if (copy && length) memcpy(copy, text, length);
    return copy;
}

void mo_pool_clear(mo_pool *pool)
{
    while (pool->last) {
        mo_pool_block *before = pool->last->before;
        mo_memory_free(&pool->allocator, pool->last);
        pool->last = before;
    }
    pool->used = 0;
}
