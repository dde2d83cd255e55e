/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* dantzig: proofs that there is no solution, and the call. */
#include "method_runs.h"

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
    for (int i = 0; i < N; ++i)
        for (int j = 0; j < N; ++j)
            W[i * N + j] = mo_dot(rank, G + i * rank, G + j * rank);
    for (int i = 0; i < N; ++i) {
        const double in_range = mo_dot(N, W + i * N, x);
        q[i] = kind == 0 ? in_range : kind == 1 ? in_range + 0.3 : q[i];
        mo_builder_add_constraint(builder, 1, &law, &q[i]);
        for (int j = 0; j < N; ++j)
            mo_builder_add_coupling(builder, i, j, 1, 1, &W[i * N + j]);
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
        for (int k = 0; result.ray && k < result.row_count; ++k)
            CHECK(result.ray[k] >= -1e-9 * fabs(result.ray[0]) - 1e-12);
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
