/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* Newton's method with each of its functions, and contacts that cannot slip. */
#include "check.h"

#include <stdlib.h>
#include <string.h>

#include "moreau/moreau.h"
#include "scenes.h"
#include "solver/fischer_burmeister.h"

static double worst_of(int n, const double *x)
{
    double worst = 0;
    for (int k = 0; k < n; ++k)
        worst = fmax(worst, fabs(x[k]));
    return worst;
}

/* ---- Fischer and Burmeister's function ------------------------------------------------------- */

/* uhat and r that obey the law: apart, stuck, sliding, and both zero. */
static void draw_solution(mo_random *random, int kind, double mu, double *uhat, double *r)
{
    const double angle = uniform(random, 0, 6), size = uniform(random, 0.1, 2),
                 other = uniform(random, 0.1, 2);
    const double t[3] = {1, mu * cos(angle), mu * sin(angle)};
    memset(uhat, 0, 3 * sizeof *uhat);
    memset(r, 0, 3 * sizeof *r);
    for (int k = 0; k < 3; ++k) {
        if (kind == 1) {
            r[k] = size * t[k] * (k ? 0.7 : 1);
        } else if (kind == 0) {
            uhat[k] = size * (k ? 0.7 * t[k] / mu : mu);
        } else if (kind == 2) {
            r[k] = size * t[k];
            uhat[k] = other * (k ? -t[k] / mu : mu);
        }
    }
}

static void the_function_vanishes_on_the_law_and_nowhere_else(void **state)
{
    (void)state;
    mo_random random = {51};
    for (int trial = 0; trial < 400; ++trial) {
        const double mu = pow(10, uniform(&random, -2, 0.5)),
                     rho = pow(10, uniform(&random, -2, 2));
        double uhat[3], r[3], z[3], natural[3];
        draw_solution(&random, trial % 4, mu, uhat, r);
        mo_fischer_burmeister(mu, 3, rho, uhat, r, z, NULL, NULL);
        CHECK_BELOW(worst_of(3, z), 1e-9 * (1 + rho * worst_of(3, uhat) / mu));
        for (int k = 0; k < 3; ++k) { /* the natural map with a step of one, by hand */
            r[k] += uniform(&random, -1, 1);
            natural[k] = r[k] - uhat[k];
        }
        const double t = hypot(natural[1], natural[2]);
        double y[3] = {natural[0], natural[1], natural[2]};
        if (mu * t <= -natural[0]) {
            memset(y, 0, sizeof y);
        } else if (t > mu * natural[0]) {
            y[0] = (natural[0] + mu * t) / (1 + mu * mu);
            y[1] = mu * y[0] * natural[1] / t;
            y[2] = mu * y[0] * natural[2] / t;
        }
        double away = 0;
        for (int k = 0; k < 3; ++k)
            away = fmax(away, fabs(r[k] - y[k]));
        mo_fischer_burmeister(mu, 3, 1, uhat, r, z, NULL, NULL);
        CHECK(worst_of(3, z) >= 1e-2 * fmin(1, mu * mu) * away); /* the two bound each other */
    }
}

static void its_derivatives_are_those_of_differences(void **state)
{
    (void)state;
    mo_random random = {52};
    const double h = 1e-6;
    for (int trial = 0; trial < 300; ++trial) {
        const int d = 1 + trial % 3;
        const double mu = d == 1 ? 1 : uniform(&random, 0.1, 2), rho = uniform(&random, 0.1, 10);
        double uhat[3], r[3], z[3], J_r[9], J_u[9], up[3], down[3];
        fill_uniform(&random, -1, 1, 3, uhat);
        fill_uniform(&random, -1, 1, 3, r);
        mo_fischer_burmeister(mu, d, rho, uhat, r, z, J_r, J_u);
        for (int k = 0; k < 2 * d; ++k) {
            double *moved = k < d ? r + k : uhat + (k - d);
            const double kept = *moved, *J = k < d ? J_r : J_u;
            *moved = kept + h;
            mo_fischer_burmeister(mu, d, rho, uhat, r, up, NULL, NULL);
            *moved = kept - h;
            mo_fischer_burmeister(mu, d, rho, uhat, r, down, NULL, NULL);
            *moved = kept;
            for (int j = 0; j < d; ++j) {
                CHECK_NEAR(J[j * d + k % d], (up[j] - down[j]) / (2 * h),
                           1e-4 * (1 + rho / (mu * mu)));
            }
        }
    }
}

/* ---- whole problems -------------------------------------------------------------------------- */

static mo_result solve_with(const mo_problem *problem, const char *function, int sweeps)
{
    mo_options options = mo_default_options();
    mo_result result = {0};
    options.method = "newton";
    options.newton.sweeps = sweeps;
    CHECK(mo_options_set(&options, "newton.function", function, NULL) == MO_OK);
    CHECK(mo_solve(problem, &options, &result) == MO_OK);
    if (result.status != MO_SOLVED) {
        fail_msg("%s: %s at %g after %d iterations", function, mo_status_name(result.status),
                 result.residual.natural_relative, result.iterations);
    }
    return result;
}

/* Full rank: fewer rows than velocities.  The two functions find the same velocities, in few steps.
 */
static void both_functions_solve_problems_of_full_rank(void **state)
{
    (void)state;
    for (int seed = 1; seed <= 12; ++seed) {
        scene_random_def def = scene_random_default();
        mo_problem *problem;
        def.seed = (uint64_t)seed;
        def.bodies = 20;
        def.constraints = 24;
        def.in_plane = seed % 3 == 0;
        def.mu_max = 0.6;
        def.laws = SCENE_COULOMB | (seed % 2 ? SCENE_FRICTIONLESS | SCENE_BILATERAL : 0);
        CHECK(scene_random(&def, &problem, NULL, NULL) == MO_OK);
        mo_result ac = solve_with(problem, "ac", 10), fb = solve_with(problem, "fb", 10);
        CHECK(ac.iterations < 60 && fb.iterations < 60);
        for (int k = 0; k < ac.dof_count; ++k)
            CHECK_NEAR(fb.v[k], ac.v[k], 1e-5);
        mo_result_clear(&ac);
        mo_result_clear(&fb);
        mo_problem_destroy(problem);
    }
}

/* A shaken wall whose contacts cannot slip, some of them opening. */
static void contacts_that_cannot_slip_are_solved_by_newton_steps(void **state)
{
    (void)state;
    int open_ones = 0;
    for (int seed = 1; seed <= 4; ++seed) {
        scene_wall_def def = scene_wall_default();
        mo_problem *problem;
        def.mu = INFINITY;
        def.shake = 0.1 * seed;
        def.seed = (uint64_t)seed;
        CHECK(scene_wall(&def, &problem, NULL) == MO_OK);
        mo_result result = solve_with(problem, "ac", 20);
        int apart = 0, stuck = 0;
        for (int i = 0; i < result.row_count; i += 3) {
            apart += result.u[i] > 1e-6;
            stuck += result.r[i] > 1e-6;
        }
        open_ones += apart;
        CHECK(stuck > 0);
        CHECK(result.iterations < 400);
        mo_result_clear(&result);
        mo_problem_destroy(problem);
    }
    CHECK(open_ones > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_function_vanishes_on_the_law_and_nowhere_else),
        cmocka_unit_test(its_derivatives_are_those_of_differences),
        cmocka_unit_test(both_functions_solve_problems_of_full_rank),
        cmocka_unit_test(contacts_that_cannot_slip_are_solved_by_newton_steps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
