/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * The kernels of the CUDA back end with the narrow phase.  They take minutes to compile and need
 * more registers than the others, so fewer threads run at once.
 */
#include <string.h>

#include "device/cuda_kernels.h"
#include "device/device_cuda.h"
#include "device/device_kernels.h"
#include "device/narrow_sources.h"
#include "device/solid_narrow.h"

enum { BLOCKS_AT_ONCE = 8 };
#define NOTHING(...)
#define GLOBAL_NARROW(name, type) MO_GLOBAL_PLAIN(name, type, MO_NARROW_THREADS, BLOCKS_AT_ONCE)
MO_KERNEL_LIST(NOTHING, NOTHING, NOTHING, GLOBAL_NARROW)

#define GLOBAL_ELSEWHERE(...) NULL,
#define GLOBAL_NAME(name, ...) (const void *)global_##name,
const void *mo_cuda_narrow(mo_kernel kernel)
{
    static const void *const GLOBAL[] = {
        MO_KERNEL_LIST(GLOBAL_ELSEWHERE, GLOBAL_ELSEWHERE, GLOBAL_ELSEWHERE, GLOBAL_NAME)};
    return GLOBAL[kernel];
}
