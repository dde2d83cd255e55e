/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Coulomb's law with unilateral contact, in the plane (d = 2) and in space (d = 3):
 *
 *   K = { r : |r_T| <= mu r_N },   uhat = u + mu |u_T| e_N,   K* contains uhat, perpendicular to r
 *
 * [acary2011, eq. 3.3 ff.].  For mu = 0, K is the normal ray.  For mu = infinity, K is the
 * half-space r_N >= 0 and the shift is undefined: the natural map is then the smaller of "open" and
 * "sticking".
 *
 * A single contact with u = W r + b (W need not be symmetric):
 *   open     b_N >= 0:  r = 0
 *   sticks   r = -W^-1 b, if it lies in K
 *   slides   u_N = 0, u_T = -alpha r_T, alpha > 0.  Eliminating r_N leaves (A + alpha I) r_T = -c
 *            with A = W_TT - W_TN W_NT / W_NN and c = b_T - W_TN b_N / W_NN: friction_ball.h
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "law/coulomb_rows.h"
#include "law/friction_ball.h"
#include "law/law_ops.h"
#include "linalg/dense.h"

static void project(const double *p, int d, const double *x, double *y)
{
    if (d == 3)
        mo_coulomb_project(p[0], 3, x, y);
    else
        mo_coulomb_project(p[0], 2, x, y);
}

static void project_derivative(const double *p, int d, const double *x, double *J)
{
    mo_coulomb_project_derivative(p[0], d, x, J);
}

static void shift(const double *p, int d, const double *u, double *uhat)
{
    const double t = mo_coulomb_slip(d, u);
    memmove(uhat, u, (size_t)d * sizeof *u);
    uhat[0] += isinf(p[0]) ? 0 : p[0] * t;
}

static void shift_derivative(const double *p, int d, const double *u, double *G)
{
    const double t = mo_coulomb_slip(d, u);
    mo_coulomb_identity(d, 1, G);
    for (int k = 1; k < d && t > 0 && !isinf(p[0]); ++k)
        G[k] = p[0] * u[k] / t;
}

static void prox(const double *p, int d, const double *x, double *y)
{
    const double t = mo_coulomb_slip(d, x), y_N = x[0] > 0 ? x[0] : 0;
    const double radius = y_N > 0 ? p[0] * y_N : 0;
    const double scale = t > radius ? radius / t : 1;
    for (int k = 1; k < d; ++k)
        y[k] = scale * x[k];
    y[0] = y_N;
}

/* mu = infinity: "apart" (r = 0, u_N >= 0) or "stuck" (u_T = 0, 0 <= u_N perp r_N >= 0). */
static void natural_without_slip(int d, double step, const double *u, const double *r, double *z)
{
    double stuck[3] = {fmin(r[0], step * u[0]), 0, 0};
    for (int k = 1; k < d; ++k)
        stuck[k] = step * u[k];
    memcpy(z, r, (size_t)d * sizeof *z);
    const double gap = fmin(0, step * u[0]);
    if (mo_dot(d, r, r) + gap * gap > mo_dot(d, stuck, stuck))
        memcpy(z, stuck, (size_t)d * sizeof *z);
    else if (gap != 0)
        z[0] = hypot(z[0], gap);
}

static inline void natural_rows(double mu, int d, double step, const double *u, const double *r,
                                double *z)
{
    double x[3], y[3];
    x[0] = r[0] - step * (u[0] + mu * mo_coulomb_slip(d, u));
    for (int k = 1; k < d; ++k)
        x[k] = r[k] - step * u[k];
    mo_coulomb_project(mu, d, x, y);
    mo_along(d, r, -1, y, z);
}

static void natural(const double *p, int d, double step, const double *u, const double *r,
                    double *z)
{
    if (isinf(p[0]))
        natural_without_slip(d, step, u, r, z);
    else if (d == 3)
        natural_rows(p[0], 3, step, u, r, z);
    else
        natural_rows(p[0], 2, step, u, r, z);
}

/* r_T = -mu r_N u_T / |u_T| */
static void by_coefficient(const double *p, int d, const double *u, const double *r, double *E)
{
    const double t = mo_coulomb_slip(d, u);
    memset(E, 0, (size_t)(2 * d) * sizeof *E);
    for (int k = 1; k < d && t > 0 && !isinf(p[0]); ++k)
        E[2 * k] = -r[0] * u[k] / t;
}

