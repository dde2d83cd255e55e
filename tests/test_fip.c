/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * The feasible interior point method: closed forms, scenes without an interior, redundant contacts,
 * agreement with Lemke's algorithm, any LCP at all, and how it ends where there is no solution.
 */
#include "check.h"

#include <stdlib.h>
#include <string.h>

#include "building.h"
#include "moreau/moreau.h"
#include "restate.h"
#include "scenes.h"
#include "trinkle_pang.h"

static mo_result run(const char *method, const mo_problem *problem, double tol)
{
    mo_options options = mo_default_options();
    mo_result result = {0};
    options.method = method;
    options.tol = tol;
    CHECK(mo_solve(problem, &options, &result) == MO_OK);
    return result;
}

static mo_result solved(const char *method, const mo_problem *problem, double tol)
{
    mo_result result = run(method, problem, tol);
    mo_residual residual;
    if (result.status != MO_SOLVED) {
        fail_msg("%s: %s after %d iterations, residual %g. %s", method,
                 mo_status_name(result.status), result.iterations, result.residual.natural_relative,
                 result.message.text);
    }
    CHECK(mo_measure(problem, result.r, &residual) == MO_OK);
    CHECK_BELOW(residual.natural_relative, tol);
    return result;
}

/* ---- closed forms ---------------------------------------------------------------------------- */

