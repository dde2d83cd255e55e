/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * The scenes are what their header says: closed forms, planted solutions, exact numbers of
 * contacts, the same bits for the same seed.  And large ones, swept in colours, give the same bits
 * on any number of threads.
 */
#include "scene_problems.h"

/* ---- the particle ---------------------------------------------------------------------------- */

static void the_particle_of_the_paper_slides(void **state)
{
    (void)state;
    const scene_particle_def def = scene_particle_default();
    mo_problem *problem;
    CHECK(scene_particle(&def, &problem, NULL) == MO_OK);
    mo_result result = solved(problem, 1e-14);
    const double r[3] = {0.5, -0.25, 0}, u[3] = {0, 0.75, 0};
    for (int k = 0; k < 3; ++k) {
        CHECK_NEAR(result.r[k], r[k], 1e-14);
        CHECK_NEAR(result.u[k], u[k], 1e-14);
    }
    mo_result_clear(&result);
    mo_problem_destroy(problem);
}

static void the_particle_touches_without_impulse_at_five(void **state)
{
    (void)state;
    scene_particle_def def = scene_particle_default();
    mo_problem *problem;
    def.gravity = -5;
    CHECK(scene_particle(&def, &problem, NULL) == MO_OK);
    double q[3];
    CHECK(mo_problem_response(problem, NULL, q) == MO_OK);
    CHECK_NEAR(q[0], 0, 1e-15);
    mo_problem_destroy(problem);
}

/* ---- the slope and the stack ----------------------------------------------------------------- */

static void a_steep_slope_is_slid_down_at_the_known_speed(void **state)
{
    (void)state;
    scene_slope_def def = scene_slope_default();
    mo_problem *problem;
    for (double angle = 0.1; angle < 1.1; angle += 0.2) {
        def.angle = angle;
        CHECK(scene_block_on_slope(&def, &problem, NULL) == MO_OK);
        mo_result result = solved(problem, 1e-12);
        const double pull = SCENE_GRAVITY * def.step;
        CHECK_NEAR(result.v[0], fmax(0, pull * (sin(angle) - def.mu * cos(angle))), 1e-11);
        CHECK_NEAR(normal_sum(result.r, 4), pull * cos(angle), 1e-11);
        mo_result_clear(&result);
        mo_problem_destroy(problem);
    }
}

/* The top cube slides, at push > mu, while those below stay. */
static void a_stack_stands_or_loses_its_top(void **state)
{
    (void)state;
    scene_stack_def def = scene_stack_default();
    def.mu = 0.3;
    for (int slides = 0; slides < 2; ++slides) {
        mo_problem *problem;
        def.push = slides ? 0.4 : 0.25;
        CHECK(scene_box_stack(&def, &problem, NULL) == MO_OK);
        mo_result result = solved(problem, 1e-10);
        const double *top = result.v + 6 * (def.boxes - 1);
        const double pull = SCENE_GRAVITY * def.step;
        CHECK_NEAR(top[0], slides ? pull * (def.push - def.mu) : 0, 1e-7);
        CHECK_NEAR(top[2], 0, 1e-7);
        CHECK_NEAR(normal_sum(result.r, 4), def.boxes * pull, 1e-6); /* what the floor carries */
        mo_result_clear(&result);
        mo_problem_destroy(problem);
    }
}

static void the_mass_of_a_stack_runs_to_its_ratio(void **state)
{
    (void)state;
    scene_stack_def def = scene_stack_default();
    mo_problem *problem;
    def.boxes = 7;
    def.mass_ratio = 1e6;
    CHECK(scene_box_stack(&def, &problem, NULL) == MO_OK);
    CHECK(mo_problem_constraint_count(problem) == 28);
    CHECK_NEAR(mo_problem_body(problem, 0).M[0], 1, 0);
    CHECK_NEAR(mo_problem_body(problem, 6).M[0], 1e6, 1e-6);
    mo_problem_destroy(problem);
}

/* ---- the chain ------------------------------------------------------------------------------- */

static void a_hanging_chain_carries_what_is_below(void **state)
{
    (void)state;
    scene_chain_def def = scene_chain_default();
    mo_problem *problem;
    def.angle = 0;
    CHECK(scene_joint_chain(&def, &problem, NULL) == MO_OK);
    double r[30], u[30];
    for (int k = 0; k < 10; ++k) {
        r[3 * k] = r[3 * k + 1] = 0;
        r[3 * k + 2] = (def.links - k) * SCENE_GRAVITY * def.step;
    }
    CHECK(mo_problem_response(problem, r, u) == MO_OK);
    for (int k = 0; k < 30; ++k)
        CHECK_NEAR(u[k], 0, 1e-13);
    mo_problem_destroy(problem);
}

