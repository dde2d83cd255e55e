/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * The hexagonal pyramid at rest [anitescu2004, section 3], with its four-faceted cone.
 *
 * Impulses that start on one triple of corners, with twice the weight, lead the solver to the
 * solution on that triple. Each is then a solution of (2.7-2.8) with lambda = 1 at the idle corners
 * and 0 at the loaded ones, and their average is not: lambda = 1/2 > 0 stands against mu c_n = mu m
 * g h / 6 > 0.
 */
#include <math.h>
#include <string.h>

#include "anitescu_hart.h"
#include "scenes.h"

enum { ROWS = 3 * AH_CORNERS, DIRECTIONS = 4 };

/* How far (c_n, beta, lambda) at v = 0 are from (2.5), (2.8): the largest |min| of a complementary
 * pair. */
static double violation_at_rest(double mu, const double *c_n, double beta[][DIRECTIONS],
                                const double *lambda)
{
    double worst = 0;
    for (int j = 0; j < AH_CORNERS; ++j) {
        double sum = 0;
        for (int k = 0; k < DIRECTIONS; ++k) { /* sigma = D' v + lambda = lambda */
            worst = fmax(worst, fabs(fmin(beta[j][k], lambda[j])));
            sum += beta[j][k];
        }
        worst = fmax(worst, fabs(fmin(c_n[j], 0))); /* rho = n' v = 0 */
        worst = fmax(worst, fabs(fmin(lambda[j], mu * c_n[j] - sum)));
    }
    return worst;
}

/* beta of r_T, split over the directions x, y, -x, -y. */
static void split(const double *r, double beta[DIRECTIONS])
{
    for (int k = 0; k < DIRECTIONS; ++k) {
        const double part = r[1 + k % 2];
        beta[k] = fmax(0, k < 2 ? part : -part);
    }
}

static void check_average(ah_pyramid *row, double r[2][ROWS])
{
    double c_n[3][AH_CORNERS], lambda[3][AH_CORNERS], beta[3][AH_CORNERS][DIRECTIONS];
    for (int j = 0; j < AH_CORNERS; ++j) {
        for (int s = 0; s < 2; ++s) {
            c_n[s][j] = r[s][3 * j];
            lambda[s][j] = j % 2 == s ? 0 : 1;
            split(r[s] + 3 * j, beta[s][j]);
        }
        c_n[2][j] = 0.5 * (c_n[0][j] + c_n[1][j]);
        lambda[2][j] = 0.5 * (lambda[0][j] + lambda[1][j]);
        for (int k = 0; k < DIRECTIONS; ++k)
            beta[2][j][k] = 0.5 * (beta[0][j][k] + beta[1][j][k]);
    }
    for (int s = 0; s < 3; ++s)
        row->violation[s] = violation_at_rest(row->mu, c_n[s], beta[s], lambda[s]);
}

/* The solution on the corners s, s + 2, s + 4, from a start there. */
static mo_error find_solution(const mo_problem *problem, int s, ah_pyramid *row, double *r)
{
    double start[ROWS] = {0};
    mo_options options = mo_default_options();
    mo_result result = {0};
    options.method = "lcp1";
    options.tol = 1e-13;
    options.start = start;
    for (int j = s; j < AH_CORNERS; j += 2)
        start[3 * j] = 2 * row->share;
    const mo_error error = mo_solve(problem, &options, &result);
    if (!error) {
        memcpy(r, result.r, ROWS * sizeof *r);
        row->residual[s] = result.residual.natural_relative;
        for (int j = 0; j < AH_CORNERS; ++j)
            row->normal[s][j] = r[3 * j];
    }
    mo_result_clear(&result);
    return error;
}

/* The velocity by every method of the paper, and by sweeps. */
static mo_error compare_velocities(const mo_problem *problem, ah_pyramid *row)
{
    static const char *const names[] = {"lemke", "lcp1", "lcp2", "lcp3", "nsgs"};
    mo_result result = {0};
    mo_error error = MO_OK;
    row->methods = sizeof names / sizeof names[0];
    for (int k = 0; !error && k < row->methods; ++k) {
        mo_options options = mo_default_options();
        options.method = names[k];
        options.tol = 1e-12;
        error = mo_solve(problem, &options, &result);
        row->solved += result.status == MO_SOLVED;
        for (int j = 0; !error && j < result.dof_count; ++j)
            row->speed = fmax(row->speed, fabs(result.v[j]));
    }
    mo_result_clear(&result);
    return error;
}

mo_error ah_solve_pyramid(double mu, ah_pyramid *row, mo_message *why)
{
    scene_hexagonal_pyramid_def def = scene_hexagonal_pyramid_default();
    mo_problem *problem;
    double r[2][ROWS];
    def.mu = mu;
    *row = (ah_pyramid){.mu = mu, .share = def.mass * SCENE_GRAVITY * def.step / 3};
    mo_error error = scene_hexagonal_pyramid(&def, &problem, why);
    if (error) return error;
    for (int s = 0; !error && s < 2; ++s)
        error = find_solution(problem, s, row, r[s]);
    error = error ? error : compare_velocities(problem, row);
    if (!error) check_average(row, r);
    mo_problem_destroy(problem);
    return error;
}

mo_error ah_solve_pyramids(ah_pyramid rows[AH_PYRAMIDS], mo_message *why)
{
    static const double mus[AH_PYRAMIDS] = {0.001, 0.1, 1};
    mo_error error = MO_OK;
    for (int k = 0; !error && k < AH_PYRAMIDS; ++k)
        error = ah_solve_pyramid(mus[k], &rows[k], why);
    return error;
}
