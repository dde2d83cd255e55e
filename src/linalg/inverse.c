/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
#include "linalg/inverse.h"

#include <math.h>
#include <string.h>

#include "linalg/dense.h"

/* LAPACK and BLAS, column-major. */
void dgetrf_(const int *m, const int *n, double *A, const int *lda, int *pivot, int *info);
void dgetri_(const int *n, double *A, const int *lda, const int *pivot, double *work,
             const int *lwork, int *info);
void dgemm_(const char *transa, const char *transb, const int *m, const int *n, const int *k,
            const double *alpha, const double *A, const int *lda, const double *B, const int *ldb,
            const double *beta, double *C, const int *ldc);

enum { BLOCK = 32 };  /* columns that dgetri works on at a time */
enum { SMALL = 100 }; /* rows up to which dense is faster */

static double *column_of(const mo_inverse *inverse, double *of, int k)
{
    return of + (size_t)k * (size_t)inverse->room;
}

void mo_inverse_layout(int room, size_t fill, mo_arena *arena, mo_inverse *inverse)
{
    const size_t rows = (size_t)room;
    *inverse = (mo_inverse){.room = room, .work_size = room * BLOCK};
    inverse->is_sparse = room > SMALL && fill < rows * rows / 4;
    if (inverse->is_sparse) {
        mo_sparse_lu_layout(room, fill, arena, &inverse->lu);
    } else {
        inverse->Z = MO_TAKE(arena, rows * rows, double);
        inverse->work = MO_TAKE(arena, rows * BLOCK, double);
        inverse->pivot = MO_TAKE(arena, rows, int);
    }
    MO_TAKE_EACH(arena, rows * MO_INVERSE_PENDING, double, &inverse->U, &inverse->V);
}

double *mo_inverse_scratch(mo_inverse *inverse)
{
    return inverse->is_sparse ? inverse->lu.number : inverse->Z;
}

int mo_inverse_is_full(const mo_inverse *inverse)
{
    return inverse->is_sparse && inverse->pending + 2 > MO_INVERSE_PENDING;
}

void mo_inverse_clear(mo_inverse *inverse)
{
    inverse->size = inverse->pending = inverse->lu.size = 0;
}

void mo_inverse_begin(mo_inverse *inverse, int size)
{
    inverse->size = size;
    inverse->pending = 0;
    inverse->filling = -1;
    if (inverse->is_sparse) mo_sparse_lu_begin(&inverse->lu, size);
}

void mo_inverse_column(mo_inverse *inverse, int preferred)
{
    ++inverse->filling;
    if (inverse->is_sparse) {
        mo_sparse_lu_column(&inverse->lu, preferred);
    } else {
        memset(column_of(inverse, inverse->Z, inverse->filling), 0,
               (size_t)inverse->size * sizeof *inverse->Z);
    }
}

void mo_inverse_put(mo_inverse *inverse, int row, double value)
{
    if (inverse->is_sparse)
        mo_sparse_lu_put(&inverse->lu, row, value);
    else
        column_of(inverse, inverse->Z, inverse->filling)[row] = value;
}

/* Detects a singular K by the ratio of the smallest to the largest pivot. */
static int is_singular(const mo_inverse *inverse, int size)
{
    double least = INFINITY, most = 0;
    for (int k = 0; k < size; ++k) {
        const double pivot = fabs(column_of(inverse, inverse->Z, k)[k]);
        least = fmin(least, pivot);
        most = fmax(most, pivot);
    }
    return !(least > 1e-15 * most);
}

static int factor_dense(mo_inverse *inverse)
{
    const int size = inverse->size;
    int info = 0;
    dgetrf_(&size, &size, inverse->Z, &inverse->room, inverse->pivot, &info);
    if (info != 0 || is_singular(inverse, size)) return 0;
    dgetri_(&size, inverse->Z, &inverse->room, inverse->pivot, inverse->work, &inverse->work_size,
            &info);
    return info == 0;
}

int mo_inverse_factor(mo_inverse *inverse)
{
    if (inverse->size == 0) return 1;
    return inverse->is_sparse ? mo_sparse_lu_factor(&inverse->lu) : factor_dense(inverse);
}

