/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * `dantzig` beyond what every method is asked in test_solve.c: degenerate and rank deficient piles,
 * mixed laws, and rays that are multiplied back.
 */
#include "method_runs.h"

/* ---- piles ----------------------------------------------------------------------------------- */

static void a_wall_at_rest_stays_there_and_its_floor_carries_the_weight(void **state)
{
    (void)state;
    for (int kind = 0; kind < 4; ++kind) {
        const int in_plane = kind >> 1, first_course = 3 * (in_plane ? 2 : 4);
        mo_problem *problem = wall(4, 3, kind & 1, in_plane, 0);
        mo_result result = solved("dantzig", problem, 1e-12);
        double carried = 0, weight = 0;
        for (int k = 0; k < result.dof_count; ++k)
            CHECK_NEAR(result.v[k], 0, 1e-12);
        for (int i = 0; i < first_course; ++i)
            carried += result.r[mo_problem_constraint(problem, i).offset];
        for (int b = 0; b < mo_problem_body_count(problem); ++b)
            weight += mo_problem_body(problem, b).M[0] * SCENE_GRAVITY * 0.01;
        CHECK_NEAR(carried, weight, 1e-10);
        mo_result_clear(&result);
        mo_problem_destroy(problem);
    }
}

static void frictionless_piles_take_no_more_pivots_than_contacts(void **state)
{
    (void)state;
    for (int size = 2; size <= 7; ++size) {
        for (int shaken = 0; shaken < 2; ++shaken) {
            mo_problem *problem = wall(size, size, 1, 0, 0.1 * shaken);
            mo_result result = solved("dantzig", problem, 1e-12);
            CHECK(result.iterations <= result.row_count);
            mo_result_clear(&result);
            mo_problem_destroy(problem);
        }
    }
}

/* Velocities are compared at 1e-9: a residual of that size moves them by no more than this. */
static void same_velocity_as_nsgs(const mo_problem *problem, double tolerance)
{
    mo_result ours = solved("dantzig", problem, 1e-9), other = solved("nsgs", problem, 1e-9);
    for (int k = 0; k < ours.row_count; ++k)
        CHECK_NEAR(ours.u[k], other.u[k], tolerance);
    mo_result_clear(&ours);
    mo_result_clear(&other);
}

static void shaken_walls_move_alike_with_nsgs(void **state)
{
    (void)state;
    for (int in_plane = 0; in_plane < 2; ++in_plane) {
        mo_problem *frictionless = wall(3, 2, 1, in_plane, 0.1); /* the velocity is unique */
        same_velocity_as_nsgs(frictionless, 1e-6);
        mo_problem_destroy(frictionless);
        mo_problem *rough = wall(3, 2, 0, in_plane, 0.02);
        mo_result result = solved("dantzig", rough, 1e-9);
        mo_result_clear(&result);
        mo_problem_destroy(rough);
    }
}

static void stacks_of_unequal_boxes_are_solved_at_once(void **state)
{
    (void)state;
    static const double ratios[] = {1e-3, 1, 1e3};
    for (int k = 0; k < 3; ++k) {
        scene_stack_def def = scene_stack_default();
        def.mass_ratio = ratios[k];
        def.boxes = 6;
        mo_problem *problem;
        CHECK(scene_box_stack(&def, &problem, NULL) == MO_OK);
        mo_result result = solved("dantzig", problem, 1e-10);
        CHECK(result.iterations <= 4 * def.boxes);
        mo_result_clear(&result);
        mo_problem_destroy(problem);
    }
}

static void closed_loops_of_joints_need_no_pivot(void **state)
{
    (void)state;
    for (int links = 1; links <= 12; ++links) {
        scene_chain_def def = scene_chain_default();
        def.links = links;
        def.closed = 1;
        mo_problem *problem;
        CHECK(scene_joint_chain(&def, &problem, NULL) == MO_OK);
        mo_result result = solved("dantzig", problem, 1e-10);
        CHECK(result.iterations == 0);
        mo_result_clear(&result);
        mo_problem_destroy(problem);
    }
}

/* ---- random problems ------------------------------------------------------------------------- */

static mo_problem *random_problem(uint64_t seed, int contacts, int in_plane, unsigned laws,
                                  double mu)
{
    scene_random_def def = scene_random_default();
    mo_problem *problem;
    def.seed = seed;
    def.constraints = contacts;
    def.in_plane = in_plane;
    def.laws = laws;
    def.mu_min = 0.1 * mu;
    def.mu_max = mu;
    def.compliance = seed % 4 == 0 ? 1e-2 : 0;
    CHECK(scene_random(&def, &problem, NULL, NULL) == MO_OK);
    return problem;
}

