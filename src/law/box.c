/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * A box: lower <= r <= upper, with u in minus the normal cone of the box at r: u_k > 0 only if r_k
 * is at its lower bound, u_k < 0 only at its upper bound.  Dry joint friction has lower = -upper; a
 * velocity motor has its target in w.
 *
 * A single block is a linear complementarity problem with bounds.  Least-index pivoting (Murty's
 * rule with upper bounds) solves it for every positive definite W: the first row that violates its
 * condition changes between lower, free and upper.  If W is singular this may fail; coordinate
 * sweeps then improve the best point.
 */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "law/law_ops.h"
#include "linalg/dense.h"

static int param_count(int d)
{
    return 2 * d;
}

static mo_error check(const mo_law *law, int d, mo_message *why)
{
    MO_FAIL_IF(!law->lower || !law->upper,
               mo_fail(why, MO_ERR_PROBLEM, "a box law needs lower and upper bounds"));
    for (int k = 0; k < d; ++k) {
        const double lower = law->lower[k], upper = law->upper[k];
        MO_FAIL_IF(!(lower <= upper) || lower == INFINITY || upper == -INFINITY,
                   mo_fail(why, MO_ERR_PROBLEM,
                           "the bounds of row %d, %g and %g, contain no number", k, lower, upper));
    }
    return MO_OK;
}

static void pack(const mo_law *law, int d, double *p)
{
    memcpy(p, law->lower, (size_t)d * sizeof *p);
    memcpy(p + d, law->upper, (size_t)d * sizeof *p);
}

static void unpack(const double *p, int d, mo_law *law)
{
    law->lower = p;
    law->upper = p + d;
}

static double clamp(const double *p, int d, int k, double x)
{
    return x < p[k] ? p[k] : x > p[d + k] ? p[d + k] : x;
}

static void project(const double *p, int d, const double *x, double *y)
{
    for (int k = 0; k < d; ++k)
        y[k] = clamp(p, d, k, x[k]);
}

static void project_derivative(const double *p, int d, const double *x, double *J)
{
    memset(J, 0, (size_t)(d * d) * sizeof *J);
    for (int k = 0; k < d; ++k)
        J[k * d + k] = x[k] > p[k] && x[k] < p[d + k];
}

/* A row with zero diagonal gets the bound that its velocity requires, if it is finite. */
static double immovable(const double *p, int d, int k, double u)
{
    const double bound = u > 0 ? p[k] : u < 0 ? p[d + k] : 0;
    return clamp(p, d, k, isfinite(bound) ? bound : 0);
}

/* One pass of exact coordinate minimisation. */
static void sweep(const double *p, int d, const double *W, const double *b, double *r)
{
    for (int k = 0; k < d; ++k) {
        const double own = W[k * d + k];
        const double u = b[k] + mo_dot(d, W + k * d, r);
        r[k] = own > 0 ? clamp(p, d, k, r[k] - u / own) : immovable(p, d, k, u);
    }
}

static double defect(const double *p, int d, const double *W, const double *b, const double *r)
{
    double u[MO_LAW_MAX_DIM], z[MO_LAW_MAX_DIM];
    mo_block_velocity(d, W, r, b, u);
    mo_law_natural_default(&mo_law_box_ops, p, d, 1, u, r, z);
    return mo_dot(d, z, z);
}

/* The value at which a row is held. */
enum { AT_LOWER, FREE, AT_UPPER };

/* r with u = 0 on the free rows and the others at their bounds. */
static void solve_free_rows(const double *p, int d, const double *W, const double *b,
                            const int *held, double *r)
{
    double A[MO_LAW_MAX_DIM * MO_LAW_MAX_DIM], rhs[MO_LAW_MAX_DIM];
    for (int i = 0; i < d; ++i) {
        rhs[i] = held[i] == FREE ? -b[i] : held[i] == AT_LOWER ? p[i] : p[d + i];
        for (int j = 0; j < d; ++j)
            A[i * d + j] = held[i] == FREE ? W[i * d + j] : (double)(i == j);
    }
    mo_solve_small(d, A, rhs, r);
}

/* The value at which row i should be held instead, given r and its velocity. */
static int should_be(const double *p, int d, int i, int held, double r, double u)
{
    if (held == FREE) return r < p[i] ? AT_LOWER : r > p[d + i] ? AT_UPPER : FREE;
    return (held == AT_LOWER && u < 0) || (held == AT_UPPER && u > 0) ? FREE : held;
}

/* Least-index pivoting from all rows free; there are 3^d states, none of which comes twice. */
static void pivot(const double *p, int d, const double *W, const double *b, double *r)
{
    int held[MO_LAW_MAX_DIM];
    for (int k = 0; k < d; ++k)
        held[k] = FREE;
    for (int step = 0; step < 800; ++step) {
        solve_free_rows(p, d, W, b, held, r);
        int i = 0, next = FREE;
        for (; i < d; ++i) {
            const double u = b[i] + mo_dot(d, W + i * d, r);
            next = should_be(p, d, i, held[i], r[i], u);
            if (next != held[i]) break;
        }
        if (i == d) break;
        held[i] = next;
    }
    project(p, d, r, r);
}

static void solve(const double *p, int d, const double *W, const double *b, double *r)
{
    pivot(p, d, W, b, r);
    double best = defect(p, d, W, b, r), now[MO_LAW_MAX_DIM];
    memcpy(now, r, (size_t)d * sizeof *r);
    for (int round = 0; round < 200 && best > 1e-28 * mo_dot(d, b, b); ++round) {
        sweep(p, d, W, b, now);
        const double swept = defect(p, d, W, b, now);
        if (swept < best) {
            memcpy(r, now, (size_t)d * sizeof *r);
            best = swept;
        }
    }
}

static void failure(const double *p, int d, const double *u, const double *r, mo_law_failure *out)
{
    *out = (mo_law_failure){0};
    double outside = 0;
    for (int k = 0; k < d; ++k) {
        const double distance = r[k] - clamp(p, d, k, r[k]);
        outside += distance * distance;
        const double bound = u[k] > 0 ? p[k] : p[d + k]; /* bound of r_k that u_k requires */
        if (u[k] == 0) continue;
        if (isfinite(bound))
            out->dissipation += fabs(u[k] * (r[k] - bound));
        else /* no bound on this side: the row cannot move in this direction */
            out->penetration_rate = fmax(out->penetration_rate, fabs(u[k]));
    }
    out->cone_violation = sqrt(outside);
}

const mo_law_ops mo_law_box_ops = {
    .name = "box",
    .least_rows = 1,
    .most_rows = MO_LAW_MAX_DIM,
    .param_count = param_count,
    .check = check,
    .pack = pack,
    .unpack = unpack,
    MO_LAW_PLAIN_OPS,
    .failure = failure,
};
