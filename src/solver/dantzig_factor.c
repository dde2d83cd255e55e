/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * The factor of `dantzig`, which gains and loses a row at a time; a pivot costs O(k^2) for k rows
 * [baraff1994, section 4.5].
 *
 * Without coupled rows, A_CC = L L'.  A row enters by one triangular solve: (L^-1 A_Cj)' and the
 * pivot sqrt(A_jj - |L^-1 A_Cj|^2).  Where row p leaves, the triangle L_3 right of p and the
 * deleted column l give L_3 L_3' + l l', a rank-one update.  L^-1 A_Cd of the driven row d is
 * updated along with L.  Only sums of squares occur, without cancellation.
 *
 * Friction that follows a normal force makes the matrix unsymmetric.  Its inverse B is updated by
 * bordering: with y = B c (c the column), w' = r' B (r the row) and the pivot p = corner - r' y, B
 * becomes [B + y w'/p, -y/p; -w'/p, 1/p]; back by B - B_p B^p / B_pp.  Columns combine (m += t k:
 * row k of B -= t row m) or change (Sherman and Morrison).  Errors accumulate; the caller sees them
 * in every direction, refines, and rebuilds B with LAPACK if that fails.
 */
#include <math.h>
#include <string.h>

#include "linalg/dense.h"
#include "solver/dantzig.h"

void dtrsv_(const char *uplo, const char *trans, const char *diag, const int *n, const double *A,
            const int *lda, double *x, const int *incx);
void dpotrf_(const char *uplo, const int *n, double *A, const int *lda, int *info);
void dgemv_(const char *trans, const int *m, const int *n, const double *alpha, const double *A,
            const int *lda, const double *x, const int *incx, const double *beta, double *y,
            const int *incy);
void dger_(const int *m, const int *n, const double *alpha, const double *x, const int *incx,
           const double *y, const int *incy, double *A, const int *lda);
void dgetrf_(const int *m, const int *n, double *A, const int *lda, int *pivots, int *info);
void dgetri_(const int *n, double *A, const int *lda, const int *pivots, double *work,
             const int *lwork, int *info);

static const int one = 1;

/* ---- symmetric: A_CC = L L' ------------------------------------------------------------------ */

static void solve_triangle(const mo_dantzig_factor *F, const char *trans, double *x)
{
    if (F->count > 0) dtrsv_("L", trans, "N", &F->count, F->F, &F->stride, x, &one);
}

void mo_cholesky_begin(mo_dantzig_factor *F, const double *v)
{
    memcpy(F->driven, v, (size_t)F->count * sizeof *v);
    solve_triangle(F, "N", F->driven);
}

void mo_cholesky_solve(mo_dantzig_factor *F, double *x)
{
    for (int i = 0; i < F->count; ++i)
        x[i] = -F->driven[i];
    solve_triangle(F, "T", x);
}

void mo_cholesky_full_solve(mo_dantzig_factor *F, double *x)
{
    solve_triangle(F, "N", x);
    solve_triangle(F, "T", x);
}

/* The square of the new diagonal entry of L; `left` holds the new row. */
double mo_cholesky_try(mo_dantzig_factor *F, const double *v, double diagonal)
{
    memcpy(F->left, v, (size_t)F->count * sizeof *v);
    solve_triangle(F, "N", F->left);
    return diagonal - mo_dot(F->count, F->left, F->left);
}

/* The row in `left` enters; driven_entry is A_jd, or zero if no row is driven. */
void mo_cholesky_append(mo_dantzig_factor *F, double pivot, double driven_entry)
{
    const int k = F->count;
    const double root = sqrt(pivot);
    for (int j = 0; j < k; ++j)
        F->F[(size_t)j * F->stride + k] = F->left[j];
    F->F[(size_t)k * F->stride + k] = root;
    F->driven[k] = (driven_entry - mo_dot(k, F->left, F->driven)) / root;
    F->count = k + 1;
}

/* A column of the rank-one update, one place up and left: t = c L + s l, l = c l - s L. */
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
        rotate_column(k - j - 1, c, s, column + j + 1, l + j + 1, to + j);
        const double t = F->driven[j];
        F->driven[j - 1] = c * t + s * l_driven;
        l_driven = c * l_driven - s * t;
    }
    F->count = k - 1;
}

