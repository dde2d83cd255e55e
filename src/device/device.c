/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
#include "device/device.h"

#include <string.h>

#include "base/error.h"

mo_error mo_device_find_gpu(mo_message *why)
{
#ifdef MOREAU_HAS_CUDA
    return mo_cuda_find(why);
#else
    return mo_fail(why, MO_ERR_UNSUPPORTED,
                   "device = gpu: this library was built without CUDA; configure it with "
                   "-D MOREAU_CUDA=ON, or use device = cpu");
#endif
}

mo_error mo_device_judge_gpu(const mo_gpu_facts *gpu, mo_message *why)
{
    MO_FAIL_IF(gpu->count < 1, mo_fail(why, MO_ERR_UNSUPPORTED,
                                       "device = gpu: no GPU was found (%s); use device = cpu",
                                       gpu->trouble ? gpu->trouble : "none is installed"));
    MO_FAIL_IF(gpu->trouble, mo_fail(why, MO_ERR_UNSUPPORTED,
                                     "device = gpu: %s cannot be used (%s); use device = cpu",
                                     gpu->name, gpu->trouble));
    MO_FAIL_IF(
        !gpu->has_kernels,
        mo_fail(why, MO_ERR_UNSUPPORTED,
                "device = gpu: this library has no kernels for %s, of compute capability "
                "%d.%d; configure it with -D CMAKE_CUDA_ARCHITECTURES=%d%d, or use device = cpu",
                gpu->name, gpu->major, gpu->minor, gpu->major, gpu->minor));
    return MO_OK;
}

mo_error mo_device_open_gpu(const mo_allocator *allocator, mo_device **device, mo_message *why)
{
    const mo_error error = mo_device_find_gpu(why);
    *device = NULL;
#ifdef MOREAU_HAS_CUDA
    return error ? error : mo_cuda_open(allocator, device, why);
#else
    (void)allocator;
    return error;
#endif
}

void mo_device_close(mo_device *device)
{
    if (device) device->ops->close(device);
}

const char *mo_device_name(const mo_device *device)
{
    return device->name;
}

mo_error mo_device_error(const mo_device *device, mo_message *why)
{
    return device->error ? mo_fail(why, device->error, "%s", device->why.text) : MO_OK;
}

void mo_device_fail(mo_device *device, mo_error error, const char *sentence)
{
    if (!device->error) {
        device->error = error;
        mo_say(&device->why, "%s", sentence);
    }
}

void mo_device_room(mo_device *device, void **memory, size_t *room, size_t bytes)
{
    if (bytes <= *room || device->error) return;
    /* buffers that grow may grow again */
    const size_t ample = *room > 0 ? bytes + bytes / 8 : bytes;
    mo_device_free(device, *memory);
    device->bytes -= *room;
    *memory = device->ops->take(device, ample);
    *room = *memory ? ample : 0;
    if (!*memory) {
        mo_device_fail(device, MO_ERR_MEMORY, "the memory of the device ran out");
        return;
    }
    device->bytes += ample;
}

void mo_device_free(mo_device *device, void *memory)
{
    if (memory) device->ops->give(device, memory);
}

void mo_device_write(mo_device *device, void *to, const void *from_host, size_t bytes)
{
    if (!device->error && bytes > 0) device->ops->write(device, to, from_host, bytes);
}

/* Data that cannot be read is zero. */
void mo_device_read(mo_device *device, void *to_host, const void *from, size_t bytes)
{
    if (!device->error && bytes > 0) device->ops->read(device, to_host, from, bytes);
    if (device->error) memset(to_host, 0, bytes);
}

void mo_device_copy(mo_device *device, void *to, const void *from, size_t bytes)
{
    if (!device->error && bytes > 0) device->ops->copy(device, to, from, bytes);
}

void mo_device_clear(mo_device *device, void *to, size_t bytes)
{
    if (!device->error && bytes > 0) device->ops->clear(device, to, bytes);
}

void mo_device_launch(mo_device *device, mo_kernel kernel, int n, const void *arguments)
{
    if (!device->error && n > 0) device->ops->launch(device, kernel, n, arguments);
}

int mo_device_launch_summed(mo_device *device, mo_kernel kernel, int n, const void *arguments,
                            mo_term *partial)
{
    if (!device->error && n > 0) device->ops->launch_summed(device, kernel, n, arguments, partial);
    return mo_device_blocks(n);
}

void mo_device_launch_blocks(mo_device *device, mo_kernel kernel, int blocks, const void *arguments,
                             mo_term *partial)
{
    if (!device->error && blocks > 0)
        device->ops->launch_blocks(device, kernel, blocks, arguments, partial);
}

void mo_device_add_up(mo_device *device, const mo_term *partial, int count, mo_term *out)
{
    if (!device->error) device->ops->add_up(device, partial, count, out);
}

void mo_device_scan(mo_device *device, const int *count, int n, int *start)
{
    if (!device->error) device->ops->scan(device, count, n, start);
}

void mo_device_sort(mo_device *device, uint32_t *key, int *value, int n, int bits, void *spare)
{
    if (!device->error && n > 1) device->ops->sort(device, key, value, n, bits, spare);
}

void mo_device_record(mo_device *device, mo_queue_fn *queue, void *context,
                      mo_launch_list **recording)
{
    if (!device->error) *recording = device->ops->record(device, queue, context, *recording);
}

void mo_device_replay(mo_device *device, mo_launch_list *recording, int times)
{
    if (!device->error && recording) device->ops->replay(device, recording, times);
}

void mo_device_forget(mo_device *device, mo_launch_list *recording)
{
    if (recording) device->ops->forget(device, recording);
}
