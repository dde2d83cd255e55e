/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* What [acary2011] says of one problem and the rerun finds, but for the times; small sizes. */
#include "check.h"

#include "acary-cadoux-2011/acary_cadoux_2011.h"

static void successive_approximations_slow_down_as_friction_grows(void **state)
{
    (void)state;
    for (int s = 0; s < AC_STATES; ++s) {
        double last = 0;
        for (int k = 1; k <= 4; k *= 2) { /* mu = 0.1, 0.2, 0.4 */
            ac_rate rate;
            CHECK(ac_measure_rate(60, (ac_state)s, 0.1 * k, &rate) == MO_OK);
            CHECK(rate.rounds >= 3 && rate.value[0] > rate.value[rate.rounds - 1]);
            CHECK(rate.factor > last && (k > 2 || rate.factor < 0.8));
            last = rate.factor;
        }
    }
}

static void a_pile_has_the_friction_and_the_contacts_that_were_asked_for(void **state)
{
    (void)state;
    for (int s = 0; s < AC_STATES; ++s) {
        mo_problem *problem;
        CHECK(ac_pile(40, (ac_state)s, 0.7, &problem) == MO_OK);
        CHECK(mo_problem_constraint_count(problem) == 40);
        CHECK(mo_problem_constraint(problem, 39).law.mu == 0.7);
        mo_problem_destroy(problem);
    }
}

static void every_engine_meets_the_papers_rule_and_the_measure(void **state)
{
    (void)state;
    for (int e = 0; e < AC_ENGINES; ++e) {
        ac_cost cost;
        CHECK(ac_measure_cost(e, 30, INFINITY, &cost) == MO_OK);
        CHECK(cost.rounds >= 1 && cost.full_rounds >= cost.rounds);
        CHECK(cost.is_solved && cost.is_warm_solved && cost.warm_rounds <= cost.full_rounds);
    }
}

static void the_rod_is_solved_exactly_where_the_closed_form_has_a_solution(void **state)
{
    (void)state;
    ac_rod rod;
    CHECK(ac_try_rod(&rod) == MO_OK);
    CHECK(rod.tried == 480 && rod.solvable > 300 && rod.solvable < 480);
    CHECK(rod.solved == rod.solvable);
    CHECK(rod.refused == rod.tried - rod.solvable);
}

/* Sections 5.2 to 5.5: every verdict of the map, and at 1e-9 from the border, is that of the closed
 * form. */
static void the_map_of_verdicts_is_that_of_the_closed_form(void **state)
{
    (void)state;
    static ac_map map;
    int seen[MO_VERDICT_COUNT] = {0};
    CHECK(ac_draw_map(&map) == MO_OK);
    assert_int_equal(map.tried, 10000);
    assert_int_equal(map.agree, map.tried);
    assert_int_equal(map.border_agree, map.border_tried);
    for (int k = 0; k < AC_MAP_CASES * AC_MAP * AC_MAP; ++k)
        ++seen[map.verdict[k / (AC_MAP * AC_MAP)][k / AC_MAP % AC_MAP][k % AC_MAP]];
    CHECK(seen[MO_VERDICT_NONE] > 500 && seen[MO_VERDICT_SEVERAL] > 500);
}

/* Every method, on rods with and without a solution: none says "solved" where there is none,
 * whatever its impulses ran to. */
static void no_method_solves_a_rod_that_has_no_solution(void **state)
{
    (void)state;
    for (int m = 0; m < mo_method_count(); ++m) {
        const mo_method_info method = mo_method_describe(m);
        for (int k = 0; k < 60; ++k) {
            const double theta = 0.05 + 0.13 * (k % 12), mu = 0.3 * (1 + k / 12),
                         speed = k % 5 ? 0.2 * (k % 5) : -0.3;
            mo_options options = mo_default_options();
            mo_result result = {0};
            mo_problem *problem;
            options.method = method.name;
            options.max_iter = 2000;
            CHECK(ac_rod_problem(theta, mu, speed, &problem) == MO_OK);
            CHECK(mo_solve(problem, &options, &result) == MO_OK);
            const int has_solution = ac_rod_has_solution(theta, mu, speed);
            if (!has_solution && result.status == MO_SOLVED) {
                fail_msg("%s: solved at theta %g, mu %g, speed %g, r = (%g, %g)", method.name,
                         theta, mu, speed, result.r[0], result.r[1]);
            }
            if (has_solution && method.is_default && result.status != MO_SOLVED) {
                fail_msg("%s: not solved at theta %g, mu %g, speed %g", method.name, theta, mu,
                         speed);
            }
            mo_result_clear(&result);
            mo_problem_destroy(problem);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(successive_approximations_slow_down_as_friction_grows),
        cmocka_unit_test(a_pile_has_the_friction_and_the_contacts_that_were_asked_for),
        cmocka_unit_test(every_engine_meets_the_papers_rule_and_the_measure),
        cmocka_unit_test(no_method_solves_a_rod_that_has_no_solution),
        cmocka_unit_test(the_map_of_verdicts_is_that_of_the_closed_form),
        cmocka_unit_test(the_rod_is_solved_exactly_where_the_closed_form_has_a_solution),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
