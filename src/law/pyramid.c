/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * The friction pyramid of [trinkle1997, eq. 15-16]: each tangential component by itself,
 *
 *   |r_k| <= mu r_N,   mu r_N u_k + r_k |u_k| = 0,   k = t, o
 *
 *   here        paper             meaning
 *   r_N, r_k    c_jn, c_jt, c_jo  contact force
 *   u_k         a_jt, a_jo        tangential acceleration (or velocity, in time stepping)
 *
 * Both together say that r_T dissipates most in the square with the corners mu r_N (+-1, +-1): the polygon of
 * polygon.h with four corners at 45 degrees and the radius sqrt(2) mu.  The square circumscribes Coulomb's
 * disc: a solution inside the cone solves Coulomb's problem too [trinkle1997, Proposition 1].
 */
#include <math.h>

#include "base/error.h"
#include "law/polygon.h"

static int param_count(int d)
{
    (void)d;
    return 1;
}

static mo_error check(const mo_law *law, int d, mo_message *why)
{
    if (d != 3) {
        return mo_fail(why, MO_ERR_PROBLEM,
                       "a pyramid block has 3 rows, not %d: in the plane use coulomb", d);
    }
    if (!(law->mu >= 0) || isinf(law->mu)) {
        return mo_fail(
            why, MO_ERR_PROBLEM,
            "the friction coefficient mu of a pyramid law is %g, but must be finite and not "
            "negative",
            law->mu);
    }
    return MO_OK;
}

static void pack(const mo_law *law, int d, double *p)
{
    (void)d;
    p[0] = law->mu;
}

static void unpack(const double *p, int d, mo_law *law)
{
    (void)d;
    law->mu = p[0];
}

static mo_polygon polygon_of(const double *p)
{
    const double root = 1.41421356237309504880, eighth_turn = 0.78539816339744830962;
    return (mo_polygon){.mu = root * p[0], .corners = 4, .phase = eighth_turn};
}

static void project(const double *p, int d, const double *x, double *y)
{
    (void)d;
    const mo_polygon polygon = polygon_of(p);
    mo_polygon_project(&polygon, x, y);
}

static void project_derivative(const double *p, int d, const double *x, double *J)
{
    (void)d;
    const mo_polygon polygon = polygon_of(p);
    mo_polygon_project_derivative(&polygon, x, J);
}

static void shift(const double *p, int d, const double *u, double *uhat)
{
    (void)d;
    const mo_polygon polygon = polygon_of(p);
    mo_polygon_shift(&polygon, u, uhat);
}

static void shift_derivative(const double *p, int d, const double *u, double *G)
{
    (void)d;
    const mo_polygon polygon = polygon_of(p);
    mo_polygon_shift_derivative(&polygon, u, G);
}

static void prox(const double *p, int d, const double *x, double *y)
{
    (void)d;
    const mo_polygon polygon = polygon_of(p);
    mo_polygon_prox(&polygon, x, y);
}

static void natural(const double *p, int d, double step, const double *u, const double *r,
                    double *z)
{
    mo_law_natural_default(&mo_law_pyramid_ops, p, d, step, u, r, z);
}

static void solve(const double *p, int d, const double *W, const double *b, double *r)
{
    const mo_polygon polygon = polygon_of(p);
    if (!mo_polygon_solve(&polygon, W, b, r)) {
        mo_law_guard(d, r);
        mo_law_solve_newton(&mo_law_pyramid_ops, p, d, W, b, r);
    }
    mo_law_guard(d, r);
}

static void by_coefficient(const double *p, int d, const double *u, const double *r, double *E)
{
    (void)d;
    const mo_polygon polygon = polygon_of(p);
    mo_polygon_by_coefficient(&polygon, 1.41421356237309504880, u, r, E);
}

static void failure(const double *p, int d, const double *u, const double *r, mo_law_failure *out)
{
    (void)d;
    const mo_polygon polygon = polygon_of(p);
    mo_polygon_failure(&polygon, u, r, out);
}

/* Two groups of two directions: the square is the sum of two segments. */
static void facets(const double *p, int d, int count, mo_law_facets *out)
{
    (void)count;
    mo_law_facets_begin(out);
    for (int k = 1; k < d; ++k) {
        mo_law_facets_open(out, p[0]);
        mo_law_facets_add(out)[k] = 1;
        mo_law_facets_add(out)[k] = -1;
    }
}

const mo_law_ops mo_law_pyramid_ops = {
    .name = "pyramid",
    .param_count = param_count,
    .check = check,
    .pack = pack,
    .unpack = unpack,
    .project = project,
    .project_derivative = project_derivative,
    .shift = shift,
    .shift_derivative = shift_derivative,
    .prox = prox,
    .natural = natural,
    .solve = solve,
    .failure = failure,
    .by_coefficient = by_coefficient,
    .facets = facets,
};
