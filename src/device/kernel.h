/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * The language of kernels: the common subset of C17 and C++17, compiled by gcc, clang and nvcc.
 *
 * A kernel is a function of one index and a struct of arguments.  Within a launch it writes nothing
 * that another index reads or writes, so indices may run in any order.  A kernel that returns an
 * mo_term is summed over its indices, in an order that depends on their number alone (device.h).
 *
 * All back ends give the same bits: +, -, *, / and sqrt of doubles follow IEEE 754; products and
 * sums are not fused; sin, cos and similar functions are not used, since libraries differ.
 */
#ifndef MO_DEVICE_KERNEL_H
#define MO_DEVICE_KERNEL_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>

#include "base/anywhere.h"

/* What a kernel adds up: a sum, and the largest of numbers that are not negative. */
typedef struct mo_term {
    double sum, largest;
} mo_term;

/* ---- numbers: the words of problem/lanes.h for one number ------------------------------------ */

#define MO_STEP MO_ANY
typedef double mo_number;

MO_ANY double mo_number_of(double a)
{
    return a;
}

MO_ANY double mo_choose(int which, double yes, double no)
{
    return which ? yes : no;
}

MO_ANY double mo_root(double a)
{
    return sqrt(a);
}

MO_ANY double mo_magnitude(double a)
{
    return fabs(a);
}

/* ---- vectors --------------------------------------------------------------------------------- */

typedef struct mo_vec {
    double x, y, z;
} mo_vec;

/* min(1, bound / sqrt(square)) */
MO_ANY double mo_cut(double bound, double square)
{
    const double part = bound / sqrt(square); /* 0 / 0: no truncation */
    return part < 1 ? part : 1;
}

MO_ANY mo_vec mo_vec_of(double x, double y, double z)
{
    mo_vec a;
    a.x = x;
    a.y = y;
    a.z = z;
    return a;
}

/* a + s b */
MO_ANY mo_vec mo_vec_along(mo_vec a, double s, mo_vec b)
{
    return mo_vec_of(a.x + s * b.x, a.y + s * b.y, a.z + s * b.z);
}

MO_ANY mo_vec mo_vec_plus(mo_vec a, mo_vec b)
{
    return mo_vec_of(a.x + b.x, a.y + b.y, a.z + b.z);
}

MO_ANY mo_vec mo_vec_minus(mo_vec a, mo_vec b)
{
    return mo_vec_of(a.x - b.x, a.y - b.y, a.z - b.z);
}

MO_ANY mo_vec mo_vec_times(double s, mo_vec a)
{
    return mo_vec_of(s * a.x, s * a.y, s * a.z);
}

MO_ANY double mo_vec_dot(mo_vec a, mo_vec b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

MO_ANY mo_vec mo_vec_cross(mo_vec a, mo_vec b)
{
    return mo_vec_of(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}

MO_ANY double mo_larger(double a, double b)
{
    return a > b ? a : b;
}

/*
 * Vectors by component: x of all, then y, then z, `apart` numbers apart, so that neighbouring
 * indices read neighbouring numbers.
 */
MO_ANY mo_vec mo_vec_read(const double *from, size_t apart, size_t i)
{
    return mo_vec_of(from[i], from[apart + i], from[2 * apart + i]);
}

MO_ANY void mo_vec_write(mo_vec a, double *to, size_t apart, size_t i)
{
    to[i] = a.x;
    to[apart + i] = a.y;
    to[2 * apart + i] = a.z;
}

/* What is read soon; it changes nothing. */
MO_ANY void mo_look_ahead(const void *at)
{
#ifdef __CUDA_ARCH__
    asm volatile("prefetch.global.L1 [%0];" ::"l"(at));
#else
    (void)at;
#endif
}

MO_ANY void mo_look_ahead_vec(const double *from, size_t apart, size_t i)
{
    mo_look_ahead(from + i);
    mo_look_ahead(from + apart + i);
    mo_look_ahead(from + 2 * apart + i);
}

/* ---- the order of summation of all back ends ------------------------------------------------- */

/*
 * A block of 256 terms has eight groups of 32.  Each group is summed by halves (i and i + 16, then
 * i + 8, ..., as warp shuffles do), then the groups in order.  Sums of blocks use 1,024 strands:
 * strand t adds the blocks t, t + 1024, ... in order; then the strands are summed in groups of 32
 * in the same way.
 */

enum { MO_GROUP = 32, MO_STRANDS = 1024 };

MO_ANY mo_term mo_term_add(mo_term a, mo_term b)
{
    mo_term c;
    c.sum = a.sum + b.sum;
    c.largest = a.largest > b.largest ? a.largest : b.largest;
    return c;
}

/* Of 32 terms, which are written over. */
MO_ANY mo_term mo_group_sum(mo_term *term)
{
    for (int half = MO_GROUP / 2; half > 0; half /= 2)
        for (int i = 0; i < half; ++i)
            term[i] = mo_term_add(term[i], term[i + half]);
    return term[0];
}

/* Of `count` terms, a multiple of 32; they are written over. */
MO_ANY mo_term mo_groups_sum(mo_term *term, int count)
{
    mo_term sum = mo_group_sum(term);
    for (int g = MO_GROUP; g < count; g += MO_GROUP)
        sum = mo_term_add(sum, mo_group_sum(term + g));
    return sum;
}

#endif
