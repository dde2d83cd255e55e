/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* Islands: found, copied out, and solved as if they were alone. */
#include <stdlib.h>
#include <string.h>

#include "building.h"
#include "check.h"
#include "moreau/moreau.h"
#include "problem/islands.h"
#include "scarce_memory.h"

enum { MOST_BODIES = 64, N = 3 };

static mo_builder *builder_in(const mo_allocator *allocator)
{
    mo_builder *builder = NULL;
    CHECK(mo_builder_create(allocator, &builder) == MO_OK);
    return builder;
}

/* A body that falls, with the number that the builder gives it. */
static int add_body(mo_builder *builder, mo_random *random)
{
    double M[N * N] = {0}, f[N];
    for (int k = 0; k < N; ++k)
        M[k * N + k] = uniform(random, 0.5, 2);
    fill_uniform(random, -1, 1, N, f);
    f[0] -= 2;
    return mo_builder_add_body(builder, N, M, f);
}

/* A contact of body b with the ground (a < 0) or with body a. */
static void add_contact(mo_builder *builder, mo_random *random, int a, int b)
{
    static const double w[3] = {0, 0, 0};
    double J[3 * N];
    const mo_law law = mo_law_coulomb(uniform(random, 0.1, 1));
    const int i = mo_builder_add_constraint(builder, 3, &law, w);
    for (int k = 0; k < 3 * N; ++k)
        J[k] = (k % (N + 1) == 0) + uniform(random, -0.2, 0.2);
    mo_builder_add_jacobian(builder, i, b, 3, N, J);
    for (int k = 0; k < 3 * N; ++k)
        J[k] = -J[k];
    if (a >= 0) mo_builder_add_jacobian(builder, i, a, 3, N, J);
}

/* `heaps` heaps of 1, 2, 3, 1, 2, 3, ... bodies, each body on the one before it; contacts of one
 * heap lie apart in the list. */
static mo_problem *make_heaps(const mo_allocator *allocator, int heaps, uint64_t seed)
{
    mo_random random = {seed};
    mo_builder *builder = builder_in(allocator);
    int body[MOST_BODIES][3];
    for (int h = 0; h < heaps; ++h)
        for (int k = 0; k <= h % 3; ++k)
            body[h][k] = add_body(builder, &random);
    for (int k = 0; k < 3; ++k) {
        for (int h = 0; h < heaps; ++h) {
            if (k <= h % 3) {
                add_contact(builder, &random, k ? body[h][k - 1] : -1, body[h][k]);
                add_contact(builder, &random, k ? body[h][k - 1] : -1, body[h][k]);
            }
        }
    }
    return finish(builder);
}

static mo_islands find(const mo_problem *problem)
{
    mo_islands islands;
    CHECK(mo_islands_find(problem, &islands) == MO_OK);
    return islands;
}

static void heaps_that_do_not_touch_are_islands(void **state)
{
    (void)state;
    mo_problem *global = make_heaps(NULL, 7, 1), *reduced;
    CHECK(mo_problem_reduce(global, &reduced, NULL) == MO_OK);
    const mo_problem *both[] = {global, reduced};
    for (int form = 0; form < 2; ++form) {
        mo_islands islands = find(both[form]);
        CHECK(islands.count == 7 && islands.start[7] == mo_problem_constraint_count(global));
        for (int k = 0; k < 7; ++k) {
            const int size = islands.start[k + 1] - islands.start[k];
            CHECK(size == (k < 2 ? 6 : k < 4 ? 4 : 2)); /* the largest first */
            for (int m = islands.start[k]; m < islands.start[k + 1]; ++m) {
                CHECK(islands.island[islands.member[m]] == k);
                CHECK(m == islands.start[k] || islands.member[m] > islands.member[m - 1]);
            }
        }
        mo_islands_clear(&global->allocator, &islands);
    }
    mo_problem_destroy(global);
    mo_problem_destroy(reduced);
}

