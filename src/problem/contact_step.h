/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * One visit of a contact, and its residual: in lanes (lanes.h), and number by number on a device
 * (device/kernel.h).  Both define mo_number, mo_vec and the arithmetic on them.
 *
 * A visit solves a contact with the others held, or goes part of the way (1).  Steep visits, for
 * friction above 1, take a projected gradient step with a shift s instead (2):
 *
 *  r_N = max(0, r_N - relax_N u_N / W_NN),   r_T = cut to mu r_N of  r_T - relax_T u_T / W_T    (1)
 *  r = proj_K(r - D^-1 (u + s n)),   s = s + shift_part (mu |u_T| - s)                          (2)
 *
 * with W_T the largest eigenvalue of W_TT, and proj_K in the metric of D = c diag(W_NN, W_T, W_T)
 * >= W.  A contact that a visit does not change obeys Coulomb's law.  Between balls W is diagonal
 * and (1) the exact solution.
 */
#ifndef MO_PROBLEM_CONTACT_STEP_H
#define MO_PROBLEM_CONTACT_STEP_H

/* A vector by its part along the normal and the rest. */
typedef struct mo_split {
    mo_number N, length;
    mo_vec T;
} mo_split;

MO_STEP mo_split mo_split_of(mo_vec a, mo_vec n)
{
    mo_split s;
    s.N = mo_vec_dot(a, n);
    s.T = mo_vec_along(a, -s.N, n);
    s.length = mo_root(mo_vec_dot(s.T, s.T));
    return s;
}

/* Projection on the cone: the normal part, and the factor of the tangential part. */
MO_STEP mo_number mo_project(mo_number mu, mo_number N, mo_number length, mo_number *part)
{
    const mo_number zero = mo_number_of(0), one = mo_number_of(1);
    const mo_number edge = mo_choose(mu > one, (N / mu + length) / (mu + one / mu),
                                     (N + mu * length) / (one + mu * mu));
    /* polar first: with mu = 0 and length = 0, an N below zero is inside, too */
    *part =
        mo_choose(mu * length <= -N, zero, mo_choose(length <= mu * N, one, mu * edge / length));
    return mo_choose(mu * length <= -N, zero, mo_choose(length <= mu * N, N, edge));
}

/* |r - proj_K(r - step (u + mu |u_T| n))|^2 */
MO_STEP mo_number mo_natural_square(mo_number mu, const mo_split *u, const mo_split *r,
                                    mo_number step)
{
    mo_number part;
    const mo_vec y_T = mo_vec_along(r->T, -step, u->T);
    const mo_number p_N =
        mo_project(mu, r->N - step * (u->N + mu * u->length), mo_root(mo_vec_dot(y_T, y_T)), &part);
    const mo_vec z_T = mo_vec_along(r->T, -part, y_T);
    return (r->N - p_N) * (r->N - p_N) + mo_vec_dot(z_T, z_T);
}

/* ---- two bodies ------------------------------------------------------------------------------ */

typedef struct mo_side {
    mo_vec v, spin;
    mo_number inverse_mass, inverse_inertia; /* of the isotropic */
} mo_side;

/* The inverse of an inertia. */
typedef struct mo_inverse {
    mo_number xx, yy, zz, xy, xz, yz;
} mo_inverse;

/* The spin that a moment causes. */
MO_STEP mo_vec mo_turned_by(const mo_inverse *I, mo_vec m)
{
    mo_vec spin;
    spin.x = I->xx * m.x + I->xy * m.y + I->xz * m.z;
    spin.y = I->xy * m.x + I->yy * m.y + I->yz * m.z;
    spin.z = I->xz * m.x + I->yz * m.y + I->zz * m.z;
    return spin;
}

/* Relative velocity, without w, at a point that lies along the normal from both centres. */
MO_STEP mo_vec mo_slip_along(mo_vec n, mo_number lever_1, mo_number lever_2, const mo_side *one,
                             const mo_side *two)
{
    const mo_vec spin =
        mo_vec_minus(mo_vec_times(lever_1, one->spin), mo_vec_times(lever_2, two->spin));
    return mo_vec_plus(mo_vec_minus(one->v, two->v), mo_vec_cross(spin, n));
}

/* At any point. */
MO_STEP mo_vec mo_slip_at(mo_vec arm_1, mo_vec arm_2, const mo_side *one, const mo_side *two)
{
    return mo_vec_plus(mo_vec_minus(one->v, two->v), mo_vec_minus(mo_vec_cross(one->spin, arm_1),
                                                                  mo_vec_cross(two->spin, arm_2)));
}

