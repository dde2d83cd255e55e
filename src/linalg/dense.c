/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
#include "linalg/dense.h"

#include <math.h>
#include <stddef.h>

#include "linalg/blas_threads.h"
#include "linalg/lanes4.h"

/* LAPACK and BLAS, column-major: our row-major lower triangle is their upper one, transposed. */
void dpotrf_(const char *uplo, const int *n, double *A, const int *lda, int *info);
void dtrsv_(const char *uplo, const char *trans, const char *diag, const int *n, const double *A,
            const int *lda, double *x, const int *incx);

static void trsv(const char *uplo, const char *trans, int n, const double *F, double *x)
{
    const int one = 1;
    mo_blas_threads_begin();
    dtrsv_(uplo, trans, "N", &n, F, &n, x, &one);
    mo_blas_threads_end();
}

/* U = L' */
static void mirror(int n, double *A)
{
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < i; ++j) {
            A[(size_t)j * n + i] = A[(size_t)i * n + j];
        }
    }
}

static bool cholesky_small(int n, double *A)
{
    for (int i = 0; i < n; ++i) {
        double *row = A + i * n;
        for (int j = 0; j < i; ++j) {
            row[j] = (row[j] - mo_dot(j, row, A + j * n)) / A[j * n + j];
        }
        const double pivot = row[i] - mo_dot(i, row, row);
        if (!(pivot > 0) || !isfinite(pivot)) {
            return false;
        }
        row[i] = sqrt(pivot);
    }
    return true;
}

/* Four numbers anywhere in memory. */
enum { ROWS_FROM = 9 };

/* y -= a x */
INLINE void subtract_line(int n, double a, const double *x, double *y)
{
    int k = 0;
    for (; k + LANES <= n; k += LANES) {
        *(lanes *)(y + k) -= a * *(const lanes *)(x + k);
    }
    for (; k < n; ++k) {
        y[k] -= a * x[k];
    }
}

/* By rows of U, which a mechanism has enough of: each pivot row is subtracted from those below. */
INLINE bool cholesky_rows(int n, double *A)
{
    mirror(n, A);
    for (int k = 0; k < n; ++k) {
        double *pivot = A + k * n;
        if (!(pivot[k] > 0) || !isfinite(pivot[k])) {
            return false;
        }
        const double root = sqrt(pivot[k]);
        for (int j = k; j < n; ++j) {
            pivot[j] /= root;
        }
        for (int i = k + 1; i < n; ++i) {
            if (pivot[i] != 0) {
                subtract_line(n - i, pivot[i], pivot + i, A + i * n + i);
            }
        }
    }
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < i; ++j) {
            A[i * n + j] = A[j * n + i];
        }
    }
    return true;
}

static bool cholesky_anywhere(int n, double *A)
{
    return cholesky_rows(n, A);
}

MO_WIDE bool cholesky_wide(int n, double *A)
{
    return cholesky_rows(n, A);
}

bool mo_factor_symmetric(int n, double *A)
{
    int info = 0;
    if (n >= MO_LAPACK_FROM) {
        mo_blas_threads_begin();
        dpotrf_("U", &n, A, &n, &info);
        mo_blas_threads_end();
    } else {
        info = n < ROWS_FROM ? !cholesky_small(n, A)
                             : !(mo_has_wide() ? cholesky_wide : cholesky_anywhere)(n, A);
    }
    if (n < ROWS_FROM || n >= MO_LAPACK_FROM) {
        mirror(n, A);
    }
    return info == 0;
}

bool mo_factor_unsymmetric(int n, double *A)
{
    for (int k = 0; k < n; ++k) {
        double *pivot_row = A + (size_t)k * n;
        if (!(pivot_row[k] > 0) || !isfinite(pivot_row[k])) {
            return false;
        }
        const double root = sqrt(pivot_row[k]);
        for (int j = k; j < n; ++j) {
            pivot_row[j] /= root;
        }
        for (int i = k + 1; i < n; ++i) {
            double *row = A + (size_t)i * n;
            row[k] /= root;
            mo_axpy(n - k - 1, -row[k], pivot_row + k + 1, row + k + 1);
        }
    }
    return true;
}

/* Two numbers anywhere in memory. */
typedef double pair __attribute__((vector_size(2 * sizeof(double)), aligned(8), may_alias));

/* A sum in eight parts, which run side by side: one sum of a long row would wait for itself. */
static inline double dot(int n, const double *x, const double *y)
{
    pair a = {0}, b = {0}, c = {0}, d = {0};
    int k = 0;
    for (; k + 8 <= n; k += 8) {
        a += *(const pair *)(x + k) * *(const pair *)(y + k);
        b += *(const pair *)(x + k + 2) * *(const pair *)(y + k + 2);
        c += *(const pair *)(x + k + 4) * *(const pair *)(y + k + 4);
        d += *(const pair *)(x + k + 6) * *(const pair *)(y + k + 6);
    }
    for (; k + 2 <= n; k += 2) {
        a += *(const pair *)(x + k) * *(const pair *)(y + k);
    }
    a = (a + b) + (c + d);
    return (a[0] + a[1]) + (k < n ? x[k] * y[k] : 0);
}

