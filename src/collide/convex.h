/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Contact points of two convex cores.
 *
 *   1. A direction near the axis, from the cores shrunk about their centres (gjk.h), or of two
 *      rods in closed form (rods.h).  Most distant pairs end here.
 *   2. The axis itself, from the features around that direction (axis.h).  For two boxes and for
 *      crossing rods a closed form (box_axis.c, rods.h) replaces 1 and 2.
 *   3. The contact points: vertices of the overlap of the facing features, seen along the axis
 *      (manifold.h); for crossing rods also their ends.
 *
 * The axis is a local optimum if a contact point is as near as its separation, or if it joins two
 * points of the cores; for separated cores it is then the global one.  Otherwise the axis comes
 * from the nearest points of separated cores, or from the polytope (epa.h) if the cores overlap, in
 * particular by more than DEEP of their size.  A normal of the last step is tried first.
 */
#ifndef MO_COLLIDE_CONVEX_H
#define MO_COLLIDE_CONVEX_H

#include "collide/manifold.h"

/*
 * Appends touches of the cores without their radii, with normals from a to b, all points moved by
 * `origin`; of a cylinder and something else the cylinder is a.
 */
MO_EVERYWHERE void mo_touch_cores(mo_core *a, mo_core *b, const double origin[3], double reach,
                                  mo_touch_list *out);

/*
 * Appends the touches of two cores along an axis, and returns the least of their gaps without the
 * radii: what mo_manifold returns.
 */
MO_EVERYWHERE double mo_touch_along(mo_core *a, mo_core *b, const mo_axis *axis,
                                    const double origin[3], double reach, mo_touch_list *out);

#endif
