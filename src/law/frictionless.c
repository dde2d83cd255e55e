/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* Frictionless contact or joint limit: 0 <= u perp r >= 0, d = 1. */
#include <math.h>

#include "law/law_ops.h"

static void project(MO_UNUSED const double *p, MO_UNUSED int d, const double *x, double *y)
{
    y[0] = x[0] > 0 ? x[0] : 0;
}

static void project_derivative(MO_UNUSED const double *p, MO_UNUSED int d, const double *x,
                               double *J)
{
    J[0] = x[0] > 0;
}

static void solve(MO_UNUSED const double *p, MO_UNUSED int d, const double *W, const double *b,
                  double *r)
{
    r[0] = b[0] < 0 && W[0] > 0 ? -b[0] / W[0] : 0;
    r[0] = isfinite(r[0]) ? r[0] : 0;
}

const mo_law_ops mo_law_frictionless_ops = {
    .name = "frictionless",
    .least_rows = 1,
    .most_rows = 1,
    MO_LAW_PLAIN_OPS,
};
