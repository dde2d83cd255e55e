/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* Functions shared by the laws `faceted` and `pyramid`: polygon.c with the parameters of a law. */
#include <math.h>

#include "base/error.h"
#include "law/polygon.h"

int mo_polygon_law_params(int d)
{
    (void)d;
    return MO_POLYGON_PARAMS;
}

mo_error mo_polygon_law_check(const char *name, const mo_law *law, int d, mo_message *why)
{
    if (d != 3) {
        return mo_fail(why, MO_ERR_PROBLEM,
                       "a %s block has 3 rows, not %d: in the plane use coulomb", name, d);
    }
    if (!(law->mu >= 0) || isinf(law->mu)) {
        return mo_fail(
            why, MO_ERR_PROBLEM,
            "the friction coefficient mu of a %s law is %g, but must be finite and not negative",
            name, law->mu);
    }
    return MO_OK;
}

mo_polygon mo_polygon_law_shape(const double *p)
{
    return (mo_polygon){.mu = p[2] * p[0], .corners = (int)p[1], .phase = p[3]};
}

void mo_polygon_law_project(const double *p, int d, const double *x, double *y)
{
    (void)d;
    const mo_polygon polygon = mo_polygon_law_shape(p);
    mo_polygon_project(&polygon, x, y);
}

void mo_polygon_law_project_derivative(const double *p, int d, const double *x, double *J)
{
    (void)d;
    const mo_polygon polygon = mo_polygon_law_shape(p);
    mo_polygon_project_derivative(&polygon, x, J);
}

void mo_polygon_law_shift(const double *p, int d, const double *u, double *uhat)
{
    (void)d;
    const mo_polygon polygon = mo_polygon_law_shape(p);
    mo_polygon_shift(&polygon, u, uhat);
}

void mo_polygon_law_shift_derivative(const double *p, int d, const double *u, double *G)
{
    (void)d;
    const mo_polygon polygon = mo_polygon_law_shape(p);
    mo_polygon_shift_derivative(&polygon, u, G);
}

void mo_polygon_law_prox(const double *p, int d, const double *x, double *y)
{
    (void)d;
    const mo_polygon polygon = mo_polygon_law_shape(p);
    mo_polygon_prox(&polygon, x, y);
}

void mo_polygon_law_natural(const double *p, int d, double step, const double *u, const double *r,
                            double *z)
{
    mo_law_natural_default(&mo_law_faceted_ops, p, d, step, u, r, z);
}

void mo_polygon_law_solve(const double *p, int d, const double *W, const double *b, double *r)
{
    const mo_polygon polygon = mo_polygon_law_shape(p);
    if (!mo_polygon_solve(&polygon, W, b, r)) {
        mo_law_guard(d, r);
        mo_law_solve_newton(&mo_law_faceted_ops, p, d, W, b, r);
    }
    mo_law_guard(d, r);
}

void mo_polygon_law_failure(const double *p, int d, const double *u, const double *r,
                            mo_law_failure *out)
{
    (void)d;
    const mo_polygon polygon = mo_polygon_law_shape(p);
    mo_polygon_failure(&polygon, u, r, out);
}

void mo_polygon_law_by_coefficient(const double *p, int d, const double *u, const double *r,
                                   double *E)
{
    (void)d;
    const mo_polygon polygon = mo_polygon_law_shape(p);
    mo_polygon_by_coefficient(&polygon, p[2], u, r, E);
}