int mo_inverse_grow(mo_inverse *inverse)
{
    const int slot = inverse->size++;
    for (int k = 0; k < inverse->pending; ++k)
        column_of(inverse, inverse->U, k)[slot] = column_of(inverse, inverse->V, k)[slot] = 0;
    if (!inverse->is_sparse) {
        double *column = column_of(inverse, inverse->Z, slot);
        memset(column, 0, (size_t)inverse->size * sizeof *column);
        for (int k = 0; k < slot; ++k)
            column_of(inverse, inverse->Z, k)[slot] = 0;
        column[slot] = 1;
    }
    return slot;
}

static double sparse_dot(int count, const int *index, const double *value, const double *x)
{
    double sum = 0;
    for (int k = 0; k < count; ++k)
        sum += value[k] * x[index[k]];
    return sum;
}

static void scatter(const mo_inverse *inverse, int count, const int *index, const double *value,
                    double *x)
{
    memset(x, 0, (size_t)inverse->size * sizeof *x);
    for (int k = 0; k < count; ++k)
        x[index[k]] += value[k];
}

void mo_inverse_times(const mo_inverse *inverse, int count, const int *index, const double *value,
                      double *y)
{
    if (inverse->is_sparse) {
        scatter(inverse, count, index, value, y);
        mo_sparse_lu_solve(&inverse->lu, y);
    } else {
        memset(y, 0, (size_t)inverse->size * sizeof *y);
        for (int k = 0; k < count; ++k)
            mo_axpy(inverse->size, value[k], column_of(inverse, inverse->Z, index[k]), y);
    }
    for (int t = 0; t < inverse->pending; ++t) {
        const double along = sparse_dot(count, index, value, column_of(inverse, inverse->V, t));
        mo_axpy(inverse->size, along, column_of(inverse, inverse->U, t), y);
    }
}

void mo_inverse_left(const mo_inverse *inverse, int count, const int *index, const double *value,
                     double *h)
{
    if (inverse->is_sparse) {
        scatter(inverse, count, index, value, h);
        mo_sparse_lu_solve_transposed(&inverse->lu, h);
    } else {
        for (int k = 0; k < inverse->size; ++k)
            h[k] = sparse_dot(count, index, value, column_of(inverse, inverse->Z, k));
    }
    for (int t = 0; t < inverse->pending; ++t) {
        const double along = sparse_dot(count, index, value, column_of(inverse, inverse->U, t));
        mo_axpy(inverse->size, along, column_of(inverse, inverse->V, t), h);
    }
}

/* Z += U V' */
static void settle(mo_inverse *inverse)
{
    const double one = 1;
    if (inverse->pending > 0 && inverse->size > 0) {
        dgemm_("N", "T", &inverse->size, &inverse->size, &inverse->pending, &one, inverse->U,
               &inverse->room, inverse->V, &inverse->room, &one, inverse->Z, &inverse->room);
    }
    inverse->pending = 0;
}

/* Takes the next column of U and V; the caller fills both and then counts it. */
static void next_pending(mo_inverse *inverse, double **u, double **v)
{
    if (inverse->pending == MO_INVERSE_PENDING) settle(inverse);
    *u = column_of(inverse, inverse->U, inverse->pending);
    *v = column_of(inverse, inverse->V, inverse->pending);
}

/* K^-1 - (y - e_a) (row a of K^-1) / y_a */
void mo_inverse_replace_column(mo_inverse *inverse, int column, double *y)
{
    const double one = 1, pivot = y[column];
    double *u, *v;
    next_pending(inverse, &u, &v);
    mo_inverse_left(inverse, 1, &column, &one, v);
    y[column] -= 1;
    for (int k = 0; k < inverse->size; ++k)
        u[k] = -y[k] / pivot;
    ++inverse->pending;
}

/* K^-1 - (column b of K^-1) (h - e_b) / h_b */
void mo_inverse_replace_row(mo_inverse *inverse, int row, double *h)
{
    const double one = 1, pivot = h[row];
    double *u, *v;
    next_pending(inverse, &u, &v);
    mo_inverse_times(inverse, 1, &row, &one, u);
    h[row] -= 1;
    for (int k = 0; k < inverse->size; ++k)
        v[k] = -h[k] / pivot;
    ++inverse->pending;
}