void mo_solve_lower(int n, const double *F, double *x)
{
    if (n >= MO_LAPACK_FROM) {
        trsv("U", "T", n, F, x);
        return;
    }
    if (n == 3) { /* a body in the plane: the most of them in grains */
        x[0] = x[0] / F[0];
        x[1] = (x[1] - F[3] * x[0]) / F[4];
        x[2] = (x[2] - (F[6] * x[0] + F[7] * x[1])) / F[8];
        return;
    }
    for (int i = 0; i < n; ++i) {
        x[i] = (x[i] - dot(i, F + i * n, x)) / F[i * n + i];
    }
}

void mo_solve_upper(int n, const double *F, double *x)
{
    if (n >= MO_LAPACK_FROM) {
        trsv("L", "T", n, F, x);
        return;
    }
    if (n == 3) {
        x[2] = x[2] / F[8];
        x[1] = (x[1] - F[5] * x[2]) / F[4];
        x[0] = (x[0] - (F[1] * x[1] + F[2] * x[2])) / F[0];
        return;
    }
    for (int i = n - 1; i >= 0; --i) {
        x[i] = (x[i] - dot(n - 1 - i, F + i * n + i + 1, x + i + 1)) / F[i * n + i];
    }
}

void mo_solve_upper_transposed(int n, const double *F, double *x)
{
    if (n >= MO_LAPACK_FROM) {
        trsv("L", "N", n, F, x);
        return;
    }
    for (int i = 0; i < n; ++i) {
        x[i] /= F[i * n + i];
        mo_axpy(n - 1 - i, -x[i], F + i * n + i + 1, x + i + 1);
    }
}

/* The largest entry of the trailing block, as row * n + column. */
static int find_pivot(int n, int from, const double *A)
{
    int best = from * n + from;
    for (int i = from; i < n; ++i) {
        for (int j = from; j < n; ++j) {
            if (fabs(A[i * n + j]) > fabs(A[best])) {
                best = i * n + j;
            }
        }
    }
    return best;
}

static void swap(double *a, double *b)
{
    const double t = *a;
    *a = *b;
    *b = t;
}

static void swap_rows(int n, double *A, double *b, int i, int k)
{
    if (i == k) {
        return;
    }
    for (int j = 0; j < n; ++j) {
        swap(&A[i * n + j], &A[k * n + j]);
    }
    swap(&b[i], &b[k]);
}

static void swap_columns(int n, double *A, int *name, int i, int k)
{
    if (i == k) {
        return;
    }
    for (int j = 0; j < n; ++j) {
        swap(&A[j * n + i], &A[j * n + k]);
    }
    const int t = name[i];
    name[i] = name[k];
    name[k] = t;
}

int mo_solve_small(int n, double *A, double *b, double *x)
{
    int name[MO_SMALL];
    double first_pivot = 0;
    int rank = 0;
    for (int k = 0; k < n; ++k) {
        name[k] = k;
        x[k] = 0;
    }
    for (; rank < n; ++rank) {
        const int pivot = find_pivot(n, rank, A);
        const double size = fabs(A[pivot]);
        first_pivot = rank ? first_pivot : size;
        if (!(size > 1e-14 * n * first_pivot)) { /* rounding of the elimination, no information */
            break;
        }
        swap_rows(n, A, b, rank, pivot / n);
        swap_columns(n, A, name, rank, pivot % n);
        for (int i = rank + 1; i < n; ++i) {
            const double factor = A[i * n + rank] / A[rank * n + rank];
            mo_axpy(n - rank, -factor, A + rank * n + rank, A + i * n + rank);
            b[i] -= factor * b[rank];
        }
    }
    for (int i = rank - 1; i >= 0; --i) {
        double sum = b[i];
        for (int j = i + 1; j < rank; ++j) {
            sum -= A[i * n + j] * x[name[j]];
        }
        const double value = sum / A[i * n + i];
        x[name[i]] = isfinite(value) ? value : 0; /* overflow: as good as no pivot */
    }
    return rank;
}

static void swap_lines(int d, double *a, double *b, int stride)
{
    for (int k = 0; k < d; ++k) {
        const double t = a[k * stride];
        a[k * stride] = b[k * stride];
        b[k * stride] = t;
    }
}

bool mo_invert_small(int d, double *A)
{
    int pivots[MO_SMALL];
    for (int k = 0; k < d; ++k) {
        int p = k;
        for (int i = k + 1; i < d; ++i) {
            p = fabs(A[i * d + k]) > fabs(A[p * d + k]) ? i : p;
        }
        pivots[k] = p;
        swap_lines(d, A + k * d, A + p * d, 1);
        const double pivot = A[k * d + k];
        if (!(fabs(pivot) > 0) || !isfinite(pivot)) {
            return false;
        }
        A[k * d + k] = 1;
        for (int j = 0; j < d; ++j) {
            A[k * d + j] /= pivot;
        }
        for (int i = 0; i < d; ++i) {
            const double factor = A[i * d + k];
            if (i != k) {
                A[i * d + k] = 0;
                mo_axpy(d, -factor, A + k * d, A + i * d);
            }
        }
    }
    for (int k = d - 1; k >= 0; --k) { /* the row swaps become column swaps of the inverse */
        swap_lines(d, A + k, A + pivots[k], d);
    }
    return true;
}
