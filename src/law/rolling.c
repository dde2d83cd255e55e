/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Rolling friction in space (d = 5), as in FCLIB: r = (r_N, r_T, r_R) with |r_T| <= mu r_N and
 * |r_R| <= mu_r r_N, where r_R is the rolling moment and u_R the relative angular velocity.
 *
 *   uhat = u + (mu |u_T| + mu_r |u_R|) e_N,   K* contains uhat, perpendicular to r in K
 *
 * The projection of x minimises (n - x_N)^2 + max(0, t - mu n)^2 + max(0, m - mu_r n)^2 over n >=
 * 0, with t = |x_T|, m = |x_R|: one of four closed forms, depending on the active discs.
 *
 * A single contact.  For given r_N = n the rest is a convex problem on two discs with a continuous
 * solution y(n).  The remaining equation u_N(n) = 0 has u_N(0) = b_N < 0 and, for positive definite
 * W, u_N(n) > 0 for large n, so bisection finds a root.  Newton's method on the natural map is
 * tried first.
 */
#include <math.h>
#include <string.h>

#include "law/friction_ball.h"
#include "law/law_ops.h"
#include "linalg/dense.h"

enum { DISCS = 2, DISC_DIM = 2, ROWS = 5 };

/* The part of a 5-vector that lies in disc g. */
static const double *disc(const double *x, int g)
{
    return x + 1 + DISC_DIM * g;
}

static double disc_norm(const double *x, int g)
{
    const double *y = disc(x, g);
    return sqrt(y[0] * y[0] + y[1] * y[1]);
}

/* The normal part of the projection, and the active discs.  Starting with both active, a disc that
 * is larger than needed becomes inactive; n only increases by that, so none is reactivated. */
static double project_normal(const double *p, const double *x, int held[DISCS])
{
    const double size[DISCS] = {disc_norm(x, 0), disc_norm(x, 1)};
    double n = 0;
    held[0] = held[1] = 1;
    for (int round = 0; round <= DISCS; ++round) {
        double weight = 1, sum = x[0];
        for (int g = 0; g < DISCS; ++g) {
            weight += held[g] ? p[g] * p[g] : 0;
            sum += held[g] ? p[g] * size[g] : 0;
        }
        n = fmax(0, sum / weight);
        for (int g = 0; g < DISCS; ++g)
            held[g] = held[g] && size[g] > p[g] * n;
    }
    return n;
}

static void project(const double *p, MO_UNUSED int d, const double *x, double *y)
{
    int held[DISCS];
    const double n = project_normal(p, x, held);
    for (int g = 0; g < DISCS; ++g) {
        const double size = disc_norm(x, g);
        const double scale = held[g] ? p[g] * n / size : 1;
        for (int k = 0; k < DISC_DIM; ++k)
            y[1 + DISC_DIM * g + k] = scale * disc(x, g)[k];
    }
    y[0] = n;
}

static void project_derivative(const double *p, int d, const double *x, double *J)
{
    int held[DISCS];
    const double n = project_normal(p, x, held);
    const double weight = 1 + (held[0] ? p[0] * p[0] : 0) + (held[1] ? p[1] * p[1] : 0);
    double dn[ROWS] = {n > 0 ? 1 / weight : 0, 0, 0, 0, 0};
    memset(J, 0, (size_t)(d * d) * sizeof *J);
    for (int g = 0; g < DISCS; ++g)
        for (int k = 0; k < DISC_DIM && held[g]; ++k)
            dn[1 + DISC_DIM * g + k] = dn[0] * p[g] * disc(x, g)[k] / disc_norm(x, g);
    memcpy(J, dn, sizeof dn);
    for (int g = 0; g < DISCS; ++g) {
        const double size = disc_norm(x, g);
        for (int i = 0; i < DISC_DIM; ++i) {
            double *row = J + (1 + DISC_DIM * g + i) * d;
            if (!held[g]) {
                row[1 + DISC_DIM * g + i] = 1;
                continue;
            }
            const double s_i = disc(x, g)[i] / size; /* y_g = p_g n s, s = x_g / |x_g| */
            for (int j = 0; j < d; ++j)
                row[j] = p[g] * s_i * dn[j];
            for (int j = 0; j < DISC_DIM; ++j) {
                const double ss = s_i * disc(x, g)[j] / size;
                row[1 + DISC_DIM * g + j] += p[g] * n / size * ((i == j) - ss);
            }
        }
    }
}

static void shift(const double *p, int d, const double *u, double *uhat)
{
    const double lift = p[0] * disc_norm(u, 0) + p[1] * disc_norm(u, 1);
    memmove(uhat, u, (size_t)d * sizeof *u);
    uhat[0] += lift;
}

static void shift_derivative(const double *p, int d, const double *u, double *G)
{
    mo_law_no_shift_derivative(p, d, u, G);
    for (int g = 0; g < DISCS; ++g) {
        const double size = disc_norm(u, g);
        for (int k = 0; k < DISC_DIM && size > 0; ++k)
            G[1 + DISC_DIM * g + k] = p[g] * disc(u, g)[k] / size;
    }
}

