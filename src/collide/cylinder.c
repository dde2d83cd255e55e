/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Cylinders with planes, and the nearest point of a cylinder, in closed form; convex.h handles
 * other shapes.
 *
 * A standing cylinder touches a plane at six points of its rim that rotate with it, a lying
 * cylinder at the two ends of its lowest line.  A tilted cylinder also touches at its lowest point,
 * which is exact, so the rim rolls as a circle.
 */
#include <math.h>

#include "collide/manifold.h"
#include "linalg/vec3.h"

enum { RIM_TOUCHES = 8 };

MO_EVERYWHERE void mo_collide_cylinder_plane(const mo_placed *a, const mo_placed *b, double reach,
                                             mo_touch_list *out)
{
    const double z[3] = {0, 0, 1};
    double up[3], down[3], above[3];
    mo_vector_out(&b->pose, z, up);
    mo_vec3_scale(-1, up, down);
    mo_vec3_minus(a->pose.position, b->pose.position, above);
    const double height = mo_vec3_dot(above, up);
    mo_core core;
    mo_flat flat;
    mo_core_place(a, a->pose.position, &core);
    mo_core_flat(&core, down, &flat);
    for (int k = 0; k < flat.count; ++k) {
        const double gap = height + mo_vec3_dot(flat.corner[k], up);
        if (gap <= reach) {
            double here[3], foot[3];
            mo_vec3_along(a->pose.position, 1, flat.corner[k], here);
            mo_vec3_along(here, -gap, up, foot);
            const int is_rim = flat.count > 2;
            mo_touch_between(here, foot, down, gap,
                             (uint32_t)(is_rim * RIM_TOUCHES + flat.label[k]), out);
        }
    }
}

MO_EVERYWHERE double mo_nearest_on_cylinder(double radius, double half, const double x[3],
                                            double normal[3])
{
    const double rho = sqrt(x[0] * x[0] + x[1] * x[1]), out = rho - radius,
                 above = fabs(x[2]) - half;
    double radial[3] = {1, 0, 0};
    if (rho > 0) mo_vec3_set(radial, x[0] / rho, x[1] / rho, 0);
    const double up = x[2] < 0 ? -1 : 1;
    if (out <= 0 && above <= 0) {
        if (above > out) {
            mo_vec3_set(normal, 0, 0, up);
            return above;
        }
        mo_vec3_copy(radial, normal);
        return out;
    }
    const double across = fmax(0.0, out), along = fmax(0.0, above),
                 distance = sqrt(across * across + along * along);
    mo_vec3_scale(across / distance, radial, normal);
    normal[2] = up * along / distance;
    return distance;
}
