/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* Dense kernels, on both sides of the size at which LAPACK takes over. */
#include "check.h"

#include <stdlib.h>
#include <string.h>

#include "linalg/dense.h"
#include "linalg/gram.h"

static double *random_spd(mo_random *random, int n)
{
    double *B = malloc(sizeof(double) * n * n), *A = calloc((size_t)n * n, sizeof(double));
    fill_uniform(random, -1, 1, n * n, B);
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j)
            A[i * n + j] = mo_dot(n, B + i * n, B + j * n) + (i == j) * 0.1;
    free(B);
    return A;
}

static void cholesky_and_its_solves_invert_the_matrix(void **state)
{
    (void)state;
    mo_random random = {1};
    static const int sizes[] = {1, 2, 6, 9, 10, 11, 12, 35, 47, 48, 49, 130};
    for (int s = 0; s < (int)(sizeof sizes / sizeof *sizes); ++s) {
        const int n = sizes[s], is_tree = n >= MO_TREE_FROM; /* then the upper triangle is first */
        double *A = random_spd(&random, n), *L = malloc(sizeof(double) * n * n);
        double x[130], b[130];
        memcpy(L, A, sizeof(double) * n * n);
        CHECK(mo_factor_symmetric(n, L));
        for (int i = 0; i < n; ++i) {
            for (int j = 0; j < n; ++j) {
                double sum = 0;
                for (int k = 0; k < n; ++k) {
                    const int is_in = is_tree ? k >= i && k >= j : k <= i && k <= j;
                    sum += is_in ? L[i * n + k] * L[j * n + k] : 0;
                }
                CHECK_NEAR(sum, A[i * n + j], 1e-11 * n);
                CHECK(L[i * n + j] == L[j * n + i]);
            }
        }
        fill_uniform(&random, -1, 1, n, x);
        for (int i = 0; i < n; ++i)
            b[i] = mo_dot(n, A + i * n, x);
        mo_solve_first(n, L, b);
        mo_solve_second(n, L, b);
        for (int i = 0; i < n; ++i)
            CHECK_NEAR(b[i], x[i], 1e-8);
        free(A);
        free(L);
    }
}

/* Two branches of dofs on a base of four: entries between the branches are zero, and stay so. */
static void the_factor_of_a_tree_has_its_zeros(void **state)
{
    (void)state;
    mo_random random = {7};
    static const int branches[] = {4, 30};
    for (int s = 0; s < 2; ++s) {
        const int base = 4, m = branches[s], n = base + 2 * m;
        double *A = random_spd(&random, n), *F = malloc(sizeof(double) * n * n), x[64], b[64];
        for (int i = base + m; i < n; ++i)
            for (int j = base; j < base + m; ++j)
                A[i * n + j] = A[j * n + i] = 0;
        for (int i = 0; i < n; ++i)
            A[i * n + i] += n;
        memcpy(F, A, sizeof(double) * n * n);
        CHECK(mo_factor_symmetric(n, F));
        for (int i = base + m; i < n; ++i)
            for (int j = base; j < base + m; ++j)
                CHECK(F[i * n + j] == 0);
        fill_uniform(&random, -1, 1, n, x);
        for (int i = 0; i < n; ++i)
            b[i] = mo_dot(n, A + i * n, x);
        mo_solve_first(n, F, b);
        mo_solve_second(n, F, b);
        for (int i = 0; i < n; ++i)
            CHECK_NEAR(b[i], x[i], 1e-12);
        free(A);
        free(F);
    }
}

static void an_unsymmetric_matrix_is_factored_and_solved_both_ways(void **state)
{
    (void)state;
    mo_random random = {4};
    static const int sizes[] = {1, 2, 6, 47, 48, 70};
    for (int s = 0; s < 6; ++s) {
        const int n = sizes[s];
        double *A = random_spd(&random, n), *F = malloc(sizeof(double) * n * n), x[70], b[70],
               c[70];
        for (int i = 0; i < n; ++i) {
            for (int j = 0; j < i; ++j) { /* a twist leaves x' A x as it is */
                const double twist = uniform(&random, -1, 1);
                A[i * n + j] += twist;
                A[j * n + i] -= twist;
            }
        }
        memcpy(F, A, sizeof(double) * n * n);
        CHECK(mo_factor_unsymmetric(n, F));
        fill_uniform(&random, -1, 1, n, x);
        for (int i = 0; i < n; ++i)
            b[i] = mo_dot(n, A + i * n, x);
        mo_solve_first(n, F, b);
        memcpy(c, b, sizeof c);
        mo_solve_second(n, F, b);
        for (int i = 0; i < n; ++i)
            CHECK_NEAR(b[i], x[i], 1e-8);
        /* c.(Q^-1 c) = (Q^-T c).c */
        double y[70];
        memcpy(y, c, sizeof y);
        mo_solve_second_transposed(n, F, y);
        CHECK_NEAR(mo_dot(n, y, c), mo_dot(n, x, c), 1e-8 * (1 + fabs(mo_dot(n, x, c))));
        free(A);
        free(F);
    }
}

