/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * The convex problems behind lcp1 to lcp3, from the inside: the proximal maps against their
 * definition and finite differences, the engine's answers against optimality, its derivative
 * against differences of solutions.
 */
#include <stdlib.h>

#include "check.h"

#include <string.h>

#include "engine_bench.h"
#include "linalg/dense.h"
#include "moreau/moreau.h"
#include "scenes.h"
#include "solver/convex.h"

/* One contact of each law with friction, and one each without, all on one body. */
static mo_problem *one_of_each(void)
{
    static const double lower[1] = {-0.3}, upper[1] = {0.2};
    const mo_law laws[] = {
        mo_law_coulomb(0.4),          mo_law_rolling(0.4, 0.1),  mo_law_faceted(0.4, 5),
        mo_law_faceted(0.4, 4),       mo_law_pyramid(0.4),       mo_law_coulomb(0),
        mo_law_frictionless(),        mo_law_bilateral(),        mo_law_box(lower, upper),
        mo_law_soft_finger(0.4, 0.2), mo_law_soft_finger(0, 0.2)};
    static const int rows[] = {3, 5, 3, 3, 3, 3, 1, 2, 1, 4, 4};
    const double M[36] = {2, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0,
                          0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1};
    mo_random random = {7};
    mo_builder *builder;
    mo_problem *problem;
    CHECK(mo_builder_create(NULL, &builder) == MO_OK);
    mo_builder_add_body(builder, 6, M, NULL);
    for (int i = 0; i < 11; ++i) {
        double J[30];
        fill_uniform(&random, -1, 1, 6 * rows[i], J);
        mo_builder_add_constraint(builder, rows[i], &laws[i], NULL);
        mo_builder_add_jacobian(builder, i, 0, rows[i], 6, J);
    }
    CHECK(mo_builder_finish(builder, &problem, NULL) == MO_OK);
    mo_builder_destroy(builder);
    return problem;
}

enum { COUNT = 11 };
static const double SHIFTS[COUNT] = {0.3, 0.2, 0.1, 0.2, 0.3, 0, 0, 0, 0, 0.3, 0.1};
static const double SLIPS[2 * COUNT] = {0.5, 0, 0.4, 0.3, 0.6, 0, 0.5, 0,   0.3, 0.7, 0,
                                        0,   0, 0,   0,   0,   0, 0,   0.2, 0,   0.1, 0};

static mo_convex convex_of(const mo_problem *problem, mo_convex_kind kind)
{
    return (mo_convex){.problem = problem, .kind = kind, .s = SHIFTS, .lambda = SLIPS};
}

/* ---- the maps -------------------------------------------------------------------------------- */

static void a_derivative_of_a_prox_is_that_of_finite_differences(void **state)
{
    (void)state;
    mo_problem *problem = one_of_each();
    mo_random random = {3};
    for (int kind = 0; kind < 2; ++kind) {
        const mo_convex convex = convex_of(problem, (mo_convex_kind)kind);
        for (int draw = 0; draw < 200; ++draw) {
            for (int i = 0; i < COUNT; ++i) {
                const int d = mo_constraint_dim(problem, i);
                double x[6], dx[6], there[6], here[6], J[36], error = 0;
                fill_uniform(&random, -2, 2, d, x);
                fill_uniform(&random, -1e-7, 1e-7, d, dx);
                mo_convex_prox_derivative(&convex, i, 0.7, x, J);
                mo_convex_prox(&convex, i, 0.7, x, here);
                for (int k = 0; k < d; ++k)
                    x[k] += dx[k];
                mo_convex_prox(&convex, i, 0.7, x, there);
                for (int k = 0; k < d; ++k) {
                    error = fmax(error, fabs(there[k] - here[k] - mo_dot(d, J + k * d, dx)));
                    for (int j = 0; j < d; ++j)
                        CHECK_NEAR(J[k * d + j], J[j * d + k], 1e-14);
                }
                CHECK_BELOW(error, 1e-12); /* no kink is that near in these draws */
            }
        }
    }
    mo_problem_destroy(problem);
}

/* y = prox(x) is where (x - y) / step is a subgradient: no worse than any other point, by the
 * definition. */
