/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * The measure, on pairs whose failure is known by hand, and against a second, dense implementation
 * of the natural map written here.
 */
#include "check.h"

#include <stdlib.h>
#include <string.h>

#include "moreau/measure.h"
#include "scenes.h"

/* One contact with W = I, so that u = r + w: every pair can be put together at will. */
static mo_problem *unit_contact(double mu, const double *w, const double *compliance)
{
    const double identity[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    mo_builder *builder;
    mo_problem *problem;
    mo_law law = mo_law_coulomb(mu);
    law.compliance = compliance;
    CHECK(mo_builder_create(NULL, &builder) == MO_OK);
    mo_builder_add_body(builder, 3, identity, NULL);
    mo_builder_add_constraint(builder, 3, &law, w);
    mo_builder_add_jacobian(builder, 0, 0, 3, 3, identity);
    CHECK(mo_builder_finish(builder, &problem, NULL) == MO_OK);
    mo_builder_destroy(builder);
    return problem;
}

static mo_residual measured(const mo_problem *problem, const double *r)
{
    mo_residual residual;
    CHECK(mo_measure(problem, r, &residual) == MO_OK);
    return residual;
}

static void an_exact_solution_has_no_residual(void **state)
{
    (void)state;
    const double w[3] = {-0.5, 1, 0}, r[3] = {0.5, -0.25, 0}; /* slides: u = (0, 0.75, 0) */
    mo_problem *problem = unit_contact(0.5, w, NULL);
    const mo_residual residual = measured(problem, r);
    CHECK(residual.natural == 0 && residual.penetration_rate.value == 0);
    CHECK(residual.cone_violation.value == 0 && residual.dissipation.value == 0);
    CHECK_NEAR(residual.q_norm, sqrt(1.25), 1e-15);
    mo_problem_destroy(problem);
}

static void each_failure_is_seen_in_its_own_units(void **state)
{
    (void)state;
    const double w[3] = {-0.5, 1, 0};
    mo_problem *problem = unit_contact(0.5, w, NULL);
    /* penetrates at 0.5, natural map |(0.5 - 0.5, ...)| by hand below */
    const double nothing[3] = {0, 0, 0};
    mo_residual residual = measured(problem, nothing);
    CHECK_NEAR(residual.penetration_rate.value, 0.5, 1e-15);
    CHECK(residual.penetration_rate.constraint == 0);
    /* uhat = (-0.5 + 0.5, 1, 0), x = -uhat = (0, -1, 0): projected on the cone, y_N = 0.5 / 1.25 =
     * 0.4 */
    CHECK_NEAR(residual.natural, sqrt(0.4 * 0.4 + 0.2 * 0.2), 1e-15);
    const double outside[3] = {0.5, -0.5, 0}; /* |r_T| = 0.5 where 0.25 is allowed */
    residual = measured(problem, outside);
    CHECK_NEAR(residual.cone_violation.value, 0.25 / sqrt(1.25), 1e-15);
    const double slippery[3] = {0.5, 0, 0}; /* slides at 1 without friction: 0.5 0.5 1 is missing */
    residual = measured(problem, slippery);
    CHECK_NEAR(residual.dissipation.value, 0.25, 1e-15);
    CHECK_NEAR(residual.power, 0.25, 1e-15);
    const double pulled[3] = {-0.1, 0, 0};
    residual = measured(problem, pulled);
    CHECK_NEAR(residual.cone_violation.value, 0.1, 1e-15);
    CHECK_NEAR(residual.penetration_rate.value, 0.6, 1e-15);
    mo_problem_destroy(problem);
}

static void the_published_normalisations_are_those_published(void **state)
{
    (void)state;
    const double w[3] = {-0.5, 1, 0}, r[3] = {3, 0, 0}; /* u = (2.5, 1, 0) */
    mo_problem *problem = unit_contact(0.5, w, NULL);
    const mo_residual residual = measured(problem, r);
    CHECK_NEAR(residual.natural_relative, residual.natural / sqrt(1.25), 1e-15);
    CHECK_NEAR(residual.siconos_q, residual.natural / sqrt(1.25), 1e-15);
    CHECK_NEAR(residual.siconos_full, residual.natural / 3, 1e-15);
    mo_problem_destroy(problem);
    const double tiny[3] = {-0.01, 0, 0}, none[3] = {0, 0, 0};
    problem = unit_contact(0.5, tiny, NULL);
    const mo_residual small = measured(problem, none);
    CHECK(small.natural_relative == small.natural); /* max(1, |q|) = 1 */
    CHECK_NEAR(small.siconos_q, small.natural / 0.01, 1e-12);
    mo_problem_destroy(problem);
}

static void compliance_moves_the_solution_and_the_measure_knows(void **state)
{
    (void)state;
    const double w[3] = {-0.5, 0, 0}, soft[3] = {0.25, 0.25, 0.25};
    mo_problem *problem = unit_contact(0.5, w, soft);
    const double r[3] = {0.4, 0, 0}; /* (1 + 0.25) r = 0.5 */
    CHECK_BELOW(measured(problem, r).natural, 1e-16);
    const double hard[3] = {0.5, 0, 0};
    CHECK(measured(problem, hard).natural > 0.1);
    mo_problem_destroy(problem);
}

static void infinite_friction_is_measured_without_infinities(void **state)
{
    (void)state;
    const double w[3] = {-0.5, 1, 0}, stuck[3] = {0.5, -1, 0}, apart_w[3] = {1, 2, 0},
                 zero[3] = {0, 0, 0};
    mo_problem *problem = unit_contact(INFINITY, w, NULL);
    CHECK(measured(problem, stuck).natural == 0);
    const double off[3] = {0.5, -1 + 1e-9, 0};
    CHECK_BELOW(measured(problem, off).natural, 2e-9); /* continuous, unlike mu |u_T| */
    CHECK_NEAR(measured(problem, zero).natural, 0.5, 1e-15);
    mo_problem_destroy(problem);
    problem = unit_contact(INFINITY, apart_w, NULL);
    CHECK(measured(problem, zero).natural == 0); /* apart, and free to slide */
    mo_problem_destroy(problem);
}

static void an_enormous_impulse_does_not_hide_a_penetration(void **state)
{
    (void)state;
    /* W = 0 in the normal direction: u_N = -0.14 whatever r is, and r - u rounds to r. */
    const double zero[9] = {0}, w[3] = {-0.14, 0, 0}, r[3] = {1e18, 0, 0};
    const mo_law law = mo_law_coulomb(0.5);
    mo_builder *builder;
    mo_problem *problem;
    CHECK(mo_builder_create(NULL, &builder) == MO_OK);
    mo_builder_add_constraint(builder, 3, &law, w);
    mo_builder_add_coupling(builder, 0, 0, 3, 3, zero);
    CHECK(mo_builder_finish(builder, &problem, NULL) == MO_OK);
    mo_builder_destroy(builder);
    CHECK_NEAR(measured(problem, r).natural, 0.14, 1e-3);
    mo_problem_destroy(problem);
}

static void an_impulse_that_is_not_finite_is_refused(void **state)
{
    (void)state;
    const double w[3] = {-0.5, 1, 0}, bad[3] = {0.5, NAN, 0};
    mo_problem *problem = unit_contact(0.5, w, NULL);
    mo_residual residual;
    double number;
    CHECK(mo_measure(problem, bad, &residual) == MO_ERR_ARGUMENT);
    CHECK(mo_measure_scaled(problem, bad, &number) == MO_ERR_ARGUMENT);
    CHECK(mo_measure_cck(problem, bad, 0, 0.7, &number) == MO_ERR_ARGUMENT);
    mo_problem_destroy(problem);
}

/* The same law by cases, not by projection: distance of (u, r) from being a solution is zero or
 * not. */
static void a_planted_solution_has_no_residual_and_a_disturbed_one_has(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 30; ++seed) {
        scene_random_def def = scene_random_default();
        def.seed = seed;
        def.in_plane = seed % 2 == 0;
        def.laws = SCENE_COULOMB | SCENE_FRICTIONLESS | SCENE_BILATERAL | SCENE_BOX |
                   (def.in_plane ? 0u : (unsigned)(SCENE_ROLLING | SCENE_SOFT_FINGER));
        def.mu_max = 1.5;
        mo_problem *problem;
        double *planted, scaled;
        CHECK(scene_random(&def, &problem, &planted, NULL) == MO_OK);
        const mo_residual residual = measured(problem, planted);
        CHECK_BELOW(residual.natural_relative, 1e-10);
        CHECK(mo_measure_scaled(problem, planted, &scaled) == MO_OK);
        CHECK_BELOW(scaled, 1e-10);
        planted[0] += 0.1;
        CHECK(measured(problem, planted).natural > 1e-4);
        free(planted);
        mo_problem_destroy(problem);
    }
}

