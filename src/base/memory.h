/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* The caller's allocator, or the C library's. */
#ifndef MO_BASE_MEMORY_H
#define MO_BASE_MEMORY_H

#include <stdbool.h>

#include "moreau/base.h"

mo_allocator mo_allocator_or_default(const mo_allocator *allocator);

/* realloc: p = NULL allocates, size = 0 frees and returns NULL. */
void *mo_memory_resize(const mo_allocator *allocator, void *p, size_t size);

/* count * size bytes, NULL for lack of memory or where the product overflows; at least one byte. */
void *mo_memory_array(const mo_allocator *allocator, size_t count, size_t size);

/* The same, all zero. */
void *mo_memory_zeros(const mo_allocator *allocator, size_t count, size_t size);

/* An array for the pointer at `place`: MO_NEW(allocator, n, &a->first); false without memory. */
#define MO_NEW(allocator, count, place)                                                            \
    ((*(place) = mo_memory_array((allocator), (size_t)(count), sizeof **(place))) != NULL)

/* Several arrays: MO_NEW_EACH(allocator, n, int, &a->first, &a->next).  False for lack of
 * memory; the ones that failed are NULL. */
#define MO_NEW_EACH(allocator, count, type, ...)                                                   \
    mo_memory_array_each((allocator), (size_t)(count), sizeof(type),                               \
                         sizeof((type **[]){__VA_ARGS__}) / sizeof(void *),                        \
                         (void *[]){__VA_ARGS__})
bool mo_memory_array_each(const mo_allocator *allocator, size_t count, size_t size, size_t places,
                          void *const *place);

/* A copy of `bytes` bytes with a final zero; NULL for lack of memory. */
void *mo_memory_copy(const mo_allocator *allocator, const void *from, size_t bytes);

/* Frees p (NULL is allowed), or all of several pointers. */
void mo_memory_free(const mo_allocator *allocator, void *p);
#define MO_FREE(allocator, ...)                                                                    \
    mo_memory_free_all((allocator), sizeof((void *[]){__VA_ARGS__}) / sizeof(void *),              \
                       (void *[]){__VA_ARGS__})
void mo_memory_free_all(const mo_allocator *allocator, size_t count, void *const *pointers);

/* A growing array: room for `needed` elements, at least half as many again when it must grow. */
bool mo_memory_enlarge(const mo_allocator *allocator, void **array, size_t *room, size_t needed,
                       size_t size);
static inline bool mo_memory_grow(const mo_allocator *allocator, void **array, size_t *room,
                                  size_t needed, size_t size)
{
    return needed <= *room || mo_memory_enlarge(allocator, array, room, needed, size);
}

/* The same for an array of any type: its pointer and `room` are updated. */
#define MO_GROW(allocator, array, room, needed)                                                    \
    mo_memory_grow((allocator), (void **)&(array), &(room), (needed), sizeof *(array))

/* start[k + 1] += start[k] for k = 0 .. count - 1: from counts to first indices. */
static inline void mo_running_sums(int count, int *start)
{
    for (int k = 0; k < count; ++k)
        start[k + 1] += start[k];
}

/* For qsort: ints in rising order. */
int mo_compare_ints(const void *a, const void *b);

#endif