/* A particle of mass m on a plane with this law: u = r / m + b. */
static mo_problem *particle(double m, mo_law law, const double b[3])
{
    const double M[9] = {m, 0, 0, 0, m, 0, 0, 0, m}, J[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    mo_builder *builder = new_builder();
    mo_builder_add_body(builder, 3, M, NULL);
    mo_builder_add_constraint(builder, 3, &law, b);
    mo_builder_add_jacobian(builder, 0, 0, 3, 3, J);
    return finish(builder);
}

static void a_particle_obeys_the_pyramid_in_closed_form(void **state)
{
    (void)state;
    mo_random random = {7};
    for (int k = 0; k < 300; ++k) {
        const double m = pow(10, uniform(&random, -3, 3)),
                     mu = k % 10 ? uniform(&random, 0.01, 1.5) : 0;
        double b[3];
        fill_uniform(&random, -1, 1, 3, b);
        mo_problem *problem = particle(m, mo_law_pyramid(mu), b);
        mo_result result = solved("fip", problem, 1e-11);
        const double normal = fmax(0, -m * b[0]);
        CHECK_NEAR(result.r[0], normal, 1e-9 * m);
        for (int t = 1; t < 3; ++t)
            CHECK_NEAR(result.r[t], fmax(-mu * normal, fmin(mu * normal, -m * b[t])), 1e-9 * m);
        mo_result_clear(&result);
        mo_problem_destroy(problem);
    }
}

/* Three rows on a full W: r_N = -q_N / (W_NN - mu W_NT s). */
static void a_contact_that_slides_has_one_unknown(void **state)
{
    (void)state;
    mo_random random = {8};
    for (int k = 0; k < 200; ++k) {
        const double angle = uniform(&random, 0, 6.28), mu = uniform(&random, 0, 0.5);
        const double s[2] = {cos(angle), sin(angle)};
        double B[9], W[9], q[3];
        fill_uniform(&random, -1, 1, 9, B);
        fill_uniform(&random, -1, 1, 3, q);
        for (int i = 0; i < 9; ++i)
            W[i] = (i % 4 == 0) + B[i / 3 * 3] * B[i % 3 * 3] + B[i / 3 * 3 + 1] * B[i % 3 * 3 + 1];
        const mo_law law = mo_law_sliding(mu, s);
        mo_builder *builder = new_builder();
        mo_builder_add_constraint(builder, 3, &law, q);
        mo_builder_add_coupling(builder, 0, 0, 3, 3, W);
        mo_problem *problem = finish(builder);
        const double stiffness = W[0] - mu * (W[1] * s[0] + W[2] * s[1]);
        CHECK(stiffness > 0);
        mo_result result = solved("fip", problem, 1e-11);
        const double normal = fmax(0, -q[0] / stiffness);
        CHECK_NEAR(result.r[0], normal, 1e-9);
        CHECK_NEAR(result.r[1], -mu * s[0] * normal, 1e-9);
        CHECK_NEAR(result.r[2], -mu * s[1] * normal, 1e-9);
        mo_result_clear(&result);
        mo_problem_destroy(problem);
    }
}

/* ---- redundant and degenerate ---------------------------------------------------------------- */

static void a_box_on_four_corners_sticks_and_slides_as_with_newton(void **state)
{
    (void)state;
    for (int k = 0; k < 12; ++k) {
        scene_slope_def def = scene_slope_default();
        mo_problem *cone;
        def.angle = 0.1 * (k % 6);
        def.mu = 0.3;
        CHECK(scene_block_on_slope(&def, &cone, NULL) == MO_OK);
        mo_problem *problem = restate(cone, k < 6 ? 0 : 8); /* both have a direction downhill */
        mo_result result = solved("fip", problem, 1e-10);
        const double speed = SCENE_GRAVITY * def.step * (sin(def.angle) - def.mu * cos(def.angle));
        CHECK_NEAR(result.v[0], fmax(0, speed), 1e-9);
        for (int i = 1; i < 6; ++i)
            CHECK_NEAR(result.v[i], 0, 1e-9);
        mo_result_clear(&result);
        mo_problem_destroy(problem);
        mo_problem_destroy(cone);
    }
}

static void a_stack_of_boxes_stays_at_rest(void **state)
{
    (void)state;
    for (int mass = 0; mass < 3; ++mass) {
        scene_stack_def def = scene_stack_default();
        mo_problem *cone;
        def.boxes = 4;
        def.push = 0.1;
        def.mass_ratio = pow(10, mass - 1);
        CHECK(scene_box_stack(&def, &cone, NULL) == MO_OK);
        mo_problem *problem = restate(cone, 0);
        mo_result result = solved("fip", problem, 1e-10);
        for (int k = 0; k < result.dof_count; ++k)
            CHECK_NEAR(result.v[k], 0, 1e-7);
        mo_result_clear(&result);
        mo_problem_destroy(problem);
        mo_problem_destroy(cone);
    }
}

static void closed_loops_of_joints_are_solved(void **state)
{
    (void)state;
    scene_chain_def def = scene_chain_default();
    mo_problem *problem;
    def.links = 5;
    def.closed = 1;
    CHECK(scene_joint_chain(&def, &problem, NULL) == MO_OK);
    mo_result result = solved("fip", problem, 1e-9), other = solved("lemke", problem, 1e-9);
    for (int k = 0; k < result.dof_count; ++k)
        CHECK_NEAR(result.v[k], other.v[k], 1e-8);
    mo_result_clear(&result);
    mo_result_clear(&other);
    mo_problem_destroy(problem);
}

/* Between two walls a body can press on both or on neither: no point is strictly feasible. */
static mo_problem *squeezed(mo_law law, double room)
{
    const double M[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, f[3] = {0.3, -2, 0.2};
    const double floor[9] = {0, 1, 0, 1, 0, 0, 0, 0, 1}, ceiling[9] = {0, -1, 0, 1, 0, 0, 0, 0, -1};
    const double w[3] = {room, 0, 0};
    mo_builder *builder = new_builder();
    mo_builder_add_body(builder, 3, M, f);
    for (int i = 0; i < 2; ++i) {
        mo_builder_add_constraint(builder, 3, &law, i ? w : NULL);
        mo_builder_add_jacobian(builder, i, 0, 3, 3, i ? ceiling : floor);
    }
    return finish(builder);
}

static void a_body_between_two_walls_is_solved_without_an_interior(void **state)
{
    (void)state;
    for (int k = 0; k < 4; ++k) {
        const mo_law law = k % 2 ? mo_law_faceted(0.4, 6) : mo_law_pyramid(0.05 * (k + 1));
        mo_problem *problem = squeezed(law, 0);
        mo_result result = solved("fip", problem, 1e-9);
        CHECK_NEAR(result.u[0], 0, 1e-9);
        CHECK(result.r[0] >= 2 - 1e-8);
        mo_result_clear(&result);
        mo_problem_destroy(problem);
    }
}

static void converging_walls_are_not_solved_and_the_message_gives_the_reason(void **state)
{
    (void)state;
    mo_problem *problem = squeezed(mo_law_pyramid(0.3), -0.1);
    mo_result result = run("fip", problem, 1e-8);
    CHECK(result.status == MO_STALLED);
    CHECK(strstr(result.message.text, "inequalities"));
    CHECK(result.residual.natural_relative > 1e-3 && result.iterations < 5000);
    mo_result_clear(&result);
    mo_problem_destroy(problem);
}

/* ---- beside Lemke ---------------------------------------------------------------------------- */

static void grasps_with_small_friction_have_the_accelerations_that_lemke_finds(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 40; ++seed) {
        scene_grasp_def def = scene_grasp_default();
        mo_problem *problem;
        def.seed = seed;
        def.objects = 3;
        def.manipulators = 1 + (int)seed % 2;
        def.joints = 4;
        def.rolling = 2;
        def.sliding = (int)seed % 4;
        def.mu = 0.05; /* small enough to make the solution unique (theorem 1) */
        CHECK(scene_grasp(&def, &problem, NULL) == MO_OK);
        mo_result ours = solved("fip", problem, 1e-10), theirs = solved("lemke", problem, 1e-10);
        for (int k = 0; k < ours.dof_count; ++k)
            CHECK_NEAR(ours.v[k], theirs.v[k], 1e-7 * (1 + fabs(theirs.v[k])));
        mo_result_clear(&ours);
        mo_result_clear(&theirs);
        mo_problem_destroy(problem);
    }
}

static void laws_and_joints_together_have_the_velocity_that_lemke_finds(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 30; ++seed) {
        scene_random_def def = scene_random_default();
        mo_problem *cone;
        def.seed = seed;
        def.bodies = 5;
        def.constraints = 7;
        def.laws = SCENE_COULOMB | SCENE_FRICTIONLESS | SCENE_BILATERAL | SCENE_BOX;
        def.mu_min = def.mu_max = 0.1;
        def.compliance = seed % 3 ? 0 : 1e-3;
        CHECK(scene_random(&def, &cone, NULL, NULL) == MO_OK);
        mo_problem *problem = restate(cone, seed % 2 ? 0 : 6);
        mo_result ours = solved("fip", problem, 1e-10), theirs = solved("lemke", problem, 1e-10);
        for (int k = 0; k < ours.dof_count; ++k)
            CHECK_NEAR(ours.v[k], theirs.v[k], 1e-7);
        mo_result_clear(&ours);
        mo_result_clear(&theirs);
        mo_problem_destroy(problem);
        mo_problem_destroy(cone);
    }
}

