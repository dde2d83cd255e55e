/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* Deterministic random numbers: the same seed gives the same numbers everywhere (splitmix64). */
#ifndef MO_BASE_RANDOM_H
#define MO_BASE_RANDOM_H

#include <stdint.h>

typedef struct mo_random {
    uint64_t state;
} mo_random;

static inline uint64_t mo_random_bits(mo_random *random)
{
    uint64_t z = (random->state += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

/* Uniform in [0, 1). */
static inline double mo_random_unit(mo_random *random)
{
    return (double)(mo_random_bits(random) >> 11) * 0x1p-53;
}

#endif