/* The rank of W, and the number of rows, of a chain of three links. */
static int chain_rank(int closed, int *rows)
{
    scene_chain_def def = scene_chain_default();
    mo_problem *problem;
    def.links = 3;
    def.closed = closed;
    CHECK(scene_joint_chain(&def, &problem, NULL) == MO_OK);
    const int n = *rows = mo_problem_row_count(problem);
    double W[12 * 12], q[12], unit[12], u[12], x[12];
    CHECK(n <= 12);
    CHECK(mo_problem_response(problem, NULL, q) == MO_OK);
    for (int j = 0; j < n; ++j) {
        memset(unit, 0, sizeof unit);
        unit[j] = 1;
        CHECK(mo_problem_response(problem, unit, u) == MO_OK);
        for (int i = 0; i < n; ++i)
            W[i * n + j] = u[i] - q[i];
    }
    mo_problem_destroy(problem);
    return mo_solve_small(n, W, q, x);
}

static void a_closed_chain_has_one_row_too_many(void **state)
{
    (void)state;
    int rows;
    CHECK(chain_rank(0, &rows) == 9 && rows == 9);
    CHECK(chain_rank(1, &rows) == 11 && rows == 12);
}

/* ---- the packing ----------------------------------------------------------------------------- */

static void a_packing_has_exactly_the_contacts_asked_for(void **state)
{
    (void)state;
    for (int contacts = 1; contacts < 3000; contacts += contacts / 4 + 1) {
        mo_problem *problem;
        CHECK(scene_packing(contacts, 11, &problem, NULL) == MO_OK);
        CHECK(mo_problem_constraint_count(problem) == contacts);
        CHECK(mo_problem_row_count(problem) == 3 * contacts);
        CHECK_NEAR((double)contacts / mo_problem_body_count(problem), 3, contacts > 500 ? 0.1 : 3);
        mo_problem_destroy(problem);
    }
}

/* u of a body that moves along without turning is that velocity, seen in an orthonormal frame. */
static void the_frames_of_a_packing_are_orthonormal(void **state)
{
    (void)state;
    mo_problem *problem;
    CHECK(scene_packing(2000, 2, &problem, NULL) == MO_OK);
    for (int i = 0; i < 2000; ++i) {
        const mo_constraint_view view = mo_problem_constraint(problem, i);
        CHECK(view.block_count == 1 || view.block_count == 2);
        const double *J = mo_problem_block(problem, i, view.block_count - 1).values;
        for (int a = 0; a < 3; ++a) {
            for (int b = 0; b < 3; ++b)
                CHECK_NEAR(mo_dot(3, J + 6 * a, J + 6 * b), a == b, 1e-14);
            CHECK(view.block_count == 1 ||
                  mo_problem_block(problem, i, 0).values[6 * a] == -J[6 * a]);
        }
        CHECK_NEAR(mo_dot(3, J + 3, J + 3), 0, 1e-15); /* the normal goes through the centre */
    }
    mo_problem_destroy(problem);
}

static void a_seed_gives_the_same_packing_twice(void **state)
{
    (void)state;
    mo_problem *problem[3];
    for (int k = 0; k < 3; ++k)
        CHECK(scene_packing(1500, k < 2 ? 9 : 10, &problem[k], NULL) == MO_OK);
    double q[3][4500];
    for (int k = 0; k < 3; ++k)
        CHECK(mo_problem_response(problem[k], NULL, q[k]) == MO_OK);
    CHECK(same_bits(problem[0], q[0], q[1]));
    CHECK(!same_bits(problem[0], q[0], q[2]));
    CHECK(memcmp(problem[0]->values, problem[1]->values,
                 sizeof(double) * problem[0]->value_start[1500]) == 0);
    for (int k = 0; k < 3; ++k)
        mo_problem_destroy(problem[k]);
}