/* ---- any LCP --------------------------------------------------------------------------------- */

enum { SIZE_MOST = 8 };

typedef enum matrix_kind {
    DEFINITE,
    MONOTONE,
    SEMIDEFINITE,
    COPOSITIVE,
    INDEFINITE,
    KINDS
} matrix_kind;

/*
 * Definite and monotone: B B' and a skew part, the second with a B of low rank.  Semidefinite: B B'
 * of low rank alone, often without a solution.  Copositive: no negative number.  Indefinite:
 * anything.
 */
static void draw_matrix(mo_random *random, matrix_kind kind, int n, double *A)
{
    double B[SIZE_MOST * SIZE_MOST];
    const int rank = kind == DEFINITE ? n : n - 1 - (int)(uniform(random, 0, 0.999) * (n / 2));
    fill_uniform(random, kind == COPOSITIVE ? 0 : -1, 1, n * n, A);
    fill_uniform(random, -1, 1, n * n, B);
    for (int i = 0; i < n && kind <= SEMIDEFINITE; ++i) {
        for (int j = 0; j <= i; ++j) {
            double sum = kind == DEFINITE && i == j ? 0.1 : 0;
            for (int k = 0; k < rank; ++k)
                sum += B[i * n + k] * B[j * n + k];
            const double skew = i == j || kind == SEMIDEFINITE ? 0 : A[i * n + j];
            A[i * n + j] = sum + skew;
            A[j * n + i] = sum - skew;
        }
    }
}

/* As contacts without friction on a given W. */
static mo_problem *lcp(int n, const double *A, const double *b)
{
    const mo_law law = mo_law_frictionless();
    mo_builder *builder = new_builder();
    for (int i = 0; i < n; ++i) {
        mo_builder_add_constraint(builder, 1, &law, b + i);
        for (int j = 0; j < n; ++j)
            mo_builder_add_coupling(builder, i, j, 1, 1, A + i * n + j);
    }
    return finish(builder);
}

