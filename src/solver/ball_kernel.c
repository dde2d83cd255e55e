/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
#include "solver/ball_kernel.h"

#include <math.h>
#include <string.h>

#define INLINE static inline __attribute__((always_inline))

enum { L = MO_BALL_LANES };
typedef double lanes __attribute__((vector_size(L * sizeof(double)), aligned(8), may_alias));
typedef long long mask __attribute__((vector_size(L * sizeof(long long)), aligned(8), may_alias));

typedef struct vec3 {
    lanes x, y, z;
} vec3;

/* ---- four numbers ----------------------------------------------------------------------------- */

INLINE lanes choose(mask which, lanes yes, lanes no)
{
    return (lanes)((which & (mask)yes) | (~which & (mask)no));
}

INLINE lanes root(lanes a)
{
    return (lanes){sqrt(a[0]), sqrt(a[1]), sqrt(a[2]), sqrt(a[3])};
}

INLINE lanes load(const double *from)
{
    return *(const lanes *)from;
}

INLINE vec3 load_3(const double *from)
{
    return (vec3){load(from), load(from + L), load(from + 2 * L)};
}

INLINE void store_3(vec3 a, double *to)
{
    *(lanes *)to = a.x;
    *(lanes *)(to + L) = a.y;
    *(lanes *)(to + 2 * L) = a.z;
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

/* ---- four bodies ------------------------------------------------------------------------------ */

typedef struct side {
    vec3 v, spin;
    lanes inverse_mass, inverse_inertia;
} side;

#if defined(__clang__)
#define PICK(a, b, i, j, k, l) __builtin_shufflevector(a, b, i, j, k, l)
#else
#define PICK(a, b, i, j, k, l) __builtin_shuffle(a, b, (mask){i, j, k, l})
#endif

/* Rows become columns. */
INLINE void transpose(lanes *a, lanes *b, lanes *c, lanes *d)
{
    const lanes p = PICK(*a, *b, 0, 4, 2, 6), q = PICK(*a, *b, 1, 5, 3, 7);
    const lanes s = PICK(*c, *d, 0, 4, 2, 6), t = PICK(*c, *d, 1, 5, 3, 7);
    *a = PICK(p, s, 0, 1, 4, 5);
    *b = PICK(q, t, 0, 1, 4, 5);
    *c = PICK(p, s, 2, 3, 6, 7);
    *d = PICK(q, t, 2, 3, 6, 7);
}

INLINE side gather(const mo_ball *state, const int body[L])
{
    const double *from[L];
    lanes low[L], high[L];
    for (int k = 0; k < L; ++k) {
        from[k] = (const double *)(state + body[k]);
        low[k] = load(from[k]);
        high[k] = load(from[k] + L);
    }
    transpose(low, low + 1, low + 2, low + 3);
    transpose(high, high + 1, high + 2, high + 3);
    return (side){{low[0], low[1], low[2]}, {low[3], high[0], high[1]}, high[2], high[3]};
}

/* The world is never written: it belongs to all batches. */
INLINE void scatter(side s, const int body[L], int world, mo_ball *state)
{
    lanes low[L] = {s.v.x, s.v.y, s.v.z, s.spin.x};
    lanes high[L] = {s.spin.y, s.spin.z, s.inverse_mass, s.inverse_inertia};
    transpose(low, low + 1, low + 2, low + 3);
    transpose(high, high + 1, high + 2, high + 3);
    for (int k = 0; k < L; ++k) {
        if (body[k] != world) {
            double *to = (double *)(state + body[k]);
            *(lanes *)to = low[k];
            *(lanes *)(to + L) = high[k];
        }
    }
}

/* ---- four contacts ---------------------------------------------------------------------------- */

typedef struct contact {
    vec3 n, u;
    lanes lever_1, lever_2, mu;
} contact;

INLINE contact see(const mo_ball_batch *batch, const side *one, const side *two)
{
    contact c = {.n = load_3(batch->n),
                 .lever_1 = load(batch->lever[0]),
                 .lever_2 = load(batch->lever[1]),
                 .mu = load(batch->mu)};
    const lanes *a = &c.lever_1, *b = &c.lever_2;
    const vec3 arm = {*a * one->spin.x - *b * two->spin.x, *a * one->spin.y - *b * two->spin.y,
                      *a * one->spin.z - *b * two->spin.z};
    const vec3 turn = cross(arm, c.n), w = load_3(batch->w);
    c.u = (vec3){one->v.x - two->v.x + turn.x + w.x, one->v.y - two->v.y + turn.y + w.y,
                 one->v.z - two->v.z + turn.z + w.z};
    return c;
}

/* |r - proj_K(r - u - mu |u_T| n)|^2 */
INLINE lanes natural_square(const contact *c, vec3 r)
{
    const lanes zero = {0}, one = zero + 1;
    const lanes u_N = dot(c->u, c->n), r_N = dot(r, c->n);
    const vec3 u_T = along(c->u, -u_N, c->n), r_T = along(r, -r_N, c->n);
    const lanes y_N = r_N - u_N - c->mu * root(dot(u_T, u_T));
    const vec3 y_T = minus(r_T, u_T);
    const lanes length = root(dot(y_T, y_T));
    const mask inside = length <= c->mu * y_N, polar = c->mu * length <= -y_N;
    const lanes edge = (y_N + c->mu * length) / (one + c->mu * c->mu);
    const lanes p_N = choose(inside, y_N, choose(polar, zero, edge));
    const lanes part = choose(inside, one, choose(polar, zero, c->mu * edge / length));
    const vec3 z_T = along(r_T, -part, y_T);
    return (r_N - p_N) * (r_N - p_N) + dot(z_T, z_T);
}

/* The impulse that solves each contact with the others held: a clamp (problem/balls.h). */
INLINE vec3 solve(const mo_ball_batch *batch, const contact *c, vec3 r)
{
    const lanes zero = {0}, one = zero + 1;
    const lanes u_N = dot(c->u, c->n), r_N = dot(r, c->n);
    const vec3 u_T = along(c->u, -u_N, c->n), r_T = along(r, -r_N, c->n);
    const lanes stop = r_N - u_N * load(batch->inverse_N);
    const lanes new_N = choose(stop > zero, stop, zero), bound = c->mu * new_N;
    const vec3 stick = along(r_T, -load(batch->inverse_T), u_T);
    const lanes square = dot(stick, stick);
    const lanes part = choose(square > bound * bound, bound / root(square), one);
    const vec3 along_n = {new_N * c->n.x, new_N * c->n.y, new_N * c->n.z};
    return along(along_n, part, stick);
}

INLINE void push(side *one, side *two, const contact *c, vec3 dr)
{
    const vec3 turn = cross(c->n, dr);
    one->v = along(one->v, one->inverse_mass, dr);
    two->v = along(two->v, -two->inverse_mass, dr);
    one->spin = along(one->spin, c->lever_1 * one->inverse_inertia, turn);
    two->spin = along(two->spin, -(c->lever_2 * two->inverse_inertia), turn);
}

INLINE double sum_of(lanes a)
{
    return (a[0] + a[1]) + (a[2] + a[3]);
}

INLINE double largest_of(lanes a)
{
    return fmax(fmax(a[0], a[1]), fmax(a[2], a[3]));
}

INLINE double visit(const mo_ball_pass *pass, int begin, int end)
{
    const int world = pass->balls->problem->body_count;
    const lanes zero = {0};
    lanes moved = zero;
    for (int k = begin; k < end; ++k) {
        const mo_ball_batch *batch = pass->balls->batch + k;
        mo_ball_impulses *impulses = pass->impulses + k;
        const vec3 now = load_3(impulses->r), before = load_3(impulses->before);
        const vec3 r = along(now, zero + pass->beta, minus(now, before));
        side one = gather(pass->state, batch->body[0]), two = gather(pass->state, batch->body[1]);
        const contact c = see(batch, &one, &two);
        const vec3 new_r = solve(batch, &c, r), dr = minus(new_r, r);
        moved += dot(dr, dr);
        push(&one, &two, &c, dr);
        store_3(now, impulses->before);
        store_3(new_r, impulses->r);
        scatter(one, batch->body[0], world, pass->state);
        scatter(two, batch->body[1], world, pass->state);
    }
    return sum_of(moved);
}

INLINE mo_ball_sums look(const mo_ball_pass *pass, int begin, int end)
{
    const lanes zero = {0};
    lanes natural = zero, rate = zero;
    for (int k = begin; k < end; ++k) {
        const mo_ball_batch *batch = pass->balls->batch + k;
        const side one = gather(pass->state, batch->body[0]),
                   two = gather(pass->state, batch->body[1]);
        const contact c = see(batch, &one, &two);
        const lanes u_N = dot(c.u, c.n);
        natural += natural_square(&c, load_3(pass->impulses[k].r));
        rate = choose(-u_N > rate, -u_N, rate);
    }
    return (mo_ball_sums){sum_of(natural), largest_of(rate)};
}

/* The states are taken as plain numbers: inverse masses do not change, so they stay. */
INLINE void push_on(const mo_ball_pass *pass, mo_ball *before)
{
    const lanes beta = (lanes){0} + pass->beta;
    for (int b = 0; b < pass->balls->problem->body_count; ++b) {
        for (int half = 0; half < 2; ++half) {
            double *now = (double *)(pass->state + b) + half * L;
            double *then = (double *)(before + b) + half * L;
            const lanes own = load(now);
            *(lanes *)now = own + beta * (own - load(then));
            *(lanes *)then = own;
        }
    }
}

/* ---- for this processor ------------------------------------------------------------------------- */

typedef struct kernels {
    double (*visit)(const mo_ball_pass *pass, int begin, int end);
    mo_ball_sums (*look)(const mo_ball_pass *pass, int begin, int end);
    void (*push_on)(const mo_ball_pass *pass, mo_ball *before);
} kernels;

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
    static const kernels name = {visit_##name, look_##name, push_on_##name};

#define ANY_TARGET
KERNELS(anywhere, ANY_TARGET)

#if defined(__x86_64__)
/* Four lanes in both; the second has twice as many registers. */
KERNELS(avx2, __attribute__((target("avx2"))))
KERNELS(avx512, __attribute__((target("avx2,avx512f,avx512vl,avx512dq"))))

static const kernels *chosen(void)
{
    const int has_more = __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq");
    return !__builtin_cpu_supports("avx2") ? &anywhere : has_more ? &avx512 : &avx2;
}
#else
static const kernels *chosen(void)
{
    return &anywhere;
}
#endif

double mo_ball_visit(const mo_ball_pass *pass, int begin, int end)
{
    return chosen()->visit(pass, begin, end);
}

mo_ball_sums mo_ball_look(const mo_ball_pass *pass, int begin, int end)
{
    return chosen()->look(pass, begin, end);
}

void mo_ball_push_on(const mo_ball_pass *pass, mo_ball *before)
{
    chosen()->push_on(pass, before);
}