static void a_block_of_zeros_and_the_ground_join_nothing(void **state)
{
    (void)state;
    const double zero[9] = {0}, identity[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    const mo_law law = mo_law_coulomb(0.5);
    mo_builder *builder = builder_in(NULL);
    mo_builder_add_body(builder, 3, identity, NULL);
    mo_builder_add_body(builder, 3, identity, NULL);
    for (int i = 0; i < 3; ++i) { /* the last one touches nothing at all */
        mo_builder_add_constraint(builder, 3, &law, NULL);
        for (int b = 0; b < 2 && i < 2; ++b)
            mo_builder_add_jacobian(builder, i, b, 3, 3, b == i ? identity : zero);
    }
    mo_problem *problem = finish(builder);
    mo_islands islands = find(problem);
    CHECK(islands.count == 3);
    mo_islands_clear(&problem->allocator, &islands);
    mo_problem_destroy(problem);
    problem = finish(builder_in(NULL));
    islands = find(problem);
    CHECK(islands.count == 0);
    mo_islands_clear(&problem->allocator, &islands);
    mo_problem_destroy(problem);
}

/* u and r of an island, cut from vectors of the whole. */
static void cut_rows(const mo_problem *whole, const mo_islands *islands, int k, const double *from,
                     double *to)
{
    for (int m = islands->start[k]; m < islands->start[k + 1]; ++m) {
        const mo_constraint_view view = mo_problem_constraint(whole, islands->member[m]);
        memcpy(to, from + view.offset, (size_t)view.dim * sizeof *to);
        to += view.dim;
    }
}

static void an_island_moves_as_it_does_in_the_whole(void **state)
{
    (void)state;
    mo_problem *global = make_heaps(NULL, 6, 2), *reduced;
    CHECK(mo_problem_reduce(global, &reduced, NULL) == MO_OK);
    const mo_problem *both[] = {global, reduced};
    for (int form = 0; form < 2; ++form) {
        const mo_problem *problem = both[form];
        const int rows = mo_problem_row_count(problem);
        double r[256], u[256], part_r[256], part_u[256], expected[256];
        int local[256];
        mo_random random = {3};
        fill_uniform(&random, -1, 1, rows, r);
        CHECK(mo_problem_response(problem, r, u) == MO_OK);
        memset(local, -1, sizeof local);
        mo_islands islands = find(problem);
        for (int k = 0; k < islands.count; ++k) {
            mo_problem *part;
            CHECK(mo_islands_extract(problem, &islands, k, local, &part) == MO_OK);
            CHECK(mo_problem_constraint_count(part) == islands.start[k + 1] - islands.start[k]);
            cut_rows(problem, &islands, k, r, part_r);
            cut_rows(problem, &islands, k, u, expected);
            CHECK(mo_problem_response(part, part_r, part_u) == MO_OK);
            const size_t bytes = (size_t)mo_problem_row_count(part) * sizeof(double);
            CHECK(memcmp(part_u, expected, bytes) == 0);
            for (int m = 0; m < mo_problem_constraint_count(part); ++m) {
                const mo_law a = mo_problem_constraint(part, m).law;
                const mo_law b =
                    mo_problem_constraint(problem, islands.member[islands.start[k] + m]).law;
                CHECK(a.kind == b.kind && a.mu == b.mu);
            }
            mo_problem_destroy(part);
        }
        mo_islands_clear(&problem->allocator, &islands);
    }
    mo_problem_destroy(global);
    mo_problem_destroy(reduced);
}

/* Two walls that close on a body: no velocity satisfies both contacts. */
static void add_vice(mo_builder *builder)
{
    const double M = 1, right = 1, left = -1, w = -1;
    const mo_law law = mo_law_frictionless();
    const int body = mo_builder_add_body(builder, 1, &M, NULL);
    const int a = mo_builder_add_constraint(builder, 1, &law, &w),
              b = mo_builder_add_constraint(builder, 1, &law, &w);
    mo_builder_add_jacobian(builder, a, body, 1, 1, &right);
    mo_builder_add_jacobian(builder, b, body, 1, 1, &left);
}

static void an_island_without_a_solution_does_not_spoil_the_others(void **state)
{
    (void)state;
    mo_random random = {5};
    mo_builder *builder = builder_in(NULL);
    add_vice(builder);
    for (int h = 0; h < 40; ++h) {
        const int below = add_body(builder, &random), above = add_body(builder, &random);
        add_contact(builder, &random, -1, below);
        add_contact(builder, &random, below, above);
    }
    mo_problem *problem = finish(builder);
    mo_result result = {0};
    double u[256];
    CHECK(mo_solve(problem, NULL, &result) == MO_OK);
    CHECK(result.status != MO_SOLVED && result.residual.natural_relative > 1e-3);
    CHECK(strstr(result.message.text, "41 islands") && strstr(result.message.text, "1 left"));
    CHECK(strstr(result.message.text, "the first of them 0"));
    /* The others, judged one by one from r alone. */
    CHECK(mo_problem_response(problem, result.r, u) == MO_OK);
    CHECK(result.residual.block.constraint < 2);
    for (int i = 2; i < mo_problem_constraint_count(problem); ++i) {
        const mo_constraint_view view = mo_problem_constraint(problem, i);
        const double *r = result.r + view.offset, *v = u + view.offset;
        double x[3] = {r[0] - v[0] - view.law.mu * hypot(v[1], v[2]), r[1] - v[1], r[2] - v[2]},
               y[3];
        mo_law_project(&view.law, 3, x, y);
        CHECK_BELOW(fabs(y[0] - r[0]) + fabs(y[1] - r[1]) + fabs(y[2] - r[2]),
                    1e-8 * fmax(1, result.residual.q_norm));
    }
    mo_result_clear(&result);
    mo_problem_destroy(problem);
}

static void many_islands_give_the_same_bits_for_any_number_of_threads(void **state)
{
    (void)state;
    mo_problem *problem = make_heaps(NULL, MOST_BODIES, 11);
    mo_result first = {0};
    for (int threads = 1; threads <= 4; ++threads) {
        mo_options options = mo_default_options();
        mo_result result = {0};
        options.threads = threads;
        options.tol = 1e-12;
        CHECK(mo_solve(problem, &options, &result) == MO_OK && result.status == MO_SOLVED);
        if (threads == 1) {
            first = result;
            continue;
        }
        CHECK(memcmp(first.r, result.r, (size_t)first.row_count * sizeof(double)) == 0);
        CHECK(memcmp(first.v, result.v, (size_t)first.dof_count * sizeof(double)) == 0);
        CHECK(first.iterations == result.iterations);
        mo_result_clear(&result);
    }
    mo_result_clear(&first);
    mo_problem_destroy(problem);
}

/* ---- memory ---------------------------------------------------------------------------------- */

static void memory_that_runs_out_anywhere_is_an_error_and_leaks_nothing(void **state)
{
    (void)state;
    mo_error error = MO_ERR_MEMORY;
    for (long granted = 0; error; ++granted) {
        scarce s = {.left = SCARCE_PLENTY};
        const mo_allocator allocator = {scarce_reallocate, &s};
        mo_problem *problem = make_heaps(&allocator, 36, 7);
        mo_options options = mo_default_options();
        mo_result result = {0};
        options.tol = 1e-13; /* sweeps alone do not get there: islands are copied out */
        s.left = granted;
        error = mo_solve(problem, &options, &result);
        CHECK(error == MO_OK || error == MO_ERR_MEMORY);
        CHECK(error || (result.status == MO_SOLVED && granted > 100));
        mo_result_clear(&result);
        mo_problem_destroy(problem);
        CHECK(s.live == 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(heaps_that_do_not_touch_are_islands),
        cmocka_unit_test(a_block_of_zeros_and_the_ground_join_nothing),
        cmocka_unit_test(an_island_moves_as_it_does_in_the_whole),
        cmocka_unit_test(an_island_without_a_solution_does_not_spoil_the_others),
        cmocka_unit_test(many_islands_give_the_same_bits_for_any_number_of_threads),
        cmocka_unit_test(memory_that_runs_out_anywhere_is_an_error_and_leaks_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
