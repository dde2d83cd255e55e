/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * What [anitescu2004] claims of LCP1, LCP2 and LCP3, and what the library adds: a rescue where the
 * loop does not contract.  The convex problems themselves are in test_convex.c, the contract of a
 * method in test_solve.c.
 */
#include "check.h"

#include <string.h>

#include "moreau/moreau.h"
#include "restate.h"
#include "scenes.h"

static mo_problem *pile(int rows, double mu)
{
    scene_cannonball_def def = scene_cannonball_default();
    mo_problem *problem;
    def.rows = rows;
    def.mu = mu;
    CHECK(scene_cannonball(&def, &problem, NULL) == MO_OK);
    return problem;
}

static mo_options options_of(const char *method, double tol)
{
    mo_options options = mo_default_options();
    options.method = method;
    options.tol = tol;
    return options;
}

static mo_result solve(const mo_problem *problem, const mo_options *options)
{
    mo_result result = {0};
    CHECK(mo_solve(problem, options, &result) == MO_OK);
    return result;
}

static mo_result solved(const mo_problem *problem, const char *method, double tol)
{
    mo_options options = options_of(method, tol);
    options.max_iter = 100000;
    mo_result result = solve(problem, &options);
    if (result.status != MO_SOLVED) {
        fail_msg("%s: %s after %d iterations, residual %g. %s", method,
                 mo_status_name(result.status), result.iterations, result.residual.natural_relative,
                 result.message.text);
    }
    return result;
}

static double distance(int n, const double *x, const double *y)
{
    double most = 0;
    for (int k = 0; k < n; ++k)
        most = fmax(most, fabs(x[k] - y[k]));
    return most;
}

/* ---- agreement ------------------------------------------------------------------------------- */

static void lcp1_and_lcp2_find_the_velocity_of_lemke_and_nsgs_at_small_friction(void **state)
{
    (void)state;
    static const char *const methods[] = {"lcp1", "lcp2", "nsgs"};
    static const double mus[] = {0.02, 0.05, 0.1};
    for (int k = 0; k < 3; ++k) {
        mo_problem *problem = pile(6, mus[k]);
        mo_result expected = solved(problem, "lemke", 1e-11);
        for (int m = 0; m < 3; ++m) {
            mo_result result = solved(problem, methods[m], 1e-11);
            CHECK_BELOW(distance(result.dof_count, result.v, expected.v), 1e-9);
            mo_result_clear(&result);
        }
        mo_result_clear(&expected);
        mo_problem_destroy(problem);
    }
}

static void facets_are_solved_in_their_own_law(void **state)
{
    (void)state;
    static const int facets[] = {0, 3, 4, 8}; /* 0: the pyramid */
    for (uint64_t seed = 1; seed <= 4; ++seed) {
        scene_random_def def = scene_random_default();
        def.seed = seed;
        def.mu_min = 0.05;
        def.mu_max = 0.15;
        mo_problem *round;
        CHECK(scene_random(&def, &round, NULL, NULL) == MO_OK);
        mo_problem *problem = restate(round, facets[seed % 4]);
        mo_result expected = solved(problem, "lemke", 1e-11);
        mo_result first = solved(problem, "lcp1", 1e-11), second = solved(problem, "lcp2", 1e-11);
        CHECK_BELOW(distance(first.dof_count, first.v, expected.v), 1e-9);
        CHECK_BELOW(distance(second.dof_count, second.v, expected.v), 1e-9);
        mo_result_clear(&expected);
        mo_result_clear(&first);
        mo_result_clear(&second);
        mo_problem_destroy(problem);
        mo_problem_destroy(round);
    }
}

