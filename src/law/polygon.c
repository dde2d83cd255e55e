/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * The set and the law of polygon.h.  A single contact, u = W r + b, is in one of these modes:
 *
 *   open     b_N >= 0:  r = 0
 *   sticks   r = -W^-1 b, if it lies in K
 *   corner   r = n (1, mu d_j), u_N = 0, and -u_T in the normal cone of P at d_j
 *   edge     r = n (1, mu cos(pi/k) m) + s (0, t), u_N = 0, u_T = -alpha m, alpha >= 0
 *
 * There are 2 k + 2 of them, each a system of one to three equations.  They are tried starting at
 * the corner that opposes the free slip, so usually the first or second applies.  If rounding
 * leaves none that holds exactly, the one with the smallest natural map is used.
 */
#include "law/polygon.h"

#include <math.h>
#include <string.h>

#include "linalg/dense.h"

static const double PI = 3.14159265358979323846;

int mo_polygon_params(MO_UNUSED int d)
{
    return MO_POLYGON_PARAMS;
}

static mo_polygon shape_of(const double *p)
{
    return (mo_polygon){.mu = p[2] * p[0], .corners = (int)p[1], .phase = p[3]};
}

void mo_polygon_corner(const mo_polygon *polygon, int j, double d[2])
{
    const int k = polygon->corners, around = (j % k + k) % k;
    const double angle = polygon->phase + 2 * PI * around / k;
    d[0] = cos(angle);
    d[1] = sin(angle);
}

/* ---- the frame of an edge -------------------------------------------------------------------- */

typedef struct edge {
    int first;           /* the corner where it begins; it ends at the next one */
    double m[2], t[2];   /* towards its midpoint, and along it */
    double height, half; /* cos(pi/k), sin(pi/k): where it is, and half its length */
} edge;

static edge edge_from(const mo_polygon *polygon, int j)
{
    const double half_turn = PI / polygon->corners;
    const double angle = polygon->phase + (2 * j + 1) * half_turn;
    edge e = {.first = j,
              .m = {cos(angle), sin(angle)},
              .height = cos(half_turn),
              .half = sin(half_turn)};
    e.t[0] = -e.m[1];
    e.t[1] = e.m[0];
    return e;
}

static double dot2(const double *x, const double *y)
{
    return x[0] * y[0] + x[1] * y[1];
}

/* The edge that x_T points to, its coordinates in that frame, and the nearer corner. */
typedef struct place {
    edge e;
    double along_m, along_t;
    double corner[2], along_corner;
} place;

static place find_place(const mo_polygon *polygon, const double *x_T)
{
    const double turn = 2 * PI / polygon->corners;
    const double angle = x_T[0] != 0 || x_T[1] != 0 ? atan2(x_T[1], x_T[0]) - polygon->phase : 0;
    const double sector = floor(angle / turn);
    place at = {.e = edge_from(polygon, isfinite(sector) ? (int)sector : 0)};
    at.along_m = dot2(at.e.m, x_T);
    at.along_t = dot2(at.e.t, x_T);
    mo_polygon_corner(polygon, at.e.first + (at.along_t > 0), at.corner);
    at.along_corner = dot2(at.corner, x_T);
    return at;
}

/* ---- projection ------------------------------------------------------------------------------ */

/* n of the point n (1, mu) nearest to (x_N, t) in the plane. */
static double on_ray(double mu, double x_N, double t)
{
    return mu > 1 ? (x_N / mu + t) / (mu + 1 / mu) : (x_N + mu * t) / (1 + mu * mu);
}

/* Locates the projection of x.  The test for the apex comes first and uses the same sum as the
 * shift, so that the natural map of an open contact is exactly zero. */
typedef enum region { APEX, INSIDE, FACE, RAY } region;

static region find_region(const mo_polygon *polygon, const double *x, place *at, double *n)
{
    const double mu = polygon->mu;
    *at = find_place(polygon, x + 1);
    *n = 0;
    if (x[0] + mu * at->along_corner <= 0) return APEX;
    if (at->along_m <= mu * at->e.height * x[0]) return INSIDE;
    *n = on_ray(mu * at->e.height, x[0], at->along_m);
    if (*n > 0 && fabs(at->along_t) <= mu * at->e.half * *n) return FACE;
    *n = fmax(0, on_ray(mu, x[0], at->along_corner));
    return RAY;
}

void mo_polygon_project(const double *p, MO_UNUSED int d, const double *x, double *y)
{
    place at;
    double n;
    const mo_polygon polygon = shape_of(p);
    const double mu = polygon.mu;
    switch (find_region(&polygon, x, &at, &n)) {
    case APEX:
        y[0] = y[1] = y[2] = 0;
        return;
    case INSIDE:
        memmove(y, x, 3 * sizeof *y);
        return;
    case FACE:
        for (int k = 0; k < 2; ++k)
            y[1 + k] = mu * at.e.height * n * at.e.m[k] + at.along_t * at.e.t[k];
        break;
    case RAY:
        for (int k = 0; k < 2; ++k)
            y[1 + k] = mu * n * at.corner[k];
        break;
    }
    y[0] = n;
}

