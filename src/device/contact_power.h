/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * The power reported by mo_measure is the sum over all contacts of max(|r_N u_N|, |mu r_N |u_T| +
 * r_T . u_T|), which is zero if complementarity and Coulomb's law hold.
 *
 * In a heap whose weight is not carried, all impulses are too small.  A factor of all of them
 * leaves them in their cones; their work r . (u + mu |u_T| n) is zero for
 *
 *     factor = 1 - work / r' W r
 */
#ifndef MO_DEVICE_CONTACT_POWER_H
#define MO_DEVICE_CONTACT_POWER_H

#include "device/manifold_visit.h"
#include "linalg/vec3.h"

/* ---- exchanged power ------------------------------------------------------------------------- */

typedef struct mo_exchange_args {
    const mo_line *line, *free_line;
    const double *inertia; /* inverse, or NULL: isotropic */
} mo_exchange_args;

/* x' I^-1 x */
MO_ANY double mo_turning(const double *I, mo_vec x)
{
    const double all[9] = {I[0], I[3], I[4], I[3], I[1], I[5], I[4], I[5], I[2]},
                 by[3] = {x.x, x.y, x.z};
    double y[3];
    mo_mat3_solve(all, by, y);
    return mo_vec3_dot(by, y);
}

/* dv' M dv of a body, dv from the velocities without impulses: r' W r. */
MO_ANY mo_term mo_kernel_exchange(const mo_exchange_args *a, int i)
{
    const mo_side now = mo_side_read(a->line, i), before = mo_side_read(a->free_line, i);
    const mo_vec v = mo_vec_minus(now.v, before.v), spin = mo_vec_minus(now.spin, before.spin);
    const double turning = a->inertia ? mo_turning(a->inertia + 8 * (size_t)i, spin)
                                      : mo_vec_dot(spin, spin) / now.inverse_inertia;
    const mo_term term = {mo_vec_dot(v, v) / now.inverse_mass + turning, 0};
    return term;
}

/* ---- all impulses in proportion -------------------------------------------------------------- */

typedef struct mo_scale_args {
    const mo_term *work, *exchange;
    double *r, *other; /* impulses, now and before the last sweep */
    mo_line *line;
    const mo_line *free_line;
    double *before; /* as mo_visit_args */
    mo_pace *pace;  /* its guard of the momentum starts anew */
} mo_scale_args;

MO_ANY double mo_scale_of(const mo_scale_args *a)
{
    const double LEAST = 0.5, MOST = 2;
    const double part = a->exchange->sum > 0 ? 1 - a->work->sum / a->exchange->sum : 1;
    return part < LEAST ? LEAST : part > MOST ? MOST : part;
}

/* i: of all components */
MO_ANY void mo_kernel_scale_impulse(const mo_scale_args *a, int i)
{
    const double part = mo_scale_of(a);
    a->r[i] *= part;
    a->other[i] *= part;
}

/* The velocities that the impulses cause, in the same proportion. */
MO_ANY void mo_kernel_scale_state(const mo_scale_args *a, int i)
{
    const double part = mo_scale_of(a);
    const mo_line start = a->free_line[i];
    double *before = a->before + (size_t)i * 6;
    mo_line line = a->line[i];
    for (int k = 0; k < 3; ++k) {
        line.v[k] = start.v[k] + part * (line.v[k] - start.v[k]);
        line.spin[k] = start.spin[k] + part * (line.spin[k] - start.spin[k]);
        before[k] = start.v[k] + part * (before[k] - start.v[k]);
        before[3 + k] = start.spin[k] + part * (before[3 + k] - start.spin[k]);
    }
    a->line[i] = line;
    if (i == 0) a->pace->momentum.least_moved = INFINITY;
}

#endif
