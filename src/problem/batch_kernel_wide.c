/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* Eight lanes, for processors with AVX-512, for which this file alone is compiled. */
#if defined(__x86_64__)
#define L 8
#include "problem/batch_passes.h"

KERNELS(avx512, ANY_TARGET)
#else
typedef int mo_no_wide_batches; /* avoids an empty file */
#endif