/* How many of them are solved; every answer is checked against the numbers themselves. */
static int solve_many(matrix_kind kind, int count)
{
    mo_random random = {100 + (uint64_t)kind};
    int solutions = 0;
    for (int trial = 0; trial < count; ++trial) {
        const int n = 2 + trial % (SIZE_MOST - 1);
        double A[SIZE_MOST * SIZE_MOST], b[SIZE_MOST];
        draw_matrix(&random, kind, n, A);
        fill_uniform(&random, -1, 1, n, b);
        mo_problem *problem = lcp(n, A, b);
        mo_options options = mo_default_options();
        mo_result result = {0};
        options.method = "fip";
        options.fip.restarts = 2;
        CHECK(mo_solve(problem, &options, &result) == MO_OK);
        double worst = 0;
        for (int i = 0; i < n; ++i) {
            double w = b[i];
            for (int j = 0; j < n; ++j)
                w += A[i * n + j] * result.r[j];
            worst = fmax(worst, fabs(fmin(w, result.r[i])));
        }
        CHECK(result.status == MO_SOLVED || worst > 1e-9);
        CHECK(result.status != MO_SOLVED || worst < 1e-7);
        solutions += result.status == MO_SOLVED;
        mo_result_clear(&result);
        mo_problem_destroy(problem);
    }
    return solutions;
}

static void positive_definite_matrices_are_always_solved(void **state)
{
    (void)state;
    CHECK(solve_many(DEFINITE, 1000) == 1000);
}

static void results_reported_as_solved_are_solved_for_any_matrix(void **state)
{
    (void)state;
    CHECK(solve_many(MONOTONE, 1000) ==
          1000); /* feasible, for a skew part like this, and so solvable */
    CHECK(solve_many(SEMIDEFINITE, 1000) > 100);
    CHECK(solve_many(COPOSITIVE, 1000) > 900);
    CHECK(solve_many(INDEFINITE, 1000) > 300);
}

/* ---- the method as printed ------------------------------------------------------------------- */

typedef struct watcher {
    const mo_problem *problem;
    int inside;
} watcher;

/* Counts iterates strictly inside: forces within the pyramid, contacts that open. */
static void watch(void *user, const mo_progress *now, const double *r)
{
    watcher *w = user;
    double u[3];
    (void)now;
    CHECK(mo_problem_response(w->problem, r, u) == MO_OK);
    w->inside += u[0] > 0 && r[0] > 0 && fabs(r[1]) < 0.4 * r[0] && fabs(r[2]) < 0.4 * r[0];
}

static void iterates_are_strictly_feasible_up_to_the_last_step(void **state)
{
    (void)state;
    const double b[3] = {-1, 0.9, 0.1};
    mo_problem *problem = particle(1, mo_law_pyramid(0.4), b);
    watcher w = {.problem = problem};
    mo_options options = mo_default_options();
    mo_result result = {0};
    options.method = "fip";
    options.progress = watch;
    options.progress_user = &w;
    options.tol = 1e-13;
    options.fip.epsilon = 1e-10;
    CHECK(mo_solve(problem, &options, &result) == MO_OK && result.status == MO_SOLVED);
    CHECK(w.inside >= 15 &&
          w.inside >= result.iterations - 8); /* all but those of the start and the last */
    mo_result_clear(&result);
    mo_problem_destroy(problem);
}

