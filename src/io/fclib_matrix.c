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

#include "base/memory.h"
#include "io/fclib.h"

enum { BY_COLUMNS = -1, BY_ROWS = -2 };

/* A matrix group as it is stored. */
typedef struct stored {
    int m, n, nz, nzmax;
    int *p, *i;
    double *x;
    size_t p_count, i_count, x_count;
} stored;

bool mo_fclib_read_vector(mo_h5 *h, const mo_h5_group *group, const char *name, size_t *count,
                          double **values)
{
    MO_PASS(mo_h5_read_doubles(h, group, name, count, values));
    for (size_t k = 0; k < *count; ++k) {
        if (!isfinite((*values)[k])) {
            mo_h5_fail(h, MO_ERR_FORMAT,
                       "entry %zu of %s/%s is %g; only finite numbers are allowed", k, group->path,
                       name, (*values)[k]);
            mo_memory_free(h->allocator, *values);
            *values = NULL;
            return false;
        }
    }
    return true;
}

static bool read_stored(mo_h5 *h, const mo_h5_group *g, stored *s)
{
    return mo_h5_read_int(h, g, "m", &s->m) && mo_h5_read_int(h, g, "n", &s->n) &&
           mo_h5_read_int(h, g, "nz", &s->nz) && mo_h5_read_int(h, g, "nzmax", &s->nzmax) &&
           mo_h5_read_ints(h, g, "p", &s->p_count, &s->p) &&
           mo_h5_read_ints(h, g, "i", &s->i_count, &s->i) &&
           mo_fclib_read_vector(h, g, "x", &s->x_count, &s->x);
}

static void clear_stored(mo_h5 *h, stored *s)
{
    MO_FREE(h->allocator, s->p, s->i, s->x);
}

/* ---- checks ---------------------------------------------------------------------------------- */

/* i and x hold at least the entries that are counted, and equally many. */
static bool check_room(mo_h5 *h, const char *path, const stored *s, size_t entries)
{
    MO_FAIL_IF(s->i_count != s->x_count,
               mo_h5_fail(h, MO_ERR_FORMAT, "%s/i has %zu entries and %s/x has %zu", path,
                          s->i_count, path, s->x_count));
    MO_FAIL_IF(entries > s->x_count,
               mo_h5_fail(h, MO_ERR_FORMAT, "%s counts %zu entries, but its x has %zu", path,
                          entries, s->x_count));
    return s->nzmax >= 0 && (size_t)s->nzmax >= entries
               ? true
               : mo_h5_fail(h, MO_ERR_FORMAT, "%s has nzmax = %d for %zu entries", path, s->nzmax,
                            entries);
}

static bool check_index(mo_h5 *h, const char *path, char array, size_t entry, int index, int end)
{
    return (index >= 0 && index < end) ||
           mo_h5_fail(h, MO_ERR_FORMAT, "entry %zu of %s/%c is %d, outside 0 to %d", entry, path,
                      array, index, end - 1);
}

/* p rises from 0; its last entry is the number of entries. */
static bool check_starts(mo_h5 *h, const char *path, const stored *s, int lines)
{
    MO_FAIL_IF(s->p_count != (size_t)lines + 1,
               mo_h5_fail(h, MO_ERR_FORMAT, "%s/p has %zu entries where %lld are needed", path,
                          s->p_count, (long long)lines + 1));
    MO_FAIL_IF(s->p[0] != 0,
               mo_h5_fail(h, MO_ERR_FORMAT, "%s/p begins with %d, not with 0", path, s->p[0]));
    for (int k = 0; k < lines; ++k) {
        MO_FAIL_IF(s->p[k + 1] < s->p[k],
                   mo_h5_fail(h, MO_ERR_FORMAT,
                              "entry %d of %s/p is %d, less than the one before, %d", k + 1, path,
                              s->p[k + 1], s->p[k]));
    }
    return true;
}

/* ---- unpacking ------------------------------------------------------------------------------- */

/* Compressed lines: `line` receives the column (or row) of each entry, i has the other index. */
static bool expand(mo_h5 *h, const char *path, const stored *s, int lines, int across, int **line)
{
    MO_PASS(check_starts(h, path, s, lines) && check_room(h, path, s, (size_t)s->p[lines]));
    *line = mo_memory_array(h->allocator, (size_t)s->p[lines], sizeof **line);
    MO_FAIL_IF(!*line, mo_h5_no_memory(h));
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
               mo_h5_fail(h, MO_ERR_FORMAT, "%s has nz = %d triplets, but its p has %zu entries",
                          path, s->nz, s->p_count));
    MO_PASS(check_room(h, path, s, (size_t)s->nz));
    for (int e = 0; e < s->nz; ++e) {
        MO_PASS(check_index(h, path, 'p', (size_t)e, s->p[e], s->n) &&
                check_index(h, path, 'i', (size_t)e, s->i[e], s->m));
    }
    return true;
}

