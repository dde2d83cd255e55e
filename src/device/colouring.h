/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* The colouring of pairs of bodies on a device: the colours of mo_colour_nodes. */
#ifndef MO_DEVICE_COLOURING_H
#define MO_DEVICE_COLOURING_H

#include "device/buffer.h"
#include "device/colour_rounds.h"

typedef struct mo_device_colouring {
    mo_buffer key, list, start, head, pair[2], used[2], colour, partial, left;
} mo_device_colouring;

/*
 * Bodies of each pair (device memory), one of which moves; ids of the moving bodies, or NULL for
 * their numbers.  patch: 0, or pairs inside of as many bodies and pairs between such patches are
 * coloured apart.  Returns the colours, a number for each pair; the scratch is free again.
 */
uint32_t *mo_device_colour(mo_device *device, mo_device_colouring *colouring, mo_scratch scratch,
                           int pairs, const int *one, const int *two, int moving,
                           const uint32_t *id, int patch);
void mo_device_colouring_end(mo_device *device, mo_device_colouring *colouring);

#endif
