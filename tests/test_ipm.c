/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Interior points: the convex engine against optimality and the other engine, and the method
 * against the measure, closed forms and other methods.  The cones are in test_ipm_cones.c.
 */
#include "check.h"

#include <stdlib.h>
#include <string.h>

#include "engine_bench.h"
#include "law/cones.h"
#include "linalg/dense.h"
#include "moreau/moreau.h"
#include "problem/problem_data.h"
#include "scenes.h"
#include "solver/convex.h"
#include "solver/interior.h"

/* ---- the convex engine ----------------------------------------------------------------------- */

static mo_problem *random_problem(uint64_t seed, double mass_ratio)
{
    scene_random_def def = scene_random_default();
    mo_problem *problem;
    def.seed = seed;
    def.bodies = 8;
    def.constraints = 20;
    def.laws = SCENE_EVERY_LAW;
    def.mu_max = 1.5;
    def.mass_ratio = mass_ratio;
    def.compliance = seed % 3 == 0 ? 1e-2 : 0;
    CHECK(scene_random(&def, &problem, NULL, NULL) == MO_OK);
    return problem;
}

/*
 * r'(u + s e_N) is the duality gap where r and u + s e_N lie in cones that are dual to each other;
 * boxes are left out (their support function is not zero), joints have u = 0.
 */
static double duality_gap(const mo_convex *convex, const double *u, const double *r)
{
    const mo_problem *problem = convex->problem;
    double gap = 0;
    for (int i = 0; i < problem->constraint_count; ++i) {
        const int row = problem->row_start[i], d = problem->row_start[i + 1] - row;
        double seen[MO_BILATERAL_MAX_DIM];
        mo_convex_velocity(convex, i, u + row, r + row, seen);
        seen[0] += convex->s[i];
        gap += problem->law[i].kind == MO_LAW_BOX ? 0 : mo_dot(d, seen, r + row);
    }
    return gap;
}

static void the_engine_solves_convex_problems_to_rounding(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 12; ++seed) {
        mo_problem *problem = random_problem(seed, seed % 2 ? 1 : 1e3);
        double s[20];
        mo_random random = {seed};
        for (int i = 0; i < 20; ++i)
            s[i] = uniform(&random, 0, 0.3) * mo_convex_has_shift(problem, i);
        const mo_convex convex = {.problem = problem, .kind = MO_CONVEX_SHIFTED, .s = s};
        bench ours = make_bench(&mo_convex_interior_engine, problem, 0);
        bench other = make_bench(&mo_convex_newton_engine, problem, 0);
        const mo_convex_answer answer = ask(&ours, &convex, 1e-11);
        CHECK_BELOW(answer.residual, 1e-11);
        CHECK_BELOW(mo_convex_residual(&convex, ours.u, ours.r), 1e-11);
        CHECK(answer.iterations > 2 && answer.iterations < 40);
        CHECK_BELOW(fabs(duality_gap(&convex, ours.u, ours.r)), 1e-9);
        CHECK_BELOW(ask(&other, &convex, 1e-11).residual, 1e-11);
        for (int k = 0; k < problem->row_count; ++k) /* the velocity is unique */
            CHECK_NEAR(ours.u[k], other.u[k], 1e-7);
        free_bench(&ours);
        free_bench(&other);
        mo_problem_destroy(problem);
    }
}

static void the_engine_copes_with_redundant_contacts_weights_and_its_own_answer(void **state)
{
    (void)state;
    scene_wall_def def = scene_wall_default();
    def.courses = def.length = 3;
    def.shake = 0.1;
    mo_problem *problem;
    CHECK(scene_wall(&def, &problem, NULL) == MO_OK);
    const size_t count = (size_t)problem->constraint_count, rows = (size_t)problem->row_count;
    double *s = test_calloc(count, sizeof *s), *weight = test_calloc(count, sizeof *s);
    double *centre = test_calloc(rows, sizeof *s);
    for (size_t i = 0; i < count; ++i)
        weight[i] = 1e-3;
    for (int draw = 0; draw < 4; ++draw) {
        const int weighted = draw % 2;
        for (size_t i = 0; i < count; ++i) /* s = 0 leaves contacts between apart and stuck */
            s[i] = draw < 2 ? 0 : 0.02 * (double)(i % 3);
        const mo_convex convex = {.problem = problem,
                                  .kind = MO_CONVEX_SHIFTED,
                                  .s = s,
                                  .weight = weighted ? weight : NULL,
                                  .centre = weighted ? centre : NULL};
        bench b = make_bench(&mo_convex_interior_engine, problem, 0);
        CHECK_BELOW(ask(&b, &convex, 1e-10).residual, 1e-10);
        CHECK(ask(&b, &convex, 1e-10).iterations == 0);
        free_bench(&b);
    }
    test_free(s);
    test_free(weight);
    test_free(centre);
    mo_problem_destroy(problem);
}

