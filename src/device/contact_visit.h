/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Kernels of sweeps over contacts: the visit and the residual of problem/contact_step.h.
 *
 * A central contact (lever arms along the normal, isotropic inertia) is a separate slot: one point,
 * two levers, w along the normal; W follows from masses and levers.  All others are in manifolds
 * (manifold_visit.h), whose points share two bodies.  Contacts of one colour share no moving body.
 *
 * `before` is the impulse before the last sweep; a visit overwrites it with the new one, and the
 * two arrays are exchanged after each sweep.
 */
#ifndef MO_DEVICE_CONTACT_VISIT_H
#define MO_DEVICE_CONTACT_VISIT_H

#include "device/kernel.h"
#include "problem/contact_step.h"
#include "solver/momentum.h"
#include "solver/pace.h"

/*
 * Velocities and inverse masses of a body; the latter zero if it does not move freely.  Aligned
 * so that a GPU reads and writes it by sixteen bytes.
 */
typedef struct __attribute__((aligned(16))) mo_line {
    double v[3], spin[3];
    double inverse_mass, inverse_inertia; /* of the isotropic */
} mo_line;

/* The pace of a sweep, in device memory. */
typedef struct mo_pace {
    mo_momentum momentum;
    double beta, relax_N, relax_T;
    double moved; /* by the last sweep: sum |dr|^2 */
    int sweeps;   /* so far */
} mo_pace;

/* After a sweep that changed impulses by so much: the guard of the momentum, and the next beta. */
MO_ANY void mo_pace_next(mo_pace *p, double moved)
{
    p->moved = moved;
    ++p->sweeps;
    mo_momentum_watch(&p->momentum, moved);
    p->beta = p->momentum.cap > 1 ? mo_momentum_next(&p->momentum) : 0;
}

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
    double *W_TN; /* velocity along the surface that a unit of normal impulse causes */
} mo_manifolds;

/*
 * Sums over contacts: the square of the natural map, and in `largest` the closing speed; |u|^2, at
 * r = 0 the square of |q|; power and work (contact_power.h).
 */
typedef enum mo_asked { MO_NATURAL, MO_SPEED, MO_POWER, MO_WORK } mo_asked;

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
    double *shift;          /* of steep sweeps, as r; else NULL              */
    const int *patch_start; /* slots of each patch and colour (patch_visit.h) */
    int inner;              /* times that a sweep visits the contacts inside of patches, 1 or 2 */
    const int *rest;        /* of the last colour: slots, or -1 - manifold    */
    int begin, end;         /* slots, manifolds or places in rest, of this launch */
    mo_asked asked;         /* of a sum over contacts */
} mo_visit_args;

/* ---- one contact ----------------------------------------------------------------------------- */

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

/* Of a contact at the relative velocity u; nothing is changed. */
MO_ANY mo_term mo_contact_term(mo_asked asked, double mu, mo_vec u_all, mo_vec r_all, mo_vec n)
{
    const mo_split u = mo_split_of(u_all, n), r = mo_split_of(r_all, n);
    mo_term term = {0, 0};
    switch (asked) {
    case MO_NATURAL:
        term.sum = mo_natural_square(mu, &u, &r, 1);
        term.largest = mo_larger(0, -u.N);
        break;
    case MO_SPEED:
        term.sum = mo_vec_dot(u_all, u_all);
        break;
    case MO_POWER:
        term.sum = mo_power_of(mu, &u, &r);
        break;
    default:
        term.sum = mo_vec_dot(r_all, u_all) + mu * r.N * u.length;
    }
    return term;
}

/* The impulse of a contact; zero if its speed is asked. */
MO_ANY mo_vec mo_asked_impulse(const mo_visit_args *a, mo_asked asked, size_t i)
{
    return asked == MO_SPEED ? mo_vec_of(0, 0, 0) : mo_vec_read(a->r, a->apart, i);
}

/* Before a visit: the impulse with its momentum. */
MO_ANY mo_vec mo_ahead(const mo_visit_args *a, mo_vec now, mo_vec before)
{
    return mo_vec_along(now, a->pace->beta, mo_vec_minus(now, before));
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
    return mo_vec_along(mo_slip_along(c->n, c->lever_1, c->lever_2, one, two), c->w_N, c->n);
}

