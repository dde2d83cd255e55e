/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Pivots against the number of contacts, for walls at rest and shaken: without friction, with
 * friction in the plane, and in space.  The pivots in space are those of section 5.6 alone; whether
 * the Newton steps after them reach Coulomb's law is asked of a second run.
 */
#include <math.h>

#include "baraff.h"

static const int sizes[BR_PIVOT_SIZES] = {10, 20, 40, 80, 120, 200, 300, 400};

static mo_options options_for(int counting)
{
    mo_options options = mo_default_options();
    options.method = "dantzig";
    options.tol = 1e-9;
    options.max_iter = 1000000;
    if (counting) {
        options.dantzig.polish = 0;
        options.dantzig.restarts = 0;
    }
    return options;
}

mo_error br_count_one(br_friction friction, int is_shaken, int contacts, br_pivots *row)
{
    const mo_options counting = options_for(1), solving = options_for(0);
    mo_problem *problem = NULL;
    mo_result result = {0};
    *row = (br_pivots){.friction = friction, .is_shaken = is_shaken};
    mo_error error = br_wall(contacts, is_shaken, friction, &problem);
    error = error ? error : mo_solve(problem, &counting, &result);
    if (!error) {
        row->contacts = mo_problem_constraint_count(problem);
        row->rows = mo_problem_row_count(problem);
        row->pivots = result.iterations;
        error = mo_solve(problem, &solving, &result);
    }
    if (!error) {
        row->seconds = result.seconds;
        row->residual = result.residual.natural_relative;
        row->is_solved = result.status == MO_SOLVED;
    }
    mo_result_clear(&result);
    mo_problem_destroy(problem);
    return error;
}

mo_error br_count_pivots(br_pivots *rows)
{
    mo_error error = MO_OK;
    for (int k = 0; !error && k < BR_PIVOT_ROWS; ++k) {
        const int family = k / BR_PIVOT_SIZES;
        error = br_count_one((br_friction)(family / 2), family % 2, sizes[k % BR_PIVOT_SIZES],
                             &rows[k]);
    }
    return error;
}

double br_growth(const br_pivots *rows, int count, br_friction friction, int is_shaken)
{
    double n = 0, x = 0, y = 0, xx = 0, xy = 0;
    for (int k = 0; k < count; ++k) {
        if (rows[k].friction == friction && rows[k].is_shaken == is_shaken) {
            const double log_n = log(rows[k].contacts), log_pivots = log(rows[k].pivots);
            n += 1;
            x += log_n;
            y += log_pivots;
            xx += log_n * log_n;
            xy += log_n * log_pivots;
        }
    }
    return (n * xy - x * y) / (n * xx - x * x);
}
