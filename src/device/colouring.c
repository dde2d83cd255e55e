/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
#include "device/colouring.h"

#include "device/device_kernels.h"

enum { ROUNDS = 8 }; /* rounds between two reads of the remaining count */

static mo_colour_args take_room(mo_device *device, mo_device_colouring *s, int pairs, int moving)
{
    return (mo_colour_args){.pairs = pairs,
                            .moving = moving,
                            .key = MO_TAKE_BUFFER(device, &s->key, 2 * (size_t)pairs, uint32_t),
                            .list = MO_TAKE_BUFFER(device, &s->list, 2 * (size_t)pairs, int),
                            .start = MO_TAKE_BUFFER(device, &s->start, moving + 1, int),
                            .state = MO_TAKE_BUFFER(device, s->state, moving, mo_colour_state),
                            .next_state =
                                MO_TAKE_BUFFER(device, s->state + 1, moving, mo_colour_state),
                            .colour = MO_TAKE_BUFFER(device, &s->colour, pairs, uint32_t)};
}

/* The pairs of each body, in the order of their priorities. */
static void make_lists(mo_device *device, const mo_colour_args *a)
{
    mo_device_launch(device, MO_KERNEL_colour_ends, 2 * a->pairs, a);
    mo_device_sort(device, a->key, a->list, 2 * a->pairs, mo_bits_of(a->moving));
    mo_device_launch(device, MO_KERNEL_colour_starts, 2 * a->pairs + 1, a);
    mo_device_launch(device, MO_KERNEL_colour_order, a->moving, a);
}

uint32_t *mo_device_colour(mo_device *device, mo_device_colouring *s, int pairs, const int *one,
                           const int *two, int moving, const uint32_t *id, int patch)
{
    mo_colour_args a = take_room(device, s, pairs, moving);
    mo_term *partial = MO_TAKE_BUFFER(device, &s->partial, mo_device_blocks(moving), mo_term),
            *left = MO_TAKE_BUFFER(device, &s->left, 1, mo_term), seen = {1, 0};
    a.one = one;
    a.two = two;
    a.id = id;
    a.patch = patch;
    make_lists(device, &a);
    while (seen.sum > 0) { /* an error of the device reads as zero */
        int blocks = 0;
        for (int round = 0; round < ROUNDS; ++round) {
            mo_colour_state *const last = s->state[!(round % 2)].at;
            a.state = last;
            a.next_state = s->state[round % 2].at;
            blocks = mo_device_launch_summed(device, MO_KERNEL_colour_round, moving, &a, partial);
        }
        mo_device_add_up(device, partial, blocks, left);
        mo_device_read(device, &seen, left, sizeof seen);
    }
    return a.colour;
}

void mo_device_colouring_end(mo_device *device, mo_device_colouring *s)
{
    mo_buffer *const all[] = {&s->key,      &s->list,   &s->start,   s->state,
                              s->state + 1, &s->colour, &s->partial, &s->left};
    for (size_t k = 0; k < sizeof all / sizeof *all; ++k) {
        mo_buffer_free(device, all[k]);
    }
}
