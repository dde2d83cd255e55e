/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * The host as a device: a launch is a loop over blocks, distributed over threads.  The result of a
 * launch must not depend on the order of its indices; tests run them backwards and shuffled, and
 * compare bits.
 */
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "device/device.h"
#include "device/device_kernels.h"
#include "device/kernel.h"
#include "device/solid_narrow.h"

enum { DIGIT_BITS = 8, DIGIT = 1 << DIGIT_BITS };
enum { WORTH = 8 };             /* blocks per thread, at least */
static const int STRIDE = 1619; /* a prime: steps by it visit every index unless it divides n */

typedef struct host_device {
    mo_device base;
    int threads;
    mo_index_order order;
} host_device;

struct mo_launch_list {
    mo_queue_fn *queue;
    void *context;
};

/* ---- launches -------------------------------------------------------------------------------- */

/* The k-th of n in the order. */
static int index_at(mo_index_order order, int k, int n)
{
    if (order == MO_BACKWARD) return n - 1 - k;
    return order == MO_SHUFFLED && n % STRIDE != 0 ? (int)((int64_t)k * STRIDE % n) : k;
}

typedef struct launch {
    const host_device *device;
    mo_kernel kernel;
    int n;
    const void *arguments;
    mo_term *partial;
} launch;

typedef void run_fn(const launch *l, int begin, int end);

static mo_index_order order_of(const launch *l)
{
    return l->device->order;
}

#define RUN_PLAIN(name, type)                                                                      \
    static void run_##name(const launch *l, int begin, int end)                                    \
    {                                                                                              \
        for (int k = 0; k < end - begin; ++k)                                                      \
            mo_kernel_##name((const type *)l->arguments,                                           \
                             begin + index_at(order_of(l), k, end - begin));                       \
    }
#define RUN_SUMMED(name, type)                                                                     \
    static void run_##name(const launch *l, int begin, int end)                                    \
    {                                                                                              \
        mo_term term[MO_BLOCK];                                                                    \
        memset(term, 0, sizeof term);                                                              \
        for (int k = 0; k < end - begin; ++k) {                                                    \
            const int i = index_at(order_of(l), k, end - begin);                                   \
            term[i] = mo_kernel_##name((const type *)l->arguments, begin + i);                     \
        }                                                                                          \
        l->partial[begin / MO_BLOCK] = mo_groups_sum(term, MO_BLOCK);                              \
    }
/* Thread after thread, part after part; begin and end are blocks. */
#define RUN_BLOCKS(name, type, threads, at_once, shared, own_type)                                 \
    static void run_##name(const launch *l, int begin, int end)                                    \
    {                                                                                              \
        const type *const a = (const type *)l->arguments;                                          \
        for (int k = begin; k < end; ++k) {                                                        \
            const int block = index_at(order_of(l), k, l->n);                                      \
            shared s;                                                                              \
            own_type own[threads];                                                                 \
            mo_term term[threads];                                                                 \
            for (int t = 0; t < (threads); ++t)                                                    \
                mo_block_##name##_early(a, block, t, own + t);                                     \
            for (int t = 0; t < (threads); ++t)                                                    \
                mo_block_##name##_begin(a, block, t, &s, own + t);                                 \
            for (int part = 0, goes_on = 1; goes_on; ++part) {                                     \
                for (int j = 0; j < (threads); ++j) {                                              \
                    const int t = index_at(order_of(l), j, threads);                               \
                    goes_on = mo_block_##name##_part(a, block, part, t, &s, own + t);              \
                }                                                                                  \
            }                                                                                      \
            for (int t = 0; t < (threads); ++t)                                                    \
                term[t] = own[t].term;                                                             \
            l->partial[block] = mo_groups_sum(term, threads);                                      \
        }                                                                                          \
    }
MO_KERNEL_LIST(RUN_PLAIN, RUN_SUMMED, RUN_BLOCKS, RUN_PLAIN)

#define RUN_NAME(name, ...) run_##name,
static run_fn *const RUN[] = {MO_KERNEL_LIST(RUN_NAME, RUN_NAME, RUN_NAME, RUN_NAME)};

/* Blocks begin .. end of the launch, in this order. */
static void run_blocks(const launch *l, int begin, int end)
{
    const int blocks = mo_device_blocks(l->n);
    for (int k = begin; k < end; ++k) {
        const int first = index_at(order_of(l), k, blocks) * MO_BLOCK;
        RUN[l->kernel](l, first, l->n - first < MO_BLOCK ? l->n : first + MO_BLOCK);
    }
}

typedef struct task_range {
    const launch *l;
    run_fn *run;
    int blocks, tasks;
} task_range;

static void run_task(void *context, int task)
{
    const task_range *r = context;
    r->run(r->l, (int)((int64_t)r->blocks * task / r->tasks),
           (int)((int64_t)r->blocks * (task + 1) / r->tasks));
}

static void distribute(const launch *l, run_fn *run, int blocks)
{
    const int most = blocks / WORTH < 1 ? 1 : blocks / WORTH, threads = l->device->threads;
    task_range range = {l, run, blocks, threads < most ? threads : most};
    mo_parallel_tasks(threads, range.tasks, run_task, &range);
}

