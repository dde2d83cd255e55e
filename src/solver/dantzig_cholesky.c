/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * The factor of `dantzig` without coupled rows: A_CC = L L', updated by one row at a time.
 *
 *   a row enters   L gains the row (L^-1 A_Cj)' and the pivot sqrt(A_jj - |L^-1 A_Cj|^2): one
 *                  triangular solve
 *   row p leaves   rows below keep their left part; the triangle L_3 right of p and the deleted
 *                  column l give L_3 L_3' + l l', a rank-one update
 *
 * The row of the driven variable, L^-1 A_Cd, is updated along with L, so it is solved for once per
 * drive and becomes the new row of L at the end.  A pivot costs O(k^2) [baraff1994, section 4.5];
 * only sums of squares occur, without cancellation.
 */
#include <math.h>
#include <string.h>

#include "solver/dantzig.h"

void dtrsv_(const char *uplo, const char *trans, const char *diag, const int *n, const double *A,
            const int *lda, double *x, const int *incx);
void dpotrf_(const char *uplo, const int *n, double *A, const int *lda, int *info);

/* Up to here the loops below beat a call of BLAS, which is made for larger triangles. */
enum { SMALL = 256 };

/* x = L^-1 x, four columns at a time. */
static void solve_lower(const mo_dantzig_factor *F, double *x)
{
    const int n = F->count, stride = F->stride;
    const double *over = F->reciprocal;
    int j = 0;
    for (; j + 4 <= n; j += 4) {
        const double *a = F->F + (size_t)j * stride, *b = a + stride, *c = b + stride,
                     *d = c + stride;
        const double x0 = x[j] * over[j];
        const double x1 = (x[j + 1] - a[j + 1] * x0) * over[j + 1];
        const double x2 = (x[j + 2] - a[j + 2] * x0 - b[j + 2] * x1) * over[j + 2];
        const double x3 = (x[j + 3] - a[j + 3] * x0 - b[j + 3] * x1 - c[j + 3] * x2) * over[j + 3];
        x[j] = x0;
        x[j + 1] = x1;
        x[j + 2] = x2;
        x[j + 3] = x3;
        for (int i = j + 4; i < n; ++i) {
            x[i] -= (a[i] * x0 + b[i] * x1) + (c[i] * x2 + d[i] * x3);
        }
    }
    for (; j < n; ++j) {
        const double *a = F->F + (size_t)j * stride;
        x[j] *= over[j];
        for (int i = j + 1; i < n; ++i) {
            x[i] -= a[i] * x[j];
        }
    }
}

/* x = L^-T x, four columns at a time. */
static void solve_upper(const mo_dantzig_factor *F, double *x)
{
    const int n = F->count, stride = F->stride;
    const double *over = F->reciprocal;
    int j = n - 4;
    for (; j >= 0; j -= 4) {
        const double *a = F->F + (size_t)j * stride, *b = a + stride, *c = b + stride,
                     *d = c + stride;
        double s0 = 0, s1 = 0, s2 = 0, s3 = 0;
#pragma omp simd reduction(+ : s0, s1, s2, s3)
        for (int i = j + 4; i < n; ++i) {
            s0 += a[i] * x[i];
            s1 += b[i] * x[i];
            s2 += c[i] * x[i];
            s3 += d[i] * x[i];
        }
        x[j + 3] = (x[j + 3] - s3) * over[j + 3];
        x[j + 2] = (x[j + 2] - s2 - c[j + 3] * x[j + 3]) * over[j + 2];
        x[j + 1] = (x[j + 1] - s1 - b[j + 3] * x[j + 3] - b[j + 2] * x[j + 2]) * over[j + 1];
        x[j] =
            (x[j] - s0 - a[j + 3] * x[j + 3] - a[j + 2] * x[j + 2] - a[j + 1] * x[j + 1]) * over[j];
    }
    for (j += 3; j >= 0; --j) {
        const double *a = F->F + (size_t)j * stride;
        double s = x[j];
        for (int i = j + 1; i < n; ++i) {
            s -= a[i] * x[i];
        }
        x[j] = s * over[j];
    }
}

