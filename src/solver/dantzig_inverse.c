/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * The inverse of `dantzig` with coupled rows: friction that follows a normal force makes the matrix
 * of the clamped rows unsymmetric.  Its inverse B is updated by bordering.
 *
 *   a row enters     with y = B c (c its column), w' = r' B (r its row) and the pivot
 *                    p = corner - r' y, B becomes [B + y w'/p, -y/p; -w'/p, 1/p]
 *   row p leaves     the reverse: B - B_p B^p / B_pp
 *   columns combine  column m += t column k: row k of B -= t row m
 *   a column changes Sherman and Morrison's rank-one formula
 *
 * Each costs O(k^2) and one pass over B.  Errors accumulate; the caller sees them in the residual
 * of every direction, corrects them by refinement, and rebuilds B with LAPACK if that fails.
 */
#include <math.h>
#include <string.h>

#include "solver/dantzig.h"

void dgemv_(const char *trans, const int *m, const int *n, const double *alpha, const double *A,
            const int *lda, const double *x, const int *incx, const double *beta, double *y,
            const int *incy);
void dger_(const int *m, const int *n, const double *alpha, const double *x, const int *incx,
           const double *y, const int *incy, double *A, const int *lda);
void dgetrf_(const int *m, const int *n, double *A, const int *lda, int *pivots, int *info);
void dgetri_(const int *n, double *A, const int *lda, const int *pivots, double *work,
             const int *lwork, int *info);

static const int one = 1;

static void multiply(const mo_dantzig_factor *F, const char *trans, const double *x, double *y)
{
    const double alpha = 1, beta = 0;
    if (F->count) {
        dgemv_(trans, &F->count, &F->count, &alpha, F->F, &F->stride, x, &one, &beta, y, &one);
    }
}

/* B += alpha x y' */
static void add_outer(mo_dantzig_factor *F, double alpha, const double *x, const double *y)
{
    if (F->count) {
        dger_(&F->count, &F->count, &alpha, x, &one, y, &one, F->F, &F->stride);
    }
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
    for (int k = 0; k < F->count; ++k) {
        pivot -= row[k] * F->right[k];
    }
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
    for (int j = 0; j < last; ++j) {
        F->left[j] = F->F[(size_t)j * F->stride + last];
    }
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
    if (!(fabs(pivot) > MO_DANTZIG_PIVOT)) {
        return 0;
    }
    for (int j = 0; j < F->count; ++j) {
        F->left[j] = F->F[(size_t)j * F->stride + p];
    }
    add_outer(F, -1 / pivot, F->right, F->left);
    return 1;
}

int mo_inverse_rebuild(mo_dantzig_factor *F)
{
    const int room = 64 * F->count;
    int info = 0;
    if (F->count == 0) {
        return 1;
    }
    dgetrf_(&F->count, &F->count, F->F, &F->stride, F->pivots, &info);
    if (info == 0) {
        dgetri_(&F->count, F->F, &F->stride, F->pivots, F->work, &room, &info);
    }
    return info == 0;
}