static void a_packing_is_solved(void **state)
{
    (void)state;
    mo_problem *problem;
    CHECK(scene_packing(600, 2, &problem, NULL) == MO_OK);
    mo_result result = solved(problem, 1e-8);
    int apart = 0;
    for (int i = 0; i < 600; ++i)
        apart += result.r[3 * i] == 0;
    CHECK(apart > 60 && apart < 540); /* neither flying apart nor frozen */
    mo_result_clear(&result);
    mo_problem_destroy(problem);
}

/* ---- random problems ------------------------------------------------------------------------- */

static void a_planted_solution_is_a_solution(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 60; ++seed) {
        scene_random_def def = scene_random_default();
        def.seed = seed;
        def.in_plane = seed % 3 == 0;
        def.laws = seed % 2 ? SCENE_EVERY_LAW : SCENE_COULOMB;
        def.mass_ratio = seed % 5 ? 1 : 1e3;
        def.compliance = seed % 4 ? 0 : 0.1;
        mo_problem *problem;
        mo_residual residual;
        double *planted;
        CHECK(scene_random(&def, &problem, &planted, NULL) == MO_OK);
        CHECK(mo_measure(problem, planted, &residual) == MO_OK);
        CHECK_BELOW(residual.natural, 1e-12);
        CHECK_BELOW(residual.cone_violation.value, 1e-15);
        free(planted);
        mo_problem_destroy(problem);
    }
}

static void a_random_problem_has_the_laws_asked_for(void **state)
{
    (void)state;
    scene_random_def def = scene_random_default();
    int seen[MO_LAW_KIND_COUNT] = {0};
    mo_problem *problem;
    def.constraints = 300;
    def.laws = SCENE_FRICTIONLESS | SCENE_BOX | SCENE_BILATERAL;
    CHECK(scene_random(&def, &problem, NULL, NULL) == MO_OK);
    for (int i = 0; i < 300; ++i)
        ++seen[mo_problem_constraint(problem, i).law.kind];
    CHECK(seen[MO_LAW_FRICTIONLESS] > 60 && seen[MO_LAW_BOX] > 60 && seen[MO_LAW_BILATERAL] > 60);
    CHECK(seen[MO_LAW_COULOMB] == 0 && seen[MO_LAW_ROLLING] == 0);
    mo_problem_destroy(problem);
}

static void scenes_that_cannot_be_are_refused_with_a_sentence(void **state)
{
    (void)state;
    scene_stack_def stack = {.boxes = 0, .mass_ratio = 1};
    scene_chain_def chain = {.links = 0};
    scene_particle_def particle = scene_particle_default();
    scene_random_def random = scene_random_default();
    mo_problem *problem;
    mo_message why[5] = {{""}};
    random.laws = SCENE_ROLLING;
    random.in_plane = 1; /* no rolling in the plane */
    particle.mu = -1;
    CHECK(scene_box_stack(&stack, &problem, &why[0]) != MO_OK && problem == NULL);
    CHECK(scene_joint_chain(&chain, &problem, &why[1]) != MO_OK && problem == NULL);
    CHECK(scene_particle(&particle, &problem, &why[2]) != MO_OK && problem == NULL);
    CHECK(scene_random(&random, &problem, NULL, &why[3]) != MO_OK && problem == NULL);
    CHECK(scene_packing(0, 1, &problem, &why[4]) != MO_OK && problem == NULL);
    for (int k = 0; k < 5; ++k)
        CHECK(strlen(why[k].text) > 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_particle_of_the_paper_slides),
        cmocka_unit_test(the_particle_touches_without_impulse_at_five),
        cmocka_unit_test(a_steep_slope_is_slid_down_at_the_known_speed),
        cmocka_unit_test(a_stack_stands_or_loses_its_top),
        cmocka_unit_test(the_mass_of_a_stack_runs_to_its_ratio),
        cmocka_unit_test(a_hanging_chain_carries_what_is_below),
        cmocka_unit_test(a_closed_chain_has_one_row_too_many),
        cmocka_unit_test(a_packing_has_exactly_the_contacts_asked_for),
        cmocka_unit_test(the_frames_of_a_packing_are_orthonormal),
        cmocka_unit_test(a_seed_gives_the_same_packing_twice),
        cmocka_unit_test(a_packing_is_solved),
        cmocka_unit_test(a_planted_solution_is_a_solution),
        cmocka_unit_test(a_random_problem_has_the_laws_asked_for),
        cmocka_unit_test(scenes_that_cannot_be_are_refused_with_a_sentence),
    };
    return cmocka_run_group_tests_name("scenes", tests, NULL, NULL);
}
