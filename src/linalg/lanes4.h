/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Vectors of four doubles at any address, for small dense kernels.
 *
 * A kernel is an INLINE function with two callers, one plain and one MO_WIDE; mo_has_wide() selects
 * one at run time.  The wide one performs the same operations in AVX2 registers without fused
 * multiply-add, so its bits are the same.
 */
#ifndef MO_LINALG_LANES4_H
#define MO_LINALG_LANES4_H

#include <stdbool.h>

enum { LANES = 4 };
typedef double lanes __attribute__((vector_size(LANES * sizeof(double)), aligned(8), may_alias));

#define INLINE static inline __attribute__((always_inline))

#if defined(__x86_64__)
#define MO_WIDE __attribute__((target("avx2"))) static

static inline bool mo_has_wide(void)
{
    return __builtin_cpu_supports("avx2");
}
#else
#define MO_WIDE static

static inline bool mo_has_wide(void)
{
    return false;
}
#endif

#endif
