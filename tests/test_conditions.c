/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* The convex conditions against closed forms, the evidence against its definition, and evidence
 * that lies. */
#include "check.h"

#include <stdlib.h>
#include <string.h>

#include "moreau/moreau.h"
#include "scarce_memory.h"
#include "trinkle_pang.h"

typedef struct contact {
    int d;
    mo_law law;
    double w[3];
    double J[18];
} contact;

static mo_problem *body_with(int n, int count, const contact *contacts)
{
    mo_builder *builder = NULL;
    mo_problem *problem = NULL;
    double M[36] = {0}, f[6] = {0, -1, 0, 0, 0, 0};
    for (int k = 0; k < n; ++k)
        M[k * n + k] = 1 + k;
    CHECK(mo_builder_create(NULL, &builder) == MO_OK);
    mo_builder_add_body(builder, n, M, f);
    for (int i = 0; i < count; ++i) {
        mo_builder_add_constraint(builder, contacts[i].d, &contacts[i].law, contacts[i].w);
        mo_builder_add_jacobian(builder, i, 0, contacts[i].d, n, contacts[i].J);
    }
    CHECK(mo_builder_finish(builder, &problem, NULL) == MO_OK);
    mo_builder_destroy(builder);
    return problem;
}

/* Decides, and has the evidence checked, in the global and in the reduced form. */
static mo_answer answer_of(const mo_problem *problem, mo_condition_kind kind)
{
    mo_condition condition;
    mo_certificate_report report;
    CHECK(mo_condition_decide(problem, kind, &condition) == MO_OK);
    CHECK(mo_condition_check(problem, &condition, &report) == MO_OK);
    CHECK(report.holds == (condition.answer != MO_ANSWER_UNKNOWN));
    const mo_answer answer = condition.answer;
    mo_condition_clear(&condition);
    return answer;
}

static void painleves_rod_meets_4_4_where_a_solution_exists(void **state)
{
    (void)state;
    for (int i = 1; i < 20; ++i) {
        for (int j = 0; j < 20; ++j) {
            for (int k = -1; k <= 1; ++k) {
                const double theta = acos(-1.0) / 2 * i / 20, mu = 0.017 + 0.1 * j;
                const contact rod = {2, mo_law_coulomb(mu), {0, k}, {sin(theta), cos(theta)}};
                mo_problem *problem = body_with(1, 1, &rod), *reduced = NULL;
                CHECK(mo_problem_reduce(problem, &reduced, NULL) == MO_OK);
                const mo_answer expected =
                    k <= 0 || tan(theta) > mu ? MO_ANSWER_HOLDS : MO_ANSWER_FAILS;
                assert_int_equal(answer_of(problem, MO_CONDITION_CLOSED), expected);
                if (k != 0) { /* u = 0 is on the border of K* */
                    assert_int_equal(answer_of(problem, MO_CONDITION_STRICT), expected);
                    assert_int_equal(answer_of(reduced, MO_CONDITION_CLOSED), expected);
                }
                assert_int_equal(answer_of(problem, MO_CONDITION_FRICTIONLESS), MO_ANSWER_HOLDS);
                mo_problem_destroy(reduced);
                mo_problem_destroy(problem);
            }
        }
    }
}

/* A disc in a groove: both friction cones hold the line between the contacts where mu >= 1 /
 * tan(a). */
static void a_groove_is_pointed_up_to_the_mu_of_the_closed_form(void **state)
{
    (void)state;
    for (int i = 1; i < 30; ++i) {
        const double a = acos(-1.0) / 2 * i / 30, border = 1 / tan(a);
        for (int side = -1; side <= 1; side += 2) {
            const double mu = border * (1 + 1e-6 * side), s = sin(a), c = cos(a);
            const contact walls[2] = {{2, mo_law_coulomb(mu), {0}, {s, c, 0, c, -s, 1}},
                                      {2, mo_law_coulomb(mu), {0}, {-s, c, 0, c, s, 1}}};
            mo_problem *problem = body_with(3, 2, walls);
            assert_int_equal(answer_of(problem, MO_CONDITION_POINTED),
                             side < 0 ? MO_ANSWER_HOLDS : MO_ANSWER_FAILS);
            assert_int_equal(answer_of(problem, MO_CONDITION_POINTED_FRICTIONLESS),
                             MO_ANSWER_HOLDS);
            assert_int_equal(answer_of(problem, MO_CONDITION_CLOSED), MO_ANSWER_HOLDS); /* v = 0 */
            mo_problem_destroy(problem);
        }
    }
}

