/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
#include "linalg/dense.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "base/error.h"
#include "linalg/blas_threads.h"
#include "linalg/lanes4.h"

/* LAPACK, column-major: our row-major lower triangle is its upper one, transposed. */
void dpotrf_(const char *uplo, const int *n, double *A, const int *lda, int *info);
static void swap(double *a, double *b)
{
    const double t = *a;
    *a = *b;
    *b = t;
}

static void swap_lines(int d, double *a, double *b, int stride)
{
    for (int k = 0; k < d; ++k)
        swap(&a[k * stride], &b[k * stride]);
}

/* U = L' */
static void mirror(int n, double *A)
{
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < i; ++j)
            A[(size_t)j * n + i] = A[(size_t)i * n + j];
}

static bool cholesky_small(int n, double *A)
{
    for (int i = 0; i < n; ++i) {
        double *row = A + i * n;
        for (int j = 0; j < i; ++j)
            row[j] = (row[j] - mo_dot(j, row, A + j * n)) / A[j * n + j];
        const double pivot = row[i] - mo_dot(i, row, row);
        if (!(pivot > 0) || !isfinite(pivot)) return false;
        row[i] = sqrt(pivot);
    }
    return true;
}

enum { PIVOTS = 4 };

/* y -= the sum of a[k] x[k] over four lines x; `wide` is a multiple of four. */
INLINE void subtract_lines(int wide, const double a[PIVOTS], const double *const x[PIVOTS],
                           double *y)
{
    for (int k = 0; k < wide; k += LANES) {
        *(lanes *)(y + k) -=
            (a[0] * *(const lanes *)(x[0] + k) + a[1] * *(const lanes *)(x[1] + k)) +
            (a[2] * *(const lanes *)(x[2] + k) + a[3] * *(const lanes *)(x[3] + k));
    }
}

/* The same for any width. */
INLINE void subtract_short(int n, const double a[PIVOTS], const double *const x[PIVOTS], double *y)
{
    for (int k = 0; k < n; ++k)
        y[k] -= (a[0] * x[0][k] + a[1] * x[1][k]) + (a[2] * x[2][k] + a[3] * x[3][k]);
}

/* Rows last-3 .. last, of which those below have been subtracted, among themselves. */
INLINE bool factor_pivots(int n, int last, double *A)
{
    for (int k = last; k > last - PIVOTS; --k) {
        double *pivot = A + (size_t)k * n;
        if (!(pivot[k] > 0) || !isfinite(pivot[k])) return false;
        const double root = sqrt(pivot[k]), inverse = 1 / root;
        for (int j = 0; j < k; ++j)
            pivot[j] *= inverse;
        pivot[k] = root;
        for (int i = k - 1; i > last - PIVOTS; --i)
            for (int j = 0; pivot[i] != 0 && j <= i; ++j)
                A[(size_t)i * n + j] -= pivot[i] * pivot[j];
    }
    return true;
}

/*
 * Cholesky's factor from the last row up, four pivot rows at a time, in the lower triangle.  Lines
 * may reach beyond the diagonal, into what is written by `mirror`, but not beyond their row.
 */
INLINE bool cholesky_rows(int n, double *A)
{
    int last = n - 1;
    for (; last >= PIVOTS - 1; last -= PIVOTS) {
        MO_PASS(factor_pivots(n, last, A));
        const double *const x[PIVOTS] = {A + (size_t)(last - 3) * n, A + (size_t)(last - 2) * n,
                                         A + (size_t)(last - 1) * n, A + (size_t)last * n};
        for (int i = last - PIVOTS; i >= 0; --i) {
            const double a[PIVOTS] = {x[0][i], x[1][i], x[2][i], x[3][i]};
            const int wide = (i + LANES) / LANES * LANES;
            if (a[0] == 0 && a[1] == 0 && a[2] == 0 && a[3] == 0) continue;
            if (wide <= n)
                subtract_lines(wide, a, x, A + (size_t)i * n);
            else
                subtract_short(i + 1, a, x, A + (size_t)i * n);
        }
    }
    for (; last >= 0; --last) {
        double *pivot = A + (size_t)last * n;
        if (!(pivot[last] > 0) || !isfinite(pivot[last])) return false;
        pivot[last] = sqrt(pivot[last]);
        for (int j = 0; j < last; ++j)
            pivot[j] /= pivot[last];
        for (int i = 0; i < last; ++i)
            mo_axpy(i + 1, -pivot[i], pivot, A + (size_t)i * n);
    }
    return true;
}

MO_WIDTHS(bool, cholesky, (int n, double *A), return cholesky_rows(n, A))

