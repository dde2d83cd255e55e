/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* An array in device memory that grows on demand; growing discards its contents. */
#ifndef MO_DEVICE_BUFFER_H
#define MO_DEVICE_BUFFER_H

#include "device/device.h"

typedef struct mo_buffer {
    void *at;
    size_t room; /* bytes */
} mo_buffer;

static inline void *mo_buffer_take(mo_device *device, mo_buffer *buffer, size_t count, size_t size)
{
    mo_device_room(device, &buffer->at, &buffer->room, (count + 1) * size);
    return buffer->at;
}

#define MO_TAKE_BUFFER(device, buffer, count, type)                                                \
    ((type *)mo_buffer_take((device), (buffer), (size_t)(count), sizeof(type)))

/* Temporarily free memory, from which short-lived buffers are taken. */
typedef struct mo_scratch {
    char *at;
    size_t room, used; /* bytes */
} mo_scratch;

static inline mo_scratch mo_scratch_of(const mo_buffer *buffer)
{
    return (mo_scratch){buffer->at, buffer->room, 0};
}

/* The rest of it if that is enough, otherwise NULL. */
static inline void *mo_scratch_left(const mo_scratch *scratch, size_t bytes)
{
    return scratch->room - scratch->used < bytes ? NULL : scratch->at + scratch->used;
}

/* For the sort of n keys and values (device.h). */
static inline void *mo_scratch_for_sort(const mo_scratch *scratch, int n)
{
    return mo_scratch_left(scratch, (size_t)n * (sizeof(uint32_t) + sizeof(int)));
}

/* From the scratch, or from a buffer if it is used up. */
static inline void *mo_scratch_take(mo_device *device, mo_scratch *scratch, mo_buffer *buffer,
                                    size_t count, size_t size)
{
    enum { LINE = 256 }; /* bytes: as cudaMalloc aligns */
    const size_t bytes = ((count + 1) * size + LINE - 1) / LINE * LINE;
    void *const at = mo_scratch_left(scratch, bytes);
    scratch->used += at ? bytes : 0;
    return at ? at : mo_buffer_take(device, buffer, count, size);
}

#define MO_TAKE_SCRATCH(device, scratch, buffer, count, type)                                      \
    ((type *)mo_scratch_take((device), (scratch), (buffer), (size_t)(count), sizeof(type)))

static inline void mo_buffer_free(mo_device *device, mo_buffer *buffer)
{
    mo_device_free(device, buffer->at);
    device->bytes -= buffer->room;
    *buffer = (mo_buffer){NULL, 0};
}

/* Room for so many bytes, of which the first `used` are kept. */
static inline void mo_buffer_grow(mo_device *device, mo_buffer *buffer, size_t used, size_t bytes)
{
    mo_buffer larger = {NULL, 0};
    if (buffer->room >= bytes) return;
    mo_device_room(device, &larger.at, &larger.room, bytes);
    mo_device_copy(device, larger.at, buffer->at, used);
    mo_buffer_free(device, buffer);
    *buffer = larger;
}

#endif