static void every_choice_of_its_parameters_solves_a_problem_of_theorem_3(void **state)
{
    (void)state;
    static const char *const choices[][2] = {
        {"fip.beta", "0"},     {"fip.beta", "0.9"},   {"fip.shrink", "0.7"}, {"fip.eta", "0.5"},
        {"fip.eta", "0.999"},  {"fip.rho", "0.9"},    {"fip.rho", "0.1"},    {"fip.sigma", "0.9"},
        {"fip.sigma", "1e-4"}, {"fip.zeta", "0.1"},   {"fip.zeta", "100"},   {"fip.epsilon", "0"},
        {"fip.epsilon", "1"},  {"fip.restarts", "0"}, {"fip.seed", "77"},
    };
    scene_grasp_def def = scene_grasp_default();
    mo_problem *problem;
    def.mu = 0.1;
    CHECK(scene_grasp(&def, &problem, NULL) == MO_OK);
    for (size_t k = 0; k < sizeof choices / sizeof choices[0]; ++k) {
        mo_options options = mo_default_options();
        mo_result result = {0};
        options.method = "fip";
        CHECK(mo_options_set(&options, choices[k][0], choices[k][1], NULL) == MO_OK);
        CHECK(mo_solve(problem, &options, &result) == MO_OK);
        if (result.status != MO_SOLVED)
            fail_msg("%s = %s: %s", choices[k][0], choices[k][1], mo_status_name(result.status));
        mo_result_clear(&result);
    }
    mo_problem_destroy(problem);
}

static void a_problem_too_large_for_dense_matrices_is_refused_with_a_sentence(void **state)
{
    (void)state;
    mo_problem *problem;
    mo_options options = mo_default_options();
    mo_result result = {0};
    CHECK(scene_packing(400, 1, &problem, NULL) == MO_OK);
    options.method = "fip";
    CHECK(mo_solve(problem, &options, &result) == MO_ERR_UNSUPPORTED);
    CHECK(strstr(result.message.text, "unknowns"));
    mo_result_clear(&result);
    mo_problem_destroy(problem);
}

/* u_1 = v - 1 and u_2 = -v - 1 add up to -2: multiplied back, the ray r >= 0 has H r = 0 and w' r <
 * 0. */
static void a_body_squeezed_too_far_is_refuted_by_a_ray(void **state)
{
    (void)state;
    static const double mass = 2, force = 0.3, w = -1, J[2] = {1, -1};
    const mo_law law = mo_law_frictionless();
    mo_builder *builder;
    mo_problem *problem;
    mo_options options = mo_default_options();
    mo_result result = {0};
    CHECK(mo_builder_create(NULL, &builder) == MO_OK);
    mo_builder_add_body(builder, 1, &mass, &force);
    for (int k = 0; k < 2; ++k) {
        mo_builder_add_constraint(builder, 1, &law, &w);
        mo_builder_add_jacobian(builder, k, 0, 1, 1, &J[k]);
    }
    CHECK(mo_builder_finish(builder, &problem, NULL) == MO_OK);
    options.method = "fip";
    CHECK(mo_solve(problem, &options, &result) == MO_OK);
    CHECK(result.status == MO_NO_SOLUTION && result.ray);
    const double size = result.ray[0] + result.ray[1];
    CHECK(result.ray[0] > 0 && result.ray[1] > 0);
    CHECK_BELOW(fabs(result.ray[0] - result.ray[1]), 1e-9 * size); /* H r */
    mo_result_clear(&result);
    mo_problem_destroy(problem);
    mo_builder_destroy(builder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_particle_obeys_the_pyramid_in_closed_form),
        cmocka_unit_test(a_contact_that_slides_has_one_unknown),
        cmocka_unit_test(a_box_on_four_corners_sticks_and_slides_as_with_newton),
        cmocka_unit_test(a_stack_of_boxes_stays_at_rest),
        cmocka_unit_test(closed_loops_of_joints_are_solved),
        cmocka_unit_test(a_body_between_two_walls_is_solved_without_an_interior),
        cmocka_unit_test(converging_walls_are_not_solved_and_the_message_gives_the_reason),
        cmocka_unit_test(grasps_with_small_friction_have_the_accelerations_that_lemke_finds),
        cmocka_unit_test(laws_and_joints_together_have_the_velocity_that_lemke_finds),
        cmocka_unit_test(positive_definite_matrices_are_always_solved),
        cmocka_unit_test(results_reported_as_solved_are_solved_for_any_matrix),
        cmocka_unit_test(iterates_are_strictly_feasible_up_to_the_last_step),
        cmocka_unit_test(every_choice_of_its_parameters_solves_a_problem_of_theorem_3),
        cmocka_unit_test(a_problem_too_large_for_dense_matrices_is_refused_with_a_sentence),
        cmocka_unit_test(a_body_squeezed_too_far_is_refuted_by_a_ray),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
