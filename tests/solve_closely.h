/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* A solution to nearly rounding, to be differentiated. */
#ifndef TESTS_SOLVE_CLOSELY_H
#define TESTS_SOLVE_CLOSELY_H

#include "check.h"
#include "moreau/solve.h"

/* Solved as well as it can be, from `start`; false where that is not good enough for differences.
 */
static inline int solve_closely(const mo_problem *problem, const double *start, mo_result *result)
{
    mo_options options = mo_default_options();
    options.tol = 1e-13;
    options.start = start;
    CHECK(mo_solve(problem, &options, result) == MO_OK);
    return result->residual.natural_relative <= 2e-13;
}

#endif
