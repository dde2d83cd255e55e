/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* The list of laws, the public functions on a single law, and code that laws share. */
#include "law/law_ops.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "linalg/dense.h"

const mo_law_ops *const mo_law_table[MO_LAW_KIND_COUNT] = {
    [MO_LAW_COULOMB] = &mo_law_coulomb_ops,
    [MO_LAW_FRICTIONLESS] = &mo_law_frictionless_ops,
    [MO_LAW_BILATERAL] = &mo_law_bilateral_ops,
    [MO_LAW_BOX] = &mo_law_box_ops,
    [MO_LAW_ROLLING] = &mo_law_rolling_ops,
    [MO_LAW_FACETED] = &mo_law_faceted_ops,
    [MO_LAW_PYRAMID] = &mo_law_pyramid_ops,
    [MO_LAW_SLIDING] = &mo_law_sliding_ops,
    [MO_LAW_SOFT_FINGER] = &mo_law_soft_finger_ops,
};

/* Room for the packed parameters of any law: a box has two bounds a row. */
enum { MAX_PARAMS = 2 * MO_LAW_MAX_DIM };

#define LAW(function, parameters, ...)                                                             \
    mo_law function parameters                                                                     \
    {                                                                                              \
        return (mo_law){__VA_ARGS__};                                                              \
    }
LAW(mo_law_coulomb, (double mu), .kind = MO_LAW_COULOMB, .mu = mu)
LAW(mo_law_frictionless, (void), .kind = MO_LAW_FRICTIONLESS)
LAW(mo_law_bilateral, (void), .kind = MO_LAW_BILATERAL)
LAW(mo_law_box, (const double *lower, const double *upper), .kind = MO_LAW_BOX, .lower = lower,
    .upper = upper)
LAW(mo_law_rolling, (double mu, double mu_rolling), .kind = MO_LAW_ROLLING, .mu = mu,
    .mu_rolling = mu_rolling)
LAW(mo_law_faceted, (double mu, int facets), .kind = MO_LAW_FACETED, .mu = mu, .facets = facets)
LAW(mo_law_pyramid, (double mu), .kind = MO_LAW_PYRAMID, .mu = mu)
LAW(mo_law_sliding, (double mu, const double *direction), .kind = MO_LAW_SLIDING, .mu = mu,
    .direction = direction)
LAW(mo_law_soft_finger, (double mu, double mu_torsion), .kind = MO_LAW_SOFT_FINGER, .mu = mu,
    .mu_torsion = mu_torsion)

const char *mo_law_name(mo_law_kind kind)
{
    return (unsigned)kind < MO_LAW_KIND_COUNT ? mo_law_table[kind]->name : NULL;
}

static mo_error check_compliance(const mo_law *law, int d, mo_message *why)
{
    for (int k = 0; law->compliance && k < d; ++k) {
        MO_FAIL_IF(!(law->compliance[k] >= 0) || isinf(law->compliance[k]),
                   mo_fail(why, MO_ERR_PROBLEM,
                           "the compliance of row %d is %g, but must be finite and not negative", k,
                           law->compliance[k]));
    }
    return MO_OK;
}

static mo_error check_rows(const mo_law_ops *ops, int d, mo_message *why)
{
    const char *hint = ops->row_hint ? ops->row_hint : "";
    if (d >= ops->least_rows && d <= ops->most_rows) return MO_OK;
    return ops->least_rows == ops->most_rows
               ? mo_fail(why, MO_ERR_PROBLEM, "a %s block has %d row%s, not %d%s", ops->name,
                         ops->least_rows, ops->least_rows == 1 ? "" : "s", d, hint)
               : mo_fail(why, MO_ERR_PROBLEM, "a %s block has %d to %d rows, not %d%s", ops->name,
                         ops->least_rows, ops->most_rows, d, hint);
}

/* Coefficient k of friction. */
static double *coefficient(const mo_law_ops *ops, mo_law *law, int k)
{
    return k == 0 ? &law->mu : (double *)(void *)((char *)law + ops->moment);
}

static mo_error check_coefficients(const mo_law_ops *ops, mo_law law, mo_message *why)
{
    for (int k = 0; k < ops->coefficients; ++k) {
        const double mu = *coefficient(ops, &law, k);
        MO_FAIL_IF(
            !(mu >= 0) || (isinf(mu) && !ops->takes_infinite_mu),
            mo_fail(why, MO_ERR_PROBLEM,
                    "the friction coefficient %s of a %s law is %g, but must %s",
                    k == 0 ? "mu" : ops->moment_name, ops->name, mu,
                    ops->takes_infinite_mu ? "not be negative" : "be finite and not negative"));
    }
    return MO_OK;
}

