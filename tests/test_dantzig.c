/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * `dantzig` beyond what every method is asked in test_solve.c: degenerate and rank deficient piles,
 * mixed laws, and rays that are multiplied back.
 */
#include "check.h"

#include <string.h>

#include "building.h"
#include "linalg/dense.h"
#include "moreau/moreau.h"
#include "scenes.h"

static mo_options options_of(const char *method, double tol)
{
    mo_options options = mo_default_options();
    options.method = method;
    options.tol = tol;
    options.max_iter = 100000;
    return options;
}

static mo_result run(const char *method, const mo_problem *problem, double tol)
{
    const mo_options options = options_of(method, tol);
    mo_result result = {0};
    CHECK(mo_solve(problem, &options, &result) == MO_OK);
    return result;
}

/* Solves to `tol` and checks the answer with the measure. */
static mo_result solved(const char *method, const mo_problem *problem, double tol)
{
    mo_result result = run(method, problem, tol);
    if (result.status != MO_SOLVED) {
        fail_msg("%s: %s after %d iterations, residual %g. %s", method,
                 mo_status_word(result.status), result.iterations, result.residual.natural_relative,
                 result.message.text);
    }
    mo_residual residual;
    CHECK(mo_measure(problem, result.r, &residual) == MO_OK);
    CHECK_BELOW(residual.natural_relative, tol);
    return result;
}

/* The reduced problem with other laws: kind[i % kinds] for contact i. */
static mo_problem *with_laws(const mo_problem *problem, const mo_law *laws, int kinds)
{
    mo_problem *reduced;
    CHECK(mo_problem_reduce(problem, &reduced, NULL) == MO_OK);
    mo_builder *builder = new_builder();
    for (int i = 0; i < mo_problem_constraint_count(reduced); ++i) {
        const mo_constraint_view view = mo_problem_constraint(reduced, i);
        mo_builder_add_constraint(builder, view.dim, &laws[i % kinds], view.w);
        for (int k = 0; k < view.block_count; ++k) {
            const mo_block_view block = mo_problem_block(reduced, i, k);
            const mo_constraint_view other = mo_problem_constraint(reduced, block.index);
            mo_builder_add_coupling(builder, i, block.index, view.dim, other.dim, block.values);
        }
    }
    mo_problem_destroy(reduced);
    return finish(builder);
}

static mo_problem *wall(int courses, int length, int frictionless, int in_plane, double shake)
{
    scene_wall_def def = scene_wall_default();
    mo_problem *problem;
    def.courses = courses;
    def.length = length;
    def.frictionless = frictionless;
    def.in_plane = in_plane;
    def.shake = shake;
    CHECK(scene_wall(&def, &problem, NULL) == MO_OK);
    return problem;
}

/* ---- piles ----------------------------------------------------------------------------------- */

