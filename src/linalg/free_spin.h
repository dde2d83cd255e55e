/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* Rotations without sin and cos, whose last bits differ between libraries, and free rotation. */
#ifndef MO_LINALG_FREE_SPIN_H
#define MO_LINALG_FREE_SPIN_H

#include "linalg/vec3.h"

/* (cos |p|, p sin |p| / |p|): halved until a short series is exact, then squared as often. */
MO_ANY void mo_half_turn(const double phi[3], double q[4])
{
    int halvings = 0;
    double p[3], s = mo_vec3_dot(phi, phi);
    mo_vec3_copy(phi, p);
    for (; s > MO_SHORT && halvings < 60; ++halvings) {
        s = 0.25 * s;
        mo_vec3_scale(0.5, p, p);
    }
    mo_quat_of_short(p, s, q);
    for (; halvings > 0; --halvings) {
        const double w = q[0];
        q[0] = w * w - (q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
        q[1] = 2 * w * q[1], q[2] = 2 * w * q[2], q[3] = 2 * w * q[3];
    }
}

/* q turned by h spin. */
MO_ANY void mo_turn_by(const double spin[3], double h, double q[4])
{
    double phi[3], t[4], out[4];
    mo_vec3_scale(0.5 * h, spin, phi);
    mo_half_turn(phi, t);
    mo_quat_multiply(t, q, out);
    mo_quat_normalise(out);
    memcpy(q, out, sizeof out);
}

/* y = exp(-phi) x: x turned back by the rotation vector phi. */
MO_ANY void mo_turn_back(const double phi[3], int by_series, const double x[3], double y[3])
{
    double minus[3], q[4];
    mo_vec3_scale(by_series ? -0.5 : -1, phi, minus);
    if (by_series)
        mo_half_turn(minus, q);
    else
        mo_quat_rotation(minus, q);
    mo_quat_turn(q, x, y);
}

/* y with J0 y = exp(-h y) l (sim/advance.c). */
MO_ANY void mo_spin_freely(const double J0[9], const double l[3], double h, int by_series,
                           double y[3])
{
    enum { STEPS = 20 };
    double before = 0; /* square of the last correction */
    mo_mat3_solve(J0, l, y);
    for (int step = 0; step < STEPS; ++step) {
        double phi[3], turned[3], residual[3], A[9], correction[3];
        mo_vec3_scale(h, y, phi);
        mo_turn_back(phi, by_series, l, turned);
        mo_mat3_apply(J0, y, residual);
        mo_vec3_minus(residual, turned, residual);
        /* d/dy exp(-h y) l = h [turned]_x (I - [phi]_x / 2), to second order in h; to first order
         * beyond a radian, where A would no longer be definite */
        const double c[3] = {h * turned[0], h * turned[1], h * turned[2]};
        if (mo_vec3_dot(phi, phi) > 1) memset(phi, 0, sizeof phi);
        const double half = 0.5 * mo_vec3_dot(c, phi);
        const double skew[9] = {half, -c[2], c[1], c[2], half, -c[0], -c[1], c[0], half};
        for (int k = 0; k < 9; ++k)
            A[k] = J0[k] - skew[k] + 0.5 * phi[k / 3] * c[k % 3];
        mo_mat3_solve(A, residual, correction);
        mo_vec3_minus(y, correction, y);
        const double now = mo_vec3_dot(correction, correction), small = 1e-32 * mo_vec3_dot(y, y);
        if (now <= 100 * small || now * now <= small * before) /* the next one, by their ratio */
            return;
        before = now;
    }
    /* a solution has y' J0 y = y' l, and so no more energy than J0^-1 l; where a body turns by a
     * radian or more, and none was found, that much is kept */
    double still[3], J0y[3];
    mo_mat3_solve(J0, l, still);
    mo_mat3_apply(J0, y, J0y);
    const double most = mo_vec3_dot(l, still), energy = mo_vec3_dot(y, J0y);
    if (!(energy <= most)) {
        mo_vec3_scale(energy < INFINITY ? sqrt(most / energy) : 0, energy < INFINITY ? y : still,
                      y);
    }
}

#endif
