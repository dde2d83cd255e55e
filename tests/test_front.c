/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* Sparse LU by fronts: the solution is put back into the matrix, with all blocks and with some left
 * out. */
#include "check.h"

#include <stdlib.h>
#include <string.h>

#include "linalg/front.h"

/* A matrix of blocks in the order of its pattern. */
typedef struct matrix {
    int count, rows;
    int *dim, *offset, *start, *index;
    size_t *value_start; /* of each entry */
    double *values;
} matrix;

/* Is there a block (i, j)?  Blocks are the corners of boxes in a wall: those of one box on another
 * are twins. */
static int touch_in_wall(int i, int j, int width)
{
    const int a = i / 4, b = j / 4, dx = abs(a % width - b % width),
              dy = abs(a / width - b / width);
    return dx <= 1 && dy <= 1 && dx + dy < 2;
}

static matrix make_matrix(mo_random *random, int count, int width, double density, int max_dim)
{
    const size_t most = (size_t)count * (size_t)count;
    matrix m = {count,
                0,
                malloc(sizeof(int) * (size_t)count),
                malloc(sizeof(int) * (size_t)count),
                malloc(sizeof(int) * ((size_t)count + 1)),
                malloc(sizeof(int) * (most + 1)),
                malloc(sizeof(size_t) * (most + 1)),
                NULL};
    size_t values = 0;
    int entries = 0;
    for (int i = 0; i < count; ++i) {
        m.dim[i] = 1 + (int)uniform(random, 0, max_dim);
        m.offset[i] = m.rows;
        m.rows += m.dim[i];
    }
    for (int i = 0; i < count; ++i) {
        m.start[i] = entries;
        for (int j = 0; j < count; ++j) {
            const int has = width ? touch_in_wall(i, j, width) : mo_random_unit(random) < density;
            if (i == j || has) {
                m.value_start[entries] = values;
                m.index[entries++] = j;
                values += (size_t)(m.dim[i] * m.dim[j]);
            }
        }
    }
    m.start[count] = entries;
    m.values = malloc((values + 1) * sizeof(double));
    for (size_t k = 0; k < values; ++k)
        m.values[k] = uniform(random, -1, 1);
    return m;
}

static void free_matrix(matrix *m)
{
    free(m->dim);
    free(m->offset);
    free(m->start);
    free(m->index);
    free(m->value_start);
    free(m->values);
}

/* y = (A + shift I) x over the active blocks. */
static void multiply(const matrix *m, double shift, const uint8_t *active, const double *x,
                     double *y)
{
    for (int i = 0; i < m->count; ++i) {
        for (int a = 0; a < m->dim[i]; ++a) {
            double sum = shift * x[m->offset[i] + a];
            for (int e = m->start[i]; e < m->start[i + 1]; ++e) {
                const int j = m->index[e];
                for (int b = 0; (!active || active[j]) && b < m->dim[j]; ++b) {
                    sum += m->values[m->value_start[e] + (size_t)(a * m->dim[j] + b)] *
                           x[m->offset[j] + b];
                }
            }
            y[m->offset[i] + a] = sum;
        }
    }
}

static void check_system(mo_random *random, const matrix *m, mo_front_lu *lu,
                         const double *diagonal, const size_t *diagonal_start, double shift,
                         const uint8_t *active)
{
    double *b = malloc(sizeof(double) * (size_t)m->rows),
           *x = malloc(sizeof(double) * (size_t)m->rows),
           *y = malloc(sizeof(double) * (size_t)m->rows);
    CHECK(mo_front_lu_factor(lu, m->values, diagonal, diagonal_start, active));
    fill_uniform(random, -1, 1, m->rows, b);
    memcpy(x, b, sizeof(double) * (size_t)m->rows);
    mo_front_lu_solve(lu, x);
    multiply(m, shift, active, x, y);
    for (int i = 0; i < m->count; ++i) {
        for (int k = m->offset[i]; k < m->offset[i] + m->dim[i]; ++k)
            if (active && !active[i])
                CHECK(x[k] == b[k]); /* left alone */
            else
                CHECK_NEAR(y[k], b[k], 1e-11);
    }
    free(b);
    free(x);
    free(y);
}

static void check_matrix(mo_random *random, const matrix *m)
{
    const mo_allocator own = mo_allocator_or_default(NULL);
    const mo_block_pattern pattern = {m->count, m->dim, m->start, m->index};
    const double shift = 3.0 * m->rows;
    mo_front_plan *plan;
    CHECK(mo_front_plan_create(&own, &pattern, &plan) == MO_OK);
    CHECK(plan->rows == m->rows && plan->flops > 0);
    mo_arena arena = {0};
    mo_front_lu lu;
    mo_front_lu_layout(plan, &arena, &lu);
    char *memory = malloc(arena.used);
    arena = (mo_arena){.base = memory};
    mo_front_lu_layout(plan, &arena, &lu);

    double *diagonal = calloc((size_t)(m->rows * m->rows), sizeof(double));
    size_t *start = malloc(sizeof(size_t) * (size_t)m->count), next = 0;
    uint8_t *active = malloc((size_t)m->count);
    for (int i = 0; i < m->count; ++i) {
        start[i] = next;
        for (int k = 0; k < m->dim[i]; ++k)
            diagonal[next + (size_t)(k * m->dim[i] + k)] = shift;
        next += (size_t)(m->dim[i] * m->dim[i]);
    }
    check_system(random, m, &lu, diagonal, start, shift, NULL);
    for (int part = 0; part <= 4; ++part) { /* none of them, some, all */
        for (int i = 0; i < m->count; ++i)
            active[i] = mo_random_unit(random) < part / 4.0;
        check_system(random, m, &lu, diagonal, start, shift, active);
    }
    free(diagonal);
    free(start);
    free(active);
    free(memory);
    mo_front_plan_destroy(&own, plan);
}