static void a_wall_at_rest_stays_there_and_its_floor_carries_the_weight(void **state)
{
    (void)state;
    for (int kind = 0; kind < 4; ++kind) {
        const int in_plane = kind >> 1, first_course = 3 * (in_plane ? 2 : 4);
        mo_problem *problem = wall(4, 3, kind & 1, in_plane, 0);
        mo_result result = solved("dantzig", problem, 1e-12);
        double carried = 0, weight = 0;
        for (int k = 0; k < result.dof_count; ++k) {
            CHECK_NEAR(result.v[k], 0, 1e-12);
        }
        for (int i = 0; i < first_course; ++i) {
            carried += result.r[mo_problem_constraint(problem, i).offset];
        }
        for (int b = 0; b < mo_problem_body_count(problem); ++b) {
            weight += mo_problem_body(problem, b).M[0] * SCENE_GRAVITY * 0.01;
        }
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
    for (int k = 0; k < ours.row_count; ++k) {
        CHECK_NEAR(ours.u[k], other.u[k], tolerance);
    }
    mo_result_clear(&ours);
    mo_result_clear(&other);
}

static void shaken_walls_move_as_nsgs_says(void **state)
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

static void pyramids_move_as_nsgs_says(void **state)
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

static void hopeless_friction_ends_in_time_and_says_so(void **state)
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

/* ---- proofs ---------------------------------------------------------------------------------- */

/* W z = 0 and q'z < 0: q'z is the same for every r, and a solution would make it zero or more. */
static void check_proof(const mo_problem *problem, const mo_result *result)
{
    double q[64], u[64], gain = 0;
    const int rows = result->row_count;
    CHECK(result->status == MO_NO_SOLUTION && result->ray != NULL && rows <= 64);
    CHECK(mo_problem_response(problem, NULL, q) == MO_OK);
    CHECK(mo_problem_response(problem, result->ray, u) == MO_OK);
    for (int k = 0; k < rows; ++k) {
        CHECK_NEAR(u[k], q[k], 1e-12);
        gain += q[k] * result->ray[k];
    }
    CHECK(gain < 0);
}

static void a_body_between_closing_walls_is_proven_to_have_no_way_out(void **state)
{
    (void)state;
    const mo_law law = mo_law_frictionless();
    const double M[1] = {2}, right[1] = {1}, left[1] = {-1}, w[1] = {-0.5}, still[1] = {0};
    for (int closing = 0; closing < 2; ++closing) {
        mo_builder *builder = new_builder();
        mo_builder_add_body(builder, 1, M, NULL);
        mo_builder_add_constraint(builder, 1, &law, closing ? w : still);
        mo_builder_add_constraint(builder, 1, &law, w);
        mo_builder_add_jacobian(builder, 0, 0, 1, 1, right);
        mo_builder_add_jacobian(builder, 1, 0, 1, 1, left);
        mo_problem *problem = finish(builder);
        mo_result result = run("dantzig", problem, 1e-9);
        check_proof(problem, &result); /* one wall alone would push it into the other */
        CHECK(result.ray[0] > 0 && result.ray[1] > 0);
        mo_result_clear(&result);
        mo_problem_destroy(problem);
    }
}

static void joints_that_contradict_each_other_are_proven_to(void **state)
{
    (void)state;
    const mo_law law = mo_law_bilateral();
    const double M[1] = {1}, J[1] = {1}, J2[1] = {2}, one[1] = {1}, two[1] = {2}, three[1] = {3};
    for (int bad = 0; bad < 2; ++bad) { /* v = -1, 2 v = -2 or -3 */
        mo_builder *builder = new_builder();
        mo_builder_add_body(builder, 1, M, NULL);
        mo_builder_add_constraint(builder, 1, &law, one);
        mo_builder_add_constraint(builder, 1, &law, bad ? three : two);
        mo_builder_add_jacobian(builder, 0, 0, 1, 1, J);
        mo_builder_add_jacobian(builder, 1, 0, 1, 1, J2);
        mo_problem *problem = finish(builder);
        mo_result result = run("dantzig", problem, 1e-12);
        if (bad) {
            check_proof(problem, &result);
        } else {
            CHECK(result.status == MO_SOLVED);
            CHECK_NEAR(result.v[0], -1, 1e-12);
        }
        mo_result_clear(&result);
        mo_problem_destroy(problem);
    }
}

/* W = G G' of random rank, with q in its range, in general, or made so that no r will do. */
static mo_problem *semidefinite(mo_random *random, int kind, double *W, double *q)
{
    enum { N = 8 };
    const mo_law law = mo_law_frictionless();
    double G[N * N], x[N];
    const int rank = 1 + (int)(N * mo_random_unit(random));
    fill_uniform(random, -1, 1, N * rank, G);
    fill_uniform(random, -1, 1, N, x);
    fill_uniform(random, -1, 1, N, q);
    mo_builder *builder = new_builder();
    for (int i = 0; i < N; ++i) {
        for (int j = 0; j < N; ++j) {
            W[i * N + j] = mo_dot(rank, G + i * rank, G + j * rank);
        }
    }
    for (int i = 0; i < N; ++i) {
        const double in_range = mo_dot(N, W + i * N, x);
        q[i] = kind == 0 ? in_range : kind == 1 ? in_range + 0.3 : q[i];
        mo_builder_add_constraint(builder, 1, &law, &q[i]);
        for (int j = 0; j < N; ++j) {
            mo_builder_add_coupling(builder, i, j, 1, 1, &W[i * N + j]);
        }
    }
    return finish(builder);
}

/* Feasible is solvable for a semidefinite W; q in the range of W, or above it, is feasible. */
static void semidefinite_problems_are_solved_or_refuted(void **state)
{
    (void)state;
    mo_random random = {11};
    int counts[2] = {0, 0};
    for (int round = 0; round < 1500; ++round) {
        double W[64], q[8];
        mo_problem *problem = semidefinite(&random, round % 3, W, q);
        mo_result result = run("dantzig", problem, 1e-9);
        CHECK(result.status == MO_SOLVED || (round % 3 == 2 && result.status == MO_NO_SOLUTION));
        ++counts[result.status == MO_SOLVED];
        for (int k = 0; result.ray && k < result.row_count; ++k) {
            CHECK(result.ray[k] >= -1e-9 * fabs(result.ray[0]) - 1e-12);
        }
        if (result.status == MO_NO_SOLUTION) {
            double gain = 0;
            for (int i = 0; i < 8; ++i) {
                CHECK_NEAR(mo_dot(8, W + 8 * i, result.ray), 0, 1e-9);
                gain += q[i] * result.ray[i];
            }
            CHECK(gain < 0);
        }
        mo_result_clear(&result);
        mo_problem_destroy(problem);
    }
    CHECK(counts[0] > 50 && counts[1] > 1000);
}

/* ---- the call -------------------------------------------------------------------------------- */

static void a_warm_start_nearby_saves_pivots(void **state)
{
    (void)state;
    mo_problem *problem = wall(4, 4, 0, 1, 0.1), *next = wall(4, 4, 0, 1, 0.1001);
    mo_result cold = solved("dantzig", next, 1e-10), near = solved("dantzig", problem, 1e-10),
              warm = {0};
    mo_options options = options_of("dantzig", 1e-10);
    options.start = near.r;
    CHECK(mo_solve(next, &options, &warm) == MO_OK && warm.status == MO_SOLVED);
    CHECK(5 * warm.iterations <= cold.iterations);
    mo_result_clear(&cold);
    mo_result_clear(&near);
    mo_result_clear(&warm);
    mo_problem_destroy(problem);
    mo_problem_destroy(next);
}

static void the_same_call_gives_the_same_bits(void **state)
{
    (void)state;
    mo_problem *problem = wall(4, 4, 0, 0, 0.1);
    mo_result first = run("dantzig", problem, 1e-9), again = run("dantzig", problem, 1e-9);
    CHECK(first.iterations == again.iterations);
    CHECK(memcmp(first.r, again.r, sizeof(double) * (size_t)first.row_count) == 0);
    mo_result_clear(&first);
    mo_result_clear(&again);
    mo_problem_destroy(problem);
}

static void problems_that_are_too_large_are_refused_with_a_sentence(void **state)
{
    (void)state;
    mo_problem *problem;
    CHECK(scene_packing(2500, 1, &problem, NULL) == MO_OK);
    const mo_options options = options_of("dantzig", 1e-9);
    mo_result result = {0};
    CHECK(mo_solve(problem, &options, &result) == MO_ERR_UNSUPPORTED);
    CHECK(strstr(result.message.text, "7500"));
    mo_result_clear(&result);
    mo_problem_destroy(problem);
}

static void without_newton_steps_the_cone_in_space_is_only_the_papers(void **state)
{
    (void)state;
    scene_slope_def def = scene_slope_default();
    mo_problem *problem;
    def.angle = 0.6;
    def.mu = 0.3;
    CHECK(scene_block_on_slope(&def, &problem, NULL) == MO_OK);
    mo_options options = options_of("dantzig", 1e-9);
    mo_result result = {0};
    options.dantzig.polish = 0;
    CHECK(mo_solve(problem, &options, &result) == MO_OK && result.status == MO_STALLED);
    for (int i = 0; i < 4; ++i) { /* (15), (21) and (22) hold for what it hands back as best */
        const double *u = result.u + 3 * i, *r = result.r + 3 * i;
        CHECK(r[0] >= -1e-12 && u[0] >= -1e-12 && fabs(r[0] * u[0]) < 1e-12);
        CHECK_BELOW(hypot(r[1], r[2]), 0.3 * r[0] + 1e-12);
        CHECK_BELOW(r[1] * u[1] + r[2] * u[2], 1e-12);
    }
    options.dantzig.polish = 100;
    CHECK(mo_solve(problem, &options, &result) == MO_OK && result.status == MO_SOLVED);
    mo_result_clear(&result);
    mo_problem_destroy(problem);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_wall_at_rest_stays_there_and_its_floor_carries_the_weight),
        cmocka_unit_test(frictionless_piles_take_no_more_pivots_than_contacts),
        cmocka_unit_test(shaken_walls_move_as_nsgs_says),
        cmocka_unit_test(stacks_of_unequal_boxes_are_solved_at_once),
        cmocka_unit_test(closed_loops_of_joints_need_no_pivot),
        cmocka_unit_test(mixed_laws_with_little_friction_agree_with_nsgs),
        cmocka_unit_test(far_more_contacts_than_velocities_are_solved),
        cmocka_unit_test(pyramids_move_as_nsgs_says),
        cmocka_unit_test(contacts_without_slip_and_without_friction_mix),
        cmocka_unit_test(unsymmetric_masses_are_taken),
        cmocka_unit_test(hopeless_friction_ends_in_time_and_says_so),
        cmocka_unit_test(a_sliding_rod_is_pushed_as_on_paper),
        cmocka_unit_test(a_jammed_rod_gets_the_direction_of_an_impulse),
        cmocka_unit_test(static_and_dynamic_friction_mix),
        cmocka_unit_test(a_body_between_closing_walls_is_proven_to_have_no_way_out),
        cmocka_unit_test(joints_that_contradict_each_other_are_proven_to),
        cmocka_unit_test(semidefinite_problems_are_solved_or_refuted),
        cmocka_unit_test(a_warm_start_nearby_saves_pivots),
        cmocka_unit_test(the_same_call_gives_the_same_bits),
        cmocka_unit_test(problems_that_are_too_large_are_refused_with_a_sentence),
        cmocka_unit_test(without_newton_steps_the_cone_in_space_is_only_the_papers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
