/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * A device that runs kernels.  The host is one (device_host.c), an NVIDIA GPU another
 * (device_cuda.cu); both give the same bits.
 *
 * Work is queued and executed in order; mo_device_read waits for it.  Device memory is accessed
 * through this interface only.  After an error, calls have no effect, and mo_device_error returns
 * the message.
 *
 * Sums.  Kernels that return an mo_term are summed in blocks of MO_BLOCK indices by a fixed tree,
 * and the blocks by another (kernel.h): the order depends on the number of indices alone.
 */
#ifndef MO_DEVICE_DEVICE_H
#define MO_DEVICE_DEVICE_H

#include "device/kernel.h"
#include "moreau/base.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { MO_BLOCK = 256 }; /* indices */

/* In device_kernels.h: the enum of all kernels. */
typedef int mo_kernel;

typedef struct mo_device mo_device;

/* Order in which the host visits the indices of a launch; set by tests. */
typedef enum mo_index_order { MO_FORWARD, MO_BACKWARD, MO_SHUFFLED } mo_index_order;

mo_error mo_device_open_host(const mo_allocator *allocator, int threads, mo_index_order order,
                             mo_device **device);

/* A GPU; MO_ERR_UNSUPPORTED without one, or without GPU support in the library. */
mo_error mo_device_open_gpu(const mo_allocator *allocator, mo_device **device, mo_message *why);

/* Whether mo_device_open_gpu would succeed; otherwise `why` has the reason. */
mo_error mo_device_find_gpu(mo_message *why);
static inline int mo_device_has_gpu(void)
{
    return mo_device_find_gpu(NULL) == MO_OK;
}

void mo_device_close(mo_device *device);

const char *mo_device_name(const mo_device *device);
mo_error mo_device_error(const mo_device *device, mo_message *why);

/* ---- memory ---------------------------------------------------------------------------------- */

/* Room for so many bytes, not kept where it must grow; *room in bytes.  Starts from NULL and 0. */
void mo_device_room(mo_device *device, void **memory, size_t *room, size_t bytes);
void mo_device_free(mo_device *device, void *memory);

void mo_device_write(mo_device *device, void *to, const void *from_host, size_t bytes);
void mo_device_read(mo_device *device, void *to_host, const void *from, size_t bytes);
void mo_device_copy(mo_device *device, void *to, const void *from, size_t bytes);
void mo_device_clear(mo_device *device, void *to, size_t bytes);

/* ---- work ------------------------------------------------------------------------------------ */

/* kernel(arguments, i) for i = 0 .. n - 1.  The arguments are copied. */
void mo_device_launch(mo_device *device, mo_kernel kernel, int n, const void *arguments);

/* The same; sums of blocks are written from partial[0] on.  Returns how many these are. */
int mo_device_launch_summed(mo_device *device, mo_kernel kernel, int n, const void *arguments,
                            mo_term *partial);

/* A kernel in blocks (patch_visit.h): the sum of each block is written from partial[0] on. */
void mo_device_launch_blocks(mo_device *device, mo_kernel kernel, int blocks, const void *arguments,
                             mo_term *partial);
void mo_device_add_up(mo_device *device, const mo_term *partial, int count, mo_term *out);
static inline int mo_device_blocks(int n)
{
    return n / MO_BLOCK + (n % MO_BLOCK != 0);
}

/* start[i] = sum of count[0 .. i - 1], for i = 0 .. n; count has n entries. */
void mo_device_scan(mo_device *device, const int *count, int n, int *start);

/* Of a number that is not negative: the bits that it and all below it need. */
static inline int mo_bits_of(int n)
{
    int bits = 1;
    while (bits < 31 && n >> bits)
        ++bits;
    return bits;
}

/* By the lowest `bits` of the keys; values go with them; equal keys stay in their order.  spare: as
 * much memory as keys and values have, or NULL. */
void mo_device_sort(mo_device *device, uint32_t *key, int *value, int n, int bits, void *spare);

/*
 * Repeated work: `queue` enqueues it, without waiting or reading. Replaces the contents of
 * *recording, unless that is NULL.
 */
typedef void mo_queue_fn(void *context);
typedef struct mo_launch_list mo_launch_list;
void mo_device_record(mo_device *device, mo_queue_fn *queue, void *context,
                      mo_launch_list **recording);
void mo_device_replay(mo_device *device, mo_launch_list *recording, int times);
void mo_device_forget(mo_device *device, mo_launch_list *recording); /* NULL is allowed */

/* ---- functions of a back end ----------------------------------------------------------------- */

typedef struct mo_device_ops {
    void (*close)(mo_device *device);
    void *(*take)(mo_device *device, size_t bytes); /* NULL: none left */
    void (*give)(mo_device *device, void *memory);
    void (*write)(mo_device *device, void *to, const void *from_host, size_t bytes);
    void (*read)(mo_device *device, void *to_host, const void *from, size_t bytes);
    void (*copy)(mo_device *device, void *to, const void *from, size_t bytes);
    void (*clear)(mo_device *device, void *to, size_t bytes);
    void (*launch)(mo_device *device, mo_kernel kernel, int n, const void *arguments);
    void (*launch_summed)(mo_device *device, mo_kernel kernel, int n, const void *arguments,
                          mo_term *partial);
    void (*launch_blocks)(mo_device *device, mo_kernel kernel, int blocks, const void *arguments,
                          mo_term *partial);
    void (*add_up)(mo_device *device, const mo_term *partial, int count, mo_term *out);
    void (*scan)(mo_device *device, const int *count, int n, int *start);
    void (*sort)(mo_device *device, uint32_t *key, int *value, int n, int bits, void *spare);
    mo_launch_list *(*record)(mo_device *device, mo_queue_fn *queue, void *context,
                              mo_launch_list *last);
    void (*replay)(mo_device *device, mo_launch_list *recording, int times);
    void (*forget)(mo_device *device, mo_launch_list *recording);
} mo_device_ops;

/* Every back end's own struct starts with this. */
struct mo_device {
    const mo_device_ops *ops;
    mo_allocator allocator;
    char name[64];
    mo_error error;
    mo_message why;
    size_t bytes;
};

/* Notes the first error. */
void mo_device_fail(mo_device *device, mo_error error, const char *sentence);

/* Properties of the first GPU. */
typedef struct mo_gpu_facts {
    int count;           /* of GPUs */
    char name[64];       /* of the first */
    int major, minor;    /* its compute capability */
    int has_kernels;     /* this library has code that it can run */
    const char *trouble; /* of the driver, or NULL */
} mo_gpu_facts;

/* May it be used?  Apart from the driver, for tests. */
mo_error mo_device_judge_gpu(const mo_gpu_facts *gpu, mo_message *why);

/* device_cuda.cu, where it is built */
mo_error mo_cuda_find(mo_message *why);
mo_error mo_cuda_open(const mo_allocator *allocator, mo_device **device, mo_message *why);

#ifdef __cplusplus
}
#endif
#endif
