/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Impulses away from the edges of their sets.
 *
 * For redundant contacts many r cause the same v.  A method may return an r on the boundary of a
 * cone, or one with an unloaded contact, although others are interior.  The modes belong to the
 * whole set of solutions, so they are taken from an interior r.
 *
 * At fixed v and u a block may change r freely if u_i = 0, along its ray if it slides, and not at
 * all if it is open, compliant or held at a bound.  With J_i the projector on these directions, the
 * changes with H dr = 0 are the null space of
 *
 *     A = (I - J) + J W          (J dr = dr and J W dr = 0 give dr' W dr = 0)
 *
 * as in least_norm.h with G = I.  An iteration moves every block towards the nearest impulse well
 * inside its set and projects the shift on that null space: alternating projections on two convex
 * sets, which intersect if interior impulses exist.
 */
#ifndef MO_GRADIENT_CENTRE_H
#define MO_GRADIENT_CENTRE_H

#include "gradient/least_norm.h"
#include "moreau/gradient.h"

typedef struct mo_centre {
    const mo_problem *problem;
    mo_least_norm *system; /* its J, JG and active are the next three: they are overwritten */
    double *J, *JG;
    uint8_t *active;
    const double *u;      /* rows: the velocity that the laws see */
    double edge;          /* in units of u: nearer than this is on an edge */
    double *shift, *step; /* rows: scratch */
} mo_centre;

/* Moves r; true if this leaves fewer blocks on an edge, otherwise r does not change.  best: rows,
 * scratch. */
bool mo_centre_move(const mo_centre *c, double *r, double *best);

#endif
