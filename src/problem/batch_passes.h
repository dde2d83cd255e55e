/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * The passes of batch_kernel.h, with the lanes of lanes.h; included once by each file that defines
 * L.
 *
 * With friction above 1 sweeps by (1) of contact_step.h often end in a cycle, since friction that
 * follows the normal impulse at once moves the neighbours by more than that.  Steep passes use (2):
 * Acary and Cadoux's fixed point, contact by contact.  `central` and `steep` are constants where a
 * function is inlined.
 */
#ifndef MO_PROBLEM_BATCH_PASSES_H
#define MO_PROBLEM_BATCH_PASSES_H

#include "base/pace.h"
#include "problem/batch_contacts.h"

/* ---- sweeps ---------------------------------------------------------------------------------- */

/* The bodies of the batch after this one, so that they are near when it is visited. */
INLINE void fetch_next(const mo_batch_pass *pass, int k, int end)
{
    const mo_batch *next = pass->batches->batch + k + 1;
    for (int lane = 0; k + 1 < end && lane < B; ++lane) {
        __builtin_prefetch(pass->state + (size_t)MO_LINE * (size_t)next->line[0][lane]);
        __builtin_prefetch(pass->state + (size_t)MO_LINE * (size_t)next->line[1][lane]);
    }
}

/* Results of L manifolds, if the caller wants them separately. */
INLINE void note_each(const mo_batch_pass *pass, int batch, int at, lanes found)
{
    if (pass->each) *(lanes *)(pass->each + (size_t)B * (size_t)batch + (size_t)at) = found;
}

/*
 * All manifolds of a batch, point by point: the visits of L lanes depend on each other, so those of
 * other lanes are interleaved.
 */
INLINE void visit_manifolds(const mo_batch_pass *pass, int number, int central, int steep,
                            lanes moved[B / L])
{
    const mo_batches *batches = pass->batches;
    const mo_batch *batch = batches->batch + number;
    const int world = batch->touches_world ? batches->line_count - 1 : -1;
    side one[B / L], two[B / L];
    lanes own[B / L] = {(lanes){0}};
    for (int i = 0; i < B / L; ++i) {
        one[i] = gather(batches, pass->state, batch->line[0] + i * L, central);
        two[i] = gather(batches, pass->state, batch->line[1] + i * L, central);
    }
    for (int k = 0; k < batch->point_count; ++k) {
        mo_point_impulses *impulses = pass->impulses + batch->point + k;
        const mo_points *points = mo_batch_points(batches, batch, k);
        for (int i = 0; i < B / L; ++i) {
            const int at = i * L;
            const mo_vec now = load_3(impulses->r + at), before = load_3(impulses->before + at);
            mo_vec r = mo_vec_along(now, (lanes){0} + pass->beta, mo_vec_minus(now, before));
            if (steep) {
                lanes *s = (lanes *)(pass->shift + (size_t)(batch->point + k) * B + (size_t)at);
                own[i] += visit_steep(pass, points, at, one + i, two + i, &r, s, central);
            } else {
                own[i] += visit_contact(pass, points, at, one + i, two + i, &r, central);
            }
            store_3(now, impulses->before + at);
            store_3(r, impulses->r + at);
        }
    }
    for (int i = 0; i < B / L; ++i) {
        scatter(one[i], batch->line[0] + i * L, world, pass->state);
        scatter(two[i], batch->line[1] + i * L, world, pass->state);
        note_each(pass, number, i * L, own[i]);
        moved[i] += own[i];
    }
}

INLINE double visit_all(const mo_batch_pass *pass, int begin, int end, int steep)
{
    lanes moved[B / L] = {(lanes){0}};
    for (int k = begin; k < end; ++k) {
        fetch_next(pass, k, end);
        if (pass->batches->batch[k].is_central)
            visit_manifolds(pass, k, 1, steep, moved);
        else
            visit_manifolds(pass, k, 0, steep, moved);
    }
    return sum_of(moved);
}

INLINE double visit(const mo_batch_pass *pass, int begin, int end)
{
    return pass->shift ? visit_all(pass, begin, end, 1) : visit_all(pass, begin, end, 0);
}

INLINE void apply_manifolds(const mo_batch_pass *pass, const mo_batch *batch, int at, int central)
{
    const mo_batches *batches = pass->batches;
    const int world = batch->touches_world ? batches->line_count - 1 : -1;
    const int *first = batch->line[0] + at, *second = batch->line[1] + at;
    side one = gather(batches, pass->state, first, central),
         two = gather(batches, pass->state, second, central);
    for (int k = 0; k < batch->point_count; ++k) {
        const contact c = contact_at(mo_batch_points(batches, batch, k), at, central);
        push(&one, &two, &c, load_3(pass->impulses[batch->point + k].r + at), central);
    }
    scatter(one, first, world, pass->state);
    scatter(two, second, world, pass->state);
}

INLINE void apply(const mo_batch_pass *pass, int begin, int end)
{
    for (int k = begin; k < end; ++k) {
        const mo_batch *batch = pass->batches->batch + k;
        mo_pace_every(k + 1, 64);
        for (int at = 0; at < B; at += L)
            if (batch->is_central)
                apply_manifolds(pass, batch, at, 1);
            else
                apply_manifolds(pass, batch, at, 0);
    }
}

/* Lines are treated as plain numbers: inverse masses do not change. */
INLINE void extrapolate(const mo_batch_pass *pass, double *before, int begin, int end)
{
    const lanes beta = (lanes){0} + pass->beta;
    for (size_t at = (size_t)begin * MO_LINE; at < (size_t)end * MO_LINE; at += L) {
        const lanes now = load(pass->state + at);
        *(lanes *)(pass->state + at) = now + beta * (now - load(before + at));
        *(lanes *)(before + at) = now;
    }
}

