/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* The fixed point of [acary2011]: every engine with every outer algorithm, judged by the measure
 * and by other methods. */
#include "check.h"

#include <stdio.h>
#include <string.h>

#include "moreau/moreau.h"
#include "scenes.h"
#include "solver/convex.h"

enum { SUCCESSIVE, ANDERSON, NEWTON, OUTERS };

static mo_options options_with(int engine, int outer)
{
    mo_options options = mo_default_options();
    options.method = "acary-cadoux";
    options.max_iter = 2000;
    options.acary_cadoux.engine = engine;
    options.acary_cadoux.outer = outer;
    options.acary_cadoux.inner = 100000;
    return options;
}

static mo_result solved(const mo_problem *problem, const mo_options *options)
{
    mo_result result = {0};
    mo_residual residual;
    CHECK(mo_solve(problem, options, &result) == MO_OK);
    if (result.status != MO_SOLVED) {
        fail_msg("engine %d, outer %d: %s after %d, residual %g. %s", options->acary_cadoux.engine,
                 options->acary_cadoux.outer, mo_status_name(result.status), result.iterations,
                 result.residual.natural_relative, result.message.text);
    }
    CHECK(mo_measure(problem, result.r, &residual) == MO_OK);
    CHECK_BELOW(residual.natural_relative, options->tol);
    return result;
}

static mo_problem *random_contacts(uint64_t seed, double mu, double mass_ratio)
{
    scene_random_def def = scene_random_default();
    mo_problem *problem;
    def.seed = seed;
    def.mu_min = def.mu_max = mu;
    def.mass_ratio = mass_ratio;
    CHECK(scene_random(&def, &problem, NULL, NULL) == MO_OK);
    return problem;
}

/* A stack of boxes with a push that makes the top slide. */
static mo_problem *pushed_stack(double mu, double push)
{
    scene_stack_def def = scene_stack_default();
    mo_problem *problem;
    def.boxes = 2;
    def.mu = mu;
    def.push = push;
    CHECK(scene_box_stack(&def, &problem, NULL) == MO_OK);
    return problem;
}

static void the_list_of_engines_is_that_of_the_option(void **state)
{
    (void)state;
    for (int k = 0; k < mo_option_count(); ++k) {
        const mo_option_info info = mo_option_describe(k);
        if (strcmp(info.name, "acary-cadoux.engine") == 0) {
            char names[200] = "";
            for (int e = 0; e < mo_convex_engine_count; ++e) {
                strcat(names, e ? "|" : "");
                strcat(names, mo_convex_engines[e]->name);
            }
            assert_string_equal(names, info.names);
            return;
        }
    }
    fail_msg("there is no such option");
}

static void all_engines_and_outer_algorithms_find_the_velocity_of_gauss_seidel(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 3; ++seed) {
        mo_problem *problem = random_contacts(seed, 0.3, 10);
        mo_options options = mo_default_options();
        mo_result expected = {0};
        options.method = "nsgs";
        options.tol = 1e-10;
        options.max_iter = 1000000;
        CHECK(mo_solve(problem, &options, &expected) == MO_OK && expected.status == MO_SOLVED);
        for (int engine = 0; engine < mo_convex_engine_count; ++engine) {
            const int is_slow = strcmp(mo_convex_engines[engine]->name, "facets") == 0;
            for (int outer = is_slow ? NEWTON : SUCCESSIVE;
                 outer < (is_slow && seed > 1 ? 0 : OUTERS); ++outer) {
                options = options_with(engine, outer);
                options.tol = 1e-9;
                mo_result result = solved(problem, &options);
                for (int k = 0; k < result.dof_count; ++k)
                    CHECK_NEAR(result.v[k], expected.v[k], 1e-6);
                mo_result_clear(&result);
            }
        }
        mo_result_clear(&expected);
        mo_problem_destroy(problem);
    }
}

static void without_friction_one_convex_problem_is_the_answer(void **state)
{
    (void)state;
    mo_problem *problem = random_contacts(4, 0, 10);
    for (int outer = 0; outer < OUTERS; ++outer) {
        mo_options options = options_with(0, outer);
        options.acary_cadoux.forcing = 0;
        mo_result result = solved(problem, &options);
        CHECK(result.iterations == 1);
        mo_result_clear(&result);
    }
    mo_problem_destroy(problem);
}

static mo_result successive(const mo_problem *problem, double tol)
{
    mo_options options = options_with(0, SUCCESSIVE);
    options.tol = tol;
    options.acary_cadoux.rescue = 0;
    options.acary_cadoux.forcing = 0;
    return solved(problem, &options);
}

