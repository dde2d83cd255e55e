/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* Deterministic random numbers: the same seed gives the same numbers everywhere (splitmix64). */
#ifndef MO_BASE_RANDOM_H
#define MO_BASE_RANDOM_H

#include <stdint.h>

typedef struct mo_random {
    uint64_t state;
} mo_random;

uint64_t mo_random_bits(mo_random *random);

/* Uniform in [0, 1). */
double mo_random_unit(mo_random *random);

#endif
