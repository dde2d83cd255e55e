/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * How two convex cores that overlap are best moved apart: the expanding polytope.
 *
 * With A and B the cores, the origin lies in A - B, and the point of its surface nearest to the
 * origin is the shortest way out.  A polytope of points of A - B that holds the origin bounds that
 * way from below by its nearest face, and the support along the normal of that face bounds it from
 * above.  The polytope takes this support point as a vertex and loses the faces that see it, until
 * both bounds agree.
 *
 * Between polyhedra they agree after finitely many steps; round cores are left where they agree to
 * a thousandth, for mo_axis_refine to finish.
 */
#ifndef MO_COLLIDE_EPA_H
#define MO_COLLIDE_EPA_H

#include "collide/gjk.h"

/*
 * From the simplex that mo_gjk_distance left: the unit vector along which b leaves a; 0 where there
 * is none.
 */
MO_EVERYWHERE int mo_epa_direction(mo_core *a, mo_core *b, const mo_simplex *simplex, double n[3]);

#endif
