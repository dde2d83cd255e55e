/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* Small problems in dense form: families of a few constraints, every law, starts, the matrix. */
#include <stdlib.h>

#include "check.h"
#include "problem/dense_delassus.h"
#include "scenes.h"
#include "small_families.h"

static const double mus[] = {0, 0.1, 0.3, 0.7, 1, 2};
enum { MUS = sizeof mus / sizeof mus[0], SEEDS = 12 };

/* Solved by auto to 1e-8, measured anew; 1 where the methods for larger problems had to go on. */
static int solve(const mo_problem *problem, const char *what, uint64_t seed, double mu)
{
    mo_result result = {0};
    mo_residual residual;
    CHECK(mo_solve(problem, NULL, &result) == MO_OK);
    CHECK(mo_measure(problem, result.r, &residual) == MO_OK);
    CHECK(residual.natural == result.residual.natural);
    if (result.status != MO_SOLVED || !(residual.natural_relative <= 1e-8)) {
        fail_msg("%s, seed %d, mu %g: %s at %g. %s", what, (int)seed, mu,
                 mo_status_name(result.status), residual.natural_relative, result.message.text);
    }
    const int went_on = result.message.text[0] != '\0';
    mo_result_clear(&result);
    return went_on;
}

/* How many of a family went on. */
static int solve_family(small_family family, double mass_ratio)
{
    int went_on = 0;
    for (int k = 0; k < SEEDS * MUS * 2; ++k) {
        const uint64_t seed = (uint64_t)(100 + k / (2 * MUS));
        const double mu = mus[k / 2 % MUS];
        mo_problem *problem = small_make(family, seed, mu, mass_ratio, k % 2);
        CHECK(problem != NULL);
        went_on += solve(problem, small_family_names[family], seed, mu);
        mo_problem_destroy(problem);
    }
    return went_on;
}

static void families_are_solved_in_dense_form(void **state)
{
    (void)state;
    for (int family = 0; family < SMALL_FAMILY_COUNT; ++family) {
        const int went_on = solve_family((small_family)family, 1);
        if (went_on > SEEDS * MUS * 2 / 50)
            fail_msg("%s: %d of %d went on", small_family_names[family], went_on, SEEDS * MUS * 2);
    }
}

static void stacks_with_masses_a_million_times_apart_are_solved(void **state)
{
    (void)state;
    solve_family(SMALL_STACK, 1e-6);
    solve_family(SMALL_STACK, 1e6);
}

/* Planted problems of one to thirty constraints with every law that scene_random knows. */
static void every_law_is_solved(void **state)
{
    (void)state;
    for (int k = 0; k < 60; ++k) {
        scene_random_def def = scene_random_default();
        mo_problem *problem;
        double *planted;
        def.seed = (uint64_t)(300 + k);
        def.bodies = 1 + k % 8;
        def.constraints = 1 + k / 2;
        def.in_plane = k % 3 == 2;
        def.laws = def.in_plane ? SCENE_COULOMB | SCENE_FRICTIONLESS | SCENE_BILATERAL | SCENE_BOX
                                : SCENE_EVERY_LAW;
        CHECK(scene_random(&def, &problem, &planted, NULL) == MO_OK);
        solve(problem, "random", def.seed, 0);
        free(planted);
        mo_problem_destroy(problem);
    }
}

