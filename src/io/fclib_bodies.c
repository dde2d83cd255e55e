/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Bodies from a mass matrix.  A file has M as one sparse matrix; a problem needs dense blocks of
 * consecutive velocities, one per body.
 *
 * M is divided as finely as its block structure allows.  If this fits into aligned groups of 6
 * velocities (3 in the plane) throughout, these groups are the bodies: a free body with diagonal M
 * is one body, not six.
 *
 * Limits: a mass matrix that couples very many velocities (a finite element mesh) becomes one dense
 * block.  It is refused beyond the size and sparsity defined below, since the memory would exceed
 * what the file justifies.
 */

#include "io/fclib.h"

/* A body may always have this many velocities; more, if one entry in so many is stored. */
enum { DENSE_ANYWAY = 4096, DENSE_RATIO = 128 };

/* ---- half a matrix --------------------------------------------------------------------------- */

static void count_triangles(const mo_sparse *M, int *below, int *above)
{
    *below = *above = 0;
    for (int j = 0; j < M->columns; ++j) {
        for (int e = M->start[j]; e < M->start[j + 1]; ++e) {
            *below += M->row[e] > j;
            *above += M->row[e] < j;
        }
    }
}

static bool fill_other_half(mo_h5 *h, mo_sparse *M)
{
    mo_entries entries;
    const bool good = mo_entries_make(&h->kept, 2 * (size_t)mo_sparse_count(M), &entries);
    for (int j = 0; good && j < M->columns; ++j) {
        for (int e = M->start[j]; e < M->start[j + 1]; ++e) {
            mo_entries_add(&entries, M->row[e], j, M->value[e]);
            mo_entries_add(&entries, j, M->row[e], M->row[e] == j ? 0 : M->value[e]);
        }
    }
    return (good && mo_sparse_build(&h->kept, M->rows, M->columns, &entries, M)) ||
           mo_h5_no_memory(h);
}

bool mo_fclib_complete_mass(mo_h5 *h, const char *place, mo_sparse *M, mo_document *document)
{
    int below, above;
    count_triangles(M, &below, &above);
    if ((below == 0) != (above == 0)) {
        return fill_other_half(h, M) &&
               mo_fclib_note(h, document, "%s held only its %s half; the other was filled in.",
                             place, below ? "lower" : "upper");
    }
    return true;
}

/* ---- bodies ---------------------------------------------------------------------------------- */

/* The finest cut: a boundary wherever no entry reaches across.  Uses `of` as scratch. */
static void cut_finest(const mo_sparse *M, mo_fclib_parts *bodies)
{
    int *reach = bodies->of; /* the last velocity tied to each one */
    for (int j = 0; j < M->columns; ++j) {
        reach[j] = j;
    }
    for (int j = 0; j < M->columns; ++j) {
        for (int e = M->start[j]; e < M->start[j + 1]; ++e) {
            const int i = M->row[e];
            const int low = i < j ? i : j, high = i < j ? j : i;
            reach[low] = high > reach[low] ? high : reach[low];
        }
    }
    int last = -1; /* the last velocity tied to one that was passed */
    bodies->count = 0;
    for (int j = 0; j < M->columns; ++j) {
        if (j > last) {
            bodies->start[bodies->count++] = j;
        }
        last = reach[j] > last ? reach[j] : last;
    }
    bodies->start[bodies->count] = M->columns;
}

static bool fits_groups(const mo_fclib_parts *bodies, int velocities, int group)
{
    bool fits = velocities % group == 0;
    for (int b = 0; fits && b < bodies->count; ++b) {
        fits = bodies->start[b] / group == (bodies->start[b + 1] - 1) / group;
    }
    return fits;
}

static bool check_density(mo_h5 *h, const char *place, const mo_sparse *M,
                          const mo_fclib_parts *bodies)
{
    for (int b = 0; b < bodies->count; ++b) {
        const int first = bodies->start[b], end = bodies->start[b + 1];
        const double n = end - first, stored = (double)M->start[end] - M->start[first];
        MO_FAIL_IF(
            n > DENSE_ANYWAY && n * n > DENSE_RATIO * stored,
            mo_h5_fail(h, MO_ERR_UNSUPPORTED,
                       "%s ties the velocities %d to %d into one body with %.0f entries; its dense "
                       "block of %.0f MiB is refused.  Renumber the velocities so that those tied "
                       "together are neighbours",
                       place, first, end - 1, stored, n * n * sizeof(double) / 0x1p20));
    }
    return true;
}

bool mo_fclib_find_bodies(mo_h5 *h, const char *place, const mo_sparse *M, int group,
                          mo_fclib_parts *bodies)
{
    const int velocities = M->columns;
    MO_PASS(mo_fclib_make_parts(h, velocities, 0, 0, bodies));
    cut_finest(M, bodies);
    if (fits_groups(bodies, velocities, group)) {
        return mo_fclib_make_parts(h, velocities, velocities / group, group, bodies);
    }
    mo_fclib_index_parts(bodies);
    return check_density(h, place, M, bodies);
}
