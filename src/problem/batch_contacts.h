/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * L bodies and L contacts in lanes, and one visit of these contacts (contact_step.h).  Included by
 * batch_passes.h.
 */
#ifndef MO_PROBLEM_BATCH_CONTACTS_H
#define MO_PROBLEM_BATCH_CONTACTS_H

#include "problem/lanes.h"

#include "problem/contact_step.h"

/* ---- L bodies -------------------------------------------------------------------------------- */

typedef struct side {
    mo_side body;
    mo_inverse inertia; /* unused if central */
} side;

INLINE side gather(const mo_batches *batches, const double *state, const int line[L], int central)
{
    lanes a[8];
    read_lines(state, line, a);
    transpose(a);
    side s = {.body = {{a[0], a[1], a[2]}, {a[3], a[4], a[5]}, a[6], a[7]}};
    if (!central) {
        lanes I[8];
        read_lines(batches->inertia, line, I);
        transpose(I);
        s.inertia = (mo_inverse){I[0], I[1], I[2], I[3], I[4], I[5]};
    }
    return s;
}

/* The world is never written, since all batches share it: its line, or -1. */
INLINE void scatter(side s, const int line[L], int world, double *state)
{
    const mo_side *b = &s.body;
    lanes a[8] = {b->v.x,    b->v.y,    b->v.z,          b->spin.x,
                  b->spin.y, b->spin.z, b->inverse_mass, b->inverse_inertia};
    transpose(a);
    if (world < 0) {
        for (int k = 0; k < L; ++k)
            write_line(a, k, state + (size_t)MO_LINE * (size_t)line[k]);
        return;
    }
    for (int k = 0; k < L; ++k)
        if (line[k] != world) write_line(a, k, state + (size_t)MO_LINE * (size_t)line[k]);
}

/* ---- L contacts ------------------------------------------------------------------------------ */

typedef struct contact {
    mo_vec n;
    lanes lever_1, lever_2; /* central */
    mo_vec arm_1, arm_2;    /* else */
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
INLINE mo_vec slip_of(const contact *c, const side *one, const side *two, int central)
{
    return central ? mo_slip_along(c->n, c->lever_1, c->lever_2, &one->body, &two->body)
                   : mo_slip_at(c->arm_1, c->arm_2, &one->body, &two->body);
}

INLINE void push(side *one, side *two, const contact *c, mo_vec dr, int central)
{
    if (central)
        mo_central_push(c->n, c->lever_1, c->lever_2, &one->body, &two->body, dr);
    else
        mo_point_push(c->arm_1, c->arm_2, &one->inertia, &two->inertia, &one->body, &two->body, dr);
}

/* The data of a contact that a visit needs; part: fraction of the steps. */
INLINE mo_contact_numbers numbers_of(const mo_batch_pass *pass, const mo_points *points, int at,
                                     lanes part)
{
    return (mo_contact_numbers){.n = load_3(points->n + at),
                                .mu = load(points->mu + at),
                                .step_N = pass->relax_N * part * load(points->inverse_N + at),
                                .step_T = pass->relax_T * part * load(points->inverse_T + at)};
}

/* A visit of a steep pass.  s: the shift of each lane. */
INLINE lanes visit_steep(const mo_batch_pass *pass, const mo_points *points, int at, side *one,
                         side *two, mo_vec *r, lanes *s, int central)
{
    const contact c = contact_at(points, at, central);
    const mo_contact_numbers d = numbers_of(pass, points, at, load(points->apart + at));
    const mo_vec w = load_3(points->w + at), u = mo_vec_plus(slip_of(&c, one, two, central), w);
    const lanes metric =
        mo_root(mo_choose(is_point(points, at), d.step_N / d.step_T, mo_number_of(1)));
    const mo_impulse_change change = mo_steep_step(&d, u, metric, *s, r);
    push(one, two, &c, change.dr, central);
    *s = mo_shift_next(&d, mo_vec_plus(slip_of(&c, one, two, central), w), *s, pass->shift_part);
    return change.moved;
}

/* A visit of one contact of each lane; r becomes the new impulse, and |dr|^2 is returned. */
INLINE lanes visit_contact(const mo_batch_pass *pass, const mo_points *points, int at, side *one,
                           side *two, mo_vec *r, int central)
{
    const contact c = contact_at(points, at, central);
    const mo_contact_numbers d = numbers_of(pass, points, at, mo_number_of(1));
    const mo_vec u = mo_vec_plus(slip_of(&c, one, two, central), load_3(points->w + at));
    mo_vec W_TN;
    if (!central) W_TN = load_3(points->arms + 6 * B + at);
    const mo_impulse_change change = mo_contact_step(&d, u, central ? NULL : &W_TN, r);
    push(one, two, &c, change.dr, central);
    return change.moved;
}

#endif
