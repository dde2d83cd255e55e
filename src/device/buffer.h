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

static inline void mo_buffer_free(mo_device *device, mo_buffer *buffer)
{
    mo_device_free(device, buffer->at);
    *buffer = (mo_buffer){NULL, 0};
}

/* Room for so many bytes, of which the first `used` are kept. */
static inline void mo_buffer_grow(mo_device *device, mo_buffer *buffer, size_t used, size_t bytes)
{
    mo_buffer larger = {NULL, 0};
    if (buffer->room >= bytes) {
        return;
    }
    mo_device_room(device, &larger.at, &larger.room, bytes);
    mo_device_copy(device, larger.at, buffer->at, used);
    device->bytes -= buffer->room;
    mo_buffer_free(device, buffer);
    *buffer = larger;
}

#endif