/* J += g g' / g.g */
static void add_line(const double g[3], double *J)
{
    const double size = mo_dot(3, g, g);
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            J[3 * i + j] += g[i] / size * g[j];
}

void mo_polygon_project_derivative(const double *p, MO_UNUSED int d, const double *x, double *J)
{
    const mo_polygon shape = shape_of(p), *polygon = &shape;
    place at;
    double n;
    const region where = find_region(polygon, x, &at, &n);
    memset(J, 0, 9 * sizeof *J);
    if (where == INSIDE) {
        J[0] = J[4] = J[8] = 1;
    } else if (where == FACE) {
        const double low = polygon->mu * at.e.height;
        const double up[3] = {1, low * at.e.m[0], low * at.e.m[1]},
                     side[3] = {0, at.e.t[0], at.e.t[1]};
        add_line(up, J);
        add_line(side, J);
    } else if (where == RAY && n > 0) {
        const double ray[3] = {1, polygon->mu * at.corner[0], polygon->mu * at.corner[1]};
        add_line(ray, J);
    }
}

/* ---- the law --------------------------------------------------------------------------------- */

/* The corner that opposes u_T most. */
static place opposing(const mo_polygon *polygon, const double *u)
{
    const double against[2] = {-u[1], -u[2]};
    return find_place(polygon, against);
}

void mo_polygon_shift(const double *p, int d, const double *u, double *uhat)
{
    const mo_polygon polygon = shape_of(p);
    const double slip = opposing(&polygon, u).along_corner;
    memmove(uhat, u, (size_t)d * sizeof *u);
    uhat[0] += polygon.mu * slip;
}

void mo_polygon_shift_derivative(const double *p, int d, const double *u, double *G)
{
    const mo_polygon shape = shape_of(p), *polygon = &shape;
    const place at = opposing(polygon, u);
    mo_law_no_shift_derivative(p, d, u, G);
    G[1] = -polygon->mu * at.corner[0];
    G[2] = -polygon->mu * at.corner[1];
}

/* The normal part first, then friction on the polygon whose size follows from it. */
void mo_polygon_prox(const double *p, MO_UNUSED int d, const double *x, double *y)
{
    const mo_polygon shape = shape_of(p), *polygon = &shape;
    const double y_N = x[0] > 0 ? x[0] : 0, radius = y_N > 0 ? polygon->mu * y_N : 0;
    const place at = find_place(polygon, x + 1);
    if (at.along_m <= radius * at.e.height) {
        memmove(y + 1, x + 1, 2 * sizeof *y);
    } else {
        const double reach = radius * at.e.half;
        const double s = fmin(reach, fmax(-reach, at.along_t));
        for (int k = 0; k < 2; ++k)
            y[1 + k] = radius * at.e.height * at.e.m[k] + s * at.e.t[k];
    }
    y[0] = y_N;
}

double mo_polygon_friction_defect(const double *p, MO_UNUSED int d, const double *u,
                                  const double *r)
{
    const mo_polygon polygon = shape_of(p);
    return polygon.mu * r[0] * opposing(&polygon, u).along_corner + dot2(r + 1, u + 1);
}

/* r_T = r_N mu times a fixed point of P; for mu = 0 the corner that would be active. */
void mo_polygon_by_coefficient(const double *p, MO_UNUSED int d, const double *u, const double *r,
                               double *E)
{
    const mo_polygon shape = shape_of(p), *polygon = &shape;
    double point[2] = {0}, most = 0;
    memset(E, 0, 6 * sizeof *E);
    for (int j = 0; j < polygon->corners && polygon->mu == 0; ++j) {
        double corner[2];
        mo_polygon_corner(polygon, j, corner);
        if (-dot2(corner, u + 1) > most) {
            most = -dot2(corner, u + 1);
            point[0] = r[0] * corner[0];
            point[1] = r[0] * corner[1];
        }
    }
    for (int k = 0; k < 2; ++k)
        E[2 * (1 + k)] = p[2] * (polygon->mu > 0 ? r[1 + k] / polygon->mu : point[k]);
}

/* ---- a single contact ------------------------------------------------------------------------ */

typedef struct contact {
    const mo_polygon *polygon;
    const double *p, *W, *b;
} contact;

static double row_dot(const contact *c, int row, const double *g)
{
    return mo_dot(3, c->W + 3 * row, g);
}

/* r = n (1, mu d_j) with u_N = 0; true if that obeys the law. */
static int try_corner(const contact *c, int j, double *r)
{
    double d[2], next[2], last[2];
    mo_polygon_corner(c->polygon, j, d);
    mo_polygon_corner(c->polygon, j + 1, next);
    mo_polygon_corner(c->polygon, j - 1, last);
    const double mu = c->polygon->mu, g[3] = {1, mu * d[0], mu * d[1]};
    const double effect = row_dot(c, 0, g);
    if (!(effect > 0)) {
        memset(r, 0, 3 * sizeof *r);
        return 0;
    }
    const double n = -c->b[0] / effect;
    for (int k = 0; k < 3; ++k)
        r[k] = n * g[k];
    const double u_T[2] = {c->b[1] + row_dot(c, 1, r), c->b[2] + row_dot(c, 2, r)};
    const double least = dot2(d, u_T);
    return least <= dot2(next, u_T) && least <= dot2(last, u_T);
}

