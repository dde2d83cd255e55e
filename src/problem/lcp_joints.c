/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
#include "problem/lcp_joints.h"

#include <string.h>

#include "linalg/dense.h"

/* BLAS, column-major: a row-major matrix is its transpose there. */
void dtrsm_(const char *side, const char *uplo, const char *transa, const char *diag, const int *m,
            const int *n, const double *alpha, const double *A, const int *lda, double *B,
            const int *ldb);
void dgemm_(const char *transa, const char *transb, const int *m, const int *n, const int *k,
            const double *alpha, const double *A, const int *lda, const double *B, const int *ldb,
            const double *beta, double *C, const int *ldc);

/* A pivot below this part of the first is rounding: rows have a diagonal of about one. */
static const double RANK_TOLERANCE = 1e-12;

void mo_lcp_joints_layout(int count, int pairs, mo_arena *arena, mo_lcp_joints *joints)
{
    const size_t free_count = (size_t)count;
    *joints = (mo_lcp_joints){.count = count, .pairs = pairs};
    joints->LU = MO_TAKE(arena, free_count * free_count, double);
    MO_TAKE_EACH(arena, free_count * (size_t)pairs, double, &joints->X, &joints->G);
    MO_TAKE_EACH(arena, count, double, &joints->y, &joints->work);
    MO_TAKE_EACH(arena, count, int, &joints->row, &joints->column);
}

/* ---- the factorisation ----------------------------------------------------------------------- */

/* x = (L U)^-1 x for one right-hand side in the order of the pivots. */
static void solve_one(const mo_lcp_joints *joints, double *x)
{
    const int n = joints->count;
    for (int i = 0; i < joints->rank; ++i)
        x[i] -= mo_dot(i, joints->LU + (size_t)i * n, x);
    for (int i = joints->rank - 1; i >= 0; --i) {
        const double *line = joints->LU + (size_t)i * n;
        x[i] = (x[i] - mo_dot(joints->rank - 1 - i, line + i + 1, x + i + 1)) / line[i];
    }
}

/* ---- elimination ----------------------------------------------------------------------------- */

/* X = (L U)^-1 A_fp: transposed, X' = A_fp' L^-T U^-T. */
static void solve_for_pairs(mo_lcp_joints *joints, const double *A)
{
    const int pairs = joints->pairs;
    const size_t size = (size_t)(joints->count + pairs);
    const double one = 1;
    for (int k = 0; k < joints->rank; ++k) {
        memcpy(joints->X + (size_t)k * pairs, A + (size_t)joints->row[k] * size + joints->count,
               (size_t)pairs * sizeof *A);
    }
    dtrsm_("R", "U", "N", "U", &pairs, &joints->rank, &one, joints->LU, &joints->count, joints->X,
           &pairs);
    dtrsm_("R", "L", "N", "N", &pairs, &joints->rank, &one, joints->LU, &joints->count, joints->X,
           &pairs);
}

static void gather_columns(mo_lcp_joints *joints, const double *A)
{
    const size_t size = (size_t)(joints->count + joints->pairs);
    for (int p = 0; p < joints->pairs; ++p) {
        const double *line = A + (size_t)(joints->count + p) * size;
        for (int k = 0; k < joints->rank; ++k)
            joints->G[(size_t)p * joints->rank + k] = line[joints->column[k]];
    }
}

void mo_lcp_joints_eliminate(mo_lcp_joints *joints, const double *A, const double *b, double *S,
                             double *c)
{
    const int count = joints->count, pairs = joints->pairs;
    const size_t size = (size_t)(count + pairs);
    for (int p = 0; p < pairs; ++p) {
        memcpy(S + (size_t)p * pairs, A + (size_t)(count + p) * size + count,
               (size_t)pairs * sizeof *S);
        c[p] = b[count + p];
    }
    for (int f = 0; f < count; ++f)
        memcpy(joints->LU + (size_t)f * count, A + (size_t)f * size, (size_t)count * sizeof *A);
    joints->rank =
        mo_factor_complete(count, RANK_TOLERANCE, joints->LU, joints->row, joints->column);
    for (int k = 0; k < joints->rank; ++k)
        joints->y[k] = b[joints->row[k]];
    solve_one(joints, joints->y);
    if (joints->rank == 0 || pairs == 0) return;
    const double minus = -1, one = 1;
    solve_for_pairs(joints, A);
    gather_columns(joints, A);
    dgemm_("N", "N", &pairs, &pairs, &joints->rank, &minus, joints->X, &pairs, joints->G,
           &joints->rank, &one, S, &pairs);
    for (int p = 0; p < pairs; ++p)
        c[p] -= mo_dot(joints->rank, joints->G + (size_t)p * joints->rank, joints->y);
}

void mo_lcp_joints_recover(const mo_lcp_joints *joints, const double *z_p, double *z_f)
{
    mo_lcp_joints_backward(joints, NULL, z_p, z_f);
    for (int k = 0; k < joints->rank; ++k)
        z_f[joints->column[k]] -= joints->y[k];
}

/* A_ff^-1 w_f, in the order of the pivots. */
static void solve_for_free(const mo_lcp_joints *joints, const double *w_f)
{
    for (int k = 0; k < joints->rank; ++k)
        joints->work[k] = w_f ? w_f[joints->row[k]] : 0;
    solve_one(joints, joints->work);
}

void mo_lcp_joints_forward(const mo_lcp_joints *joints, const double *w_f, double *w_p)
{
    solve_for_free(joints, w_f);
    for (int p = 0; p < joints->pairs; ++p)
        w_p[p] -= mo_dot(joints->rank, joints->G + (size_t)p * joints->rank, joints->work);
}

void mo_lcp_joints_backward(const mo_lcp_joints *joints, const double *w_f, const double *dz_p,
                            double *dz_f)
{
    if (joints->count > 0) memset(dz_f, 0, (size_t)joints->count * sizeof *dz_f);
    solve_for_free(joints, w_f);
    for (int k = 0; k < joints->rank; ++k) {
        const double *line = joints->X + (size_t)k * joints->pairs;
        dz_f[joints->column[k]] = -joints->work[k] - mo_dot(joints->pairs, line, dz_p);
    }
}
