/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Every engine for the convex problems of a frozen sliding speed: its answers against the
 * optimality conditions, written here from the laws, and against the other engines; and the linear
 * system that some of them and the outer Newton method share.
 */
#include "check.h"

#include <string.h>

#include "engine_bench.h"
#include "linalg/dense.h"
#include "moreau/moreau.h"
#include "problem/delassus.h"
#include "scenes.h"
#include "solver/convex.h"

enum { AMPLE = 200000 }; /* inner iterations */

/* The problem with the shifts of the bench. */
static mo_convex_answer ask_shifted(bench *b, double tol)
{
    const mo_convex convex = {.problem = b->run.problem, .kind = MO_CONVEX_SHIFTED, .s = b->s};
    return ask(b, &convex, tol);
}

static void draw_shifts(const mo_problem *problem, uint64_t seed, double most, double *s)
{
    mo_random random = {seed};
    for (int i = 0; i < mo_problem_constraint_count(problem); ++i) {
        const double drawn = uniform(&random, 0, most);
        s[i] = mo_convex_has_shift(problem, i) ? drawn : 0;
    }
}

/* (3.14) of the paper at the coulomb contacts: r in K, u + s e_N in K*, perpendicular; and u = W r
 * + q everywhere. */
static void check_optimality(const mo_problem *problem, const bench *b, double tol)
{
    const int rows = mo_problem_row_count(problem);
    double *u = test_malloc((size_t)rows * sizeof(double) + 1);
    CHECK(mo_problem_response(problem, b->r, u) == MO_OK);
    for (int k = 0; k < rows; ++k)
        CHECK_NEAR(u[k], b->u[k], 1e-11);
    for (int i = 0; i < mo_problem_constraint_count(problem); ++i) {
        const mo_constraint_view view = mo_problem_constraint(problem, i);
        const double *r = b->r + view.offset, *w = b->u + view.offset;
        if (view.law.kind == MO_LAW_BILATERAL && !view.law.compliance)
            CHECK_BELOW(sqrt(mo_dot(view.dim, w, w)), tol);
        if (view.law.kind != MO_LAW_COULOMB || view.law.compliance) continue;
        const double slip = sqrt(mo_dot(view.dim - 1, w + 1, w + 1));
        const double pull = sqrt(mo_dot(view.dim - 1, r + 1, r + 1));
        CHECK_BELOW(pull - view.law.mu * r[0], 1e-12 * (1 + pull));
        CHECK_BELOW(view.law.mu * slip - (w[0] + b->s[i]), tol);
        CHECK_BELOW(fabs(mo_dot(view.dim, r, w) + b->s[i] * r[0]), tol * (1 + pull + r[0]));
    }
    test_free(u);
}

static mo_problem *sample(int which)
{
    mo_problem *problem = NULL, *reduced = NULL;
    if (which == 0) {
        CHECK(scene_packing(60, 5, &problem, NULL) == MO_OK);
        return problem;
    }
    if (which == 1) {
        scene_slope_def def = scene_slope_default(); /* rank deficient */
        def.angle = 0.6;
        CHECK(scene_block_on_slope(&def, &problem, NULL) == MO_OK);
        return problem;
    }
    scene_random_def def = scene_random_default();
    def.seed = (uint64_t)which;
    def.bodies = 8;
    def.constraints = 14;
    def.in_plane = which % 2;
    def.laws = def.in_plane ? SCENE_EVERY_LAW & ~(unsigned)SCENE_ROLLING : SCENE_EVERY_LAW;
    def.compliance = which % 3 == 0 ? 1e-2 : 0;
    CHECK(scene_random(&def, &problem, NULL, NULL) == MO_OK);
    if (which == 4) {
        CHECK(mo_problem_reduce(problem, &reduced, NULL) == MO_OK);
        mo_problem_destroy(problem);
        return reduced;
    }
    return problem;
}

enum { SAMPLES = 6 };

static void every_engine_reaches_the_optimality_conditions_and_the_same_velocity(void **state)
{
    (void)state;
    for (int which = 0; which < SAMPLES; ++which) {
        mo_problem *problem = sample(which);
        bench first = make_bench(mo_convex_engines[0], problem, AMPLE);
        draw_shifts(problem, 11, 0.3, first.s);
        CHECK_BELOW(ask_shifted(&first, 1e-11).residual, 1e-11);
        check_optimality(problem, &first, 1e-9);
        for (int e = 1; e < mo_convex_engine_count; ++e) {
            bench b = make_bench(mo_convex_engines[e], problem, AMPLE);
            draw_shifts(problem, 11, 0.3, b.s);
            /* Polygons with narrow faces are hard below 1e-9: see convex_facets.c. */
            const double tol = strcmp(b.engine->name, "facets") == 0 ? 1e-8 : 1e-9;
            const mo_convex_answer answer = ask_shifted(&b, tol);
            if (!(answer.residual <= tol)) {
                fail_msg("%s, sample %d: %g after %d", b.engine->name, which, answer.residual,
                         answer.iterations);
            }
            check_optimality(problem, &b, 1e-7);
            for (int k = 0; k < mo_problem_row_count(problem); ++k) {
                CHECK_NEAR(b.u[k], first.u[k],
                           1e-5); /* one velocity: the problem is strongly convex in v */
            }
            free_bench(&b);
        }
        free_bench(&first);
        mo_problem_destroy(problem);
    }
}

