/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* Positions, and orientations as quat, axisangle, euler, xyaxes or zaxis. */
#include <ctype.h>
#include <math.h>
#include <string.h>

#include "io/mjcf.h"
#include "linalg/vec3.h"

static bool fail_short(mo_mjcf *m, const mo_xml_node *node, const char *attribute)
{
    return mo_reader_fail(m->r, node, "has a %s of length zero", attribute);
}

static bool from_quat(mo_mjcf *m, const mo_xml_node *node, const double x[4], double q[4])
{
    double norm = 0;
    for (int k = 0; k < 4; ++k)
        norm = hypot(norm, x[k]);
    MO_FAIL_IF(!(norm > 1e-14), fail_short(m, node, "quat"));
    for (int k = 0; k < 4; ++k)
        q[k] = x[k] / norm;
    mo_quat_normalise(q);
    return true;
}

static bool from_axis_angle(mo_mjcf *m, const mo_xml_node *node, const double x[4], double q[4])
{
    double axis[3];
    const double length = mo_vec3_norm(x);
    MO_FAIL_IF(!(length > 1e-14), fail_short(m, node, "axisangle"));
    mo_vec3_scale(1 / length, x, axis);
    mo_quat_about(axis, x[3] * mo_mjcf_by(m, node)->degree, q);
    return true;
}

/* Lower case letters are axes of the rotating frame, upper case ones are fixed. */
static void from_euler(const mo_mjcf *m, const mo_xml_node *node, const double x[3], double q[4])
{
    double all[4] = {1, 0, 0, 0};
    for (int k = 0; k < 3; ++k) {
        const char letter = mo_mjcf_by(m, node)->sequence[k];
        const int axis = tolower((unsigned char)letter) - 'x';
        const double unit[3] = {axis == 0, axis == 1, axis == 2};
        double turn[4], next[4];
        mo_quat_about(unit, x[k] * mo_mjcf_by(m, node)->degree, turn);
        if (islower((unsigned char)letter))
            mo_quat_multiply(all, turn, next);
        else
            mo_quat_multiply(turn, all, next);
        memcpy(all, next, sizeof all);
    }
    memcpy(q, all, sizeof all);
    mo_quat_normalise(q);
}

static bool from_xy_axes(mo_mjcf *m, const mo_xml_node *node, const double x[6], double q[4])
{
    double a[3], b[3], c[3];
    const double length = mo_vec3_norm(x);
    MO_FAIL_IF(!(length > 1e-14), fail_short(m, node, "x axis"));
    mo_vec3_scale(1 / length, x, a);
    mo_vec3_along(x + 3, -mo_vec3_dot(a, x + 3), a, b);
    const double rest = mo_vec3_norm(b);
    MO_FAIL_IF(!(rest > 1e-10 * mo_vec3_norm(x + 3)) || rest == 0,
               mo_reader_fail(m->r, node, "has xyaxes that are parallel"));
    mo_vec3_scale(1 / rest, b, b);
    mo_vec3_cross(a, b, c);
    const double Q[9] = {a[0], b[0], c[0], a[1], b[1], c[1], a[2], b[2], c[2]};
    mo_quat_from_matrix(Q, q);
    return true;
}

bool mo_mjcf_frame(mo_mjcf *m, const mo_xml_node *node, const char *kind, mo_pose *pose)
{
    static const struct {
        const char *name;
        int count;
    } WAYS[] = {{"quat", 4}, {"axisangle", 4}, {"euler", 3}, {"xyaxes", 6}, {"zaxis", 3}};
    double x[6];
    MO_PASS(mo_mjcf_numbers(m, node, kind, "pos", 3, 3, pose->position, NULL));
    /* Of the element itself first: an explicit value overrides that of the class. */
    int way = -1, count = 0, given = 0;
    for (int own = 1; own >= 0 && way < 0; --own) {
        for (int k = 0; k < 5; ++k) {
            if (mo_mjcf_get(m, node, own ? NULL : kind, WAYS[k].name)) {
                way = k;
                ++given;
            }
        }
    }
    if (m->r->error || way < 0) return !m->r->error;
    MO_FAIL_IF(given > 1, mo_reader_fail(m->r, node, "has %d orientations; give one", given));
    MO_PASS(mo_mjcf_numbers(m, node, kind, WAYS[way].name, WAYS[way].count, WAYS[way].count, x,
                            &count));
    double *q = pose->orientation;
    switch (way) {
    case 0:
        return from_quat(m, node, x, q);
    case 1:
        return from_axis_angle(m, node, x, q);
    case 2:
        from_euler(m, node, x, q);
        return true;
    case 3:
        return from_xy_axes(m, node, x, q);
    default:
        return mo_quat_from_z(x, q) || fail_short(m, node, "zaxis");
    }
}