/* [acary2011, figure 3] */
static void a_ball_crushed_between_planes_has_no_motion(void **state)
{
    (void)state;
    const contact planes[2] = {{1, mo_law_frictionless(), {-0.5}, {1, 0}},
                               {1, mo_law_frictionless(), {-0.25}, {-1, 0}}};
    mo_problem *problem = body_with(2, 2, planes);
    mo_solution_set set;
    assert_int_equal(answer_of(problem, MO_CONDITION_FRICTIONLESS), MO_ANSWER_FAILS);
    assert_int_equal(answer_of(problem, MO_CONDITION_POINTED), MO_ANSWER_FAILS);
    CHECK(mo_find_all_solutions(problem, 0, &set) == MO_OK);
    assert_int_equal(set.verdict, MO_VERDICT_NONE);
    mo_solution_set_clear(&set);
    mo_problem_destroy(problem);
}

/* [trinkle1997, Theorem 1 (a)]: contacts that all roll, J of full column rank, so that eq. 36
 * holds: a solution exists. */
static void grasps_that_only_roll_meet_eq_36(void **state)
{
    (void)state;
    int tried = 0;
    for (int number = 0; number < TRINKLE_PANG_SETS; number += 5) {
        const trinkle_pang_set set = trinkle_pang_set_of(number);
        mo_problem *problem = NULL;
        if (set.def.sliding > 0 || set.size > 25) continue;
        CHECK(scene_grasp(&set.def, &problem, NULL) == MO_OK);
        assert_int_equal(answer_of(problem, MO_CONDITION_CLOSED), MO_ANSWER_HOLDS);
        mo_options options = mo_default_options();
        mo_result result = {0};
        options.method = "lemke";
        CHECK(mo_solve(problem, &options, &result) == MO_OK);
        assert_int_equal(result.status, MO_SOLVED);
        mo_result_clear(&result);
        mo_problem_destroy(problem);
        ++tried;
    }
    CHECK(tried >= 10);
}

/* ---- random contacts in space ---------------------------------------------------------------- */

static mo_problem *random_body(mo_random *random, int count)
{
    contact contacts[8];
    memset(contacts, 0, sizeof contacts);
    for (int i = 0; i < count; ++i) {
        contacts[i].d = 3;
        contacts[i].law = mo_law_coulomb(uniform(random, 0, 1.5));
        fill_uniform(random, -1, 1, 3, contacts[i].w);
        fill_uniform(random, -1, 1, 18, contacts[i].J);
    }
    return body_with(6, count, contacts);
}

/* H r of the one body, u = H' v + w by the library. */
static double balance(const mo_problem *problem, const double *r)
{
    double sum[6] = {0}, most = 0;
    for (int i = 0; i < mo_problem_constraint_count(problem); ++i) {
        const mo_block_view block = mo_problem_block(problem, i, 0);
        for (int k = 0; k < 18; ++k)
            sum[k % 6] += block.values[k] * r[3 * i + k / 6];
    }
    for (int k = 0; k < 6; ++k)
        most = fmax(most, fabs(sum[k]));
    return most;
}

static void check_evidence(const mo_problem *problem, const mo_condition *c)
{
    double u[24], work = 0, size = 0;
    if (c->answer == MO_ANSWER_HOLDS) mo_problem_relative_velocity(problem, c->motion, u);
    for (int i = 0; i < mo_problem_constraint_count(problem); ++i) {
        const mo_constraint_view view = mo_problem_constraint(problem, i);
        const double mu = view.law.mu;
        if (c->answer == MO_ANSWER_HOLDS) {
            CHECK(u[3 * i] >= mu * hypot(u[3 * i + 1], u[3 * i + 2]));
        } else {
            const double *r = c->impulse + 3 * i;
            CHECK(mu * r[0] >= hypot(r[1], r[2]) * (1 - 1e-15));
            work += r[0] * view.w[0] + r[1] * view.w[1] + r[2] * view.w[2];
            size = fmax(size, r[0]);
        }
    }
    if (c->answer == MO_ANSWER_FAILS) {
        CHECK(work < 0);
        CHECK_BELOW(balance(problem, c->impulse), 1e-10 * size);
    }
}

