/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* Eight lanes, for processors with AVX-512. */
#define L 8
#include "solver/ball_lanes.h"

#if defined(__x86_64__)
KERNELS(avx512, __attribute__((target("avx2,avx512f,avx512dq"))))
#endif
