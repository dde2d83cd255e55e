/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Kernels of sweeps over contacts: the visit, the look at the residual, momentum.
 *
 * The arithmetic is that of problem/batch_passes.h for one contact: first the normal impulse, then
 * friction at the velocity that it leaves,
 *
 *     r_N = max(0, r_N - relax_N u_N / W_NN),     r_T = cut to mu r_N of  r_T - relax_T u_T / W_T
 *
 * A central contact (arms along the normal, isotropic inertia) is a slot of its own: one point, two
 * levers, w along the normal; W follows from masses and levers.  All others lie in manifolds, whose
 * points share two bodies.  Contacts of one colour share no moving body.
 *
 * `before` is the impulse before the last sweep; a visit writes the new one over it, and the two
 * arrays change names from sweep to sweep.
 */
#ifndef MO_DEVICE_CONTACT_VISIT_H
#define MO_DEVICE_CONTACT_VISIT_H

#include "device/kernel.h"
#include "solver/momentum.h"

/*
 * Velocities and inverse masses of a body; the latter zero where it does not move freely.  Aligned
 * so that a GPU reads and writes it by sixteen bytes.
 */
typedef struct __attribute__((aligned(16))) mo_line {
    double v[3], spin[3];
    double inverse_mass, inverse_inertia; /* of the isotropic */
} mo_line;

/* The pace of a sweep, kept where the kernels are. */
typedef struct mo_pace {
    mo_momentum momentum;
    double beta, relax_N, relax_T;
    double moved; /* by the last sweep: sum |dr|^2 */
} mo_pace;

/* Central contacts, slot by slot. */
typedef struct mo_slots {
    size_t room; /* numbers between the components of a vector */
    int *one, *two;
    double *n, *w_N, *mu, *lever_1, *lever_2;
} mo_slots;

/* Manifolds, and the points of all of them. */
typedef struct mo_manifolds {
    size_t room;
    int *one, *two;
    int *first; /* point of each manifold, and one more */
    double *n, *w, *mu, *inverse_N, *inverse_T, *arm_1, *arm_2;
} mo_manifolds;

typedef struct mo_visit_args {
    mo_slots slots;
    mo_manifolds manifolds;
    mo_line *line;
    double *before;        /* six velocities of each moving line before the last sweep */
    const double *inertia; /* inverse, xx yy zz xy xz yz and two unused, of each line */
    int moving;            /* lines from here on are never written */
    const mo_pace *pace;
    const double *r;
    double *other;          /* before, then the new r                         */
    size_t points_from;     /* in r and other: slots come first, then points */
    size_t apart;           /* of the components of r and other              */
    const int *patch_start; /* slots of each patch and colour (patch_visit.h) */
    const int *rest;        /* of the last colour: slots, or -1 - manifold    */
    int begin, end;         /* slots, manifolds or places in rest, of this launch */
} mo_visit_args;

/* ---- one contact ----------------------------------------------------------------------------- */

typedef struct mo_side {
    mo_vec v, spin;
    double inverse_mass, inverse_inertia;
} mo_side;

MO_ANY mo_side mo_side_read(const mo_line *line, int k)
{
    const mo_line l = line[k];
    mo_side s;
    s.v = mo_vec_of(l.v[0], l.v[1], l.v[2]);
    s.spin = mo_vec_of(l.spin[0], l.spin[1], l.spin[2]);
    s.inverse_mass = l.inverse_mass;
    s.inverse_inertia = l.inverse_inertia;
    return s;
}

MO_ANY void mo_side_write(const mo_side *s, mo_line *line, int k, int moving)
{
    if (k < moving) {
        const mo_line l = {{s->v.x, s->v.y, s->v.z},
                           {s->spin.x, s->spin.y, s->spin.z},
                           s->inverse_mass,
                           s->inverse_inertia};
        line[k] = l;
    }
}

/* min(1, bound / sqrt(square)) */
MO_ANY double mo_cut(double bound, double square)
{
    const double part = bound / sqrt(square); /* not a number: 0 / 0, nothing to cut */
    return part < 1 ? part : 1;
}

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