/* ---- looks ----------------------------------------------------------------------------------- */

/* Of the closing speeds of a point of each lane. */
INLINE lanes rate_scale(const mo_batches *batches, size_t number, int at)
{
    const double *scale = batches->problem->rate_scale;
    lanes out = mo_number_of(1);
    for (int k = 0; scale && k < L; ++k) {
        const int i = batches->constraint[number * MO_LANES + (size_t)(at + k)];
        out[k] = i < 0 ? 1 : scale[i];
    }
    return out;
}

INLINE void look_at(const mo_batch_pass *pass, const mo_batch *batch, int at, int central,
                    lanes *natural, lanes *approach)
{
    const mo_batches *batches = pass->batches;
    const side one = gather(batches, pass->state, batch->line[0] + at, central),
               two = gather(batches, pass->state, batch->line[1] + at, central);
    for (int k = 0; k < batch->point_count; ++k) {
        const mo_points *points = mo_batch_points(batches, batch, k);
        const size_t number = (size_t)(batch->point + k);
        const contact c = contact_at(points, at, central);
        const mo_vec u = mo_vec_plus(slip_of(&c, &one, &two, central), load_3(points->w + at));
        const mo_split of_u = mo_split_of(u, c.n),
                       of_r = mo_split_of(load_3(pass->impulses[number].r + at), c.n);
        *natural += mo_natural_square(load(points->mu + at), &of_u, &of_r, (lanes){0} + 1);
        const lanes closing = -of_u.N * rate_scale(batches, number, at);
        *approach = mo_choose(closing > *approach, closing, *approach);
    }
}

INLINE mo_batch_sums look(const mo_batch_pass *pass, int begin, int end)
{
    lanes natural[B / L] = {(lanes){0}}, approach[B / L] = {(lanes){0}};
    for (int k = begin; k < end; ++k) {
        const mo_batch *batch = pass->batches->batch + k;
        mo_pace_every(k + 1, 64);
        for (int at = 0; at < B; at += L) {
            lanes own = {0};
            if (batch->is_central)
                look_at(pass, batch, at, 1, &own, approach + at / L);
            else
                look_at(pass, batch, at, 0, &own, approach + at / L);
            natural[at / L] += own;
            note_each(pass, k, at, own);
        }
    }
    return (mo_batch_sums){sum_of(natural), largest_of(approach)};
}

INLINE lanes speeds_of(const mo_batch_pass *pass, const mo_batch *batch, int at, int central)
{
    const mo_batches *batches = pass->batches;
    const side one = gather(batches, pass->state, batch->line[0] + at, central),
               two = gather(batches, pass->state, batch->line[1] + at, central);
    lanes sum = {0};
    for (int k = 0; k < batch->point_count; ++k) {
        const mo_points *points = mo_batch_points(batches, batch, k);
        const contact c = contact_at(points, at, central);
        const mo_vec u = mo_vec_plus(slip_of(&c, &one, &two, central), load_3(points->w + at));
        sum += mo_choose(is_point(points, at), mo_vec_dot(u, u), (lanes){0});
    }
    return sum;
}

INLINE double speeds(const mo_batch_pass *pass, int begin, int end)
{
    lanes sum[B / L] = {(lanes){0}};
    for (int k = begin; k < end; ++k) {
        const mo_batch *batch = pass->batches->batch + k;
        mo_pace_every(k + 1, 64);
        for (int at = 0; at < B; at += L) {
            sum[at / L] +=
                batch->is_central ? speeds_of(pass, batch, at, 1) : speeds_of(pass, batch, at, 0);
        }
    }
    return sum_of(sum);
}

#include "problem/batch_judge.h"
#include "problem/batch_respond.h"

/* ---- compiled for a kind of processor -------------------------------------------------------- */

#define ANY_TARGET
#define KERNELS(name, target)                                                                      \
    target static double visit_##name(const mo_batch_pass *pass, int begin, int end)               \
    {                                                                                              \
        return visit(pass, begin, end);                                                            \
    }                                                                                              \
    target static mo_batch_sums look_##name(const mo_batch_pass *pass, int begin, int end)         \
    {                                                                                              \
        return look(pass, begin, end);                                                             \
    }                                                                                              \
    target static mo_batch_verdict judge_##name(const mo_batch_pass *pass, double *u)              \
    {                                                                                              \
        return judge(pass, u);                                                                     \
    }                                                                                              \
    target static double speeds_##name(const mo_batch_pass *pass, int begin, int end)              \
    {                                                                                              \
        return speeds(pass, begin, end);                                                           \
    }                                                                                              \
    target static void apply_##name(const mo_batch_pass *pass, int begin, int end)                 \
    {                                                                                              \
        apply(pass, begin, end);                                                                   \
    }                                                                                              \
    target static void respond_##name(const mo_batch_pass *pass, int begin, int end)               \
    {                                                                                              \
        respond(pass, begin, end);                                                                 \
    }                                                                                              \
    target static void extrapolate_##name(const mo_batch_pass *pass, double *before, int begin,    \
                                          int end)                                                 \
    {                                                                                              \
        extrapolate(pass, before, begin, end);                                                     \
    }                                                                                              \
    const mo_batch_kernels mo_batch_##name = {visit_##name,      look_##name,  judge_##name,       \
                                              speeds_##name,     apply_##name, respond_##name,     \
                                              extrapolate_##name};

#endif
