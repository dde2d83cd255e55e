/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * L bodies and L contacts in lanes, and one visit of these contacts.  Included by batch_passes.h.
 *
 * A visit solves a contact with the others held, or goes part of the way (1).  Steep passes, for
 * friction above 1, take a projected gradient step with a shift s instead (2):
 *
 *  r_N = max(0, r_N - relax_N u_N / W_NN),   r_T = cut to mu r_N of  r_T - relax_T u_T / W_T    (1)
 *  r = proj_K(r - D^-1 (u + s n)),   s = s + shift_part (mu |u_T| - s)                          (2)
 *
 * with W_T the largest eigenvalue of W_TT, and proj_K in the metric of D = c diag(W_NN, W_T, W_T)
 * >= W.  A contact that a visit does not change obeys Coulomb's law.  Between balls W is diagonal
 * and (1) the exact solution.
 */
#ifndef MO_PROBLEM_BATCH_CONTACTS_H
#define MO_PROBLEM_BATCH_CONTACTS_H

#include "problem/lanes.h"

/* ---- L bodies -------------------------------------------------------------------------------- */

typedef struct side {
    vec3 v, spin;
    lanes inverse_mass, inverse_inertia;
    lanes xx, yy, zz, xy, xz, yz; /* of the inverse inertia; unused if central */
} side;

INLINE side gather(const mo_batches *batches, const double *state, const int line[L], int central)
{
    lanes a[8];
    read_lines(state, line, a);
    transpose(a);
    side s = {.v = {a[0], a[1], a[2]},
              .spin = {a[3], a[4], a[5]},
              .inverse_mass = a[6],
              .inverse_inertia = a[7]};
    if (!central) {
        lanes I[8];
        read_lines(batches->inertia, line, I);
        transpose(I);
        s.xx = I[0], s.yy = I[1], s.zz = I[2], s.xy = I[3], s.xz = I[4], s.yz = I[5];
    }
    return s;
}

/* The world is never written, since all batches share it: its line, or -1 if it is none of
 * these. */
INLINE void scatter(side s, const int line[L], int world, double *state)
{
    lanes a[8] = {s.v.x,    s.v.y,    s.v.z,          s.spin.x,
                  s.spin.y, s.spin.z, s.inverse_mass, s.inverse_inertia};
    transpose(a);
    if (world < 0) {
        for (int k = 0; k < L; ++k) {
            write_line(a, k, state + (size_t)MO_LINE * (size_t)line[k]);
        }
        return;
    }
    for (int k = 0; k < L; ++k) {
        if (line[k] != world) {
            write_line(a, k, state + (size_t)MO_LINE * (size_t)line[k]);
        }
    }
}

/* The spin that a moment causes. */
INLINE vec3 turned_by(const side *s, vec3 moment, int central)
{
    const vec3 *m = &moment;
    return central ? (vec3){s->inverse_inertia * m->x, s->inverse_inertia * m->y,
                            s->inverse_inertia * m->z}
                   : (vec3){s->xx * m->x + s->xy * m->y + s->xz * m->z,
                            s->xy * m->x + s->yy * m->y + s->yz * m->z,
                            s->xz * m->x + s->yz * m->y + s->zz * m->z};
}

/* ---- L contacts ------------------------------------------------------------------------------ */

typedef struct contact {
    vec3 n;
    lanes lever_1, lever_2; /* central */
    vec3 arm_1, arm_2;      /* else */
} contact;

INLINE contact contact_at(const mo_points *points, int at, int central)
{
    contact c = {.n = load_3(points->n + at)};
    if (central) {
        c.lever_1 = load(points->arms + at);
        c.lever_2 = load(points->arms + B + at);
    } else {
        c.arm_1 = load_3(points->arms + at);
        c.arm_2 = load_3(points->arms + 3 * B + at);
    }
    return c;
}

/* A manifold with fewer points than others of its batch has none here. */
INLINE mask is_point(const mo_points *points, int at)
{
    return load(points->inverse_N + at) > (lanes){0};
}

/* Relative velocity at the point, without w. */
INLINE vec3 slip_of(const contact *c, const side *one, const side *two, int central)
{
    vec3 turn;
    if (central) {
        const lanes a = c->lever_1, b = c->lever_2;
        turn = cross((vec3){a * one->spin.x - b * two->spin.x, a * one->spin.y - b * two->spin.y,
                            a * one->spin.z - b * two->spin.z},
                     c->n);
    } else {
        turn = minus(cross(one->spin, c->arm_1), cross(two->spin, c->arm_2));
    }
    return (vec3){one->v.x - two->v.x + turn.x, one->v.y - two->v.y + turn.y,
                  one->v.z - two->v.z + turn.z};
}