static void random_contacts_in_space_are_decided_one_way_or_the_other(void **state)
{
    (void)state;
    mo_random random = {23};
    int seen[3] = {0};
    for (int trial = 0; trial < 200; ++trial) {
        mo_problem *problem = random_body(&random, 1 + trial % 8);
        mo_condition condition;
        CHECK(mo_condition_decide(problem, MO_CONDITION_CLOSED, &condition) == MO_OK);
        ++seen[condition.answer];
        if (condition.answer != MO_ANSWER_UNKNOWN) check_evidence(problem, &condition);
        if (condition.answer ==
            MO_ANSWER_HOLDS) /* then a solution exists [acary2011, Theorem 4.6] */
            CHECK(answer_of(problem, MO_CONDITION_FRICTIONLESS) == MO_ANSWER_HOLDS);
        mo_condition_clear(&condition);
        mo_problem_destroy(problem);
    }
    CHECK(seen[MO_ANSWER_HOLDS] > 50 && seen[MO_ANSWER_FAILS] > 10);
    assert_int_equal(seen[MO_ANSWER_UNKNOWN], 0);
}

static void evidence_that_lies_is_rejected(void **state)
{
    (void)state;
    mo_random random = {29};
    int lies = 0;
    for (int trial = 0; trial < 100; ++trial) {
        mo_problem *problem = random_body(&random, 1 + trial % 8);
        mo_condition condition;
        mo_certificate_report report;
        CHECK(mo_condition_decide(problem, MO_CONDITION_CLOSED, &condition) == MO_OK);
        double *evidence =
            condition.answer == MO_ANSWER_HOLDS ? condition.motion : condition.impulse;
        const int count =
            condition.answer == MO_ANSWER_HOLDS ? condition.motion_count : condition.impulse_count;
        double random_evidence[24];
        fill_uniform(&random, -1, 1, 24, random_evidence);
        if (condition.answer == MO_ANSWER_FAILS) { /* a random impulse balances nothing */
            memcpy(evidence, random_evidence, (size_t)count * sizeof *evidence);
            CHECK(mo_condition_check(problem, &condition, &report) == MO_OK && !report.holds);
            evidence[0] = NAN;
            CHECK(mo_condition_check(problem, &condition, &report) == MO_OK && !report.holds);
            ++lies;
        } else { /* the opposite answer, with an impulse of the solver's making */
            mo_condition opposite = condition;
            opposite.answer = MO_ANSWER_FAILS;
            opposite.impulse = random_evidence;
            opposite.impulse_count = mo_problem_row_count(problem);
            CHECK(mo_condition_check(problem, &opposite, &report) == MO_OK && !report.holds);
            evidence[0] = NAN;
            CHECK(mo_condition_check(problem, &condition, &report) == MO_OK && !report.holds);
        }
        mo_condition_clear(&condition);
        mo_problem_destroy(problem);
    }
    CHECK(lies > 5);
}

/* ---- one verdict ----------------------------------------------------------------------------- */

/* Two proofs of one problem, found apart: they must not contradict each other. */
static void no_planar_problem_without_solution_meets_a_condition_for_existence(void **state)
{
    (void)state;
    mo_random random = {31};
    int none = 0, exist = 0;
    for (int trial = 0; trial < 300; ++trial) {
        contact contacts[6];
        memset(contacts, 0, sizeof contacts);
        for (int i = 0; i < 1 + trial % 6; ++i) {
            contacts[i].d = 2;
            contacts[i].law = mo_law_coulomb(uniform(&random, 0, 2));
            fill_uniform(&random, -1, 1, 2, contacts[i].w);
            fill_uniform(&random, -1, 1, 6, contacts[i].J);
        }
        mo_problem *problem = body_with(3, 1 + trial % 6, contacts);
        mo_check_result check;
        CHECK(mo_check(problem, 0, &check) == MO_OK);
        const int exists = check.conditions[MO_CONDITION_CLOSED].answer == MO_ANSWER_HOLDS ||
                           check.conditions[MO_CONDITION_POINTED].answer == MO_ANSWER_HOLDS;
        CHECK(check.verdict != MO_VERDICT_NONE || !exists);
        if (check.conditions[MO_CONDITION_FRICTIONLESS].answer == MO_ANSWER_FAILS)
            assert_int_equal(check.verdict, MO_VERDICT_NONE);
        CHECK(check.verdict != MO_VERDICT_UNKNOWN);
        none += check.verdict == MO_VERDICT_NONE;
        exist += exists;
        mo_check_clear(&check);
        mo_problem_destroy(problem);
    }
    CHECK(none > 20 && exist > 100);
}

