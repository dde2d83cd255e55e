/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* The velocities caused by the impulses, and their momentum between sweeps. */
#ifndef MO_DEVICE_SWEEP_STATE_H
#define MO_DEVICE_SWEEP_STATE_H

#include "device/manifold_visit.h"

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
