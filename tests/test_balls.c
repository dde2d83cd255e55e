/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* Problems of balls: what the view holds, and that its sweeps are those of the general method. */
#include "heap.h"

#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "measure/measure_balls.h"
#include "moreau/moreau.h"
#include "problem/views.h"
#include "scenes.h"
#include "solver/visit.h"

static mo_problem *packing(int contacts)
{
    mo_problem *problem = NULL;
    mo_message why = {""};
    CHECK(scene_packing(contacts, 3, &problem, &why) == MO_OK);
    return problem;
}

static const mo_balls *balls_of(const mo_problem *problem)
{
    const mo_balls *balls = NULL;
    CHECK(mo_problem_balls(problem, &balls) == MO_OK);
    return balls;
}

static void every_contact_is_in_one_lane(void **state)
{
    (void)state;
    mo_problem *problem = packing(3000);
    const mo_balls *balls = balls_of(problem);
    int *seen = calloc(3000, sizeof *seen);
    CHECK(balls && seen);
    for (int k = 0; k < balls->batch_count; ++k) {
        for (int lane = 0; lane < MO_BALL_LANES; ++lane) {
            const int i = balls->batch[k].constraint[lane];
            if (i >= 0) {
                ++seen[i];
            }
        }
    }
    for (int i = 0; i < 3000; ++i) {
        CHECK(seen[i] == 1);
    }
    free(seen);
    mo_problem_destroy(problem);
}

static void contacts_of_a_colour_share_no_body(void **state)
{
    (void)state;
    mo_problem *problem = packing(3000);
    const mo_balls *balls = balls_of(problem);
    const int bodies = mo_problem_body_count(problem);
    int *last = malloc((size_t)bodies * sizeof *last);
    CHECK(balls && last);
    memset(last, 0xff, (size_t)bodies * sizeof *last);
    for (int g = 0; g < balls->group_count - balls->last_is_sequential; ++g) {
        for (int k = balls->group_start[g]; k < balls->group_start[g + 1]; ++k) {
            for (int lane = 0; lane < 2 * MO_BALL_LANES; ++lane) {
                const int b = balls->batch[k].body[lane / MO_BALL_LANES][lane % MO_BALL_LANES];
                if (b < bodies) {
                    CHECK(last[b] != g);
                    last[b] = g;
                }
            }
        }
    }
    free(last);
    mo_problem_destroy(problem);
}

/* The general visits, in the order of the batches, from r = 0. */
static void sweep_in_order(const mo_problem *problem, const mo_balls *balls, int sweeps, double *r)
{
    const mo_sweep *sweep;
    CHECK(mo_problem_sweep(problem, MO_SWEEP_NATURAL, &sweep) == MO_OK);
    double *x = malloc((size_t)mo_problem_dof_count(problem) * sizeof *x);
    CHECK(x != NULL);
    memset(r, 0, (size_t)mo_problem_row_count(problem) * sizeof *r);
    mo_sweep_reset(sweep, 1, r, x);
    const mo_visitor visitor = mo_visitor_begin(sweep, 1, r, x);
    for (int s = 0; s < sweeps; ++s) {
        for (int k = 0; k < balls->batch_count * MO_BALL_LANES; ++k) {
            const int i = balls->batch[k / MO_BALL_LANES].constraint[k % MO_BALL_LANES];
            if (i >= 0) {
                mo_visit(&visitor, i);
            }
        }
    }
    free(x);
}

static mo_result sweep_balls(const mo_problem *problem, double tol, int sweeps, double momentum,
                             int threads)
{
    mo_options options = mo_default_options();
    mo_result result = {0};
    options.method = "nsgs";
    options.tol = tol;
    options.max_iter = sweeps;
    options.threads = threads;
    options.nsgs.momentum = momentum;
    CHECK(mo_solve(problem, &options, &result) == MO_OK);
    return result;
}

