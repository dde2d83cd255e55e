/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Kernels of sweeps over manifolds (contact_visit.h), whose points share two bodies, and over the
 * rest colour, whose nodes may share bodies.
 */
#ifndef MO_DEVICE_MANIFOLD_VISIT_H
#define MO_DEVICE_MANIFOLD_VISIT_H

#include "device/contact_visit.h"

typedef struct mo_point_contact {
    mo_vec n, w, arm_1, arm_2, W_TN;
    double mu, inverse_N, inverse_T;
} mo_point_contact;

MO_ANY mo_point_contact mo_point_read(const mo_manifolds *m, size_t i)
{
    mo_point_contact c;
    c.n = mo_vec_read(m->n, m->room, i);
    c.w = mo_vec_read(m->w, m->room, i);
    c.arm_1 = mo_vec_read(m->arm_1, m->room, i);
    c.arm_2 = mo_vec_read(m->arm_2, m->room, i);
    c.W_TN = mo_vec_read(m->W_TN, m->room, i);
    c.mu = m->mu[i];
    c.inverse_N = m->inverse_N[i];
    c.inverse_T = m->inverse_T[i];
    return c;
}

MO_ANY mo_inverse mo_inverse_at(const double *I)
{
    const mo_inverse inverse = {I[0], I[1], I[2], I[3], I[4], I[5]};
    return inverse;
}

/* With w. */
MO_ANY mo_vec mo_point_velocity_of(const mo_point_contact *c, const mo_side *one,
                                   const mo_side *two)
{
    return mo_vec_plus(mo_slip_at(c->arm_1, c->arm_2, one, two), c->w);
}

/* part: of the steps, all of them or less. */
MO_ANY mo_contact_numbers mo_point_numbers(const mo_point_contact *c, const mo_pace *pace,
                                           double part)
{
    mo_contact_numbers d;
    d.n = c->n;
    d.mu = c->mu;
    d.step_N = pace->relax_N * part * c->inverse_N;
    d.step_T = pace->relax_T * part * c->inverse_T;
    return d;
}

MO_ANY double mo_point_visit(const mo_point_contact *c, const mo_pace *pace, const mo_inverse *I_1,
                             const mo_inverse *I_2, mo_side *one, mo_side *two, mo_vec *r)
{
    const mo_contact_numbers d = mo_point_numbers(c, pace, 1);
    const mo_impulse_change change =
        mo_contact_step(&d, mo_point_velocity_of(c, one, two), &c->W_TN, r);
    mo_point_push(c->arm_1, c->arm_2, I_1, I_2, one, two, change.dr);
    return change.moved;
}

/* 1 / c with c diag(W_NN, W_T, W_T) >= W (problem/batch_respond.h). */
MO_ANY double mo_point_apart(const mo_point_contact *c)
{
    return 1 / (1 + sqrt(mo_vec_dot(c->W_TN, c->W_TN) * c->inverse_N * c->inverse_T));
}

MO_ANY double mo_point_visit_steep(const mo_point_contact *c, const mo_pace *pace,
                                   const mo_inverse *I_1, const mo_inverse *I_2, mo_side *one,
                                   mo_side *two, mo_vec *r, double *shift)
{
    const mo_contact_numbers d = mo_point_numbers(c, pace, mo_point_apart(c));
    const mo_impulse_change change =
        mo_steep_step(&d, mo_point_velocity_of(c, one, two), sqrt(d.step_N / d.step_T), *shift, r);
    mo_point_push(c->arm_1, c->arm_2, I_1, I_2, one, two, change.dr);
    *shift =
        mo_shift_next(&d, mo_point_velocity_of(c, one, two), *shift, mo_shift_part(pace->sweeps));
    return change.moved;
}

MO_ANY const double *mo_inertia(const mo_visit_args *a, int line)
{
    return a->inertia + (size_t)line * 8;
}

