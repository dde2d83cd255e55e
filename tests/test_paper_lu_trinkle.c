/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* What [lu2015] claims and we confirm, what it leaves out, and what the adaptive rule adds. */
#include "check.h"

#include <stdlib.h>

#include "lu-trinkle-2015/lu_trinkle.h"

static lt_trace solved(lt_trial trial)
{
    lt_trace trace;
    CHECK(lt_solve(&trial, &trace) == MO_OK);
    return trace;
}

static int read_count(lt_reading_index reading, double gravity, double r)
{
    lt_trace trace;
    lt_read(reading, gravity, r, LT_TOLERANCE, &trace);
    return trace.iterations;
}

/* ---- figure 2 -------------------------------------------------------------------------------- */

static void one_iteration_is_enough_at_r_1_for_every_force(void **state)
{
    (void)state;
    for (int k = 0; k < lt_force_count; ++k) {
        const lt_trace trace =
            solved((lt_trial){.gravity = lt_forces[k], .step = 1, .tolerance = LT_FINE});
        CHECK(trace.reached && trace.iterations == 1);
    }
}

static void the_conic_iteration_converges_to_the_closed_form(void **state)
{
    (void)state;
    const double steps[] = {0.2, 0.5, 0.9, 1.25, 1.5, 1.8};
    for (int k = 0; k < 6; ++k) {
        const lt_trace trace =
            solved((lt_trial){.gravity = -10, .step = steps[k], .tolerance = 1e-26});
        CHECK(trace.reached);
        CHECK_NEAR(trace.impulse[LT_MOST][0], 0.5, 1e-12);
        CHECK_NEAR(trace.impulse[LT_MOST][1], -0.25, 1e-12);
        CHECK_NEAR(trace.impulse[LT_MOST][2], 0, 1e-12);
    }
}

static void beyond_r_2_nothing_converges(void **state)
{
    (void)state;
    const double forces[] = {-20, -10, -6, -5.1};
    for (int k = 0; k < 4; ++k) {
        const lt_trace trace =
            solved((lt_trial){.gravity = forces[k], .step = 2.05, .tolerance = LT_TOLERANCE});
        CHECK(!trace.reached && trace.error[LT_MOST] > 10 * LT_TOLERANCE);
    }
}

static void at_minus_5_the_particle_touches_without_impulse(void **state)
{
    (void)state;
    const lt_trace trace = solved((lt_trial){.gravity = -5, .step = 1, .tolerance = LT_FINE});
    CHECK_BELOW(fabs(trace.impulse[LT_MOST][0]), 1e-15);
}

static void the_readings_of_the_linearised_model_are_the_iterates_of_the_library(void **state)
{
    (void)state;
    for (int k = 0; k < lt_force_count * lt_step_count * 2; ++k) {
        const double gravity = lt_forces[k / 2 % lt_force_count],
                     r = lt_steps[k / 2 / lt_force_count];
        const lt_trace ours = solved(
            (lt_trial){.gravity = gravity, .step = r, .linearised = 1, .gauss_seidel = k % 2});
        lt_trace theirs;
        lt_read(k % 2 ? LT_READ_SEQUENCE : LT_READ_TOGETHER, gravity, r, 0, &theirs);
        for (int j = 1; j <= ours.last && j <= 30; ++j) {
            for (int row = 0; row < 3; ++row) {
                CHECK_NEAR(ours.impulse[j][row], theirs.impulse[j][row],
                           1e-9 * fmax(1, fabs(theirs.impulse[j][row])));
            }
        }
    }
}

