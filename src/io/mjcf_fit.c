/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Primitives fitted to a mesh, as MuJoCo does: in the frame of its principal axes, with the size of
 * the box that has its mass and inertia.  z is along the longest edge.
 */
#include <math.h>

#include "io/mjcf.h"
#include "linalg/principal.h"
#include "linalg/vec3.h"

/* Half edges of that box in increasing order; its axes are the columns of the rotation Q. */
static void inertia_box(const mo_mass *mass, double half[3], double Q[9])
{
    double value[3], axes[9], x[3], y[3], z[3];
    mo_principal_axes(mass->inertia, value, axes);
    const int least =
        value[1] < value[0] ? (value[2] < value[1] ? 2 : 1) : 2 * (value[2] < value[0]);
    const int one = (least + 1) % 3, two = (least + 2) % 3;
    const int order[3] = {value[one] < value[two] ? two : one, value[one] < value[two] ? one : two,
                          least};
    for (int k = 0; k < 3; ++k) {
        const double square = value[0] + value[1] + value[2] - 2 * value[order[k]];
        half[k] = mass->mass > 0 ? sqrt(fmax(1.5 * square / mass->mass, 0)) : 0;
        x[k] = axes[3 * k + order[0]];
        y[k] = axes[3 * k + order[1]];
    }
    mo_vec3_cross(x, y, z);
    for (int k = 0; k < 3; ++k) {
        mo_vec3_set(Q + 3 * k, x[k], y[k], z[k]);
    }
}

bool mo_mjcf_fit(mo_mjcf *m, const mo_xml_node *node, mo_shape_kind kind, const mo_mass *mass,
                 mo_pose *pose, double size[3])
{
    double half[3], Q[9], scale = 1;
    mo_pose of = mo_pose_identity();
    MO_PASS(mo_mjcf_number(m, node, "geom", "fitscale", &scale));
    inertia_box(mass, half, Q);
    MO_FAIL_IF(!(scale * half[0] > 0),
               mo_reader_fail(m->r, node, "cannot be fitted to a mesh without volume"));
    mo_vec3_scale(scale, half, size);
    mo_vec3_copy(mass->centre, of.position);
    mo_quat_from_matrix(Q, of.orientation);
    if (kind == MO_SHAPE_BALL) {
        size[0] = (size[0] + size[1] + size[2]) / 3;
    } else if (kind == MO_SHAPE_CAPSULE || kind == MO_SHAPE_CYLINDER) {
        size[0] = (size[0] + size[1]) / 2;
        size[1] = kind == MO_SHAPE_CAPSULE ? fmax(size[2] - size[0] / 2, 0) : size[2];
    }
    *pose = mo_pose_compose(pose, &of);
    return true;
}