/* Into the cone: what is left of the normal part, and the factor of the rest. */
MO_ANY double mo_project(double mu, double N, double length, double *part)
{
    if (N >= 0 && length <= mu * N) {
        *part = 1;
        return N;
    }
    if (mu * length <= -N) {
        *part = 0;
        return 0;
    }
    const double edge =
        mu > 1 ? (N / mu + length) / (mu + 1 / mu) : (N + mu * length) / (1 + mu * mu);
    *part = mu * edge / length;
    return edge;
}

/* |r - proj_K(r - (u + mu |u_T| n))|^2 */
MO_ANY double mo_natural_square(double mu, mo_vec u_all, mo_vec r_all, mo_vec n)
{
    const mo_split u = mo_split_of(u_all, n), r = mo_split_of(r_all, n);
    double part;
    const mo_vec y_T = mo_vec_along(r.T, -1, u.T);
    const double p_N =
        mo_project(mu, r.N - (u.N + mu * u.length), sqrt(mo_vec_dot(y_T, y_T)), &part);
    const mo_vec z_T = mo_vec_along(r.T, -part, y_T);
    return (r.N - p_N) * (r.N - p_N) + mo_vec_dot(z_T, z_T);
}

/* ---- central contacts ------------------------------------------------------------------------ */

typedef struct mo_ball_contact {
    mo_vec n;
    double lever_1, lever_2, w_N, mu;
} mo_ball_contact;

MO_ANY mo_ball_contact mo_slot_read(const mo_slots *s, size_t i)
{
    mo_ball_contact c;
    c.n = mo_vec_read(s->n, s->room, i);
    c.lever_1 = s->lever_1[i];
    c.lever_2 = s->lever_2[i];
    c.w_N = s->w_N[i];
    c.mu = s->mu[i];
    return c;
}

/* Relative velocity at the point, with w. */
MO_ANY mo_vec mo_slot_velocity(const mo_ball_contact *c, const mo_side *one, const mo_side *two)
{
    const double a = c->lever_1, b = c->lever_2;
    const mo_vec spin =
        mo_vec_of(a * one->spin.x - b * two->spin.x, a * one->spin.y - b * two->spin.y,
                  a * one->spin.z - b * two->spin.z);
    const mo_vec u = mo_vec_plus(mo_vec_minus(one->v, two->v), mo_vec_cross(spin, c->n));
    return mo_vec_along(u, c->w_N, c->n);
}

MO_ANY void mo_slot_push(const mo_ball_contact *c, mo_side *one, mo_side *two, mo_vec dr)
{
    const mo_vec turn = mo_vec_cross(c->n, dr);
    one->v = mo_vec_along(one->v, one->inverse_mass, dr);
    two->v = mo_vec_along(two->v, -two->inverse_mass, dr);
    one->spin = mo_vec_along(one->spin, c->lever_1 * one->inverse_inertia, turn);
    two->spin = mo_vec_along(two->spin, -(c->lever_2 * two->inverse_inertia), turn);
}

/* W is diagonal: the visit is the exact solution.  Returns |dr|^2. */
MO_ANY double mo_slot_visit(const mo_ball_contact *c, const mo_pace *pace, mo_side *one,
                            mo_side *two, mo_vec *r)
{
    const double W_N = one->inverse_mass + two->inverse_mass;
    const double W_T = W_N + c->lever_1 * c->lever_1 * one->inverse_inertia +
                       c->lever_2 * c->lever_2 * two->inverse_inertia;
    const mo_vec u = mo_slot_velocity(c, one, two);
    const double u_N = mo_vec_dot(u, c->n), r_N = mo_vec_dot(*r, c->n);
    const double stop = r_N - u_N * (pace->relax_N / W_N);
    const double new_N = stop > 0 ? stop : 0, dN = new_N - r_N;
    const mo_vec r_T = mo_vec_along(*r, -r_N, c->n), u_T = mo_vec_along(u, -u_N, c->n);
    const mo_vec stick = mo_vec_along(r_T, -(pace->relax_T / W_T), u_T);
    const mo_vec new_T = mo_vec_times(mo_cut(c->mu * new_N, mo_vec_dot(stick, stick)), stick),
                 dT = mo_vec_minus(new_T, r_T);
    mo_slot_push(c, one, two, mo_vec_along(dT, dN, c->n));
    *r = mo_vec_along(new_T, new_N, c->n);
    return dN * dN + mo_vec_dot(dT, dT);
}

