/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * The axis of two convex cores: the unit vector n, from a to b, of largest separation or least
 * overlap.
 *
 * The separation s(n) is the minimum of n.(y - x) over points x of a and y of b.  If the cores
 * overlap, the best n is one of:
 *
 *   the normal of a face or a cap;
 *   a normal n = t x u of two curves with tangents t and u: edges, axes of cylinders, rims;
 *   the perpendicular from the axis of a cylinder to a vertex.
 *
 * If they are apart, the lines between two vertices, a vertex and an edge, or a vertex and a rim
 * are candidates as well.  An iteration evaluates the candidates from the features around the
 * support points along n (core.h) and moves to the best, until none is better.  A bound from the
 * two support points avoids most full evaluations.  Rims (rims.c) are tried last.
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

/* False if the best axis does not change. */
MO_EVERYWHERE int mo_axis_step(mo_axis_search *search);

/* Of the smaller size: margin of curves over faces, so that bodies at rest keep their axis. */
#define MO_BETTER_AXIS 1e-10
#define MO_ONE_AXIS 1e-3     /* likewise: an overlap below this has only one axis */
#define MO_SAME_TANGENT 1e-6 /* sine: below it two tangents have no normal */

/* Replaces the best axis by the unit vector m if it separates more, by more than `by`. */
MO_EVERYWHERE int mo_axis_consider(mo_axis_search *search, const double m[3], double by);

/*
 * The same for points of the cores, or of axes of cylinders, which lie `inside` by their radii, if
 * no point is further along m.
 */
MO_EVERYWHERE void mo_axis_consider_points(mo_axis_search *search, const double m[3],
                                           const double on_a[3], const double on_b[3],
                                           double inside, int are_there);

/* Two points of cores that are separated, or overlap slightly, if the separation of the cores is
 * not above their distance. */
MO_ANY int mo_axis_is_proven(const mo_axis_search *s)
{
    return s->best.has_points && s->best.gap > -MO_ONE_AXIS * s->size;
}

/* The part of a step for rims (at least one), from the features along n (rims.c). */
MO_EVERYWHERE void mo_axis_try_rims(mo_axis_search *search, const double n[3]);

/* The axis of two boxes (box_axis.c): false if they are further apart than the reach. */
MO_EVERYWHERE int mo_axis_of_boxes(const mo_core *a, const mo_core *b, double reach, mo_axis *axis);

/* Steps until the axis no longer changes, or is that of two points. */
MO_EVERYWHERE void mo_axis_refine(mo_core *a, mo_core *b, mo_axis *axis);

#endif
