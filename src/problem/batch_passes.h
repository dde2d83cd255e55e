/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * The passes of batch_kernel.h, with the lanes of lanes.h; included once by each file that defines
 * L.
 *
 * A visit solves a contact with the others held, or goes part of the way: first the normal impulse,
 * then, at the velocity that it leaves, friction:
 *
 *     r_N = max(0, r_N - relax_N u_N / W_NN),     r_T = cut to mu r_N of  r_T - relax_T u_T / W_T
 *
 * with W_T the largest eigenvalue of W_TT.  A contact that this leaves alone obeys Coulomb's law.
 * Between balls W is diagonal and W_T exact, so the visit is the exact solution.
 *
 * With friction above 1 such sweeps often end in a cycle, since friction that follows the normal
 * impulse at once moves the neighbours by more than that.  Steep passes have another visit, one
 * step of projected gradients on the convex problem whose shift s is held, and then the shift goes
 * part of the way to its value (Acary and Cadoux's fixed point, contact by contact):
 *
 *     r = proj_K(r - D^-1 (u + s n)),     s = s + shift_part (mu |u_T| - s)
 *
 * proj_K in the metric of D = c diag(W_NN, W_T, W_T) >= W.  A contact that this leaves alone obeys
 * Coulomb's law, too.  `central` and `steep` are constants where a function is inlined.
 */
#ifndef MO_PROBLEM_BATCH_PASSES_H
#define MO_PROBLEM_BATCH_PASSES_H

#include "base/pace.h"
#include "problem/lanes.h"

/* ---- L bodies -------------------------------------------------------------------------------- */

typedef struct side {
    vec3 v, spin;
    lanes inverse_mass, inverse_inertia;
    lanes xx, yy, zz, xy, xz, yz; /* of the inverse inertia; not where it is central */
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

/* The world is never written, since all batches share it: its line, or -1 where it is none of
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
    *part = choose(inside, one, choose(polar, zero, mu * edge / length));
    return choose(inside, N, choose(polar, zero, edge));
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
    const vec3 w = load_3(points->w + at);
    vec3 u = plus(slip_of(&c, one, two, central), w);
    const lanes u_N = dot(u, c.n), r_N = dot(*r, c.n);
    const lanes stop = r_N - u_N * (pass->relax_N * load(points->inverse_N + at));
    const lanes new_N = choose(stop > zero, stop, zero), dN = new_N - r_N;
    const vec3 r_T = along(*r, -r_N, c.n);
    if (!central) { /* a normal impulse moves the point sideways, too */
        push(one, two, &c, times(dN, c.n), 0);
        u = plus(slip_of(&c, one, two, 0), w);
    }
    const vec3 u_T = along(u, -dot(u, c.n), c.n);
    const vec3 stick = along(r_T, -pass->relax_T * load(points->inverse_T + at), u_T);
    const lanes part = cut(load(points->mu + at) * new_N, dot(stick, stick));
    const vec3 new_T = times(part, stick), dT = minus(new_T, r_T);
    push(one, two, &c, central ? along(dT, dN, c.n) : dT, central);
    *r = along(new_T, new_N, c.n);
    return dN * dN + dot(dT, dT);
}

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

/* L manifolds of a batch. */
INLINE lanes visit_manifolds(const mo_batch_pass *pass, const mo_batch *batch, int at, int central,
                             int steep)
{
    const mo_batches *batches = pass->batches;
    const int world = batch->touches_world ? batches->line_count - 1 : -1;
    const int *first = batch->line[0] + at, *second = batch->line[1] + at;
    side one = gather(batches, pass->state, first, central),
         two = gather(batches, pass->state, second, central);
    lanes moved = {0};
    for (int k = 0; k < batch->point_count; ++k) {
        mo_point_impulses *impulses = pass->impulses + batch->point + k;
        const vec3 now = load_3(impulses->r + at), before = load_3(impulses->before + at);
        vec3 r = along(now, (lanes){0} + pass->beta, minus(now, before));
        const mo_points *points = mo_batch_points(batches, batch, k);
        if (steep) {
            lanes *s = (lanes *)(pass->shift + (size_t)(batch->point + k) * B + (size_t)at);
            moved += visit_steep(pass, points, at, &one, &two, &r, s, central);
        } else {
            moved += visit_contact(pass, points, at, &one, &two, &r, central);
        }
        store_3(now, impulses->before + at);
        store_3(r, impulses->r + at);
    }
    scatter(one, first, world, pass->state);
    scatter(two, second, world, pass->state);
    return moved;
}