static void cholesky_refuses_matrices_that_are_not_positive_definite(void **state)
{
    (void)state;
    double zero[1] = {0}, minus[4] = {1, 2, 2, 1}, nan[1] = {NAN};
    CHECK(!mo_factor_symmetric(1, zero));
    CHECK(!mo_factor_symmetric(2, minus));
    CHECK(!mo_factor_symmetric(1, nan));
    mo_random random = {2};
    double *A = random_spd(&random, 60);
    A[59 * 60 + 59] = -1;
    CHECK(!mo_factor_symmetric(60, A));
    free(A);
}

static void a_small_system_is_solved_and_its_rank_found(void **state)
{
    (void)state;
    mo_random random = {3};
    for (int trial = 0; trial < 500; ++trial) {
        const int n = 1 + trial % 8, rank = 1 + trial % n;
        double F[64], A[64], copy[64], x[8], b[8], y[8];
        fill_uniform(&random, -1, 1, n * rank, F);
        for (int i = 0; i < n; ++i)
            for (int j = 0; j < n; ++j)
                A[i * n + j] = mo_dot(rank, F + i * rank, F + j * rank);
        fill_uniform(&random, -1, 1, n, x);
        double rhs[8];
        for (int i = 0; i < n; ++i)
            b[i] = rhs[i] = mo_dot(n, A + i * n, x);
        memcpy(copy, A, sizeof A);
        CHECK(mo_solve_small(n, copy, rhs, y) <= rank);
        for (int i = 0; i < n; ++i) /* b is in the range, so it must be met */
            CHECK_NEAR(mo_dot(n, A + i * n, y), b[i], 1e-9);
    }
}

/* G = B B' with B n x rank, in lines of ld numbers. */
static void random_gram(mo_random *random, int n, int rank, int ld, double *G)
{
    double B[40 * 40];
    fill_uniform(random, -1, 1, n * rank, B);
    memset(G, 0, sizeof(double) * n * ld);
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j)
            G[i * ld + j] = mo_dot(rank, B + i * rank, B + j * rank);
}

/* Element i, j of Q R R' Q'. */
static double gram_product(int k, int ld, const double *Q, const double *R, int i, int j)
{
    double sum = 0;
    for (int c = 0; c < k; ++c) {
        double left = 0, right = 0;
        for (int a = 0; a <= c; ++a) {
            left += Q[a * ld + i] * R[a * k + c];
            right += Q[a * ld + j] * R[a * k + c];
        }
        sum += left * right;
    }
    return sum;
}

static void a_gram_matrix_gives_its_rank_and_an_orthonormal_basis(void **state)
{
    (void)state;
    mo_random random = {5};
    for (int n = 1; n <= 37; n += 4) {
        for (int rank = 1; rank <= n; rank += 3) {
            const int ld = (n + 3) / 4 * 4;
            double G[40 * 40], A[40 * 40], Q[40 * 40], R[40 * 40], x[40], y[40];
            random_gram(&random, n, rank, ld, G);
            memcpy(A, G, sizeof(double) * n * ld);
            const int k = mo_gram_rank(n, ld, G, Q);
            mo_gram_orthonormal(k, ld, Q, R, x);
            CHECK(k == rank);
            for (int a = 0; a < k; ++a)
                for (int b = 0; b < k; ++b)
                    CHECK_NEAR(mo_dot(n, Q + a * ld, Q + b * ld), a == b, 1e-13);
            mo_gram_combine(1, ld, (double[]){1}, A, y); /* a line of G is in the range */
            mo_gram_times(k, ld, Q, y, x);
            mo_gram_combine(k, ld, x, Q, y);
            for (int i = 0; i < n; ++i)
                CHECK_NEAR(y[i], A[i], 1e-12);
            for (int i = 0; i < n; ++i)
                for (int j = 0; j < n; ++j)
                    CHECK_NEAR(gram_product(k, ld, Q, R, i, j), A[i * ld + j], 1e-12);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cholesky_and_its_solves_invert_the_matrix),
        cmocka_unit_test(the_factor_of_a_tree_has_its_zeros),
        cmocka_unit_test(an_unsymmetric_matrix_is_factored_and_solved_both_ways),
        cmocka_unit_test(cholesky_refuses_matrices_that_are_not_positive_definite),
        cmocka_unit_test(a_small_system_is_solved_and_its_rank_found),
        cmocka_unit_test(a_gram_matrix_gives_its_rank_and_an_orthonormal_basis),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
