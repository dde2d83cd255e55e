/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
#include "base/memory.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/pace.h"

static void *default_reallocate(void *user, void *p, size_t size)
{
    (void)user;
    if (size == 0) {
        free(p);
        return NULL;
    }
    return realloc(p, size);
}

mo_allocator mo_allocator_or_default(const mo_allocator *allocator)
{
    return allocator && allocator->reallocate ? *allocator
                                              : (mo_allocator){default_reallocate, NULL};
}

void *mo_memory_resize(const mo_allocator *allocator, void *p, size_t size)
{
    return allocator->reallocate(allocator->user, p, size);
}

void *mo_memory_array(const mo_allocator *allocator, size_t count, size_t size)
{
    if (size && count > SIZE_MAX / 2 / size) return NULL;
    const size_t bytes = count * size;
    return mo_memory_resize(allocator, NULL, bytes > 0 ? bytes : 1);
}

void *mo_memory_zeros(const mo_allocator *allocator, size_t count, size_t size)
{
    void *p = mo_memory_array(allocator, count, size);
    return p ? memset(p, 0, count * size) : NULL;
}

bool mo_memory_array_each(const mo_allocator *allocator, size_t count, size_t size, size_t places,
                          void *const *place)
{
    bool good = true;
    for (size_t k = 0; k < places; ++k) {
        void *const taken = mo_memory_array(allocator, count, size);
        memcpy(place[k], &taken, sizeof taken);
        good = good && taken;
    }
    return good;
}

void *mo_memory_copy(const mo_allocator *allocator, const void *from, size_t bytes)
{
    char *copy = bytes < SIZE_MAX ? mo_memory_array(allocator, bytes + 1, 1) : NULL;
    if (copy) {
        memcpy(copy, from ? from : "", bytes);
        copy[bytes] = 0;
    }
    return copy;
}

void mo_memory_free(const mo_allocator *allocator, void *p)
{
    if (p) allocator->reallocate(allocator->user, p, 0);
}

void mo_memory_free_all(const mo_allocator *allocator, size_t count, void *const *pointers)
{
    for (size_t k = 0; k < count; ++k)
        mo_memory_free(allocator, pointers[k]);
}

enum {
    LEAST = 512,      /* bytes of a growing array */
    LARGE = 64 * 1024 /* bytes: larger blocks grow in pieces, in paced work */
};

static void *enlarged(const mo_allocator *allocator, void *array, size_t bytes, size_t larger)
{
    if (larger < LARGE || isinf(mo_pace_left())) return mo_memory_resize(allocator, array, larger);
    void *moved = mo_memory_resize(allocator, NULL, larger);
    if (moved) {
        mo_pace_touch(moved, larger);
        mo_pace_copy(moved, array, bytes);
        mo_memory_free(allocator, array);
    }
    return moved;
}

bool mo_memory_enlarge(const mo_allocator *allocator, void **array, size_t *room, size_t needed,
                       size_t size)
{
    size_t larger = *room + *room / 2;
    larger = larger < LEAST / size ? LEAST / size : larger; /* not one by one at first */
    larger = larger < needed ? needed : larger;
    if (larger > SIZE_MAX / 2 / size) return false;
    void *moved = enlarged(allocator, *array, *room * size, larger * size);
    if (!moved) return false;
    *array = moved;
    *room = larger;
    return true;
}

int mo_compare_ints(const void *a, const void *b)
{
    const int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}
