/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * L contacts between balls at a time, 4 or 8: what the passes of ball_passes.h are made of.  A batch has MO_BALL_LANES contacts, a
 * whole number of times L; `at` is the first of those under way.
 *
 * Sums are kept for each lane of a batch apart, and added in one order at the end: they have the same bits for every L.
 */
#ifndef MO_PROBLEM_BALL_LANES_H
#define MO_PROBLEM_BALL_LANES_H

#include <math.h>
#if L == 8
#include <immintrin.h>
#endif

#include "problem/ball_kernel.h"

#define INLINE static inline __attribute__((always_inline))

enum { B = MO_BALL_LANES };
typedef double lanes __attribute__((vector_size(L * sizeof(double)), aligned(8), may_alias));
typedef long long mask __attribute__((vector_size(L * sizeof(long long)), aligned(8), may_alias));

typedef struct vec3 {
    lanes x, y, z;
} vec3;

/* ---- L numbers -------------------------------------------------------------------------------- */

INLINE lanes choose(mask which, lanes yes, lanes no)
{
    return (lanes)((which & (mask)yes) | (~which & (mask)no));
}

INLINE lanes root(lanes a)
{
#if L == 8
    return (lanes){sqrt(a[0]), sqrt(a[1]), sqrt(a[2]), sqrt(a[3]),
                   sqrt(a[4]), sqrt(a[5]), sqrt(a[6]), sqrt(a[7])};
#else
    return (lanes){sqrt(a[0]), sqrt(a[1]), sqrt(a[2]), sqrt(a[3])};
#endif
}

/* min(1, bound / sqrt(square)): how much of a vector is left when it is cut to the length `bound`. */
INLINE lanes cut(lanes bound, lanes square)
{
#if L == 8
    /* Two steps of Newton's method from 14 bits: a third of the time of a square root and a division. */
    const lanes least = (lanes){0} + 1e-300, half = 0.5 * (square + least);
    lanes y = (lanes)_mm512_rsqrt14_pd((__m512d)(square + least));
    y = y * (1.5 - half * y * y);
    y = y * (1.5 - half * y * y);
    const lanes part = bound * y;
#else
    const lanes part = bound / root(square); /* not a number: 0 / 0, nothing to cut */
#endif
    return choose(part < 1, part, (lanes){0} + 1);
}

INLINE lanes load(const double *from)
{
    return *(const lanes *)from;
}

/* x, y and z of a batch lie B numbers apart. */
INLINE vec3 load_3(const double *from)
{
    return (vec3){load(from), load(from + B), load(from + 2 * B)};
}

/* Whole numbers. */
INLINE lanes numbers(const int *from)
{
#if L == 8
    return (lanes){from[0], from[1], from[2], from[3], from[4], from[5], from[6], from[7]};
#else
    return (lanes){from[0], from[1], from[2], from[3]};
#endif
}

INLINE void store_3(vec3 a, double *to)
{
    *(lanes *)to = a.x;
    *(lanes *)(to + B) = a.y;
    *(lanes *)(to + 2 * B) = a.z;
}

