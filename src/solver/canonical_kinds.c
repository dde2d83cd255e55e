/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
#include <math.h>
#include <string.h>

#include "linalg/dense.h"
#include "solver/canonical.h"

static int has_compliance(const mo_problem *problem, int i)
{
    for (int k = problem->row_start[i]; problem->compliance && k < problem->row_start[i + 1]; ++k)
        if (problem->compliance[k] != 0) return 1;
    return 0;
}

/* By how much the square of the residual may grow where block i takes any impulse of its set, or,
 * where it slides, any on its ray: |uhat|^2, or u_N^2, is the most that the natural map can be. */
static double residual_at_stake(const mo_problem *problem, int i, int slides, const double *u,
                                const double *r)
{
    const int d = mo_constraint_dim(problem, i);
    const mo_law_ops *law = mo_constraint_law(problem, i);
    const double *p = mo_constraint_param(problem, i);
    double uhat[MO_BILATERAL_MAX_DIM], z[MO_BILATERAL_MAX_DIM];
    const int is_rough = problem->law[i].kind == MO_LAW_COULOMB && isinf(p[0]);
    if (is_rough)
        memcpy(uhat, u, (size_t)d * sizeof *uhat);
    else
        law->shift(p, d, u, uhat);
    mo_law_natural(law, p, d, 1, u, r, z);
    return (slides ? u[0] * u[0] : mo_dot(d, uhat, uhat)) - mo_dot(d, z, z);
}

/* The direction of a block that slides; false where it is not known. */
static int find_ray(const mo_problem *problem, int i, double allowed, const double *u,
                    const double *r, double *ray)
{
    const int d = mo_constraint_dim(problem, i);
    const mo_law_kind kind = (mo_law_kind)problem->law[i].kind;
    if (kind == MO_LAW_BOX || kind == MO_LAW_BILATERAL) return 0;
    /* laws without friction have no such parameter */
    const double mu = kind == MO_LAW_COULOMB ? mo_constraint_param(problem, i)[0] : INFINITY;
    const double slip = sqrt(mo_dot(d - 1, u + 1, u + 1));
    if (isinf(mu)) {
        memcpy(ray, r, (size_t)d * sizeof *ray);
        return r[0] > 0;
    }
    if (!(residual_at_stake(problem, i, 1, u, r) <= allowed) || !(slip > 0)) return 0;
    ray[0] = 1;
    for (int k = 1; k < d; ++k)
        ray[k] = -mu * u[k] / slip;
    return 1;
}

static uint8_t kind_of(const mo_problem *problem, int i, double allowed, const mo_result *result,
                       double *ray)
{
    const int row = problem->row_start[i];
    if (has_compliance(problem, i)) return MO_CANONICAL_FIXED;
    if (problem->law[i].kind != MO_LAW_SLIDING &&
        residual_at_stake(problem, i, 0, result->u + row, result->r + row) <= allowed)
        return MO_CANONICAL_FREE;
    return find_ray(problem, i, allowed, result->u + row, result->r + row, ray + row)
               ? MO_CANONICAL_RAY
               : MO_CANONICAL_FIXED;
}

/* What one block may put at stake, so that the residual stays below the tolerance: all that is left
 * of it where the blocks together take no more, else an equal share. */
static double allowance(const mo_problem *problem, const mo_options *options,
                        const mo_result *result)
{
    const mo_residual *now = &result->residual;
    const double scale = now->natural_relative > 0 ? now->natural / now->natural_relative : 1;
    const double room =
        fmax(0, options->tol * options->tol * scale * scale - now->natural * now->natural);
    double sum = 0;
    for (int i = 0; i < problem->constraint_count; ++i) {
        const int row = problem->row_start[i];
        const double own = residual_at_stake(problem, i, 0, result->u + row, result->r + row);
        sum += own <= room ? fmax(0, own) : 0;
    }
    return sum <= room ? room : room / (problem->constraint_count + 1);
}

int mo_canonical_kinds(const mo_problem *problem, const mo_options *options,
                       const mo_result *result, uint8_t *kind, double *ray)
{
    const double allowed = allowance(problem, options, result);
    int is_still = 1;
    for (int i = 0; i < problem->constraint_count; ++i) {
        kind[i] = kind_of(problem, i, allowed, result, ray);
        is_still &= kind[i] != MO_CANONICAL_RAY;
    }
    return is_still;
}
