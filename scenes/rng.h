/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* Random numbers of the scenes: splitmix64, the same bits for the same seed everywhere. */
#ifndef SCENES_RNG_H
#define SCENES_RNG_H

#include <stdint.h>

typedef struct rng {
    uint64_t state;
} rng;

static inline uint64_t rng_bits(rng *g)
{
    uint64_t z = (g->state += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

/* A stream of its own for each index: what is drawn for one thing never depends on the others. */
static inline rng rng_of(uint64_t seed, uint64_t index)
{
    rng g = {seed ^ UINT64_C(0x6d6f726561750000)};
    g.state = rng_bits(&g) ^ index * UINT64_C(0xd1342543de82ef95);
    return g;
}

/* Uniform between two numbers. */
static inline double rng_between(rng *g, double low, double high)
{
    return low + (high - low) * ((double)(rng_bits(g) >> 11) * 0x1p-53);
}

/* A whole number from 0 to count - 1 (count is far below 2^53). */
static inline int rng_below(rng *g, int count)
{
    return (int)rng_between(g, 0, count);
}

#endif
