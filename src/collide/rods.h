/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Two rods: cores that surround a segment, of capsules and cylinders.
 *
 * The separation along the line between the nearest points of the two segments and along the
 * normals of caps is known in closed form.  Most distant rods are apart along the best of these.
 * Where both points lie within their segments and theirs is the best, it is the axis (axis.h): two
 * sides cross.  Otherwise the search for the axis starts from the best.
 */
#ifndef MO_COLLIDE_RODS_H
#define MO_COLLIDE_RODS_H

#include "collide/manifold.h"

typedef enum mo_rods { MO_RODS_FAR, MO_RODS_CROSS, MO_RODS_BESIDE } mo_rods;

/* FAR: beyond the reach.  CROSS: this is the axis.  Else its normal is where to start from. */
MO_EVERYWHERE mo_rods mo_rods_axis(mo_core *a, mo_core *b, double reach, mo_axis *axis);

/*
 * Two lines, of capsules or sides of cylinders, that are not parallel meet in one point.  The pair
 * may turn about it, and an end comes down within the step: appends touches of the ends of
 * their flats to those from `first` on.
 */
MO_EVERYWHERE void mo_rods_ends(const mo_core *a, const mo_core *b, const mo_flat of[2],
                                const mo_axis *axis, const double origin[3], double reach,
                                int first, mo_touch_list *out);

#endif