mo_error mo_law_check(const mo_law *law, int d, mo_message *why)
{
    MO_REFUSE_IF(!law || (unsigned)law->kind >= MO_LAW_KIND_COUNT, why, "unknown kind of law");
    const mo_law_ops *ops = mo_law_table[law->kind];
    mo_error error = check_rows(ops, d, why);
    error = error ? error : check_coefficients(ops, *law, why);
    error = error || !ops->check ? error : ops->check(law, d, why);
    return error ? error : check_compliance(law, d, why);
}

void mo_law_project(const mo_law *law, int d, const double *x, double *y)
{
    MO_NEED_OR(, x && y && mo_law_check(law, d, NULL) == MO_OK, NULL);
    double p[MAX_PARAMS];
    mo_law_pack(law, d, p);
    mo_law_table[law->kind]->project(p, d, x, y);
}

void mo_law_solve(const mo_law *law, int d, const double *W, const double *b, double *r)
{
    MO_NEED_OR(, W && b && r && mo_law_check(law, d, NULL) == MO_OK, NULL);
    double p[MAX_PARAMS];
    double soft[MO_BILATERAL_MAX_DIM * MO_BILATERAL_MAX_DIM];
    mo_law_pack(law, d, p);
    if (law->compliance) {
        memcpy(soft, W, (size_t)(d * d) * sizeof *soft);
        for (int k = 0; k < d; ++k)
            soft[k * d + k] += law->compliance[k];
        W = soft;
    }
    mo_law_table[law->kind]->solve(p, d, W, b, r);
}

void mo_law_facets_of(const mo_law *law, int d, int count, mo_law_facets *out)
{
    double p[MAX_PARAMS];
    mo_law_pack(law, d, p);
    mo_law_table[law->kind]->facets(p, d, count, out);
}

/* ---- shared pieces --------------------------------------------------------------------------- */

int mo_law_param_count(const mo_law_ops *ops, int d)
{
    return ops->param_count ? ops->param_count(d) : ops->coefficients;
}

void mo_law_pack(const mo_law *law, int d, double *p)
{
    const mo_law_ops *ops = mo_law_table[law->kind];
    mo_law copy = *law;
    for (int k = 0; k < ops->coefficients; ++k)
        p[k] = *coefficient(ops, &copy, k);
    if (ops->pack) ops->pack(law, d, p);
}

void mo_law_unpack(const double *p, int d, mo_law *law)
{
    const mo_law_ops *ops = mo_law_table[law->kind];
    for (int k = 0; k < ops->coefficients; ++k)
        *coefficient(ops, law, k) = p[k];
    if (ops->unpack) ops->unpack(p, d, law);
}

void mo_law_no_shift(MO_UNUSED const double *p, int d, const double *u, double *uhat)
{
    memmove(uhat, u, (size_t)d * sizeof *u);
}

void mo_law_no_shift_derivative(MO_UNUSED const double *p, int d, MO_UNUSED const double *u,
                                double *G)
{
    memset(G, 0, (size_t)(d * d) * sizeof *G);
    for (int k = 0; k < d; ++k)
        G[k * d + k] = 1;
}

void mo_law_no_facets(MO_UNUSED const double *p, MO_UNUSED int d, MO_UNUSED int count,
                      mo_law_facets *out)
{
    mo_law_facets_begin(out);
}

void mo_law_facets_begin(mo_law_facets *out)
{
    out->groups = 0;
    out->start[0] = 0;
    memset(out->axis, 0, sizeof out->axis);
    out->axis[0] = 1;
}

double *mo_law_facets_add(mo_law_facets *out)
{
    double *direction = out->direction[out->start[out->groups]++];
    memset(direction, 0, sizeof out->direction[0]);
    return direction;
}

void mo_law_facets_open(mo_law_facets *out, double mu)
{
    const int first = out->start[out->groups];
    out->mu[out->groups] = mu;
    ++out->groups;
    out->start[out->groups] = first;
}

void mo_law_facets_add_disc(mo_law_facets *out, int row, int count, double length)
{
    const double turn = 2 * acos(-1.0);
    for (int k = 0; k < count; ++k) {
        double *direction = mo_law_facets_add(out);
        direction[row] = length * cos(turn * k / count);
        direction[row + 1] = length * sin(turn * k / count);
    }
}

void mo_law_natural_default(const mo_law_ops *ops, const double *p, int d, double step,
                            const double *u, const double *r, double *z)
{
    double x[MO_LAW_MAX_DIM];
    ops->shift(p, d, u, x);
    mo_along(d, r, -step, x, x);
    ops->project(p, d, x, z);
    mo_along(d, r, -1, z, z);
}

