/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * The arrangement of a global problem for sweeps: manifolds of compact contacts (compact.h) in
 * vector lanes, and everything else as rows, sorted by colour.
 *
 * A manifold is the run of contacts of one pair of bodies.  MO_LANES manifolds make a batch: their
 * bodies are read once, their points visited one after the other in registers.  A manifold is
 * central where both bodies have isotropic inertia and all arms lie along the normal, a = l e_0; a
 * batch is central where all its manifolds are.  In world axes, with r = sum_k r_k e_k,
 *
 *     u = v_1 + s_1 x a_1 - v_2 - s_2 x a_2 + w,    du = K dr,    K = sum 1/m I + [a] J^-1 [a]'
 *
 * Batches and rows of one colour share no moving body, so a colour is a parallel loop; the last
 * colour may share bodies and is marked as sequential.  Empty lanes and points are zero and belong
 * to the world, which has no inverse mass.  The velocities of a body fill whole cache lines: one
 * for a rigid body (mo_motion), the last one for the world.
 */
#ifndef MO_PROBLEM_BATCHES_H
#define MO_PROBLEM_BATCHES_H

#include "problem/compact.h"

enum { MO_LANES = 8, MO_LINE = 8 /* doubles in a cache line */ };

/* A rigid body: a cache line of the state. */
typedef struct mo_motion {
    double v[3], spin[3];
    double inverse_mass, inverse_inertia; /* the latter where it is isotropic */
} mo_motion;

/* One point of each of MO_LANES manifolds: x of all lanes, then y, then z. */
typedef struct mo_points {
    double n[3 * MO_LANES], w[3 * MO_LANES];
    double mu[MO_LANES];
    double inverse_N[MO_LANES]; /* 1 / W_NN */
    double inverse_T[MO_LANES]; /* 1 / the largest eigenvalue of W_TT */
    double apart[MO_LANES];     /* 1 / c with c diag(W_NN, W_T, W_T) >= W: 1 without coupling */
    double arms[]; /* central: l_1, l_2 of all lanes; else a_1, a_2 and W_TN, each as n */
} mo_points;
enum {
    MO_POINTS_HEAD = sizeof(mo_points) / sizeof(double),
    MO_POINTS_CENTRAL = MO_POINTS_HEAD + 2 * MO_LANES,
    MO_POINTS_GENERAL = MO_POINTS_HEAD + 9 * MO_LANES
};

typedef struct mo_batch {
    int line[2][MO_LANES]; /* of the two bodies in the state */
    size_t data;           /* its mo_points, consecutively, from this double on */
    int point;             /* the number of its first point among those of all batches */
    int point_count;
    int is_central;
    int touches_world; /* the world is among its bodies */
} mo_batch;

/* A constraint in rows: u = J v + w, and the effect of an impulse on the state. */
typedef struct mo_row_block {
    int constraint;
    size_t data; /* in row_data: W_ii + compliance (d x d), then J of all bodies */
    size_t push; /* in row_data: J M^-1 of all bodies */
} mo_row_block;

/* A colour.  Outer batches and rows come first; without an order from outside all are outer. */
typedef struct mo_colour_group {
    int first_batch, last_batch, first_row, last_row;
    int inner_batch, inner_row; /* where the inner ones begin */
} mo_colour_group;

/*
 * An order that is given: colours, and which constraints come first in theirs.  Each colour has a
 * group, also where nothing has it, and manifolds with different numbers of points share no batch:
 * the arithmetic of a manifold then does not depend on what else is in the problem.
 */
typedef struct mo_batch_order {
    int colour_count;
    const uint8_t *colour;   /* of each constraint; one for all of a manifold */
    const uint8_t *is_outer; /* likewise                                      */
} mo_batch_order;

typedef struct mo_batches {
    const mo_problem *problem;
    const mo_compact *compact;
    int line_count;     /* of the state, the world included */
    int *line_of;       /* of each body */
    double *free_state; /* at r = 0 */
    double *inertia;    /* inverse, xx yy zz xy xz yz and two unused, of each line */
    int group_count;
    mo_colour_group *group;
    int last_is_sequential; /* the last group shares bodies */
    double friction;        /* the largest mu of its contacts */
    int batch_count, point_count, row_count;
    mo_batch *batch;
    int *constraint; /* MO_LANES for each point; -1: none in this lane */
    double *data;    /* of batches, at the start of a cache line */
    mo_row_block *row;
    double *row_data;
    size_t bytes;
    void *memory; /* of the arrays */
} mo_batches;

/* order may be NULL: the colours of hashed_colours.h. */
mo_error mo_batches_create(const mo_problem *problem, const mo_compact *compact,
                           const mo_batch_order *order, mo_batches **batches);
void mo_batches_destroy(const mo_allocator *allocator, mo_batches *batches);

static inline mo_points *mo_batch_points(const mo_batches *batches, const mo_batch *batch, int k)
{
    const size_t size = batch->is_central ? MO_POINTS_CENTRAL : MO_POINTS_GENERAL;
    return (mo_points *)(void *)(batches->data + batch->data + (size_t)k * size);
}

#endif
