/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * The data of a heap on a device, and the cells of its grid.
 *
 * The width of a cell is the largest distance at which two balls may meet in the step.  A cell maps
 * to one of 2^(3 bits) buckets by its coordinates modulo 2^bits; balls are sorted by bucket (Morton
 * order), so neighbours are close in memory.  Distant cells may share a bucket, which costs a few
 * distance computations.
 */
#ifndef MO_DEVICE_BALL_CELLS_H
#define MO_DEVICE_BALL_CELLS_H

#include "collide/narrow.h"
#include "device/contact_visit.h"

/* A kind of solid: a convex shape and an inertia; of a static one only the shape. */
typedef struct mo_solid {
    mo_collider collider; /* its hull is in device memory */
    mo_pose in_body;      /* about the centre of mass; of a fixed one, in the world */
    double inertia[9];    /* about the centre of mass, axes of the body */
    int is_isotropic;     /* that inertia */
    int is_round;         /* a ball about the centre of mass */
    int is_first;         /* static: its place is before those of all moving bodies */
} mo_solid;

/* Constant data of a ball or another solid.  Aligned so that a GPU moves it by sixteen bytes. */
typedef struct __attribute__((aligned(16))) mo_ball {
    double x[3], q[4], v[6]; /* place, orientation, velocity and spin */
    /* of another solid: radius of its bounding sphere about the centre of mass */
    double mass, inertia, radius;
    double linear_damping, angular_damping;
    uint32_t id;
    uint32_t surface;
    uint32_t solid; /* kind */
} mo_ball;

/* Data of a ball for a search, at the start of the step. */
typedef struct __attribute__((aligned(16))) mo_ball_near {
    double x[3], radius;
    double speed; /* of the fastest motion that it may have in the step */
    uint32_t id, surface;
} mo_ball_near;

enum { MO_FIXED_PLANE, MO_FIXED_BOX, MO_FIXED_OTHER, MO_FIXED_SURFACES = 8 };

/* A static or kinematic plane (third axis outwards), box, or shape within `size` of x. */
typedef struct mo_fixed_shape {
    double x[3], axis[9], half[3]; /* axis: rows, in the world */
    double v[3];
    double size;
    int kind, surface;
} mo_fixed_shape;

/* Contacts of a list: owner by owner, found again by the ids of the two. */
typedef struct mo_touch_rows {
    int *begin, *end;  /* of each id */
    int *other;        /* id of the other ball, or balls + fixed shape */
    uint32_t *feature; /* of solids (collide/collide.h); NULL for balls */
    double *r;         /* impulses in the axes of the world, by component */
    size_t apart;
} mo_touch_rows;

/* Data that the kernels of a step exchange. */
typedef struct mo_heap_figures {
    mo_term fastest, late, deepest, kinetic, potential, ignored;
    double edge;   /* of a cell */
    double listed; /* the speed for which the neighbour lists are valid */
    int is_listed; /* nothing is faster */
} mo_heap_figures;

typedef struct mo_find_args {
    int balls, fixed_count;
    int per_copy; /* balls of each copy of a world (sim/copies.c), by id; else all */
    const mo_ball *ball;
    const mo_ball_near *near;
    const mo_fixed_shape *fixed;
    const mo_solid *solid, *fixed_solid;  /* NULL: all are balls */
    const mo_line *free_line, *next_line; /* next: NULL before the first answer of the step */
    const uint32_t *bucket;               /* of each ball */
    const int *bucket_start;
    int bits; /* of a coordinate of a bucket */
    mo_heap_figures *figures;
    double h, margin; /* 0: by size */
    double late;      /* relative to the size: allowed penetration of a contact that was left out */
    double largest;   /* radius */
    double bounce_speed; /* slower impacts do not bounce */
    double mu[MO_FIXED_SURFACES * MO_FIXED_SURFACES];
    double restitution[MO_FIXED_SURFACES * MO_FIXED_SURFACES];
    mo_touch_rows last; /* contacts of the last step, or of the last answer in this one */
    int *count, *start;
    /* possible contacts of each ball in the step, at most listed_most <= 32 */
    int *listed, *listed_count;
    int listed_most;
    uint32_t *taken;        /* of its list, by the last count: a bit each */
    int *one, *two, *match; /* of each contact; match: its place in last, or -1 */
} mo_find_args;

/* ---- cells ----------------------------------------------------------------------------------- */

MO_ANY double mo_margin_by(double margin, double size)
{
    const double MARGIN_OF_SIZE = 0.01; /* as sim/pairs.c */
    return margin > 0 ? margin : MARGIN_OF_SIZE * size;
}

/* The largest distance of two balls in contact reach while no speed exceeds `listed`. */
MO_ANY void mo_kernel_cell_edge(const mo_find_args *a, int i)
{
    mo_heap_figures *f = a->figures + i;
    f->listed = f->fastest.largest;
    f->is_listed = 0;
    f->edge = 2 * a->largest + mo_margin_by(a->margin, a->largest) + 2 * a->h * f->listed;
}

/* After an answer. */
MO_ANY void mo_kernel_list_speed(const mo_find_args *a, int i)
{
    mo_heap_figures *f = a->figures + i;
    f->is_listed = f->fastest.largest <= f->listed;
    f->listed = mo_larger(f->listed, f->fastest.largest);
}

/* Cell of a coordinate; very distant ones are in cell 0. */
MO_ANY int64_t mo_cell_of(double x, double edge)
{
    const double cell = floor(x / edge);
    return cell > -1e15 && cell < 1e15 ? (int64_t)cell : 0;
}

/* Every third bit. */
MO_ANY uint32_t mo_spread_bits(uint32_t x)
{
    x = (x | x << 16) & 0x030000ffu;
    x = (x | x << 8) & 0x0300f00fu;
    x = (x | x << 4) & 0x030c30c3u;
    return (x | x << 2) & 0x09249249u;
}

MO_ANY uint32_t mo_bucket_of(int64_t x, int64_t y, int64_t z, int bits)
{
    const uint32_t mask = (1u << bits) - 1;
    return mo_spread_bits((uint32_t)x & mask) | mo_spread_bits((uint32_t)y & mask) << 1 |
           mo_spread_bits((uint32_t)z & mask) << 2;
}

/* Before the bucket of a cell: a copy of a world has its own buckets, so copies do not meet. */
MO_ANY uint32_t mo_copy_bits(uint32_t id, int per_copy, int bits)
{
    return id / (uint32_t)per_copy << 3 * bits;
}

typedef struct mo_bucket_args {
    const mo_ball *ball;
    const mo_heap_figures *figures;
    int bits, balls, per_copy;
    uint32_t *key;
    int *order;
    int *start; /* of each bucket, and one more */
} mo_bucket_args;

MO_ANY void mo_kernel_bucket_keys(const mo_bucket_args *a, int i)
{
    const double *x = a->ball[i].x, edge = a->figures->edge;
    a->key[i] = mo_copy_bits(a->ball[i].id, a->per_copy, a->bits) |
                mo_bucket_of(mo_cell_of(x[0], edge), mo_cell_of(x[1], edge), mo_cell_of(x[2], edge),
                             a->bits);
    a->order[i] = i;
}

/* Of bucket i = 0 .. buckets: by bisection, since most may be empty. */
MO_ANY void mo_kernel_bucket_starts(const mo_bucket_args *a, int i)
{
    int low = 0, high = a->balls;
    while (low < high) {
        const int middle = low + (high - low) / 2;
        if ((int)a->key[middle] < i)
            low = middle + 1;
        else
            high = middle;
    }
    a->start[i] = low;
}

#endif