/* Is a part of the lower triangle zero, as that of a tree with branches? */
static bool is_sparse(int n, const double *A)
{
    size_t zeros = 0;
    for (int i = 1; i < n; ++i)
        for (int j = 0; j < i; ++j)
            zeros += A[(size_t)i * n + j] == 0;
    return zeros > (size_t)n * (size_t)n / 8;
}

/* LAPACK begins with the first row, so the matrix is reversed. */
static bool cholesky_lapack(int n, double *A)
{
    int info = 0;
    const size_t all = (size_t)n * (size_t)n;
    for (size_t k = 0; k < all / 2; ++k)
        swap(&A[k], &A[all - 1 - k]);
    mo_blas_threads_begin();
    dpotrf_("L", &n, A, &n, &info);
    mo_blas_threads_end();
    for (size_t k = 0; k < all / 2; ++k)
        swap(&A[k], &A[all - 1 - k]);
    return info == 0;
}

bool mo_factor_symmetric(int n, double *A)
{
    const bool is_regular = n < MO_TREE_FROM ? cholesky_small(n, A)
                            : n >= MO_LAPACK_FROM && !is_sparse(n, A)
                                ? cholesky_lapack(n, A)
                                : (mo_has_wide() ? cholesky_wide : cholesky_plain)(n, A);
    mirror(n, A);
    return is_regular;
}

/* From the first row down, or from the last one up. */
bool mo_factor_unsymmetric(int n, double *A)
{
    const int is_tree = n >= MO_TREE_FROM;
    for (int step = 0; step < n; ++step) {
        const int k = is_tree ? n - 1 - step : step, from = is_tree ? 0 : k + 1,
                  rest = n - 1 - step;
        double *pivot_row = A + (size_t)k * n;
        if (!(pivot_row[k] > 0) || !isfinite(pivot_row[k])) return false;
        const double root = sqrt(pivot_row[k]);
        pivot_row[k] = root;
        for (int j = from; j < from + rest; ++j)
            pivot_row[j] /= root;
        for (int i = from; i < from + rest; ++i) {
            double *row = A + (size_t)i * n;
            row[k] /= root;
            mo_axpy(rest, -row[k], pivot_row + from, row + from);
        }
    }
    return true;
}

/* ---- triangular solves ----------------------------------------------------------------------- */

/* x = L^-1 x.  The first group takes the remainder, so that all others are complete. */
INLINE void solve_lower(int n, const double *F, double *x)
{
    int i = 0;
    for (; i < n % GROUP; ++i)
        x[i] = (x[i] - mo_dot(i, F + i * n, x)) / F[i * n + i];
    for (; i < n; i += GROUP) {
        const double *row = F + (size_t)i * (size_t)n;
        double sum[GROUP];
        group_dots(i, n, row, x, sum);
        for (int j = 0; j < GROUP; ++j, row += n)
            x[i + j] = (x[i + j] - sum[j] - mo_dot(j, row + i, x + i)) * (1 / row[i + j]);
    }
}

/* x = U^-1 x, the same from the last row up. */
INLINE void solve_upper(int n, const double *F, double *x)
{
    int end = n;
    for (; end > n - n % GROUP; --end) {
        const double *row = F + (size_t)(end - 1) * (size_t)n;
        x[end - 1] = (x[end - 1] - mo_dot(n - end, row + end, x + end)) / row[end - 1];
    }
    for (; end > 0; end -= GROUP) {
        const double *row = F + (size_t)(end - GROUP) * (size_t)n;
        double sum[GROUP];
        group_dots(n - end, n, row + end, x + end, sum);
        row = F + (size_t)(end - 1) * (size_t)n;
        for (int j = 0; j < GROUP; ++j, row -= n) {
            const int i = end - 1 - j;
            x[i] = (x[i] - sum[GROUP - 1 - j] - mo_dot(j, row + i + 1, x + i + 1)) * (1 / row[i]);
        }
    }
}

MO_WIDTHS(void, lower, (int n, const double *F, double *x), solve_lower(n, F, x))
MO_WIDTHS(void, upper, (int n, const double *F, double *x), solve_upper(n, F, x))

void mo_solve_first(int n, const double *F, double *x)
{
    if (n >= MO_TREE_FROM) {
        (mo_has_wide() ? upper_wide : upper_plain)(n, F, x);
    } else if (n == 3) { /* a body in the plane, frequent in granular problems */
        x[0] = x[0] / F[0];
        x[1] = (x[1] - F[3] * x[0]) / F[4];
        x[2] = (x[2] - (F[6] * x[0] + F[7] * x[1])) / F[8];
    } else {
        lower_plain(n, F, x);
    }
}

