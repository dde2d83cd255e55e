/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
#include "law/friction_ball.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "linalg/dense.h"
#include "linalg/principal.h"

enum { DIM = 3 };

/* ---- the ball in these axes ------------------------------------------------------------------ */

/* The contact with r_N eliminated, in rows over the relative axes; a row beyond d - 1 or without
 * friction resists and is not driven. */
typedef struct ball {
    double mu, b_N, W_NN;
    double W_NT[3], A[9], c[3];
    double c_noise[3]; /* size of the terms that each c was computed from */
} ball;

static ball eliminate(int d, double mu, const double *e, const double *W, const double *b)
{
    ball s = {.mu = mu, .b_N = b[0], .W_NN = W[0]};
    double most = 0;
    for (int i = 0; i < d - 1; ++i) {
        const double *row = W + (1 + i) * d, via_normal = row[0] / W[0] * b[0];
        s.W_NT[i] = W[1 + i] * e[i];
        s.c[i] = e[i] * (b[1 + i] - via_normal);
        s.c_noise[i] = e[i] * (fabs(b[1 + i]) + fabs(via_normal));
        for (int j = 0; j < d - 1; ++j) /* symmetric to the last bit where W is */
            s.A[i * DIM + j] = e[i] * e[j] * (row[1 + j] - row[0] * W[1 + j] / W[0]);
        most = fmax(most, s.A[i * DIM + i]);
    }
    for (int i = 0; i < DIM; ++i)
        s.A[i * DIM + i] = i < d - 1 && e[i] > 0 ? s.A[i * DIM + i] : fmax(most, DBL_MIN);
    return s;
}

typedef struct rotated {
    double mu, b_N, W_NN, W_NT[3];
    double l[3], k[3], c[3];
    double V[9];
    int is_symmetric;
} rotated;

/* y = V' x */
static void into_axes(const double V[9], const double x[3], double y[3])
{
    for (int i = 0; i < DIM; ++i)
        y[i] = V[i] * x[0] + V[DIM + i] * x[1] + V[2 * DIM + i] * x[2];
}

static rotated rotate(const ball *from)
{
    rotated s = {.mu = from->mu, .b_N = from->b_N, .W_NN = from->W_NN};
    const double *A = from->A;
    const double symmetric[6] = {
        A[0], A[4], A[8], 0.5 * (A[1] + A[3]), 0.5 * (A[2] + A[6]), 0.5 * (A[5] + A[7])};
    double l[3], noise[3] = {0}, most = 0;
    mo_principal_axes(symmetric, l, s.V);
    const double twist[3] = {0.5 * (A[7] - A[5]), 0.5 * (A[2] - A[6]), 0.5 * (A[3] - A[1])};
    into_axes(s.V, twist, s.k); /* V is a product of rotations, so that [k] turns as a vector */
    into_axes(s.V, from->c, s.c);
    into_axes(s.V, from->W_NT, s.W_NT);
    s.is_symmetric = twist[0] == 0 && twist[1] == 0 && twist[2] == 0;
    for (int i = 0; i < DIM; ++i) {
        most = fmax(most, l[i]);
        for (int j = 0; j < DIM; ++j)
            noise[i] += fabs(s.V[j * DIM + i]) * from->c_noise[j];
    }
    for (int i = 0; i < DIM; ++i) {
        s.l[i] = l[i] > 4 * DBL_EPSILON * most ? l[i] : 0;
        if (s.l[i] == 0 && fabs(s.c[i]) <= 64 * DBL_EPSILON * noise[i])
            s.c[i] = 0; /* a direction without resistance is not driven */
    }
    return s;
}

/* x = -(A + alpha I)^-1 y; false if that does not exist. */
static int resist(const rotated *s, double alpha, const double *y, double *x)
{
    const double l[3] = {s->l[0] + alpha, s->l[1] + alpha, s->l[2] + alpha}, *k = s->k;
    if (s->is_symmetric) {
        for (int i = 0; i < DIM; ++i)
            x[i] = y[i] == 0 ? 0 : -y[i] / l[i];
        return isfinite(x[0]) && isfinite(x[1]) && isfinite(x[2]);
    }
    const double det =
        l[0] * l[1] * l[2] + l[0] * k[0] * k[0] + l[1] * k[1] * k[1] + l[2] * k[2] * k[2];
    const double ky = mo_dot(DIM, k, y), m[3] = {l[0] * k[0], l[1] * k[1], l[2] * k[2]};
    x[0] = -(l[1] * l[2] * y[0] + k[0] * ky - (m[1] * y[2] - m[2] * y[1])) / det;
    x[1] = -(l[2] * l[0] * y[1] + k[1] * ky - (m[2] * y[0] - m[0] * y[2])) / det;
    x[2] = -(l[0] * l[1] * y[2] + k[2] * ky - (m[0] * y[1] - m[1] * y[0])) / det;
    return det > 0;
}

