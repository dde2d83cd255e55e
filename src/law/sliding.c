/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * A contact that slides in a known direction s [trinkle1997, eq. 10]:
 *
 *   r = n g,   g = (1, -mu s),   0 <= u_N perp n >= 0,   u_T free
 *
 *   here    paper                meaning
 *   n       c_jn                 normal force
 *   s       v_jt, v_jo / length  direction of sliding, a unit vector in the tangents
 *
 * Friction is proportional to the normal force: u_N = (W_NN - mu W_NT s) n + b_N.  W becomes
 * unsymmetric, and its diagonal may be negative.  A single contact then has no solution for b_N < 0
 * and two for b_N > 0 (Painleve's paradox); it stays open in both cases.
 *
 * The admissible impulses form a ray.  With uhat = u_N g, -uhat lies in its normal cone at r if and
 * only if the law holds.  The natural map uses the point of the ray with normal part max(0, r_N -
 * step u_N), not the nearest one, which would scale an error of u_N by the length of g.
 */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "law/law_ops.h"
#include "linalg/dense.h"

static int param_count(int d)
{
    return d; /* mu, then s */
}

static mo_error check(const mo_law *law, int d, mo_message *why)
{
    MO_FAIL_IF(!law->direction, mo_fail(why, MO_ERR_PROBLEM,
                                        "a sliding law needs the direction in which it slides"));
    const double size = sqrt(mo_dot(d - 1, law->direction, law->direction));
    if (!(fabs(size - 1) <= 1e-6)) { /* more than the rounding of a caller in single precision */
        return mo_fail(
            why, MO_ERR_PROBLEM,
            "the direction of a sliding law has the length %g, but must be a unit vector", size);
    }
    return MO_OK;
}

static void pack(const mo_law *law, int d, double *p)
{
    memcpy(p + 1, law->direction, (size_t)(d - 1) * sizeof *p);
}

static void unpack(const double *p, MO_UNUSED int d, mo_law *law)
{
    law->direction = p + 1;
}

/* y = n g */
static void on_ray(const double *p, int d, double n, double *y)
{
    for (int k = 1; k < d; ++k)
        y[k] = -p[0] * n * p[k];
    y[0] = n;
}

static void project(const double *p, int d, const double *x, double *y)
{
    double g[3];
    on_ray(p, d, 1, g);
    on_ray(p, d, fmax(0, mo_dot(d, g, x) / mo_dot(d, g, g)), y);
}

static void project_derivative(const double *p, int d, const double *x, double *J)
{
    double g[3];
    on_ray(p, d, 1, g);
    const double weight = mo_dot(d, g, x) > 0 ? 1 / mo_dot(d, g, g) : 0;
    for (int i = 0; i < d; ++i)
        for (int j = 0; j < d; ++j)
            J[i * d + j] = weight * g[i] * g[j];
}

static void shift(const double *p, int d, const double *u, double *uhat)
{
    on_ray(p, d, u[0], uhat);
}

static void shift_derivative(const double *p, int d, MO_UNUSED const double *u, double *G)
{
    double g[3];
    on_ray(p, d, 1, g);
    memset(G, 0, (size_t)(d * d) * sizeof *G);
    for (int i = 0; i < d; ++i)
        G[i * d] = g[i];
}

static void prox(const double *p, int d, const double *x, double *y)
{
    on_ray(p, d, x[0] > 0 ? x[0] : 0, y);
}

static void natural(const double *p, int d, double step, const double *u, const double *r,
                    double *z)
{
    double y[3];
    on_ray(p, d, fmax(0, r[0] - step * u[0]), y);
    mo_along(d, r, -1, y, z);
}

/* r_T = -mu r_N s */
static void by_coefficient(const double *p, int d, MO_UNUSED const double *u, const double *r,
                           double *E)
{
    memset(E, 0, (size_t)(2 * d) * sizeof *E);
    for (int k = 1; k < d; ++k)
        E[2 * k] = -r[0] * p[k];
}

static void solve(const double *p, int d, const double *W, const double *b, double *r)
{
    double g[3];
    on_ray(p, d, 1, g);
    const double effect = mo_dot(d, W, g); /* of n on u_N */
    on_ray(p, d, b[0] < 0 && effect > 0 ? -b[0] / effect : 0, r);
    mo_law_guard(d, r);
}

static void facets(const double *p, int d, MO_UNUSED int count, mo_law_facets *out)
{
    mo_law_facets_begin(out);
    on_ray(p, d, 1, out->axis);
}

const mo_law_ops mo_law_sliding_ops = {
    .name = "sliding",
    .least_rows = 2,
    .most_rows = 3,
    .coefficients = 1,
    .param_count = param_count,
    .check = check,
    .pack = pack,
    .unpack = unpack,
    MO_LAW_FRICTION_OPS,
    .natural = natural,
};