MO_ANY double mo_slot_sweep(const mo_visit_args *a, size_t i)
{
    const mo_ball_contact c = mo_slot_read(&a->slots, i);
    const int k = a->slots.one[i], m = a->slots.two[i];
    const mo_vec now = mo_vec_read(a->r, a->apart, i), before = mo_vec_read(a->other, a->apart, i);
    mo_side one = mo_side_read(a->line, k), two = mo_side_read(a->line, m);
    mo_vec r = mo_vec_along(now, a->pace->beta, mo_vec_minus(now, before));
    const double moved = mo_slot_visit(&c, a->pace, &one, &two, &r);
    mo_vec_write(r, a->other, a->apart, i);
    mo_side_write(&one, a->line, k, a->moving);
    mo_side_write(&two, a->line, m, a->moving);
    return moved;
}

/* The natural map, and how fast the contact closes; nothing is changed. */
MO_ANY mo_term mo_kernel_look_slot(const mo_visit_args *a, int i)
{
    const mo_ball_contact c = mo_slot_read(&a->slots, (size_t)i);
    const mo_side one = mo_side_read(a->line, a->slots.one[i]),
                  two = mo_side_read(a->line, a->slots.two[i]);
    const mo_vec u = mo_slot_velocity(&c, &one, &two), r = mo_vec_read(a->r, a->apart, (size_t)i);
    const mo_term term = {mo_natural_square(c.mu, u, r, c.n), mo_larger(0, -mo_vec_dot(u, c.n))};
    return term;
}

/* |u|^2: at r = 0, the square of |q|. */
MO_ANY mo_term mo_kernel_speed_slot(const mo_visit_args *a, int i)
{
    const mo_ball_contact c = mo_slot_read(&a->slots, (size_t)i);
    const mo_side one = mo_side_read(a->line, a->slots.one[i]),
                  two = mo_side_read(a->line, a->slots.two[i]);
    const mo_vec u = mo_slot_velocity(&c, &one, &two);
    const mo_term term = {mo_vec_dot(u, u), 0};
    return term;
}

/* ---- manifolds ------------------------------------------------------------------------------- */

typedef struct mo_point_contact {
    mo_vec n, w, arm_1, arm_2;
    double mu, inverse_N, inverse_T;
} mo_point_contact;

MO_ANY mo_point_contact mo_point_read(const mo_manifolds *m, size_t i)
{
    mo_point_contact c;
    c.n = mo_vec_read(m->n, m->room, i);
    c.w = mo_vec_read(m->w, m->room, i);
    c.arm_1 = mo_vec_read(m->arm_1, m->room, i);
    c.arm_2 = mo_vec_read(m->arm_2, m->room, i);
    c.mu = m->mu[i];
    c.inverse_N = m->inverse_N[i];
    c.inverse_T = m->inverse_T[i];
    return c;
}

MO_ANY mo_vec mo_turned_by(const double *I, mo_vec m)
{
    return mo_vec_of(I[0] * m.x + I[3] * m.y + I[4] * m.z, I[3] * m.x + I[1] * m.y + I[5] * m.z,
                     I[4] * m.x + I[5] * m.y + I[2] * m.z);
}

MO_ANY mo_vec mo_point_velocity_of(const mo_point_contact *c, const mo_side *one,
                                   const mo_side *two)
{
    const mo_vec turn =
        mo_vec_minus(mo_vec_cross(one->spin, c->arm_1), mo_vec_cross(two->spin, c->arm_2));
    return mo_vec_plus(mo_vec_plus(mo_vec_minus(one->v, two->v), turn), c->w);
}

