/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * An NVIDIA GPU as a device (device.h): one stream, one thread per index, recorded launches as
 * graphs.  Memory comes from the pool of the driver, so growing arrays is cheap.  Compiled without
 * fused multiply-add; sums follow the order of kernel.h by warp shuffles.
 */
#include <stdio.h>
#include <string.h>

#include <cuda_runtime.h>

#include "device/cuda_kernels.h"
#include "device/device_cuda.h"
#include "device/device_kernels.h"

enum { STAGE = 4096 /* bytes of small reads, in memory that the GPU writes to */ };
static const uint64_t ODD = 0x9e3779b97f4a7c15u; /* of a hash */

struct mo_launch_list {
    cudaGraphExec_t graph;
    uint64_t launches;
};

static mo_cuda_device *of(mo_device *device)
{
    return (mo_cuda_device *)device;
}

/* Records an error of the driver; true if there is none. */
int mo_cuda_check(mo_device *device, cudaError_t code, const char *call)
{
    if (code == cudaSuccess) return 1;
    char text[256];
    snprintf(text, sizeof text, "the GPU cannot go on: %s (%s)", cudaGetErrorString(code), call);
    mo_device_fail(device, code == cudaErrorMemoryAllocation ? MO_ERR_MEMORY : MO_ERR_UNSUPPORTED,
                   text);
    return 0;
}
#define CHECK(device, call) mo_cuda_check((device), (call), #call)

/* ---- sums ------------------------------------------------------------------------------------ */

static __global__ void add_up_kernel(const mo_term *partial, int count, mo_term *out)
{
    mo_term t = {0, 0};
    for (int k = threadIdx.x; k < count; k += MO_STRANDS)
        t = mo_term_add(t, partial[k]);
    t = mo_block_sum<MO_STRANDS>(t);
    if (threadIdx.x == 0) *out = t;
}

static void cuda_add_up(mo_device *device, const mo_term *partial, int count, mo_term *out)
{
    add_up_kernel<<<1, MO_STRANDS, 0, of(device)->stream>>>(partial, count, out);
    CHECK(device, cudaGetLastError());
}

/* ---- launches -------------------------------------------------------------------------------- */

enum { BLOCKS_AT_ONCE = 3 }; /* on a multiprocessor, at least: more hide the memory better */
#define GLOBAL_PLAIN(name, type) MO_GLOBAL_PLAIN(name, type, MO_BLOCK, BLOCKS_AT_ONCE)
#define GLOBAL_SUMMED(name, type) MO_GLOBAL_SUMMED(name, type, BLOCKS_AT_ONCE)
#define NOTHING(...)

