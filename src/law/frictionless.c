/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* Frictionless contact or joint limit: 0 <= u perp r >= 0, d = 1. */
#include <math.h>

#include "base/error.h"
#include "law/law_ops.h"

static mo_error check(const mo_law *law, int d, mo_message *why)
{
    (void)law;
    return d == 1 ? MO_OK
                  : mo_fail(why, MO_ERR_PROBLEM, "a frictionless block has 1 row, not %d", d);
}

static void project(const double *p, int d, const double *x, double *y)
{
    (void)p;
    (void)d;
    y[0] = x[0] > 0 ? x[0] : 0;
}

static void project_derivative(const double *p, int d, const double *x, double *J)
{
    (void)p;
    (void)d;
    J[0] = x[0] > 0;
}

static void natural(const double *p, int d, double step, const double *u, const double *r,
                    double *z)
{
    mo_law_natural_default(&mo_law_frictionless_ops, p, d, step, u, r, z);
}

static void solve(const double *p, int d, const double *W, const double *b, double *r)
{
    (void)p;
    (void)d;
    r[0] = b[0] < 0 && W[0] > 0 ? -b[0] / W[0] : 0;
    r[0] = isfinite(r[0]) ? r[0] : 0;
}

static void failure(const double *p, int d, const double *u, const double *r, mo_law_failure *out)
{
    (void)p;
    (void)d;
    out->penetration_rate = fmax(0, -u[0]);
    out->cone_violation = fmax(0, -r[0]);
    out->dissipation = fabs(u[0] * r[0]);
}

const mo_law_ops mo_law_frictionless_ops = {
    .name = "frictionless",
    .param_count = mo_law_no_params,
    .check = check,
    .pack = mo_law_pack_nothing,
    .unpack = mo_law_unpack_nothing,
    .project = project,
    .project_derivative = project_derivative,
    .shift = mo_law_no_shift,
    .shift_derivative = mo_law_no_shift_derivative,
    .prox = project,
    .natural = natural,
    .solve = solve,
    .failure = failure,
    .facets = mo_law_no_facets,
};
