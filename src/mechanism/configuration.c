/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Integration of configurations: numbers by h v, quaternions by the rotation of h times the angular
 * velocity in link axes.
 */
#include "mechanism/linkage.h"

static void turn(const double q[4], const double spin[3], double h, double out[4])
{
    double phi[3], by[4], turned[4];
    mo_vec3_scale(h, spin, phi);
    mo_quat_rotation(phi, by);
    mo_quat_multiply(q, by, turned);
    mo_quat_normalise(turned);
    memcpy(out, turned, sizeof turned);
}

void mo_linkage_move(const mo_linkage *linkage, const double *q, const double *v, double h,
                     double *out)
{
    for (int k = 0; k < linkage->joints; ++k) {
        const mo_linkage_joint *joint = linkage->joint + k;
        const double *from = q + joint->q_at, *by = v + joint->v_at;
        double *to = out + joint->q_at;
        switch (joint->kind) {
        case MO_AXIS_BALL:
            turn(from, by, h, to);
            break;
        case MO_AXIS_FREE:
            mo_vec3_along(from, h, by, to);
            turn(from + 3, by + 3, h, to + 3);
            break;
        case MO_AXIS_PLANAR:
            mo_vec3_along(from, h, by, to);
            break;
        default:
            to[0] = from[0] + h * by[0];
        }
    }
}

int mo_linkage_has_turns(const mo_linkage *linkage, const double *q)
{
    int good = 1;
    for (int k = 0; k < linkage->joints && good; ++k) {
        const int at = mo_linkage_turn_at(linkage->joint + k);
        double square = at < 0;
        for (int i = at; at >= 0 && i < at + 4; ++i)
            square += q[i] * q[i];
        good = square > 1e-200 && isfinite(square);
    }
    return good;
}

void mo_linkage_normalise(const mo_linkage *linkage, double *q)
{
    for (int k = 0; k < linkage->joints; ++k) {
        const int at = mo_linkage_turn_at(linkage->joint + k);
        if (at >= 0) mo_quat_normalise(q + at);
    }
}

void mo_rotation_vector(const double q[4], double phi[3])
{
    const double sine = mo_vec3_norm(q + 1), sign = q[0] < 0 ? -1 : 1;
    const double angle = 2 * atan2(sine, fabs(q[0]));
    mo_vec3_scale(sine > 0 ? sign * angle / sine : 2 * sign, q + 1, phi);
}