/* ---- a single contact ------------------------------------------------------------------------ */

/* The contact in space with r_N eliminated, and one point of its path: r at alpha. */
typedef struct quick_contact {
    double mu, b_N, inverse_NN, W_NT[2], A[4], c[2];
} quick_contact;

typedef struct quick_point {
    double n, t[2], square, norm, bound; /* r_N, r_T, |r_T|^2, |r_T|, mu r_N */
    double a, e, inverse; /* the diagonal of A + alpha I, and 1 over its determinant */
} quick_point;

static inline quick_contact quick_eliminate(double mu, const double *W, const double *b)
{
    const double inverse = 1 / W[0], f1 = W[3] * inverse, f2 = W[6] * inverse;
    return (quick_contact){
        .mu = mu,
        .b_N = b[0],
        .inverse_NN = inverse,
        .W_NT = {W[1], W[2]},
        .A = {W[4] - f1 * W[1], W[5] - f1 * W[2], W[7] - f2 * W[1], W[8] - f2 * W[2]},
        .c = {b[1] - f1 * b[0], b[2] - f2 * b[0]}};
}

static inline quick_point quick_at(const quick_contact *q, double alpha)
{
    quick_point x = {.a = q->A[0] + alpha, .e = q->A[3] + alpha};
    x.inverse = 1 / (x.a * x.e - q->A[1] * q->A[2]);
    x.t[0] = (q->A[1] * q->c[1] - x.e * q->c[0]) * x.inverse;
    x.t[1] = (q->A[2] * q->c[0] - x.a * q->c[1]) * x.inverse;
    x.n = -(q->b_N + q->W_NT[0] * x.t[0] + q->W_NT[1] * x.t[1]) * q->inverse_NN;
    x.square = x.t[0] * x.t[0] + x.t[1] * x.t[1];
    x.norm = sqrt(x.square);
    x.bound = q->mu * x.n;
    return x;
}

/* Newton's change of alpha on mu r_N / |r_T| = 1, as in friction_ball.c, fractions cleared. */
static inline double quick_step(const quick_contact *q, const quick_point *x)
{
    const double d0 = (q->A[1] * x->t[1] - x->e * x->t[0]) * x->inverse; /* d r_T / d alpha */
    const double d1 = (q->A[2] * x->t[0] - x->a * x->t[1]) * x->inverse;
    const double dbound = -q->mu * (q->W_NT[0] * d0 + q->W_NT[1] * d1) * q->inverse_NN;
    const double along = x->t[0] * d0 + x->t[1] * d1;
    return (x->norm - x->bound) * x->square / (dbound * x->square - along * x->bound);
}

/*
 * As friction_ball.c, for the most frequent contact of sweeps (three rows): Newton from alpha = 0,
 * without axes and brackets.  False if A is near singular (its determinant would lose
 * more than three digits) or Newton does not converge quickly.
 */
static int solve_quickly(double mu, const double *W, const double *b, double *r)
{
    const quick_contact q = quick_eliminate(mu, W, b);
    const double diagonal = q.A[0] * q.A[3];
    double alpha = 0;
    if (!(q.A[0] > 0 && q.A[3] > 0 && diagonal - q.A[1] * q.A[2] > 1e-3 * diagonal)) return 0;
    for (int iteration = 0; iteration < 8; ++iteration) {
        const quick_point x = quick_at(&q, alpha);
        const int sticks = iteration == 0 && x.norm <= x.bound;
        if (sticks || fabs(x.norm - x.bound) <= 8 * DBL_EPSILON * x.bound) {
            const double scale = sticks ? 1 : x.bound / x.norm; /* on the rim to the last bit */
            r[0] = x.n;
            r[1] = x.t[0] * scale;
            r[2] = x.t[1] * scale;
            return 1;
        }
        alpha += quick_step(&q, &x);
        if (!(alpha > 0)) return 0;
    }
    return 0;
}

/*
 * The same in the plane, in closed form: stuck, or r_T = -sign(c) mu r_N, which obeys the law where
 * friction then resists the slip (alpha > 0).  False if A is near zero or neither holds.
 */