MO_ANY double mo_manifold_sweep(const mo_visit_args *a, int i, int steep)
{
    const mo_manifolds *m = &a->manifolds;
    const int k = m->one[i], l = m->two[i];
    const mo_inverse I_1 = mo_inverse_at(mo_inertia(a, k)), I_2 = mo_inverse_at(mo_inertia(a, l));
    mo_side one = mo_side_read(a->line, k), two = mo_side_read(a->line, l);
    double moved = 0;
    for (int p = m->first[i]; p < m->first[i + 1]; ++p) {
        const size_t at = a->points_from + (size_t)p;
        const mo_point_contact c = mo_point_read(m, (size_t)p);
        mo_vec r =
            mo_ahead(a, mo_vec_read(a->r, a->apart, at), mo_vec_read(a->other, a->apart, at));
        moved += steep
                     ? mo_point_visit_steep(&c, a->pace, &I_1, &I_2, &one, &two, &r, a->shift + at)
                     : mo_point_visit(&c, a->pace, &I_1, &I_2, &one, &two, &r);
        mo_vec_write(r, a->other, a->apart, at);
    }
    mo_side_write(&one, a->line, k, a->moving);
    mo_side_write(&two, a->line, l, a->moving);
    return moved;
}

MO_ANY mo_term mo_manifold_term(const mo_visit_args *a, int i, mo_asked asked)
{
    const mo_manifolds *m = &a->manifolds;
    const mo_side one = mo_side_read(a->line, m->one[i]), two = mo_side_read(a->line, m->two[i]);
    mo_term all = {0, 0};
    for (int p = m->first[i]; p < m->first[i + 1]; ++p) {
        const mo_point_contact c = mo_point_read(m, (size_t)p);
        const mo_term own =
            mo_contact_term(asked, c.mu, mo_point_velocity_of(&c, &one, &two),
                            mo_asked_impulse(a, asked, a->points_from + (size_t)p), c.n);
        all.sum += own.sum;
        all.largest = mo_larger(all.largest, own.largest);
    }
    return all;
}

MO_ANY mo_term mo_kernel_ask_manifold(const mo_visit_args *a, int i)
{
    return mo_manifold_term(a, i, a->asked);
}

MO_ANY mo_term mo_kernel_visit_steep_manifold(const mo_visit_args *a, int i)
{
    const mo_term term = {mo_manifold_sweep(a, a->begin + i, 1), 0};
    return term;
}

/* The colour whose contacts may share bodies: one index goes through all of it, in order. */
MO_ANY mo_term mo_kernel_visit_rest(const mo_visit_args *a, int i)
{
    mo_term term = {0, 0};
    for (int k = a->begin; k < a->end && i == 0; ++k) {
        const int node = a->rest[k];
        term.sum += node >= 0 ? mo_slot_sweep(a, (size_t)node)
                              : mo_manifold_sweep(a, -1 - node, a->shift != NULL);
    }
    return term;
}

/* ---- the state of a sweep -------------------------------------------------------------------- */

/* The velocities caused by the impulses, and their momentum between sweeps. */

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
    const mo_inverse I_1 = mo_inverse_at(mo_inertia(a, k)), I_2 = mo_inverse_at(mo_inertia(a, l));
    mo_side one = mo_side_read(a->line, k), two = mo_side_read(a->line, l);
    for (int p = m->first[i]; p < m->first[i + 1]; ++p) {
        const mo_point_contact c = mo_point_read(m, (size_t)p);
        mo_point_push(c.arm_1, c.arm_2, &I_1, &I_2, &one, &two,
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
        if (node >= 0)
            mo_slot_apply(a, (size_t)node);
        else
            mo_manifold_apply(a, -1 - node);
    }
}

/* ---- the state ------------------------------------------------------------------------------- */

typedef struct mo_state_args {
    mo_line *line;
    double *before; /* six velocities of each line before the last sweep */
    const mo_pace *pace;
} mo_state_args;

/* Extrapolates the velocities of a body by beta times their last change. */
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
