/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * The error of Chen, Chen and Kanzow as [lu2015] uses it.
 *
 *   phi(a, b) = xi (a + b - sqrt(a^2 + b^2)) + (1 - xi) a+ b+        (eq. 30)
 *   total     = 1/2 sum phi^2                                        (eq. 31)
 *
 * Conic form, for each contact: phi(p_n, rho_n) (eq. 16), phi(s, sigma) with sigma = (mu p_n)^2 -
 * |p_f|^2 (eq. 19, 21), and mu p_n nu_f + p_f s = 0 in each tangential direction (eq. 17-18; the
 * printed 18 repeats nu_t where nu_o is meant).  s is the sliding speed |nu_f|.
 *
 * Linearised form: phi of each pair (p_n, rho_n), (beta_j, d_j.u + s), (s, mu p_n - sum beta) of
 * eq. 12-14, s being the least number that makes every d_j.u + s nonnegative.
 *
 * Blocks without friction discs enter through phi of their pair (frictionless) or their natural
 * map, a soft finger too.
 */
#include <math.h>

#include "base/error.h"
#include "linalg/dense.h"
#include "measure/measure_blocks.h"
#include "moreau/measure.h"

static double cck(double xi, double a, double b)
{
    return xi * (a + b - sqrt(a * a + b * b)) + (1 - xi) * fmax(a, 0) * fmax(b, 0);
}

/* Sum of squares for one disc of a conic contact: `size` components of r and u. */
static double conic_disc(double xi, double mu, double p_n, int size, const double *p_f,
                         const double *u)
{
    const double slip = sqrt(mo_dot(size, u, u));
    const double sigma = mu * p_n * (mu * p_n) - mo_dot(size, p_f, p_f);
    const double cone = cck(xi, slip, sigma);
    double sum = cone * cone;
    for (int k = 0; k < size; ++k) {
        const double opposes = mu * p_n * u[k] + p_f[k] * slip;
        sum += opposes * opposes;
    }
    return sum;
}

static double conic_square(const mo_problem *problem, int i, double xi, const double *u,
                           const double *r)
{
    const int d = mo_constraint_dim(problem, i);
    const double *p = mo_constraint_param(problem, i);
    const double normal = cck(xi, r[0], u[0]);
    double sum = normal * normal;
    const int is_rolling = problem->law[i].kind == MO_LAW_ROLLING;
    sum += conic_disc(xi, p[0], r[0], is_rolling ? 2 : d - 1, r + 1, u + 1);
    return is_rolling ? sum + conic_disc(xi, p[1], r[0], 2, r + 3, u + 3) : sum;
}

/* r_T over the directions of one group: its two neighbours share it, which has the least sum. */
static void split(const mo_law_facets *facets, int g, int d, const double *r, double *beta)
{
    const int first = facets->start[g], last = facets->start[g + 1];
    int best = first;
    double most = -INFINITY;
    for (int j = first; j < last; ++j) {
        beta[j] = 0;
        const double along = mo_dot(d, facets->direction[j], r);
        if (along > most) {
            most = along;
            best = j;
        }
    }
    if (last - first == 2) {
        beta[best] = fmax(0, most);
        return;
    }
    /* The other neighbour is the one of the two beside `best` that r_T leans to. */
    const int after = best + 1 < last ? best + 1 : first,
              before = best > first ? best - 1 : last - 1;
    const int next =
        mo_dot(d, facets->direction[after], r) > mo_dot(d, facets->direction[before], r) ? after
                                                                                         : before;
    const double *A = facets->direction[best], *B = facets->direction[next];
    const double ab = mo_dot(d, A, B), ar = mo_dot(d, A, r), br = mo_dot(d, B, r);
    const double det = 1 - ab * ab;
    if (det > 0) {
        beta[best] = (ar - ab * br) / det;
        beta[next] = (br - ab * ar) / det;
    }
}

static double facet_square(const mo_problem *problem, int i, int count, double xi, const double *u,
                           const double *r)
{
    const int d = mo_constraint_dim(problem, i);
    mo_law_facets facets;
    double beta[MO_LAW_MAX_DIRECTIONS];
    mo_constraint_law(problem, i)->facets(mo_constraint_param(problem, i), d, count, &facets);
    const double normal = cck(xi, r[0], u[0]);
    double sum = normal * normal;
    for (int g = 0; g < facets.groups; ++g) {
        double slip = 0, left = facets.mu[g] * r[0];
        split(&facets, g, d, r, beta);
        for (int j = facets.start[g]; j < facets.start[g + 1]; ++j) {
            slip = fmax(slip, -mo_dot(d, facets.direction[j], u));
            left -= beta[j];
        }
        const double cone = cck(xi, slip, left);
        sum += cone * cone;
        for (int j = facets.start[g]; j < facets.start[g + 1]; ++j) {
            const double pair = cck(xi, beta[j], mo_dot(d, facets.direction[j], u) + slip);
            sum += pair * pair;
        }
    }
    return sum;
}

static double block_square(const mo_problem *problem, int i, int facets, double xi, const double *u,
                           const double *r)
{
    const mo_law_kind kind = (mo_law_kind)problem->law[i].kind;
    const int d = mo_constraint_dim(problem, i);
    const int has_friction = kind == MO_LAW_COULOMB || kind == MO_LAW_ROLLING;
    if (has_friction && isfinite(mo_constraint_param(problem, i)[0])) {
        return facets ? facet_square(problem, i, facets, xi, u, r)
                      : conic_square(problem, i, xi, u, r);
    }
    if (kind == MO_LAW_FRICTIONLESS) {
        const double pair = cck(xi, r[0], u[0]);
        return pair * pair;
    }
    double z[MO_BILATERAL_MAX_DIM];
    mo_law_natural(mo_constraint_law(problem, i), mo_constraint_param(problem, i), d, 1, u, r, z);
    return mo_dot(d, z, z);
}

mo_error mo_measure_cck(const mo_problem *problem, const double *r, int facets, double xi,
                        double *total_error)
{
    MO_NEED(problem && (r || problem->row_count == 0) && total_error, NULL);
    const size_t rows = (size_t)problem->row_count, dofs = (size_t)problem->dof_count;
    const int most = MO_LAW_MAX_DIRECTIONS / MO_LAW_MAX_GROUPS;
    MO_FAIL_IF(!mo_all_finite(r, rows) || facets < 0 || facets == 1 || facets == 2 || facets > most,
               MO_ERR_ARGUMENT);
    double *scratch = mo_memory_array(&problem->allocator, dofs + rows, sizeof *scratch);
    MO_NEED_MEMORY(scratch, NULL);
    double *u = scratch + dofs, law_u[MO_BILATERAL_MAX_DIM], sum = 0;
    mo_problem_response_into(problem, r, scratch, u);
    for (int i = 0; i < problem->constraint_count; ++i) {
        const int row = problem->row_start[i];
        mo_law_velocity(problem, row, mo_constraint_dim(problem, i), u + row, r + row, law_u);
        sum += block_square(problem, i, facets, xi, law_u, r + row);
    }
    *total_error = 0.5 * sum;
    mo_memory_free(&problem->allocator, scratch);
    return MO_OK;
}