/* ---- the method ------------------------------------------------------------------------------ */

static mo_result solve(const mo_problem *problem, const char *method, double tol)
{
    mo_options options = mo_default_options();
    mo_result result = {0};
    mo_residual residual;
    options.method = method;
    options.tol = tol;
    options.max_iter = 100000;
    CHECK(mo_solve(problem, &options, &result) == MO_OK);
    CHECK(mo_measure(problem, result.r, &residual) == MO_OK);
    CHECK((result.status == MO_SOLVED) == (residual.natural_relative <= tol));
    return result;
}

static mo_result solved(const mo_problem *problem, const char *method, double tol)
{
    mo_result result = solve(problem, method, tol);
    if (result.status != MO_SOLVED) {
        fail_msg("%s: %s at %g. %s", method, mo_status_name(result.status),
                 result.residual.natural_relative, result.message.text);
    }
    return result;
}

static void it_agrees_with_nsgs_and_newton_where_the_velocity_is_unique(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 8; ++seed) {
        scene_random_def def = scene_random_default();
        def.seed = seed;
        def.in_plane = seed % 2 == 0;
        def.laws = SCENE_COULOMB | SCENE_FRICTIONLESS | SCENE_BILATERAL | SCENE_BOX |
                   (def.in_plane ? 0u : (unsigned)SCENE_ROLLING);
        def.mu_max = 0.4;
        mo_problem *problem;
        CHECK(scene_random(&def, &problem, NULL, NULL) == MO_OK);
        mo_result ours = solved(problem, "ipm", 1e-10);
        static const char *const others[] = {"nsgs", "newton"};
        for (int k = 0; k < 2; ++k) {
            mo_result other = solved(problem, others[k], 1e-10);
            for (int j = 0; j < ours.dof_count; ++j)
                CHECK_NEAR(ours.v[j], other.v[j], 1e-6);
            mo_result_clear(&other);
        }
        mo_result_clear(&ours);
        mo_problem_destroy(problem);
    }
}

static void planted_problems_with_large_friction_and_mass_ratio_are_solved(void **state)
{
    (void)state;
    int failures = 0;
    for (uint64_t seed = 1; seed <= 20; ++seed) {
        scene_random_def def = scene_random_default();
        def.seed = seed;
        def.bodies = 15;
        def.constraints = 30;
        def.mass_ratio = 1e4;
        def.mu_min = 0;
        def.mu_max = 1.5;
        mo_problem *problem;
        double *planted = NULL;
        CHECK(scene_random(&def, &problem, &planted, NULL) == MO_OK);
        mo_result result = solve(problem, "ipm", 1e-8);
        failures += result.status != MO_SOLVED;
        mo_result_clear(&result);
        free(planted);
        mo_problem_destroy(problem);
    }
    CHECK(failures == 0);
}

static void heavy_boxes_on_light_ones_rest(void **state)
{
    (void)state;
    static const double ratios[] = {1e-6, 1, 1e6, 1e6};
    static const int boxes[] = {5, 5, 5, 20};
    for (int k = 0; k < 4; ++k) {
        scene_stack_def def = scene_stack_default();
        def.boxes = boxes[k];
        def.mass_ratio = ratios[k];
        def.push = ratios[k] < 1 || boxes[k] > 5 ? 0 : 0.05; /* nothing tips: see scenes.h */
        mo_problem *problem;
        CHECK(scene_box_stack(&def, &problem, NULL) == MO_OK);
        mo_result result = solved(problem, "ipm", 1e-8);
        for (int j = 0; j < result.dof_count && ratios[k] >= 1; ++j)
            CHECK_NEAR(result.v[j], 0, 1e-5);
        mo_result_clear(&result);
        if (ratios[k] < 1) { /* 1e-8 of an impulse is a tenth of the weight of 1e-6 kg */
            result = solved(problem, "ipm", 1e-14);
            for (int j = 0; j < result.dof_count; ++j)
                CHECK_NEAR(result.v[j], 0, 1e-5);
            mo_result_clear(&result);
        }
        mo_problem_destroy(problem);
    }
}