static void solve_triangle(const mo_dantzig_factor *F, const char *trans, double *x)
{
    const int one = 1;
    if (F->count > SMALL) {
        dtrsv_("L", trans, "N", &F->count, F->F, &F->stride, x, &one);
    } else if (*trans == 'N') {
        solve_lower(F, x);
    } else {
        solve_upper(F, x);
    }
}

void mo_cholesky_begin(mo_dantzig_factor *F, const double *v)
{
    memcpy(F->driven, v, (size_t)F->count * sizeof *v);
    solve_triangle(F, "N", F->driven);
}

void mo_cholesky_solve(mo_dantzig_factor *F, double *x)
{
    for (int i = 0; i < F->count; ++i) {
        x[i] = -F->driven[i];
    }
    solve_triangle(F, "T", x);
}

void mo_cholesky_full_solve(mo_dantzig_factor *F, double *x)
{
    solve_triangle(F, "N", x);
    solve_triangle(F, "T", x);
}

static double dot(int n, const double *x, const double *y)
{
    double sum[4] = {0, 0, 0, 0};
    int i = 0;
    for (; i + 4 <= n; i += 4) {
        for (int k = 0; k < 4; ++k) {
            sum[k] += x[i + k] * y[i + k];
        }
    }
    for (; i < n; ++i) {
        sum[0] += x[i] * y[i];
    }
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

/* The square of the new diagonal entry of L; `left` holds the new row. */
double mo_cholesky_try(mo_dantzig_factor *F, const double *v, double diagonal)
{
    memcpy(F->left, v, (size_t)F->count * sizeof *v);
    solve_triangle(F, "N", F->left);
    return diagonal - dot(F->count, F->left, F->left);
}

/* The row in `left` enters; driven_entry is A_jd, or zero where no row is driven. */
void mo_cholesky_append(mo_dantzig_factor *F, double pivot, double driven_entry)
{
    const int k = F->count;
    const double root = sqrt(pivot);
    for (int j = 0; j < k; ++j) {
        F->F[(size_t)j * F->stride + k] = F->left[j];
    }
    F->F[(size_t)k * F->stride + k] = root;
    F->reciprocal[k] = 1 / root;
    F->driven[k] = (driven_entry - dot(k, F->left, F->driven)) / root;
    F->count = k + 1;
}

/* One column of the rank-one update, written one place up and left: t = c L + s l, l = c l - s
 * L. */
static void rotate_column(int count, double c, double s, const double *L, double *l, double *to)
{
    for (int i = 0; i < count; ++i) {
        const double t = L[i];
        to[i] = c * t + s * l[i];
        l[i] = c * l[i] - s * t;
    }
}

void mo_cholesky_remove(mo_dantzig_factor *F, int p)
{
    const int k = F->count;
    const size_t stride = (size_t)F->stride;
    double *l = F->right;
    memcpy(l, F->F + p * stride, (size_t)k * sizeof *l);
    for (int j = 0; j < p; ++j) {
        double *column = F->F + j * stride;
        memmove(column + p, column + p + 1, (size_t)(k - p - 1) * sizeof *column);
    }
    double l_driven = F->driven[p];
    for (int j = p + 1; j < k; ++j) {
        const double *column = F->F + j * stride;
        double *to = F->F + (j - 1) * stride;
        const double size = hypot(column[j], l[j]), c = column[j] / size, s = l[j] / size;
        to[j - 1] = size;
        F->reciprocal[j - 1] = 1 / size;
        rotate_column(k - j - 1, c, s, column + j + 1, l + j + 1, to + j);
        const double t = F->driven[j];
        F->driven[j - 1] = c * t + s * l_driven;
        l_driven = c * l_driven - s * t;
    }
    F->count = k - 1;
}

/* F holds A_CC, then L; false where A_CC is not positive definite. */
int mo_cholesky_rebuild(mo_dantzig_factor *F)
{
    int info = 0;
    if (F->count) {
        dpotrf_("L", &F->count, F->F, &F->stride, &info);
    }
    for (int k = 0; k < F->count && info == 0; ++k) {
        F->reciprocal[k] = 1 / F->F[(size_t)k * F->stride + k];
    }
    return info == 0;
}
