/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Kernels that pack the contact points of solids by colour as manifolds (contact_visit.h), and keep
 * their impulses for the next step.
 */
#ifndef MO_DEVICE_SOLID_STEP_H
#define MO_DEVICE_SOLID_STEP_H

#include "device/ball_step.h"
#include "device/solid_find.h"

typedef struct mo_solid_pack_args {
    mo_solid_args solids;
    const int *order; /* of each manifold: its node */
    int *count;       /* of its points */
    mo_manifolds manifolds;
    const double *inertia; /* inverse, of each line */
    double *r;
    size_t apart;
    mo_touch_rows now; /* the list of this step */
} mo_solid_pack_args;

MO_ANY void mo_kernel_manifold_count(const mo_solid_pack_args *a, int i)
{
    a->count[i] = a->solids.count[a->solids.node_pair[a->order[i]]];
}

/* ---- one point ------------------------------------------------------------------------------- */

typedef struct mo_pair_inertia {
    double mass_1, mass_2; /* inverse */
    const double *I_1, *I_2;
} mo_pair_inertia;

/* K y: the velocity at the point that an impulse y causes. */
MO_ANY mo_vec mo_response(const mo_pair_inertia *p, const mo_two_arms *arms, mo_vec y)
{
    const mo_inverse I_1 = mo_inverse_at(p->I_1), I_2 = mo_inverse_at(p->I_2);
    const mo_vec spin_1 = mo_turned_by(&I_1, mo_vec_cross(arms->one, y)),
                 spin_2 = mo_turned_by(&I_2, mo_vec_cross(arms->two, y));
    const mo_vec turn =
        mo_vec_plus(mo_vec_cross(spin_1, arms->one), mo_vec_cross(spin_2, arms->two));
    return mo_vec_along(turn, p->mass_1 + p->mass_2, y);
}

/* W_TN, 1 / W_NN, and 1 / the largest eigenvalue of W_TT, of point k (problem/batch_respond.h). */
MO_ANY void mo_pack_response(const mo_pair_inertia *p, const mo_two_arms *arms, const double *n,
                             const mo_manifolds *m, size_t k)
{
    double t[3], o[3];
    mo_vec3_tangents(n, t, o);
    const mo_vec e = mo_vec_at(n), x = mo_vec_at(t), y = mo_vec_at(o);
    const mo_vec K_n = mo_response(p, arms, e), K_x = mo_response(p, arms, x),
                 K_y = mo_response(p, arms, y);
    const double a = mo_vec_dot(x, K_x), b = mo_vec_dot(x, K_y), c = mo_vec_dot(y, K_y);
    const double W_N = mo_vec_dot(e, K_n);
    mo_vec_write(mo_vec_along(K_n, -W_N, e), m->W_TN, m->room, k);
    m->inverse_N[k] = 1 / W_N;
    m->inverse_T[k] = 1 / (0.5 * (a + c) + sqrt(0.25 * (a - c) * (a - c) + b * b));
}

MO_ANY void mo_pack_point(const mo_solid_pack_args *a, const mo_pair_inertia *inertia, int one,
                          int two, double size, int c, size_t k)
{
    const mo_find_args *f = &a->solids.find;
    const mo_manifolds *m = &a->manifolds;
    const mo_solid_point *p = a->solids.point + c;
    const mo_touch *touch = &p->touch;
    const mo_ball_touch t = mo_solid_touch(touch, size);
    const mo_two_arms arms = {mo_vec_at(p->arm[0]), mo_vec_at(p->arm[1])};
    const uint32_t other =
        two < f->balls ? f->ball[two].surface : (uint32_t)f->fixed[two - f->balls].surface;
    const uint32_t both = f->ball[one].surface * MO_FIXED_SURFACES + other;
    const int is_projection = a->solids.is_projection,
              match = is_projection ? -1 : a->solids.match[c];
    const double w_N =
        is_projection ? t.gap / f->h
                      : mo_bounce_speed(f, &t, one, two, &arms, f->restitution[both],
                                        mo_gap_speed(t.gap, size, mo_vec_at(touch->point), f->h));
    mo_vec_write(t.n, m->n, m->room, k);
    mo_vec_write(mo_vec_times(w_N, t.n), m->w, m->room, k);
    mo_vec_write(arms.one, m->arm_1, m->room, k);
    mo_vec_write(arms.two, m->arm_2, m->room, k);
    m->mu[k] = is_projection ? 0 : f->mu[both];
    mo_pack_response(inertia, &arms, touch->normal, m, k);
    mo_vec_write(match >= 0 ? mo_vec_read(f->last.r, f->last.apart, (size_t)match)
                            : mo_vec_of(0, 0, 0),
                 a->r, a->apart, k);
}

/* ---- manifolds ------------------------------------------------------------------------------- */

/* Manifold i from its pair; returns the deepest penetration. */
MO_ANY mo_term mo_kernel_solid_pack(const mo_solid_pack_args *a, int i)
{
    const mo_find_args *f = &a->solids.find;
    const int node = a->order[i], pair = a->solids.node_pair[node], one = a->solids.node_one[node],
              two = a->solids.node_two[node];
    const double size = mo_smaller_size(f, one, two);
    const mo_pair_inertia inertia = {f->free_line[one].inverse_mass, f->free_line[two].inverse_mass,
                                     a->inertia + 8 * (size_t)one, a->inertia + 8 * (size_t)two};
    mo_term term = {0, 0};
    a->manifolds.one[i] = one;
    a->manifolds.two[i] = two;
    for (int k = 0; k < a->solids.count[pair]; ++k) {
        const int c = a->solids.start[pair] + k;
        mo_pack_point(a, &inertia, one, two, size, c, (size_t)(a->manifolds.first[i] + k));
        term.largest = mo_larger(term.largest, -a->solids.point[c].touch.gap);
    }
    return term;
}

/* The impulses of a solution, in the order of the list. */
MO_ANY void mo_kernel_solid_keep(const mo_solid_pack_args *a, int i)
{
    const int node = a->order[i], pair = a->solids.node_pair[node], two = a->solids.node_two[node];
    const int first = a->solids.start[pair];
    for (int k = 0; k < a->solids.count[pair]; ++k) {
        const int c = first + k;
        a->now.other[c] = two < a->solids.find.balls ? (int)a->solids.find.near[two].id : two;
        a->now.feature[c] = a->solids.point[c].touch.feature;
        mo_vec_write(mo_vec_read(a->r, a->apart, (size_t)(a->manifolds.first[i] + k)), a->now.r,
                     a->now.apart, (size_t)c);
    }
}

/* Of body i: start of the points of its pairs. */
MO_ANY void mo_kernel_solid_rows(const mo_solid_pack_args *a, int i)
{
    const mo_find_args *f = &a->solids.find;
    const uint32_t id = f->near[i].id;
    a->now.begin[id] = a->solids.start[f->start[i]];
    a->now.end[id] = a->solids.start[f->start[i + 1]];
}

#endif
