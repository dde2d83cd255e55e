/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* Composite shapes: half-spaces are planes at a pose, height fields are meshes. */
#include <math.h>

#include "base/error.h"
#include "linalg/vec3.h"
#include "moreau/shape.h"

/* The rotation that takes z to the unit vector n: about z x n, by half-angle formulas. */
static void turn_z_to(const double n[3], double q[4])
{
    const double w = sqrt(fmax(0, 0.5 * (1 + n[2])));
    if (w < 1e-8) { /* upside down: half a turn about x */
        q[0] = q[2] = q[3] = 0;
        q[1] = 1;
        return;
    }
    q[0] = w;
    q[1] = -n[1] / (2 * w);
    q[2] = n[0] / (2 * w);
    q[3] = 0;
    const double size = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2]);
    for (int k = 0; k < 3; ++k)
        q[k] /= size;
}

/* A normal of zero gives a pose that is not finite, which mo_world_add_shape refuses. */
mo_shape_def mo_shape_half_space(const double normal[3], double offset)
{
    MO_NEED_OR((mo_shape_def){0}, normal, NULL);
    mo_shape_def def = mo_shape_plane();
    double n[3];
    const double length = mo_vec3_norm(normal);
    mo_vec3_scale(1 / length, normal, n);
    turn_z_to(n, def.pose.orientation);
    mo_vec3_scale(offset / length, n, def.pose.position);
    return def;
}

mo_shape_def mo_shape_half_plane(const double normal[2], double offset)
{
    MO_NEED_OR((mo_shape_def){0}, normal, NULL);
    mo_shape_def def = mo_shape_plane();
    const double length = hypot(normal[0], normal[1]);
    const double angle = atan2(-normal[0], normal[1]); /* from y to the normal */
    def.pose = mo_pose_planar(offset * normal[0] / (length * length),
                              offset * normal[1] / (length * length), angle);
    return def;
}

void mo_height_field_mesh(int rows, int columns, double spacing, const double *heights,
                          double *points, int *indices)
{
    MO_NEED_OR(, heights && points && indices, NULL);
    for (int i = 0; i < rows; ++i) {
        for (int j = 0; j < columns; ++j) {
            const int k = i * columns + j;
            mo_vec3_set(points + 3 * (size_t)k, j * spacing, i * spacing, heights[k]);
            if (i + 1 < rows && j + 1 < columns) {
                const int corner[6] = {k, k + 1, k + columns, k + 1, k + columns + 1, k + columns};
                memcpy(indices, corner, sizeof corner);
                indices += 6;
            }
        }
    }
}