void mo_law_failure_of(const mo_law_ops *ops, const double *p, int d, const double *u,
                       const double *r, mo_law_failure *out)
{
    double nearest[MO_LAW_MAX_DIM];
    if (ops->failure) {
        ops->failure(p, d, u, r, out);
        return;
    }
    *out = (mo_law_failure){.penetration_rate = u[0] < 0 ? -u[0] : 0};
    if (mo_dot(d, r, r) == 0) return;
    ops->project(p, d, r, nearest);
    const double outside = mo_distance_square(d, r, nearest);
    const double open = fabs(r[0] * u[0]);
    const double friction = ops->friction_defect ? fabs(ops->friction_defect(p, d, u, r)) : 0;
    out->cone_violation = outside > 0 ? sqrt(outside) : outside;
    out->dissipation = open > friction ? open : friction;
}

void mo_law_guard(int d, double *r)
{
    for (int k = 0; k < d; ++k) {
        if (!isfinite(r[k])) {
            memset(r, 0, (size_t)d * sizeof *r);
            return;
        }
    }
}

void mo_block_velocity(int d, const double *W, const double *r, const double *b, double *u)
{
    for (int k = 0; k < d; ++k)
        u[k] = b[k] + mo_dot(d, W + k * d, r);
}

/* ---- one block by Newton --------------------------------------------------------------------- */

typedef struct block_problem {
    const mo_law_ops *ops;
    const double *p, *W, *b;
    int d;
    double step; /* 1 / mean diagonal of W: the natural map in units of r */
} block_problem;

static double natural_norm(const block_problem *block, const double *r, double *z)
{
    double u[MO_LAW_MAX_DIM] = {0}; /* the compiler does not see that d rows are enough */
    mo_block_velocity(block->d, block->W, r, block->b, u);
    mo_law_natural(block->ops, block->p, block->d, block->step, u, r, z);
    return mo_norm(block->d, z);
}

/* dr = -(I - J (I - step G W))^-1 z, J and G the derivatives of projection and shift. */
static void newton_direction(const block_problem *block, const double *r, const double *z,
                             double *dr)
{
    const int d = block->d;
    double u[MO_LAW_MAX_DIM] = {0}, x[MO_LAW_MAX_DIM] = {0}, minus_z[MO_LAW_MAX_DIM];
    double J[MO_LAW_MAX_DIM * MO_LAW_MAX_DIM], G[MO_LAW_MAX_DIM * MO_LAW_MAX_DIM];
    double inner[MO_LAW_MAX_DIM * MO_LAW_MAX_DIM], A[MO_LAW_MAX_DIM * MO_LAW_MAX_DIM];
    mo_block_velocity(d, block->W, r, block->b, u);
    block->ops->shift_derivative(block->p, d, u, G);
    block->ops->shift(block->p, d, u, x);
    for (int k = 0; k < d; ++k) {
        x[k] = r[k] - block->step * x[k];
        minus_z[k] = -z[k];
    }
    block->ops->project_derivative(block->p, d, x, J);
    mo_multiply(d, d, G, block->W, inner);
    for (int k = 0; k < d * d; ++k)
        inner[k] = (k % (d + 1) == 0) - block->step * inner[k];
    mo_multiply(d, d, J, inner, A);
    for (int k = 0; k < d * d; ++k)
        A[k] = (k % (d + 1) == 0) - A[k];
    mo_solve_small(d, A, minus_z, dr);
}

/* Newton with halving; true once the natural map is at rounding. */
static int newton_descend(const block_problem *block, double *r, double *z, double *norm)
{
    const int d = block->d;
    for (int iteration = 0; iteration < 30; ++iteration) {
        const double size = mo_norm(d, r);
        if (*norm <= 1e-15 * size || *norm == 0) return 1;
        double dr[MO_LAW_MAX_DIM], trial[MO_LAW_MAX_DIM], z_trial[MO_LAW_MAX_DIM];
        newton_direction(block, r, z, dr);
        double best = *norm;
        for (double t = 1; t > 1e-3; t *= 0.5) {
            mo_along(d, r, t, dr, trial);
            best = natural_norm(block, trial, z_trial);
            if (best < (1 - 0.1 * t) * *norm) break;
        }
        if (!(best < *norm)) return *norm <= 1e-12 * size;
        memcpy(r, trial, sizeof trial);
        memcpy(z, z_trial, sizeof z_trial);
        *norm = best;
    }
    return *norm <= 1e-12 * mo_norm(d, r);
}

int mo_law_solve_newton(const mo_law_ops *ops, const double *p, int d, const double *W,
                        const double *b, double *r)
{
    double trace = 0;
    for (int k = 0; k < d; ++k)
        trace += W[k * d + k];
    const block_problem block = {ops, p, W, b, d, trace > 0 ? d / trace : 1};
    double now[MO_LAW_MAX_DIM] = {0}, z[MO_LAW_MAX_DIM];
    memcpy(now, r, (size_t)d * sizeof *r);
    double norm = natural_norm(&block, now, z);
    const int solved = newton_descend(&block, now, z, &norm);
    ops->project(p, d, now, r);
    return solved;
}
