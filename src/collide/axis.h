/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * The axis of two convex cores: the unit vector n, from a to b, along which they are furthest apart
 * or overlap least.
 *
 * The separation s(n) is the least of n.(y - x) over points x of a and y of b.  Where the cores
 * overlap, a best n is always one of these, since a ball inside A - B touches no edge of it from
 * within:
 *
 *   the normal of a face or a cap;
 *   a normal n = t x u of two curves with tangents t and u: edges, axes of cylinders, rims;
 *   the perpendicular from the axis of a cylinder to a corner.
 *
 * Where they are apart there are besides the lines between two corners, a corner and an edge, a
 * corner and a rim. A step takes these candidates from the features around the two points that are
 * furthest along n (core.h) and goes to the best; the next looks again from there, until nothing is
 * better.  A candidate is bounded by what the two points say of it, so that few are looked at in
 * full.  Tangents of rims follow from Newton's method on t.(y - x) = u.(y - x) = 0; rims come last,
 * where nothing else is better.
 */
#ifndef MO_COLLIDE_AXIS_H
#define MO_COLLIDE_AXIS_H

#include "collide/gjk.h"

typedef struct mo_axis {
    double normal[3]; /* unit, from a to b */
    double gap;
    int is_face;    /* the normal is that of a face or cap */
    int has_points; /* the axis is that of two points, one on each core or its lines */
    double on_a[3], on_b[3];
} mo_axis;

typedef struct mo_axis_search {
    mo_core *a, *b;
    double size; /* the smaller one */
    mo_axis best;
    mo_feature of_a, of_b; /* along best.normal */
    double between[3];     /* from the point of a to that of b */
    int steps, is_better;
} mo_axis_search;

MO_EVERYWHERE void mo_axis_begin(mo_axis_search *search, mo_core *a, mo_core *b,
                                 const double normal[3]);

/* False where the best axis stays. */
MO_EVERYWHERE int mo_axis_step(mo_axis_search *search);

/* The axis of two boxes (box_axis.c): false where they are further apart than the reach. */
MO_EVERYWHERE int mo_axis_of_boxes(const mo_core *a, const mo_core *b, double reach, mo_axis *axis);

/* Steps until the axis stays, or is that of two points. */
MO_EVERYWHERE void mo_axis_refine(mo_core *a, mo_core *b, mo_axis *axis);

#endif
