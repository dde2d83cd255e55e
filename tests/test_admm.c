/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* admm against other methods, for any penalty and in both spaces; and the acceleration that it
 * shares with acary-cadoux. */
#include "check.h"

#include <string.h>

#include "linalg/anderson.h"
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

static mo_result solved(const mo_problem *problem, const mo_options *options)
{
    mo_result result = {0};
    mo_residual residual;
    CHECK(mo_solve(problem, options, &result) == MO_OK);
    if (result.status != MO_SOLVED) {
        fail_msg("%s: %s after %d iterations, residual %g. %s", options->method,
                 mo_status_name(result.status), result.iterations, result.residual.natural_relative,
                 result.message.text);
    }
    CHECK(mo_measure(problem, result.r, &residual) == MO_OK);
    CHECK_BELOW(residual.natural_relative, options->tol);
    return result;
}

static void a_shaken_bed_has_the_velocity_that_newton_finds_for_any_penalty(void **state)
{
    (void)state;
    static const double penalties[] = {0, 0.01, 0.1, 1};
    mo_problem *problem;
    CHECK(scene_packing(150, 3, &problem, NULL) == MO_OK);
    const mo_options newton = options_of("newton", 1e-11);
    mo_result expected = solved(problem, &newton);
    for (int k = 0; k < 8; ++k) {
        mo_options options = options_of("admm", 1e-9);
        options.admm.rho = penalties[k % 4];
        options.admm.adapt = k < 4;
        mo_result result = solved(problem, &options);
        for (int j = 0; j < result.dof_count; ++j)
            CHECK_NEAR(result.v[j], expected.v[j], 1e-6);
        mo_result_clear(&result);
    }
    mo_result_clear(&expected);
    mo_problem_destroy(problem);
}

static void bodies_and_contacts_as_unknowns_give_the_same_velocity(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 4; ++seed) {
        scene_random_def def = scene_random_default();
        mo_problem *problem, *reduced;
        def.seed = seed;
        def.laws = SCENE_EVERY_LAW;
        def.mu_max = 0.4;
        def.constraints = seed % 2 ? 15 : 40;
        def.compliance = seed == 3 ? 1e-2 : 0;
        CHECK(scene_random(&def, &problem, NULL, NULL) == MO_OK);
        CHECK(mo_problem_reduce(problem, &reduced, NULL) == MO_OK);
        const mo_options options = options_of("admm", 1e-9);
        mo_result a = solved(problem, &options), b = solved(reduced, &options);
        for (int k = 0; k < a.row_count; ++k)
            CHECK_NEAR(a.u[k], b.u[k], 1e-6);
        mo_result_clear(&a);
        mo_result_clear(&b);
        mo_problem_destroy(problem);
        mo_problem_destroy(reduced);
    }
}

static void without_friction_it_solves_the_convex_problem(void **state)
{
    (void)state;
    scene_wall_def def = scene_wall_default(); /* heavily redundant contacts */
    mo_problem *problem;
    def.mu = 0;
    def.shake = 0.1;
    CHECK(scene_wall(&def, &problem, NULL) == MO_OK);
    const mo_options ours = options_of("admm", 1e-9), other = options_of("lcp3", 1e-9);
    mo_result a = solved(problem, &ours), b = solved(problem, &other);
    for (int k = 0; k < a.dof_count; ++k)
        CHECK_NEAR(a.v[k], b.v[k], 1e-7);
    mo_result_clear(&a);
    mo_result_clear(&b);
    mo_problem_destroy(problem);
}

