/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * The response of contacts to their own impulses, in lanes: K of batches.h, and what visits need of
 * it.  Included by batch_passes.h.
 *
 * With P = I - n n' the tangential part of K is T = P K P.  Its eigenvalues other than zero have
 * the sum t = tr T and the sum of squares |T|^2, so the larger one is t / 2 + sqrt(|T|^2 / 2 -
 * t^2 / 4).
 */
#ifndef MO_PROBLEM_BATCH_RESPOND_H
#define MO_PROBLEM_BATCH_RESPOND_H

typedef struct symmetric {
    lanes xx, yy, zz, xy, xz, yz;
} symmetric;

/* Adds 1/m I + [a] J^-1 [a]'. */
INLINE void add_response(const side *own, mo_vec a, symmetric *K)
{
    const mo_inverse *s = &own->inertia;
    const lanes inverse_mass = own->body.inverse_mass;
    const mo_vec x = {s->xy * a.z - s->xz * a.y, s->yy * a.z - s->yz * a.y,
                      s->yz * a.z - s->zz * a.y}, /* J^-1 (a x e) for each axis e */
        y = {s->xz * a.x - s->xx * a.z, s->yz * a.x - s->xy * a.z, s->zz * a.x - s->xz * a.z},
                 z = {s->xx * a.y - s->xy * a.x, s->xy * a.y - s->yy * a.x,
                      s->xz * a.y - s->yz * a.x};
    K->xx += inverse_mass + (a.z * x.y - a.y * x.z);
    K->yy += inverse_mass + (a.x * y.z - a.z * y.x);
    K->zz += inverse_mass + (a.y * z.x - a.x * z.y);
    K->xy += a.z * y.y - a.y * y.z;
    K->xz += a.z * z.y - a.y * z.z;
    K->yz += a.x * z.z - a.z * z.x;
}

/* The larger eigenvalue of the tangential part; k = K n. */
INLINE lanes largest_tangential(const symmetric *K, mo_vec n, mo_vec k, lanes W_N)
{
    const mo_vec m = mo_vec_along(k, -0.5 * W_N, n); /* T = K - n m' - m n' */
    const lanes xx = K->xx - 2 * n.x * m.x, yy = K->yy - 2 * n.y * m.y, zz = K->zz - 2 * n.z * m.z,
                xy = K->xy - (n.x * m.y + n.y * m.x), xz = K->xz - (n.x * m.z + n.z * m.x),
                yz = K->yz - (n.y * m.z + n.z * m.y);
    const lanes half = 0.5 * (xx + yy + zz),
                square = xx * xx + yy * yy + zz * zz + 2 * (xy * xy + xz * xz + yz * yz),
                rest = 0.5 * square - half * half;
    return half + mo_root(mo_choose(rest > (lanes){0}, rest, (lanes){0}));
}

INLINE void respond_general(const side *one, const side *two, mo_points *points, int at, mask is)
{
    const mo_vec n = load_3(points->n + at);
    const lanes zero = {0};
    symmetric K = {zero, zero, zero, zero, zero, zero};
    add_response(one, load_3(points->arms + at), &K);
    add_response(two, load_3(points->arms + 3 * B + at), &K);
    const mo_vec k = {K.xx * n.x + K.xy * n.y + K.xz * n.z, K.xy * n.x + K.yy * n.y + K.yz * n.z,
                      K.xz * n.x + K.yz * n.y + K.zz * n.z};
    const lanes W_N = mo_vec_dot(n, k), W_T = largest_tangential(&K, n, k, W_N);
    const mo_vec sideways = mo_vec_along(k, -W_N, n);
    store(mo_choose(is, 1 / W_N, zero), points->inverse_N + at);
    store(mo_choose(is, 1 / W_T, zero), points->inverse_T + at);
    store(mo_choose(is, 1 / (1 + mo_root(mo_vec_dot(sideways, sideways) / (W_N * W_T))), zero),
          points->apart + at);
    store_3(sideways, points->arms + 6 * B + at);
}

INLINE void respond_central(const side *one, const side *two, mo_points *points, int at, mask is)
{
    const lanes zero = {0}, a = load(points->arms + at), b = load(points->arms + B + at);
    const lanes W_N = one->body.inverse_mass + two->body.inverse_mass,
                W_T = W_N + (a * a * one->body.inverse_inertia + b * b * two->body.inverse_inertia);
    store(mo_choose(is, 1 / W_N, zero), points->inverse_N + at);
    store(mo_choose(is, 1 / W_T, zero), points->inverse_T + at);
    store(mo_choose(is, zero + 1, zero), points->apart + at);
}

INLINE void respond(const mo_batch_pass *pass, int begin, int end)
{
    for (int i = begin; i < end; ++i) {
        const mo_batch *batch = pass->batches->batch + i;
        const int central = batch->is_central;
        mo_pace_every(i + 1, 64);
        for (int at = 0; at < B; at += L) {
            const side one = gather(pass->batches, pass->state, batch->line[0] + at, central),
                       two = gather(pass->batches, pass->state, batch->line[1] + at, central);
            for (int k = 0; k < batch->point_count; ++k) {
                mo_points *points = mo_batch_points(pass->batches, batch, k);
                const mo_vec n = load_3(points->n + at);
                const mask is = mo_vec_dot(n, n) > (lanes){0}; /* a point of this manifold */
                if (central)
                    respond_central(&one, &two, points, at, is);
                else
                    respond_general(&one, &two, points, at, is);
            }
        }
    }
}

#endif
