/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Example 2.1: a rod whose upper end moves along a rail with speed u0 and whose lower end touches
 * the ground; one velocity, one contact in the plane.  With m = l = h = 1, g = -1 and v0 = 0 in
 * (2.5) a solution exists exactly where
 *
 *     u0 <= 0,  or  u0 > 0 and tan theta >= mu                                     (2.6)
 *
 * In the notation of this library: M = 1, f = -sin theta, J = (sin theta, cos theta) with the
 * normal first, w = (0, u0).
 */
#include <math.h>

#include "acary_cadoux_2011.h"
#include "problems.h"

enum { ANGLES = 12, MUS = 8, SPEEDS = 5 };

mo_error ac_rod_problem(double theta, double mu, double speed, mo_problem **problem)
{
    return problem_painleve_rod(theta, mu, speed, -1, problem, NULL);
}

int ac_rod_has_solution(double theta, double mu, double speed)
{
    return speed <= 0 || tan(theta) >= mu;
}

static mo_error try_point(double theta, double mu, double speed, ac_rod *rod)
{
    mo_problem *problem;
    mo_options options = mo_default_options();
    mo_result result = {0};
    options.method = "acary-cadoux";
    options.max_iter = 1000;
    mo_error error = ac_rod_problem(theta, mu, speed, &problem);
    if (error) return error;
    error = mo_solve(problem, &options, &result);
    const int has_solution = ac_rod_has_solution(theta, mu, speed),
              is_solved = result.status == MO_SOLVED;
    ++rod->tried;
    rod->solvable += has_solution;
    rod->solved += has_solution && is_solved;
    rod->refused += !has_solution && !is_solved;
    mo_result_clear(&result);
    mo_problem_destroy(problem);
    return error;
}

mo_error ac_try_rod(ac_rod *rod)
{
    static const double speeds[SPEEDS] = {-1, -0.2, 0, 0.2, 1};
    const double quarter = 0.5 * acos(-1.0);
    mo_error error = MO_OK;
    *rod = (ac_rod){0};
    for (int a = 0; a < ANGLES; ++a) {
        for (int m = 0; m < MUS; ++m)
            for (int s = 0; s < SPEEDS && !error; ++s)
                error = try_point(quarter * (a + 0.5) / ANGLES, 0.25 * m, speeds[s], rod);
    }
    return error;
}