static void in_sequence_the_linearised_model_does_what_the_paper_describes(void **state)
{
    (void)state;
    for (int k = 0; k < lt_force_count; ++k)
        CHECK(read_count(LT_READ_SEQUENCE, lt_forces[k], 1) == 2);
    /* 300 iterations at r = 1.25: stable for r < sqrt(5) - 1 = 1.236 */
    CHECK(read_count(LT_READ_SEQUENCE, -10, 1.25) == LT_MOST);
    CHECK(read_count(LT_READ_SEQUENCE, -10, 1.2) < 60);
    /* nothing but small r is slow above -5 */
    CHECK(read_count(LT_READ_SEQUENCE, -4, 0.05) > 50);
    CHECK(read_count(LT_READ_SEQUENCE, -4, 0.5) < 10 && read_count(LT_READ_SEQUENCE, -4, 1.5) < 10);
    /* just below -5 only r = 1 is good */
    for (int k = 1; k <= 20; ++k)
        CHECK((read_count(LT_READ_SEQUENCE_PHI, -5.001, k / 10.0) < LT_MOST) == (k == 10));
}

/* With p_f at zero s falls by r mu p_n an iteration, from r^2 to the slip speed 1: slow where p_n
 * is small. */
static void the_slow_cases_are_a_slip_speed_on_its_way_down(void **state)
{
    (void)state;
    const double p_n = 0.005; /* g = -5.05 */
    const double steps[] = {1.05, 1.1, 1.15, 1.2};
    for (int k = 0; k < 4; ++k) {
        const double r = steps[k], expected = (r * r - 1) / (r * 0.5 * p_n);
        CHECK_NEAR(read_count(LT_READ_SEQUENCE, -5.05, r), expected, 5);
    }
}

/* The impulse of such a case stands still for many iterations, but not the run. */
static void a_moving_slip_speed_is_not_taken_for_a_stall(void **state)
{
    (void)state;
    const lt_trace trace = solved((lt_trial){.gravity = -5.1,
                                             .step = 1.2,
                                             .linearised = 1,
                                             .gauss_seidel = 1,
                                             .tolerance = LT_TOLERANCE});
    CHECK(trace.reached && trace.iterations > 40);
}

/* ---- eigenvalues ----------------------------------------------------------------------------- */

static void r_star_is_1_from_the_real_eigenvalues_of_eq_33(void **state)
{
    (void)state;
    const double real[] = {0, 1, 2, 2};
    lt_eigenvalues v;
    CHECK(lt_compute_eigenvalues(0, &v));
    for (int k = 0; k < 4; ++k) {
        CHECK_NEAR(v.re[k + 1], real[k], 1e-12);
        CHECK_NEAR(v.im[k + 1], 0, 1e-12);
    }
    CHECK_NEAR(v.r_star, 1, 1e-12);
}

static void eq_33_also_has_a_pair_that_no_step_contracts(void **state)
{
    (void)state;
    lt_eigenvalues v;
    CHECK(lt_compute_eigenvalues(0, &v));
    CHECK_NEAR(v.re[0], 0, 1e-12);
    CHECK_NEAR(v.im[0], -2, 1e-12);
    CHECK_NEAR(v.im[5], 2, 1e-12);
    CHECK(read_count(LT_READ_TOGETHER, -10, 1) == LT_MOST); /* r* = 1 is no good there, */
    CHECK(read_count(LT_READ_TOGETHER, -10, 0.5) < 60);     /* and 1/2 is */
}

static void relaxation_moves_all_eigenvalues_by_zeta(void **state)
{
    (void)state;
    const double zetas[] = {1e-12, 1e-6, 1e-2};
    for (int k = 0; k < 3; ++k) {
        lt_eigenvalues v;
        CHECK(lt_compute_eigenvalues(zetas[k], &v));
        CHECK_NEAR(v.r_star, 1 / (1 + zetas[k]), 1e-12);
    }
}

/* ---- figures 3 to 5 -------------------------------------------------------------------------- */

/* |phi| after 300 iterations. */
static double level(double r, double zeta, int linearised)
{
    const lt_trace trace = solved((lt_trial){.gravity = -10,
                                             .step = r,
                                             .zeta = zeta,
                                             .linearised = linearised,
                                             .gauss_seidel = linearised});
    return sqrt(2 * trace.error[LT_MOST]);
}

