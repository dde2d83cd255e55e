/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
#include "law/disc.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* The disc in the axes of the symmetric part of A. */
typedef struct rotated {
    double mu, b_N, W_NN, W_NT[2];
    double l[2], k, c[2];
    double cosine, sine;
} rotated;

static rotated rotate(const mo_disc *disc, int size)
{
    rotated s = {.mu = disc->mu, .b_N = disc->b_N, .W_NN = disc->W_NN, .cosine = 1};
    if (size == 1) {
        s.l[0] = fmax(0, disc->A[0]);
        s.l[1] = 1; /* an axis that nothing drives */
        s.c[0] = disc->c[0];
        s.W_NT[0] = disc->W_NT[0];
        return s;
    }
    const double off = 0.5 * (disc->A[1] + disc->A[2]), half = 0.5 * (disc->A[0] - disc->A[3]);
    const double mean = 0.5 * (disc->A[0] + disc->A[3]);
    const double radius = off == 0 ? fabs(half) : hypot(half, off);
    if (off != 0 || half < 0) { /* the first axis belongs to the larger eigenvalue */
        const double x = half + copysign(radius, half), y = off; /* no cancellation */
        const double length = half >= 0 ? hypot(x, y) : hypot(y, x);
        s.cosine = half >= 0 ? x / length : y / length;
        s.sine = half >= 0 ? y / length : -x / length;
    }
    s.k = 0.5 * (disc->A[1] - disc->A[2]);
    s.l[0] = fmax(0, mean + radius);
    s.l[1] = mean - radius > 4 * DBL_EPSILON * s.l[0] ? mean - radius : 0;
    s.c[0] = s.cosine * disc->c[0] + s.sine * disc->c[1];
    s.c[1] = s.cosine * disc->c[1] - s.sine * disc->c[0];
    s.W_NT[0] = s.cosine * disc->W_NT[0] + s.sine * disc->W_NT[1];
    s.W_NT[1] = s.cosine * disc->W_NT[1] - s.sine * disc->W_NT[0];
    if (s.l[1] == 0 && fabs(s.c[1]) <= 64 * DBL_EPSILON * disc->c_noise) {
        s.c[1] = 0; /* nothing drives the direction that nothing resists */
    }
    return s;
}

/* x = -(A + alpha I)^-1 y; false where that does not exist. */
static int resist(const rotated *s, double alpha, const double *y, double *x)
{
    const double a = s->l[0] + alpha, e = s->l[1] + alpha, det = a * e + s->k * s->k;
    if (y[1] == 0 && s->k == 0) {
        x[0] = -y[0] / a;
        x[1] = 0;
        return a > 0;
    }
    x[0] = (s->k * y[1] - e * y[0]) / det;
    x[1] = -(s->k * y[0] + a * y[1]) / det;
    return det > 0;
}

/* (n, t) at alpha. */
static int impulse_at(const rotated *s, double alpha, double nt[3])
{
    if (!resist(s, alpha, s->c, nt + 1)) {
        return 0;
    }
    nt[0] = -(s->b_N + s->W_NT[0] * nt[1] + s->W_NT[1] * nt[2]) / s->W_NN;
    return isfinite(nt[0]);
}

static double friction_norm(const double nt[3])
{
    return sqrt(nt[1] * nt[1] + nt[2] * nt[2]);
}

static double excess(const rotated *s, const double nt[3])
{
    return friction_norm(nt) - s->mu * nt[0];
}

/* Where Newton on 1/|t| - 1/(mu n) goes from alpha; NaN where it does not apply. */
static double newton_from(const rotated *s, double alpha, const double nt[3])
{
    double dt[2];
    const double t = friction_norm(nt), bound = s->mu * nt[0];
    if (!(bound > 0) || !(t > 0) || !resist(s, alpha, nt + 1, dt)) {
        return NAN;
    }
    const double dnorm = (nt[1] * dt[0] + nt[2] * dt[1]) / t;
    const double dbound = -s->mu * (s->W_NT[0] * dt[0] + s->W_NT[1] * dt[1]) / s->W_NN;
    return alpha - (1 / t - 1 / bound) / (dbound / (bound * bound) - dnorm / (t * t));
}

/* alpha so large that phi < 0: by the bound |t| <= |c| / alpha, and further out where that rounds.
 */
static double large_alpha(const rotated *s)
{
    const double c = hypot(s->c[0], s->c[1]), coupling = hypot(s->W_NT[0], s->W_NT[1]);
    double nt[3], alpha = fmax(c * (s->W_NN + s->mu * coupling) / (s->mu * -s->b_N), DBL_MIN);
    for (int k = 0; k < 400 && !(impulse_at(s, alpha, nt) && excess(s, nt) < 0); ++k) {
        alpha *= 8;
    }
    return alpha;
}

/* The root of phi between 0, where phi > 0, and `high`, where phi < 0. */
static void find_slip(const rotated *s, double high, double nt[3])
{
    double low = 0, alpha = 0, at_high[3];
    if (!impulse_at(s, high, at_high)) {
        memset(nt, 0, 3 * sizeof *nt);
        return;
    }
    for (int iteration = 0; iteration < 200; ++iteration) {
        const int exists = impulse_at(s, alpha, nt);
        const double phi = exists ? excess(s, nt) : INFINITY;
        if (exists && fabs(phi) <= 4 * DBL_EPSILON * s->mu * fabs(nt[0])) {
            return;
        }
        if (phi > 0) {
            low = alpha;
        } else {
            high = alpha;
            memcpy(at_high, nt, sizeof at_high);
        }
        if (high - low <= 2 * DBL_EPSILON * high) {
            break;
        }
        const double newton = exists ? newton_from(s, alpha, nt) : NAN;
        const double middle = low > 0 && high > 4 * low ? sqrt(low * high)
                              : low > 0                 ? 0.5 * (low + high)
                                                        : 0.01 * high;
        alpha = newton > low && newton < high && iteration % 8 != 7 ? newton : middle;
    }
    memcpy(nt, at_high, sizeof at_high);
}

void mo_disc_solve(const mo_disc *disc, int size, double *nt)
{
    const rotated s = rotate(disc, size);
    double full[3];
    if (!impulse_at(&s, 0, full) || excess(&s, full) > 0) {
        find_slip(&s, large_alpha(&s), full);
        const double t = friction_norm(full), bound = s.mu * full[0];
        if (t > 0) { /* on the rim to the last bit */
            full[1] *= bound / t;
            full[2] *= bound / t;
        }
    }
    nt[0] = full[0];
    nt[1] = s.cosine * full[1] - s.sine * full[2];
    if (size == 2) {
        nt[2] = s.sine * full[1] + s.cosine * full[2];
    }
}
