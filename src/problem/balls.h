/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Problems of balls, for sweeps over many contacts at a time: a view of a problem, or made without one by whoever knows that it has balls (the
 * simulator).
 *
 * A problem is one of balls where
 *
 *   every body has           M = diag(m, m, m, J, J, J)
 *   every block is           a hard Coulomb contact in space with one or two bodies
 *   every Jacobian reads     +-(e_k, l e_0 x e_k),  e an orthonormal frame with the normal e_0 first:
 *                            the normal passes through the centre of the body, at a lever l from the point
 *
 * as balls among each other have it, and balls against fixed or driven things of any shape.  With velocities v, s (spin) of the bodies 1 and 2 and all
 * vectors in the axes of the world, whose impulses are then r = sum_k r_k e_k,
 *
 *     u = v_1 - v_2 + (l_1 s_1 - l_2 s_2) x n + w,      W_ii = W_N n n' + W_T (I - n n')
 *     W_N = 1/m_1 + 1/m_2,      W_T = W_N + l_1^2 / J_1 + l_2^2 / J_2
 *
 * so that a contact is a normal, two levers and w, and its exact solution a clamp: r_N = max(0, -b_N / W_N), then -b_T / W_T cut to the length mu r_N.
 *
 * Contacts lie in batches of MO_BALL_LANES, sorted by colour: contacts of a batch, and batches of a colour, share no moving body.  Missing lanes
 * have the world for both bodies, the body after the last, which has no inverse mass.  Only the last colour may share bodies between batches; it
 * says so.
 */
#ifndef MO_PROBLEM_BALLS_H
#define MO_PROBLEM_BALLS_H

#include "problem/problem_data.h"

enum { MO_BALL_LANES = 8 };

/* A contact, vectors in the axes of the world; body_count is the number of the world. */
typedef struct mo_ball_contact {
    double n[3], w[3];
    double lever[2];
    double mu;
    int body[2];
} mo_ball_contact;

typedef struct mo_ball_batch {
    double n[3 * MO_BALL_LANES], w[3 * MO_BALL_LANES]; /* x of all lanes, then y, then z */
    double lever[2][MO_BALL_LANES];
    double mu[MO_BALL_LANES];
    double inverse_N[MO_BALL_LANES], inverse_T[MO_BALL_LANES]; /* 1 / W_N, 1 / W_T */
    int body[2][MO_BALL_LANES];
    int constraint[MO_BALL_LANES]; /* the number of the contact; -1: none in this lane */
    int touches_world;             /* the world is among its bodies                    */
    int unused[7];                 /* a whole number of cache lines                    */
} mo_ball_batch;

/* The state of a body, and what an impulse does to it: a cache line. */
typedef struct mo_ball {
    double v[3], spin[3];
    double inverse_mass, inverse_inertia;
} mo_ball;

typedef struct mo_balls {
    int body_count, contact_count;
    mo_ball_contact *contact;
    mo_ball *free_state; /* at r = 0; body_count + 1 of them, the last one the world, all zero */
    double *
        deepest; /* of each contact: 1 / the u_N < 0 at which it sinks too fast; NULL: any may be */

    int group_count, batch_count;
    int *group_start;       /* batches of colour g: group_start[g] .. group_start[g+1] */
    int last_is_sequential; /* the last group holds batches that share bodies          */
    mo_ball_batch *batch;   /* in batch_memory, at the start of a cache line */
    char *batch_memory;

    size_t contact_room, deepest_room, state_room, group_room, batch_room, scratch_room;
    char *scratch; /* of the colouring */
} mo_balls;

/* Room for so many contacts and bodies; what the arrays held stays. */
mo_error mo_balls_reserve(const mo_allocator *allocator, mo_balls *balls, size_t contacts,
                          size_t bodies);

/* Groups and batches from contacts and states.  Memory of before is used again: start from {0}, end with mo_balls_clear. */
mo_error mo_balls_arrange(const mo_allocator *allocator, mo_balls *balls);
void mo_balls_clear(const mo_allocator *allocator, mo_balls *balls);
size_t mo_balls_bytes(const mo_balls *balls);

/* As a view; *balls = NULL where the problem is not one of balls. */
mo_error mo_balls_create(const mo_problem *problem, mo_balls **balls);
void mo_balls_destroy(const mo_allocator *allocator, mo_balls *balls);

/* The axes e_0, e_1, e_2 of a contact of such a problem: the linear parts of the rows of its first Jacobian. */
static inline const double *mo_ball_axis(const mo_problem *problem, int constraint, int k)
{
    return problem->values + problem->value_start[constraint] + 6 * (size_t)k;
}

#endif