int mo_cholesky_rebuild(mo_dantzig_factor *F)
{
    int info = 0;
    if (F->count) dpotrf_("L", &F->count, F->F, &F->stride, &info);
    return info == 0;
}

/* ---- coupled: the inverse B ------------------------------------------------------------------ */

static void multiply(const mo_dantzig_factor *F, const char *trans, const double *x, double *y)
{
    const double alpha = 1, beta = 0;
    if (F->count)
        dgemv_(trans, &F->count, &F->count, &alpha, F->F, &F->stride, x, &one, &beta, y, &one);
}

/* B += alpha x y' */
static void add_outer(mo_dantzig_factor *F, double alpha, const double *x, const double *y)
{
    if (F->count) dger_(&F->count, &F->count, &alpha, x, &one, y, &one, F->F, &F->stride);
}

void mo_inverse_solve(const mo_dantzig_factor *F, const double *v, double *x)
{
    multiply(F, "N", v, x);
}

/* The pivot of a row that may enter; `right` holds y and `left` holds w. */
double mo_inverse_try(mo_dantzig_factor *F, const double *column, const double *row, double corner)
{
    multiply(F, "N", column, F->right);
    multiply(F, "T", row, F->left);
    double pivot = corner;
    for (int k = 0; k < F->count; ++k)
        pivot -= row[k] * F->right[k];
    return pivot;
}

void mo_inverse_append(mo_dantzig_factor *F, double pivot)
{
    const int k = F->count;
    add_outer(F, 1 / pivot, F->right, F->left);
    double *last = F->F + (size_t)k * F->stride;
    for (int i = 0; i < k; ++i) {
        last[i] = -F->right[i] / pivot;
        F->F[(size_t)i * F->stride + k] = -F->left[i] / pivot;
    }
    last[k] = 1 / pivot;
    F->count = k + 1;
}

static void swap_with_last(mo_dantzig_factor *F, int p)
{
    const int last = F->count - 1;
    const size_t stride = (size_t)F->stride;
    for (int i = 0; i <= last && p != last; ++i) {
        double *a = F->F + p * stride + i, *b = F->F + last * stride + i;
        const double kept = *a;
        *a = *b;
        *b = kept;
    }
    for (int j = 0; j <= last && p != last; ++j) {
        double *column = F->F + j * stride;
        const double kept = column[p];
        column[p] = column[last];
        column[last] = kept;
    }
}

/* Row p leaves; the last one takes its place. */
void mo_inverse_remove(mo_dantzig_factor *F, int p)
{
    swap_with_last(F, p);
    const int last = --F->count;
    const double *column = F->F + (size_t)last * F->stride, corner = column[last];
    for (int j = 0; j < last; ++j)
        F->left[j] = F->F[(size_t)j * F->stride + last];
    add_outer(F, -1 / corner, column, F->left);
}

void mo_inverse_combine(mo_dantzig_factor *F, int to, int from, double t)
{
    for (int j = 0; j < F->count; ++j) {
        double *column = F->F + (size_t)j * F->stride;
        column[from] -= t * column[to];
    }
}

/* Column p changes by `change`; false if the matrix would become singular. */
int mo_inverse_change_column(mo_dantzig_factor *F, int p, const double *change)
{
    multiply(F, "N", change, F->right);
    const double pivot = 1 + F->right[p];
    if (!(fabs(pivot) > MO_DANTZIG_PIVOT)) return 0;
    for (int j = 0; j < F->count; ++j)
        F->left[j] = F->F[(size_t)j * F->stride + p];
    add_outer(F, -1 / pivot, F->right, F->left);
    return 1;
}

int mo_inverse_rebuild(mo_dantzig_factor *F)
{
    const int room = 64 * F->count;
    int info = 0;
    if (F->count == 0) return 1;
    dgetrf_(&F->count, &F->count, F->F, &F->stride, F->pivots, &info);
    if (info == 0) dgetri_(&F->count, F->F, &F->stride, F->pivots, F->work, &room, &info);
    return info == 0;
}
