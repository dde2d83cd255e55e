/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Arithmetic on L numbers at a time, 4 or 8, for batch_passes.h and contact_step.h; device/kernel.h
 * has the same words for one number.  A batch has MO_LANES manifolds, a
 * multiple of L; `at` is the first lane of the present group.
 *
 * Sums are kept per lane and added in a fixed order at the end, so they have the same bits for
 * every L.
 */
#ifndef MO_PROBLEM_LANES_H
#define MO_PROBLEM_LANES_H

#include <math.h>
#if L == 8
#include <immintrin.h>
#endif

#include "problem/batch_kernel.h"

#define INLINE static inline __attribute__((always_inline))

enum { B = MO_LANES };
typedef double lanes __attribute__((vector_size(L * sizeof(double)), aligned(8), may_alias));
typedef long long mask __attribute__((vector_size(L * sizeof(long long)), aligned(8), may_alias));

typedef lanes mo_number;
typedef struct mo_vec {
    lanes x, y, z;
} mo_vec;

#define MO_STEP INLINE

/* ---- L numbers ------------------------------------------------------------------------------- */

INLINE lanes mo_choose(mask which, lanes yes, lanes no)
{
    return (lanes)((which & (mask)yes) | (~which & (mask)no));
}

INLINE lanes mo_root(lanes a)
{
#if L == 8
    return (lanes){sqrt(a[0]), sqrt(a[1]), sqrt(a[2]), sqrt(a[3]),
                   sqrt(a[4]), sqrt(a[5]), sqrt(a[6]), sqrt(a[7])};
#else
    return (lanes){sqrt(a[0]), sqrt(a[1]), sqrt(a[2]), sqrt(a[3])};
#endif
}

INLINE lanes mo_magnitude(lanes a)
{
    return mo_choose(a > -a, a, -a);
}

/* min(1, bound / sqrt(square)): the factor that clips a vector to the length `bound`. */
INLINE lanes mo_cut(lanes bound, lanes square)
{
#if L == 8
    /* Two Newton steps from 14 bits take a third of the time of a square root and a division. */
    const lanes least = (lanes){0} + 1e-300, half = 0.5 * (square + least);
    lanes y = (lanes)_mm512_rsqrt14_pd((__m512d)(square + least));
    y = y * (1.5 - half * y * y);
    y = y * (1.5 - half * y * y);
    const lanes part = bound * y;
#else
    const lanes part = bound / mo_root(square); /* not a number: 0 / 0, nothing to cut */
#endif
    return mo_choose(part < 1, part, (lanes){0} + 1);
}

INLINE lanes mo_number_of(double a)
{
    return (lanes){0} + a;
}

INLINE lanes load(const double *from)
{
    return *(const lanes *)from;
}

/* x, y and z of a batch lie B numbers apart. */
INLINE mo_vec load_3(const double *from)
{
    return (mo_vec){load(from), load(from + B), load(from + 2 * B)};
}

/* Whole numbers. */
INLINE lanes numbers(const int *from)
{
#if L == 8
    return (lanes){from[0], from[1], from[2], from[3], from[4], from[5], from[6], from[7]};
#else
    return (lanes){from[0], from[1], from[2], from[3]};
#endif
}

INLINE void store(lanes a, double *to)
{
    *(lanes *)to = a;
}

INLINE void store_3(mo_vec a, double *to)
{
    *(lanes *)to = a.x;
    *(lanes *)(to + B) = a.y;
    *(lanes *)(to + 2 * B) = a.z;
}