/* I_1, I_2: inverse inertias of the two bodies. */
MO_ANY void mo_point_push(const mo_point_contact *c, const double *I_1, const double *I_2,
                          mo_side *one, mo_side *two, mo_vec dr)
{
    one->v = mo_vec_along(one->v, one->inverse_mass, dr);
    two->v = mo_vec_along(two->v, -two->inverse_mass, dr);
    one->spin = mo_vec_plus(one->spin, mo_turned_by(I_1, mo_vec_cross(c->arm_1, dr)));
    two->spin = mo_vec_minus(two->spin, mo_turned_by(I_2, mo_vec_cross(c->arm_2, dr)));
}

MO_ANY double mo_point_visit(const mo_point_contact *c, const mo_pace *pace, const double *I_1,
                             const double *I_2, mo_side *one, mo_side *two, mo_vec *r)
{
    const double u_N = mo_vec_dot(mo_point_velocity_of(c, one, two), c->n),
                 r_N = mo_vec_dot(*r, c->n);
    const double stop = r_N - u_N * (pace->relax_N * c->inverse_N);
    const double new_N = stop > 0 ? stop : 0, dN = new_N - r_N;
    const mo_vec r_T = mo_vec_along(*r, -r_N, c->n);
    /* a normal impulse moves the point sideways, too */
    mo_point_push(c, I_1, I_2, one, two, mo_vec_times(dN, c->n));
    const mo_vec u = mo_point_velocity_of(c, one, two);
    const mo_vec u_T = mo_vec_along(u, -mo_vec_dot(u, c->n), c->n);
    const mo_vec stick = mo_vec_along(r_T, -(pace->relax_T * c->inverse_T), u_T);
    const mo_vec new_T = mo_vec_times(mo_cut(c->mu * new_N, mo_vec_dot(stick, stick)), stick),
                 dT = mo_vec_minus(new_T, r_T);
    mo_point_push(c, I_1, I_2, one, two, dT);
    *r = mo_vec_along(new_T, new_N, c->n);
    return dN * dN + mo_vec_dot(dT, dT);
}

MO_ANY const double *mo_inertia(const mo_visit_args *a, int line)
{
    return a->inertia + (size_t)line * 8;
}

MO_ANY double mo_manifold_sweep(const mo_visit_args *a, int i)
{
    const mo_manifolds *m = &a->manifolds;
    const int k = m->one[i], l = m->two[i];
    mo_side one = mo_side_read(a->line, k), two = mo_side_read(a->line, l);
    double moved = 0;
    for (int p = m->first[i]; p < m->first[i + 1]; ++p) {
        const size_t at = a->points_from + (size_t)p;
        const mo_point_contact c = mo_point_read(m, (size_t)p);
        const mo_vec now = mo_vec_read(a->r, a->apart, at),
                     before = mo_vec_read(a->other, a->apart, at);
        mo_vec r = mo_vec_along(now, a->pace->beta, mo_vec_minus(now, before));
        moved += mo_point_visit(&c, a->pace, mo_inertia(a, k), mo_inertia(a, l), &one, &two, &r);
        mo_vec_write(r, a->other, a->apart, at);
    }
    mo_side_write(&one, a->line, k, a->moving);
    mo_side_write(&two, a->line, l, a->moving);
    return moved;
}

MO_ANY mo_term mo_kernel_look_manifold(const mo_visit_args *a, int i)
{
    const mo_manifolds *m = &a->manifolds;
    const mo_side one = mo_side_read(a->line, m->one[i]), two = mo_side_read(a->line, m->two[i]);
    mo_term term = {0, 0};
    for (int p = m->first[i]; p < m->first[i + 1]; ++p) {
        const mo_point_contact c = mo_point_read(m, (size_t)p);
        const mo_vec u = mo_point_velocity_of(&c, &one, &two),
                     r = mo_vec_read(a->r, a->apart, a->points_from + (size_t)p);
        term.sum += mo_natural_square(c.mu, u, r, c.n);
        term.largest = mo_larger(term.largest, -mo_vec_dot(u, c.n));
    }
    return term;
}