static double objective(const mo_convex *convex, int i, int d, double step, const double *x,
                        const double *y)
{
    double value = 0;
    for (int k = 0; k < d; ++k)
        value += 0.5 * (y[k] - x[k]) * (y[k] - x[k]);
    if (convex->kind == MO_CONVEX_SHIFTED) return value + step * SHIFTS[i] * y[0];
    const double *lambda = SLIPS + 2 * i;
    switch (i) {
    case 0:
        return value + step * lambda[0] * hypot(y[1], y[2]);
    case 1:
        return value + step * (lambda[0] * hypot(y[1], y[2]) + lambda[1] * hypot(y[3], y[4]));
    case 3: /* four directions: the dual of the largest |u_k| */
        return value + step * lambda[0] * (fabs(y[1]) + fabs(y[2]));
    case 4:
        return value + step * (lambda[0] * fabs(y[1]) + lambda[1] * fabs(y[2]));
    case 9: /* the dual of |D u_F|, D = diag(0.4, 0.4, 0.2) */
        return value + step * lambda[0] * hypot(hypot(y[1], y[2]) / 0.4, y[3] / 0.2);
    case 10: /* friction on the spin alone */
        return value + step * lambda[0] * fabs(y[3]) / 0.2;
    default:
        return value;
    }
}

static void a_prox_is_the_least_point_of_its_definition(void **state)
{
    (void)state;
    mo_problem *problem = one_of_each();
    mo_random random = {5};
    for (int kind = 0; kind < 2; ++kind) {
        const mo_convex convex = convex_of(problem, (mo_convex_kind)kind);
        for (int draw = 0; draw < 200; ++draw) {
            for (int i = 0; i < COUNT; ++i) {
                const int d = mo_constraint_dim(problem, i);
                double x[6], y[6], other[6];
                if (kind == MO_CONVEX_BOUNDED_SLIP && i == 2)
                    continue; /* five directions: the dual norm has no short formula */
                fill_uniform(&random, -2, 2, d, x);
                mo_convex_prox(&convex, i, 0.7, x, y);
                const double least = objective(&convex, i, d, 0.7, x, y);
                for (int k = 0; k < d; ++k)
                    other[k] = y[k] + uniform(&random, -0.1, 0.1);
                mo_convex_prox(&convex, i, 0, other, other); /* a point of the set near y */
                CHECK(objective(&convex, i, d, 0.7, x, other) >= least - 1e-12);
            }
        }
    }
    mo_problem_destroy(problem);
}

static void the_careful_prox_agrees_with_the_plain_one(void **state)
{
    (void)state;
    mo_problem *problem = one_of_each();
    mo_random random = {11};
    for (int kind = 0; kind < 2; ++kind) {
        const mo_convex convex = convex_of(problem, (mo_convex_kind)kind);
        for (int draw = 0; draw < 500; ++draw) {
            for (int i = 0; i < COUNT; ++i) {
                const int d = mo_constraint_dim(problem, i);
                const double step = draw % 2 ? 0.5 : 20;
                double r[6], a[6], da[6], x[6], plain[6], careful[6];
                fill_uniform(&random, -1, 1, d, r);
                fill_uniform(&random, -1, 1, d, a);
                fill_uniform(&random, -0.1, 0.1, d, da);
                for (int k = 0; k < d; ++k)
                    x[k] = r[k] - step * (a[k] + da[k]);
                mo_convex_prox(&convex, i, step, x, plain);
                mo_convex_prox_at(&convex, i, step, r, a, da, careful);
                for (int k = 0; k < d; ++k)
                    CHECK_NEAR(careful[k], plain[k], 1e-13);
            }
        }
    }
    mo_problem_destroy(problem);
}