/* r on the face of edge j with u_N = 0 and t.u_T = 0; true if that obeys the law. */
static int try_edge(const contact *c, int j, double *r)
{
    const edge e = edge_from(c->polygon, j);
    const double mu = c->polygon->mu, low = mu * e.height;
    const double up[3] = {1, low * e.m[0], low * e.m[1]}, side[3] = {0, e.t[0], e.t[1]};
    double A[4] = {row_dot(c, 0, up), row_dot(c, 0, side)}, rhs[2], ns[2];
    A[2] = e.t[0] * row_dot(c, 1, up) + e.t[1] * row_dot(c, 2, up);
    A[3] = e.t[0] * row_dot(c, 1, side) + e.t[1] * row_dot(c, 2, side);
    rhs[0] = -c->b[0];
    rhs[1] = -dot2(e.t, c->b + 1);
    mo_solve_small(2, A, rhs, ns);
    for (int k = 0; k < 3; ++k)
        r[k] = ns[0] * up[k] + ns[1] * side[k];
    const double u_T[2] = {c->b[1] + row_dot(c, 1, r), c->b[2] + row_dot(c, 2, r)};
    return ns[0] >= 0 && fabs(ns[1]) <= mu * e.half * ns[0] && dot2(e.m, u_T) <= 0;
}

static int try_stuck(const contact *c, double *r)
{
    double A[9], rhs[3];
    memcpy(A, c->W, sizeof A);
    for (int k = 0; k < 3; ++k)
        rhs[k] = -c->b[k];
    const int rank = mo_solve_small(3, A, rhs, r);
    const place at = find_place(c->polygon, r + 1);
    return rank == 3 && at.along_m <= c->polygon->mu * at.e.height * r[0];
}

/* Candidates around the polygon: corners (even), the edges after them (odd); last, sticking. */
static int try_candidate(const contact *c, int place_on_rim, double *r)
{
    const int rim = 2 * c->polygon->corners;
    if (place_on_rim == rim) return try_stuck(c, r);
    return place_on_rim % 2 ? try_edge(c, place_on_rim / 2, r) : try_corner(c, place_on_rim / 2, r);
}

/* |natural map| with step 1 / mean diagonal of W, in units of r. */
static double natural_norm(const contact *c, double step, const double *r)
{
    double u[3], z[3];
    mo_block_velocity(3, c->W, r, c->b, u);
    mo_law_natural_default(&mo_law_faceted_ops, c->p, 3, step, u, r, z);
    return sqrt(mo_dot(3, z, z));
}

/* None holds to the last bit: the best of all by the natural map. */
static int best_candidate(const contact *c, double *r)
{
    const double trace = c->W[0] + c->W[4] + c->W[8], step = 3 / trace;
    double least = INFINITY, trial[3];
    memset(r, 0, 3 * sizeof *r);
    for (int k = 0; k <= 2 * c->polygon->corners; ++k) {
        try_candidate(c, k, trial);
        mo_polygon_project(c->p, 3, trial, trial);
        const double norm = natural_norm(c, step, trial);
        if (norm < least) { /* false for NaN */
            least = norm;
            memcpy(r, trial, sizeof trial);
        }
    }
    return least <= 1e-14 * (sqrt(mo_dot(3, r, r)) + step * fabs(c->b[0]));
}

/* True where r solves the contact to rounding, else r is the best point found. */
static int solve_by_modes(const double *p, const double *W, const double *b, double *r)
{
    const mo_polygon shape = shape_of(p), *polygon = &shape;
    const contact c = {polygon, p, W, b};
    const int rim = 2 * polygon->corners;
    memset(r, 0, 3 * sizeof *r);
    if (!(b[0] < 0) || !(W[0] > 0))
        return 1; /* separating, or an impulse has no effect on the normal motion */
    if (polygon->mu == 0) {
        r[0] = -b[0] / W[0];
        return 1;
    }
    if (try_stuck(&c, r)) return 1;
    /* The slip without friction; the corner that opposes it is the first guess. */
    const double free_u[3] = {0, b[1] - W[3] / W[0] * b[0], b[2] - W[6] / W[0] * b[0]};
    const place at = opposing(polygon, free_u);
    const int guess = 2 * (at.e.first + (at.along_t > 0));
    for (int k = 0; k < rim; ++k) {
        const int offset = k % 2 ? (k + 1) / 2 : -k / 2; /* 0, 1, -1, 2, -2, ... */
        if (try_candidate(&c, ((guess + offset) % rim + rim) % rim, r)) return 1;
    }
    return best_candidate(&c, r);
}

void mo_polygon_solve(const double *p, int d, const double *W, const double *b, double *r)
{
    if (!solve_by_modes(p, W, b, r)) {
        mo_law_guard(d, r);
        mo_law_solve_newton(&mo_law_faceted_ops, p, d, W, b, r);
    }
    mo_law_guard(d, r);
}