static void mixed_laws_with_little_friction_agree_with_nsgs(void **state)
{
    (void)state;
    const unsigned laws = SCENE_COULOMB | SCENE_FRICTIONLESS | SCENE_BILATERAL | SCENE_BOX;
    for (uint64_t seed = 1; seed <= 30; ++seed) {
        mo_problem *problem = random_problem(seed, 14, seed % 2, laws, 0.3);
        same_velocity_as_nsgs(problem, 1e-5);
        mo_problem_destroy(problem);
    }
}

static void far_more_contacts_than_velocities_are_solved(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 20; ++seed) { /* 30 or 60 velocities */
        for (int in_plane = 0; in_plane < 2; ++in_plane) {
            mo_problem *problem = random_problem(seed, 60, in_plane, SCENE_COULOMB, 0.9);
            mo_result result = solved("dantzig", problem, 1e-9);
            mo_result_clear(&result);
            mo_problem_destroy(problem);
        }
    }
}

static void pyramids_move_alike_with_nsgs(void **state)
{
    (void)state;
    const mo_law pyramid = mo_law_pyramid(0.3);
    for (uint64_t seed = 1; seed <= 20; ++seed) {
        mo_problem *cone = random_problem(seed, 12, 0, SCENE_COULOMB, 0.3);
        mo_problem *problem = with_laws(cone, &pyramid, 1);
        same_velocity_as_nsgs(problem, 1e-5);
        mo_problem_destroy(problem);
        mo_problem_destroy(cone);
    }
}

static void contacts_without_slip_and_without_friction_mix(void **state)
{
    (void)state;
    const mo_law laws[3] = {mo_law_coulomb(INFINITY), mo_law_coulomb(0), mo_law_coulomb(0.4)};
    for (uint64_t seed = 1; seed <= 20; ++seed) {
        mo_problem *cone = random_problem(seed, 9, seed % 2, SCENE_COULOMB, 0.3);
        mo_problem *problem = with_laws(cone, laws, 3);
        mo_result result = solved("dantzig", problem, 1e-9);
        mo_result_clear(&result);
        mo_problem_destroy(problem);
        mo_problem_destroy(cone);
    }
}

static void unsymmetric_masses_are_taken(void **state)
{
    (void)state;
    const mo_law law = mo_law_coulomb(0.4);
    mo_random random = {7};
    for (int round = 0; round < 20; ++round) {
        mo_builder *builder = new_builder();
        const double turn = uniform(&random, 0.1, 0.5); /* as an implicit gyroscopic term */
        double M[9] = {1, turn, 0, -turn, 1, turn, 0, -turn, 1}, f[3], J[2][9];
        fill_uniform(&random, -1, 1, 3, f);
        mo_builder_add_unsymmetric_body(builder, 3, M, f);
        for (int i = 0; i < 2; ++i) {
            fill_uniform(&random, -1, 1, 9, J[i]);
            mo_builder_add_constraint(builder, 3, &law, NULL);
            mo_builder_add_jacobian(builder, i, 0, 3, 3, J[i]);
        }
        mo_problem *problem = finish(builder);
        mo_result result = solved("dantzig", problem, 1e-10);
        mo_result_clear(&result);
        mo_problem_destroy(problem);
    }
}

static void unsolvable_friction_problems_end_in_time_with_a_status(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 10; ++seed) {
        mo_problem *problem = random_problem(seed, 60, 1, SCENE_COULOMB, 20);
        mo_options options = options_of("dantzig", 1e-9);
        mo_result result = {0};
        options.dantzig.restarts = 1;
        CHECK(mo_solve(problem, &options, &result) == MO_OK);
        CHECK((result.status == MO_SOLVED) == (result.residual.natural_relative <= 1e-9));
        CHECK(result.iterations <= 2 * (100 + 31 * result.row_count));
        mo_result_clear(&result);
        mo_problem_destroy(problem);
    }
}

/* ---- dynamic friction ------------------------------------------------------------------------ */

