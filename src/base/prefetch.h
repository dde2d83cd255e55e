/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Prefetching for loops over contacts or pairs, which know some iterations ahead which bodies and
 * shapes they will read.  Results do not change.
 */
#ifndef MO_BASE_PREFETCH_H
#define MO_BASE_PREFETCH_H

#include <stddef.h>

enum { MO_AHEAD = 12 /* turns */, MO_CACHE_LINE = 64 };

/* All lines of this many bytes. */
static inline void mo_prefetch(const void *at, size_t size)
{
#if defined(__GNUC__) || defined(__clang__)
    for (size_t k = 0; k < size; k += MO_CACHE_LINE)
        __builtin_prefetch((const char *)at + k);
    __builtin_prefetch((const char *)at + size - 1);
#else
    (void)at;
    (void)size;
#endif
}

#endif