INLINE vec3 along(vec3 a, lanes s, vec3 b)
{
    return (vec3){a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
}

INLINE vec3 minus(vec3 a, vec3 b)
{
    return (vec3){a.x - b.x, a.y - b.y, a.z - b.z};
}

INLINE lanes dot(vec3 a, vec3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

INLINE vec3 cross(vec3 a, vec3 b)
{
    return (vec3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

/* ---- L bodies: 8 numbers each, one body a row in memory, one number a row in registers ------------- */

#if defined(__clang__)
#define PICK(a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
#else
#define PICK(a, b, ...) __builtin_shuffle(a, b, (mask){__VA_ARGS__})
#endif

#if L == 8
INLINE void read_bodies(const mo_ball *state, const int body[L], lanes a[8])
{
    for (int k = 0; k < L; ++k) {
        a[k] = load((const double *)(state + body[k]));
    }
}

/* Rows become columns: pairs of numbers, then pairs of pairs, then fours. */
INLINE void transpose(lanes a[8])
{
    lanes p[8], q[8];
    for (int k = 0; k < 8; k += 2) {
        p[k] = PICK(a[k], a[k + 1], 0, 8, 2, 10, 4, 12, 6, 14);
        p[k + 1] = PICK(a[k], a[k + 1], 1, 9, 3, 11, 5, 13, 7, 15);
    }
    for (int k = 0; k < 2; ++k) {
        for (int half = 0; half < 8; half += 4) {
            q[half + k] = PICK(p[half + k], p[half + k + 2], 0, 1, 4, 5, 8, 9, 12, 13);
            q[half + k + 2] = PICK(p[half + k], p[half + k + 2], 2, 3, 6, 7, 10, 11, 14, 15);
        }
    }
    for (int k = 0; k < 4; ++k) {
        a[k] = PICK(q[k], q[k + 4], 0, 1, 4, 5, 8, 9, 12, 13);
        a[k + 4] = PICK(q[k], q[k + 4], 2, 3, 6, 7, 10, 11, 14, 15);
    }
}

INLINE void write_body(const lanes a[8], int k, mo_ball *to)
{
    *(lanes *)(double *)to = a[k];
}
#else
INLINE void read_bodies(const mo_ball *state, const int body[L], lanes a[8])
{
    for (int k = 0; k < L; ++k) {
        a[k] = load((const double *)(state + body[k]));
        a[k + L] = load((const double *)(state + body[k]) + L);
    }
}

INLINE void transpose_4(lanes a[4])
{
    const lanes p = PICK(a[0], a[1], 0, 4, 2, 6), q = PICK(a[0], a[1], 1, 5, 3, 7);
    const lanes s = PICK(a[2], a[3], 0, 4, 2, 6), t = PICK(a[2], a[3], 1, 5, 3, 7);
    a[0] = PICK(p, s, 0, 1, 4, 5);
    a[1] = PICK(q, t, 0, 1, 4, 5);
    a[2] = PICK(p, s, 2, 3, 6, 7);
    a[3] = PICK(q, t, 2, 3, 6, 7);
}

/* Rows become columns. */
INLINE void transpose(lanes a[8])
{
    transpose_4(a);
    transpose_4(a + L);
}

INLINE void write_body(const lanes a[8], int k, mo_ball *to)
{
    *(lanes *)(double *)to = a[k];
    *(lanes *)((double *)to + L) = a[k + L];
}
#endif

typedef struct side {
    vec3 v, spin;
    lanes inverse_mass, inverse_inertia;
} side;

INLINE side gather(const mo_ball *state, const int body[L])
{
    lanes a[8];
    read_bodies(state, body, a);
    transpose(a);
    return (side){{a[0], a[1], a[2]}, {a[3], a[4], a[5]}, a[6], a[7]};
}

/* The world is never written: it belongs to all batches.  world: its number, or -1 where it is none of these. */
INLINE void scatter(side s, const int body[L], int world, mo_ball *state)
{
    lanes a[8] = {s.v.x,    s.v.y,    s.v.z,          s.spin.x,
                  s.spin.y, s.spin.z, s.inverse_mass, s.inverse_inertia};
    transpose(a);
    if (world < 0) {
        for (int k = 0; k < L; ++k) {
            write_body(a, k, state + body[k]);
        }
        return;
    }
    for (int k = 0; k < L; ++k) {
        if (body[k] != world) {
            write_body(a, k, state + body[k]);
        }
    }
}

/* ---- L contacts ------------------------------------------------------------------------------- */

typedef struct contact {
    vec3 n, u;
    lanes lever_1, lever_2, mu;
} contact;

INLINE contact see(const mo_ball_batch *batch, int at, const side *one, const side *two)
{
    contact c = {.n = load_3(batch->n + at),
                 .lever_1 = load(batch->lever[0] + at),
                 .lever_2 = load(batch->lever[1] + at),
                 .mu = load(batch->mu + at)};
    const lanes *a = &c.lever_1, *b = &c.lever_2;
    const vec3 arm = {*a * one->spin.x - *b * two->spin.x, *a * one->spin.y - *b * two->spin.y,
                      *a * one->spin.z - *b * two->spin.z};
    const vec3 turn = cross(arm, c.n), w = load_3(batch->w + at);
    c.u = (vec3){one->v.x - two->v.x + turn.x + w.x, one->v.y - two->v.y + turn.y + w.y,
                 one->v.z - two->v.z + turn.z + w.z};
    return c;
}

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

/* Into the cone: what is left of the normal part, and the factor of the rest. */
INLINE lanes project(lanes mu, lanes N, lanes length, lanes *part)
{
    const lanes zero = {0}, one = zero + 1;
    const mask inside = length <= mu * N, polar = mu * length <= -N;
    const lanes edge =
        choose(mu > one, (N / mu + length) / (mu + one / mu), (N + mu * length) / (one + mu * mu));
    *part = choose(inside, one, choose(polar, zero, mu * edge / length));
    return choose(inside, N, choose(polar, zero, edge));
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

/* The impulse that solves each contact with the others held, or goes part of the way to it: a clamp (problem/balls.h). */
INLINE vec3 solve(const mo_ball_pass *pass, const mo_ball_batch *batch, int at, const contact *c,
                  vec3 r)
{
    const lanes zero = {0};
    const lanes u_N = dot(c->u, c->n), r_N = dot(r, c->n);
    const vec3 u_T = along(c->u, -u_N, c->n), r_T = along(r, -r_N, c->n);
    const lanes stop = r_N - u_N * (pass->relax_N * load(batch->inverse_N + at));
    const lanes new_N = choose(stop > zero, stop, zero), bound = c->mu * new_N;
    const vec3 stick = along(r_T, -pass->relax_T * load(batch->inverse_T + at), u_T);
    const vec3 along_n = {new_N * c->n.x, new_N * c->n.y, new_N * c->n.z};
    return along(along_n, cut(bound, dot(stick, stick)), stick);
}

INLINE void push(side *one, side *two, const contact *c, vec3 dr)
{
    const vec3 turn = cross(c->n, dr);
    one->v = along(one->v, one->inverse_mass, dr);
    two->v = along(two->v, -two->inverse_mass, dr);
    one->spin = along(one->spin, c->lever_1 * one->inverse_inertia, turn);
    two->spin = along(two->spin, -(c->lever_2 * two->inverse_inertia), turn);
}

INLINE double sum_of(const lanes *part)
{
    const double *a = (const double *)part;
    return ((a[0] + a[1]) + (a[2] + a[3])) + ((a[4] + a[5]) + (a[6] + a[7]));
}

INLINE double largest_of(const lanes *part)
{
    const double *a = (const double *)part;
    double largest = a[0];
    for (int k = 1; k < B; ++k) {
        largest = a[k] > largest ? a[k] : largest;
    }
    return largest;
}

#endif
