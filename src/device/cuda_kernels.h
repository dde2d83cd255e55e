/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* Sums and one-index kernels, shared by the files of the CUDA back end that contain kernels. */
#ifndef MO_DEVICE_CUDA_KERNELS_H
#define MO_DEVICE_CUDA_KERNELS_H

#include "device/device.h"
#include "device/kernel.h"

/* ---- reductions ------------------------------------------------------------------------------ */

/* Of a warp, in its first lane. */
static __device__ mo_term mo_warp_sum(mo_term t)
{
    for (int half = MO_GROUP / 2; half > 0; half /= 2) {
        mo_term other;
        other.sum = __shfl_down_sync(0xffffffffu, t.sum, half);
        other.largest = __shfl_down_sync(0xffffffffu, t.largest, half);
        t = mo_term_add(t, other);
    }
    return t;
}

/* Of a block of `threads`, in its first thread. */
template <int threads> static __device__ mo_term mo_block_sum(mo_term t)
{
    __shared__ mo_term of_warp[threads / MO_GROUP];
    const int lane = threadIdx.x % MO_GROUP, warp = threadIdx.x / MO_GROUP;
    t = mo_warp_sum(t);
    if (lane == 0) of_warp[warp] = t;
    __syncthreads();
    if (threadIdx.x == 0)
        for (int w = 1; w < threads / MO_GROUP; ++w)
            t = mo_term_add(t, of_warp[w]);
    return t;
}

/*
 * On Hopper and later a kernel may be launched while the previous one ends; it waits for that one
 * before it reads data.
 */
static __device__ void mo_wait_for_last(void)
{
#if __CUDA_ARCH__ >= 900
    cudaTriggerProgrammaticLaunchCompletion();
    cudaGridDependencySynchronize();
#endif
}

/* at_once: blocks on a multiprocessor, at least. */
#define MO_GLOBAL_PLAIN(name, type, threads, at_once)                                              \
    static __global__ void __launch_bounds__(threads, at_once)                                     \
        global_##name(const __grid_constant__ type a, int n, mo_term *)                            \
    {                                                                                              \
        const int i = (int)(blockIdx.x * (threads) + threadIdx.x);                                 \
        mo_wait_for_last();                                                                        \
        if (i < n) {                                                                               \
            mo_kernel_##name(&a, i);                                                               \
        }                                                                                          \
    }
#define MO_GLOBAL_SUMMED(name, type, at_once)                                                      \
    static __global__ void __launch_bounds__(MO_BLOCK, at_once)                                    \
        global_##name(const __grid_constant__ type a, int n, mo_term *partial)                     \
    {                                                                                              \
        const int i = (int)(blockIdx.x * MO_BLOCK + threadIdx.x);                                  \
        mo_term t = {0, 0};                                                                        \
        mo_wait_for_last();                                                                        \
        if (i < n) {                                                                               \
            t = mo_kernel_##name(&a, i);                                                           \
        }                                                                                          \
        t = mo_block_sum<MO_BLOCK>(t);                                                             \
        if (threadIdx.x == 0) {                                                                    \
            partial[blockIdx.x] = t;                                                               \
        }                                                                                          \
    }

#endif
