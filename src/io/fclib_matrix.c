/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Matrices of an FCLIB file: compressed columns (nz = -1), compressed rows (nz = -2) or triplets
 * (nz >= 0), all brought into sorted compressed columns.  Entries given twice add up.
 *
 * In triplets the files of the field hold the columns in p and the rows in i, whatever the
 * comment in FCLIB's header says, because FCLIB's structure is CSparse's.
 */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "io/fclib.h"

enum { BY_COLUMNS = -1, BY_ROWS = -2 };

/* The stored form of a matrix group. */
typedef struct stored {
    int m, n, nz, nzmax;
    int *p, *i;
    double *x;
    size_t p_count, i_count, x_count;
} stored;

bool mo_fclib_check_finite(mo_h5 *h, const mo_h5_group *group, const char *name, size_t count,
                           const double *values)
{
    for (size_t k = 0; k < count; ++k) {
        MO_FAIL_IF(!isfinite(values[k]),
                   mo_h5_fault(h, "entry %zu of %s/%s is %g; only finite numbers are allowed", k,
                               group->path, name, values[k]));
    }
    return true;
}

bool mo_fclib_read_vector(mo_h5 *h, const mo_h5_group *group, const char *name, size_t *count,
                          double **values)
{
    MO_PASS(mo_h5_count(h, group, name, count));
    *values = mo_h5_take(h, *count, sizeof **values);
    return *values && mo_h5_read_run(h, group, name, 0, *count, *values) &&
           mo_fclib_check_finite(h, group, name, *count, *values);
}

static bool read_stored(mo_h5 *h, const mo_h5_group *g, stored *s)
{
    return mo_h5_read_int(h, g, "m", &s->m) && mo_h5_read_int(h, g, "n", &s->n) &&
           mo_h5_read_int(h, g, "nz", &s->nz) && mo_h5_read_int(h, g, "nzmax", &s->nzmax) &&
           mo_h5_read_ints(h, g, "p", &s->p_count, &s->p) &&
           mo_h5_read_ints(h, g, "i", &s->i_count, &s->i) &&
           mo_fclib_read_vector(h, g, "x", &s->x_count, &s->x);
}

/* ---- checks ---------------------------------------------------------------------------------- */

/* i and x hold at least the entries that are counted, and equally many. */
static bool check_room(mo_h5 *h, const char *path, const stored *s, size_t entries)
{
    MO_FAIL_IF(s->i_count != s->x_count, mo_h5_fault(h, "%s/i has %zu entries and %s/x has %zu",
                                                     path, s->i_count, path, s->x_count));
    MO_FAIL_IF(entries > s->x_count, mo_h5_fault(h, "%s counts %zu entries, but its x has %zu",
                                                 path, entries, s->x_count));
    return s->nzmax >= 0 && (size_t)s->nzmax >= entries
               ? true
               : mo_h5_fault(h, "%s has nzmax = %d for %zu entries", path, s->nzmax, entries);
}

static bool check_index(mo_h5 *h, const char *path, char array, size_t entry, int index, int end)
{
    return (index >= 0 && index < end) ||
           mo_h5_fault(h, "entry %zu of %s/%c is %d, outside 0 to %d", entry, path, array, index,
                       end - 1);
}

/* p rises from 0; its last entry is the number of entries. */
static bool check_starts(mo_h5 *h, const char *path, const stored *s, int lines)
{
    MO_FAIL_IF(s->p_count != (size_t)lines + 1,
               mo_h5_fault(h, "%s/p has %zu entries where %lld are needed", path, s->p_count,
                           (long long)lines + 1));
    MO_FAIL_IF(s->p[0] != 0, mo_h5_fault(h, "%s/p begins with %d, not with 0", path, s->p[0]));
    for (int k = 0; k < lines; ++k) {
        MO_FAIL_IF(s->p[k + 1] < s->p[k],
                   mo_h5_fault(h, "entry %d of %s/p is %d, less than the one before, %d", k + 1,
                               path, s->p[k + 1], s->p[k]));
    }
    return true;
}

/* ---- unpacking ------------------------------------------------------------------------------- */

/* Compressed lines: `line` receives the column (or row) of each entry, i has the other index. */
static bool expand(mo_h5 *h, const char *path, const stored *s, int lines, int across, int **line)
{
    MO_PASS(check_starts(h, path, s, lines) && check_room(h, path, s, (size_t)s->p[lines]));
    *line = mo_h5_take(h, (size_t)s->p[lines], sizeof **line);
    MO_PASS(*line);
    for (int k = 0; k < lines; ++k) {
        for (int e = s->p[k]; e < s->p[k + 1]; ++e) {
            MO_PASS(check_index(h, path, 'i', (size_t)e, s->i[e], across));
            (*line)[e] = k;
        }
    }
    return true;
}