/* The packing of scene_packing has one mu; the random contacts do. */
static void the_map_contracts_for_small_friction_and_the_factor_grows_with_it(void **state)
{
    (void)state;
    double last = 0;
    for (int k = 1; k <= 3; ++k) {
        mo_problem *problem = random_contacts(7, 0.1 * k, 10);
        mo_result result = successive(problem, 1e-10);
        CHECK(result.contraction > 0 && result.contraction < 1);
        CHECK(result.contraction > last);
        last = result.contraction;
        mo_result_clear(&result);
        mo_problem_destroy(problem);
    }
}

static void newton_and_mixing_take_fewer_rounds_than_successive_approximations(void **state)
{
    (void)state;
    int rounds[OUTERS] = {0};
    for (uint64_t seed = 1; seed <= 4; ++seed) {
        mo_problem *problem = random_contacts(seed, 0.5, 10);
        for (int outer = 0; outer < OUTERS; ++outer) {
            mo_options options = options_with(0, outer);
            options.tol = 1e-10;
            options.acary_cadoux.forcing = 0.01;
            options.acary_cadoux.rescue = 0;
            mo_result result = solved(problem, &options);
            rounds[outer] += result.iterations;
            mo_result_clear(&result);
        }
        mo_problem_destroy(problem);
    }
    CHECK(rounds[ANDERSON] < rounds[SUCCESSIVE]);
    CHECK(rounds[NEWTON] < rounds[ANDERSON]);
}

static void the_papers_stopping_rule_is_looser_than_the_measure_and_reports_it(void **state)
{
    (void)state;
    mo_problem *problem = random_contacts(2, 0.5, 10);
    mo_options options = options_with(0, SUCCESSIVE);
    mo_result result = {0};
    options.acary_cadoux.epsilon = 0.01;
    CHECK(mo_solve(problem, &options, &result) == MO_OK);
    CHECK(result.status == MO_STALLED && strstr(result.message.text, "(6.1)"));
    CHECK(result.iterations < 20 && result.residual.natural_relative > options.tol);
    CHECK_BELOW(result.residual.natural_relative, 0.1);
    mo_result_clear(&result);
    mo_problem_destroy(problem);
}

static void a_sliding_box_moves_alike_with_newton_and_every_engine(void **state)
{
    (void)state;
    const double degree = acos(-1.0) / 180;
    scene_slope_def def = scene_slope_default();
    def.angle = 35 * degree;
    def.mu = 0.3;
    mo_problem *problem;
    CHECK(scene_block_on_slope(&def, &problem, NULL) == MO_OK);
    const double speed = SCENE_GRAVITY * def.step * (sin(def.angle) - def.mu * cos(def.angle));
    for (int engine = 0; engine < mo_convex_engine_count; ++engine) {
        mo_options options = options_with(engine, NEWTON);
        options.tol = 1e-10;
        mo_result result = solved(problem, &options);
        CHECK_NEAR(result.v[0], speed, 1e-8);
        mo_result_clear(&result);
    }
    mo_problem_destroy(problem);
}

static void hard_problems_end_honestly(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 4; ++seed) {
        mo_problem *problem =
            seed % 2 ? random_contacts(seed, 2, 1e4) : pushed_stack(1.5, seed == 2 ? 0.3 : 3);
        for (int run = 0; run < 2 * OUTERS; ++run) {
            mo_options options = options_with(0, run / 2);
            mo_result result = {0};
            options.max_iter = 60;
            options.acary_cadoux.rescue = run % 2;
            CHECK(mo_solve(problem, &options, &result) == MO_OK);
            mo_residual residual;
            CHECK(mo_measure(problem, result.r, &residual) == MO_OK);
            CHECK((result.status == MO_SOLVED) == (residual.natural_relative <= options.tol));
            CHECK(result.iterations <= 60);
            mo_result_clear(&result);
        }
        mo_problem_destroy(problem);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_list_of_engines_is_that_of_the_option),
        cmocka_unit_test(all_engines_and_outer_algorithms_find_the_velocity_of_gauss_seidel),
        cmocka_unit_test(without_friction_one_convex_problem_is_the_answer),
        cmocka_unit_test(the_map_contracts_for_small_friction_and_the_factor_grows_with_it),
        cmocka_unit_test(newton_and_mixing_take_fewer_rounds_than_successive_approximations),
        cmocka_unit_test(the_papers_stopping_rule_is_looser_than_the_measure_and_reports_it),
        cmocka_unit_test(a_sliding_box_moves_alike_with_newton_and_every_engine),
        cmocka_unit_test(hard_problems_end_honestly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