static void a_ball_crushed_in_space_has_no_solution_and_a_free_one_has(void **state)
{
    (void)state;
    contact planes[2] = {{3, mo_law_coulomb(0.5), {-0.5}, {1, 0, 0, 0, 1, 0, 0, 0, 1}},
                         {3, mo_law_coulomb(0.5), {-0.25}, {-1, 0, 0, 0, 1, 0, 0, 0, 1}}};
    mo_problem *crushed = body_with(3, 2, planes);
    planes[1].w[0] = 0.75;
    mo_problem *loose = body_with(3, 2, planes);
    mo_check_result check;
    CHECK(mo_check(crushed, 0, &check) == MO_OK);
    assert_int_equal(check.verdict, MO_VERDICT_NONE);
    mo_check_clear(&check);
    CHECK(mo_check(loose, 0, &check) == MO_OK);
    CHECK(check.verdict == MO_VERDICT_EXISTS || check.verdict == MO_VERDICT_UNIQUE);
    assert_int_equal(check.set.count, 1);
    mo_check_clear(&check);
    mo_problem_destroy(crushed);
    mo_problem_destroy(loose);
}

/* ---- memory that runs out -------------------------------------------------------------------- */

/* Planar and in space, so that every part of the check asks for memory. */
static mo_problem *rationed_problem(scarce *ration, int d)
{
    const mo_allocator allocator = {scarce_reallocate, ration};
    const double M[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, f[3] = {-1, -0.2, 0.1}, w[3] = {-0.1, 0.2, 0};
    const mo_law law = mo_law_coulomb(0.4);
    mo_builder *builder = NULL;
    mo_problem *problem = NULL;
    CHECK(mo_builder_create(&allocator, &builder) == MO_OK);
    mo_builder_add_body(builder, 3, M, f);
    mo_builder_add_constraint(builder, d, &law, w);
    mo_builder_add_jacobian(builder, 0, 0, d, 3, M);
    CHECK(mo_builder_finish(builder, &problem, NULL) == MO_OK);
    mo_builder_destroy(builder);
    return problem;
}

static void a_check_without_memory_reports_it_and_leaks_nothing(void **state)
{
    (void)state;
    for (int d = 2; d <= 3; ++d) {
        scarce ration = {.left = SCARCE_PLENTY};
        mo_problem *problem = rationed_problem(&ration, d);
        mo_error error = MO_ERR_MEMORY;
        int requests = 0;
        for (; error == MO_ERR_MEMORY && requests < 3000; ++requests) {
            mo_check_result check;
            ration.left = requests;
            error = mo_check(problem, 0, &check);
            CHECK(error == MO_ERR_MEMORY || check.verdict == MO_VERDICT_UNIQUE);
            mo_check_clear(&check);
        }
        assert_int_equal(error, MO_OK);
        CHECK(requests > 10);
        mo_problem_destroy(problem);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(painleves_rod_meets_4_4_where_a_solution_exists),
        cmocka_unit_test(a_groove_is_pointed_up_to_the_mu_of_the_closed_form),
        cmocka_unit_test(a_ball_crushed_between_planes_has_no_motion),
        cmocka_unit_test(grasps_that_only_roll_meet_eq_36),
        cmocka_unit_test(random_contacts_in_space_are_decided_one_way_or_the_other),
        cmocka_unit_test(evidence_that_lies_is_rejected),
        cmocka_unit_test(no_planar_problem_without_solution_meets_a_condition_for_existence),
        cmocka_unit_test(a_ball_crushed_in_space_has_no_solution_and_a_free_one_has),
        cmocka_unit_test(a_check_without_memory_reports_it_and_leaks_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
