/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * The shapes of a heap: a short table that every rank computes from the definition.  The id of a
 * body determines its shape; its origin is the centre of mass.
 */
#ifndef MOREAU_MPI_HEAP_SHAPES_H
#define MOREAU_MPI_HEAP_SHAPES_H

#include "collide/collide.h"
#include "moreau/mpi.h"

enum {
    MO_HEAP_WALLS = 5,
    MO_HEAP_HULL_KINDS = 16
}; /* the floor, then -x, +x, -y, +y; kinds of hulls */

typedef struct mo_heap_shape {
    mo_collider collider;
    int is_ball;
    double size;    /* m: radius of a ball about the centre that holds it */
    double mass;    /* kg */
    double spin_up; /* by which free rotation may change its spin, at most */
} mo_heap_shape;

typedef struct mo_heap_shapes {
    mo_heap_shape *at;
    int count;
    double largest; /* size */
    int are_balls;  /* all of them */
    mo_collider wall[MO_HEAP_WALLS];
} mo_heap_shapes;

/* To be cleared, also after a failure. */
mo_error mo_heap_shapes_make(const mo_heap_def *def, mo_heap_shapes *shapes, mo_message *why);
void mo_heap_shapes_clear(mo_heap_shapes *shapes);

/* The shape of the body with this id. */
int mo_heap_shape_of(const mo_heap_def *def, uint32_t id);

#endif