static void the_root_of_the_error_levels_off_at_the_order_of_zeta(void **state)
{
    (void)state;
    const double zetas[] = {1e-12, 1e-6}, steps[] = {0.5, 0.8, 0.9, 1.1};
    for (int k = 0; k < 16; ++k) {
        const double zeta = zetas[k % 2], phi = level(steps[k / 4], zeta, k / 2 % 2);
        CHECK(phi > 0.1 * zeta);
        CHECK_BELOW(phi, zeta);
    }
}

static void without_relaxation_it_falls_to_rounding(void **state)
{
    (void)state;
    for (int k = 0; k < 2; ++k) {
        CHECK_BELOW(level(0.5, 0, k), 1e-14);
        CHECK_BELOW(level(1.1, 0, k), 1e-14);
    }
}

/* ---- beyond the paper ------------------------------------------------------------------------ */

static void the_adaptive_rule_needs_at_most_20_iterations_for_every_force(void **state)
{
    (void)state;
    const double masses[] = {1e-3, 1, 1e3};
    for (int k = 0; k < lt_force_count * 6; ++k) {
        const lt_trace trace = solved((lt_trial){.gravity = lt_forces[k / 6],
                                                 .mass = masses[k / 2 % 3],
                                                 .adaptive = 1,
                                                 .linearised = k % 2,
                                                 .tolerance = LT_FINE});
        CHECK(trace.reached);
        CHECK_BELOW(trace.iterations, 20);
    }
}

static void and_for_every_eps_below_minus_5(void **state)
{
    (void)state;
    double eps = 1;
    for (int k = 0; k < 24; ++k, eps /= 4) {
        const lt_trace trace = solved((lt_trial){
            .gravity = -(5 + eps), .adaptive = 1, .linearised = k % 2, .tolerance = LT_FINE});
        CHECK(trace.reached);
        CHECK_BELOW(trace.iterations, 20);
    }
}

static void no_other_rule_beats_it_on_the_harder_problems(void **state)
{
    (void)state;
    lt_comparison *all = calloc((size_t)lt_comparison_count, sizeof *all);
    CHECK(all && lt_compare(all) == MO_OK);
    for (int k = 0; k < lt_comparison_count; ++k) {
        const int *iterations = all[k].iterations;
        CHECK_BELOW(iterations[LT_ADAPTIVE], 1000);
        for (int rule = 0; rule < LT_ADAPTIVE; ++rule)
            CHECK_BELOW(iterations[LT_ADAPTIVE], iterations[rule]);
    }
    free(all);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_iteration_is_enough_at_r_1_for_every_force),
        cmocka_unit_test(the_conic_iteration_converges_to_the_closed_form),
        cmocka_unit_test(beyond_r_2_nothing_converges),
        cmocka_unit_test(at_minus_5_the_particle_touches_without_impulse),
        cmocka_unit_test(the_readings_of_the_linearised_model_are_the_iterates_of_the_library),
        cmocka_unit_test(in_sequence_the_linearised_model_does_what_the_paper_describes),
        cmocka_unit_test(the_slow_cases_are_a_slip_speed_on_its_way_down),
        cmocka_unit_test(a_moving_slip_speed_is_not_taken_for_a_stall),
        cmocka_unit_test(r_star_is_1_from_the_real_eigenvalues_of_eq_33),
        cmocka_unit_test(eq_33_also_has_a_pair_that_no_step_contracts),
        cmocka_unit_test(relaxation_moves_all_eigenvalues_by_zeta),
        cmocka_unit_test(the_root_of_the_error_levels_off_at_the_order_of_zeta),
        cmocka_unit_test(without_relaxation_it_falls_to_rounding),
        cmocka_unit_test(the_adaptive_rule_needs_at_most_20_iterations_for_every_force),
        cmocka_unit_test(and_for_every_eps_below_minus_5),
        cmocka_unit_test(no_other_rule_beats_it_on_the_harder_problems),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
