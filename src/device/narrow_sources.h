/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * The narrow phase of convex shapes (collide/narrow.h) for nvcc: the sources themselves, each in a
 * namespace for what is its own.  Functions that they share have the linkage of C, so that one name
 * is one function in every namespace.
 */
#ifndef MO_DEVICE_NARROW_SOURCES_H
#define MO_DEVICE_NARROW_SOURCES_H

#include <float.h>
#include <math.h>
#include <string.h>

#include "collide/convex.h"
#include "collide/epa.h"
#include "linalg/vec3.h"

/* The list has the room that it was given. */
MO_EVERYWHERE void mo_touch_add(mo_touch_list *list, const mo_touch *touch)
{
    if (!isfinite(touch->gap)) {
        return;
    }
    if ((size_t)list->count == list->room) {
        list->is_short = 1;
        return;
    }
    list->touch[list->count++] = *touch;
}

namespace of_hull_support {
#include "collide/hull_support.c"
}
namespace of_core {
#include "collide/core.c"
}
namespace of_gjk {
#include "collide/gjk.c"
}
namespace of_epa {
#include "collide/epa.c"
}
namespace of_axis {
#include "collide/axis.c"
}
namespace of_box_axis {
#include "collide/box_axis.c"
}
namespace of_flat {
#include "collide/flat.c"
}
namespace of_manifold {
#include "collide/manifold.c"
}
namespace of_convex {
#include "collide/convex.c"
}
namespace of_round {
#include "collide/round.c"
}
namespace of_ball_hull {
#include "collide/ball_hull.c"
}
namespace of_cylinder {
#include "collide/cylinder.c"
}

#endif