static void sweeps_are_those_of_the_general_method(void **state)
{
    (void)state;
    mo_problem *problem = packing(3000);
    const mo_balls *balls = balls_of(problem);
    const int rows = mo_problem_row_count(problem);
    double *r = malloc((size_t)rows * sizeof *r);
    CHECK(balls && r);
    for (int sweeps = 1; sweeps <= 6; ++sweeps) {
        mo_result result = sweep_balls(problem, 1e-7, sweeps, 0, 1);
        sweep_in_order(problem, balls, sweeps, r);
        double largest = 0;
        for (int k = 0; k < rows; ++k) {
            largest = fmax(largest, fabs(r[k]));
        }
        for (int k = 0; k < rows; ++k) {
            CHECK_NEAR(result.r[k], r[k], 1e-11 * largest);
        }
        mo_result_clear(&result);
    }
    free(r);
    mo_problem_destroy(problem);
}

static void what_is_solved_is_solved_by_the_measure(void **state)
{
    (void)state;
    mo_problem *problem = packing(3000);
    const double tols[] = {1e-2, 1e-3, 1e-5, 1e-6};
    for (int k = 0; k < 4; ++k) {
        mo_result result = sweep_balls(problem, tols[k], 20000, 10, 1);
        mo_residual residual;
        CHECK(result.status == MO_SOLVED);
        CHECK(mo_measure(problem, result.r, &residual) == MO_OK);
        CHECK_BELOW(residual.natural_relative, tols[k]);
        CHECK(residual.natural_relative == result.residual.natural_relative);
        mo_result_clear(&result);
    }
    mo_problem_destroy(problem);
}

static void too_few_sweeps_are_told(void **state)
{
    (void)state;
    mo_problem *problem = packing(2000);
    mo_result none = sweep_balls(problem, 1e-6, 0, 10, 1),
              few = sweep_balls(problem, 1e-6, 5, 10, 1);
    CHECK(none.status == MO_ITERATION_LIMIT && none.iterations == 0);
    CHECK(few.status == MO_ITERATION_LIMIT && few.iterations == 5);
    CHECK_BELOW(few.residual.natural, none.residual.natural);
    mo_result_clear(&none);
    mo_result_clear(&few);
    mo_problem_destroy(problem);
}

static void one_and_two_threads_have_the_same_bits(void **state)
{
    (void)state;
    mo_problem *problem = packing(20000);
    mo_result one = sweep_balls(problem, 1e-7, 12, 10, 1),
              two = sweep_balls(problem, 1e-7, 12, 10, 2);
    CHECK(memcmp(one.r, two.r, (size_t)one.row_count * sizeof *one.r) == 0);
    mo_result_clear(&one);
    mo_result_clear(&two);
    mo_problem_destroy(problem);
}

/* ---- what is one of balls, and what not ---------------------------------------------------------- */

typedef struct pair_of_balls {
    double mass[2], inertia[2], lever[2], mu;
    double off_centre; /* of the arm, across the normal */
    double off_mass;   /* an entry of the mass matrix off the diagonal */
} pair_of_balls;

static void add_ball(mo_builder *builder, const pair_of_balls *p, int k)
{
    double M[36] = {0};
    for (int i = 0; i < 3; ++i) {
        M[7 * i] = p->mass[k];
        M[7 * (i + 3)] = p->inertia[k];
    }
    M[4] = M[24] = k == 0 ? p->off_mass : 0;
    const double f[6] = {0, 0, k ? -p->mass[k] : p->mass[k], 0.1 * p->inertia[k], 0, 0};
    CHECK(mo_builder_add_body(builder, 6, M, f) == k);
}

