/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * From a list of entries to compressed columns: two counting sorts, by row and then by column.
 * Both are stable, so duplicates meet in the order of the list and their sum is well defined.
 */
#include "io/sparse.h"

#include <limits.h>
#include <string.h>

bool mo_entries_make(mo_pool *pool, size_t room, mo_entries *entries)
{
    *entries = (mo_entries){0};
    entries->value = mo_pool_take(pool, room, sizeof *entries->value);
    return MO_POOL_EACH(pool, room, int, &entries->row, &entries->column) && entries->value;
}

void mo_entries_add(mo_entries *entries, int row, int column, double value)
{
    if (value != 0.0) {
        entries->row[entries->count] = row;
        entries->column[entries->count] = column;
        entries->value[entries->count++] = value;
    }
}

void mo_entries_add_matrix(mo_entries *entries, const mo_sparse *matrix, bool transposed,
                           int row_shift, int column_shift)
{
    for (int j = 0; j < matrix->columns; ++j) {
        for (int e = matrix->start[j]; e < matrix->start[j + 1]; ++e) {
            const int row = transposed ? j : matrix->row[e];
            const int column = transposed ? matrix->row[e] : j;
            mo_entries_add(entries, row + row_shift, column + column_shift, matrix->value[e]);
        }
    }
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
static void gather(int count, const int *order, const mo_entries *entries, mo_sparse *m)
{
    const int *row = entries->row, *column = entries->column;
    int used = 0;
    int e = 0;
    for (int j = 0; j < m->columns; ++j) {
        m->start[j] = used;
        while (e < count && column[order[e]] == j) {
            const int i = row[order[e]];
            double sum = entries->value[order[e++]];
            while (e < count && column[order[e]] == j && row[order[e]] == i) {
                sum += entries->value[order[e++]];
            }
            if (sum != 0.0) {
                m->row[used] = i;
                m->value[used++] = sum;
            }
        }
    }
    m->start[m->columns] = used;
}

bool mo_sparse_build(mo_pool *pool, int rows, int columns, const mo_entries *entries,
                     mo_sparse *matrix)
{
    mo_pool scratch = {.allocator = pool->allocator};
    const int count = (int)entries->count;
    int *by_row, *order;
    int *next = mo_pool_take(&scratch, (size_t)(rows > columns ? rows : columns) + 1, sizeof *next);
    *matrix = (mo_sparse){.rows = rows, .columns = columns};
    matrix->start = mo_pool_take(pool, (size_t)columns + 1, sizeof *matrix->start);
    matrix->row = mo_pool_take(pool, entries->count, sizeof *matrix->row);
    matrix->value = mo_pool_take(pool, entries->count, sizeof *matrix->value);
    const bool good = MO_POOL_EACH(&scratch, count, int, &by_row, &order) && next &&
                      matrix->start && matrix->row && matrix->value;
    if (good) {
        count_keys(count, entries->row, rows, next);
        sort_by(count, entries->row, NULL, next, by_row);
        count_keys(count, entries->column, columns, next);
        sort_by(count, entries->column, by_row, next, order);
        gather(count, order, entries, matrix);
    }
    mo_pool_clear(&scratch);
    return good;
}