/* Results of L manifolds, if the caller wants them separately. */
INLINE void note_each(const mo_batch_pass *pass, int batch, int at, lanes found)
{
    if (pass->each) {
        *(lanes *)(pass->each + (size_t)B * (size_t)batch + (size_t)at) = found;
    }
}

INLINE double visit_all(const mo_batch_pass *pass, int begin, int end, int steep)
{
    lanes moved[B / L] = {(lanes){0}};
    for (int k = begin; k < end; ++k) {
        const mo_batch *batch = pass->batches->batch + k;
        fetch_next(pass, k, end);
        for (int at = 0; at < B; at += L) {
            const lanes own = batch->is_central ? visit_manifolds(pass, batch, at, 1, steep)
                                                : visit_manifolds(pass, batch, at, 0, steep);
            moved[at / L] += own;
            note_each(pass, k, at, own);
        }
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
        for (int at = 0; at < B; at += L) {
            if (batch->is_central) {
                apply_manifolds(pass, batch, at, 1);
            } else {
                apply_manifolds(pass, batch, at, 0);
            }
        }
    }
}

/* Lines are taken as plain numbers: inverse masses do not change, so they stay. */
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

/* A vector by its part along the normal and the rest. */
typedef struct split {
    lanes N, length;
    vec3 T;
} split;

INLINE split split_of(vec3 a, vec3 n)
{
    split s = {.N = dot(a, n)};
    s.T = along(a, -s.N, n);
    s.length = root(dot(s.T, s.T));
    return s;
}

/* |r - proj_K(r - step (u + mu |u_T| n))|^2 */
INLINE lanes natural_square(lanes mu, const split *u, const split *r, lanes step)
{
    lanes part;
    const vec3 y_T = along(r->T, -step, u->T);
    const lanes p_N =
        project(mu, r->N - step * (u->N + mu * u->length), root(dot(y_T, y_T)), &part);
    const vec3 z_T = along(r->T, -part, y_T);
    return (r->N - p_N) * (r->N - p_N) + dot(z_T, z_T);
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
        const vec3 u = plus(slip_of(&c, &one, &two, central), load_3(points->w + at));
        const split of_u = split_of(u, c.n),
                    of_r = split_of(load_3(pass->impulses[number].r + at), c.n);
        *natural += natural_square(load(points->mu + at), &of_u, &of_r, (lanes){0} + 1);
        *approach = choose(-of_u.N > *approach, -of_u.N, *approach);
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
            if (batch->is_central) {
                look_at(pass, batch, at, 1, &own, approach + at / L);
            } else {
                look_at(pass, batch, at, 0, &own, approach + at / L);
            }
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
        const vec3 u = plus(slip_of(&c, &one, &two, central), load_3(points->w + at));
        sum += choose(is_point(points, at), dot(u, u), (lanes){0});
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
    target static void extrapolate_##name(const mo_batch_pass *pass, double *before, int begin,    \
                                          int end)                                                 \
    {                                                                                              \
        extrapolate(pass, before, begin, end);                                                     \
    }                                                                                              \
    const mo_batch_kernels mo_batch_##name = {visit_##name,  look_##name,  judge_##name,           \
                                              speeds_##name, apply_##name, extrapolate_##name};

#endif