static void random_patterns_are_solved_with_any_blocks_left_out(void **state)
{
    (void)state;
    mo_random random = {31};
    for (int trial = 0; trial < 150; ++trial) {
        matrix m = make_matrix(&random, (int)uniform(&random, 1, 30), 0, uniform(&random, 0, 0.3),
                               trial % 7 + 1); /* unsymmetric patterns too */
        check_matrix(&random, &m);
        free_matrix(&m);
    }
}

static void a_wall_of_twins_is_solved(void **state)
{
    (void)state;
    mo_random random = {32};
    const int sizes[] = {4, 40, 160, 240};
    for (int k = 0; k < 4; ++k) {
        matrix m = make_matrix(&random, sizes[k], 6, 0, 3);
        check_matrix(&random, &m);
        free_matrix(&m);
    }
}

static void twins_share_a_node_and_a_dense_matrix_is_one_front(void **state)
{
    (void)state;
    const mo_allocator own = mo_allocator_or_default(NULL);
    mo_random random = {33};
    mo_front_plan *plan;
    matrix wall = make_matrix(&random, 160, 8, 0, 3), dense = make_matrix(&random, 20, 0, 1, 3);
    const mo_block_pattern of_wall = {wall.count, wall.dim, wall.start, wall.index};
    const mo_block_pattern of_dense = {dense.count, dense.dim, dense.start, dense.index};
    CHECK(mo_front_plan_create(&own, &of_wall, &plan) == MO_OK);
    CHECK(plan->node_count == 40);
    mo_front_plan_destroy(&own, plan);
    CHECK(mo_front_plan_create(&own, &of_dense, &plan) == MO_OK);
    CHECK(plan->node_count == 1 && plan->front_count == 1);
    mo_front_plan_destroy(&own, plan);
    free_matrix(&wall);
    free_matrix(&dense);
}

static void rows_are_exchanged_within_a_front_and_singular_blocks_are_noticed(void **state)
{
    (void)state;
    const mo_allocator own = mo_allocator_or_default(NULL);
    const int dim[1] = {2}, start[2] = {0, 1}, index[1] = {0};
    const mo_block_pattern pattern = {1, dim, start, index};
    const double exchange[4] = {0, 1, 2, 0}, singular[4] = {1, 2, 2, 4}, bad[4] = {NAN, 0, 0, 1};
    double x[2] = {3, 4};
    mo_front_plan *plan;
    CHECK(mo_front_plan_create(&own, &pattern, &plan) == MO_OK);
    _Alignas(64) char memory[4096];
    mo_arena arena = {.base = memory};
    mo_front_lu lu;
    mo_front_lu_layout(plan, &arena, &lu);
    CHECK(arena.used <= sizeof memory);
    CHECK(!mo_front_lu_factor(&lu, singular, NULL, NULL, NULL));
    CHECK(!mo_front_lu_factor(&lu, bad, NULL, NULL, NULL));
    CHECK(mo_front_lu_factor(&lu, exchange, NULL, NULL, NULL));
    mo_front_lu_solve(&lu, x);
    CHECK_NEAR(x[0], 2, 1e-15);
    CHECK_NEAR(x[1], 3, 1e-15);
    mo_front_plan_destroy(&own, plan);
}

static void an_empty_matrix_is_no_trouble(void **state)
{
    (void)state;
    const mo_allocator own = mo_allocator_or_default(NULL);
    const int start[1] = {0};
    const mo_block_pattern pattern = {0, NULL, start, NULL};
    mo_front_plan *plan;
    CHECK(mo_front_plan_create(&own, &pattern, &plan) == MO_OK);
    _Alignas(64) char memory[1024];
    mo_arena arena = {.base = memory};
    mo_front_lu lu;
    mo_front_lu_layout(plan, &arena, &lu);
    CHECK(arena.used <= sizeof memory);
    CHECK(mo_front_lu_factor(&lu, NULL, NULL, NULL, NULL));
    mo_front_lu_solve(&lu, NULL);
    mo_front_plan_destroy(&own, plan);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_patterns_are_solved_with_any_blocks_left_out),
        cmocka_unit_test(a_wall_of_twins_is_solved),
        cmocka_unit_test(twins_share_a_node_and_a_dense_matrix_is_one_front),
        cmocka_unit_test(rows_are_exchanged_within_a_front_and_singular_blocks_are_noticed),
        cmocka_unit_test(an_empty_matrix_is_no_trouble),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