INLINE vec3 plus(vec3 a, vec3 b)
{
    return (vec3){a.x + b.x, a.y + b.y, a.z + b.z};
}

INLINE vec3 times(lanes s, vec3 a)
{
    return (vec3){s * a.x, s * a.y, s * a.z};
}

INLINE void push(side *one, side *two, const contact *c, vec3 dr, int central)
{
    one->v = along(one->v, one->inverse_mass, dr);
    two->v = along(two->v, -two->inverse_mass, dr);
    if (central) {
        const vec3 turn = cross(c->n, dr);
        one->spin = along(one->spin, c->lever_1 * one->inverse_inertia, turn);
        two->spin = along(two->spin, -(c->lever_2 * two->inverse_inertia), turn);
    } else {
        one->spin = plus(one->spin, turned_by(one, cross(c->arm_1, dr), 0));
        two->spin = minus(two->spin, turned_by(two, cross(c->arm_2, dr), 0));
    }
}

/* Projection on the cone: the remaining normal part, and the factor of the rest. */
INLINE lanes project(lanes mu, lanes N, lanes length, lanes *part)
{
    const lanes zero = {0}, one = zero + 1;
    const mask inside = length <= mu * N, polar = mu * length <= -N;
    const lanes edge =
        choose(mu > one, (N / mu + length) / (mu + one / mu), (N + mu * length) / (one + mu * mu));
    /* polar first: with mu = 0 and length = 0, an N below zero is inside, too */
    *part = choose(polar, zero, choose(inside, one, mu * edge / length));
    return choose(polar, zero, choose(inside, N, edge));
}

/* A visit of a steep pass: see above.  s: the shift of each lane. */
INLINE lanes visit_steep(const mo_batch_pass *pass, const mo_points *points, int at, side *one,
                         side *two, vec3 *r, lanes *s, int central)
{
    const contact c = contact_at(points, at, central);
    const vec3 w = load_3(points->w + at), u = plus(slip_of(&c, one, two, central), w);
    const lanes mu = load(points->mu + at), apart = load(points->apart + at),
                step_N = pass->relax_N * apart * load(points->inverse_N + at),
                step_T = pass->relax_T * apart * load(points->inverse_T + at), u_N = dot(u, c.n),
                r_N = dot(*r, c.n);
    const vec3 u_T = along(u, -u_N, c.n), r_T = along(*r, -r_N, c.n),
               x_T = along(r_T, -step_T, u_T);
    const lanes one_of_all = (lanes){0} + 1,
                scale = root(choose(is_point(points, at), step_N / step_T, one_of_all));
    lanes part;
    const lanes new_N =
        project(scale * mu, r_N - step_N * (u_N + *s), scale * root(dot(x_T, x_T)), &part);
    const vec3 new_T = times(part, x_T), dT = minus(new_T, r_T);
    const lanes dN = new_N - r_N;
    push(one, two, &c, along(dT, dN, c.n), central);
    const vec3 after = plus(slip_of(&c, one, two, central), w),
               after_T = along(after, -dot(after, c.n), c.n);
    *s += pass->shift_part * (mu * root(dot(after_T, after_T)) - *s);
    *r = along(new_T, new_N, c.n);
    return dN * dN + dot(dT, dT);
}

/* A visit of one contact of each lane; r becomes the new impulse, and |dr|^2 is returned. */
INLINE lanes visit_contact(const mo_batch_pass *pass, const mo_points *points, int at, side *one,
                           side *two, vec3 *r, int central)
{
    const lanes zero = {0};
    const contact c = contact_at(points, at, central);
    const vec3 u = plus(slip_of(&c, one, two, central), load_3(points->w + at));
    const lanes u_N = dot(u, c.n), r_N = dot(*r, c.n);
    const lanes stop = r_N - u_N * (pass->relax_N * load(points->inverse_N + at));
    const lanes new_N = choose(stop > zero, stop, zero), dN = new_N - r_N;
    const vec3 r_T = along(*r, -r_N, c.n);
    vec3 u_T = along(u, -u_N, c.n);
    if (!central) { /* a normal impulse moves the point sideways, too */
        u_T = along(u_T, dN, load_3(points->arms + 6 * B + at));
    }
    const vec3 stick = along(r_T, -pass->relax_T * load(points->inverse_T + at), u_T);
    const lanes part = cut(load(points->mu + at) * new_N, dot(stick, stick));
    const vec3 new_T = times(part, stick), dT = minus(new_T, r_T);
    push(one, two, &c, along(dT, dN, c.n), central);
    *r = along(new_T, new_N, c.n);
    return dN * dN + dot(dT, dT);
}

#endif
