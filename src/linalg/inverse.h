/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * The inverse of a square matrix K that changes by one row or column at a time, for pivoting
 * methods.
 *
 *     K^-1 = Z + U V'
 *
 * A change adds one column to U and V (Sherman and Morrison).  Z is either
 *
 *   dense    explicit; after MO_INVERSE_PENDING changes U V' is added by one matrix product.  A
 *            change costs O(size), a solve with k nonzero entries O(k size)
 *   sparse   factors of an earlier K (sparse_lu.h); after MO_INVERSE_PENDING changes the caller
 *            factors K again
 *
 * Rows and columns of K are stored in slots.  An unused slot has a unit entry of K alone in its row
 * and column.  Errors grow with the changes; the caller monitors the residual and refactors.
 */
#ifndef MO_LINALG_INVERSE_H
#define MO_LINALG_INVERSE_H

#include "linalg/sparse_lu.h"

enum { MO_INVERSE_PENDING = 32 };

typedef struct mo_inverse {
    int room, size; /* slots: at most, and now */
    int pending;    /* columns of U and V */
    int is_sparse, filling;
    double *Z;       /* dense: column-major, `room` rows */
    mo_sparse_lu lu; /* sparse */
    double *U, *V;   /* column-major, `room` rows */
    double *work;
    int *pivot;
    int work_size;
} mo_inverse;

/* fill: entries of a K at most; a K that may be full is treated as dense. */
void mo_inverse_layout(int room, size_t fill, mo_arena *arena, mo_inverse *inverse);

/* room^2 numbers that are free until the first K is given. */
double *mo_inverse_scratch(mo_inverse *inverse);

/* K is empty. */
void mo_inverse_clear(mo_inverse *inverse);

/* A K is given: begin, then for each column mo_inverse_column (with the row that makes a good
 * pivot, or -1) and its entries, no row twice; then factor, which is false if K is singular to
 * working precision. */
void mo_inverse_begin(mo_inverse *inverse, int size);
void mo_inverse_column(mo_inverse *inverse, int preferred);
void mo_inverse_put(mo_inverse *inverse, int row, double value);
int mo_inverse_factor(mo_inverse *inverse);

/* Whether there is no room for another pivot (two changes); K must then be factored again. */
int mo_inverse_is_full(const mo_inverse *inverse);

/* A new pair of slots, both `size` as it was, with a unit entry. */
int mo_inverse_grow(mo_inverse *inverse);

/* y = K^-1 c, and h = g' K^-1, for c and g with `count` nonzero entries at the slots index. */
void mo_inverse_times(const mo_inverse *inverse, int count, const int *index, const double *value,
                      double *y);
void mo_inverse_left(const mo_inverse *inverse, int count, const int *index, const double *value,
                     double *h);

/* Column `column` of K becomes c, y = K^-1 c; row `row` becomes g, h = g' K^-1; spoils y and h. */
void mo_inverse_replace_column(mo_inverse *inverse, int column, double *y);
void mo_inverse_replace_row(mo_inverse *inverse, int row, double *h);

#endif
