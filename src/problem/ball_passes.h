/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * The passes over batches that ball_kernel.h names, with the lanes of ball_lanes.h; included once by each file that defines L.
 */
#ifndef MO_PROBLEM_BALL_PASSES_H
#define MO_PROBLEM_BALL_PASSES_H

#include "problem/ball_lanes.h"

/* ---- sweeps ----------------------------------------------------------------------------------- */

/* The bodies of the batch after this one, so that they are near when it is visited. */
INLINE void fetch_next(const mo_ball_pass *pass, int k, int end)
{
    const mo_ball_batch *next = pass->balls->batch + k + 1;
    for (int lane = 0; k + 1 < end && lane < B; ++lane) {
        __builtin_prefetch(pass->state + next->body[0][lane]);
        __builtin_prefetch(pass->state + next->body[1][lane]);
    }
}

INLINE double visit(const mo_ball_pass *pass, int begin, int end)
{
    const lanes zero = {0};
    lanes moved[B / L] = {zero};
    for (int k = begin; k < end; ++k) {
        const mo_ball_batch *batch = pass->balls->batch + k;
        mo_ball_impulses *impulses = pass->impulses + k;
        const int world = batch->touches_world ? pass->balls->body_count : -1;
        fetch_next(pass, k, end);
        for (int at = 0; at < B; at += L) {
            const vec3 now = load_3(impulses->r + at), before = load_3(impulses->before + at);
            const vec3 r = along(now, zero + pass->beta, minus(now, before));
            const int *first = batch->body[0] + at, *second = batch->body[1] + at;
            side one = gather(pass->state, first), two = gather(pass->state, second);
            const contact c = see(batch, at, &one, &two);
            const vec3 new_r = solve(pass, batch, at, &c, r), dr = minus(new_r, r);
            moved[at / L] += dot(dr, dr);
            push(&one, &two, &c, dr);
            store_3(now, impulses->before + at);
            store_3(new_r, impulses->r + at);
            scatter(one, first, world, pass->state);
            scatter(two, second, world, pass->state);
        }
    }
    return sum_of(moved);
}

INLINE mo_ball_sums look(const mo_ball_pass *pass, int begin, int end)
{
    const lanes zero = {0};
    lanes natural[B / L] = {zero}, sink[B / L] = {zero};
    for (int k = begin; k < end; ++k) {
        const mo_ball_batch *batch = pass->balls->batch + k;
        for (int at = 0; at < B; at += L) {
            const side one = gather(pass->state, batch->body[0] + at),
                       two = gather(pass->state, batch->body[1] + at);
            const contact c = see(batch, at, &one, &two);
            const split u = split_of(c.u, c.n), r = split_of(load_3(pass->impulses[k].r + at), c.n);
            natural[at / L] += natural_square(c.mu, &u, &r, zero + 1);
            const lanes sinks = -u.N * load(pass->impulses[k].deepest + at);
            sink[at / L] = choose(sinks > sink[at / L], sinks, sink[at / L]);
        }
    }
    return (mo_ball_sums){sum_of(natural), largest_of(sink)};
}

/* The states are taken as plain numbers: inverse masses do not change, so they stay. */
INLINE void push_on(const mo_ball_pass *pass, mo_ball *before)
{
    const lanes beta = (lanes){0} + pass->beta;
    for (int b = 0; b < pass->balls->body_count; ++b) {
        for (int at = 0; at < 8; at += L) {
            double *now = (double *)(pass->state + b) + at;
            double *then = (double *)(before + b) + at;
            const lanes own = load(now);
            *(lanes *)now = own + beta * (own - load(then));
            *(lanes *)then = own;
        }
    }
}

/* ---- impulses that somebody gives ---------------------------------------------------------------- */

INLINE vec3 given_at(const mo_ball_given *given, int k, int at)
{
    return load_3(given->r + given->apart * (size_t)k + at);
}

INLINE void push_given(const mo_ball_given *given)
{
    for (int k = 0; k < given->balls->batch_count; ++k) {
        const mo_ball_batch *batch = given->balls->batch + k;
        const int world = batch->touches_world ? given->balls->body_count : -1;
        for (int at = 0; at < B; at += L) {
            const int *first = batch->body[0] + at, *second = batch->body[1] + at;
            const contact c = {.n = load_3(batch->n + at),
                               .lever_1 = load(batch->lever[0] + at),
                               .lever_2 = load(batch->lever[1] + at)};
            side one = gather(given->state, first), two = gather(given->state, second);
            push(&one, &two, &c, given_at(given, k, at));
            scatter(one, first, world, given->state);
            scatter(two, second, world, given->state);
        }
    }
}

INLINE double speeds(const mo_ball_given *given)
{
    lanes sum[B / L] = {(lanes){0}};
    for (int k = 0; k < given->balls->batch_count; ++k) {
        const mo_ball_batch *batch = given->balls->batch + k;
        for (int at = 0; at < B; at += L) {
            const side one = gather(given->state, batch->body[0] + at),
                       two = gather(given->state, batch->body[1] + at);
            const contact c = see(batch, at, &one, &two);
            sum[at / L] += dot(c.u, c.u);
        }
    }
    return sum_of(sum);
}

