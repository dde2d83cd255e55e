/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * How fast the published loops converge, and how far LCP3 is from the solution, on 21 disks for
 * rising mu.  The convex problems are solved to rounding here, so that the factor is that of the
 * maps chi_1 and chi_2 themselves.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "anitescu_hart.h"
#include "scenes.h"

/* NAN if the loop did not converge within some hundred rounds. */
static mo_error contraction_of(const mo_problem *problem, ah_method method, double *factor,
                               double *v)
{
    mo_options options = mo_default_options();
    mo_result result = {0};
    options.method = ah_our_names[method];
    options.tol = 1e-11;
    options.max_iter = 300;
    options.lcp1.rescue = options.lcp2.rescue = 0;
    options.lcp1.forcing = options.lcp2.forcing = 0;
    const mo_error error = mo_solve(problem, &options, &result);
    *factor = result.status == MO_SOLVED ? result.contraction : NAN;
    if (!error && v) memcpy(v, result.v, (size_t)result.dof_count * sizeof *v);
    mo_result_clear(&result);
    return error;
}

mo_error ah_measure_rate(double mu, ah_rate *row, mo_message *why)
{
    scene_cannonball_def def = scene_cannonball_default();
    mo_problem *problem;
    ah_run exact, relaxed;
    def.mu = mu;
    *row = (ah_rate){.mu = mu};
    mo_error error = scene_cannonball(&def, &problem, why);
    if (error) return error;
    const int n = mo_problem_dof_count(problem);
    double *v = malloc(2 * (size_t)n * sizeof *v);
    error = v ? MO_OK : MO_ERR_MEMORY;
    error = error ? error : contraction_of(problem, AH_LCP1, &row->contraction[0], NULL);
    error = error ? error : contraction_of(problem, AH_LCP2, &row->contraction[1], NULL);
    error = error ? error : ah_solve_pile(problem, AH_LCP1, 0, &exact, v, NULL);
    error = error ? error : ah_solve_pile(problem, AH_LCP3, 0, &relaxed, v + n, NULL);
    for (int k = 0; !error && k < n; ++k)
        row->error = fmax(row->error, fabs(v[k] - v[n + k]));
    row->slip = error ? 0 : exact.slip;
    free(v);
    mo_problem_destroy(problem);
    return error;
}

mo_error ah_measure_rates(ah_rate rows[AH_RATES], mo_message *why)
{
    mo_error error = MO_OK;
    for (int k = 0; !error && k < AH_RATES; ++k)
        error = ah_measure_rate(0.01 * (k + 1), &rows[k], why);
    return error;
}
