/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* The order in which pairs of bodies are coloured (hashed_colours.h); the lowest free colour. */
#ifndef MO_PROBLEM_PAIR_ORDER_H
#define MO_PROBLEM_PAIR_ORDER_H

#include <stdint.h>

#include "base/anywhere.h"

/* The last colour takes what fits no other; its constraints may touch each other. */
enum { MO_COLOURS = 64, MO_COLOUR_REST = MO_COLOURS - 1 };

#define MO_FIXED_ID UINT32_MAX /* a body that does not move */

/*
 * Of two bodies by their ids, in either order.  The mixing is that of splitmix64, a bijection of 64
 * bits: different pairs have different priorities.
 */
MO_ANY uint64_t mo_pair_priority(uint32_t a, uint32_t b)
{
    const uint64_t low = a < b ? a : b, high = a < b ? b : a;
    uint64_t z = ((low << 32) | high) + UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

/* The lowest colour that is not among those used, a bit each. */
MO_ANY int mo_colour_free(uint64_t used)
{
#ifdef __CUDA_ARCH__
    const int colour = ~used ? __ffsll((long long)~used) - 1 : MO_COLOUR_REST;
#else
    const int colour = ~used ? __builtin_ctzll(~used) : MO_COLOUR_REST;
#endif
    return colour < MO_COLOUR_REST ? colour : MO_COLOUR_REST;
}

#endif
