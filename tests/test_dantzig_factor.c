/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* The factors that `dantzig` keeps while rows come and go, against the matrix they stand for. */
#include "check.h"

#include <string.h>

#include "solver/dantzig.h"

enum { SIZE = 40 };

typedef struct bench {
    mo_dantzig_factor F;
    double A[SIZE * SIZE]; /* by columns */
    int member[SIZE];
    double memory[SIZE * SIZE + 68 * SIZE];
    int pivots[SIZE];
} bench;

/* A random matrix: symmetric positive definite, or one with a dominant diagonal. */
static void begin_factor(bench *b, mo_random *random, int is_symmetric)
{
    double *memory = b->memory;
    b->F = (mo_dantzig_factor){
        .is_symmetric = is_symmetric, .stride = SIZE, .F = memory, .pivots = b->pivots};
    memory += SIZE * SIZE;
    double **const vectors[] = {&b->F.driven, &b->F.left, &b->F.right, &b->F.work};
    for (int k = 0; k < 4; ++k, memory += SIZE)
        *vectors[k] = memory;
    for (int j = 0; j < SIZE; ++j) {
        for (int i = 0; i < SIZE; ++i)
            b->A[j * SIZE + i] = is_symmetric && i > j ? 0 : uniform(random, -1, 1);
        b->A[j * SIZE + j] = SIZE;
    }
    for (int j = 0; is_symmetric && j < SIZE; ++j)
        for (int i = j + 1; i < SIZE; ++i)
            b->A[j * SIZE + i] = b->A[i * SIZE + j];
}

/* |A_CC x - y| for the x that the factor gives. */
static double factor_error(bench *b, mo_random *random)
{
    double x[SIZE], y[SIZE], worst = 0;
    const int n = b->F.count;
    fill_uniform(random, -1, 1, n, y);
    memcpy(x, y, sizeof x);
    if (b->F.is_symmetric)
        mo_cholesky_full_solve(&b->F, x);
    else
        mo_inverse_solve(&b->F, y, x);
    for (int i = 0; i < n; ++i) {
        double sum = -y[i];
        for (int j = 0; j < n; ++j)
            sum += b->A[b->member[j] * SIZE + b->member[i]] * x[j];
        worst = fmax(worst, fabs(sum));
    }
    return worst;
}

static void enter(bench *b, int row)
{
    double column[SIZE], left[SIZE];
    const int n = b->F.count;
    for (int k = 0; k < n; ++k) {
        column[k] = b->A[row * SIZE + b->member[k]];
        left[k] = b->A[b->member[k] * SIZE + row];
    }
    const double corner = b->A[row * SIZE + row];
    if (b->F.is_symmetric)
        mo_cholesky_append(&b->F, mo_cholesky_try(&b->F, column, corner), 0);
    else
        mo_inverse_append(&b->F, mo_inverse_try(&b->F, column, left, corner));
    b->member[n] = row;
}

static void leave(bench *b, int p)
{
    const int last = b->F.count - 1;
    if (b->F.is_symmetric) {
        mo_cholesky_remove(&b->F, p);
        memmove(b->member + p, b->member + p + 1, (size_t)(last - p) * sizeof *b->member);
    } else {
        mo_inverse_remove(&b->F, p);
        b->member[p] = b->member[last];
    }
}

static int is_member(const bench *b, int row)
{
    for (int k = 0; k < b->F.count; ++k)
        if (b->member[k] == row) return 1;
    return 0;
}

static void factors_stay_true_while_rows_come_and_go(void **state)
{
    (void)state;
    static bench b;
    mo_random random = {3};
    for (int is_symmetric = 0; is_symmetric < 2; ++is_symmetric) {
        begin_factor(&b, &random, is_symmetric);
        for (int change = 0; change < 500; ++change) {
            const int row = (int)(SIZE * mo_random_unit(&random));
            if (!is_member(&b, row))
                enter(&b, row);
            else if (b.F.count > 1)
                leave(&b, (int)(b.F.count * mo_random_unit(&random)));
            CHECK_BELOW(factor_error(&b, &random), 1e-12);
        }
    }
}

static void columns_of_the_inverse_change_and_combine(void **state)
{
    (void)state;
    static bench b;
    mo_random random = {5};
    double change[SIZE];
    begin_factor(&b, &random, 0);
    for (int row = 0; row < SIZE; ++row)
        enter(&b, row);
    for (int k = 0; k < 30; ++k) {
        const int p = (int)(SIZE * mo_random_unit(&random)), from = (p + 1) % SIZE;
        fill_uniform(&random, -1, 1, SIZE, change);
        CHECK(mo_inverse_change_column(&b.F, p, change));
        mo_inverse_combine(&b.F, p, from, 0.3);
        for (int i = 0; i < SIZE; ++i)
            b.A[p * SIZE + i] += change[i] + 0.3 * b.A[from * SIZE + i];
        CHECK_BELOW(factor_error(&b, &random), 1e-11);
    }
    for (int i = 0; i < SIZE; ++i) /* a change that makes the matrix singular is refused */
        change[i] = -b.A[2 * SIZE + i];
    CHECK(!mo_inverse_change_column(&b.F, 2, change));
    CHECK_BELOW(factor_error(&b, &random), 1e-11);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(factors_stay_true_while_rows_come_and_go),
        cmocka_unit_test(columns_of_the_inverse_change_and_combine),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
