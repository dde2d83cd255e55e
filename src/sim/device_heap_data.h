/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* What a heap on a device holds (device_heap.h). */
#ifndef MO_SIM_DEVICE_HEAP_DATA_H
#define MO_SIM_DEVICE_HEAP_DATA_H

#include "device/colouring.h"
#include "sim/device_heap.h"
#include "solver/device_sweeps.h"

/* Contacts that the next ones are matched with. */
typedef struct mo_device_heap_list {
    mo_buffer begin, end, other, r;
    size_t apart;
} mo_device_heap_list;

struct mo_device_heap {
    mo_device *device;
    int is_there;                 /* the device has the state, newer than the world's */
    int has_bodies, has_contacts; /* the world's are up to date                       */

    int balls, fixed_count, contacts;
    int *body;        /* of each id: the place of its body           */
    int *fixed_place; /* of each fixed shape: its place              */
    mo_fixed_shape *fixed_here;
    int is_given;          /* the device was given by the caller: no option asks for it */
    double largest, least; /* radii */
    double mu[MO_FIXED_SURFACES * MO_FIXED_SURFACES];
    double restitution[MO_FIXED_SURFACES * MO_FIXED_SURFACES];
    int bits; /* of a coordinate of a bucket */

    mo_buffer ball[2], near, free_line, fixed, id, shown;
    int side; /* ball[side]: balls in the order of cells */
    mo_buffer key, order, bucket_start, count, start, figures, partial;
    mo_buffer one, two, match;
    mo_device_colouring colouring;
    mo_buffer slot_key, slot_order, slot_start, slot_numbers, slot_indices, rest;
    mo_device_heap_list list[2]; /* list[last]: the newest */
    int last;
    mo_device_sweeps sweeps;
};

/* device_heap_send.c: bodies and contacts to the device */
mo_error mo_device_heap_send(mo_world *world);

#endif
