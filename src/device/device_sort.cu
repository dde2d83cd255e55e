/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* Scan and sort on a GPU, by CUB: the only file that uses it. */
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_scan.cuh>

#include "device/device_cuda.h"

#define CHECK(device, call) mo_cuda_check((device), (call), #call)

static cudaStream_t stream_of(mo_device *device)
{
    return ((mo_cuda_device *)device)->stream;
}

void mo_cuda_scan(mo_device *device, const int *count, int n, int *start)
{
    cudaStream_t stream = stream_of(device);
    void *scratch = NULL;
    size_t bytes = 0;
    CHECK(device, cudaMemsetAsync(start, 0, sizeof *start, stream));
    if (n > 0 &&
        CHECK(device, cub::DeviceScan::InclusiveSum(NULL, bytes, count, start + 1, n, stream)) &&
        CHECK(device, cudaMallocAsync(&scratch, bytes, stream))) {
        CHECK(device, cub::DeviceScan::InclusiveSum(scratch, bytes, count, start + 1, n, stream));
        CHECK(device, cudaFreeAsync(scratch, stream));
    }
}

void mo_cuda_sort(mo_device *device, uint32_t *key, int *value, int n, int bits, void *spare)
{
    cudaStream_t stream = stream_of(device);
    const size_t size = (size_t)n * sizeof *key;
    char *own = NULL;
    size_t bytes = 0;
    if (!spare && !CHECK(device, cudaMallocAsync((void **)&own, 2 * size, stream))) return;
    char *memory = spare ? (char *)spare : own;
    cub::DoubleBuffer<uint32_t> keys(key, (uint32_t *)memory);
    cub::DoubleBuffer<int> values(value, (int *)(memory + size));
    void *scratch = NULL;
    if (CHECK(device,
              cub::DeviceRadixSort::SortPairs(NULL, bytes, keys, values, n, 0, bits, stream)) &&
        CHECK(device, cudaMallocAsync(&scratch, bytes, stream))) {
        CHECK(device,
              cub::DeviceRadixSort::SortPairs(scratch, bytes, keys, values, n, 0, bits, stream));
        CHECK(device, cudaFreeAsync(scratch, stream));
    }
    if (!device->error && keys.Current() != key)
        CHECK(device, cudaMemcpyAsync(key, keys.Current(), size, cudaMemcpyDeviceToDevice, stream));
    if (!device->error && values.Current() != value) {
        CHECK(device,
              cudaMemcpyAsync(value, values.Current(), size, cudaMemcpyDeviceToDevice, stream));
    }
    if (own) CHECK(device, cudaFreeAsync(own, stream));
}
