/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Lemke's method: scenes that are rank deficient and degenerate in the faceted law, where all
 * methods must agree on the velocity; random LCPs of known class; rays multiplied out; budgets; and
 * the updated inverse it rests on.
 */
#include "restate.h"

#include <stdlib.h>
#include <string.h>

#include "linalg/dense.h"
#include "linalg/inverse.h"
#include "scenes.h"

static mo_options lemke_options(double tol)
{
    mo_options options = mo_default_options();
    options.method = "lemke";
    options.tol = tol;
    options.max_iter = 1000000;
    return options;
}

static mo_result solve_with(const char *method, const mo_problem *problem, double tol)
{
    mo_options options = lemke_options(tol);
    mo_result result = {0};
    mo_residual residual;
    options.method = method;
    CHECK(mo_solve(problem, &options, &result) == MO_OK);
    if (result.status != MO_SOLVED) {
        fail_msg("%s: %s, residual %g. %s", method, mo_status_name(result.status),
                 result.residual.natural_relative, result.message.text);
    }
    CHECK(mo_measure(problem, result.r, &residual) == MO_OK);
    CHECK_BELOW(residual.natural_relative, tol);
    return result;
}

/* ---- scenes in polyhedral laws --------------------------------------------------------------- */

/* Lemke and Gauss-Seidel to 1e-9, the same velocity; then the same from the covering vectors and
 * from the relaxation. */
static void check_agreement(const mo_problem *problem, double tolerance)
{
    mo_result lemke = solve_with("lemke", problem, 1e-9), nsgs = solve_with("nsgs", problem, 1e-9);
    for (int k = 0; k < lemke.dof_count; ++k)
        CHECK_NEAR(lemke.v[k], nsgs.v[k], tolerance);
    for (int start = 1; start <= 2; ++start) {
        mo_options options = lemke_options(1e-9);
        options.lemke.start = start;
        CHECK(mo_solve(problem, &options, &nsgs) == MO_OK && nsgs.status == MO_SOLVED);
        for (int k = 0; k < lemke.dof_count; ++k)
            CHECK_NEAR(lemke.v[k], nsgs.v[k], tolerance);
    }
    mo_result_clear(&lemke);
    mo_result_clear(&nsgs);
}

static void a_box_on_four_corners_slides_and_sticks(void **state)
{
    (void)state;
    for (int facets = 0; facets <= 8; facets += 4) {
        for (int steep = 0; steep <= 1; ++steep) {
            scene_slope_def def = scene_slope_default();
            mo_problem *scene;
            def.angle = steep ? 0.6 : 0.3; /* tan 0.6 = 0.68, tan 0.3 = 0.31; mu = 0.5 */
            CHECK(scene_block_on_slope(&def, &scene, NULL) == MO_OK);
            mo_problem *problem = restate(scene, facets);
            mo_result result = solve_with("lemke", problem, 1e-12);
            /* downhill is a direction of all these polygons, so that Newton's word holds as on the
             * cone */
            const double speed =
                SCENE_GRAVITY * def.step * (sin(def.angle) - def.mu * cos(def.angle));
            CHECK_NEAR(result.v[0], steep ? speed : 0, 1e-11);
            for (int k = 1; k < 6; ++k)
                CHECK_NEAR(result.v[k], 0, 1e-11);
            CHECK(result.ray == NULL);
            mo_result_clear(&result);
            mo_problem_destroy(problem);
            mo_problem_destroy(scene);
        }
    }
}

static void a_wall_of_bricks_stands(void **state)
{
    (void)state;
    scene_wall_def def = scene_wall_default();
    mo_problem *scene;
    def.courses = 2;
    def.length = 2;
    CHECK(scene_wall(&def, &scene, NULL) == MO_OK);
    for (int facets = 0; facets <= 4; facets += 4) {
        mo_problem *problem = restate(scene, facets);
        mo_result result = solve_with("lemke", problem, 1e-10);
        for (int k = 0; k < result.dof_count; ++k)
            CHECK_NEAR(result.v[k], 0, 1e-9);
        mo_result_clear(&result);
        mo_problem_destroy(problem);
    }
    mo_problem_destroy(scene);
}

static void a_closed_loop_of_joints_is_solved_with_its_redundant_row(void **state)
{
    (void)state;
    scene_chain_def def = scene_chain_default();
    mo_problem *problem;
    def.links = 6;
    def.closed = 1;
    CHECK(scene_joint_chain(&def, &problem, NULL) == MO_OK);
    check_agreement(problem, 1e-6);
    mo_problem_destroy(problem);
}