static void shifts_and_slips_are_those_of_the_laws(void **state)
{
    (void)state;
    mo_problem *problem = one_of_each();
    mo_random random = {13};
    double u[32], r[32] = {0}, s[COUNT], lambda[2 * COUNT];
    CHECK(mo_problem_row_count(problem) == 32);
    fill_uniform(&random, -1, 1, 32, u);
    mo_convex_shifts(problem, u, r, s);
    mo_convex_slips(problem, u, r, lambda);
    const double *rolling = u + 3, *four = u + 11, *pyramid = u + 14, *finger = u + 24;
    CHECK_NEAR(s[0], 0.4 * hypot(u[1], u[2]), 1e-15);
    CHECK_NEAR(s[1], 0.4 * hypot(rolling[1], rolling[2]) + 0.1 * hypot(rolling[3], rolling[4]),
               1e-15);
    CHECK_NEAR(s[3], 0.4 * fmax(fabs(four[1]), fabs(four[2])), 1e-15);
    CHECK_NEAR(s[4], 0.4 * (fabs(pyramid[1]) + fabs(pyramid[2])), 1e-15);
    CHECK_NEAR(s[9], hypot(0.4 * hypot(finger[1], finger[2]), 0.2 * finger[3]), 1e-15);
    CHECK_NEAR(lambda[18], s[9], 1e-15);
    CHECK(s[5] == 0 && s[6] == 0 && s[7] == 0 && s[8] == 0);
    CHECK_NEAR(lambda[0], hypot(u[1], u[2]), 1e-15);
    CHECK_NEAR(lambda[3], hypot(rolling[3], rolling[4]), 1e-15);
    CHECK_NEAR(lambda[6], fmax(fabs(four[1]), fabs(four[2])), 1e-15);
    CHECK_NEAR(lambda[9], fabs(pyramid[2]), 1e-15);
    mo_problem_destroy(problem);
}

/* ---- the engine ------------------------------------------------------------------------------ */

static mo_problem *random_problem(uint64_t seed)
{
    scene_random_def def = scene_random_default();
    mo_problem *problem;
    def.seed = seed;
    def.bodies = 6;
    def.constraints = 14;
    def.laws = SCENE_EVERY_LAW;
    def.compliance = seed % 3 == 0 ? 1e-2 : 0;
    CHECK(scene_random(&def, &problem, NULL, NULL) == MO_OK);
    return problem;
}

static void both_kinds_are_solved_to_rounding_in_both_forms(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 12; ++seed) {
        mo_problem *global = random_problem(seed), *reduced;
        CHECK(mo_problem_reduce(global, &reduced, NULL) == MO_OK);
        double s[14], lambda[28], u_of[2][80];
        mo_random random = {seed};
        fill_uniform(&random, 0, 0.2, 14, s);
        fill_uniform(&random, 0.1, 0.5, 28, lambda);
        for (int kind = 0; kind < 2; ++kind) {
            for (int form = 0; form < 2; ++form) {
                mo_problem *problem = form ? reduced : global;
                const mo_convex convex = {
                    .problem = problem, .kind = (mo_convex_kind)kind, .s = s, .lambda = lambda};
                bench b = make_bench(&mo_convex_newton_engine, problem, 0);
                const mo_convex_answer answer = ask(&b, &convex, 1e-12);
                CHECK_BELOW(answer.residual, 1e-12);
                CHECK_BELOW(mo_convex_residual(&convex, b.u, b.r), 1e-12);
                memcpy(u_of[form], b.u, (size_t)mo_problem_row_count(problem) * sizeof(double));
                free_bench(&b);
            }
            for (int k = 0; k < mo_problem_row_count(global); ++k) /* the velocity is unique */
                CHECK_NEAR(u_of[0][k], u_of[1][k], 1e-9);
        }
        mo_problem_destroy(global);
        mo_problem_destroy(reduced);
    }
}

static void the_second_problem_holds_its_constraints_on_a_degenerate_pile(void **state)
{
    (void)state;
    scene_cannonball_def def = scene_cannonball_default();
    mo_problem *problem;
    def.rows = 8;
    def.mu = 0.2;
    CHECK(scene_cannonball(&def, &problem, NULL) == MO_OK);
    const int count = mo_problem_constraint_count(problem);
    double lambda[2 * 200];
    mo_random random = {1};
    CHECK(count <= 200);
    for (double most = 1; most > 1e-9;
         most *= 0.03) { /* down to slip speeds that hardly let it move */
        for (int i = 0; i < count; ++i)
            lambda[2 * i] = most * mo_random_unit(&random) * (i % 4 != 0);
        const mo_convex convex = {
            .problem = problem, .kind = MO_CONVEX_BOUNDED_SLIP, .lambda = lambda};
        bench b = make_bench(&mo_convex_newton_engine, problem, 0);
        ask(&b, &convex, 4e-14);
        for (int i = 0; i < count; ++i) {
            CHECK(b.u[2 * i] >= -1e-12 && b.r[2 * i] >= 0);
            CHECK_BELOW(fabs(b.u[2 * i + 1]), lambda[2 * i] + 1e-12);
        }
        free_bench(&b);
    }
    mo_problem_destroy(problem);
}

