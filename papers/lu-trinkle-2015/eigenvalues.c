/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* Eq. 32-33 of [lu2015]: the matrix of the linearised particle, its eigenvalues, and r*. */
#include <math.h>
#include <string.h>

#include "lu_trinkle.h"

void dgeev_(const char *left, const char *right, const int *n, double *a, const int *lda,
            double *wr, double *wi, double *vl, const int *ldvl, double *vr, const int *ldvr,
            double *work, const int *lwork, int *info, size_t left_length, size_t right_length);

enum { N = LT_ORDER };

/* Eq. 33; the first entry takes zeta too, as eq. 11 says and eq. 33 does not. */
static void matrix(double zeta, double A[N][N])
{
    const double rows[N][N] = {
        {1, 0, 0, 0, 0, 0},  {0, 1, 0, -1, 0, 1}, {0, 0, 1, 0, -1, 1},
        {0, -1, 0, 1, 0, 1}, {0, 0, -1, 0, 1, 1}, {0.5, -1, -1, -1, -1, 0},
    };
    memcpy(A, rows, sizeof rows);
    for (int k = 0; k < N; ++k)
        A[k][k] += zeta;
}

static int comes_before(double re_a, double im_a, double re_b, double im_b)
{
    return im_a != im_b ? im_a < im_b : re_a < re_b;
}

static void order(lt_eigenvalues *v)
{
    for (int k = 1; k < N; ++k) {
        for (int j = k; j > 0 && comes_before(v->re[j], v->im[j], v->re[j - 1], v->im[j - 1]);
             --j) {
            const double re = v->re[j], im = v->im[j];
            v->re[j] = v->re[j - 1];
            v->im[j] = v->im[j - 1];
            v->re[j - 1] = re;
            v->im[j - 1] = im;
        }
    }
}

int lt_compute_eigenvalues(double zeta, lt_eigenvalues *v)
{
    double A[N][N], column_major[N * N], work[8 * N], unused[1];
    const int n = N, one = 1, room = 8 * N;
    int info;
    matrix(zeta, A);
    for (int i = 0; i < N; ++i)
        for (int j = 0; j < N; ++j)
            column_major[j * N + i] = A[i][j];
    dgeev_("N", "N", &n, column_major, &n, v->re, v->im, unused, &one, unused, &one, work, &room,
           &info, 1, 1);
    if (info != 0) return 0;
    order(v);
    double least = INFINITY, most = -INFINITY;
    for (int k = 0; k < N; ++k) {
        if (fabs(v->im[k]) < 1e-6) {
            least = fmin(least, v->re[k]);
            most = fmax(most, v->re[k]);
        }
    }
    v->r_star = 2 / (most + least);
    return 1;
}
