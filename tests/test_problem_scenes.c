/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* The papers' examples, as named problems: their verdicts against closed forms, over their
 * parameters. */
#include "check.h"

#include "moreau/moreau.h"
#include "problems.h"

/* A named problem with its first parameters set. */
static mo_problem *build(const char *name, int count, const double *values)
{
    const problem_scene *scene = problem_scene_find(name);
    double all[WORLD_PARAMETERS];
    mo_problem *problem = NULL;
    mo_message why = {{0}};
    CHECK(scene != NULL);
    world_default_values(&scene->about, all);
    for (int k = 0; k < count; ++k) {
        CHECK(world_set_value(&scene->about, all, scene->about.parameter[k].name, values[k],
                              &why) == MO_OK);
    }
    CHECK(scene->build(all, &problem, &why) == MO_OK);
    return problem;
}

static mo_verdict verdict_of(const mo_problem *problem)
{
    mo_check_result check = {0};
    CHECK(mo_check(problem, 0, &check) == MO_OK);
    const mo_verdict verdict = check.verdict;
    mo_check_clear(&check);
    return verdict;
}

static void every_named_problem_is_built_from_its_defaults(void **state)
{
    (void)state;
    for (int k = 0; k < problem_scene_count(); ++k) {
        const problem_scene *scene = problem_scene_at(k);
        CHECK(problem_scene_find(scene->about.name) == scene);
        CHECK(world_scene_find(scene->about.name) == NULL); /* one name, one thing */
        mo_problem *problem = build(scene->about.name, 0, NULL);
        CHECK(mo_problem_row_count(problem) > 0);
        mo_problem_destroy(problem);
    }
    CHECK(problem_scene_find("nothing") == NULL && problem_scene_at(-1) == NULL);
}

/* [acary2011, figure 3]: two planes that close in; away from each other, or still, there is a
 * motion for both. */
static void a_ball_is_crushed_where_the_planes_close_in(void **state)
{
    (void)state;
    for (int k = 0; k < 20; ++k) {
        const double values[2] = {-1 + 0.1 * k + 0.05, k % 4 ? 0.3 * k : 0};
        mo_problem *problem = build("crushed-ball", 2, values);
        assert_int_equal(verdict_of(problem), values[0] > 0 ? MO_VERDICT_NONE : MO_VERDICT_UNIQUE);
        mo_problem_destroy(problem);
    }
}

/* [acary2011, figure 7]: a solution for every motion of the support, although forces are not
 * unique. */
static void a_plate_on_two_supports_is_pointed_for_every_friction(void **state)
{
    (void)state;
    mo_random random = {7};
    for (int k = 0; k < 60; ++k) {
        const double values[3] = {k % 5 ? uniform(&random, 0, 3) : 50, uniform(&random, -1, 1),
                                  uniform(&random, -1, 1)};
        mo_problem *problem = build("rectangle", 3, values);
        mo_check_result check = {0};
        CHECK(mo_check(problem, 0, &check) == MO_OK);
        CHECK(check.verdict == MO_VERDICT_UNIQUE || check.verdict == MO_VERDICT_SEVERAL);
        assert_int_equal(check.conditions[MO_CONDITION_POINTED].answer, MO_ANSWER_HOLDS);
        mo_check_clear(&check);
        mo_problem_destroy(problem);
    }
}

/* [anitescu2004, section 3]: it stays at rest, by whichever corners; the cone is pointed. */
static void a_pyramid_rests_and_can_be_lifted(void **state)
{
    (void)state;
    static const double laws[][2] = {{0, 4}, {0.1, 0}};
    for (int k = 0; k < 2; ++k) {
        mo_problem *problem = build("hexagonal-pyramid", 2, laws[k]);
        mo_check_result check = {0};
        CHECK(mo_check(problem, 300, &check) == MO_OK);
        CHECK(check.verdict == MO_VERDICT_UNIQUE || check.verdict == MO_VERDICT_EXISTS);
        for (int j = 0; j < mo_problem_dof_count(problem); ++j)
            CHECK_BELOW(fabs(check.set.solutions[0].v[j]), 1e-9);
        assert_int_equal(check.conditions[MO_CONDITION_CLOSED].answer, MO_ANSWER_HOLDS);
        assert_int_equal(check.conditions[MO_CONDITION_POINTED].answer, MO_ANSWER_HOLDS);
        mo_check_clear(&check);
        mo_problem_destroy(problem);
    }
}

/* a_N = A r_N + q with A and q as in scenes/problems.c. */
static void a_sliding_rod_has_the_forces_of_the_closed_form(void **state)
{
    (void)state;
    mo_random random = {19};
    int seen[MO_VERDICT_COUNT] = {0};
    for (int k = 0; k < 400; ++k) {
        const double angle = uniform(&random, 0.3, 1.5), mu = uniform(&random, 0.5, 4);
        const double spin = uniform(&random, 0, 6), s = sin(angle), c = cos(angle);
        const double A = 1 + 3 * c * (c - mu * s), q = spin * spin * s - 9.81;
        mo_problem *problem = build("sliding-rod", 4, (double[4]){angle, mu, 1, spin});
        const mo_verdict expected = A > 0   ? MO_VERDICT_UNIQUE
                                    : q < 0 ? MO_VERDICT_NONE
                                            : MO_VERDICT_SEVERAL;
        assert_int_equal(verdict_of(problem), expected);
        ++seen[expected];
        mo_problem_destroy(problem);
    }
    CHECK(seen[MO_VERDICT_NONE] > 20 && seen[MO_VERDICT_SEVERAL] > 20);
}

static void where_no_force_holds_the_rod_an_impulse_stops_its_tip(void **state)
{
    (void)state;
    mo_random random = {23};
    for (int k = 0, tried = 0; tried < 50; ++k) {
        const double angle = uniform(&random, 0.3, 1.5), mu = uniform(&random, 1.4, 4);
        const double s = sin(angle), c = cos(angle);
        if (1 + 3 * c * (c - mu * s) > -0.01) continue;
        ++tried;
        mo_problem *forces = build("sliding-rod", 4, (double[4]){angle, mu, 1, 0});
        mo_problem *impulses = build("sliding-rod", 5, (double[5]){angle, mu, 1, 0, 0.01});
        mo_check_result check = {0};
        assert_int_equal(verdict_of(forces), MO_VERDICT_NONE);
        CHECK(mo_check(impulses, 0, &check) == MO_OK);
        assert_int_equal(check.verdict, MO_VERDICT_UNIQUE);
        assert_int_equal(check.set.solutions[0].modes[0], MO_FOUND_STICK);
        CHECK(check.set.solutions[0].is_proven);
        mo_check_clear(&check);
        mo_problem_destroy(forces);
        mo_problem_destroy(impulses);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_named_problem_is_built_from_its_defaults),
        cmocka_unit_test(a_ball_is_crushed_where_the_planes_close_in),
        cmocka_unit_test(a_plate_on_two_supports_is_pointed_for_every_friction),
        cmocka_unit_test(a_pyramid_rests_and_can_be_lifted),
        cmocka_unit_test(a_sliding_rod_has_the_forces_of_the_closed_form),
        cmocka_unit_test(where_no_force_holds_the_rod_an_impulse_stops_its_tip),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
