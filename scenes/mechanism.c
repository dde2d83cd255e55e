/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Kinematics and dynamics of objects and serial chains.
 *
 * Link k moves with the joints j <= k.  With z_j the axis of joint j as it stands now, p_j its point and c the
 * centre of the link,
 *
 *     Jw_j = z_j,  Jv_j = z_j x (c - p_j)       a joint that turns
 *     Jw_j = 0,    Jv_j = z_j                   a joint that slides
 *
 * and the velocity products are the rates of these columns times qd_j, where zd_j = omega_(j-1) x z_j.  The
 * mass matrix is the sum over the links of m Jv' Jv + Jw' I Jw, and the drives on the diagonal.
 */
#include "mechanism.h"

#include <string.h>

#include "scenes.h"
#include "vec3.h"

int mechanism_coordinates(const mechanism *m)
{
    return m->joints ? m->joints : 6;
}

int mechanism_parts(const mechanism *m)
{
    return m->joints ? m->joints : 1;
}

static double at(const double *x, int k)
{
    return x ? x[k] : 0;
}

/* ---- motion ---------------------------------------------------------------------------------- */

static void move_object(const mechanism *m, const double *q, const double *qd, part_motion *part)
{
    const double phi[3] = {at(q, 3), at(q, 4), at(q, 5)};
    double turned[3];
    *part = (part_motion){0};
    mat3_rotation(phi, part->Q);
    mat3_apply(part->Q, m->link[0].centre, turned);
    for (int k = 0; k < 3; ++k) {
        part->centre[k] = m->link[0].centre[k] + at(q, k);
        part->s[k] = part->centre[k] - turned[k];
        part->v[k] = at(qd, k);
        part->omega[k] = at(qd, 3 + k);
        part->Jv[6 * k + k] = part->Jw[6 * k + 3 + k] = 1;
    }
}

/* A joint as it stands now, with the motion of the link before it. */
typedef struct joint_motion {
    double z[3], zd[3]; /* axis and its rate               */
    double p[3], pd[3]; /* point and its velocity          */
} joint_motion;

/* The link before joint k, or the base. */
static void locate_joint(const mechanism_joint *joint, const part_motion *before, joint_motion *now)
{
    mat3_apply(before->Q, joint->axis, now->z);
    mat3_apply(before->Q, joint->point, now->p);
    vec3_along(now->p, 1, before->s, now->p);
    vec3_cross(before->omega, now->z, now->zd);
    double arm[3];
    vec3_along(now->p, -1, before->centre, arm);
    memcpy(now->pd, before->v, sizeof now->pd);
    vec3_add_cross(1, before->omega, arm, now->pd);
}

/* T of the link after a joint: the old T after the joint's own displacement by q. */
static void compose(const mechanism_joint *joint, double q, const part_motion *before,
                    part_motion *after)
{
    double shift[3], moved[3];
    if (joint->slides) {
        memcpy(after->Q, before->Q, sizeof after->Q);
        for (int k = 0; k < 3; ++k) {
            shift[k] = q * joint->axis[k];
        }
    } else {
        const double phi[3] = {q * joint->axis[0], q * joint->axis[1], q * joint->axis[2]};
        double E[9], turned[3];
        mat3_rotation(phi, E);
        mat3_multiply(before->Q, E, after->Q);
        mat3_apply(E, joint->point, turned);
        vec3_along(joint->point, -1, turned, shift);
    }
    mat3_apply(before->Q, shift, moved);
    vec3_along(moved, 1, before->s, after->s);
}

static void set_column(double *J, int n, int j, const double column[3])
{
    for (int k = 0; k < 3; ++k) {
        J[n * k + j] = column[k];
    }
}

/* Columns of Jv and Jw, and v and omega from them. */
static void fill_jacobian(const mechanism *m, int link, const joint_motion *joints,
                          const double *qd, part_motion *part)
{
    const int n = m->joints;
    for (int j = 0; j <= link; ++j) {
        double column[3], arm[3];
        if (m->joint[j].slides) {
            memcpy(column, joints[j].z, sizeof column);
        } else {
            vec3_along(part->centre, -1, joints[j].p, arm);
            vec3_cross(joints[j].z, arm, column);
            set_column(part->Jw, n, j, joints[j].z);
            vec3_along(part->omega, at(qd, j), joints[j].z, part->omega);
        }
        set_column(part->Jv, n, j, column);
        vec3_along(part->v, at(qd, j), column, part->v);
    }
}

