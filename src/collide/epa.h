/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Penetration depth of two overlapping convex cores, by the expanding polytope algorithm.
 *
 * With A and B the cores, the origin lies in A - B, and the point of its surface nearest to the
 * origin gives the shortest separation.  The nearest face of a polytope of points of A - B around
 * the origin is a lower bound, and the support along its normal an upper bound.  The support point
 * becomes a vertex and replaces the faces that see it, until both bounds agree.
 *
 * For polyhedra the iteration is finite; for round cores it stops at a relative difference of 1e-3,
 * and mo_axis_refine completes it.
 */
#ifndef MO_COLLIDE_EPA_H
#define MO_COLLIDE_EPA_H

#include "collide/gjk.h"

/*
 * From the simplex of mo_gjk_distance: the unit vector along which b leaves a; 0 if there is none.
 */
MO_EVERYWHERE int mo_epa_direction(mo_core *a, mo_core *b, const mo_simplex *simplex, double n[3]);

#endif