/* Parts, between which all threads of a block wait; what is read early is read before the wait. */
#define GLOBAL_BLOCKS(name, type, threads, at_once, shared, own_type)                              \
    static __global__ void __launch_bounds__(threads, at_once)                                     \
        global_##name(const __grid_constant__ type a, int, mo_term *partial)                       \
    {                                                                                              \
        __shared__ shared s;                                                                       \
        own_type own;                                                                              \
        const int block = (int)blockIdx.x, thread = (int)threadIdx.x;                              \
        mo_block_##name##_early(&a, block, thread, &own);                                          \
        mo_wait_for_last();                                                                        \
        mo_block_##name##_begin(&a, block, thread, &s, &own);                                      \
        int part = 0;                                                                              \
        do {                                                                                       \
            __syncthreads();                                                                       \
        } while (mo_block_##name##_part(&a, block, part++, thread, &s, &own));                     \
        const mo_term t = mo_block_sum<threads>(own.term);                                         \
        if (thread == 0) partial[block] = t;                                                       \
    }
MO_KERNEL_LIST(GLOBAL_PLAIN, GLOBAL_SUMMED, GLOBAL_BLOCKS, NOTHING)

#define GLOBAL_NAME(name, ...) (const void *)global_##name,
#define GLOBAL_ELSEWHERE(...) NULL,
static const void *const GLOBAL[] = {
    MO_KERNEL_LIST(GLOBAL_NAME, GLOBAL_NAME, GLOBAL_NAME, GLOBAL_ELSEWHERE)};

#define THREADS_USUAL(...) MO_BLOCK,
#define THREADS_OWN(name, type, threads, ...) threads,
#define THREADS_NARROW(...) MO_NARROW_THREADS,
static const unsigned THREADS[] = {
    MO_KERNEL_LIST(THREADS_USUAL, THREADS_USUAL, THREADS_OWN, THREADS_NARROW)};

/* What starts a sweep waits until all before it is done: kernels after it may read early. */
static void launch(mo_device *device, mo_kernel kernel, int blocks, int n, const void *arguments,
                   mo_term *partial)
{
    mo_cuda_device *own = of(device);
    cudaLaunchAttribute attribute;
    attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attribute.val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t config;
    memset(&config, 0, sizeof config);
    config.gridDim = dim3((unsigned)blocks);
    config.blockDim = dim3(THREADS[kernel]);
    config.stream = own->stream;
    config.attrs = &attribute;
    config.numAttrs =
        own->overlaps && kernel != MO_KERNEL_visit_patch && kernel != MO_KERNEL_extrapolate;
    void *all[] = {(void *)arguments, &n, &partial};
    const void *global = GLOBAL[kernel] ? GLOBAL[kernel] : mo_cuda_narrow(kernel);
    own->launches = (own->launches + (uint64_t)kernel + 1) * ODD;
    CHECK(device, cudaLaunchKernelExC(&config, global, all));
}

static void cuda_launch(mo_device *device, mo_kernel kernel, int n, const void *arguments)
{
    const int threads = (int)THREADS[kernel];
    launch(device, kernel, n / threads + (n % threads != 0), n, arguments, NULL);
}

static void cuda_launch_summed(mo_device *device, mo_kernel kernel, int n, const void *arguments,
                               mo_term *partial)
{
    launch(device, kernel, mo_device_blocks(n), n, arguments, partial);
}

static void cuda_launch_blocks(mo_device *device, mo_kernel kernel, int blocks,
                               const void *arguments, mo_term *partial)
{
    launch(device, kernel, blocks, blocks, arguments, partial);
}

/* ---- memory ---------------------------------------------------------------------------------- */

static void *cuda_take(mo_device *device, size_t bytes)
{
    void *memory = NULL;
    return cudaMallocAsync(&memory, bytes, of(device)->stream) == cudaSuccess ? memory : NULL;
}

static void cuda_give(mo_device *device, void *memory)
{
    CHECK(device, cudaFreeAsync(memory, of(device)->stream));
}

static void cuda_write(mo_device *device, void *to, const void *from, size_t bytes)
{
    CHECK(device, cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, of(device)->stream));
}

static void cuda_read(mo_device *device, void *to, const void *from, size_t bytes)
{
    mo_cuda_device *own = of(device);
    void *at = bytes <= STAGE ? own->stage : to;
    CHECK(device, cudaMemcpyAsync(at, from, bytes, cudaMemcpyDeviceToHost, own->stream));
    if (CHECK(device, cudaStreamSynchronize(own->stream)) && at != to) memcpy(to, at, bytes);
}

static void cuda_copy(mo_device *device, void *to, const void *from, size_t bytes)
{
    CHECK(device, cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, of(device)->stream));
}

static void cuda_clear(mo_device *device, void *to, size_t bytes)
{
    CHECK(device, cudaMemsetAsync(to, 0, bytes, of(device)->stream));
}

/* ---- recordings ------------------------------------------------------------------------------ */

/* Another recording of the same kernels updates the last one, which is much cheaper. */
static void instantiate(mo_device *device, mo_launch_list *recording, cudaGraph_t graph)
{
    mo_cuda_device *own = of(device);
    cudaGraphExecUpdateResultInfo info;
    if (recording->graph && recording->launches == own->launches) {
        CHECK(device, cudaGraphExecUpdate(recording->graph, graph, &info));
        return;
    }
    if (recording->graph) {
        cudaStreamSynchronize(own->stream);
        cudaGraphExecDestroy(recording->graph);
        recording->graph = NULL;
    }
    recording->launches = own->launches;
    CHECK(device, cudaGraphInstantiate(&recording->graph, graph, 0));
}

