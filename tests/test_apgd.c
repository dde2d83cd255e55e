/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* apgd: the exact law against other methods and closed forms, the relaxed one against lcp3. */
#include "check.h"

#include <string.h>

#include "moreau/moreau.h"
#include "scenes.h"

static mo_result solve_with(const mo_problem *problem, const char *method, double tol, int max_iter)
{
    mo_options options = mo_default_options();
    mo_result result = {0};
    options.method = method;
    options.tol = tol;
    options.max_iter = max_iter;
    CHECK(mo_solve(problem, &options, &result) == MO_OK);
    return result;
}

static void check_solved(const mo_problem *problem, const mo_result *result, double tol)
{
    mo_residual residual;
    if (result->status != MO_SOLVED) {
        fail_msg("%s after %d iterations, residual %g. %s", mo_status_name(result->status),
                 result->iterations, result->residual.natural_relative, result->message.text);
    }
    CHECK(mo_measure(problem, result->r, &residual) == MO_OK);
    CHECK_BELOW(residual.natural_relative, tol);
}

static void a_shaken_bed_has_the_velocity_that_newton_finds(void **state)
{
    (void)state;
    mo_problem *problem;
    CHECK(scene_packing(150, 3, &problem, NULL) == MO_OK);
    mo_result expected = solve_with(problem, "newton", 1e-11, 10000);
    mo_result result = solve_with(problem, "apgd", 1e-9, 50000);
    check_solved(problem, &expected, 1e-11);
    check_solved(problem, &result, 1e-9);
    for (int k = 0; k < result.dof_count; ++k)
        CHECK_NEAR(result.v[k], expected.v[k], 1e-6);
    mo_result_clear(&result);
    mo_result_clear(&expected);
    mo_problem_destroy(problem);
}

static void momentum_beats_plain_fixed_point_steps(void **state)
{
    (void)state;
    scene_stack_def def = scene_stack_default(); /* ill-conditioned: sweeps and plain steps crawl */
    mo_problem *problem;
    def.boxes = 6;
    CHECK(scene_box_stack(&def, &problem, NULL) == MO_OK);
    mo_options options = mo_default_options();
    mo_result plain = {0}, fast = solve_with(problem, "apgd", 1e-8, 20000);
    check_solved(problem, &fast, 1e-8);
    options.method = "prox";
    options.prox.rule = 2; /* one fixed step for each contact */
    options.max_iter = 4 * fast.iterations;
    CHECK(mo_solve(problem, &options, &plain) == MO_OK);
    CHECK(plain.status == MO_ITERATION_LIMIT);
    mo_result_clear(&plain);
    mo_result_clear(&fast);
    mo_problem_destroy(problem);
}

/* The relaxed law is the first round of lcp1, which lcp3 solves by Newton. */
static void the_relaxed_model_is_that_of_lcp3(void **state)
{
    (void)state;
    mo_problem *problem;
    CHECK(scene_packing(60, 8, &problem, NULL) == MO_OK);
    mo_options options = mo_default_options();
    mo_result relaxed = {0}, expected = solve_with(problem, "lcp3", 1e-10, 100);
    options.method = "apgd";
    options.tol = 1e-10;
    options.max_iter = 50000;
    options.apgd.model = 1;
    CHECK(mo_solve(problem, &options, &relaxed) == MO_OK);
    CHECK(relaxed.status == MO_STALLED && strstr(relaxed.message.text, "relaxed"));
    for (int k = 0; k < relaxed.dof_count; ++k)
        CHECK_NEAR(relaxed.v[k], expected.v[k], 1e-6);
    CHECK(relaxed.residual.natural_relative > 1e-3);
    mo_result_clear(&relaxed);
    mo_result_clear(&expected);
    mo_problem_destroy(problem);
}

static void hard_problems_end_honestly(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 6; ++seed) {
        scene_random_def def = scene_random_default();
        mo_problem *problem;
        def.seed = seed;
        def.mu_max = 2;
        def.mass_ratio = seed % 2 ? 1e6 : 1;
        def.laws = seed % 3 ? SCENE_COULOMB : SCENE_EVERY_LAW;
        CHECK(scene_random(&def, &problem, NULL, NULL) == MO_OK);
        mo_result result = solve_with(problem, "apgd", 1e-8, 3000);
        mo_residual residual;
        CHECK(mo_measure(problem, result.r, &residual) == MO_OK);
        CHECK((result.status == MO_SOLVED) == (residual.natural_relative <= 1e-8));
        CHECK(result.status == MO_SOLVED || result.status == MO_ITERATION_LIMIT ||
              result.status == MO_STALLED);
        mo_result_clear(&result);
        mo_problem_destroy(problem);
    }
}

static void a_large_bed_has_the_same_bits_for_any_number_of_threads(void **state)
{
    (void)state;
    mo_problem *problem;
    CHECK(scene_packing(3000, 3, &problem, NULL) == MO_OK);
    mo_result first = {0};
    for (int threads = 1; threads <= 3; ++threads) {
        mo_options options = mo_default_options();
        mo_result result = {0};
        options.method = "apgd";
        options.max_iter = 30;
        options.threads = threads;
        CHECK(mo_solve(problem, &options, &result) == MO_OK);
        if (!first.r) {
            first = result;
            continue;
        }
        CHECK(memcmp(first.r, result.r, sizeof(double) * (size_t)first.row_count) == 0);
        mo_result_clear(&result);
    }
    mo_result_clear(&first);
    mo_problem_destroy(problem);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_shaken_bed_has_the_velocity_that_newton_finds),
        cmocka_unit_test(momentum_beats_plain_fixed_point_steps),
        cmocka_unit_test(the_relaxed_model_is_that_of_lcp3),
        cmocka_unit_test(hard_problems_end_honestly),
        cmocka_unit_test(a_large_bed_has_the_same_bits_for_any_number_of_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
