/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * The residual of contacts in batches, computed in lanes as mo_measure defines it.  Included by
 * batch_passes.h.
 */
#ifndef MO_PROBLEM_BATCH_JUDGE_H
#define MO_PROBLEM_BATCH_JUDGE_H

/* With step 1; if u is lost in the rounding of r, also with a longer one, as in mo_measure. */
INLINE lanes natural_of_any(lanes mu, const mo_split *u, const mo_split *r)
{
    const lanes one = (lanes){0} + 1;
    const lanes moved = u->N * u->N + u->length * u->length,
                size = r->N * r->N + r->length * r->length;
    const mask is_lost = (moved > 0) & (moved <= 1e-24 * size);
    const lanes step = mo_choose(is_lost, mo_root(size / moved), one);
    const lanes with_1 = mo_natural_square(mu, u, r, one),
                with_step = mo_natural_square(mu, u, r, step) / (step * step);
    const lanes larger = mo_choose(with_step > with_1, with_step, with_1);
    return mo_choose(is_lost & (size > 1e200), one * INFINITY, larger);
}

/* The largest value so far, and its contact. */
typedef struct worst {
    lanes value, who;
} worst;

INLINE void keep_worst(worst *w, lanes value, lanes who)
{
    const mask is_worse = ~(value <= w->value); /* also for NaN */
    w->value = mo_choose(is_worse, value, w->value);
    w->who = mo_choose(is_worse, who, w->who);
}

INLINE mo_worst worst_of(const worst *of_lanes)
{
    mo_worst all = {0, -1};
    for (int k = 0; k < B; ++k) {
        const double value = of_lanes[k / L].value[k % L];
        if (!(value <= all.value)) all = (mo_worst){value, (int)of_lanes[k / L].who[k % L]};
    }
    return all;
}

/* Data of B contacts, one of each lane; an entry for L of them. */
typedef struct verdicts {
    lanes natural[B / L], u[B / L], r[B / L], power[B / L];
    worst block[B / L], penetration_rate[B / L], cone_violation[B / L], dissipation[B / L];
} verdicts;

INLINE lanes larger_of(lanes a, lanes b)
{
    return mo_choose(a > b, a, b);
}

INLINE void keep_failures(lanes mu, const mo_split *u, const mo_split *r, lanes who, verdicts *v,
                          int i)
{
    lanes part;
    const lanes zero = {0}, p_N = mo_project(mu, r->N, r->length, &part);
    const lanes off_N = r->N - p_N, off_T = (zero + 1 - part) * r->length;
    keep_worst(v->penetration_rate + i, larger_of(-u->N, zero), who);
    keep_worst(v->cone_violation + i, mo_root(off_N * off_N + off_T * off_T), who);
    const lanes power = mo_power_of(mu, u, r);
    keep_worst(v->dissipation + i, power, who);
    v->power[i] += power;
}

INLINE void judge_manifolds(const mo_batch_pass *pass, const mo_batch *batch, int at, int central,
                            double *u_out, verdicts *v)
{
    const mo_batches *batches = pass->batches;
    const int i = at / L;
    const side one = gather(batches, pass->state, batch->line[0] + at, central),
               two = gather(batches, pass->state, batch->line[1] + at, central);
    for (int k = 0; k < batch->point_count; ++k) {
        const mo_points *points = mo_batch_points(batches, batch, k);
        const size_t number = (size_t)(batch->point + k);
        const contact c = contact_at(points, at, central);
        const lanes mu = load(points->mu + at),
                    who = numbers(batches->constraint + number * B + (size_t)at);
        const mo_vec own_u = mo_vec_plus(slip_of(&c, &one, &two, central), load_3(points->w + at)),
                     own_r = load_3(pass->impulses[number].r + at);
        const mo_split u = mo_split_of(own_u, c.n), r = mo_split_of(own_r, c.n);
        const lanes natural = natural_of_any(mu, &u, &r);
        store_3(own_u, u_out + number * (3 * B) + (size_t)at);
        v->natural[i] += natural;
        v->u[i] += mo_choose(is_point(points, at), mo_vec_dot(own_u, own_u), (lanes){0});
        v->r[i] += mo_vec_dot(own_r, own_r);
        keep_worst(v->block + i, mo_root(natural), who);
        keep_failures(mu, &u, &r, who, v, i);
    }
}

INLINE mo_batch_verdict judge(const mo_batch_pass *pass, double *u)
{
    const lanes zero = {0};
    verdicts v;
    for (int i = 0; i < B / L; ++i) {
        const worst none = {zero, zero - 1};
        v.natural[i] = v.u[i] = v.r[i] = v.power[i] = zero;
        v.block[i] = v.penetration_rate[i] = v.cone_violation[i] = v.dissipation[i] = none;
    }
    for (int k = 0; k < pass->batches->batch_count; ++k) {
        const mo_batch *batch = pass->batches->batch + k;
        mo_pace_every(k + 1, 64);
        for (int at = 0; at < B; at += L)
            if (batch->is_central)
                judge_manifolds(pass, batch, at, 1, u, &v);
            else
                judge_manifolds(pass, batch, at, 0, u, &v);
    }
    return (mo_batch_verdict){sum_of(v.natural),
                              sum_of(v.u),
                              sum_of(v.r),
                              sum_of(v.power),
                              worst_of(v.block),
                              worst_of(v.penetration_rate),
                              worst_of(v.cone_violation),
                              worst_of(v.dissipation)};
}

#endif
