/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* Data of a heap on a device, shared by its files (device_heap.h). */
#ifndef MO_SIM_DEVICE_HEAP_DATA_H
#define MO_SIM_DEVICE_HEAP_DATA_H

#include "device/colouring.h"
#include "sim/device_heap.h"
#include "solver/device_sweeps.h"

/* Contacts that the next ones are matched with. */
typedef struct mo_device_heap_list {
    mo_buffer begin, end, other, feature, point, r; /* feature, point: of solids */
    size_t apart;
} mo_device_heap_list;

/* A store of touches: places in use, and the touches that a place has room for. */
typedef struct mo_device_touches {
    mo_buffer touch, count;
    int used, room;
} mo_device_touches;

struct mo_device_heap {
    mo_device *device;
    int is_there;                 /* the device has the state, newer than the world's */
    int has_bodies, has_contacts; /* the world's are up to date                       */

    int balls, fixed_count, contacts;
    int copies, per_copy; /* of a world (copies.c), and the balls of each */
    int has_force;        /* in the next step: forces and moments are given */
    int has_solids;       /* not all are balls */
    int *body;            /* of each id: the place of its body           */
    mo_ball *shown;       /* of each id, to be sent and fetched: needs no memory then */
    int *fixed_place;     /* of each fixed shape: its place              */
    mo_fixed_shape *fixed_here;
    int is_given;          /* the device was given by the caller, not by an option */
    double largest, least; /* radii; least: only of the shapes */
    double mu[MO_FIXED_SURFACES * MO_FIXED_SURFACES];
    double restitution[MO_FIXED_SURFACES * MO_FIXED_SURFACES];
    int bits; /* of a coordinate of a bucket */

    mo_buffer ball[2], near, free_line, fixed, id, force;
    int side; /* ball[side]: balls in the order of cells; the other is scratch memory */
    mo_buffer key, order, bucket_start, count, start, listed, listed_count, taken, figures, partial;
    mo_buffer one, two, match;
    mo_device_colouring colouring;
    mo_buffer slot_key, slot_order, slot_start, slot_numbers, slot_indices, rest;
    /* Of solids: their kinds, inverse inertias; pairs, points and nodes (device/solid_find.h). */
    mo_buffer solid, fixed_solid, hulls, inertia;
    mo_buffer pair_key, pair_order, pair_count, pair_start, has_points, node, node_one, node_two,
        node_pair;
    mo_buffer point_count, first;
    int pairs, nodes;
    /* Touches of pairs (device/solid_touch.h); old: of the answer before, in this step. */
    mo_buffer place, reach, end_place, wants, wants_before, end_wants, end_before, old_start,
        old_two, old_place, old_reach;
    mo_device_touches now, ends;
    int round;                 /* answers in this step so far */
    int is_rough, had_rounds;  /* the present round is rough; the last step had several long ones */
    int longest;               /* sweeps of a round of this step that was not rough */
    int is_projection;         /* the present problem is one of positions */
    int is_projected;          /* positions advance with `moved`, not with the velocities */
    mo_buffer velocity, moved; /* of lines */
    mo_device_heap_list list[2]; /* list[last]: the newest; of balls only the first */
    int last;
    mo_device_sweeps sweeps;
};

enum { MO_FIXED_MOST = 64 };    /* fixed shapes */
enum { MO_HEAP_MOMENTUM = 10 }; /* as in solver/auto.c */

/* Largest length of the neighbour list of a ball; longer ones are searched again by every count. */
static inline int mo_heap_listed(const mo_device_heap *heap)
{
    return heap->has_solids ? 32 : 16;
}

/* Is each copy of a world swept by one block?  Not those of many contacts. */
static inline int mo_heap_copies(const mo_device_heap *heap, const mo_world *world)
{
    return world->copies > 0 && heap->contacts / heap->copies <= MO_COPY_MOST ? heap->copies : 0;
}

/* device_heap_send.c: bodies and contacts to the device */
mo_error mo_device_heap_send(mo_world *world);

/* device_solids_send.c: is the body a ball about its centre of mass? */
int mo_device_is_round(const mo_world *world, int place);
/* The kinds of solids to the device; of each body by id, then of each fixed
 * shape. */
mo_error mo_device_solids_send(mo_world *world, mo_ball *ball);

/* device_heap.c: arguments, and a kernel added up */
mo_find_args mo_heap_find_args(const mo_device_heap *heap, const mo_world *world, double h,
                               int is_again);
mo_touch_rows mo_heap_rows(const mo_device_heap_list *list);
mo_heap_figures *mo_heap_figures_of(const mo_device_heap *heap);
void mo_heap_sum_up(mo_device_heap *heap, mo_kernel kernel, int n, const void *arguments,
                    mo_term *out);

/* device_heap_sweep.c: impulses and velocities of the packed contacts; adds to the report */
void mo_device_heap_sweep(mo_device_heap *heap, const mo_world *world, double h,
                          mo_step_report *report);

/* device_heap.c: contacts in the order of their colours */
mo_error mo_device_pack(mo_device_heap *heap, const mo_world *world, double h);

/* device_solids.c: the parts of a heap's step that differ with solids */
void mo_device_solids_count(mo_device_heap *heap, const mo_world *world, double h, int is_again,
                            mo_term *late);
void mo_device_solids_fill(mo_device_heap *heap, const mo_world *world, double h, int is_again);
void mo_device_solids_pack(mo_device_heap *heap, const mo_world *world, double h);
void mo_device_solids_keep(mo_device_heap *heap, const mo_world *world, double h);
/* Were there too few rounds to prevent overlap? */
int mo_device_solids_may_overlap(const mo_device_heap *heap);
/* Moves bodies apart that would end the step in an overlap, as projection.c: `moved` has the
 * velocities with which positions advance; those of the solution are unchanged. */
mo_error mo_device_solids_project(mo_device_heap *heap, const mo_world *world, double h,
                                  mo_step_report *report);

#endif
