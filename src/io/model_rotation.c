/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* Conversion of rotations in files to unit quaternions. */
#include <math.h>
#include <string.h>

#include "io/model_reader.h"
#include "linalg/vec3.h"

void mo_quat_about(const double axis[3], double angle, double q[4])
{
    q[0] = cos(angle / 2);
    mo_vec3_scale(sin(angle / 2), axis, q + 1);
}

bool mo_quat_from_z(const double z[3], double q[4])
{
    const double length = mo_vec3_norm(z);
    MO_PASS((length > 1e-14));
    const double up[3] = {0, 0, 1};
    double unit[3], axis[3];
    mo_vec3_scale(1 / length, z, unit);
    mo_vec3_cross(up, unit, axis);
    const double sine = mo_vec3_norm(axis);
    if (sine < 1e-10)
        mo_vec3_set(axis, 1, 0, 0);
    else
        mo_vec3_scale(1 / sine, axis, axis);
    mo_quat_about(axis, atan2(sine, unit[2]), q);
    return true;
}

void mo_quat_from_rpy(const double rpy[3], double q[4])
{
    double all[4] = {1, 0, 0, 0}, turn[4], next[4];
    for (int k = 0; k < 3; ++k) {
        const double axis[3] = {k == 0, k == 1, k == 2};
        mo_quat_about(axis, rpy[k], turn);
        mo_quat_multiply(turn, all, next);
        memcpy(all, next, sizeof all);
    }
    memcpy(q, all, sizeof all);
    mo_quat_normalise(q);
}

void mo_quat_from_matrix(const double Q[9], double q[4])
{
    /* The largest of the four squares is at least a quarter: nothing is lost in its root. */
    const double squares[4] = {1 + Q[0] + Q[4] + Q[8], 1 + Q[0] - Q[4] - Q[8],
                               1 - Q[0] + Q[4] - Q[8], 1 - Q[0] - Q[4] + Q[8]};
    int k = 0;
    for (int i = 1; i < 4; ++i)
        k = squares[i] > squares[k] ? i : k;
    const double x = Q[7] - Q[5], y = Q[2] - Q[6], z = Q[3] - Q[1];
    const double xy = Q[1] + Q[3], xz = Q[2] + Q[6], yz = Q[5] + Q[7];
    const double all[4][4] = {{squares[0], x, y, z},
                              {x, squares[1], xy, xz},
                              {y, xy, squares[2], yz},
                              {z, xz, yz, squares[3]}};
    memcpy(q, all[k], sizeof all[k]);
    mo_quat_normalise(q);
}