static void a_known_direction_of_sliding_needs_no_newton(void **state)
{
    (void)state;
    const double mass[9] = {2, 0, 0, 0, 2, 0, 0, 0, 2}, f[3] = {-1, 0.5, 0.2}, w[3] = {0, 0, 0};
    const double J[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, along[2] = {0.6, 0.8};
    const mo_law law = mo_law_sliding(0.4, along);
    mo_builder *builder;
    mo_problem *problem;
    CHECK(mo_builder_create(NULL, &builder) == MO_OK);
    for (int b = 0; b < 2; ++b) {
        const int body = mo_builder_add_body(builder, 3, mass, f);
        mo_builder_add_jacobian(builder, mo_builder_add_constraint(builder, 3, &law, w), body, 3, 3,
                                J);
    }
    CHECK(mo_builder_finish(builder, &problem, NULL) == MO_OK);
    solve(problem, "sliding", 0, 0.4);
    mo_problem_destroy(problem);
    mo_builder_destroy(builder);
}

static void no_constraints_are_no_work(void **state)
{
    (void)state;
    const double mass = 2, f = 3;
    mo_builder *builder;
    mo_problem *problem;
    mo_result result = {0};
    CHECK(mo_builder_create(NULL, &builder) == MO_OK);
    mo_builder_add_body(builder, 1, &mass, &f);
    CHECK(mo_builder_finish(builder, &problem, NULL) == MO_OK);
    CHECK(mo_solve(problem, NULL, &result) == MO_OK);
    CHECK(result.status == MO_SOLVED && result.iterations == 0);
    CHECK_NEAR(result.v[0], 1.5, 1e-15);
    mo_result_clear(&result);
    mo_problem_destroy(problem);
    mo_builder_destroy(builder);
}

static void a_start_is_used(void **state)
{
    (void)state;
    for (int family = 0; family < SMALL_FAMILY_COUNT; ++family) {
        mo_problem *problem = small_make((small_family)family, 7, 0.5, 1, family % 2);
        mo_options options = mo_default_options();
        mo_result cold = {0}, warm = {0};
        CHECK(mo_solve(problem, &options, &cold) == MO_OK && cold.status == MO_SOLVED);
        options.start = cold.r;
        CHECK(mo_solve(problem, &options, &warm) == MO_OK);
        CHECK(warm.status == MO_SOLVED && warm.iterations == 0);
        for (int k = 0; k < cold.row_count; ++k) /* it comes back, moved into its set at most */
            CHECK_NEAR(warm.r[k], cold.r[k], 1e-7);
        options.start = warm.r; /* the vectors of the very result */
        for (int k = 0; k < warm.row_count; ++k)
            warm.r[k] *= 1 + 1e-5 * (k % 3);
        CHECK(mo_solve(problem, &options, &warm) == MO_OK);
        CHECK(warm.status == MO_SOLVED && warm.iterations <= 6);
        mo_result_clear(&cold);
        mo_result_clear(&warm);
        mo_problem_destroy(problem);
    }
}

/* W in dense form is that of mo_problem_reduce, compliance aside. */
static void the_matrix_is_that_of_the_reduced_problem(void **state)
{
    (void)state;
    enum { LD = 100 };
    static double W[96 * LD];
    for (int k = 0; k < 2 * SMALL_FAMILY_COUNT; ++k) {
        mo_problem *problem = small_make((small_family)(k / 2), 5, 0.5, 10, k % 2), *reduced;
        double *scratch = malloc(mo_dense_scratch(problem) * sizeof *scratch);
        CHECK(scratch && mo_problem_reduce(problem, &reduced, NULL) == MO_OK);
        mo_dense_delassus(problem, LD, W, scratch);
        for (int i = 0; i < mo_problem_constraint_count(reduced); ++i) {
            const mo_constraint_view view = mo_problem_constraint(reduced, i);
            for (int b = 0; b < view.block_count; ++b) {
                const mo_block_view block = mo_problem_block(reduced, i, b);
                const mo_constraint_view other = mo_problem_constraint(reduced, block.index);
                for (int j = 0; j < view.dim * other.dim; ++j) {
                    double *entry = W + (size_t)(view.offset + j / other.dim) * LD + other.offset +
                                    j % other.dim;
                    CHECK_NEAR(*entry, block.values[j], 1e-12 * (1 + fabs(block.values[j])));
                    *entry = 0;
                }
            }
        }
        for (int j = 0; j < mo_problem_row_count(problem) * LD; ++j)
            CHECK_NEAR(W[j], 0, 0); /* no block that the reduced problem does not have */
        free(scratch);
        mo_problem_destroy(reduced);
        mo_problem_destroy(problem);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(families_are_solved_in_dense_form),
        cmocka_unit_test(stacks_with_masses_a_million_times_apart_are_solved),
        cmocka_unit_test(every_law_is_solved),
        cmocka_unit_test(a_known_direction_of_sliding_needs_no_newton),
        cmocka_unit_test(no_constraints_are_no_work),
        cmocka_unit_test(a_start_is_used),
        cmocka_unit_test(the_matrix_is_that_of_the_reduced_problem),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