/* The bodies after a change dr of the impulse. */
MO_STEP void mo_central_push(mo_vec n, mo_number lever_1, mo_number lever_2, mo_side *one,
                             mo_side *two, mo_vec dr)
{
    const mo_vec turn = mo_vec_cross(n, dr);
    one->v = mo_vec_along(one->v, one->inverse_mass, dr);
    two->v = mo_vec_along(two->v, -two->inverse_mass, dr);
    one->spin = mo_vec_along(one->spin, lever_1 * one->inverse_inertia, turn);
    two->spin = mo_vec_along(two->spin, -(lever_2 * two->inverse_inertia), turn);
}

MO_STEP void mo_point_push(mo_vec arm_1, mo_vec arm_2, const mo_inverse *I_1, const mo_inverse *I_2,
                           mo_side *one, mo_side *two, mo_vec dr)
{
    one->v = mo_vec_along(one->v, one->inverse_mass, dr);
    two->v = mo_vec_along(two->v, -two->inverse_mass, dr);
    one->spin = mo_vec_plus(one->spin, mo_turned_by(I_1, mo_vec_cross(arm_1, dr)));
    two->spin = mo_vec_minus(two->spin, mo_turned_by(I_2, mo_vec_cross(arm_2, dr)));
}

/* ---- visits ---------------------------------------------------------------------------------- */

/* The data of a contact that a visit needs. */
typedef struct mo_contact_numbers {
    mo_vec n;
    mo_number mu, step_N, step_T; /* relax_N / W_NN, relax_T / W_T */
} mo_contact_numbers;

/* The change of an impulse, and its square. */
typedef struct mo_impulse_change {
    mo_vec dr;
    mo_number moved;
} mo_impulse_change;

/* r becomes the new impulse; r_N, r_T: the parts of the old one. */
MO_STEP mo_impulse_change mo_change_to(mo_vec n, mo_number new_N, mo_vec new_T, mo_number r_N,
                                       mo_vec r_T, mo_vec *r)
{
    const mo_vec dT = mo_vec_minus(new_T, r_T);
    const mo_number dN = new_N - r_N;
    mo_impulse_change change;
    change.dr = mo_vec_along(dT, dN, n);
    change.moved = dN * dN + mo_vec_dot(dT, dT);
    *r = mo_vec_along(new_T, new_N, n);
    return change;
}

/* (1) at the relative velocity u; W_TN: u_T caused by a unit of r_N, NULL if zero. */
MO_STEP mo_impulse_change mo_contact_step(const mo_contact_numbers *c, mo_vec u, const mo_vec *W_TN,
                                          mo_vec *r)
{
    const mo_number u_N = mo_vec_dot(u, c->n), r_N = mo_vec_dot(*r, c->n),
                    stop = r_N - u_N * c->step_N,
                    new_N = mo_choose(stop > mo_number_of(0), stop, mo_number_of(0));
    const mo_vec r_T = mo_vec_along(*r, -r_N, c->n);
    mo_vec u_T = mo_vec_along(u, -u_N, c->n);
    if (W_TN) u_T = mo_vec_along(u_T, new_N - r_N, *W_TN);
    const mo_vec stick = mo_vec_along(r_T, -c->step_T, u_T);
    const mo_number part = mo_cut(c->mu * new_N, mo_vec_dot(stick, stick));
    return mo_change_to(c->n, new_N, mo_vec_times(part, stick), r_N, r_T, r);
}

/* (2) with steps divided by c, and metric: sqrt(W_T / W_NN) up to the relaxation. */
MO_STEP mo_impulse_change mo_steep_step(const mo_contact_numbers *c, mo_vec u, mo_number metric,
                                        mo_number shift, mo_vec *r)
{
    const mo_number u_N = mo_vec_dot(u, c->n), r_N = mo_vec_dot(*r, c->n);
    const mo_vec u_T = mo_vec_along(u, -u_N, c->n), r_T = mo_vec_along(*r, -r_N, c->n),
                 x_T = mo_vec_along(r_T, -c->step_T, u_T);
    mo_number part;
    const mo_number new_N = mo_project(metric * c->mu, r_N - c->step_N * (u_N + shift),
                                       metric * mo_root(mo_vec_dot(x_T, x_T)), &part);
    return mo_change_to(c->n, new_N, mo_vec_times(part, x_T), r_N, r_T, r);
}

/* The shift after the visit, at its relative velocity. */
MO_STEP mo_number mo_shift_next(const mo_contact_numbers *c, mo_vec u, mo_number shift,
                                double shift_part)
{
    return shift + shift_part * (c->mu * mo_split_of(u, c->n).length - shift);
}

/* Power of a contact at which complementarity and Coulomb's law do not hold (mo_residual). */
MO_STEP mo_number mo_power_of(mo_number mu, const mo_split *u, const mo_split *r)
{
    const mo_number N = mo_magnitude(r->N * u->N),
                    T = mo_magnitude(mu * r->N * u->length + mo_vec_dot(r->T, u->T));
    return mo_choose(N > T, N, T);
}

#endif