static void host_launch_summed(mo_device *device, mo_kernel kernel, int n, const void *arguments,
                               mo_term *partial)
{
    const host_device *own = (const host_device *)(const void *)device;
    const launch l = {own, kernel, n, arguments, partial};
    distribute(&l, run_blocks, mo_device_blocks(n));
}

static void host_launch_blocks(mo_device *device, mo_kernel kernel, int blocks,
                               const void *arguments, mo_term *partial)
{
    const host_device *own = (const host_device *)(const void *)device;
    const launch l = {own, kernel, blocks, arguments, partial};
    distribute(&l, RUN[kernel], blocks);
}

static void host_launch(mo_device *device, mo_kernel kernel, int n, const void *arguments)
{
    host_launch_summed(device, kernel, n, arguments, NULL);
}

static void host_add_up(mo_device *device, const mo_term *partial, int count, mo_term *out)
{
    (void)device;
    mo_term strand[MO_STRANDS];
    memset(strand, 0, sizeof strand);
    for (int k = 0; k < count; ++k)
        strand[k % MO_STRANDS] = mo_term_add(strand[k % MO_STRANDS], partial[k]);
    *out = mo_groups_sum(strand, MO_STRANDS);
}

/* ---- scan and sort --------------------------------------------------------------------------- */

static void host_scan(mo_device *device, const int *count, int n, int *start)
{
    (void)device;
    int sum = 0;
    for (int k = 0; k < n; ++k) {
        const int own = count[k]; /* the two may be one array */
        start[k] = sum;
        sum += own;
    }
    start[n] = sum;
}

typedef struct entry {
    uint32_t key;
    int value;
} entry;

static void sort_by_digit(const entry *from, int n, int shift, entry *to)
{
    int start[DIGIT + 1] = {0};
    for (int k = 0; k < n; ++k)
        ++start[(from[k].key >> shift & (DIGIT - 1)) + 1];
    mo_running_sums(DIGIT, start);
    for (int k = 0; k < n; ++k)
        to[start[from[k].key >> shift & (DIGIT - 1)]++] = from[k];
}

static void host_sort(mo_device *device, uint32_t *key, int *value, int n, int bits, void *spare)
{
    (void)spare;
    entry *one = mo_memory_array(&device->allocator, (size_t)n, 2 * sizeof *one);
    if (!one) {
        mo_device_fail(device, MO_ERR_MEMORY, "memory ran out");
        return;
    }
    entry *other = one + n;
    entry *const all = one;
    for (int k = 0; k < n; ++k)
        one[k] = (entry){key[k], value[k]};
    for (int shift = 0; shift < bits; shift += DIGIT_BITS) {
        sort_by_digit(one, n, shift, other);
        entry *const sorted = other;
        other = one;
        one = sorted;
    }
    for (int k = 0; k < n; ++k) {
        key[k] = one[k].key;
        value[k] = one[k].value;
    }
    mo_memory_free(&device->allocator, all);
}

/* ---- memory and recordings ------------------------------------------------------------------- */

static void *host_take(mo_device *device, size_t bytes)
{
    return mo_memory_array(&device->allocator, bytes, 1);
}

static void host_give(mo_device *device, void *memory)
{
    mo_memory_free(&device->allocator, memory);
}

static void host_move(mo_device *device, void *to, const void *from, size_t bytes)
{
    (void)device;
    memcpy(to, from, bytes);
}

static void host_clear(mo_device *device, void *to, size_t bytes)
{
    (void)device;
    memset(to, 0, bytes);
}

static mo_launch_list *host_record(mo_device *device, mo_queue_fn *queue, void *context,
                                   mo_launch_list *last)
{
    mo_launch_list *recording =
        last ? last : mo_memory_array(&device->allocator, 1, sizeof *recording);
    if (!recording) {
        mo_device_fail(device, MO_ERR_MEMORY, "memory ran out");
        return NULL;
    }
    *recording = (mo_launch_list){queue, context};
    return recording;
}

static void host_replay(mo_device *device, mo_launch_list *recording, int times)
{
    (void)device;
    for (int k = 0; k < times; ++k)
        recording->queue(recording->context);
}

static void host_forget(mo_device *device, mo_launch_list *recording)
{
    mo_memory_free(&device->allocator, recording);
}

static void host_close(mo_device *device)
{
    const mo_allocator own = device->allocator;
    mo_memory_free(&own, device);
}

static const mo_device_ops OPS = {
    .close = host_close,
    .take = host_take,
    .give = host_give,
    .write = host_move,
    .read = host_move,
    .copy = host_move,
    .clear = host_clear,
    .launch = host_launch,
    .launch_summed = host_launch_summed,
    .launch_blocks = host_launch_blocks,
    .add_up = host_add_up,
    .scan = host_scan,
    .sort = host_sort,
    .record = host_record,
    .replay = host_replay,
    .forget = host_forget,
};

mo_error mo_device_open_host(const mo_allocator *allocator, int threads, mo_index_order order,
                             mo_device **device)
{
    const mo_allocator own = mo_allocator_or_default(allocator);
    host_device *made = mo_memory_array(&own, 1, sizeof *made);
    *device = NULL;
    MO_NEED_MEMORY(made, NULL);
    *made = (host_device){.base = {.ops = &OPS, .allocator = own, .name = "host"},
                          .threads = threads,
                          .order = order};
    *device = &made->base;
    return MO_OK;
}