static void the_scaled_measure_does_not_depend_on_units(void **state)
{
    (void)state;
    double scaled[2], r[3] = {0.3, 0.05, 0};
    for (int k = 0; k < 2; ++k) { /* grams instead of kilograms: r and W scale by 1e3 and 1e-3 */
        scene_particle_def def = scene_particle_default();
        mo_problem *problem;
        def.mass = k ? 1000 : 1;
        CHECK(scene_particle(&def, &problem, NULL) == MO_OK);
        for (int j = 0; j < 3; ++j)
            r[j] *= k ? 1000 : 1;
        CHECK(mo_measure_scaled(problem, r, &scaled[k]) == MO_OK);
        mo_problem_destroy(problem);
    }
    CHECK(scaled[0] > 1e-3);
    CHECK_NEAR(scaled[0], scaled[1], 1e-14);
}

static void a_velocity_of_its_own_is_judged_too(void **state)
{
    (void)state;
    const double w[3] = {-0.5, 1, 0}, r[3] = {0.5, -0.25, 0}, v[3] = {0.5, -0.25, 0};
    mo_problem *problem = unit_contact(0.5, w, NULL);
    mo_global_residual residual;
    CHECK(mo_measure_global(problem, v, r, &residual) == MO_OK);
    CHECK(residual.equilibrium == 0 && residual.siconos_global == 0);
    const double wrong[3] = {0.5, -0.25, 0.2};
    CHECK(mo_measure_global(problem, wrong, r, &residual) == MO_OK);
    CHECK_NEAR(residual.equilibrium, 0.2, 1e-15);
    CHECK(residual.siconos_global > residual.equilibrium_relative);
    mo_problem *reduced;
    CHECK(mo_problem_reduce(problem, &reduced, NULL) == MO_OK);
    CHECK(mo_measure_global(reduced, v, r, &residual) == MO_ERR_ARGUMENT);
    mo_problem_destroy(reduced);
    mo_problem_destroy(problem);
}

