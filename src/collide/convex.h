/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Two convex cores: from their poses to the touches.
 *
 *   1. A direction near the axis, from the cores shrunk about their centres (gjk.h).  Most pairs
 *      that are too far from each other end here.
 *   2. The axis itself, from the features around that direction (axis.h); of two boxes in closed
 *      form (box_axis.c), which replaces 1.
 *   3. The touches: the corners of the overlap of what the cores turn to each other, seen along the
 *      axis (manifold.h); for rods that cross their ends besides.
 *
 * Where a touch is as near as the axis says, or the axis is that of two points of the cores, it is
 * the best near by, and, if they are apart, the best of all.  Else, of cores that are apart, the
 * axis comes from the nearest points; of cores that overlap otherwise, or by more than DEEP of
 * their size, from the polytope (epa.h).  Nothing is kept from call to call.
 */
#ifndef MO_COLLIDE_CONVEX_H
#define MO_COLLIDE_CONVEX_H

#include "collide/manifold.h"

/*
 * Appends touches with normals from a to b, all points moved by `origin`; of a cylinder and
 * something else the cylinder is a.
 */
MO_EVERYWHERE void mo_collide_cores(mo_core *a, mo_core *b, const double origin[3], double reach,
                                    mo_touch_list *out);

/* The same of the cores without their radii. */
MO_EVERYWHERE void mo_touch_cores(mo_core *a, mo_core *b, const double origin[3], double reach,
                                  mo_touch_list *out);

/*
 * Appends the touches of two cores along an axis, and returns the least of their gaps without the
 * radii: what mo_manifold returns.
 */
MO_EVERYWHERE double mo_touch_along(mo_core *a, mo_core *b, const mo_axis *axis,
                                    const double origin[3], double reach, mo_touch_list *out);

#endif
