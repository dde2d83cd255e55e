/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Coulomb's cone in space with k facets [anitescu2004, eq. 2.5]:
 *
 *   r_T = sum_j beta_j d_j,   0 <= beta perp D' u_T + lambda e >= 0,   0 <= lambda perp mu r_N - e' beta >= 0
 *
 *   here             paper    meaning
 *   r_N              c_n      normal impulse
 *   d_j, D           d_j, D   friction directions at the angles 2 pi j / k, and the matrix of them all
 *   lambda           lambda   slip speed max_j -d_j.u_T, where r_N > 0
 *
 * The paper asks for directions in opposite pairs (an even k); any k >= 3 makes a law here.  The cone lies inside
 * Coulomb's and touches it along k rays.  In the plane Coulomb's cone has two facets already: use coulomb.
 * See polygon.h for the mathematics.
 */
#include <math.h>

#include "base/error.h"
#include "law/polygon.h"

enum { MOST_FACETS = MO_LAW_MAX_DIRECTIONS / MO_LAW_MAX_GROUPS };

static int param_count(int d)
{
    (void)d;
    return 2;
}

static mo_error check(const mo_law *law, int d, mo_message *why)
{
    if (d != 3) {
        return mo_fail(why, MO_ERR_PROBLEM,
                       "a faceted block has 3 rows, not %d: in the plane use coulomb", d);
    }
    if (!(law->mu >= 0) || isinf(law->mu)) {
        return mo_fail(
            why, MO_ERR_PROBLEM,
            "the friction coefficient mu of a faceted law is %g, but must be finite and not "
            "negative",
            law->mu);
    }
    if (law->facets < 3 || law->facets > MOST_FACETS) {
        return mo_fail(why, MO_ERR_PROBLEM, "a faceted law has 3 to %d facets, not %d", MOST_FACETS,
                       law->facets);
    }
    return MO_OK;
}

static void pack(const mo_law *law, int d, double *p)
{
    (void)d;
    p[0] = law->mu;
    p[1] = law->facets;
}

static void unpack(const double *p, int d, mo_law *law)
{
    (void)d;
    law->mu = p[0];
    law->facets = (int)p[1];
}

static mo_polygon polygon_of(const double *p)
{
    return (mo_polygon){.mu = p[0], .corners = (int)p[1], .phase = 0};
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
    mo_law_natural_default(&mo_law_faceted_ops, p, d, step, u, r, z);
}

static void solve(const double *p, int d, const double *W, const double *b, double *r)
{
    const mo_polygon polygon = polygon_of(p);
    if (!mo_polygon_solve(&polygon, W, b, r)) {
        mo_law_guard(d, r);
        mo_law_solve_newton(&mo_law_faceted_ops, p, d, W, b, r);
    }
    mo_law_guard(d, r);
}

static void by_coefficient(const double *p, int d, const double *u, const double *r, double *E)
{
    (void)d;
    const mo_polygon polygon = polygon_of(p);
    mo_polygon_by_coefficient(&polygon, 1, u, r, E);
}

static void failure(const double *p, int d, const double *u, const double *r, mo_law_failure *out)
{
    (void)d;
    const mo_polygon polygon = polygon_of(p);
    mo_polygon_failure(&polygon, u, r, out);
}

/* Its own directions, however many were asked for. */
static void facets(const double *p, int d, int count, mo_law_facets *out)
{
    (void)d;
    (void)count;
    const mo_polygon polygon = polygon_of(p);
    mo_law_facets_begin(out);
    mo_law_facets_open(out, p[0]);
    for (int j = 0; j < polygon.corners; ++j) {
        mo_polygon_corner(&polygon, j, mo_law_facets_add(out) + 1);
    }
}

const mo_law_ops mo_law_faceted_ops = {
    .name = "faceted",
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