static mo_launch_list *cuda_record(mo_device *device, mo_queue_fn *queue, void *context,
                                   mo_launch_list *last)
{
    cudaStream_t stream = of(device)->stream;
    cudaGraph_t graph = NULL;
    mo_launch_list *recording = last ? last : new mo_launch_list();
    if (!CHECK(device, cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal)))
        return recording;
    of(device)->launches = 0;
    queue(context);
    if (CHECK(device, cudaStreamEndCapture(stream, &graph))) {
        instantiate(device, recording, graph);
        cudaGraphDestroy(graph);
    }
    return recording;
}

static void cuda_replay(mo_device *device, mo_launch_list *recording, int times)
{
    for (int k = 0; k < times && recording->graph; ++k)
        CHECK(device, cudaGraphLaunch(recording->graph, of(device)->stream));
}

static void cuda_forget(mo_device *device, mo_launch_list *recording)
{
    if (recording->graph) {
        cudaStreamSynchronize(of(device)->stream);
        cudaGraphExecDestroy(recording->graph);
    }
    delete recording;
}

/* ---- memory ---------------------------------------------------------------------------------- */

static void cuda_close(mo_device *device)
{
    mo_cuda_device *own = of(device);
    if (own->stream) {
        cudaStreamSynchronize(own->stream);
        cudaStreamDestroy(own->stream);
    }
    cudaFreeHost(own->stage);
    device->allocator.reallocate(device->allocator.user, own, 0);
}

static const mo_device_ops OPS = {cuda_close,         cuda_take,          cuda_give,   cuda_write,
                                  cuda_read,          cuda_copy,          cuda_clear,  cuda_launch,
                                  cuda_launch_summed, cuda_launch_blocks, cuda_add_up, mo_cuda_scan,
                                  mo_cuda_sort,       cuda_record,        cuda_replay, cuda_forget};

/* Freed memory stays in the pool. */
static void start(mo_device *device)
{
    mo_cuda_device *own = of(device);
    cudaDeviceProp prop;
    cudaMemPool_t pool;
    uint64_t all = UINT64_MAX;
    if (CHECK(device, cudaGetDeviceProperties(&prop, 0)) &&
        CHECK(device, cudaStreamCreateWithFlags(&own->stream, cudaStreamNonBlocking)) &&
        CHECK(device, cudaMallocHost(&own->stage, STAGE)) &&
        CHECK(device, cudaDeviceGetDefaultMemPool(&pool, 0))) {
        CHECK(device, cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &all));
        own->overlaps = prop.major >= 9;
        snprintf(device->name, sizeof device->name, "%s", prop.name);
    }
}

/* A GPU that is older than the architectures of the build has none of its kernels. */
static int is_without_kernels(cudaError_t code)
{
    return code == cudaErrorNoKernelImageForDevice || code == cudaErrorInvalidDeviceFunction ||
           code == cudaErrorUnsupportedPtxVersion;
}

extern "C" mo_error mo_cuda_find(mo_message *why)
{
    mo_gpu_facts gpu = {};
    cudaDeviceProp prop;
    cudaFuncAttributes kernel;
    cudaError_t code = cudaGetDeviceCount(&gpu.count);
    if (code == cudaSuccess && gpu.count > 0)
        code = cudaFuncGetAttributes(&kernel, (const void *)add_up_kernel);
    gpu.has_kernels = !is_without_kernels(code);
    gpu.trouble = code != cudaSuccess && gpu.has_kernels ? cudaGetErrorString(code) : NULL;
    if (code != cudaSuccess && gpu.count > 0 && cudaGetDeviceProperties(&prop, 0) == cudaSuccess) {
        snprintf(gpu.name, sizeof gpu.name, "%s", prop.name);
        gpu.major = prop.major;
        gpu.minor = prop.minor;
    }
    return mo_device_judge_gpu(&gpu, why);
}

extern "C" mo_error mo_cuda_open(const mo_allocator *allocator, mo_device **device, mo_message *why)
{
    mo_cuda_device *own =
        (mo_cuda_device *)allocator->reallocate(allocator->user, NULL, sizeof *own);
    if (!own) return MO_ERR_MEMORY;
    memset(own, 0, sizeof *own);
    own->base.ops = &OPS;
    own->base.allocator = *allocator;
    start(&own->base);
    const mo_error error = own->base.error;
    if (error) {
        if (why) *why = own->base.why;
        cuda_close(&own->base);
        return error;
    }
    *device = &own->base;
    return MO_OK;
}