/* r in K, u + s e_N in K*, and the two perpendicular, contact by contact: the conditions written
 * out for coulomb. */
static void check_optimality(const bench *b, const mo_problem *problem, const double *s, double tol)
{
    for (int i = 0; i < mo_problem_constraint_count(problem); ++i) {
        const mo_constraint_view c = mo_problem_constraint(problem, i);
        const double *r = b->r + c.offset, *u = b->u + c.offset;
        const double r_slip = c.dim == 3 ? hypot(r[1], r[2]) : fabs(r[1]);
        const double u_slip = c.dim == 3 ? hypot(u[1], u[2]) : fabs(u[1]);
        CHECK(c.law.kind == MO_LAW_COULOMB);
        CHECK_BELOW(r_slip, c.law.mu * r[0] + tol);
        CHECK_BELOW(c.law.mu * u_slip, u[0] + s[i] + tol);
        CHECK_NEAR(mo_dot(c.dim, u, r) + s[i] * r[0], 0, tol);
    }
}

static void a_wall_with_many_redundant_contacts_is_solved_to_optimality(void **state)
{
    (void)state;
    scene_wall_def def = scene_wall_default();
    mo_problem *problem;
    def.shake = 0.1;
    CHECK(scene_wall(&def, &problem, NULL) == MO_OK);
    const int count = mo_problem_constraint_count(problem);
    CHECK(mo_problem_row_count(problem) > 2 * mo_problem_dof_count(problem) && count <= 200);
    double s[200];
    mo_random random = {3};
    for (double most = 1; most > 1e-4; most *= 0.03) {
        fill_uniform(&random, 0, most, count, s);
        const mo_convex convex = {.problem = problem, .kind = MO_CONVEX_SHIFTED, .s = s};
        bench b = make_bench(&mo_convex_newton_engine, problem, 0);
        const double residual = ask(&b, &convex, 1e-11).residual;
        CHECK_BELOW(residual, 1e-8); /* rounding keeps the last digits where so much is redundant */
        check_optimality(&b, problem, s, 10 * residual);
        free_bench(&b);
    }
    mo_problem_destroy(problem);
}

/* W alone, with more than 2,500 rows: its Newton steps are sparse, and reach what sweeps do not. */
static void a_large_reduced_wall_is_solved_to_rounding(void **state)
{
    (void)state;
    scene_wall_def def = scene_wall_default();
    mo_problem *problem, *reduced;
    def.courses = 26;
    def.length = 26;
    def.in_plane = 1;
    CHECK(scene_wall(&def, &problem, NULL) == MO_OK);
    CHECK(mo_problem_reduce(problem, &reduced, NULL) == MO_OK);
    CHECK(mo_problem_row_count(reduced) > 2500);
    double *s = calloc((size_t)mo_problem_constraint_count(reduced), sizeof *s);
    const mo_convex convex = {.problem = reduced, .kind = MO_CONVEX_SHIFTED, .s = s};
    bench b = make_bench(&mo_convex_newton_engine, reduced, 0);
    CHECK_BELOW(ask(&b, &convex, 1e-11).residual, 1e-11);
    free(s);
    free_bench(&b);
    mo_problem_destroy(reduced);
    mo_problem_destroy(problem);
}

