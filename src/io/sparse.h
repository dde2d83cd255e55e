/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* Sparse matrices of files, converted to one canonical form.  All arrays are in pools. */
#ifndef MO_IO_SPARSE_H
#define MO_IO_SPARSE_H

#include "base/pool.h"

/* Compressed columns; in each column the rows increase, and no entry is zero. */
typedef struct mo_sparse {
    int rows, columns;
    int *start;    /* columns + 1: column j has entries start[j] to start[j + 1] */
    int *row;      /* of each entry */
    double *value; /* of each entry */
} mo_sparse;

/* Entries in any order, all of them inside the matrix. */
typedef struct mo_entries {
    int *row, *column;
    double *value;
    size_t count;
} mo_entries;

/* An empty list with room for so many, at most INT_MAX; false for lack of memory. */
bool mo_entries_make(mo_pool *pool, size_t room, mo_entries *entries);

/* Adds an entry unless it is zero. */
void mo_entries_add(mo_entries *entries, int row, int column, double value);

/* Adds all entries of a matrix, or of its transpose, shifted by this many rows and columns. */
void mo_entries_add_matrix(mo_entries *entries, const mo_sparse *matrix, bool transposed,
                           int row_shift, int column_shift);

/* Sorts entries into a matrix; those of one place add up in the order in which they come.  False
 * for lack of memory. */
bool mo_sparse_build(mo_pool *pool, int rows, int columns, const mo_entries *entries,
                     mo_sparse *matrix);

/* The number of entries; none for {0}. */
static inline int mo_sparse_count(const mo_sparse *matrix)
{
    return matrix->start ? matrix->start[matrix->columns] : 0;
}

#endif