static bool check_triplets(mo_h5 *h, const char *path, const stored *s)
{
    MO_FAIL_IF(s->p_count < (size_t)s->nz,
               mo_h5_fault(h, "%s has nz = %d triplets, but its p has %zu entries", path, s->nz,
                           s->p_count));
    MO_PASS(check_room(h, path, s, (size_t)s->nz));
    for (int e = 0; e < s->nz; ++e) {
        MO_PASS(check_index(h, path, 'p', (size_t)e, s->p[e], s->n) &&
                check_index(h, path, 'i', (size_t)e, s->i[e], s->m));
    }
    return true;
}

static bool build(mo_h5 *h, const char *path, const stored *s, const mo_entries *entries,
                  mo_sparse *matrix)
{
    MO_FAIL_IF(!mo_sparse_build(&h->kept, s->m, s->n, entries, matrix), mo_h5_no_memory(h));
    /* Finite numbers can still add up to infinity. */
    for (int e = 0; e < mo_sparse_count(matrix); ++e) {
        MO_FAIL_IF(!isfinite(matrix->value[e]),
                   mo_h5_fault(h, "entries of %s for the same place add up to %g", path,
                               matrix->value[e]));
    }
    return true;
}

static bool unpack(mo_h5 *h, const char *path, const stored *s, mo_sparse *matrix)
{
    mo_entries entries = {.row = s->i, .column = s->p, .value = s->x, .count = (size_t)s->nz};
    if (s->nz >= 0) return check_triplets(h, path, s) && build(h, path, s, &entries, matrix);
    const bool by_columns = s->nz == BY_COLUMNS;
    MO_FAIL_IF(
        !by_columns && s->nz != BY_ROWS,
        mo_h5_fault(h, "%s has nz = %d; -1 (columns), -2 (rows) or a number of triplets is needed",
                    path, s->nz));
    const int lines = by_columns ? s->n : s->m;
    int *line = NULL;
    MO_PASS(expand(h, path, s, lines, by_columns ? s->m : s->n, &line));
    entries.row = by_columns ? s->i : line;
    entries.column = by_columns ? line : s->i;
    entries.count = (size_t)s->p[lines];
    return build(h, path, s, &entries, matrix);
}

static bool check_size(mo_h5 *h, const char *path, const char *what, int stated,
                       mo_fclib_size needed)
{
    return stated == needed.count ||
           mo_h5_fault(h, "%s has %d %s, but the vector %s has %d entries", path, stated, what,
                       needed.vector, needed.count);
}

/* One number that need not be there. */
static bool read_fact(mo_h5 *h, const mo_h5_group *group, const char *name, double *value)
{
    size_t count = 0;
    MO_PASS(!mo_h5_has(group, name) || mo_h5_count(h, group, name, &count));
    return count == 0 || mo_h5_read_run(h, group, name, 0, 1, value);
}

/* Metadata of a matrix in FCLIB: comment, conditioning, determinant, rank. */
static bool read_facts(mo_h5 *h, const mo_h5_group *group, char matrix, mo_document *document)
{
    if (!(mo_h5_has(group, "comment") || mo_h5_has(group, "conditioning"))) return true;
    int k = 0;
    while (k < MO_DOCUMENT_MATRICES - 1 && document->facts[k].matrix)
        ++k;
    mo_matrix_facts *facts = &document->facts[k];
    facts->matrix = matrix;
    if (mo_h5_has(group, "comment") && !mo_h5_read_text(h, group, "comment", &facts->comment))
        return false;
    return read_fact(h, group, "conditioning", &facts->conditioning) &&
           read_fact(h, group, "determinant", &facts->determinant) &&
           (!mo_h5_has(group, "rank") || mo_h5_read_int(h, group, "rank", &facts->rank));
}

bool mo_fclib_read_matrix(mo_h5 *h, const mo_h5_group *parent, const char *name, mo_fclib_size rows,
                          mo_fclib_size columns, mo_document *document, mo_sparse *matrix)
{
    mo_h5_group group;
    stored s = {0};
    const bool good = mo_h5_enter(h, parent, name, &group) && read_stored(h, &group, &s) &&
                      check_size(h, group.path, "rows (m)", s.m, rows) &&
                      check_size(h, group.path, "columns (n)", s.n, columns) &&
                      unpack(h, group.path, &s, matrix) && read_facts(h, &group, name[0], document);
    MO_FREE(h->allocator, s.p, s.i);
    mo_h5_leave(h, &group);
    return good;
}

/* ---- sparse matrices ------------------------------------------------------------------------- */

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

/*
 * From a list of entries to compressed columns: two counting sorts, by row and then by column.
 * Both are stable, so duplicates meet in the order of the list and their sum is well defined.
 */

/* starts[k] = number of keys below k, for k = 0 to `keys`. */
static void count_keys(int count, const int *key, int keys, int *starts)
{
    memset(starts, 0, ((size_t)keys + 1) * sizeof *starts);
    for (int e = 0; e < count; ++e)
        ++starts[key[e] + 1];
    mo_running_sums(keys, starts);
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
            while (e < count && column[order[e]] == j && row[order[e]] == i)
                sum += entries->value[order[e++]];
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