static void a_warm_start_saves_work(void **state)
{
    (void)state;
    scene_cannonball_def def = scene_cannonball_default();
    mo_problem *problem;
    double s[200];
    mo_random random = {2};
    def.rows = 8;
    def.mu = 0.2;
    CHECK(scene_cannonball(&def, &problem, NULL) == MO_OK);
    fill_uniform(&random, 0, 0.05, 200, s);
    const mo_convex convex = {.problem = problem, .kind = MO_CONVEX_SHIFTED, .s = s};
    bench cold = make_bench(&mo_convex_newton_engine, problem, 0),
          warm = make_bench(&mo_convex_newton_engine, problem, 0);
    CHECK_BELOW(ask(&warm, &convex, 1e-11).residual, 1e-11);
    CHECK(ask(&warm, &convex, 1e-11).iterations == 0); /* its own solution */
    for (int i = 0; i < 200; ++i)
        s[i] *= 1 + 1e-4 * mo_random_unit(&random);
    const mo_convex_answer from_near = ask(&warm, &convex, 1e-11),
                           from_zero = ask(&cold, &convex, 1e-11);
    CHECK_BELOW(from_near.residual, 1e-11);
    CHECK_BELOW(from_zero.residual, 1e-11);
    CHECK(2 * from_near.iterations < from_zero.iterations);
    for (int k = 0; k < mo_problem_row_count(problem); ++k)
        CHECK_NEAR(warm.u[k], cold.u[k], 1e-9); /* one velocity, whatever the start */
    free_bench(&cold);
    free_bench(&warm);
    mo_problem_destroy(problem);
}

static void the_derivative_of_a_solution_is_that_of_differences(void **state)
{
    (void)state;
    const mo_convex_engine *engine = &mo_convex_newton_engine;
    for (uint64_t seed = 1; seed <= 6; ++seed) {
        mo_problem *problem = random_problem(seed);
        const int rows = mo_problem_row_count(problem);
        double s[14], ds[14], weight[14], centre[80], du[80], there[80], law_u[80];
        mo_random random = {seed};
        fill_uniform(&random, 0, 0.2, 14, s);
        fill_uniform(&random, -1, 1, 14, ds);
        fill_uniform(&random, -0.5, 0.5, 80, centre);
        for (int i = 0; i < 14; ++i)
            weight[i] = 0.1;
        const mo_convex convex = {.problem = problem,
                                  .kind = MO_CONVEX_SHIFTED,
                                  .s = s,
                                  .weight = weight,
                                  .centre = centre};
        for (int i = 0; i < 14; ++i)
            ds[i] *= mo_convex_has_shift(problem, i);
        bench b = make_bench(&mo_convex_newton_engine, problem, 0);
        CHECK_BELOW(ask(&b, &convex, 1e-13).residual, 1e-12);
        CHECK(engine->linearise(b.workspace, &convex, b.u, b.r));
        engine->respond(b.workspace, ds, du);
        for (int k = 0; k < rows; ++k)
            law_u[k] = b.u[k] + (problem->compliance ? problem->compliance[k] * b.r[k] : 0);
        const double h = 1e-6;
        for (int i = 0; i < 14; ++i)
            s[i] += h * ds[i];
        CHECK_BELOW(ask(&b, &convex, 1e-13).residual, 1e-12);
        for (int k = 0; k < rows; ++k) {
            there[k] = b.u[k] + (problem->compliance ? problem->compliance[k] * b.r[k] : 0);
            CHECK_NEAR((there[k] - law_u[k]) / h, du[k], 2e-4);
        }
        free_bench(&b);
        mo_problem_destroy(problem);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_derivative_of_a_prox_is_that_of_finite_differences),
        cmocka_unit_test(a_prox_is_the_least_point_of_its_definition),
        cmocka_unit_test(the_careful_prox_agrees_with_the_plain_one),
        cmocka_unit_test(shifts_and_slips_are_those_of_the_laws),
        cmocka_unit_test(both_kinds_are_solved_to_rounding_in_both_forms),
        cmocka_unit_test(the_second_problem_holds_its_constraints_on_a_degenerate_pile),
        cmocka_unit_test(a_wall_with_many_redundant_contacts_is_solved_to_optimality),
        cmocka_unit_test(a_large_reduced_wall_is_solved_to_rounding),
        cmocka_unit_test(a_warm_start_saves_work),
        cmocka_unit_test(the_derivative_of_a_solution_is_that_of_differences),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