/* One above the other, pressed together and twisted. */
static mo_problem *build_pair(const pair_of_balls *p)
{
    mo_builder *builder;
    mo_problem *problem = NULL;
    mo_message why = {""};
    CHECK(mo_builder_create(NULL, &builder) == MO_OK);
    add_ball(builder, p, 0);
    add_ball(builder, p, 1);
    const mo_law law = mo_law_coulomb(p->mu);
    const double w[3] = {0, 0.05, 0.02};
    CHECK(mo_builder_add_constraint(builder, 3, &law, w) == 0);
    const double frame[3][3] = {{0, 0, 1}, {1, 0, 0}, {0, 1, 0}};
    for (int side = 0; side < 2; ++side) {
        const double sign = side ? 1 : -1;
        const double arm[3] = {p->off_centre, 0, -sign * p->lever[side]};
        double J[18];
        for (int k = 0; k < 3; ++k) {
            for (int i = 0; i < 3; ++i) {
                const int j = (i + 1) % 3, m = (i + 2) % 3;
                J[6 * k + i] = sign * frame[k][i];
                J[6 * k + 3 + i] = sign * (arm[j] * frame[k][m] - arm[m] * frame[k][j]);
            }
        }
        mo_builder_add_jacobian(builder, 0, side, 3, 6, J);
    }
    CHECK(mo_builder_finish(builder, &problem, &why) == MO_OK);
    mo_builder_destroy(builder);
    return problem;
}

static const pair_of_balls PLAIN = {{1, 2}, {0.01, 0.05}, {0.1, 0.2}, 0.3, 0, 0};

static void only_balls_are_taken_for_balls(void **state)
{
    (void)state;
    pair_of_balls pairs[5] = {PLAIN, PLAIN, PLAIN, PLAIN, PLAIN};
    pairs[1].mu = INFINITY;
    pairs[2].off_centre = 1e-3;
    pairs[3].off_mass = 1e-3;
    pairs[4].mu = 0;
    for (int k = 0; k < 5; ++k) {
        mo_problem *problem = build_pair(&pairs[k]);
        CHECK((balls_of(problem) != NULL) == (k == 0 || k == 4));
        mo_problem_destroy(problem);
    }
}

static void a_pair_is_exact_at_any_ratio_and_friction(void **state)
{
    (void)state;
    const double ratios[] = {1, 1e3, 1e6}, mus[] = {0, 0.01, 0.3, 2};
    for (int k = 0; k < 12; ++k) {
        pair_of_balls p = PLAIN;
        p.mass[1] *= ratios[k / 4];
        p.inertia[1] *= ratios[k / 4];
        p.mu = mus[k % 4];
        mo_problem *problem = build_pair(&p);
        mo_result result = sweep_balls(problem, 1e-7, 3, 0, 1);
        CHECK(balls_of(problem) != NULL);
        CHECK(result.status == MO_SOLVED);
        CHECK_BELOW(result.residual.natural_relative, 1e-13);
        mo_result_clear(&result);
        mo_problem_destroy(problem);
    }
}

/* Nothing, in the cone, on its edge by far, outside: a kind for each contact in turn. */
static void draw_impulses(mo_random *random, int contacts, double *r)
{
    for (int i = 0; i < contacts; ++i) {
        const double size = i % 4 == 0 ? 0 : i % 4 == 1 ? 1 : i % 4 == 2 ? 1e13 : 0.1;
        r[3 * i] = size * (0.5 + 0.5 * mo_random_unit(random));
        r[3 * i + 1] = 0.1 * size * (2 * mo_random_unit(random) - 1);
        r[3 * i + 2] = (i % 4 == 3 ? 10 : 0.1) * size * (2 * mo_random_unit(random) - 1);
    }
}

/* From rows to the batches and the axes of the world. */
static double *batched(const mo_problem *problem, const mo_balls *balls, const double *rows)
{
    const size_t apart = 3 * MO_BALL_LANES;
    double *r = calloc(apart * (size_t)balls->batch_count, sizeof *r);
    CHECK(r != NULL);
    for (int k = 0; k < balls->batch_count; ++k) {
        for (int lane = 0; lane < MO_BALL_LANES; ++lane) {
            const int i = balls->batch[k].constraint[lane];
            for (int x = 0; x < 3 && i >= 0; ++x) {
                double *to = r + apart * (size_t)k + MO_BALL_LANES * (size_t)x + lane;
                *to = rows[3 * i] * mo_ball_axis(problem, i, 0)[x] +
                      rows[3 * i + 1] * mo_ball_axis(problem, i, 1)[x] +
                      rows[3 * i + 2] * mo_ball_axis(problem, i, 2)[x];
            }
        }
    }
    return r;
}