/* With step 1; where u is lost in the rounding of r, with a longer one too, as mo_measure has it. */
INLINE lanes natural_of_any(lanes mu, const split *u, const split *r)
{
    const lanes one = (lanes){0} + 1;
    const lanes moved = u->N * u->N + u->length * u->length,
                size = r->N * r->N + r->length * r->length;
    const mask is_lost = (moved > 0) & (moved <= 1e-24 * size);
    const lanes step = choose(is_lost, root(size / moved), one);
    const lanes with_1 = natural_square(mu, u, r, one),
                with_step = natural_square(mu, u, r, step) / (step * step);
    const lanes larger = choose(with_step > with_1, with_step, with_1);
    return choose(is_lost & (size > 1e200), one * INFINITY, larger);
}

/* The largest value so far, and whose it is. */
typedef struct worst {
    lanes value, who;
} worst;

INLINE void keep_worst(worst *w, lanes value, lanes who)
{
    const mask is_worse = ~(value <= w->value); /* also where it is not a number */
    w->value = choose(is_worse, value, w->value);
    w->who = choose(is_worse, who, w->who);
}

INLINE mo_worst worst_of(const worst *of_lanes)
{
    mo_worst all = {0, -1};
    for (int k = 0; k < B; ++k) {
        const double value = of_lanes[k / L].value[k % L];
        if (!(value <= all.value)) {
            all = (mo_worst){value, (int)of_lanes[k / L].who[k % L]};
        }
    }
    return all;
}

/* What is known of B contacts, one of each lane; an entry for L of them. */
typedef struct verdicts {
    lanes natural[B / L], u[B / L], r[B / L];
    worst block[B / L], penetration_rate[B / L], cone_violation[B / L], dissipation[B / L];
} verdicts;

INLINE lanes larger_of(lanes a, lanes b)
{
    return choose(a > b, a, b);
}

INLINE void keep_failures(lanes mu, const split *u, const split *r, lanes who, verdicts *v, int i)
{
    lanes part;
    const lanes zero = {0}, p_N = project(mu, r->N, r->length, &part);
    const lanes off_N = r->N - p_N, off_T = (zero + 1 - part) * r->length;
    const lanes power_N = r->N * u->N, power_T = mu * r->N * u->length + dot(r->T, u->T);
    keep_worst(v->penetration_rate + i, larger_of(-u->N, zero), who);
    keep_worst(v->cone_violation + i, root(off_N * off_N + off_T * off_T), who);
    keep_worst(v->dissipation + i,
               larger_of(larger_of(power_N, -power_N), larger_of(power_T, -power_T)), who);
}

INLINE void judge(const mo_ball_given *given, int k, int at, verdicts *v)
{
    const mo_ball_batch *batch = given->balls->batch + k;
    const side one = gather(given->state, batch->body[0] + at),
               two = gather(given->state, batch->body[1] + at);
    const contact c = see(batch, at, &one, &two);
    const vec3 own = given_at(given, k, at);
    const split u = split_of(c.u, c.n), r = split_of(own, c.n);
    const lanes natural = natural_of_any(c.mu, &u, &r), who = numbers(batch->constraint + at);
    const int i = at / L;
    v->natural[i] += natural;
    v->u[i] += dot(c.u, c.u);
    v->r[i] += dot(own, own);
    keep_worst(v->block + i, root(natural), who);
    keep_failures(c.mu, &u, &r, who, v, i);
}

INLINE mo_ball_verdict measure(const mo_ball_given *given)
{
    const lanes zero = {0};
    verdicts v;
    for (int i = 0; i < B / L; ++i) {
        const worst none = {zero, zero - 1};
        v.natural[i] = v.u[i] = v.r[i] = zero;
        v.block[i] = v.penetration_rate[i] = v.cone_violation[i] = v.dissipation[i] = none;
    }
    for (int k = 0; k < given->balls->batch_count; ++k) {
        for (int at = 0; at < B; at += L) {
            judge(given, k, at, &v);
        }
    }
    return (mo_ball_verdict){sum_of(v.natural),
                             sum_of(v.u),
                             sum_of(v.r),
                             worst_of(v.block),
                             worst_of(v.penetration_rate),
                             worst_of(v.cone_violation),
                             worst_of(v.dissipation)};
}

/* ---- compiled for a kind of processor ------------------------------------------------------------- */

#define ANY_TARGET
#define KERNELS(name, target)                                                                      \
    target static double visit_##name(const mo_ball_pass *pass, int begin, int end)                \
    {                                                                                              \
        return visit(pass, begin, end);                                                            \
    }                                                                                              \
    target static mo_ball_sums look_##name(const mo_ball_pass *pass, int begin, int end)           \
    {                                                                                              \
        return look(pass, begin, end);                                                             \
    }                                                                                              \
    target static void push_on_##name(const mo_ball_pass *pass, mo_ball *before)                   \
    {                                                                                              \
        push_on(pass, before);                                                                     \
    }                                                                                              \
    target static void push_##name(const mo_ball_given *given)                                     \
    {                                                                                              \
        push_given(given);                                                                         \
    }                                                                                              \
    target static double speeds_##name(const mo_ball_given *given)                                 \
    {                                                                                              \
        return speeds(given);                                                                      \
    }                                                                                              \
    target static mo_ball_verdict measure_##name(const mo_ball_given *given)                       \
    {                                                                                              \
        return measure(given);                                                                     \
    }                                                                                              \
    const mo_ball_kernels mo_ball_##name = {visit_##name, look_##name,   push_on_##name,           \
                                            push_##name,  speeds_##name, measure_##name};

#endif
