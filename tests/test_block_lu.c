/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* Sparse block LU against dense Gaussian elimination, with all blocks and with some left out. */
#include "check.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "linalg/block_lu.h"
#include "linalg/dense.h"

enum { BLOCKS = 12, MAX_ROWS = 3 * BLOCKS };

/* A random symmetric graph with blocks of 1 to 3 rows, and a diagonally dominant matrix on it. */
typedef struct system {
    int dim[BLOCKS], offset[BLOCKS + 1], start[BLOCKS + 1], index[BLOCKS * BLOCKS], edge[BLOCKS][BLOCKS];
    double A[MAX_ROWS * MAX_ROWS];
    int rows;
} system_;

static void make_system(mo_random *random, double density, system_ *s)
{
    memset(s, 0, sizeof *s);
    for (int i = 0; i < BLOCKS; ++i) {
        s->dim[i] = 1 + (int)uniform(random, 0, 3);
        s->offset[i + 1] = s->offset[i] + s->dim[i];
        for (int j = 0; j < i; ++j) {
            s->edge[i][j] = s->edge[j][i] = mo_random_unit(random) < density;
        }
    }
    s->rows = s->offset[BLOCKS];
    int count = 0;
    for (int i = 0; i < BLOCKS; ++i) {
        s->start[i] = count;
        for (int j = 0; j < BLOCKS; ++j) {
            if (s->edge[i][j]) {
                s->index[count++] = j;
            }
        }
    }
    s->start[BLOCKS] = count;
    for (int i = 0; i < BLOCKS; ++i) {
        for (int j = 0; j < BLOCKS; ++j) {
            for (int a = s->offset[i]; a < s->offset[i + 1]; ++a) {
                for (int b = s->offset[j]; b < s->offset[j + 1]; ++b) {
                    s->A[a * s->rows + b] = i == j || s->edge[i][j] ? uniform(random, -1, 1) : 0;
                    s->A[a * s->rows + b] += (a == b) * 40.0;
                }
            }
        }
    }
}

static void fill(const system_ *s, const mo_block_lu *lu)
{
    mo_block_lu_clear(lu);
    for (int i = 0; i < BLOCKS; ++i) {
        for (int j = 0; j < BLOCKS; ++j) {
            if (i != j && !s->edge[i][j]) {
                continue;
            }
            double *to = mo_block_lu_place(lu, i, j);
            for (int a = 0; a < s->dim[i]; ++a) {
                memcpy(to + a * s->dim[j], s->A + (s->offset[i] + a) * s->rows + s->offset[j],
                       (size_t)s->dim[j] * sizeof *to);
            }
        }
    }
}

static void check_solve(const system_ *s, const mo_block_lu *lu, mo_random *random)
{
    double x[MAX_ROWS], b[MAX_ROWS];
    fill_uniform(random, -1, 1, s->rows, b);
    memcpy(x, b, sizeof x);
    mo_block_lu_solve(lu, x);
    for (int i = 0; i < BLOCKS; ++i) {
        for (int a = s->offset[i]; a < s->offset[i + 1]; ++a) {
            if (lu->active && !lu->active[i]) {
                CHECK(x[a] == b[a]); /* left alone */
                continue;
            }
            double sum = 0;
            for (int j = 0; j < BLOCKS; ++j) {
                for (int c = s->offset[j]; (!lu->active || lu->active[j]) && c < s->offset[j + 1]; ++c) {
                    sum += s->A[a * s->rows + c] * x[c];
                }
            }
            CHECK_NEAR(sum, b[a], 1e-12);
        }
    }
}

static void a_block_system_is_solved_with_any_blocks_left_out(void **state)
{
    (void)state;
    const mo_allocator own = mo_allocator_or_default(NULL);
    mo_random random = {31};
    for (int trial = 0; trial < 200; ++trial) {
        system_ s;
        uint8_t active[BLOCKS];
        make_system(&random, uniform(&random, 0, 0.6), &s);
        const mo_graph graph = {BLOCKS, s.dim, s.start, s.index};
        mo_block_plan *plan;
        CHECK(mo_block_plan_create(&own, &graph, &plan) == MO_OK);
        mo_block_lu lu = {plan, malloc(plan->value_count * sizeof(double)),
                          malloc(plan->value_count * sizeof(double)), NULL,
                          malloc(mo_block_ints(plan) * sizeof(int))};
        fill(&s, &lu);
        CHECK(mo_block_lu_factor(&lu));
        check_solve(&s, &lu, &random);
        for (int i = 0; i < BLOCKS; ++i) {
            active[i] = mo_random_unit(&random) < 0.6;
        }
        lu.active = active;
        fill(&s, &lu);
        CHECK(mo_block_lu_factor(&lu));
        check_solve(&s, &lu, &random);
        free(lu.lower);
        free(lu.upper);
        free(lu.ints);
        mo_block_plan_destroy(&own, plan);
    }
}

static void a_singular_diagonal_block_is_noticed(void **state)
{
    (void)state;
    const mo_allocator own = mo_allocator_or_default(NULL);
    const int dim[1] = {2}, start[2] = {0, 0}, none[1] = {0};
    const mo_graph graph = {1, dim, start, none};
    mo_block_plan *plan;
    double lower[4] = {1, 2, 2, 4}, upper[4];
    int ints[64];
    CHECK(mo_block_plan_create(&own, &graph, &plan) == MO_OK);
    CHECK(mo_block_ints(plan) <= 64);
    const mo_block_lu lu = {plan, lower, upper, NULL, ints};
    CHECK(!mo_block_lu_factor(&lu));
    mo_block_plan_destroy(&own, plan);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_block_system_is_solved_with_any_blocks_left_out),
        cmocka_unit_test(a_singular_diagonal_block_is_noticed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
