/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * From a list of entries to compressed columns: two counting sorts, by row and then by column.
 * Both are stable, so duplicates meet in the order of the list and their sum is well defined.
 */
#include "io/sparse.h"

#include <limits.h>
#include <string.h>

#include "base/memory.h"

/* Three arrays that grow together, each from the same room to the same new one. */
static bool grow(const mo_allocator *allocator, mo_entries *entries)
{
    void *arrays[3] = {entries->row, entries->column, entries->value};
    const size_t sizes[3] = {sizeof(int), sizeof(int), sizeof(double)};
    size_t room = entries->room;
    bool good = true;
    for (int k = 0; k < 3; ++k) {
        room = entries->room;
        good = good && mo_memory_grow(allocator, &arrays[k], &room, entries->count + 1, sizes[k]);
    }
    entries->row = arrays[0];
    entries->column = arrays[1];
    entries->value = arrays[2];
    entries->room = good ? room : entries->room;
    return good;
}

bool mo_entries_add(const mo_allocator *allocator, mo_entries *entries, int row, int column,
                    double value)
{
    if (value == 0.0) {
        return true;
    }
    if (entries->count == INT_MAX ||
        (entries->count == entries->room && !grow(allocator, entries))) {
        return false;
    }
    entries->row[entries->count] = row;
    entries->column[entries->count] = column;
    entries->value[entries->count++] = value;
    return true;
}

bool mo_entries_add_matrix(const mo_allocator *allocator, mo_entries *entries,
                           const mo_sparse *matrix, bool transposed, int row_shift,
                           int column_shift)
{
    for (int j = 0; j < matrix->columns; ++j) {
        for (int e = matrix->start[j]; e < matrix->start[j + 1]; ++e) {
            const int row = transposed ? j : matrix->row[e];
            const int column = transposed ? matrix->row[e] : j;
            MO_PASS(mo_entries_add(allocator, entries, row + row_shift, column + column_shift,
                                   matrix->value[e]));
        }
    }
    return true;
}

void mo_entries_clear(const mo_allocator *allocator, mo_entries *entries)
{
    MO_FREE(allocator, entries->row, entries->column, entries->value);
    *entries = (mo_entries){0};
}

/* starts[k] = number of keys below k, for k = 0 to `keys`. */
static void count_keys(int count, const int *key, int keys, int *starts)
{
    memset(starts, 0, ((size_t)keys + 1) * sizeof *starts);
    for (int e = 0; e < count; ++e) {
        ++starts[key[e] + 1];
    }
    for (int k = 0; k < keys; ++k) {
        starts[k + 1] += starts[k];
    }
}

/* Puts the entries `from[0], from[1] ...` (NULL: 0, 1 ...) in the order of their keys. */
static void sort_by(int count, const int *key, const int *from, int *next, int *to)
{
    for (int e = 0; e < count; ++e) {
        const int entry = from ? from[e] : e;
        to[next[key[entry]]++] = entry;
    }
}

/* Fills the columns from entries in order; equal places add up, zeros are left out. */
static void gather(int count, const int *order, const int *row, const int *column,
                   const double *value, mo_sparse *m)
{
    int used = 0;
    int e = 0;
    for (int j = 0; j < m->columns; ++j) {
        m->start[j] = used;
        while (e < count && column[order[e]] == j) {
            const int i = row[order[e]];
            double sum = value[order[e++]];
            while (e < count && column[order[e]] == j && row[order[e]] == i) {
                sum += value[order[e++]];
            }
            if (sum != 0.0) {
                m->row[used] = i;
                m->value[used++] = sum;
            }
        }
    }
    m->start[m->columns] = used;
}

static bool allocate(const mo_allocator *allocator, int rows, int columns, size_t count,
                     mo_sparse *m)
{
    *m = (mo_sparse){.rows = rows, .columns = columns};
    m->start = mo_memory_array(allocator, (size_t)columns + 1, sizeof *m->start);
    m->row = mo_memory_array(allocator, count, sizeof *m->row);
    m->value = mo_memory_array(allocator, count, sizeof *m->value);
    return m->start && m->row && m->value;
}

bool mo_sparse_build(const mo_allocator *allocator, int rows, int columns, size_t count,
                     const int *row, const int *column, const double *value, mo_sparse *matrix)
{
    const size_t keys = (size_t)(rows > columns ? rows : columns) + 1;
    int *next = mo_memory_array(allocator, keys, sizeof *next);
    int *by_row = mo_memory_array(allocator, count, sizeof *by_row);
    int *order = mo_memory_array(allocator, count, sizeof *order);
    const bool good = allocate(allocator, rows, columns, count, matrix) && next && by_row && order;
    if (good) {
        count_keys((int)count, row, rows, next);
        sort_by((int)count, row, NULL, next, by_row);
        count_keys((int)count, column, columns, next);
        sort_by((int)count, column, by_row, next, order);
        gather((int)count, order, row, column, value, matrix);
    } else {
        mo_sparse_clear(allocator, matrix);
    }
    MO_FREE(allocator, next, by_row, order);
    return good;
}

bool mo_sparse_transpose(const mo_allocator *allocator, const mo_sparse *matrix,
                         mo_sparse *transposed)
{
    const int count = mo_sparse_count(matrix);
    int *next = mo_memory_array(allocator, (size_t)matrix->rows + 1, sizeof *next);
    mo_sparse *t = transposed;
    if (!allocate(allocator, matrix->columns, matrix->rows, (size_t)count, t) || !next) {
        mo_memory_free(allocator, next);
        mo_sparse_clear(allocator, t);
        return false;
    }
    count_keys(count, matrix->row, matrix->rows, t->start);
    memcpy(next, t->start, ((size_t)matrix->rows + 1) * sizeof *next);
    for (int j = 0; j < matrix->columns; ++j) {
        for (int e = matrix->start[j]; e < matrix->start[j + 1]; ++e) {
            const int to = next[matrix->row[e]]++;
            t->row[to] = j;
            t->value[to] = matrix->value[e];
        }
    }
    mo_memory_free(allocator, next);
    return true;
}

void mo_sparse_clear(const mo_allocator *allocator, mo_sparse *matrix)
{
    MO_FREE(allocator, matrix->start, matrix->row, matrix->value);
    *matrix = (mo_sparse){0};
}
