/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Vectors of four doubles at any address, for small dense kernels.
 *
 * A kernel is an INLINE function that MO_WIDTHS compiles twice; mo_has_wide() selects one of the
 * two at run time.  The wide one performs the same operations in AVX2 registers without fused
 * multiply-add, so its bits are the same.
 */
#ifndef MO_LINALG_LANES4_H
#define MO_LINALG_LANES4_H

#include <stdbool.h>

/* Vectors are passed only between inlined functions, so their ABI does not matter. */
#pragma GCC diagnostic ignored "-Wpsabi"

enum { LANES = 4 };
typedef double lanes __attribute__((vector_size(LANES * sizeof(double)), aligned(8), may_alias));

#define INLINE static inline __attribute__((always_inline))

/* A file that may fuse multiply-add defines it as "avx2,fma" before this. */
#ifndef MO_WIDE_TARGET
#define MO_WIDE_TARGET "avx2"
#endif

#if defined(__x86_64__)
#define MO_WIDE __attribute__((target(MO_WIDE_TARGET))) static

static inline bool mo_has_wide(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}
#else
#define MO_WIDE static

static inline bool mo_has_wide(void)
{
    return false;
}
#endif

enum { GROUP = 4 }; /* rows whose sums are computed together, since they are independent */

/* sum[j] = row j of A times x, for GROUP rows of n numbers. */
INLINE void group_dots(int n, int ld, const double *A, const double *x, double sum[GROUP])
{
    lanes part[GROUP] = {{0}};
    int k = 0;
    for (; k + LANES <= n; k += LANES)
        for (int j = 0; j < GROUP; ++j)
            part[j] += *(const lanes *)(A + j * ld + k) * *(const lanes *)(x + k);
    for (int j = 0; j < GROUP; ++j)
        sum[j] = (part[j][0] + part[j][1]) + (part[j][2] + part[j][3]);
    for (; k < n; ++k)
        for (int j = 0; j < GROUP; ++j)
            sum[j] += A[j * ld + k] * x[k];
}

/* name_plain and name_wide, two functions with the same body, which calls the kernel. */
#define MO_WIDTHS(type, name, parameters, ...)                                                     \
    static type name##_plain parameters                                                            \
    {                                                                                              \
        __VA_ARGS__;                                                                               \
    }                                                                                              \
    MO_WIDE type name##_wide parameters                                                            \
    {                                                                                              \
        __VA_ARGS__;                                                                               \
    }

#endif