/* a and alpha: the rates of the columns, times qd. */
static void fill_products(const mechanism *m, int link, const joint_motion *joints,
                          const double *qd, part_motion *part)
{
    for (int j = 0; j <= link; ++j) {
        const joint_motion *now = &joints[j];
        if (m->joint[j].slides) {
            vec3_along(part->a, at(qd, j), now->zd, part->a);
            continue;
        }
        double arm[3], arm_rate[3];
        vec3_along(part->centre, -1, now->p, arm);
        vec3_along(part->v, -1, now->pd, arm_rate);
        vec3_add_cross(at(qd, j), now->zd, arm, part->a);
        vec3_add_cross(at(qd, j), now->z, arm_rate, part->a);
        vec3_along(part->alpha, at(qd, j), now->zd, part->alpha);
    }
}

static void move_chain(const mechanism *m, const double *q, const double *qd, part_motion *parts)
{
    const part_motion base = {.Q = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
    joint_motion joints[JOINTS_MOST];
    for (int k = 0; k < m->joints; ++k) {
        const part_motion *before = k ? &parts[k - 1] : &base;
        part_motion *part = &parts[k];
        *part = (part_motion){0};
        locate_joint(&m->joint[k], before, &joints[k]);
        compose(&m->joint[k], at(q, k), before, part);
        mat3_apply(part->Q, m->link[k].centre, part->centre);
        vec3_along(part->centre, 1, part->s, part->centre);
        fill_jacobian(m, k, joints, qd, part);
        fill_products(m, k, joints, qd, part);
    }
}

void mechanism_move(const mechanism *m, const double *q, const double *qd, part_motion *parts)
{
    if (m->joints) {
        move_chain(m, q, qd, parts);
    } else {
        move_object(m, q, qd, parts);
    }
}

/* ---- dynamics -------------------------------------------------------------------------------- */

/* M += m Jv' Jv + Jw' I Jw, its lower triangle; f += Jv' (weight - m a) - Jw' (I alpha + omega x I omega). */
static void add_link(const mechanism_link *link, const part_motion *part, int n, double *M,
                     double *f)
{
    double inertia[9], IJw[3 * COORDINATES_MOST], spin[3], force[3], moment[3];
    mat3_turn(part->Q, link->inertia, inertia);
    for (int k = 0; k < 3; ++k) {
        for (int j = 0; j < n; ++j) {
            IJw[n * k + j] = inertia[3 * k] * part->Jw[j] + inertia[3 * k + 1] * part->Jw[n + j] +
                             inertia[3 * k + 2] * part->Jw[2 * n + j];
        }
        force[k] = -link->mass * part->a[k];
    }
    force[2] -= link->mass * SCENE_GRAVITY;
    mat3_apply(inertia, part->omega, spin);
    mat3_apply(inertia, part->alpha, moment);
    vec3_add_cross(1, part->omega, spin, moment);
    for (int i = 0; i < n; ++i) {
        for (int k = 0; k < 3; ++k) {
            const double Jv_i = part->Jv[n * k + i], Jw_i = part->Jw[n * k + i];
            f[i] += Jv_i * force[k] - Jw_i * moment[k];
            for (int j = 0; j <= i; ++j) {
                M[n * i + j] += link->mass * Jv_i * part->Jv[n * k + j] + Jw_i * IJw[n * k + j];
            }
        }
    }
}

void mechanism_dynamics(const mechanism *m, const part_motion *parts, double *M, double *f)
{
    const int n = mechanism_coordinates(m);
    memset(M, 0, (size_t)(n * n) * sizeof *M);
    memcpy(f, m->applied, (size_t)n * sizeof *f);
    for (int k = 0; k < mechanism_parts(m); ++k) {
        add_link(&m->link[k], &parts[k], n, M, f);
    }
    for (int i = 0; i < n; ++i) {
        M[n * i + i] += m->joints ? m->joint[i].rotor : 0;
        for (int j = 0; j < i; ++j) {
            M[n * j + i] = M[n * i + j];
        }
    }
}

/* For an object this uses that the rate of omega is that of the rotation vector, at first order around q = 0:
 * it is meant for starts at the reference configuration. */
void mechanism_advance(const mechanism *m, const double *q, const double *qd, const double *qdd,
                       double t, double *q_t, double *qd_t)
{
    for (int k = 0; k < mechanism_coordinates(m); ++k) {
        q_t[k] = at(q, k) + t * at(qd, k) + 0.5 * t * t * at(qdd, k);
        qd_t[k] = at(qd, k) + t * at(qdd, k);
    }
}