static void unsymmetric_and_compliant_problems_are_solved_too(void **state)
{
    (void)state;
    const double M[9] = {2, 0.3, 0, -0.3, 2, 0.1, 0, -0.1, 2}, f[3] = {-1, 0.7, 0.2};
    const double identity[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, soft[3] = {0.1, 0.3, 0.02};
    for (int is_soft = 0; is_soft < 2; ++is_soft) {
        mo_law law = mo_law_coulomb(0.4);
        law.compliance = is_soft ? soft : NULL;
        mo_builder *builder;
        mo_problem *problem;
        CHECK(mo_builder_create(NULL, &builder) == MO_OK);
        mo_builder_add_unsymmetric_body(builder, 3, M, f);
        mo_builder_add_constraint(builder, 3, &law, NULL);
        mo_builder_add_jacobian(builder, 0, 0, 3, 3, identity);
        CHECK(mo_builder_finish(builder, &problem, NULL) == MO_OK);
        mo_builder_destroy(builder);
        mo_result expected = solved(problem, "nsgs", 1e-12);
        mo_result first = solved(problem, "lcp1", 1e-12), second = solved(problem, "lcp2", 1e-12);
        CHECK_BELOW(distance(3, first.v, expected.v), 1e-10);
        CHECK_BELOW(distance(3, second.v, expected.v), 1e-10);
        mo_result_clear(&expected);
        mo_result_clear(&first);
        mo_result_clear(&second);
        mo_problem_destroy(problem);
    }
}

/* ---- contraction ----------------------------------------------------------------------------- */

/* The factor of the published loop, its convex problems solved to rounding. */
static double contraction(const char *method, double mu)
{
    mo_problem *problem = pile(6, mu);
    mo_options options = options_of(method, 1e-11);
    options.lcp1.rescue = options.lcp2.rescue = 0;
    options.lcp1.forcing = options.lcp2.forcing = 0;
    mo_result result = solve(problem, &options);
    CHECK(result.status == MO_SOLVED);
    const double factor = result.contraction;
    mo_result_clear(&result);
    mo_problem_destroy(problem);
    return factor;
}

static void the_contraction_factor_is_below_a_half_at_small_friction_and_grows_with_it(void **state)
{
    (void)state;
    static const double mus[] = {0.01, 0.02, 0.05, 0.1};
    double before[2] = {0, 0};
    for (int k = 0; k < 4; ++k) {
        const double first = contraction("lcp1", mus[k]), second = contraction("lcp2", mus[k]);
        CHECK(first > before[0] && second > before[1]);
        CHECK_BELOW(first, 0.5);
        CHECK_BELOW(second, 0.5);
        before[0] = first;
        before[1] = second;
    }
}

static void methods_without_the_loop_report_no_contraction(void **state)
{
    (void)state;
    mo_problem *problem = pile(3, 0.1);
    mo_result result = solved(problem, "lcp1", 1e-10);
    CHECK(result.contraction > 0);
    CHECK(mo_solve(problem, NULL, &result) == MO_OK && result.contraction == 0);
    mo_result_clear(&result);
    mo_problem_destroy(problem);
}

static void the_rescue_solves_where_the_published_loop_cycles(void **state)
{
    (void)state;
    mo_problem *problem = pile(10, 0.3);
    mo_options options = options_of("lcp1", 1e-8);
    options.lcp1.rescue = 0;
    options.lcp1.forcing = 0;
    mo_result result = solve(problem, &options);
    CHECK(result.status == MO_STALLED && result.residual.natural_relative > 1e-4);
    CHECK(strstr(result.message.text, "do not settle"));
    mo_result_clear(&result);
    result = solved(problem, "lcp1", 1e-8);
    mo_result_clear(&result);
    result = solved(problem, "lcp2", 1e-8);
    mo_result_clear(&result);
    mo_problem_destroy(problem);
}

/* ---- at a deadline --------------------------------------------------------------------------- */

static double least_normal_velocity(const mo_problem *problem, const double *u)
{
    double least = 0;
    for (int i = 0; i < mo_problem_constraint_count(problem); ++i)
        least = fmin(least, u[mo_problem_constraint(problem, i).offset]);
    return least;
}

static void lcp2_stopped_after_any_iteration_does_not_penetrate(void **state)
{
    (void)state;
    static const int rows[] = {6, 10};
    static const double mus[] = {0.05, 0.3};
    for (int k = 0; k < 2; ++k) {
        mo_problem *problem = pile(rows[k], mus[k]);
        for (int iterations = 1; iterations <= 12; ++iterations) {
            mo_options options = options_of("lcp2", 0);
            options.max_iter = iterations;
            mo_result result = solve(problem, &options);
            CHECK(result.status == MO_ITERATION_LIMIT && result.iterations == iterations);
            CHECK(least_normal_velocity(problem, result.u) >= -1e-12);
            CHECK(strstr(result.message.text, "best complete iteration"));
            /* the residual is that of what is handed back */
            mo_residual residual;
            CHECK(mo_measure(problem, result.r, &residual) == MO_OK);
            CHECK(residual.natural == result.residual.natural);
            mo_result_clear(&result);
        }
        mo_problem_destroy(problem);
    }
}

/* Cancels the run once it has seen the residual of the first problem of iteration `at`. */
typedef struct stopper {
    int at, stop;
} stopper;

static void stop_at(void *user, const mo_progress *now, const double *r)
{
    stopper *s = user;
    (void)r;
    s->stop = now->iteration >= s->at;
}

static void lcp2_stopped_in_the_midst_of_an_iteration_hands_back_the_one_before(void **state)
{
    (void)state;
    mo_problem *problem = pile(6, 0.1);
    for (int at = 1; at <= 4; ++at) {
        stopper s = {at, 0};
        mo_options options = options_of("lcp2", 0);
        options.progress = stop_at;
        options.progress_user = &s;
        options.cancel = &s.stop;
        mo_result result = solve(problem, &options);
        CHECK(result.status == MO_CANCELLED && result.iterations == at - 1);
        if (at == 1)
            CHECK(strstr(result.message.text, "before its first iteration"));
        else
            CHECK(least_normal_velocity(problem, result.u) >= -1e-12);
        mo_result_clear(&result);
    }
    mo_problem_destroy(problem);
}

static void lcp2_at_a_deadline_does_not_penetrate_or_reports_that_it_may(void **state)
{
    (void)state;
    mo_problem *problem = pile(8, 0.2);
    for (double seconds = 1e-4; seconds < 0.05; seconds *= 3) {
        mo_options options = options_of("lcp2", 0);
        options.time_limit = seconds;
        options.max_iter = 1000000;
        mo_result result = solve(problem, &options);
        CHECK(result.status == MO_TIME_LIMIT || result.status == MO_STALLED);
        if (!strstr(result.message.text, "before its first iteration"))
            CHECK(least_normal_velocity(problem, result.u) >= -1e-12);
        mo_result_clear(&result);
    }
    mo_problem_destroy(problem);
}

/* ---- any problem ----------------------------------------------------------------------------- */

/* Whatever the problem: finite, measured, and solved only where the measure says so. */
static int ends_honestly(const mo_problem *problem, const char *method)
{
    mo_options options = options_of(method, 1e-8);
    options.max_iter = 150;
    mo_result result = solve(problem, &options);
    mo_residual residual;
    CHECK(mo_measure(problem, result.r, &residual) == MO_OK);
    CHECK(isfinite(residual.natural) && residual.natural == result.residual.natural);
    CHECK((result.status == MO_SOLVED) == (residual.natural_relative <= 1e-8));
    CHECK(result.status == MO_SOLVED || result.status == MO_STALLED ||
          result.status == MO_ITERATION_LIMIT);
    CHECK(result.iterations <= 150);
    if (!strcmp(method, "lcp2") && result.status != MO_SOLVED)
        CHECK(strstr(result.message.text, "best complete iteration"));
    const int is_solved = result.status == MO_SOLVED;
    mo_result_clear(&result);
    return is_solved;
}

static void mixed_laws_mass_ratios_and_large_friction_end_honestly(void **state)
{
    (void)state;
    static const char *const methods[] = {"lcp1", "lcp2", "lcp3"};
    int solved_by[3] = {0};
    for (uint64_t seed = 1; seed <= 12; ++seed) {
        scene_random_def def = scene_random_default();
        def.seed = seed;
        def.laws = SCENE_EVERY_LAW;
        def.mu_max = seed % 3 == 0 ? 2 : 0.5;
        def.mass_ratio = seed % 2 ? 1e6 : 1;
        def.in_plane = seed % 4 == 1;
        def.laws = def.in_plane ? SCENE_EVERY_LAW & ~SCENE_ROLLING : SCENE_EVERY_LAW;
        mo_problem *problem;
        CHECK(scene_random(&def, &problem, NULL, NULL) == MO_OK);
        for (int m = 0; m < 3; ++m)
            solved_by[m] += ends_honestly(problem, methods[m]);
        mo_problem_destroy(problem);
    }
    CHECK(solved_by[0] == 12 && solved_by[1] == 12); /* as it is today: fewer would be news */
}

static void a_tower_whose_top_is_a_million_times_heavier_stands(void **state)
{
    (void)state;
    scene_stack_def def = scene_stack_default();
    mo_problem *problem;
    def.boxes = 6;
    def.mass_ratio = 1e6;
    CHECK(scene_box_stack(&def, &problem, NULL) == MO_OK);
    mo_result first = solved(problem, "lcp1", 1e-10), second = solved(problem, "lcp2", 1e-10);
    for (int k = 0; k < first.dof_count; ++k) {
        CHECK_NEAR(first.v[k], 0, 1e-8);
        CHECK_NEAR(second.v[k], 0, 1e-8);
    }
    mo_result_clear(&first);
    mo_result_clear(&second);
    mo_problem_destroy(problem);
}

/* ---- lcp3 ------------------------------------------------------------------------------------ */

static void lcp3_is_exact_where_nothing_slips(void **state)
{
    (void)state;
    scene_slope_def slope = scene_slope_default();
    scene_stack_def stack = scene_stack_default();
    mo_problem *problems[3];
    CHECK(scene_block_on_slope(&slope, &problems[0], NULL) == MO_OK);
    CHECK(scene_box_stack(&stack, &problems[1], NULL) == MO_OK);
    problems[2] = pile(6, 0.8);
    for (int k = 0; k < 3; ++k) {
        mo_options options = options_of("lcp3", 1e-11);
        mo_result result = solve(problems[k], &options);
        CHECK(result.status == MO_SOLVED && result.iterations == 1);
        for (int j = 0; j < result.dof_count; ++j)
            CHECK_NEAR(result.v[j], 0, 1e-9);
        mo_result_clear(&result);
        mo_problem_destroy(problems[k]);
    }
}

static void problems_that_lcp3_solves_take_lcp1_and_lcp2_one_iteration(void **state)
{
    (void)state;
    static const char *const methods[] = {"lcp1", "lcp2", "lcp3"};
    for (int k = 0; k < 3; ++k) {
        mo_problem *problem = pile(20, 0.6 + 0.1 * k); /* it stands */
        for (int m = 0; m < 3; ++m) {
            mo_result result = solved(problem, methods[m], 1e-8);
            CHECK(result.iterations == 1);
            mo_result_clear(&result);
        }
        mo_problem_destroy(problem);
    }
}

static void lcp3_reports_sliding_and_opens_with_mu_lambda(void **state)
{
    (void)state;
    scene_particle_def def = scene_particle_default();
    mo_problem *problem;
    def.gap = 0; /* b = (-2, 1, 0) */
    def.mu = 0.2;
    CHECK(scene_particle(&def, &problem, NULL) == MO_OK);
    mo_options options = options_of("lcp3", 1e-12);
    mo_result result = solve(problem, &options);
    CHECK(result.status == MO_STALLED && result.iterations == 1);
    CHECK(strstr(result.message.text, "relaxed law"));
    CHECK_NEAR(result.u[0], 0.2 * result.u[1], 1e-12);
    CHECK(result.u[0] > 0.01 && result.residual.natural > 0.01);
    mo_result_clear(&result);
    mo_problem_destroy(problem);
}

static void the_error_of_lcp3_falls_with_mu(void **state)
{
    (void)state;
    double before = INFINITY;
    for (double mu = 0.08; mu > 0.005;
         mu *= 0.5) { /* Theorem 7: at most a constant times mu lambda */
        mo_problem *problem = pile(6, mu);
        mo_options options = options_of("lcp3", 1e-8);
        mo_result exact = solved(problem, "lcp1", 1e-10), relaxed = solve(problem, &options);
        const double error = distance(exact.dof_count, exact.v, relaxed.v);
        CHECK_BELOW(error, 0.7 * before);
        before = error;
        mo_result_clear(&exact);
        mo_result_clear(&relaxed);
        mo_problem_destroy(problem);
    }
}

/* ---- the hexagonal pyramid ------------------------------------------------------------------- */

static void the_pyramid_rests_on_either_triple_of_corners(void **state)
{
    (void)state;
    static const int facets[] = {4, 0};
    for (int k = 0; k < 2; ++k) {
        scene_hexagonal_pyramid_def def = scene_hexagonal_pyramid_default();
        mo_problem *problem;
        def.facets = facets[k];
        CHECK(scene_hexagonal_pyramid(&def, &problem, NULL) == MO_OK);
        const double share = def.mass * SCENE_GRAVITY * def.step / 3;
        for (int odd = 0; odd < 2; ++odd) {
            double r[18] = {0};
            for (int j = odd; j < 6; j += 2)
                r[3 * j] = share;
            mo_residual residual;
            CHECK(mo_measure(problem, r, &residual) == MO_OK);
            CHECK_BELOW(residual.natural, 1e-15);
        }
        mo_result first = solved(problem, "lcp1", 1e-12), second = solved(problem, "lcp2", 1e-12);
        for (int j = 0; j < 6; ++j) {
            CHECK_NEAR(first.v[j], 0, 1e-12);
            CHECK_NEAR(second.v[j], 0, 1e-12);
        }
        mo_result_clear(&first);
        mo_result_clear(&second);
        mo_problem_destroy(problem);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lcp1_and_lcp2_find_the_velocity_of_lemke_and_nsgs_at_small_friction),
        cmocka_unit_test(facets_are_solved_in_their_own_law),
        cmocka_unit_test(unsymmetric_and_compliant_problems_are_solved_too),
        cmocka_unit_test(
            the_contraction_factor_is_below_a_half_at_small_friction_and_grows_with_it),
        cmocka_unit_test(methods_without_the_loop_report_no_contraction),
        cmocka_unit_test(the_rescue_solves_where_the_published_loop_cycles),
        cmocka_unit_test(lcp2_stopped_after_any_iteration_does_not_penetrate),
        cmocka_unit_test(lcp2_stopped_in_the_midst_of_an_iteration_hands_back_the_one_before),
        cmocka_unit_test(lcp2_at_a_deadline_does_not_penetrate_or_reports_that_it_may),
        cmocka_unit_test(mixed_laws_mass_ratios_and_large_friction_end_honestly),
        cmocka_unit_test(a_tower_whose_top_is_a_million_times_heavier_stands),
        cmocka_unit_test(lcp3_is_exact_where_nothing_slips),
        cmocka_unit_test(problems_that_lcp3_solves_take_lcp1_and_lcp2_one_iteration),
        cmocka_unit_test(lcp3_reports_sliding_and_opens_with_mu_lambda),
        cmocka_unit_test(the_error_of_lcp3_falls_with_mu),
        cmocka_unit_test(the_pyramid_rests_on_either_triple_of_corners),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
