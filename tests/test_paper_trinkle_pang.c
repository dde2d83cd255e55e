/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* What [trinkle1997] claims and we confirm: Proposition 1, and table 1 at least as good; data sets
 * as files. */
#include "check.h"

#include <stdlib.h>
#include <string.h>

#include "scenes.h"
#include "trinkle-pang-1997/rerun.h"

/* ---- Proposition 1 --------------------------------------------------------------------------- */

/* Do the forces of all contacts lie in the cone of eq. 8, up to rounding? */
static int is_in_the_cone(const double *r, int contacts, double mu)
{
    for (int i = 0; i < contacts; ++i) {
        const double *c = r + 3 * i;
        if (hypot(c[1], c[2]) > mu * c[0] * (1 + 1e-12) + 1e-12) return 0;
    }
    return 1;
}

/* Solves with pyramids.  1: in the cone, and the residual with cones says so too; 0: outside the
 * cone. */
static int confirm(scene_grasp_def def, const char *method)
{
    mo_problem *pyramid, *cone;
    mo_options options = mo_default_options();
    mo_result result = {0};
    mo_residual residual;
    def.cone = 0;
    CHECK(scene_grasp(&def, &pyramid, NULL) == MO_OK);
    def.cone = 1;
    CHECK(scene_grasp(&def, &cone, NULL) == MO_OK);
    options.method = method;
    options.tol = 1e-11;
    CHECK(mo_solve(pyramid, &options, &result) == MO_OK && result.status == MO_SOLVED);
    const int inside = is_in_the_cone(result.r, def.rolling + def.sliding, def.mu);
    CHECK(mo_measure(cone, result.r, &residual) == MO_OK);
    if (inside) CHECK_BELOW(residual.natural_relative, 1e-10);
    mo_result_clear(&result);
    mo_problem_destroy(pyramid);
    mo_problem_destroy(cone);
    return inside;
}

static void a_pyramid_solution_inside_the_cone_solves_the_cone_model(void **state)
{
    (void)state;
    int inside = 0, outside = 0;
    for (uint64_t seed = 1; seed <= 60; ++seed) {
        for (int method = 0; method < TP_METHOD_COUNT; ++method) {
            scene_grasp_def def = scene_grasp_default();
            def.seed = seed;
            def.objects = 2;
            def.rolling = 2;
            def.sliding = (int)seed % 2;
            def.mu = 0.1 + 0.1 * (double)(seed % 4);
            const int is_inside = confirm(def, tp_method_names[method]);
            inside += is_inside;
            outside += !is_inside;
        }
    }
    CHECK(inside >= 20 &&
          outside >= 20); /* the condition matters, and is met often enough to be tested */
}

/* The block slides down along t, an axis of the pyramid and in the cone: c_o = 0, although it
 * slides. */