static int solve_in_plane(double mu, const double *W, const double *b, double *r)
{
    const double factor = W[2] / W[0], A = W[3] - factor * W[1], c = b[1] - factor * b[0];
    if (!(A > 0.01 * W[3])) return 0;
    r[1] = -c / A;
    r[0] = -(b[0] + W[1] * r[1]) / W[0];
    if (fabs(r[1]) <= mu * r[0]) return 1;
    const double slope = c > 0 ? -mu : mu;
    r[0] = -b[0] / (W[0] + slope * W[1]);
    r[1] = slope * r[0];
    return r[0] > 0 && -c / r[1] > A;
}

/* 0 < mu < infinity and b_N < 0. */
static void solve_with_friction(double mu, int d, const double *W, const double *b, double *r)
{
    if (d == 3 ? solve_quickly(mu, W, b, r) : solve_in_plane(mu, W, b, r)) return;
    const double axes[2] = {mu, mu};
    mo_friction_ball_solve(d, axes, W, b, r);
}

/* mu = infinity and b_N < 0: u_T = 0, then 0 <= u_N perp r_N >= 0. */
static void solve_without_slip(int d, const double *W, const double *b, double *r)
{
    double A[9], rhs[3];
    memcpy(A, W, (size_t)(d * d) * sizeof *A);
    for (int k = 0; k < d; ++k)
        rhs[k] = -b[k];
    mo_solve_small(d, A, rhs, r);
    if (r[0] >= 0) return;
    memcpy(A, W, (size_t)(d * d) * sizeof *A);
    for (int k = 0; k < d; ++k) { /* r_N = 0 instead of u_N = 0 */
        A[k] = k == 0;
        rhs[k] = k == 0 ? 0 : -b[k];
    }
    mo_solve_small(d, A, rhs, r);
}

static void solve(const double *p, int d, const double *W, const double *b, double *r)
{
    memset(r, 0, (size_t)d * sizeof *r);
    if (!(b[0] < 0) || !(W[0] > 0))
        return; /* separating, or an impulse has no effect on the normal motion */
    if (isinf(p[0]))
        solve_without_slip(d, W, b, r);
    else if (p[0] > 0)
        solve_with_friction(p[0], d, W, b, r);
    else
        r[0] = -b[0] / W[0];
    mo_law_guard(d, r);
}

/* ---- measures and facets --------------------------------------------------------------------- */

/* Friction should dissipate the power mu r_N |u_T|; without slip it dissipates nothing. */
static double friction_defect(const double *p, int d, const double *u, const double *r)
{
    const double slip = mo_coulomb_slip(d, u);
    return isinf(p[0]) ? r[0] * slip : p[0] * r[0] * slip + mo_dot(d - 1, r + 1, u + 1);
}

static inline void failure_rows(const double *p, int d, const double *u, const double *r,
                                mo_law_failure *out)
{
    double nearest[3];
    *out = (mo_law_failure){.penetration_rate = u[0] < 0 ? -u[0] : 0};
    if (mo_dot(d, r, r) == 0) return;
    mo_coulomb_project(p[0], d, r, nearest);
    const double outside = mo_distance_square(d, r, nearest);
    const double open = fabs(r[0] * u[0]), friction = fabs(friction_defect(p, d, u, r));
    out->cone_violation = outside > 0 ? sqrt(outside) : outside;
    out->dissipation = open > friction ? open : friction;
}

/* As mo_law_failure_of, without its calls. */
static void failure(const double *p, int d, const double *u, const double *r, mo_law_failure *out)
{
    if (d == 3)
        failure_rows(p, 3, u, r, out);
    else
        failure_rows(p, 2, u, r, out);
}

static void facets(const double *p, int d, int count, mo_law_facets *out)
{
    mo_law_facets_begin(out);
    mo_law_facets_open(out, p[0]);
    if (d == 3) {
        mo_law_facets_add_disc(out, 1, count, 1);
        return;
    }
    mo_law_facets_add(out)[1] = 1;
    mo_law_facets_add(out)[1] = -1;
}

const mo_law_ops mo_law_coulomb_ops = {
    .name = "coulomb",
    .least_rows = 2,
    .most_rows = 3,
    .coefficients = 1,
    .takes_infinite_mu = 1,
    MO_LAW_FRICTION_OPS,
    .natural = natural,
    .failure = failure,
};
