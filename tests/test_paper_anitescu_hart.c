/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* What [anitescu2004, sections 3 and 5.3] claims and the rerun finds, but for the times. */
#include "check.h"

#include "anitescu-hart-2004/anitescu_hart.h"

/* Section 3: two solutions, whose average violates complementarity by mu m g h / 6; v = 0 by every
 * method. */
static void the_pyramid_has_two_solutions_and_their_average_is_none(void **state)
{
    (void)state;
    static const double mus[] = {0.001, 0.1, 1};
    for (int k = 0; k < 3; ++k) {
        ah_pyramid row;
        CHECK(ah_solve_pyramid(mus[k], &row, NULL) == MO_OK);
        for (int s = 0; s < 2; ++s) {
            CHECK_BELOW(row.residual[s], 1e-10);
            CHECK_BELOW(row.violation[s], 1e-4 * mus[k] * row.share);
            for (int j = 0; j < AH_CORNERS; ++j)
                CHECK_NEAR(row.normal[s][j], j % 2 == s ? row.share : 0, 1e-4 * row.share);
        }
        CHECK_NEAR(row.violation[2], mus[k] * row.share / 2, 1e-4 * mus[k] * row.share);
        CHECK(row.solved == row.methods);
        CHECK_BELOW(row.speed, 1e-10);
    }
}

/* 21 disks at mu = 0.05: LCP0, LCP1 and LCP2 agree, LCP3 is near; the maps contract by less than a
 * half. */
static void all_four_methods_answer_on_21_disks(void **state)
{
    (void)state;
    ah_step step;
    CHECK(ah_solve_step(6, 0.05, &step, NULL) == MO_OK);
    CHECK(step.disks == 21 && step.contacts == 51);
    for (int m = AH_LCP0; m <= AH_LCP2; ++m) {
        CHECK(step.run[m].status == MO_SOLVED && step.run[m].residual <= AH_TOLERANCE);
        CHECK(m == AH_LCP0 || step.run[m].difference <= 1e-6);
        CHECK(m == AH_LCP0 || (step.run[m].contraction > 0 && step.run[m].contraction < 0.5));
    }
    CHECK(step.run[AH_LCP3].residual > 1e-3 && step.run[AH_LCP3].residual < 0.1);
    CHECK(step.run[AH_LCP3].difference > 1e-3 && step.run[AH_LCP3].difference < 0.05);
}

/* The paper's Lemke failed here. */
static void lemke_solves_136_disks(void **state)
{
    (void)state;
    ah_run run;
    CHECK(ah_solve_first_step(16, 0.2, AH_LCP0, &run, NULL) == MO_OK);
    CHECK(run.status == MO_SOLVED && run.residual <= AH_TOLERANCE);
}

/* Table 1, its last row: nothing slips, and one convex problem solves the law itself. */
static void at_high_friction_one_convex_problem_is_exact(void **state)
{
    (void)state;
    ah_row row;
    CHECK(ah_solve_row(AH_ROWS - 1, &row, NULL) == MO_OK);
    CHECK(row.mu == 0.8 && row.lcp0.status == MO_SOLVED && row.lcp0.residual <= AH_TOLERANCE);
    CHECK_BELOW(row.lcp3.discrepancy, 1e-7);
    CHECK_BELOW(row.lcp3.slip, 1e-7);
}

/* Theorem 7: the error of LCP3 is of the order of mu lambda. */
static void the_error_of_lcp3_goes_with_the_slip(void **state)
{
    (void)state;
    for (int k = 1; k <= 3; ++k) {
        ah_rate row;
        CHECK(ah_measure_rate(0.03 * k, &row, NULL) == MO_OK);
        CHECK(row.contraction[0] > 0 && row.contraction[0] < 0.5);
        CHECK(row.contraction[1] > 0 && row.contraction[1] < 0.5);
        CHECK(row.slip > 0 && row.error > 0.5 * row.slip && row.error < 3 * row.slip);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_pyramid_has_two_solutions_and_their_average_is_none),
        cmocka_unit_test(all_four_methods_answer_on_21_disks),
        cmocka_unit_test(lemke_solves_136_disks),
        cmocka_unit_test(at_high_friction_one_convex_problem_is_exact),
        cmocka_unit_test(the_error_of_lcp3_goes_with_the_slip),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