static void methods_agree_on_random_scenes_with_joints_and_bounds(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 8; ++seed) {
        scene_random_def def = scene_random_default();
        mo_problem *scene;
        def.seed = seed;
        def.bodies = 5;
        def.constraints = 7;
        def.in_plane = seed % 4 == 0;
        def.laws = SCENE_COULOMB | SCENE_FRICTIONLESS | SCENE_BILATERAL | SCENE_BOX;
        def.mu_max = 0.4; /* small: the velocity is unique */
        def.compliance = seed % 3 == 0 ? 0.01 : 0;
        CHECK(scene_random(&def, &scene, NULL, NULL) == MO_OK);
        mo_problem *problem = restate(scene, (int)(seed % 3) * 3);
        check_agreement(problem, 1e-6);
        mo_problem_destroy(problem);
        mo_problem_destroy(scene);
    }
}

static void a_pile_of_disks_is_solved_for_every_friction(void **state)
{
    (void)state;
    for (int k = 1; k <= 5; ++k) {
        scene_cannonball_def def = scene_cannonball_default();
        mo_problem *problem;
        def.rows = 8;
        def.mu = 0.15 * k;
        CHECK(scene_cannonball(&def, &problem, NULL) == MO_OK);
        mo_options options = lemke_options(1e-9);
        mo_result result = {0};
        options.lemke.start = 2;
        CHECK(mo_solve(problem, &options, &result) == MO_OK);
        CHECK(result.status == MO_SOLVED);
        mo_result_clear(&result);
        mo_problem_destroy(problem);
    }
}

/* The solution lies on facets, the measure judges the cone: never solved, and no further off with
 * more facets. */
static void the_cone_by_facets_is_reported_as_what_it_is(void **state)
{
    (void)state;
    scene_particle_def def = scene_particle_default();
    mo_problem *problem;
    double last = INFINITY;
    def.velocity[2] = 0.37; /* in none of the directions */
    CHECK(scene_particle(&def, &problem, NULL) == MO_OK);
    for (int facets = 4; facets <= 64; facets *= 2) {
        mo_options options = lemke_options(1e-9);
        mo_result result = {0};
        options.lemke.facets = facets;
        CHECK(mo_solve(problem, &options, &result) == MO_OK);
        CHECK(result.status == MO_STALLED && strstr(result.message.text, "facets"));
        CHECK_BELOW(result.residual.cone_violation.value, 1e-14); /* the facets are inside */
        CHECK(result.residual.natural <= last + 1e-12);
        last = result.residual.natural;
        mo_result_clear(&result);
    }
    CHECK_BELOW(last, 0.01);
    mo_problem_destroy(problem);
}

/* ---- random LCPs ----------------------------------------------------------------------------- */

enum { MOST = 7, LCPS = 10000 };

/* 0 <= u = W r + q perp r >= 0 */
static mo_problem *lcp_problem(int n, const double *W, const double *q)
{
    mo_builder *builder;
    mo_problem *problem;
    const mo_law law = mo_law_frictionless();
    CHECK(mo_builder_create(NULL, &builder) == MO_OK);
    for (int i = 0; i < n; ++i) {
        mo_builder_add_constraint(builder, 1, &law, &q[i]);
        for (int j = 0; j < n; ++j)
            mo_builder_add_coupling(builder, i, j, 1, 1, &W[i * n + j]);
    }
    CHECK(mo_builder_finish(builder, &problem, NULL) == MO_OK);
    mo_builder_destroy(builder);
    return problem;
}

/* W = B B' in whole numbers, n x rank, where the rows of B with y_i = 1 add up to zero: W y = 0 to
 * the last bit. */
static void semidefinite_against(mo_random *random, int n, int rank, const double *y, double *W)
{
    double B[MOST * MOST] = {0};
    int last = 0;
    for (int i = 0; i < n; ++i)
        last = y[i] != 0 ? i : last;
    for (int k = 0; k < rank; ++k) {
        double sum = 0;
        for (int i = 0; i < n; ++i) {
            B[i * rank + k] = i == last ? -sum : (double)(int)uniform(random, -3, 4);
            sum += i < last && y[i] != 0 ? B[i * rank + k] : 0;
        }
    }
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j)
            W[i * n + j] = mo_dot(rank, B + i * rank, B + j * rank);
}

/* g >= 0 with W' g <= 0 and q.g < 0: no r >= 0 makes W r + q >= 0. */
static void check_evidence(int n, const double *W, const double *q, const double *g)
{
    double size = 0, driven = 0;
    for (int i = 0; i < n; ++i) {
        CHECK(g[i] >= 0);
        size = fmax(size, g[i]);
        driven -= q[i] * g[i];
    }
    CHECK(driven > 0);
    for (int j = 0; j < n; ++j) {
        double image = 0;
        for (int i = 0; i < n; ++i)
            image += g[i] * W[i * n + j];
        CHECK_BELOW(image, 1e-10 * driven);
    }
}

