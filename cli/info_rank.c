/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Householder QR with column pivoting [Golub, Van Loan, Matrix Computations, 5.4.2]: at each step
 * the column with the largest remaining part comes next, so the parts left behind bound the rank. W
 * may be unsymmetric, which rules out a pivoted Cholesky factorisation.
 */
#include "info_rank.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

static double norm(const double *x, int count)
{
    double largest = 0, sum = 0;
    for (int k = 0; k < count; ++k)
        largest = fmax(largest, fabs(x[k]));
    for (int k = 0; k < count && largest > 0; ++k)
        sum += (x[k] / largest) * (x[k] / largest);
    return largest * sqrt(sum);
}

/* The column, from `k` on, whose rows from `k` on have the largest norm. */
static int next_pivot(const double *A, int n, int k, double *largest)
{
    int pivot = k;
    *largest = 0;
    for (int j = k; j < n; ++j) {
        const double size = norm(A + (size_t)j * n + k, n - k);
        if (size > *largest) {
            *largest = size;
            pivot = j;
        }
    }
    return pivot;
}

static void swap_columns(double *A, int n, int a, int b)
{
    for (int i = 0; i < n; ++i) {
        const double kept = A[(size_t)a * n + i];
        A[(size_t)a * n + i] = A[(size_t)b * n + i];
        A[(size_t)b * n + i] = kept;
    }
}

/* Reflects the rows from k on, so that column k becomes (size, 0, ..., 0) up to its sign. */
static void reflect(double *A, int n, int k, double size)
{
    double *x = A + (size_t)k * n + k;
    const int m = n - k;
    for (int i = 0; i < m; ++i)
        x[i] /= size; /* of norm 1 */
    const double sign = x[0] < 0 ? -1 : 1, scale = 1 / (1 + fabs(x[0]));
    x[0] += sign;
    for (int j = k + 1; j < n; ++j) {
        double *y = A + (size_t)j * n + k, dot = 0;
        for (int i = 0; i < m; ++i)
            dot += x[i] * y[i];
        for (int i = 0; i < m; ++i)
            y[i] -= dot * scale * x[i];
    }
}

/* The rank of A, n x n by columns, which is overwritten. */
static int rank_of(double *A, int n)
{
    double first = 0;
    for (int k = 0; k < n; ++k) {
        double size;
        const int pivot = next_pivot(A, n, k, &size);
        first = k == 0 ? size : first;
        if (size <= n * DBL_EPSILON * first) return k;
        swap_columns(A, n, k, pivot);
        reflect(A, n, k, size);
    }
    return n;
}

/* W of a reduced problem, written out by columns. */
static void write_out(const mo_problem *reduced, int n, double *A)
{
    for (int i = 0; i < mo_problem_constraint_count(reduced); ++i) {
        const mo_constraint_view row = mo_problem_constraint(reduced, i);
        for (int k = 0; k < row.block_count; ++k) {
            const mo_block_view block = mo_problem_block(reduced, i, k);
            const mo_constraint_view column = mo_problem_constraint(reduced, block.index);
            for (int a = 0; a < row.dim; ++a) {
                for (int b = 0; b < column.dim; ++b) {
                    A[(size_t)(column.offset + b) * n + row.offset + a] +=
                        block.values[a * column.dim + b];
                }
            }
        }
    }
}

static mo_error rank_of_reduced(const mo_problem *reduced, int *rank)
{
    const int n = mo_problem_row_count(reduced);
    double *A = calloc((size_t)n * n + 1, sizeof *A);
    if (!A) return MO_ERR_MEMORY;
    write_out(reduced, n, A);
    *rank = rank_of(A, n);
    free(A);
    return MO_OK;
}

mo_error rank_study(const mo_problem *problem, int *rank)
{
    if (mo_problem_row_count(problem) > RANK_ROWS_MOST) return MO_ERR_UNSUPPORTED;
    if (mo_problem_form(problem) == MO_FORM_REDUCED) return rank_of_reduced(problem, rank);
    mo_problem *reduced = NULL;
    mo_error error = mo_problem_reduce(problem, &reduced, NULL);
    if (!error) {
        error = rank_of_reduced(reduced, rank);
        mo_problem_destroy(reduced);
    }
    return error;
}