INLINE mo_vec mo_vec_along(mo_vec a, lanes s, mo_vec b)
{
    return (mo_vec){a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
}

INLINE mo_vec mo_vec_plus(mo_vec a, mo_vec b)
{
    return (mo_vec){a.x + b.x, a.y + b.y, a.z + b.z};
}

INLINE mo_vec mo_vec_times(lanes s, mo_vec a)
{
    return (mo_vec){s * a.x, s * a.y, s * a.z};
}

INLINE mo_vec mo_vec_minus(mo_vec a, mo_vec b)
{
    return (mo_vec){a.x - b.x, a.y - b.y, a.z - b.z};
}

INLINE lanes mo_vec_dot(mo_vec a, mo_vec b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

INLINE mo_vec mo_vec_cross(mo_vec a, mo_vec b)
{
    return (mo_vec){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

/* ---- L cache lines: one a row in memory, one number of each a row in registers -------------- */

#if defined(__clang__)
#define PICK(a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
#else
#define PICK(a, b, ...) __builtin_shuffle(a, b, (mask){__VA_ARGS__})
#endif

#if L == 8
INLINE void read_lines(const double *state, const int line[L], lanes a[8])
{
    for (int k = 0; k < L; ++k)
        a[k] = load(state + (size_t)MO_LINE * (size_t)line[k]);
}

/* Rows become columns: pairs of numbers, then pairs of pairs, then fours. */
INLINE void transpose(lanes a[8])
{
    lanes p[8], q[8];
    for (int k = 0; k < 8; k += 2) {
        p[k] = PICK(a[k], a[k + 1], 0, 8, 2, 10, 4, 12, 6, 14);
        p[k + 1] = PICK(a[k], a[k + 1], 1, 9, 3, 11, 5, 13, 7, 15);
    }
    for (int k = 0; k < 2; ++k) {
        for (int half = 0; half < 8; half += 4) {
            q[half + k] = PICK(p[half + k], p[half + k + 2], 0, 1, 4, 5, 8, 9, 12, 13);
            q[half + k + 2] = PICK(p[half + k], p[half + k + 2], 2, 3, 6, 7, 10, 11, 14, 15);
        }
    }
    for (int k = 0; k < 4; ++k) {
        a[k] = PICK(q[k], q[k + 4], 0, 1, 4, 5, 8, 9, 12, 13);
        a[k + 4] = PICK(q[k], q[k + 4], 2, 3, 6, 7, 10, 11, 14, 15);
    }
}

INLINE void write_line(const lanes a[8], int k, double *to)
{
    *(lanes *)to = a[k];
}
#else
INLINE void read_lines(const double *state, const int line[L], lanes a[8])
{
    for (int k = 0; k < L; ++k) {
        a[k] = load(state + (size_t)MO_LINE * (size_t)line[k]);
        a[k + L] = load(state + (size_t)MO_LINE * (size_t)line[k] + L);
    }
}

INLINE void transpose_4(lanes a[4])
{
    const lanes p = PICK(a[0], a[1], 0, 4, 2, 6), q = PICK(a[0], a[1], 1, 5, 3, 7);
    const lanes s = PICK(a[2], a[3], 0, 4, 2, 6), t = PICK(a[2], a[3], 1, 5, 3, 7);
    a[0] = PICK(p, s, 0, 1, 4, 5);
    a[1] = PICK(q, t, 0, 1, 4, 5);
    a[2] = PICK(p, s, 2, 3, 6, 7);
    a[3] = PICK(q, t, 2, 3, 6, 7);
}

/* Rows become columns. */
INLINE void transpose(lanes a[8])
{
    transpose_4(a);
    transpose_4(a + L);
}

INLINE void write_line(const lanes a[8], int k, double *to)
{
    *(lanes *)to = a[k];
    *(lanes *)(to + L) = a[k + L];
}
#endif

/* ---- over all lanes of a batch --------------------------------------------------------------- */

INLINE double sum_of(const lanes *part)
{
    const double *a = (const double *)part;
    return ((a[0] + a[1]) + (a[2] + a[3])) + ((a[4] + a[5]) + (a[6] + a[7]));
}

INLINE double largest_of(const lanes *part)
{
    const double *a = (const double *)part;
    double largest = a[0];
    for (int k = 1; k < B; ++k)
        largest = a[k] > largest ? a[k] : largest;
    return largest;
}

#endif
