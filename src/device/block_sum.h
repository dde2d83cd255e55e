/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * The order of summation of all back ends.
 *
 * A block of 256 terms has eight groups of 32.  Each group is summed by halves (i and i + 16, then
 * i + 8, ..., as warp shuffles do), then the groups in order.  Sums of blocks use 1,024 strands:
 * strand t adds the blocks t, t + 1024, ... in order; then the strands are summed in groups of 32
 * in the same way.
 */
#ifndef MO_DEVICE_BLOCK_SUM_H
#define MO_DEVICE_BLOCK_SUM_H

#include "device/kernel.h"

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
    for (int half = MO_GROUP / 2; half > 0; half /= 2) {
        for (int i = 0; i < half; ++i) {
            term[i] = mo_term_add(term[i], term[i + half]);
        }
    }
    return term[0];
}

/* Of `count` terms, a multiple of 32; they are written over. */
MO_ANY mo_term mo_groups_sum(mo_term *term, int count)
{
    mo_term sum = mo_group_sum(term);
    for (int g = MO_GROUP; g < count; g += MO_GROUP) {
        sum = mo_term_add(sum, mo_group_sum(term + g));
    }
    return sum;
}

#endif