/* (n, t) at alpha. */
static int impulse_at(const rotated *s, double alpha, double nt[4])
{
    if (!resist(s, alpha, s->c, nt + 1)) return 0;
    nt[0] = -(s->b_N + mo_dot(DIM, s->W_NT, nt + 1)) / s->W_NN;
    return isfinite(nt[0]);
}

static double friction_norm(const double nt[4])
{
    return sqrt(mo_dot(DIM, nt + 1, nt + 1));
}

static double excess(const rotated *s, const double nt[4])
{
    return friction_norm(nt) - s->mu * nt[0];
}

/* ---- the root -------------------------------------------------------------------------------- */

/* The Newton step on mu n / |t| = 1 from alpha; NaN if it does not apply. */
static double newton_from(const rotated *s, double alpha, const double nt[4])
{
    double dt[3];
    const double t = friction_norm(nt), bound = s->mu * nt[0];
    if (!(t > 0) || !resist(s, alpha, nt + 1, dt)) return NAN;
    const double dnorm = mo_dot(DIM, nt + 1, dt) / t;
    const double dbound = -s->mu * mo_dot(DIM, s->W_NT, dt) / s->W_NN;
    return alpha + (t - bound) / (dbound - bound / t * dnorm);
}

/* alpha with phi < 0: from |t| <= |c| / alpha, and further out where that rounds. */
static double large_alpha(const rotated *s)
{
    const double c = sqrt(mo_dot(DIM, s->c, s->c));
    const double coupling = sqrt(mo_dot(DIM, s->W_NT, s->W_NT));
    double nt[4], alpha = fmax(c * (s->W_NN + s->mu * coupling) / (s->mu * -s->b_N), DBL_MIN);
    for (int k = 0; k < 400 && !(impulse_at(s, alpha, nt) && excess(s, nt) < 0); ++k)
        alpha *= 8;
    return alpha;
}

static double between(double low, double high)
{
    return low > 0 && high > 4 * low ? sqrt(low * high)
           : low > 0                 ? 0.5 * (low + high)
                                     : 0.01 * high;
}

/* The root of phi between 0, where phi > 0, and `high`, where phi < 0. */
static void find_slip(const rotated *s, double high, double nt[4])
{
    double low = 0, alpha = 0, at_high[4];
    if (!impulse_at(s, high, at_high)) {
        memset(nt, 0, 4 * sizeof *nt);
        return;
    }
    for (int iteration = 0; iteration < 200; ++iteration) {
        const int exists = impulse_at(s, alpha, nt);
        const double phi = exists ? excess(s, nt) : INFINITY;
        if (exists && fabs(phi) <= 4 * DBL_EPSILON * s->mu * fabs(nt[0])) return;
        if (phi > 0) {
            low = alpha;
        } else {
            high = alpha;
            memcpy(at_high, nt, sizeof at_high);
        }
        if (high - low <= 2 * DBL_EPSILON * high) break;
        const double newton = exists ? newton_from(s, alpha, nt) : NAN;
        const int is_good = newton > low && newton < high && iteration % 8 != 7;
        alpha = is_good ? newton : between(low, high);
    }
    memcpy(nt, at_high, sizeof at_high);
}

void mo_friction_ball_solve(int d, const double *axes, const double *W, const double *b, double *r)
{
    double mu = 0, relative[DIM] = {0}, full[4];
    for (int i = 0; i < d - 1; ++i)
        mu = fmax(mu, axes[i]);
    for (int i = 0; i < d - 1 && mu > 0; ++i)
        relative[i] = axes[i] / mu;
    const ball contact = eliminate(d, mu, relative, W, b);
    const rotated s = rotate(&contact);
    if (!impulse_at(&s, 0, full) || excess(&s, full) > 0) {
        find_slip(&s, large_alpha(&s), full);
        const double t = friction_norm(full), bound = s.mu * full[0];
        if (t > 0 && fabs(t - bound) <= 1e-6 * bound) /* on the rim to the last bit */
            for (int k = 1; k <= DIM; ++k)
                full[k] *= bound / t;
    }
    r[0] = full[0];
    for (int i = 0; i < d - 1; ++i)
        r[1 + i] = relative[i] * mo_dot(DIM, s.V + i * DIM, full + 1);
}