void mo_solve_second(int n, const double *F, double *x)
{
    if (n >= MO_TREE_FROM) {
        (mo_has_wide() ? lower_wide : lower_plain)(n, F, x);
    } else if (n == 3) {
        x[2] = x[2] / F[8];
        x[1] = (x[1] - F[5] * x[2]) / F[4];
        x[0] = (x[0] - (F[1] * x[1] + F[2] * x[2])) / F[0];
    } else {
        upper_plain(n, F, x);
    }
}

void mo_solve_factored(int n, const double *F, double *x)
{
    mo_solve_first(n, F, x);
    mo_solve_second(n, F, x);
}

/* x = T^-T x, T the upper or the lower triangle of F. */
static void solve_transposed(int n, const double *F, bool is_upper, double *x)
{
    for (int k = 0; k < n; ++k) {
        const int i = is_upper ? k : n - 1 - k, from = is_upper ? k + 1 : 0;
        x[i] /= F[(size_t)i * n + i];
        mo_axpy(n - 1 - k, -x[i], F + (size_t)i * n + from, x + from);
    }
}

void mo_solve_second_transposed(int n, const double *F, double *x)
{
    solve_transposed(n, F, n < MO_TREE_FROM, x);
}

void mo_solve_factored_transposed(int n, const double *F, double *x)
{
    mo_solve_second_transposed(n, F, x);
    solve_transposed(n, F, n >= MO_TREE_FROM, x);
}

/* The largest entry of the trailing block, as row * n + column. */
static size_t find_pivot(int n, int from, const double *A)
{
    size_t best = (size_t)from * n + from;
    for (int i = from; i < n; ++i) {
        for (int j = from; j < n; ++j)
            if (fabs(A[(size_t)i * n + j]) > fabs(A[best])) best = (size_t)i * n + j;
    }
    return best;
}

static void swap_ints(int *a, int *b)
{
    const int t = *a;
    *a = *b;
    *b = t;
}

/* Gaussian elimination; multipliers stay below the diagonal. */
int mo_factor_complete(int n, double tolerance, double *A, int *row, int *column)
{
    double first = 0;
    for (int k = 0; k < n; ++k)
        row[k] = column[k] = k;
    for (int k = 0; k < n; ++k) {
        const size_t pivot = find_pivot(n, k, A);
        const int i = (int)(pivot / (size_t)n), j = (int)(pivot % (size_t)n);
        const double size = fabs(A[pivot]), *top = A + (size_t)k * n;
        first = k ? first : size;
        if (!(size > tolerance * first)) return k;
        swap_lines(n, A + (size_t)k * n, A + (size_t)i * n, 1);
        swap_lines(n, A + k, A + j, n);
        swap_ints(row + k, row + i);
        swap_ints(column + k, column + j);
        for (int below = k + 1; below < n; ++below) {
            double *line = A + (size_t)below * n;
            line[k] /= top[k];
            mo_axpy(n - k - 1, -line[k], top + k + 1, line + k + 1);
        }
    }
    return n;
}

int mo_solve_small(int n, double *A, double *b, double *x)
{
    int row[MO_SMALL], column[MO_SMALL];
    const int rank = mo_factor_complete(n, 1e-14 * n, A, row, column);
    memcpy(x, b, (size_t)n * sizeof *x);
    for (int i = 0; i < n; ++i)
        b[i] = x[row[i]];
    memset(x, 0, (size_t)n * sizeof *x);
    for (int k = 0; k < rank; ++k)
        for (int i = k + 1; i < rank; ++i)
            b[i] -= A[i * n + k] * b[k];
    for (int i = rank - 1; i >= 0; --i) {
        double sum = b[i];
        for (int j = i + 1; j < rank; ++j)
            sum -= A[i * n + j] * x[column[j]];
        const double value = sum / A[i * n + i];
        x[column[i]] = isfinite(value) ? value : 0; /* overflow counts as no pivot */
    }
    return rank;
}

bool mo_invert_small(int d, double *A)
{
    int pivots[MO_SMALL];
    for (int k = 0; k < d; ++k) {
        int p = k;
        for (int i = k + 1; i < d; ++i)
            p = fabs(A[i * d + k]) > fabs(A[p * d + k]) ? i : p;
        pivots[k] = p;
        swap_lines(d, A + k * d, A + p * d, 1);
        const double pivot = A[k * d + k];
        if (!(fabs(pivot) > 0) || !isfinite(pivot)) return false;
        A[k * d + k] = 1;
        for (int j = 0; j < d; ++j)
            A[k * d + j] /= pivot;
        for (int i = 0; i < d; ++i) {
            const double factor = A[i * d + k];
            if (i != k) {
                A[i * d + k] = 0;
                mo_axpy(d, -factor, A + k * d, A + i * d);
            }
        }
    }
    for (int k = d - 1; k >= 0; --k) /* the row swaps become column swaps of the inverse */
        swap_lines(d, A + k, A + pivots[k], d);
    return true;
}