static void a_tower_with_a_heavy_top_stands(void **state)
{
    (void)state;
    scene_stack_def def = scene_stack_default();
    mo_problem *problem;
    def.mass_ratio = 1e3;
    CHECK(scene_box_stack(&def, &problem, NULL) == MO_OK);
    const mo_options options = options_of("admm", 1e-9);
    mo_result result = solved(problem, &options);
    double carried = 0, weight = 0;
    for (int i = 0; i < 4; ++i)
        carried += result.r[3 * i]; /* the four contacts with the floor come first */
    for (int b = 0; b < def.boxes; ++b)
        weight += mo_problem_body(problem, b).M[0] * SCENE_GRAVITY * def.step;
    CHECK_NEAR(carried, weight, 1e-6 * weight);
    mo_result_clear(&result);
    mo_problem_destroy(problem);
}

static void hard_problems_end_honestly(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 6; ++seed) {
        scene_random_def def = scene_random_default();
        mo_problem *problem;
        def.seed = seed;
        def.mu_max = 2;
        def.mass_ratio = seed % 2 ? 1e6 : 1;
        def.laws = seed % 3 ? SCENE_COULOMB : SCENE_EVERY_LAW;
        CHECK(scene_random(&def, &problem, NULL, NULL) == MO_OK);
        mo_options options = options_of("admm", 1e-8);
        mo_result result = {0};
        mo_residual residual;
        options.max_iter = 1000;
        CHECK(mo_solve(problem, &options, &result) == MO_OK);
        CHECK(mo_measure(problem, result.r, &residual) == MO_OK);
        CHECK((result.status == MO_SOLVED) == (residual.natural_relative <= 1e-8));
        mo_result_clear(&result);
        mo_problem_destroy(problem);
    }
}

/* ---- the acceleration ------------------------------------------------------------------------ */

enum { N = 6 };

/* T(x) = A x + b with |A| = 0.95. */
static void linear_map(const double *A, const double *b, const double *x, double *y)
{
    for (int k = 0; k < N; ++k)
        y[k] = mo_dot(N, A + k * N, x) + b[k];
}

static void a_linear_fixed_point_is_found_in_as_many_rounds_as_there_are_unknowns(void **state)
{
    (void)state;
    for (int weighted = 0; weighted < 2; ++weighted) {
        double A[N * N], b[N], x[N] = {0}, y[N], weight[N], sum = 0;
        mo_random random = {9};
        mo_anderson anderson;
        mo_arena arena = {0};
        fill_uniform(&random, -1, 1, N * N, A);
        fill_uniform(&random, -1, 1, N, b);
        fill_uniform(&random, 0.5, 2, N, weight);
        for (int k = 0; k < N * N; ++k)
            sum += A[k] * A[k];
        for (int k = 0; k < N * N; ++k)
            A[k] *= 0.95 / sqrt(sum);
        mo_anderson_layout(&arena, N, 10, &anderson);
        char *memory = test_malloc(arena.used + MO_ARENA_ALIGN);
        arena = (mo_arena){.base = memory + MO_ARENA_ALIGN - (uintptr_t)memory % MO_ARENA_ALIGN};
        mo_anderson_layout(&arena, N, 10, &anderson);
        anderson.weight = weighted ? weight : NULL;
        mo_anderson_clear(&anderson);
        for (int round = 0; round < N + 2; ++round) {
            linear_map(A, b, x, y);
            mo_anderson_push(&anderson, x, y);
            mo_anderson_mix(&anderson, x);
            if (round == 0) CHECK_NEAR(mo_anderson_distance(&anderson, x, y), 0, 1e-15);
        }
        linear_map(A, b, x, y);
        CHECK_BELOW(mo_anderson_distance(&anderson, x, y), 1e-6);
        test_free(memory);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_shaken_bed_has_the_velocity_that_newton_finds_for_any_penalty),
        cmocka_unit_test(bodies_and_contacts_as_unknowns_give_the_same_velocity),
        cmocka_unit_test(without_friction_it_solves_the_convex_problem),
        cmocka_unit_test(a_tower_with_a_heavy_top_stands),
        cmocka_unit_test(hard_problems_end_honestly),
        cmocka_unit_test(a_linear_fixed_point_is_found_in_as_many_rounds_as_there_are_unknowns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
