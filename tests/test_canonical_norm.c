/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* Canonical impulses are those of least norm, for every method. */
#include "canonical_worlds.h"

/* ---- least norm ------------------------------------------------------------------------------ */

/* A box on n contacts around its base, pushed sideways by a part of its weight. */
static mo_problem *box_on_a_ring(int n, double push)
{
    const double M[36] = {2, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0,   0, 0, 0, 2, 0, 0, 0,
                          0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0.7, 0, 0, 0, 0, 0, 0, 0.5};
    const double f[6] = {push * 2, 0, -2, 0, 0, 0};
    mo_builder *builder;
    mo_problem *problem;
    CHECK(mo_builder_create(NULL, &builder) == MO_OK);
    const int body = mo_builder_add_body(builder, 6, M, f);
    for (int k = 0; k < n; ++k) {
        const double x = cos(k * 6.28318 / n), y = 0.6 * sin(k * 6.28318 / n), z = -0.5;
        const double J[18] = {0, 0, 1, y, -x, 0, 1, 0, 0, 0, z, -y, 0, 1, 0, -z, 0, x};
        const mo_law law = mo_law_coulomb(0.5);
        const int contact = mo_builder_add_constraint(builder, 3, &law, NULL);
        mo_builder_add_jacobian(builder, contact, body, 3, 6, J);
    }
    CHECK(mo_builder_finish(builder, &problem, NULL) == MO_OK);
    mo_builder_destroy(builder);
    return problem;
}

static mo_result solve_canonical(const char *method, const mo_problem *problem, int canonical)
{
    mo_options options = mo_default_options();
    mo_result result = {0};
    options.method = method;
    options.canonical = canonical;
    options.tol = 1e-10;
    CHECK(mo_solve(problem, &options, &result) == MO_OK && result.status == MO_SOLVED);
    CHECK_BELOW(result.residual.natural_relative, 1e-10);
    return result;
}

static double norm_of(const mo_result *result)
{
    double sum = 0;
    for (int k = 0; k < result->row_count; ++k)
        sum += result->r[k] * result->r[k];
    return sqrt(sum);
}

/* All methods end at one r, with the velocities of the method alone and no longer than its r; it
 * does so where blocks stick, where they slide, and where only W is given. */
static void every_method_ends_at_the_shortest_impulses(void **state)
{
    (void)state;
    static const double PUSH[] = {0, 0.1, 0.3, 0.7};
    for (int trial = 0; trial < 8; ++trial) {
        mo_problem *global = box_on_a_ring(5 + trial % 4, PUSH[trial / 2]), *problem = global;
        if (trial % 2) CHECK(mo_problem_reduce(global, &problem, NULL) == MO_OK);
        mo_result first = {0};
        for (int m = 0; m < mo_method_count(); ++m) {
            if (!is_exact(m, problem)) continue;
            const char *name = mo_method_describe(m).name;
            mo_result plain = solve_canonical(name, problem, 0);
            mo_result result = solve_canonical(name, problem, 1);
            CHECK_BELOW(norm_of(&result), norm_of(&plain) * (1 + 1e-9));
            CHECK(result.is_canonical && !plain.is_canonical);
            if (!first.r) first = solve_canonical(name, problem, 1);
            for (int k = 0; k < result.row_count; ++k) {
                CHECK_NEAR(result.u[k], plain.u[k], 1e-8);
                CHECK_NEAR(result.r[k], first.r[k], 1e-6);
            }
            mo_result_clear(&plain);
            mo_result_clear(&result);
        }
        mo_result_clear(&first);
        if (problem != global) mo_problem_destroy(problem);
        mo_problem_destroy(global);
    }
}

/* Three rows hold one weight, a fourth opens: laws that have no parameters at all. */
static void rows_without_friction_share_a_weight(void **state)
{
    (void)state;
    const double mass = 1, weight = -3, none = 0, opens = 1;
    const mo_law law = mo_law_frictionless();
    mo_builder *builder;
    mo_problem *problem;
    CHECK(mo_builder_create(NULL, &builder) == MO_OK);
    mo_builder_add_body(builder, 1, &mass, &weight);
    mo_builder_add_body(builder, 1, &mass, &none);
    for (int k = 0; k < 4; ++k) {
        mo_builder_add_constraint(builder, 1, &law, k < 3 ? &none : &opens);
        mo_builder_add_jacobian(builder, k, k == 3, 1, 1, &mass);
    }
    CHECK(mo_builder_finish(builder, &problem, NULL) == MO_OK);
    mo_result result = solve_canonical("auto", problem, 1);
    for (int k = 0; k < 4; ++k)
        CHECK_NEAR(result.r[k], k < 3 ? 1 : 0, 1e-6);
    mo_result_clear(&result);
    mo_problem_destroy(problem);
    mo_builder_destroy(builder);
}

/* A joint that is pushed against its stop, with dry friction: both bear half, or friction as much
 * as it can. */
static void a_stop_and_dry_friction_share_a_push(void **state)
{
    (void)state;
    static const double PUSH[] = {0.5, 3};
    for (int k = 0; k < 2; ++k) {
        const double M = 2, f = -PUSH[k], J = 1, most = 1, least = -1;
        const mo_law stop = mo_law_frictionless(), friction = mo_law_box(&least, &most);
        mo_builder *builder;
        mo_problem *problem;
        CHECK(mo_builder_create(NULL, &builder) == MO_OK);
        const int body = mo_builder_add_body(builder, 1, &M, &f);
        for (int i = 0; i < 2; ++i) {
            const int own = mo_builder_add_constraint(builder, 1, i ? &friction : &stop, NULL);
            mo_builder_add_jacobian(builder, own, body, 1, 1, &J);
        }
        CHECK(mo_builder_finish(builder, &problem, NULL) == MO_OK);
        mo_result result = solve_canonical("auto", problem, 1);
        CHECK_NEAR(result.r[0], k ? PUSH[k] - 1 : PUSH[k] / 2, 1e-12);
        CHECK_NEAR(result.r[1], k ? 1 : PUSH[k] / 2, 1e-12);
        mo_result_clear(&result);
        mo_problem_destroy(problem);
        mo_builder_destroy(builder);
    }
}

/* ---- the last digits ------------------------------------------------------------------------- */

/* `refine` goes on to rounding, and stops at the noise that it is told of. */
static void refinement_reaches_the_last_digits(void **state)
{
    (void)state;
    mo_problem *problem = box_on_a_ring(6, 0.7);
    mo_options options = mo_default_options();
    mo_result plain = {0}, fine = {0}, noisy = {0};
    options.method = "nsgs";
    options.tol = 1e-4;
    CHECK(mo_solve(problem, &options, &plain) == MO_OK && plain.status == MO_SOLVED);
    options.refine = 1;
    CHECK(mo_solve(problem, &options, &fine) == MO_OK && fine.status == MO_SOLVED);
    CHECK(fine.residual.natural_relative < 1e-2 * plain.residual.natural_relative);
    options.noise = 1;
    CHECK(mo_solve(problem, &options, &noisy) == MO_OK && noisy.status == MO_SOLVED);
    CHECK(noisy.iterations == plain.iterations);
    CHECK(noisy.residual.natural == plain.residual.natural);
    mo_result_clear(&plain);
    mo_result_clear(&fine);
    mo_result_clear(&noisy);
    mo_problem_destroy(problem);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_method_ends_at_the_shortest_impulses),
        cmocka_unit_test(rows_without_friction_share_a_weight),
        cmocka_unit_test(a_stop_and_dry_friction_share_a_push),
        cmocka_unit_test(refinement_reaches_the_last_digits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
