/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Sparse LU factorisation of a square matrix K, column by column in the given order, with row
 * pivoting:
 *
 *     P K = L U,   L unit lower and U upper triangular                        [gilbert1988]
 *
 * Each column is a sparse triangular solve with the previous columns of L.  A search through their
 * pattern finds the columns that contribute, so the cost is proportional to the arithmetic.  The
 * pivot is the row that the caller prefers (the diagonal, in a fill-reducing order) if its entry is
 * at least PREFERENCE times the largest, otherwise the largest entry.
 *
 * L and U share one array of room^2 numbers: L grows from its front, U from its back.
 */
#ifndef MO_LINALG_SPARSE_LU_H
#define MO_LINALG_SPARSE_LU_H

#include "base/arena.h"

typedef struct mo_sparse_lu {
    int room, size;
    /* K by columns, as the caller puts it. */
    size_t entries;
    int filling; /* columns begun */
    size_t *start;
    int *row, *preferred;
    double *value;
    /* Column k of L: number[lower[k]] .. number[lower[k+1]]; of U, without its diagonal:
     * number[upper[k]] .. number[upper[k-1]].  index holds the rows, in the order of elimination.
     */
    double *number, *diagonal;
    int *index;
    size_t *lower, *upper;
    int *pivot_of; /* of a row of K: its place in the elimination, or -1 */
    double *x;     /* scratch */
    int *stack, *mark;
    size_t *cursor;
} mo_sparse_lu;

/* fill: entries of K at most. */
void mo_sparse_lu_layout(int room, size_t fill, mo_arena *arena, mo_sparse_lu *lu);

/* K is given anew: begin, then for each column mo_sparse_lu_column (with the row preferred as its
 * pivot, or -1) and its entries, no row twice; then factor.  False if K is singular to working
 * precision. */
void mo_sparse_lu_begin(mo_sparse_lu *lu, int size);
void mo_sparse_lu_column(mo_sparse_lu *lu, int preferred);
void mo_sparse_lu_put(mo_sparse_lu *lu, int row, double value);
int mo_sparse_lu_factor(mo_sparse_lu *lu);

/* x = K^-1 x and x = K^-T x. */
void mo_sparse_lu_solve(const mo_sparse_lu *lu, double *x);
void mo_sparse_lu_solve_transposed(const mo_sparse_lu *lu, double *x);

#endif
