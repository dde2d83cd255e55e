/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Impulses away from the edges.
 *
 * Where contacts are redundant many r cause the same v, and a method may return one of them that
 * lies on the rim of a cone or lets a contact carry nothing, though others do not.  The modes are
 * those of the whole set of solutions, so they are read off an r inside it.
 *
 * At fixed v and u a block may change r as follows: as it likes inside its set where u_i = 0; along
 * its ray where it slides; not at all where it is apart, where it is compliant (r is unique there),
 * or at a bound that holds it.  With J_i the projector on these directions, the changes with H dr =
 * 0 are the null space of
 *
 *     A = (I - J) + J W          (J dr = dr and J W dr = 0 give dr' W dr = 0)
 *
 * which is of the form of least_norm.h with G = I.  A round draws every block towards the nearest
 * impulse that lies well inside its set (for a cone: in the cone moved up its axis), and takes the
 * part of the shift that lies in that null space: projections in turn on two convex sets, which
 * meet wherever impulses without an edge exist.
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

/* Moves r; true where fewer blocks are on an edge after it, else r is left alone.  best: rows,
 * scratch. */
bool mo_centre_move(const mo_centre *c, double *r, double *best);

#endif