/* One particle between a floor and a ceiling that come together: no velocity obeys both. */
static mo_problem *clamped(double closing)
{
    const double M[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, f[3] = {-1, 0.3, 0};
    const double up[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, down[9] = {-1, 0, 0, 0, -1, 0, 0, 0, 1};
    const double w[3] = {-closing, 0, 0};
    const mo_law law = mo_law_coulomb(0.5);
    mo_builder *builder;
    mo_problem *problem;
    CHECK(mo_builder_create(NULL, &builder) == MO_OK);
    mo_builder_add_body(builder, 3, M, f);
    mo_builder_add_constraint(builder, 3, &law, w);
    mo_builder_add_constraint(builder, 3, &law, w);
    mo_builder_add_jacobian(builder, 0, 0, 3, 3, up);
    mo_builder_add_jacobian(builder, 1, 0, 3, 3, down);
    CHECK(mo_builder_finish(builder, &problem, NULL) == MO_OK);
    mo_builder_destroy(builder);
    return problem;
}

static void a_crushed_body_is_not_reported_as_solved(void **state)
{
    (void)state;
    mo_problem *problem = clamped(0.1);
    mo_result result = solve(problem, "ipm", 1e-8);
    CHECK(result.status != MO_SOLVED);
    CHECK(isfinite(result.residual.natural) && strlen(result.message.text) > 20);
    mo_result_clear(&result);
    mo_problem_destroy(problem);
    problem = clamped(0); /* held exactly: there is a solution, though no interior */
    result = solved(problem, "ipm", 1e-8);
    CHECK_NEAR(result.v[0], 0, 1e-7);
    mo_result_clear(&result);
    mo_problem_destroy(problem);
}

static void an_infinite_mu_sticks_or_lets_go(void **state)
{
    (void)state;
    static const double gravities[] = {-10, 0};
    for (int g = 0; g < 2; ++g) {
        scene_particle_def def = scene_particle_default();
        def.mu = INFINITY;
        def.gravity = gravities[g];
        mo_problem *problem;
        CHECK(scene_particle(&def, &problem, NULL) == MO_OK);
        mo_result result = solved(problem, "ipm", 1e-8);
        CHECK_NEAR(result.u[1], g == 0 ? 0 : 1, 1e-7);
        mo_result_clear(&result);
        mo_problem_destroy(problem);
    }
}

/* The path from a second start must not see where the first one ended: a start that keeps the
 * friction of the last iterate lies outside its cones. */
static void a_second_start_is_as_good_as_a_first(void **state)
{
    (void)state;
    enum { STEPS = 12 };
    mo_problem *problem;
    mo_arena arena = {0};
    mo_interior interior;
    CHECK(scene_packing(60, 8, &problem, NULL) == MO_OK);
    CHECK(mo_interior_layout(problem, 0, &arena, &interior) == MO_OK);
    void *memory = test_malloc(arena.used + MO_ARENA_ALIGN);
    arena =
        (mo_arena){.base = (char *)memory + MO_ARENA_ALIGN - (uintptr_t)memory % MO_ARENA_ALIGN};
    CHECK(mo_interior_layout(problem, 0, &arena, &interior) == MO_OK);
    const double unit = mo_interior_begin(&interior, NULL, NULL, NULL);
    double fresh[STEPS];
    for (int start = 0; start < 3;
         ++start) { /* the second wanders off, the third is the first again */
        mo_interior_start(&interior, start == 1 ? unit : 0.1 * unit);
        for (int k = 0; k < STEPS; ++k) {
            CHECK(mo_interior_step(&interior) > 0);
            fresh[k] = start == 0 ? interior.length : fresh[k];
            CHECK(start != 2 || interior.length == fresh[k]);
        }
    }
    test_free(memory);
    mo_problem_destroy(problem);
}

/* Interior steps alone from the first start of `ipm` to the tolerance, or STEPS_MOST. */
enum { STEPS_MOST = 200 };
static int count_interior_steps(const mo_problem *problem, double tol, int by_arc,
                                const double *near)
{
    mo_arena arena = {0};
    mo_interior interior;
    mo_residual residual = {.natural_relative = INFINITY};
    int steps = 0;
    CHECK(mo_interior_layout(problem, 0, &arena, &interior) == MO_OK);
    void *memory = test_malloc(arena.used + MO_ARENA_ALIGN);
    arena =
        (mo_arena){.base = (char *)memory + MO_ARENA_ALIGN - (uintptr_t)memory % MO_ARENA_ALIGN};
    CHECK(mo_interior_layout(problem, 0, &arena, &interior) == MO_OK);
    const double unit = mo_interior_begin(&interior, NULL, NULL, NULL);
    if (near)
        mo_interior_start_near(&interior, 0.1 * unit, near);
    else
        mo_interior_start(&interior, unit);
    interior.by_arc = by_arc;
    for (; steps < STEPS_MOST && residual.natural_relative > tol; ++steps) {
        CHECK(mo_interior_step(&interior) > 0);
        CHECK(mo_measure(problem, interior.r, &residual) == MO_OK);
    }
    test_free(memory);
    return steps;
}

/* Newton steps take over on the way, where interior steps would gain one digit each. */
static void newton_finishes_before_the_interior_points_would(void **state)
{
    (void)state;
    int ours = 0, interior = 0;
    for (uint64_t seed = 1; seed <= 10; ++seed) {
        scene_random_def def = scene_random_default();
        mo_problem *problem;
        def.seed = seed;
        def.bodies = 20;
        def.constraints = 40;
        def.mu_max = 0.5;
        CHECK(scene_random(&def, &problem, NULL, NULL) == MO_OK);
        mo_result result = solved(problem, "ipm", 1e-12);
        ours += result.iterations;
        interior += count_interior_steps(problem, 1e-12, 0, NULL);
        mo_result_clear(&result);
        mo_problem_destroy(problem);
    }
    CHECK(4 * ours <= 3 * interior);
}

/* Without the smaller gradient it takes 83 steps: the path turns back at a residual of 1e-2. */
static void a_path_that_turns_back_is_left_for_another(void **state)
{
    (void)state;
    mo_problem *problem;
    CHECK(scene_packing(60, 19, &problem, NULL) == MO_OK);
    mo_options options = mo_default_options();
    mo_result result = {0};
    options.method = "ipm";
    CHECK(mo_solve(problem, &options, &result) == MO_OK);
    CHECK(result.status == MO_SOLVED);
    CHECK(result.iterations <= 40);
    mo_result_clear(&result);
    mo_problem_destroy(problem);
}

/* p - z = x and p o z = tau e, for x inside, outside, on the axis and on the boundary. */
static void a_point_is_split_along_the_central_path(void **state)
{
    (void)state;
    static const double x[][3] = {{1, 0.3, -0.2}, {-2, 0.1, 0}, {0, 3, 4},   {1, 0, 0},
                                  {0, 0, 0},      {5, 3, 4},    {-5, 3, -4}, {1e-9, 1e3, 0}};
    for (int k = 0; k < 8; ++k) {
        for (int n = 1; n <= 3; ++n) {
            for (double tau = 1; tau > 1e-9; tau *= 1e-2) {
                double p[3], z[3], product[3];
                mo_lorentz_split(n, tau, x[k], p, z);
                mo_lorentz_product(n, p, z, product);
                CHECK(p[0] > 0 && z[0] > 0);
                for (int j = 0; j < n; ++j) {
                    CHECK_NEAR(p[j] - z[j], x[k][j], 1e-12 * (1 + fabs(x[k][j])));
                    CHECK_NEAR(product[j], j ? 0 : tau, 1e-12 * (1 + fabs(x[k][1])));
                }
            }
        }
    }
}

/* This path has folds: plain steps become short there, along the arc they do not. */
static void a_fold_is_passed_along_the_arc(void **state)
{
    (void)state;
    mo_problem *problem;
    CHECK(scene_packing(60, 19, &problem, NULL) == MO_OK);
    const int along = count_interior_steps(problem, 1e-8, 1, NULL);
    const int plain = count_interior_steps(problem, 1e-8, 0, NULL);
    CHECK(along < STEPS_MOST / 2 && 2 * along < plain);
    mo_problem_destroy(problem);
}

/* Impulses that are right to three digits save interior steps. */
static void the_path_is_entered_near_a_start(void **state)
{
    (void)state;
    int cold = 0, warm = 0;
    for (uint64_t seed = 1; seed <= 5; ++seed) {
        mo_problem *problem;
        mo_options options = mo_default_options();
        mo_result rough = {0};
        CHECK(scene_packing(100, seed, &problem, NULL) == MO_OK);
        options.tol = 1e-3;
        CHECK(mo_solve(problem, &options, &rough) == MO_OK && rough.status == MO_SOLVED);
        cold += count_interior_steps(problem, 1e-8, 1, NULL);
        warm += count_interior_steps(problem, 1e-8, 1, rough.r);
        mo_result_clear(&rough);
        mo_problem_destroy(problem);
    }
    CHECK(warm < cold);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_point_is_split_along_the_central_path),
        cmocka_unit_test(a_fold_is_passed_along_the_arc),
        cmocka_unit_test(the_path_is_entered_near_a_start),
        cmocka_unit_test(the_engine_solves_convex_problems_to_rounding),
        cmocka_unit_test(the_engine_copes_with_redundant_contacts_weights_and_its_own_answer),
        cmocka_unit_test(it_agrees_with_nsgs_and_newton_where_the_velocity_is_unique),
        cmocka_unit_test(planted_problems_with_large_friction_and_mass_ratio_are_solved),
        cmocka_unit_test(heavy_boxes_on_light_ones_rest),
        cmocka_unit_test(a_crushed_body_is_not_reported_as_solved),
        cmocka_unit_test(an_infinite_mu_sticks_or_lets_go),
        cmocka_unit_test(a_second_start_is_as_good_as_a_first),
        cmocka_unit_test(newton_finishes_before_the_interior_points_would),
        cmocka_unit_test(a_path_that_turns_back_is_left_for_another),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
