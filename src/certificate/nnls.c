/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Nonnegative least squares by active sets [lawson1974, chapter 23].
 *
 *   min |A y - d|, y >= 0;  optimal if A'(d - A y) <= 0, and = 0 for the y_j > 0
 *
 * Columns with y_j > 0 are passive.  Each iteration adds the column with the largest entry of A'(d
 * - A y) over its length, then solves for the passive columns.  If one becomes negative, y moves
 * towards that solution until the first one is zero, which is dropped.  The passive columns are
 * stored as Q R: adding one is a Gram-Schmidt step (done twice), removing one is a new
 * factorisation.
 *
 * Limits: dense, for some tens of rows.  Columns that depend on the passive ones to rounding are
 * skipped, so a degenerate optimum may have another y with the same residual.
 */
#include "certificate/nnls.h"

#include <math.h>
#include <string.h>

#include "linalg/dense.h"

typedef struct nnls {
    int m, k;
    const double *A, *d;
    double *y, *residual;
    double *Q, *R, *z; /* passive columns = Q R, m x m and m x m; unconstrained minimum */
    int *list, count;  /* the passive columns */
    int *is_barred;    /* columns that depend on the passive ones */
} nnls;

size_t mo_nnls_work(int m, int k)
{
    (void)k;
    return 2 * (size_t)m * m + m;
}

/* Adds column j to Q R by two passes of Gram and Schmidt; 0 if it depends on the others. */
static int append(nnls *s, int j)
{
    const double *column = s->A + (size_t)j * s->m;
    const int c = s->count;
    double *q = s->Q + (size_t)c * s->m;
    const double size = sqrt(mo_dot(s->m, column, column));
    if (c >= s->m) {
        return 0;
    }
    memcpy(q, column, (size_t)s->m * sizeof *q);
    for (int i = 0; i < c; ++i) {
        s->R[i * s->m + c] = 0;
    }
    for (int pass = 0; pass < 2; ++pass) {
        for (int i = 0; i < c; ++i) {
            const double part = mo_dot(s->m, s->Q + (size_t)i * s->m, q);
            s->R[i * s->m + c] += part;
            mo_axpy(s->m, -part, s->Q + (size_t)i * s->m, q);
        }
    }
    const double left = sqrt(mo_dot(s->m, q, q));
    if (!(left > 1e-13 * size)) {
        return 0;
    }
    for (int i = 0; i < s->m; ++i) {
        q[i] /= left;
    }
    s->R[c * s->m + c] = left;
    s->list[s->count++] = j;
    return 1;
}

/* z = the least squares solution on the passive columns. */
static void minimise(nnls *s)
{
    for (int i = s->count - 1; i >= 0; --i) {
        double sum = mo_dot(s->m, s->Q + (size_t)i * s->m, s->d);
        for (int j = i + 1; j < s->count; ++j) {
            sum -= s->R[i * s->m + j] * s->z[j];
        }
        s->z[i] = sum / s->R[i * s->m + i];
    }
}

static void renew_residual(nnls *s)
{
    memcpy(s->residual, s->d, (size_t)s->m * sizeof *s->residual);
    for (int i = 0; i < s->count; ++i) {
        mo_axpy(s->m, -s->y[s->list[i]], s->A + (size_t)s->list[i] * s->m, s->residual);
    }
}

/* The column with the largest component of the residual; -1 if there is none. */
static int entering(const nnls *s)
{
    int best = -1;
    double most = 1e-14;
    for (int j = 0; j < s->k; ++j) {
        int is_passive = s->is_barred[j];
        for (int i = 0; i < s->count && !is_passive; ++i) {
            is_passive = s->list[i] == j;
        }
        const double *column = s->A + (size_t)j * s->m;
        const double lean =
            mo_dot(s->m, column, s->residual) / (sqrt(mo_dot(s->m, column, column)) + 1e-300);
        if (!is_passive && lean > most) {
            most = lean;
            best = j;
        }
    }
    return best;
}

/* Removes columns whose y is not positive and refactors the rest. */
static void rebuild(nnls *s)
{
    const int old = s->count;
    s->count = 0;
    for (int i = 0; i < old; ++i) {
        const int j = s->list[i];
        if (s->y[j] <= 0 || !append(s, j)) {
            s->y[j] = 0;
        }
    }
}

/* Moves y towards z while it stays positive; 1 if it reaches z. */
static int advance(nnls *s)
{
    double step = 1;
    int stop = -1;
    for (int i = 0; i < s->count; ++i) {
        const double y = s->y[s->list[i]];
        if (s->z[i] <= 0 && y / (y - s->z[i]) < step) {
            step = y / (y - s->z[i]);
            stop = i;
        } else if (s->z[i] <= 0 && y <= 0) {
            step = 0;
            stop = i;
        }
    }
    for (int i = 0; i < s->count; ++i) {
        double *y = &s->y[s->list[i]];
        *y += step * (s->z[i] - *y);
    }
    if (stop >= 0) {
        s->y[s->list[stop]] = 0;
    }
    return stop < 0;
}

void mo_nnls(int m, int k, const double *A, const double *d, double *y, double *residual,
             double *work, int *passive)
{
    nnls s = {m,
              k,
              A,
              d,
              y,
              residual,
              work,
              work + (size_t)m * m,
              work + 2 * (size_t)m * m,
              passive,
              0,
              passive + k};
    memset(y, 0, (size_t)k * sizeof *y);
    memset(s.is_barred, 0, (size_t)k * sizeof *s.is_barred);
    renew_residual(&s);
    for (int round = 0; round < 6 * (m + k); ++round) {
        const int j = entering(&s);
        if (j < 0) {
            break;
        }
        if (!append(&s, j)) {
            s.is_barred[j] = 1;
            continue;
        }
        minimise(&s);
        if (s.z[s.count - 1] <= 0) { /* rounding: it would leave at once */
            --s.count;
            s.is_barred[j] = 1;
            continue;
        }
        while (s.count > 0 && !advance(&s)) {
            rebuild(&s);
            minimise(&s);
        }
        renew_residual(&s);
        memset(s.is_barred, 0, (size_t)k * sizeof *s.is_barred);
    }
}
