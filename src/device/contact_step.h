/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * One visit of a contact, and its residual, as problem/batch_contacts.h has them for lanes.
 *
 * A visit solves a contact with the others held, or goes part of the way (1).  Steep visits, for
 * friction above 1, take a projected gradient step with a shift s instead (2):
 *
 *  r_N = max(0, r_N - relax_N u_N / W_NN),   r_T = cut to mu r_N of  r_T - relax_T u_T / W_T    (1)
 *  r = proj_K(r - D^-1 (u + s n)),   s = s + shift_part (mu |u_T| - s)                          (2)
 *
 * with W_T the largest eigenvalue of W_TT, and proj_K in the metric of D = c diag(W_NN, W_T, W_T)
 * >= W.
 */
#ifndef MO_DEVICE_CONTACT_STEP_H
#define MO_DEVICE_CONTACT_STEP_H

#include "device/kernel.h"

/* A vector by its part along the normal and the rest. */
typedef struct mo_split {
    double N, length;
    mo_vec T;
} mo_split;

MO_ANY mo_split mo_split_of(mo_vec a, mo_vec n)
{
    mo_split s;
    s.N = mo_vec_dot(a, n);
    s.T = mo_vec_along(a, -s.N, n);
    s.length = sqrt(mo_vec_dot(s.T, s.T));
    return s;
}

/* Projection on the cone: the normal part, and the factor of the tangential part. */
MO_ANY double mo_project(double mu, double N, double length, double *part)
{
    if (mu * length <= -N) { /* first: with mu = 0 and length = 0, an N below zero is inside, too */
        *part = 0;
        return 0;
    }
    if (length <= mu * N) {
        *part = 1;
        return N;
    }
    const double edge =
        mu > 1 ? (N / mu + length) / (mu + 1 / mu) : (N + mu * length) / (1 + mu * mu);
    *part = mu * edge / length;
    return edge;
}

/* |r - proj_K(r - step (u + mu |u_T| n))|^2 */
MO_ANY double mo_natural_square(double mu, const mo_split *u, const mo_split *r, double step)
{
    double part;
    const mo_vec y_T = mo_vec_along(r->T, -step, u->T);
    const double p_N =
        mo_project(mu, r->N - step * (u->N + mu * u->length), sqrt(mo_vec_dot(y_T, y_T)), &part);
    const mo_vec z_T = mo_vec_along(r->T, -part, y_T);
    return (r->N - p_N) * (r->N - p_N) + mo_vec_dot(z_T, z_T);
}

/* ---- visits ---------------------------------------------------------------------------------- */

/* What a visit needs of a contact. */
typedef struct mo_contact_numbers {
    mo_vec n;
    double mu, step_N, step_T; /* relax_N / W_NN, relax_T / W_T */
} mo_contact_numbers;

/* The change of an impulse, and its square. */
typedef struct mo_impulse_change {
    mo_vec dr;
    double moved;
} mo_impulse_change;

/* (1) at the relative velocity u; K_n: K n, by which a normal impulse moves the point sideways, or
 * NULL if K n is along n.  r becomes the new impulse. */
MO_ANY mo_impulse_change mo_contact_step(const mo_contact_numbers *c, mo_vec u, const mo_vec *K_n,
                                         mo_vec *r)
{
    const double u_N = mo_vec_dot(u, c->n), r_N = mo_vec_dot(*r, c->n);
    const double stop = r_N - u_N * c->step_N;
    const double new_N = stop > 0 ? stop : 0, dN = new_N - r_N;
    const mo_vec r_T = mo_vec_along(*r, -r_N, c->n);
    if (K_n) {
        u = mo_vec_along(u, dN, *K_n);
    }
    const mo_vec u_T = mo_vec_along(u, -mo_vec_dot(u, c->n), c->n);
    const mo_vec stick = mo_vec_along(r_T, -c->step_T, u_T);
    const double part = mo_cut(c->mu * new_N, mo_vec_dot(stick, stick));
    const mo_vec new_T = mo_vec_times(part, stick), dT = mo_vec_minus(new_T, r_T);
    mo_impulse_change step;
    step.dr = mo_vec_along(dT, dN, c->n);
    step.moved = dN * dN + mo_vec_dot(dT, dT);
    *r = mo_vec_along(new_T, new_N, c->n);
    return step;
}

/* (2) with steps divided by c, and metric: sqrt(W_T / W_NN) up to the relaxation. */
MO_ANY mo_impulse_change mo_steep_step(const mo_contact_numbers *c, mo_vec u, double metric,
                                       double shift, mo_vec *r)
{
    const double u_N = mo_vec_dot(u, c->n), r_N = mo_vec_dot(*r, c->n);
    const mo_vec u_T = mo_vec_along(u, -u_N, c->n), r_T = mo_vec_along(*r, -r_N, c->n),
                 x_T = mo_vec_along(r_T, -c->step_T, u_T);
    double part;
    const double new_N = mo_project(metric * c->mu, r_N - c->step_N * (u_N + shift),
                                    metric * sqrt(mo_vec_dot(x_T, x_T)), &part);
    const mo_vec new_T = mo_vec_times(part, x_T), dT = mo_vec_minus(new_T, r_T);
    const double dN = new_N - r_N;
    mo_impulse_change step;
    step.dr = mo_vec_along(dT, dN, c->n);
    step.moved = dN * dN + mo_vec_dot(dT, dT);
    *r = mo_vec_along(new_T, new_N, c->n);
    return step;
}

/* The shift after the visit, at its relative velocity. */
MO_ANY double mo_shift_next(const mo_contact_numbers *c, mo_vec u, double shift, double shift_part)
{
    return shift + shift_part * (c->mu * mo_split_of(u, c->n).length - shift);
}

#endif
