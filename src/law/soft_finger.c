/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * The soft finger in space (d = 4): a contact patch with a moment about its normal [trinkle1997,
 * section 2.5].  r = (r_N, r_T, r_S) with the torsional moment r_S, which works on the relative
 * angular velocity u_S.  Force and moment share an ellipsoidal limit surface (mu_torsion in m):
 *
 *   K = { r : |D^-1 r_F| <= r_N },   r_F = (r_T, r_S),   D = diag(mu, mu, mu_torsion)
 *   uhat = u + |D u_F| e_N,   K* = { u : |D u_F| <= u_N } contains uhat, perpendicular to r in K
 *
 * Projection.  With l_i(s) = (1 - s) D_i^2 + s and N(s) = |D x_F / l|, the nearest point of the
 * boundary is y_N = (1 - s) N(s), y_i = (1 - s) D_i^2 x_i / l_i with
 *
 *   1 - 2 s = x_N / N(s),   0 < s < 1                                                          (1)
 *
 * 1 / N is concave, so Newton's method on (1) from the end with the right sign never passes the
 * root.  A single contact is solved in rows scaled by D (friction_ball.h).
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "law/ellipsoid.h"
#include "law/friction_ball.h"
#include "law/law_ops.h"
#include "linalg/dense.h"

enum { ROWS = 4, FRICTION = 3 };

/* The diagonal of D. */
static void axes(const double *p, double D[FRICTION])
{
    D[0] = D[1] = p[0];
    D[2] = p[1];
}

/* ---- the projection -------------------------------------------------------------------------- */

typedef enum region { INSIDE, POLAR, BOUNDARY } region;

/* N(s), and the slope of 1 / N. */
static double stretch(const double *D, const double *x_F, double s, double *slope)
{
    double square = 0, sum = 0;
    for (int i = 0; i < FRICTION; ++i) {
        if (D[i] > 0) {
            const double l = (1 - s) * D[i] * D[i] + s, part = D[i] * x_F[i] / l;
            square += part * part;
            sum += part * part * (1 - D[i] * D[i]) / l;
        }
    }
    const double N = sqrt(square);
    *slope = sum / (square * N);
    return N;
}

/* s of equation (1). */
static double boundary_point(const double *D, const double *x)
{
    double s = x[0] > 0 ? 0 : 1, slope;
    if (x[0] == 0) return 0.5;
    for (int iteration = 0; iteration < 100; ++iteration) {
        const double N = stretch(D, x + 1, s, &slope);
        const double change = (1 - 2 * s - x[0] / N) / (2 + x[0] * slope);
        const int continues =
            x[0] > 0 ? change > 0.5 * DBL_EPSILON * s : change < -0.5 * DBL_EPSILON;
        if (!continues || !isfinite(change)) break;
        s = fmin(1, fmax(0, s + change));
    }
    return s;
}

/* Classifies x; s of the boundary point where there is one.  Rows with D_i = 0 are ignored. */
static region locate(const double *D, const double *x, double *s)
{
    double in = 0, polar = 0;
    for (int i = 0; i < FRICTION; ++i) {
        in += D[i] > 0 ? x[1 + i] / D[i] * (x[1 + i] / D[i]) : 0;
        polar += D[i] * x[1 + i] * (D[i] * x[1 + i]);
    }
    if (x[0] >= 0 && sqrt(in) <= x[0]) return INSIDE;
    if (sqrt(polar) <= -x[0]) return POLAR;
    *s = boundary_point(D, x);
    return BOUNDARY;
}

static void project(const double *p, int d, const double *x, double *y)
{
    double D[FRICTION], s = 0, slope;
    axes(p, D);
    const region where = locate(D, x, &s);
    if (where == POLAR) {
        memset(y, 0, (size_t)d * sizeof *y);
        return;
    }
    const double y_N = where == INSIDE ? x[0] : (1 - s) * stretch(D, x + 1, s, &slope);
    for (int i = 0; i < FRICTION; ++i) {
        const double square = (1 - s) * D[i] * D[i]; /* INSIDE: s = 0 */
        y[1 + i] = D[i] > 0 ? x[1 + i] * (square / (square + s)) : 0;
    }
    y[0] = y_N;
}

/*
 * On the boundary y_N = |D^-1 y_F|, so that dy = (w'; I) dy_F with w = D^-2 y_F / y_N = x_F / (N
 * l); what is left of the conditions is (diag(1 / h) + (1 - 2 s) w w') dy_F = (1 - s) (w, I) dx
 * with h_i = D_i^2 / l_i.
 */