static void a_warm_start_saves_every_engine_work(void **state)
{
    (void)state;
    for (int e = 0; e < mo_convex_engine_count; ++e) {
        mo_problem *problem = sample(0);
        bench b = make_bench(mo_convex_engines[e], problem, AMPLE);
        draw_shifts(problem, 11, 0.3, b.s);
        const mo_convex_answer cold = ask_shifted(&b, 1e-8);
        CHECK_BELOW(cold.residual, 1e-8);
        const mo_convex_answer again = ask_shifted(&b, 1e-8);
        CHECK_BELOW(again.residual, 1e-8);
        CHECK(again.iterations == 0 || again.iterations < cold.iterations);
        b.s[0] += 1e-6;
        const mo_convex_answer warm = ask_shifted(&b, 1e-8);
        CHECK_BELOW(warm.residual, 1e-8);
        CHECK(warm.iterations < cold.iterations);
        free_bench(&b);
        mo_problem_destroy(problem);
    }
}

static void a_first_order_engine_keeps_to_its_budget_and_hands_back_the_best(void **state)
{
    (void)state;
    for (int e = 1; e < 3; ++e) {
        mo_problem *problem = sample(0);
        double last = INFINITY;
        for (int most = 1; most <= 256; most *= 16) {
            bench b = make_bench(mo_convex_engines[e], problem, most);
            const mo_convex_answer answer = ask_shifted(&b, 0);
            const mo_convex convex = {.problem = problem, .kind = MO_CONVEX_SHIFTED, .s = b.s};
            CHECK(answer.iterations <= most);
            CHECK(answer.residual == mo_convex_residual(&convex, b.u, b.r));
            CHECK_BELOW(answer.residual, last);
            last = answer.residual;
            free_bench(&b);
        }
        mo_problem_destroy(problem);
    }
}

/* ---- the linear system ----------------------------------------------------------------------- */

static void check_system(const mo_problem *problem, int expects_bodies)
{
    mo_delassus system;
    mo_arena arena = {0};
    mo_random random = {5};
    const int rows = mo_problem_row_count(problem);
    CHECK(mo_delassus_layout(problem, MO_SPACE_BEST, &arena, &system) == MO_OK);
    char *memory = test_malloc(arena.used + MO_ARENA_ALIGN);
    arena = (mo_arena){.base = memory + MO_ARENA_ALIGN - (uintptr_t)memory % MO_ARENA_ALIGN};
    CHECK(mo_delassus_layout(problem, MO_SPACE_BEST, &arena, &system) == MO_OK);
    CHECK(!expects_bodies == !system.body);
    memset(system.active, 1, (size_t)system.problem->constraint_count);
    double *x = test_malloc(4 * (size_t)rows * sizeof(double)), *b = x + rows, *Wx = b + rows,
           *q = Wx + rows;
    for (int i = 0; i < mo_problem_constraint_count(problem); ++i) {
        const int d = mo_problem_constraint(problem, i).dim;
        double *E = system.D + system.start[i], *G = system.B + system.start[i];
        for (int k = 0; k < d * d; ++k) { /* E = 0.7 (1 + i), G = 0.3: B is symmetric */
            E[k] = (k % (d + 1) == 0) * 0.7 * (1 + i);
            G[k] = (k % (d + 1) == 0) * 0.3;
        }
    }
    CHECK(mo_delassus_factor(&system));
    fill_uniform(&random, -1, 1, rows, b);
    memcpy(x, b, (size_t)rows * sizeof(double));
    mo_delassus_solve(&system, x);
    CHECK(mo_problem_response(problem, NULL, q) == MO_OK);
    CHECK(mo_problem_response(problem, x, Wx) == MO_OK);
    for (int i = 0; i < mo_problem_constraint_count(problem); ++i) {
        const mo_constraint_view view = mo_problem_constraint(problem, i);
        for (int k = view.offset; k < view.offset + view.dim; ++k)
            CHECK_NEAR(0.7 * (1 + i) * x[k] + 0.3 * (Wx[k] - q[k]), b[k], 1e-11);
    }
    memcpy(b, Wx, (size_t)rows * sizeof(double));
    mo_delassus_response(&system, x, Wx);
    for (int k = 0; k < rows; ++k)
        CHECK_NEAR(Wx[k], b[k] - q[k], 1e-11);
    test_free(x);
    test_free(memory);
}

static void the_linear_system_is_solved_in_the_space_of_bodies_and_in_that_of_contacts(void **state)
{
    (void)state;
    mo_problem *dense, *reduced, *loose;
    CHECK(scene_packing(80, 2, &dense, NULL) == MO_OK); /* more rows than velocities */
    check_system(dense, 1);
    CHECK(mo_problem_reduce(dense, &reduced, NULL) == MO_OK);
    check_system(reduced, 0);
    scene_random_def def = scene_random_default();
    def.bodies = 30;
    def.constraints = 10; /* few contacts on many bodies */
    CHECK(scene_random(&def, &loose, NULL, NULL) == MO_OK);
    check_system(loose, 0);
    mo_problem_destroy(dense);
    mo_problem_destroy(reduced);
    mo_problem_destroy(loose);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_engine_reaches_the_optimality_conditions_and_the_same_velocity),
        cmocka_unit_test(a_warm_start_saves_every_engine_work),
        cmocka_unit_test(a_first_order_engine_keeps_to_its_budget_and_hands_back_the_best),
        cmocka_unit_test(
            the_linear_system_is_solved_in_the_space_of_bodies_and_in_that_of_contacts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