MO_ANY mo_term mo_kernel_speed_manifold(const mo_visit_args *a, int i)
{
    const mo_manifolds *m = &a->manifolds;
    const mo_side one = mo_side_read(a->line, m->one[i]), two = mo_side_read(a->line, m->two[i]);
    mo_term term = {0, 0};
    for (int p = m->first[i]; p < m->first[i + 1]; ++p) {
        const mo_point_contact c = mo_point_read(m, (size_t)p);
        const mo_vec u = mo_point_velocity_of(&c, &one, &two);
        term.sum += mo_vec_dot(u, u);
    }
    return term;
}

/* The colour whose contacts may share bodies: one index goes through all of it, in order. */
MO_ANY mo_term mo_kernel_visit_rest(const mo_visit_args *a, int i)
{
    mo_term term = {0, 0};
    for (int k = a->begin; k < a->end && i == 0; ++k) {
        const int node = a->rest[k];
        term.sum += node >= 0 ? mo_slot_sweep(a, (size_t)node) : mo_manifold_sweep(a, -1 - node);
    }
    return term;
}

/* ---- the state from the impulses ----------------------------------------------------------- */

MO_ANY void mo_slot_apply(const mo_visit_args *a, size_t i)
{
    const mo_ball_contact c = mo_slot_read(&a->slots, i);
    const int k = a->slots.one[i], m = a->slots.two[i];
    mo_side one = mo_side_read(a->line, k), two = mo_side_read(a->line, m);
    mo_slot_push(&c, &one, &two, mo_vec_read(a->r, a->apart, i));
    mo_side_write(&one, a->line, k, a->moving);
    mo_side_write(&two, a->line, m, a->moving);
}

MO_ANY void mo_manifold_apply(const mo_visit_args *a, int i)
{
    const mo_manifolds *m = &a->manifolds;
    const int k = m->one[i], l = m->two[i];
    mo_side one = mo_side_read(a->line, k), two = mo_side_read(a->line, l);
    for (int p = m->first[i]; p < m->first[i + 1]; ++p) {
        const mo_point_contact c = mo_point_read(m, (size_t)p);
        mo_point_push(&c, mo_inertia(a, k), mo_inertia(a, l), &one, &two,
                      mo_vec_read(a->r, a->apart, a->points_from + (size_t)p));
    }
    mo_side_write(&one, a->line, k, a->moving);
    mo_side_write(&two, a->line, l, a->moving);
}

MO_ANY void mo_kernel_apply_slot(const mo_visit_args *a, int i)
{
    mo_slot_apply(a, (size_t)(a->begin + i));
}

MO_ANY void mo_kernel_apply_manifold(const mo_visit_args *a, int i)
{
    mo_manifold_apply(a, a->begin + i);
}

MO_ANY void mo_kernel_apply_rest(const mo_visit_args *a, int i)
{
    for (int k = a->begin; k < a->end && i == 0; ++k) {
        const int node = a->rest[k];
        if (node >= 0) {
            mo_slot_apply(a, (size_t)node);
        } else {
            mo_manifold_apply(a, -1 - node);
        }
    }
}

/* ---- the state ------------------------------------------------------------------------------- */

typedef struct mo_state_args {
    mo_line *line;
    double *before; /* six velocities of each line before the last sweep */
    const mo_pace *pace;
} mo_state_args;

/* The velocities of a body move on by beta times their last change. */
MO_ANY void mo_kernel_extrapolate(const mo_state_args *a, int i)
{
    double *before = a->before + (size_t)i * 6;
    for (int k = 0; k < 3; ++k) {
        const double v = a->line[i].v[k], spin = a->line[i].spin[k];
        a->line[i].v[k] = v + a->pace->beta * (v - before[k]);
        a->line[i].spin[k] = spin + a->pace->beta * (spin - before[3 + k]);
        before[k] = v;
        before[3 + k] = spin;
    }
}

MO_ANY void mo_kernel_keep_state(const mo_state_args *a, int i)
{
    for (int k = 0; k < 3; ++k) {
        a->before[(size_t)i * 6 + (size_t)k] = a->line[i].v[k];
        a->before[(size_t)i * 6 + 3 + (size_t)k] = a->line[i].spin[k];
    }
}

#endif