static void differentiate_boundary(const double *D, const double *x, double s, double *J)
{
    double h[FRICTION], w[FRICTION], slope, sum = 0;
    const double N = stretch(D, x + 1, s, &slope);
    for (int i = 0; i < FRICTION; ++i) {
        const double l = (1 - s) * D[i] * D[i] + s;
        h[i] = D[i] > 0 ? D[i] * D[i] / l : 0;
        w[i] = D[i] > 0 ? x[1 + i] / (N * l) : 0;
        sum += h[i] * w[i] * w[i];
    }
    const double left = 1 + (1 - 2 * s) * sum;
    J[0] = (1 - s) * sum / left;
    for (int i = 0; i < FRICTION; ++i) {
        const double hw = h[i] * w[i];
        J[1 + i] = J[(1 + i) * ROWS] = (1 - s) * hw / left;
        for (int j = 0; j < FRICTION; ++j) {
            J[(1 + i) * ROWS + 1 + j] =
                (1 - s) * ((i == j ? h[i] : 0) - (1 - 2 * s) * hw * h[j] * w[j] / left);
        }
    }
}

static void project_derivative(const double *p, int d, const double *x, double *J)
{
    double D[FRICTION], s = 0;
    axes(p, D);
    memset(J, 0, (size_t)(d * d) * sizeof *J);
    switch (locate(D, x, &s)) {
    case INSIDE:
        J[0] = 1;
        for (int i = 0; i < FRICTION; ++i)
            J[(1 + i) * ROWS + 1 + i] = D[i] > 0;
        break;
    case BOUNDARY:
        differentiate_boundary(D, x, s, J);
        break;
    case POLAR:
        break;
    }
}

/* ---- the shift and the maps ------------------------------------------------------------------ */

/* |D u_F| */
static double slip(const double *p, const double *u)
{
    return sqrt(p[0] * p[0] * (u[1] * u[1] + u[2] * u[2]) + p[1] * p[1] * u[3] * u[3]);
}

static void shift(const double *p, int d, const double *u, double *uhat)
{
    const double lift = slip(p, u);
    memmove(uhat, u, (size_t)d * sizeof *u);
    uhat[0] += lift;
}

static void shift_derivative(const double *p, int d, const double *u, double *G)
{
    double D[FRICTION];
    const double size = slip(p, u);
    axes(p, D);
    mo_law_no_shift_derivative(p, d, u, G);
    for (int i = 0; i < FRICTION && size > 0; ++i)
        G[1 + i] = D[i] * (D[i] * u[1 + i] / size);
}

static void prox(const double *p, MO_UNUSED int d, const double *x, double *y)
{
    double radius[FRICTION];
    const double n = x[0] > 0 ? x[0] : 0;
    axes(p, radius);
    mo_scale(FRICTION, n, radius);
    mo_ellipsoid_project(FRICTION, radius, x + 1, y + 1, NULL);
    y[0] = n;
}

/* r_F = -r_N D^2 u_F / |D u_F|: through D^2, and through |D u_F|. */
static void by_coefficient(const double *p, int d, const double *u, const double *r, double *E)
{
    const double size = slip(p, u), cube = size * size * size;
    const double square[2] = {u[1] * u[1] + u[2] * u[2],
                              u[3] * u[3]}; /* the parts of u that belong to each coefficient */
    memset(E, 0, (size_t)(2 * d) * sizeof *E);
    for (int k = 1; k < ROWS && size > 0; ++k) {
        const int own = k == 3;
        for (int g = 0; g < 2; ++g) {
            const double direct = g == own ? 2 * p[g] / size : 0;
            E[2 * k + g] = -r[0] * u[k] * (direct - p[own] * p[own] * p[g] * square[g] / cube);
        }
    }
}

/* ---- a single contact ------------------------------------------------------------------------ */

static void solve(const double *p, int d, const double *W, const double *b, double *r)
{
    memset(r, 0, (size_t)d * sizeof *r);
    if (!(b[0] < 0) || !(W[0] > 0))
        return; /* separating, or an impulse has no effect on the normal motion */
    double D[FRICTION];
    axes(p, D);
    mo_friction_ball_solve(d, D, W, b, r);
    mo_law_guard(d, r);
}

/* ---- measures and facets --------------------------------------------------------------------- */

static double friction_defect(const double *p, MO_UNUSED int d, const double *u, const double *r)
{
    return r[0] * slip(p, u) + mo_dot(FRICTION, r + 1, u + 1);
}

/* The hull of a polygon of forces and the two moments: one group, directions as long as D. */
static void facets(const double *p, MO_UNUSED int d, int count, mo_law_facets *out)
{
    mo_law_facets_begin(out);
    if (p[0] > 0 || p[1] > 0) mo_law_facets_open(out, 1);
    if (p[0] > 0) mo_law_facets_add_disc(out, 1, count, p[0]);
    for (int k = 0; k < 2 && p[1] > 0; ++k)
        mo_law_facets_add(out)[3] = (1 - 2 * k) * p[1];
}

const mo_law_ops mo_law_soft_finger_ops = {
    .name = "soft-finger",
    .least_rows = ROWS,
    .most_rows = ROWS,
    .coefficients = 2,
    .moment = offsetof(mo_law, mu_torsion),
    .moment_name = "mu_torsion",
    MO_LAW_FRICTION_OPS,
    .relax = mo_relax_soft_finger,
    .friction_defect = friction_defect,
};