static void check_worst(mo_worst told, mo_worst of_measure)
{
    CHECK_NEAR(told.value, of_measure.value, 1e-9 * of_measure.value);
    CHECK(told.constraint == of_measure.constraint);
}

static void check_kernel(const mo_ball_kernels *kernel, const mo_ball_given *given,
                         const mo_residual *residual)
{
    const size_t bytes = ((size_t)given->balls->body_count + 1) * sizeof *given->state;
    memcpy(given->state, given->balls->free_state, bytes);
    CHECK_NEAR(sqrt(kernel->speeds(given)), residual->q_norm, 1e-12 * residual->q_norm);
    kernel->push(given);
    const mo_ball_verdict verdict = kernel->measure(given);
    CHECK_NEAR(sqrt(verdict.natural), residual->natural, 1e-9 * residual->natural);
    check_worst(verdict.block, residual->block);
    check_worst(verdict.penetration_rate, residual->penetration_rate);
    check_worst(verdict.cone_violation, residual->cone_violation);
    check_worst(verdict.dissipation, residual->dissipation);
}

static void every_processor_measures_alike(void **state)
{
    (void)state;
    mo_problem *problem = packing(3001);
    const mo_balls *balls = balls_of(problem);
    mo_random random = {7};
    mo_ball *states = malloc(((size_t)balls->body_count + 1) * sizeof *states);
    double *rows = malloc(3 * 3001 * sizeof *rows);
    CHECK(balls && states && rows);
    draw_impulses(&random, 3001, rows);
    double *r = batched(problem, balls, rows);
    const mo_ball_given given = {balls, r, 3 * MO_BALL_LANES, states};
    mo_residual residual;
    CHECK(mo_measure(problem, rows, &residual) == MO_OK);
    check_kernel(&mo_ball_anywhere, &given, &residual);
#if defined(__x86_64__)
    if (__builtin_cpu_supports("fma")) {
        check_kernel(&mo_ball_avx2, &given, &residual);
    }
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq")) {
        check_kernel(&mo_ball_avx512, &given, &residual);
    }
#endif
    free(r);
    free(rows);
    free(states);
    mo_problem_destroy(problem);
}

static void a_heap_of_beads_is_one_of_balls(void **state)
{
    (void)state;
    mo_world *world = heap_of_beads(100, 2e-3, 1);
    for (int k = 0; k < 60; ++k) {
        const mo_step_report report = heap_step(world, 1);
        CHECK(report.status == MO_SOLVED);
        CHECK_BELOW(report.residual.natural_relative, 2e-3);
    }
    CHECK(mo_problem_constraint_count(mo_world_problem(world)) > 100);
    CHECK(balls_of(mo_world_problem(world)) != NULL);
    mo_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_contact_is_in_one_lane),
        cmocka_unit_test(contacts_of_a_colour_share_no_body),
        cmocka_unit_test(sweeps_are_those_of_the_general_method),
        cmocka_unit_test(what_is_solved_is_solved_by_the_measure),
        cmocka_unit_test(too_few_sweeps_are_told),
        cmocka_unit_test(one_and_two_threads_have_the_same_bits),
        cmocka_unit_test(only_balls_are_taken_for_balls),
        cmocka_unit_test(a_pair_is_exact_at_any_ratio_and_friction),
        cmocka_unit_test(every_processor_measures_alike),
        cmocka_unit_test(a_heap_of_beads_is_one_of_balls),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
