/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Distance of two convex cores, by the algorithm of Gilbert, Johnson and Keerthi.
 *
 * The point v of A - B nearest to the origin gives the distance |v| and the nearest points.  The
 * search uses simplices of at most four points w = a - b.  An iteration adds the support point w
 * along -v and keeps the smallest face of the simplex that contains its nearest point.  Since v.w
 * bounds |v| times the distance from below, |v|^2 - v.w is an error bound; the iteration ends when
 * it is rounding or no longer decreases.
 *
 * For polyhedra the iteration is finite.  Overlap is detected but not measured.
 */
#ifndef MO_COLLIDE_GJK_H
#define MO_COLLIDE_GJK_H

#include "collide/core.h"

typedef struct mo_simplex_corner {
    double w[3], a[3], b[3]; /* w = a - b */
} mo_simplex_corner;

typedef struct mo_simplex {
    int count;
    mo_simplex_corner at[4];
    double part[4]; /* of the nearest point */
} mo_simplex;

typedef enum mo_direction { MO_DIRECTION, MO_NO_DIRECTION, MO_NO_DIRECTION_FAR } mo_direction;

/*
 * A unit vector n from a to b near the best axis, also where they touch or overlap a little: that
 * of the cores shrunk about their centres.  There is none where these overlap, too, or where the
 * cores are further apart than the reach.
 */
MO_EVERYWHERE mo_direction mo_gjk_direction(mo_core *a, mo_core *b, double reach, double n[3]);

/*
 * The distance and the two nearest points; 0 if the cores overlap or touch, to rounding, with a
 * simplex about the origin.
 */
MO_EVERYWHERE double mo_gjk_distance(mo_core *a, mo_core *b, mo_simplex *simplex, double on_a[3],
                                     double on_b[3]);

#endif