/* ---- Chen, Chen, Kanzow ---------------------------------------------------------------------- */

static double cck_by_hand(double a, double b)
{
    return 0.7 * (a + b - sqrt(a * a + b * b)) + 0.3 * fmax(a, 0) * fmax(b, 0);
}

static void the_cck_error_is_that_of_the_paper(void **state)
{
    (void)state;
    const double w[3] = {-0.5, 1, 0};
    mo_problem *problem = unit_contact(0.5, w, NULL);
    const double exact[3] = {0.5, -0.25, 0}, other[3] = {0.3, -0.1, 0.05};
    double error;
    CHECK(mo_measure_cck(problem, exact, 0, 0.7, &error) == MO_OK && error < 1e-30);
    CHECK(mo_measure_cck(problem, exact, 4, 0.7, &error) == MO_OK && error < 1e-30);
    /* conic, by hand at r = (0.3, -0.1, 0.05), u = (-0.2, 0.9, 0.05) */
    CHECK(mo_measure_cck(problem, other, 0, 0.7, &error) == MO_OK);
    const double s = hypot(0.9, 0.05), sigma = 0.15 * 0.15 - 0.1 * 0.1 - 0.05 * 0.05;
    const double n = cck_by_hand(0.3, -0.2), c = cck_by_hand(s, sigma);
    const double t = 0.15 * 0.9 - 0.1 * s, o = 0.15 * 0.05 + 0.05 * s;
    CHECK_NEAR(error, 0.5 * (n * n + c * c + t * t + o * o), 1e-15);
    /* linearised with 4 directions: p_f = (0, 0.05, 0.1, 0), s = max(-d.u) = 0.9 */
    CHECK(mo_measure_cck(problem, other, 4, 0.7, &error) == MO_OK);
    const double f[4] = {cck_by_hand(0, 0.9 + 0.9), cck_by_hand(0.05, 0.05 + 0.9),
                         cck_by_hand(0.1, 0), cck_by_hand(0, -0.05 + 0.9)};
    const double cone = cck_by_hand(0.9, 0.15 - 0.15);
    double sum = n * n + cone * cone;
    for (int k = 0; k < 4; ++k)
        sum += f[k] * f[k];
    CHECK_NEAR(error, 0.5 * sum, 1e-14);
    CHECK(mo_measure_cck(problem, other, 2, 0.7, &error) == MO_ERR_ARGUMENT);
    mo_problem_destroy(problem);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_exact_solution_has_no_residual),
        cmocka_unit_test(each_failure_is_seen_in_its_own_units),
        cmocka_unit_test(the_published_normalisations_are_those_published),
        cmocka_unit_test(compliance_moves_the_solution_and_the_measure_knows),
        cmocka_unit_test(infinite_friction_is_measured_without_infinities),
        cmocka_unit_test(an_enormous_impulse_does_not_hide_a_penetration),
        cmocka_unit_test(an_impulse_that_is_not_finite_is_refused),
        cmocka_unit_test(a_planted_solution_has_no_residual_and_a_disturbed_one_has),
        cmocka_unit_test(the_scaled_measure_does_not_depend_on_units),
        cmocka_unit_test(a_velocity_of_its_own_is_judged_too),
        cmocka_unit_test(the_cck_error_is_that_of_the_paper),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
