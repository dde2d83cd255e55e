/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* Sparse matrices of files, converted to one canonical form. */
#ifndef MO_IO_SPARSE_H
#define MO_IO_SPARSE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "moreau/base.h"

/* Compressed columns; in each column the rows increase, and no entry is zero. */
typedef struct mo_sparse {
    int rows, columns;
    int *start;    /* columns + 1: column j has entries start[j] to start[j + 1] */
    int *row;      /* of each entry */
    double *value; /* of each entry */
} mo_sparse;

/* Entries in any order: a growing list. */
typedef struct mo_entries {
    int *row, *column;
    double *value;
    size_t count, room;
} mo_entries;

/* Adds all entries of a matrix, or of its transpose, shifted by this many rows and columns. */
bool mo_entries_add_matrix(const mo_allocator *allocator, mo_entries *entries,
                           const mo_sparse *matrix, bool transposed, int row_shift,
                           int column_shift);

/* Adds an entry unless it is zero; false if memory runs out, or beyond INT_MAX entries. */
bool mo_entries_add(const mo_allocator *allocator, mo_entries *entries, int row, int column,
                    double value);
void mo_entries_clear(const mo_allocator *allocator, mo_entries *entries);

/*
 * Sorts entries, given by their rows, columns and values, into a matrix; entries of one place add
 * up in the order in which they come.  At most INT_MAX entries, all of them inside the matrix.
 * False if memory runs out.
 */
bool mo_sparse_build(const mo_allocator *allocator, int rows, int columns, size_t count,
                     const int *row, const int *column, const double *value, mo_sparse *matrix);
bool mo_sparse_transpose(const mo_allocator *allocator, const mo_sparse *matrix,
                         mo_sparse *transposed);
void mo_sparse_clear(const mo_allocator *allocator, mo_sparse *matrix);

static inline int mo_sparse_count(const mo_sparse *matrix)
{
    return matrix->start[matrix->columns];
}

#endif