static void sliding_along_an_axis_of_the_pyramid_is_sliding_in_the_cone(void **state)
{
    (void)state;
    const double b[3] = {-1, 0.9, 0}, oblique[3] = {-1, 0.9, 0.7}, mu = 0.4;
    const double M[9] = {2, 0, 0, 0, 2, 0, 0, 0, 2}, J[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    for (int k = 0; k < 2; ++k) {
        mo_problem *problem[2];
        for (int cone = 0; cone < 2; ++cone) {
            const mo_law law = cone ? mo_law_coulomb(mu) : mo_law_pyramid(mu);
            mo_builder *builder;
            CHECK(mo_builder_create(NULL, &builder) == MO_OK);
            mo_builder_add_body(builder, 3, M, NULL);
            mo_builder_add_constraint(builder, 3, &law, k ? oblique : b);
            mo_builder_add_jacobian(builder, 0, 0, 3, 3, J);
            CHECK(mo_builder_finish(builder, &problem[cone], NULL) == MO_OK);
            mo_builder_destroy(builder);
        }
        mo_options options = mo_default_options();
        mo_result result = {0};
        mo_residual residual;
        options.method = "lemke";
        CHECK(mo_solve(problem[0], &options, &result) == MO_OK && result.status == MO_SOLVED);
        CHECK(mo_measure(problem[1], result.r, &residual) == MO_OK);
        CHECK(is_in_the_cone(result.r, 1, mu) == (k == 0));
        CHECK((residual.natural_relative < 1e-10) == (k == 0));
        mo_result_clear(&result);
        mo_problem_destroy(problem[0]);
        mo_problem_destroy(problem[1]);
    }
}

/* ---- table 1 --------------------------------------------------------------------------------- */

static tp_set sets[TRINKLE_PANG_SETS];

static int solve_all(void **state)
{
    (void)state;
    for (int k = 0; k < TRINKLE_PANG_SETS; ++k)
        if (tp_solve(k, &sets[k], NULL)) return -1;
    return 0;
}

static void every_row_of_table_1_is_at_least_as_good_as_the_papers(void **state)
{
    (void)state;
    tp_row rows[TP_ROWS];
    tp_make_table(sets, rows);
    for (int r = 0; r < TP_ROWS; ++r) {
        for (int method = 0; method < TP_METHOD_COUNT; ++method)
            CHECK(rows[r].ours[method].fraction >= rows[r].paper[method].fraction);
        CHECK(rows[r].within_100 >=
              rows[r].paper[TP_LEMKE].fraction); /* with the paper's limit, too */
    }
}

static void one_of_the_methods_solves_95_of_100_sets(void **state)
{
    (void)state;
    const tp_total total = tp_add_up(sets);
    CHECK(total.either * 100 >= 95 * TRINKLE_PANG_SETS);
    CHECK(total.solved[TP_LEMKE] >= 310 && total.solved[TP_FIP] >= 310);
}

/* Theorem 1(a): where all contacts roll, and b is in the range of J', as in these, a solution
 * exists. */
static void rolling_problems_are_always_solved_and_the_others_slide(void **state)
{
    (void)state;
    for (int k = 0; k < TRINKLE_PANG_SETS; ++k) {
        CHECK(sets[k].run[TP_LEMKE].solved || sets[k].set.def.sliding > 0);
        CHECK(sets[k].run[TP_FIP].solved || sets[k].set.def.sliding > 0);
        for (int method = 0; method < TP_METHOD_COUNT; ++method) {
            CHECK(!sets[k].run[method].solved || sets[k].run[method].residual <= TP_TOLERANCE);
            CHECK(sets[k].run[method].solved || strlen(sets[k].run[method].message.text) > 20);
        }
    }
}

/* ---- verdicts -------------------------------------------------------------------------------- */

/* Of the sets that neither method solves, all up to size 100 are proven to have no solution, and
 * the proof is judged apart. */
static void the_unsolved_problems_up_to_size_100_have_no_solution(void **state)
{
    (void)state;
    int proven = 0;
    for (int k = 0; k < TRINKLE_PANG_SETS; ++k) {
        mo_problem *problem = NULL;
        mo_check_result check = {0};
        mo_judgement judgement;
        if (sets[k].run[TP_LEMKE].solved || sets[k].run[TP_FIP].solved || sets[k].set.size > 100)
            continue;
        CHECK(scene_grasp(&sets[k].set.def, &problem, NULL) == MO_OK);
        CHECK(mo_check(problem, 300, &check) == MO_OK);
        assert_int_equal(check.verdict, MO_VERDICT_NONE);
        CHECK(mo_check_judge(problem, &check, &judgement) == MO_OK);
        CHECK(judgement.holds);
        mo_check_clear(&check);
        mo_problem_destroy(problem);
        ++proven;
    }
    assert_int_equal(proven, 9);
}

/* What a method solves is never proven to have no solution. */
static void no_proof_contradicts_a_method(void **state)
{
    (void)state;
    for (int k = 0; k < TRINKLE_PANG_SETS; k += 3) {
        tp_verdict verdict;
        if (sets[k].set.size <= 16) {
            CHECK(tp_judge(&sets[k], &verdict, NULL) == MO_OK);
            CHECK(verdict.verdict != MO_VERDICT_UNKNOWN && !verdict.contradicts);
        }
    }
}

/* ---- files ----------------------------------------------------------------------------------- */

static void a_data_set_is_rebuilt_from_its_file_to_the_last_bit(void **state)
{
    (void)state;
    static const char *const path = "trinkle_pang_set.txt";
    for (int k = 0; k < TRINKLE_PANG_SETS; k += 41) {
        scene_grasp_def def;
        int same = 0;
        CHECK(tp_write_set(path, &sets[k].set, NULL) == MO_OK);
        CHECK(tp_read_set(path, &def, &same, NULL) == MO_OK && same);
        CHECK(def.mu == sets[k].set.def.mu && def.seed == sets[k].set.def.seed);
        CHECK(def.rolling == sets[k].set.def.rolling && def.joints == sets[k].set.def.joints);
    }
    remove(path);
}

static void other_files_are_refused_with_a_sentence(void **state)
{
    (void)state;
    static const char *const path = "trinkle_pang_bad.txt";
    static const char *const texts[] = {
        "",
        "format = something-else\n",
        "format = moreau-grasp-1\nseed = 1\n",
        "\x01\x02\x03",
        "format = moreau-grasp-1\nseed = 1\nobjects = 1\nmanipulators = 0\njoints = 1\nrolling = "
        "999999999\n"
        "sliding = 0\nmu = 0.5\nchecksum = 0\n",
    };
    for (size_t k = 0; k < sizeof texts / sizeof texts[0]; ++k) {
        FILE *file = fopen(path, "w");
        scene_grasp_def def;
        mo_message why = {""};
        CHECK(file && fputs(texts[k], file) >= 0);
        CHECK(fclose(file) == 0);
        CHECK(tp_read_set(path, &def, NULL, &why) == MO_ERR_FILE && strstr(why.text, path));
    }
    remove(path);
    CHECK(tp_read_set("there is no such file", &(scene_grasp_def){0}, NULL, NULL) == MO_ERR_FILE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pyramid_solution_inside_the_cone_solves_the_cone_model),
        cmocka_unit_test(sliding_along_an_axis_of_the_pyramid_is_sliding_in_the_cone),
        cmocka_unit_test(every_row_of_table_1_is_at_least_as_good_as_the_papers),
        cmocka_unit_test(one_of_the_methods_solves_95_of_100_sets),
        cmocka_unit_test(rolling_problems_are_always_solved_and_the_others_slide),
        cmocka_unit_test(the_unsolved_problems_up_to_size_100_have_no_solution),
        cmocka_unit_test(no_proof_contradicts_a_method),
        cmocka_unit_test(a_data_set_is_rebuilt_from_its_file_to_the_last_bit),
        cmocka_unit_test(other_files_are_refused_with_a_sentence),
    };
    return cmocka_run_group_tests(tests, solve_all, NULL);
}
