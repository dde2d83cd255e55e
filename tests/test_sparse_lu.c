/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* Sparse LU, and the inverse that changes by rows and columns, multiplied back. */
#include "check.h"

#include <stdlib.h>
#include <string.h>

#include "linalg/inverse.h"

enum { N = 150 };

typedef struct matrix {
    double entry[N][N]; /* row, column */
} matrix;

/* A few entries in each column, the largest below the diagonal, so that pivoting is needed. */
static matrix *random_matrix(mo_random *random)
{
    matrix *K = calloc(1, sizeof *K);
    assert_non_null(K);
    for (int j = 0; j < N; ++j) {
        K->entry[j][j] = j % 3 ? 0.3 : 0;
        K->entry[(j + 1) % N][j] = 6;
        K->entry[(int)uniform(random, 0, N)][j] += uniform(random, -1, 1);
    }
    return K;
}

static void give(const matrix *K, mo_inverse *inverse)
{
    mo_inverse_begin(inverse, N);
    for (int j = 0; j < N; ++j) {
        mo_inverse_column(inverse, j);
        for (int i = 0; i < N; ++i)
            if (K->entry[i][j] != 0) mo_inverse_put(inverse, i, K->entry[i][j]);
    }
}

/* The largest |K K^-1 x - x| and |x' K^-1 K - x'|. */
static double defect(const matrix *K, const mo_inverse *inverse, mo_random *random)
{
    double x[N], y[N], h[N], worst = 0;
    int index[N];
    fill_uniform(random, -1, 1, N, x);
    for (int i = 0; i < N; ++i)
        index[i] = i;
    mo_inverse_times(inverse, N, index, x, y);
    mo_inverse_left(inverse, N, index, x, h);
    for (int i = 0; i < N; ++i) {
        double right = -x[i], left = -x[i];
        for (int j = 0; j < N; ++j) {
            right += K->entry[i][j] * y[j];
            left += h[j] * K->entry[j][i];
        }
        worst = fmax(worst, fmax(fabs(right), fabs(left)));
    }
    return worst;
}

/* `fill` decides between sparse factors and a dense inverse. */
static mo_inverse make_inverse(size_t fill, void **memory)
{
    mo_arena counting = {0};
    mo_inverse inverse;
    mo_inverse_layout(N + 1, fill, &counting, &inverse);
    *memory = calloc(1, counting.used + MO_ARENA_ALIGN);
    assert_non_null(*memory);
    const uintptr_t at = (uintptr_t)*memory, past = at % MO_ARENA_ALIGN;
    mo_arena arena = {.base = (char *)*memory + (past ? MO_ARENA_ALIGN - past : 0)};
    mo_inverse_layout(N + 1, fill, &arena, &inverse);
    return inverse;
}

static void change_column(mo_random *random, matrix *K, mo_inverse *inverse, int j)
{
    int index[2] = {(j + 1) % N, (j + 7) % N};
    double number[2] = {5 + mo_random_unit(random), 1}, y[N];
    for (int i = 0; i < N; ++i)
        K->entry[i][j] = i == index[0] ? number[0] : i == index[1] ? number[1] : 0;
    mo_inverse_times(inverse, 2, index, number, y);
    mo_inverse_replace_column(inverse, j, y);
}

static void change_row(mo_random *random, matrix *K, mo_inverse *inverse, int i)
{
    int index[2] = {(i + N - 1) % N, (i + 11) % N};
    double number[2] = {5 + mo_random_unit(random), 1}, h[N];
    for (int j = 0; j < N; ++j)
        K->entry[i][j] = j == index[0] ? number[0] : j == index[1] ? number[1] : 0;
    mo_inverse_left(inverse, 2, index, number, h);
    mo_inverse_replace_row(inverse, i, h);
}

static void changes_of_rows_and_columns_are_followed(size_t fill, int is_sparse)
{
    void *memory;
    mo_random random = {7};
    mo_inverse inverse = make_inverse(fill, &memory);
    matrix *K = random_matrix(&random);
    CHECK(inverse.is_sparse == is_sparse);
    give(K, &inverse);
    CHECK(mo_inverse_factor(&inverse));
    CHECK_BELOW(defect(K, &inverse, &random), 1e-9);
    for (int k = 0; k < 40; ++k) {
        if (mo_inverse_is_full(&inverse)) {
            give(K, &inverse);
            CHECK(mo_inverse_factor(&inverse));
        }
        change_column(&random, K, &inverse, (13 * k) % N);
        change_row(&random, K, &inverse, (21 * k + 2) % N);
    }
    CHECK_BELOW(defect(K, &inverse, &random), 1e-8);
    free(K);
    free(memory);
}

static void a_sparse_inverse_follows_changes(void **state)
{
    (void)state;
    changes_of_rows_and_columns_are_followed(4 * N, 1);
}

static void a_dense_inverse_follows_changes(void **state)
{
    (void)state;
    changes_of_rows_and_columns_are_followed((size_t)N * N, 0);
}

static void a_singular_matrix_is_reported(void **state)
{
    (void)state;
    for (int dense = 0; dense < 2; ++dense) {
        void *memory;
        mo_random random = {3};
        mo_inverse inverse = make_inverse(dense ? (size_t)N * N : 4 * N, &memory);
        matrix *K = random_matrix(&random);
        for (int i = 0; i < N; ++i)
            K->entry[i][20] = K->entry[i][30];
        give(K, &inverse);
        CHECK(!mo_inverse_factor(&inverse));
        free(K);
        free(memory);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sparse_inverse_follows_changes),
        cmocka_unit_test(a_dense_inverse_follows_changes),
        cmocka_unit_test(a_singular_matrix_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