/* What [cottle1992, theorem 4.4.12] promises: no solution, and the ray that shows it. */
static void semidefinite_problems_without_solution_are_refuted_by_their_ray(void **state)
{
    (void)state;
    mo_random random = {51};
    int refuted = 0;
    for (int trial = 0; trial < LCPS; ++trial) {
        const int n = 1 + (int)uniform(&random, 0, MOST);
        double W[MOST * MOST], q[MOST], y[MOST], along;
        for (int i = 0; i < n; ++i)
            y[i] = i == 0 || uniform(&random, 0, 1) < 0.6;
        semidefinite_against(&random, n, 1 + n / 2, y, W);
        fill_uniform(&random, -1, 1, n, q);
        along = mo_dot(n, q, y);
        for (int i = 0; i < n; ++i) /* q.y < 0 */
            q[i] -= (along + uniform(&random, 0.05, 0.5)) * y[i] / mo_dot(n, y, y);
        mo_problem *problem = lcp_problem(n, W, q);
        mo_options options = lemke_options(1e-9);
        mo_result result = {0};
        CHECK(mo_solve(problem, &options, &result) == MO_OK);
        CHECK(result.status != MO_SOLVED);
        if (result.status == MO_NO_SOLUTION &&
            result.ray) /* else the driver saw it: a row that nothing moves */
            check_evidence(n, W, q, result.ray);
        refuted += result.status == MO_NO_SOLUTION;
        mo_result_clear(&result);
        mo_problem_destroy(problem);
    }
    CHECK(refuted == LCPS);
}

/* Matrices with positive principal minors that are far from definite: triangular ones with their
 * rows shuffled. */
static void triangular_problems_are_all_solved(void **state)
{
    (void)state;
    mo_random random = {52};
    for (int trial = 0; trial < LCPS; ++trial) {
        const int n = 1 + (int)uniform(&random, 0, MOST);
        double W[MOST * MOST] = {0}, q[MOST];
        int order[MOST];
        for (int i = 0; i < n; ++i) {
            const int j = (int)uniform(&random, 0, i + 1);
            order[i] = i;
            order[i] = order[j];
            order[j] = i;
        }
        for (int i = 0; i < n; ++i) {
            for (int j = 0; j <= i; ++j) {
                W[order[i] * n + order[j]] =
                    i == j ? uniform(&random, 0.2, 1) : uniform(&random, -3, 3);
            }
            q[i] = trial % 4 ? uniform(&random, -1, 1)
                             : (double)(int)uniform(&random, -2, 2); /* with ties */
        }
        mo_problem *problem = lcp_problem(n, W, q);
        mo_result result = solve_with("lemke", problem, 1e-9);
        mo_result_clear(&result);
        mo_problem_destroy(problem);
    }
}

/* Small whole numbers: ties everywhere. */
static void degenerate_semidefinite_problems_are_all_solved_or_refuted(void **state)
{
    (void)state;
    mo_random random = {53};
    for (int trial = 0; trial < LCPS; ++trial) {
        const int n = 2 + (int)uniform(&random, 0, MOST - 1), rank = 1 + n / 2;
        double B[MOST * MOST], W[MOST * MOST], q[MOST];
        for (int k = 0; k < n * rank; ++k)
            B[k] = (double)(int)uniform(&random, -2, 3);
        for (int i = 0; i < n; ++i) {
            for (int j = 0; j < n; ++j)
                W[i * n + j] = mo_dot(rank, B + i * rank, B + j * rank);
            q[i] = (double)(int)uniform(&random, -2, 3);
        }
        mo_problem *problem = lcp_problem(n, W, q);
        mo_options options = lemke_options(1e-9);
        mo_result result = {0};
        CHECK(mo_solve(problem, &options, &result) == MO_OK);
        CHECK(result.status == MO_SOLVED || result.status == MO_NO_SOLUTION);
        if (result.status == MO_NO_SOLUTION && result.ray) check_evidence(n, W, q, result.ray);
        mo_result_clear(&result);
        mo_problem_destroy(problem);
    }
}

/* ---- the call -------------------------------------------------------------------------------- */

