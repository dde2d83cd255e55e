/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * A pool: many small objects that are freed at once.  Unlike an arena it grows, block by block, and
 * objects do not move.
 */
#ifndef MO_BASE_POOL_H
#define MO_BASE_POOL_H

#include <stdbool.h>

#include "moreau/base.h"

typedef struct mo_pool_block mo_pool_block;

/* Start from {.allocator = ...}. */
typedef struct mo_pool {
    mo_allocator allocator;
    mo_pool_block *last;
    size_t used; /* of the last block */
} mo_pool;

/* count * size zero bytes, aligned for any scalar; NULL for lack of memory. */
void *mo_pool_take(mo_pool *pool, size_t count, size_t size);

/* Several such arrays: MO_POOL_EACH(pool, n, int, &t->first, &t->next); false without memory. */
#define MO_POOL_EACH(pool, count, type, ...)                                                       \
    mo_pool_take_each((pool), (size_t)(count), sizeof(type),                                       \
                      sizeof((type **[]){__VA_ARGS__}) / sizeof(void *), (void *[]){__VA_ARGS__})
bool mo_pool_take_each(mo_pool *pool, size_t count, size_t size, size_t places, void *const *place);

/* A copy of `length` characters with a zero at its end. */
char *mo_pool_text(mo_pool *pool, const char *text, size_t length);

void mo_pool_clear(mo_pool *pool);

#endif
