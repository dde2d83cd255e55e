/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * The narrow phase of convex shapes (collide/narrow.h) for nvcc: its sources as one translation
 * unit, in which private names are unique.
 */
#ifndef MO_DEVICE_NARROW_SOURCES_H
#define MO_DEVICE_NARROW_SOURCES_H

#include <float.h>
#include <math.h>
#include <string.h>

#include "collide/convex.h"
#include "collide/epa.h"
#include "collide/rods.h"
#include "linalg/vec3.h"

/* The list has fixed capacity. */
MO_EVERYWHERE void mo_touch_add(mo_touch_list *list, const mo_touch *touch)
{
    if (!isfinite(touch->gap)) return;
    if ((size_t)list->count == list->room) {
        list->is_short = 1;
        return;
    }
    list->touch[list->count++] = *touch;
}

#include "collide/axis.c"
#include "collide/ball_hull.c"
#include "collide/box_axis.c"
#include "collide/convex.c"
#include "collide/core.c"
#include "collide/cylinder.c"
#include "collide/epa.c"
#include "collide/flat.c"
#include "collide/gjk.c"
#include "collide/hull_support.c"
#include "collide/manifold.c"
#include "collide/rims.c"
#include "collide/rods.c"
#include "collide/round.c"

#endif
