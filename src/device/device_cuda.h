/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* Declarations shared by the files of the CUDA back end. */
#ifndef MO_DEVICE_CUDA_H
#define MO_DEVICE_CUDA_H

#include <cuda_runtime.h>

#include "device/device.h"

typedef struct mo_cuda_device {
    mo_device base;
    cudaStream_t stream;
    void *stage;       /* page-locked: small reads */
    int overlaps;      /* kernels may be put in place early */
    uint64_t launches; /* of a recording: which kernels in which order, as a hash */
} mo_cuda_device;

/* Notes an error with the call that met it; true if there is none. */
int mo_cuda_check(mo_device *device, cudaError_t code, const char *call);

/* device_narrow.cu: blocks are small, so that few pairs are spread over the whole GPU */
enum { MO_NARROW_THREADS = 64 };
const void *mo_cuda_narrow(mo_kernel kernel);

/* device_sort.cu */
void mo_cuda_scan(mo_device *device, const int *count, int n, int *start);
void mo_cuda_sort(mo_device *device, uint32_t *key, int *value, int n, int bits, void *spare);

#endif