MO_ANY void mo_slot_push(const mo_ball_contact *c, mo_side *one, mo_side *two, mo_vec dr)
{
    mo_central_push(c->n, c->lever_1, c->lever_2, one, two, dr);
}

MO_ANY mo_contact_numbers mo_slot_numbers(const mo_ball_contact *c, const mo_pace *pace,
                                          const mo_side *one, const mo_side *two)
{
    const double W_N = one->inverse_mass + two->inverse_mass;
    const double W_T = W_N + c->lever_1 * c->lever_1 * one->inverse_inertia +
                       c->lever_2 * c->lever_2 * two->inverse_inertia;
    const double inverse = 1 / (W_N * W_T); /* one division for both */
    mo_contact_numbers d;
    d.n = c->n;
    d.mu = c->mu;
    d.step_N = pace->relax_N * (W_T * inverse);
    d.step_T = pace->relax_T * (W_N * inverse);
    return d;
}

/* W is diagonal: the visit is the exact solution.  Returns |dr|^2. */
MO_ANY double mo_slot_visit(const mo_ball_contact *c, const mo_pace *pace, mo_side *one,
                            mo_side *two, mo_vec *r)
{
    const mo_contact_numbers d = mo_slot_numbers(c, pace, one, two);
    const mo_impulse_change change = mo_contact_step(&d, mo_slot_velocity(c, one, two), NULL, r);
    mo_slot_push(c, one, two, change.dr);
    return change.moved;
}

MO_ANY double mo_slot_visit_steep(const mo_ball_contact *c, const mo_pace *pace, mo_side *one,
                                  mo_side *two, mo_vec *r, double *shift)
{
    const mo_contact_numbers d = mo_slot_numbers(c, pace, one, two);
    const mo_impulse_change change =
        mo_steep_step(&d, mo_slot_velocity(c, one, two), sqrt(d.step_N / d.step_T), *shift, r);
    mo_slot_push(c, one, two, change.dr);
    *shift = mo_shift_next(&d, mo_slot_velocity(c, one, two), *shift, mo_shift_part(pace->sweeps));
    return change.moved;
}

MO_ANY double mo_slot_sweep(const mo_visit_args *a, size_t i)
{
    const mo_ball_contact c = mo_slot_read(&a->slots, i);
    const int k = a->slots.one[i], m = a->slots.two[i];
    mo_side one = mo_side_read(a->line, k), two = mo_side_read(a->line, m);
    mo_vec r = mo_ahead(a, mo_vec_read(a->r, a->apart, i), mo_vec_read(a->other, a->apart, i));
    const double moved = a->shift ? mo_slot_visit_steep(&c, a->pace, &one, &two, &r, a->shift + i)
                                  : mo_slot_visit(&c, a->pace, &one, &two, &r);
    mo_vec_write(r, a->other, a->apart, i);
    mo_side_write(&one, a->line, k, a->moving);
    mo_side_write(&two, a->line, m, a->moving);
    return moved;
}

MO_ANY mo_term mo_slot_term(const mo_visit_args *a, int i, mo_asked asked)
{
    const mo_ball_contact c = mo_slot_read(&a->slots, (size_t)i);
    const mo_side one = mo_side_read(a->line, a->slots.one[i]),
                  two = mo_side_read(a->line, a->slots.two[i]);
    return mo_contact_term(asked, c.mu, mo_slot_velocity(&c, &one, &two),
                           mo_asked_impulse(a, asked, (size_t)i), c.n);
}

MO_ANY mo_term mo_kernel_ask_slot(const mo_visit_args *a, int i)
{
    return mo_slot_term(a, i, a->asked);
}

/* Steep sweeps visit one contact, or manifold, per index of a launch. */
MO_ANY mo_term mo_kernel_visit_steep_slot(const mo_visit_args *a, int i)
{
    const mo_term term = {mo_slot_sweep(a, (size_t)(a->begin + i)), 0};
    return term;
}

#endif
