/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
#include "device/colouring.h"

#include "device/device_kernels.h"

enum { LAUNCHES = 4 }; /* between two reads of the remaining count */

static mo_colour_args take_room(mo_device *device, mo_device_colouring *s, mo_scratch *scratch,
                                int pairs, int moving)
{
    const size_t ends = 2 * (size_t)pairs;
    return (mo_colour_args){.pairs = pairs,
                            .moving = moving,
                            .key = MO_TAKE_SCRATCH(device, scratch, &s->key, ends, uint32_t),
                            .list = MO_TAKE_SCRATCH(device, scratch, &s->list, ends, int),
                            .start = MO_TAKE_BUFFER(device, &s->start, moving + 1, int),
                            .head = MO_TAKE_BUFFER(device, &s->head, moving, int),
                            .colour = MO_TAKE_BUFFER(device, &s->colour, pairs, uint32_t)};
}

static mo_colour_state take_state(mo_device *device, mo_device_colouring *s, int side,
                                  mo_scratch *scratch, int moving)
{
    return (mo_colour_state){
        .pair = MO_TAKE_SCRATCH(device, scratch, s->pair + side, moving, int),
        .used = MO_TAKE_SCRATCH(device, scratch, s->used + side, 2 * (size_t)moving, uint64_t)};
}

/* The pairs of each body, in the order of their priorities. */
static void make_lists(mo_device *device, const mo_colour_args *a, const mo_scratch *spare)
{
    mo_device_launch(device, MO_KERNEL_colour_ends, 2 * a->pairs, a);
    mo_device_sort(device, a->key, a->list, 2 * a->pairs, mo_bits_of(a->moving),
                   mo_scratch_for_sort(spare, 2 * a->pairs));
    mo_device_launch(device, MO_KERNEL_colour_starts, 2 * a->pairs + 1, a);
    mo_device_launch(device, MO_KERNEL_colour_order, a->moving, a);
}

uint32_t *mo_device_colour(mo_device *device, mo_device_colouring *s, mo_scratch scratch, int pairs,
                           const int *one, const int *two, int moving, const uint32_t *id,
                           int patch)
{
    mo_colour_args a = take_room(device, s, &scratch, pairs, moving);
    const mo_colour_state state[] = {take_state(device, s, 0, &scratch, moving),
                                     take_state(device, s, 1, &scratch, moving)};
    a.next = state[1];
    const int blocks = (moving + MO_COLOUR_BLOCK - 1) / MO_COLOUR_BLOCK;
    mo_term *partial = MO_TAKE_BUFFER(device, &s->partial, 2 * (size_t)blocks, mo_term),
            *left = MO_TAKE_BUFFER(device, &s->left, 1, mo_term), seen = {1, 0};
    mo_term *const half[] = {partial, partial ? partial + blocks : NULL};
    a.one = one;
    a.two = two;
    a.id = id;
    a.patch = patch;
    make_lists(device, &a, &scratch);
    while (seen.sum > 0) { /* after an error of the device it is zero */
        for (int k = 0; k < LAUNCHES; ++k) {
            a.now = state[!(k % 2)];
            a.next = state[k % 2];
            mo_device_launch_blocks(device, MO_KERNEL_colour_round, blocks, &a, half[k % 2]);
            a.left = half[k % 2];
        }
        mo_device_add_up(device, a.left, blocks, left);
        mo_device_read(device, &seen, left, sizeof seen);
    }
    return a.colour;
}

void mo_device_colouring_end(mo_device *device, mo_device_colouring *s)
{
    mo_buffer *const all[] = {&s->key, &s->list,    &s->start,  &s->head,    s->pair, s->pair + 1,
                              s->used, s->used + 1, &s->colour, &s->partial, &s->left};
    for (size_t k = 0; k < sizeof all / sizeof *all; ++k)
        mo_buffer_free(device, all[k]);
}