static void prox(const double *p, MO_UNUSED int d, const double *x, double *y)
{
    const double n = x[0] > 0 ? x[0] : 0;
    for (int g = 0; g < DISCS; ++g) {
        const double size = disc_norm(x, g), radius = p[g] * n;
        const double scale = size > radius ? radius / size : 1;
        for (int k = 0; k < DISC_DIM; ++k)
            y[1 + DISC_DIM * g + k] = scale * disc(x, g)[k];
    }
    y[0] = n;
}

/* r_g = -mu_g r_N u_g / |u_g| on each disc */
static void by_coefficient(MO_UNUSED const double *p, int d, const double *u, const double *r,
                           double *E)
{
    memset(E, 0, (size_t)(2 * d) * sizeof *E);
    for (int g = 0; g < DISCS; ++g) {
        const double size = disc_norm(u, g);
        for (int k = 0; k < DISC_DIM && size > 0; ++k)
            E[2 * (1 + DISC_DIM * g + k) + g] = -r[0] * disc(u, g)[k] / size;
    }
}

/* ---- a single contact ------------------------------------------------------------------------ */

/* The moment or friction on disc g, all else held: |y_g| <= radius. */
static double settle_disc(const double *W, const double *b, int g, double radius, double *r)
{
    enum { SIDE = 1 + DISC_DIM };
    const int first = 1 + DISC_DIM * g;
    const double axes[DISC_DIM] = {radius, radius};
    /* n = 1, uncoupled: the radius is given */
    double A[SIDE * SIDE] = {1}, c[SIDE] = {-1}, nt[SIDE] = {0}, moved = 0;
    for (int i = 0; i < DISC_DIM && radius > 0; ++i) {
        const double *row = W + (first + i) * ROWS;
        c[1 + i] = b[first + i] + mo_dot(ROWS, row, r);
        for (int j = 0; j < DISC_DIM; ++j) {
            A[(1 + i) * SIDE + 1 + j] = row[first + j];
            c[1 + i] -= row[first + j] * r[first + j];
        }
    }
    if (radius > 0) mo_friction_ball_solve(SIDE, axes, A, c, nt);
    for (int k = 0; k < DISC_DIM; ++k) {
        moved += fabs(nt[1 + k] - r[first + k]);
        r[first + k] = nt[1 + k];
    }
    return moved;
}

/* r with r_N = n and both discs settled; returns u_N. */
static double settle(const double *p, const double *W, const double *b, double n, double *r)
{
    r[0] = n;
    for (int round = 0; round < 200; ++round) {
        const double moved = settle_disc(W, b, 0, p[0] * n, r) + settle_disc(W, b, 1, p[1] * n, r);
        if (moved <= 1e-15 * (p[0] + p[1]) * n) break;
    }
    return b[0] + mo_dot(ROWS, W, r);
}

/* The root of u_N(n). */
static void bisect_normal(const double *p, const double *W, const double *b, double *r)
{
    double low = 0, high = -b[0] / W[0];
    for (int k = 0; k < 200 && settle(p, W, b, high, r) < 0; ++k) {
        low = high;
        high *= 2;
    }
    for (int k = 0; k < 100 && high - low > 1e-15 * high; ++k) {
        const double middle = 0.5 * (low + high);
        if (settle(p, W, b, middle, r) < 0)
            low = middle;
        else
            high = middle;
    }
    settle(p, W, b, high, r);
}

static void solve(const double *p, int d, const double *W, const double *b, double *r)
{
    memset(r, 0, (size_t)d * sizeof *r);
    if (!(b[0] < 0) || !(W[0] > 0) || !isfinite(b[0] / W[0])) return;
    if (!mo_law_solve_newton(&mo_law_rolling_ops, p, d, W, b, r)) {
        memset(r, 0, (size_t)d * sizeof *r);
        bisect_normal(p, W, b, r);
        mo_law_solve_newton(&mo_law_rolling_ops, p, d, W, b, r);
    }
    mo_law_guard(d, r);
}

static double friction_defect(const double *p, MO_UNUSED int d, const double *u, const double *r)
{
    double most = 0;
    for (int g = 0; g < DISCS; ++g) {
        const double power =
            p[g] * r[0] * disc_norm(u, g) + mo_dot(DISC_DIM, disc(r, g), disc(u, g));
        most = fmax(most, fabs(power));
    }
    return most;
}

static void facets(const double *p, MO_UNUSED int d, int count, mo_law_facets *out)
{
    mo_law_facets_begin(out);
    for (int g = 0; g < DISCS; ++g) {
        mo_law_facets_open(out, p[g]);
        mo_law_facets_add_disc(out, 1 + DISC_DIM * g, count, 1);
    }
}

const mo_law_ops mo_law_rolling_ops = {
    .name = "rolling",
    .least_rows = ROWS,
    .most_rows = ROWS,
    .coefficients = DISCS,
    .moment = offsetof(mo_law, mu_rolling),
    .moment_name = "mu_rolling",
    MO_LAW_FRICTION_OPS,
    .relax = mo_relax_rolling,
    .friction_defect = friction_defect,
};