/* Painleve: the contact's own impulse drives it in. */
static void a_sliding_contact_that_jams_has_no_solution(void **state)
{
    (void)state;
    const double W[4] = {1, 3, 3, 10}, q[2] = {-1, 0}, s[1] = {1};
    const mo_law law = mo_law_sliding(0.5, s); /* 1 - 0.5 * 3 < 0 */
    mo_builder *builder;
    mo_problem *problem;
    mo_options options = lemke_options(1e-9);
    mo_result result = {0};
    CHECK(mo_builder_create(NULL, &builder) == MO_OK);
    mo_builder_add_constraint(builder, 2, &law, q);
    mo_builder_add_coupling(builder, 0, 0, 2, 2, W);
    CHECK(mo_builder_finish(builder, &problem, NULL) == MO_OK);
    mo_builder_destroy(builder);
    CHECK(mo_solve(problem, &options, &result) == MO_OK);
    CHECK(result.status == MO_NO_SOLUTION && result.ray && strstr(result.message.text, "ray"));
    CHECK(result.ray[0] > 0);
    CHECK_NEAR(result.ray[1], -0.5 * result.ray[0], 1e-15 * result.ray[0]);
    mo_result_clear(&result);
    mo_problem_destroy(problem);
}

static void budgets_end_a_run_with_its_best_point(void **state)
{
    (void)state;
    scene_cannonball_def def = scene_cannonball_default();
    mo_problem *problem;
    mo_result result = {0};
    def.rows = 5;
    def.mu = 0.3;
    CHECK(scene_cannonball(&def, &problem, NULL) == MO_OK);
    for (int start = 0; start <= 2; ++start) {
        mo_options options = lemke_options(1e-9);
        options.lemke.start = start;
        options.lemke.pivots = 5;
        options.lemke.restarts = 2;
        CHECK(mo_solve(problem, &options, &result) == MO_OK);
        CHECK(result.status == MO_STALLED && strlen(result.message.text) > 10 &&
              result.iterations <= 60);
        options.lemke.pivots = 0;
        options.max_iter = 9;
        CHECK(mo_solve(problem, &options, &result) == MO_OK);
        CHECK(result.status == MO_ITERATION_LIMIT && result.iterations == 9);
    }
    mo_result_clear(&result);
    mo_problem_destroy(problem);
}

static void the_same_seed_gives_the_same_bits(void **state)
{
    (void)state;
    scene_cannonball_def def = scene_cannonball_default();
    mo_problem *problem;
    mo_result first = {0}, again = {0};
    def.mu = 0.4;
    CHECK(scene_cannonball(&def, &problem, NULL) == MO_OK);
    mo_options options = lemke_options(1e-10);
    options.lemke.seed = 7;
    CHECK(mo_solve(problem, &options, &first) == MO_OK &&
          mo_solve(problem, &options, &again) == MO_OK);
    CHECK(first.status == MO_SOLVED && first.iterations == again.iterations);
    CHECK(memcmp(first.r, again.r, sizeof(double) * (size_t)first.row_count) == 0);
    mo_result_clear(&first);
    mo_result_clear(&again);
    mo_problem_destroy(problem);
}

static void unsupported_problems_are_refused_with_a_message(void **state)
{
    (void)state;
    scene_particle_def def = scene_particle_default();
    mo_problem *problem;
    mo_options options = lemke_options(1e-9);
    mo_result result = {0};
    def.mu = INFINITY;
    CHECK(scene_particle(&def, &problem, NULL) == MO_OK);
    CHECK(mo_solve(problem, &options, &result) == MO_ERR_UNSUPPORTED &&
          strstr(result.message.text, "mu"));
    mo_problem_destroy(problem);
    CHECK(scene_packing(2000, 1, &problem, NULL) == MO_OK);
    CHECK(mo_solve(problem, &options, &result) == MO_ERR_UNSUPPORTED &&
          strstr(result.message.text, "unknowns"));
    mo_problem_destroy(problem);
    mo_result_clear(&result);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_box_on_four_corners_slides_and_sticks),
        cmocka_unit_test(a_wall_of_bricks_stands),
        cmocka_unit_test(a_closed_loop_of_joints_is_solved_with_its_redundant_row),
        cmocka_unit_test(methods_agree_on_random_scenes_with_joints_and_bounds),
        cmocka_unit_test(a_pile_of_disks_is_solved_for_every_friction),
        cmocka_unit_test(the_cone_by_facets_is_reported_as_what_it_is),
        cmocka_unit_test(semidefinite_problems_without_solution_are_refuted_by_their_ray),
        cmocka_unit_test(triangular_problems_are_all_solved),
        cmocka_unit_test(degenerate_semidefinite_problems_are_all_solved_or_refuted),
        cmocka_unit_test(a_sliding_contact_that_jams_has_no_solution),
        cmocka_unit_test(budgets_end_a_run_with_its_best_point),
        cmocka_unit_test(the_same_seed_gives_the_same_bits),
        cmocka_unit_test(unsupported_problems_are_refused_with_a_message),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
