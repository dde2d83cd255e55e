/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* A joint: u = 0 with any r, in any dimension up to MO_BILATERAL_MAX_DIM. */
#include <math.h>
#include <string.h>

#include "law/law_ops.h"
#include "linalg/dense.h"

static void project(MO_UNUSED const double *p, int d, const double *x, double *y)
{
    memmove(y, x, (size_t)d * sizeof *x);
}

static void project_derivative(const double *p, int d, const double *x, double *J)
{
    mo_law_no_shift_derivative(p, d, x, J); /* the identity */
}

static void natural(MO_UNUSED const double *p, int d, double step, const double *u,
                    MO_UNUSED const double *r, double *z)
{
    for (int k = 0; k < d; ++k)
        z[k] = step * u[k];
}

/* Redundant rows have a basic solution; inconsistent ones are left violated. */
static void solve(MO_UNUSED const double *p, int d, const double *W, const double *b, double *r)
{
    double A[MO_BILATERAL_MAX_DIM * MO_BILATERAL_MAX_DIM], rhs[MO_BILATERAL_MAX_DIM];
    memcpy(A, W, (size_t)(d * d) * sizeof *A);
    for (int k = 0; k < d; ++k)
        rhs[k] = -b[k];
    mo_solve_small(d, A, rhs, r);
}

static void failure(MO_UNUSED const double *p, int d, const double *u, MO_UNUSED const double *r,
                    mo_law_failure *out)
{
    out->penetration_rate = sqrt(mo_dot(d, u, u));
    out->cone_violation = 0;
    out->dissipation = 0;
}

const mo_law_ops mo_law_bilateral_ops = {
    .name = "bilateral",
    .least_rows = 1,
    .most_rows = MO_BILATERAL_MAX_DIM,
    .row_hint = ": split it into several",
    MO_LAW_PLAIN_OPS,
    .natural = natural,
    .failure = failure,
};