static bool build(mo_h5 *h, const char *path, const stored *s, const int *row, const int *column,
                  size_t count, mo_sparse *matrix)
{
    MO_FAIL_IF(!mo_sparse_build(h->allocator, s->m, s->n, count, row, column, s->x, matrix),
               mo_h5_no_memory(h));
    /* Finite numbers can still add up to infinity. */
    for (int e = 0; e < mo_sparse_count(matrix); ++e) {
        MO_FAIL_IF(!isfinite(matrix->value[e]),
                   mo_h5_fail(h, MO_ERR_FORMAT, "entries of %s for the same place add up to %g",
                              path, matrix->value[e]));
    }
    return true;
}

static bool unpack(mo_h5 *h, const char *path, const stored *s, mo_sparse *matrix)
{
    if (s->nz >= 0) {
        return check_triplets(h, path, s) && build(h, path, s, s->i, s->p, (size_t)s->nz, matrix);
    }
    const bool by_columns = s->nz == BY_COLUMNS;
    MO_FAIL_IF(
        !by_columns && s->nz != BY_ROWS,
        mo_h5_fail(h, MO_ERR_FORMAT,
                   "%s has nz = %d; -1 (columns), -2 (rows) or a number of triplets is needed",
                   path, s->nz));
    const int lines = by_columns ? s->n : s->m;
    int *line = NULL;
    const bool good = expand(h, path, s, lines, by_columns ? s->m : s->n, &line) &&
                      build(h, path, s, by_columns ? s->i : line, by_columns ? line : s->i,
                            (size_t)s->p[lines], matrix);
    mo_memory_free(h->allocator, line);
    return good;
}

static bool check_size(mo_h5 *h, const char *path, const char *what, int stated, const char *vector,
                       int needed)
{
    return stated == needed ||
           mo_h5_fail(h, MO_ERR_FORMAT, "%s has %d %s, but the vector %s has %d entries", path,
                      stated, what, vector, needed);
}

/* One number that need not be there. */
static bool read_fact(mo_h5 *h, const mo_h5_group *group, const char *name, double *value)
{
    double *numbers = NULL;
    size_t count = 0;
    if (!mo_h5_has(group, name)) {
        return true;
    }
    MO_PASS(mo_h5_read_doubles(h, group, name, &count, &numbers));
    *value = count ? numbers[0] : 0;
    mo_memory_free(h->allocator, numbers);
    return true;
}

/* What FCLIB keeps beside a matrix: comment, conditioning, determinant, rank. */
static bool read_facts(mo_h5 *h, const mo_h5_group *group, char matrix, mo_document *document)
{
    if (!(mo_h5_has(group, "comment") || mo_h5_has(group, "conditioning"))) {
        return true;
    }
    int k = 0;
    while (k < MO_DOCUMENT_MATRICES - 1 && document->facts[k].matrix) {
        ++k;
    }
    mo_matrix_facts *facts = &document->facts[k];
    facts->matrix = matrix;
    if (mo_h5_has(group, "comment") && !mo_h5_read_text(h, group, "comment", &facts->comment)) {
        return false;
    }
    return read_fact(h, group, "conditioning", &facts->conditioning) &&
           read_fact(h, group, "determinant", &facts->determinant) &&
           (!mo_h5_has(group, "rank") || mo_h5_read_int(h, group, "rank", &facts->rank));
}

bool mo_fclib_read_matrix(mo_h5 *h, const mo_h5_group *parent, const char *name,
                          const mo_fclib_shape *shape, mo_document *document, mo_sparse *matrix)
{
    mo_h5_group group;
    stored s = {0};
    *matrix = (mo_sparse){0};
    const bool good =
        mo_h5_enter(h, parent, name, &group) && read_stored(h, &group, &s) &&
        check_size(h, group.path, "rows (m)", s.m, shape->rows_of, shape->rows) &&
        check_size(h, group.path, "columns (n)", s.n, shape->columns_of, shape->columns) &&
        unpack(h, group.path, &s, matrix) && read_facts(h, &group, name[0], document);
    clear_stored(h, &s);
    mo_h5_leave(h, &group);
    return good;
}