/*
 * A thin rod of mass 1 and length 2 slides to the left on its lower tip, leaning at tan(angle) = 2,
 * and falls with speed 1. W_NN = 1 + 3 cos^2 = 1.6, W_NT = -3 sin cos = -1.2; friction pushes to
 * the right, r_T = mu r_N, so that u_N = (1.6 - 1.2 mu) r_N - 1: Painleve's paradox for mu > 4/3.
 */
static mo_problem *sliding_rod(double mu)
{
    static const double left[1] = {-1};
    const double cosine = 1 / sqrt(5), sine = 2 / sqrt(5);
    const double M[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1.0 / 3}, f[3] = {-1, -1, 0};
    const double J[6] = {0, 1, -cosine, 1, 0, sine}; /* of the tip at (-cos, -sin) */
    const mo_law law = mo_law_sliding(mu, left);
    mo_builder *builder = new_builder();
    mo_builder_add_body(builder, 3, M, f);
    mo_builder_add_constraint(builder, 2, &law, NULL);
    mo_builder_add_jacobian(builder, 0, 0, 2, 3, J);
    return finish(builder);
}

static void a_sliding_rod_is_pushed_as_on_paper(void **state)
{
    (void)state;
    for (int k = 0; k <= 4; ++k) {
        const double mu = 0.3 * k;
        mo_problem *problem = sliding_rod(mu);
        mo_result result = solved("dantzig", problem, 1e-12);
        CHECK_NEAR(result.r[0], 1 / (1.6 - 1.2 * mu), 1e-11);
        CHECK_NEAR(result.r[1], mu / (1.6 - 1.2 * mu), 1e-11);
        CHECK(result.ray == NULL);
        mo_result_clear(&result);
        mo_problem_destroy(problem);
    }
}

static void a_jammed_rod_gets_the_direction_of_an_impulse(void **state)
{
    (void)state;
    const double mu = 2;
    mo_problem *problem = sliding_rod(mu);
    mo_result result = run("dantzig", problem, 1e-9);
    CHECK(result.status == MO_STALLED && result.ray != NULL);
    CHECK(strstr(result.message.text, "impulse"));
    CHECK(result.ray[0] > 0);
    CHECK_NEAR(result.ray[1], mu * result.ray[0], 1e-12); /* in the set of impulses */
    /* Multiplied back: along the ray the rod is pressed into the ground, faster and faster. */
    double still[2], pushed[2];
    CHECK(mo_problem_response(problem, NULL, still) == MO_OK);
    CHECK(mo_problem_response(problem, result.ray, pushed) == MO_OK);
    CHECK_NEAR((pushed[0] - still[0]) / result.ray[0], 1.6 - 1.2 * mu, 1e-12);
    mo_result_clear(&result);
    mo_problem_destroy(problem);
}

static void static_and_dynamic_friction_mix(void **state)
{
    (void)state;
    static const double right[1] = {1}, left[1] = {-1};
    const mo_law laws[3] = {mo_law_coulomb(0.5), mo_law_sliding(0.2, right),
                            mo_law_sliding(0.2, left)};
    for (uint64_t seed = 1; seed <= 40; ++seed) {
        mo_problem *plain = random_problem(seed, 12, 1, SCENE_COULOMB, 0.5);
        mo_problem *problem = with_laws(plain, laws, 3);
        mo_result result = solved("dantzig", problem, 1e-10);
        mo_result_clear(&result);
        mo_problem_destroy(problem);
        mo_problem_destroy(plain);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_wall_at_rest_stays_there_and_its_floor_carries_the_weight),
        cmocka_unit_test(frictionless_piles_take_no_more_pivots_than_contacts),
        cmocka_unit_test(shaken_walls_move_alike_with_nsgs),
        cmocka_unit_test(stacks_of_unequal_boxes_are_solved_at_once),
        cmocka_unit_test(closed_loops_of_joints_need_no_pivot),
        cmocka_unit_test(mixed_laws_with_little_friction_agree_with_nsgs),
        cmocka_unit_test(far_more_contacts_than_velocities_are_solved),
        cmocka_unit_test(pyramids_move_alike_with_nsgs),
        cmocka_unit_test(contacts_without_slip_and_without_friction_mix),
        cmocka_unit_test(unsymmetric_masses_are_taken),
        cmocka_unit_test(unsolvable_friction_problems_end_in_time_with_a_status),
        cmocka_unit_test(a_sliding_rod_is_pushed_as_on_paper),
        cmocka_unit_test(a_jammed_rod_gets_the_direction_of_an_impulse),
        cmocka_unit_test(static_and_dynamic_friction_mix),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
