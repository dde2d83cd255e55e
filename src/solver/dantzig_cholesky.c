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

#include "linalg/dense.h"
#include "solver/dantzig.h"

void dtrsv_(const char *uplo, const char *trans, const char *diag, const int *n, const double *A,
            const int *lda, double *x, const int *incx);
void dpotrf_(const char *uplo, const int *n, double *A, const int *lda, int *info);

static void solve_triangle(const mo_dantzig_factor *F, const char *trans, double *x)
{
    const int one = 1;
    if (F->count > 0) {
        dtrsv_("L", trans, "N", &F->count, F->F, &F->stride, x, &one);
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
    for (int j = 0; j < k; ++j) {
        F->F[(size_t)j * F->stride + k] = F->left[j];
    }
    F->F[(size_t)k * F->stride + k] = root;
    F->driven[k] = (driven_entry - mo_dot(k, F->left, F->driven)) / root;
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
        rotate_column(k - j - 1, c, s, column + j + 1, l + j + 1, to + j);
        const double t = F->driven[j];
        F->driven[j - 1] = c * t + s * l_driven;
        l_driven = c * l_driven - s * t;
    }
    F->count = k - 1;
}

/* F holds A_CC, then L; false if A_CC is not positive definite. */
int mo_cholesky_rebuild(mo_dantzig_factor *F)
{
    int info = 0;
    if (F->count) {
        dpotrf_("L", &F->count, F->F, &F->stride, &info);
    }
    return info == 0;
}
