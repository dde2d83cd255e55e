/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * From a sparse matrix to the dense blocks of a problem.
 *
 * The columns of A are cut into constraints, its rows into bodies (or, in a local problem, where
 * A is the transpose of [W V; V' R], into constraints again).  Each pair that shares an entry
 * becomes one dense block, transposed: d x n row-major, as the builder takes it.
 */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "io/fclib.h"

/* Maximum number of values in dense blocks; more if at least one in DENSE_RATIO is stored. */
static const double DENSE_ANYWAY = 0x1p24; /* 128 MiB */
static const double DENSE_RATIO = 256;

/* Scratch for the blocks of one constraint. */
typedef struct scratch {
    int *touched; /* parts that share an entry with it */
    int *slot;    /* of a touched part: start of its block */
    int *stamp;   /* of a part: 1 + the last constraint that touched it */
    int touched_count;
    double *values;
    size_t room;
    double total; /* values of all blocks so far */
} scratch;

/* ---- parts ----------------------------------------------------------------------------------- */

bool mo_fclib_make_parts(mo_h5 *h, int rows, int count, int size, mo_fclib_parts *parts)
{
    parts->count = count;
    parts->start = mo_h5_take(h, (size_t)rows + 1, sizeof *parts->start);
    parts->of = mo_h5_take(h, (size_t)rows, sizeof *parts->of);
    MO_PASS(parts->start && parts->of);
    for (int k = 0; k <= count; ++k)
        parts->start[k] = k * size;
    mo_fclib_index_parts(parts);
    return true;
}

void mo_fclib_index_parts(mo_fclib_parts *parts)
{
    for (int k = 0; k < parts->count; ++k)
        for (int row = parts->start[k]; row < parts->start[k + 1]; ++row)
            parts->of[row] = k;
}

/* ---- blocks ---------------------------------------------------------------------------------- */

/* The parts that constraint c touches, in order. */
static void collect(const mo_fclib_blocks *blocks, int c, scratch *s)
{
    const mo_sparse *A = &blocks->A;
    const int first = blocks->constraints.start[c], end = blocks->constraints.start[c + 1];
    s->touched_count = 0;
    for (int e = A->start[first]; e < A->start[end]; ++e) {
        const int part = blocks->across->of[A->row[e]];
        if (s->stamp[part] != c + 1) {
            s->stamp[part] = c + 1;
            s->touched[s->touched_count++] = part;
        }
    }
    qsort(s->touched, (size_t)s->touched_count, sizeof *s->touched, mo_compare_ints);
}

/* Places the blocks consecutively, and clears them. */
static bool place_blocks(mo_h5 *h, const char *place, const mo_fclib_blocks *blocks, int c,
                         scratch *s)
{
    const mo_fclib_parts *across = blocks->across;
    const size_t d = (size_t)(blocks->constraints.start[c + 1] - blocks->constraints.start[c]);
    size_t used = 0;
    for (int k = 0; k < s->touched_count; ++k) {
        const int part = s->touched[k];
        s->slot[part] = (int)used; /* parts have at most INT_MAX rows in all, and d is small */
        used += (size_t)(across->start[part + 1] - across->start[part]);
    }
    used *= d;
    s->total += (double)used;
    const double stored = mo_sparse_count(&blocks->A);
    MO_FAIL_IF(
        s->total > DENSE_ANYWAY && s->total > DENSE_RATIO * stored,
        mo_h5_fail(h, MO_ERR_UNSUPPORTED,
                   "the %.0f entries of %s would take %.0f MiB and more as dense blocks, because "
                   "bodies with very many velocities are touched by many constraints",
                   stored, place, s->total * sizeof(double) / 0x1p20));
    MO_FAIL_IF(!MO_GROW(h->allocator, s->values, s->room, used), mo_h5_no_memory(h));
    if (used) memset(s->values, 0, used * sizeof *s->values);
    return true;
}

static void fill_and_add(const mo_fclib_blocks *blocks, int c, scratch *s, mo_builder *builder)
{
    const mo_sparse *A = &blocks->A;
    const mo_fclib_parts *across = blocks->across;
    const int first = blocks->constraints.start[c];
    const int d = blocks->constraints.start[c + 1] - first;
    for (int k = 0; k < d; ++k) {
        for (int e = A->start[first + k]; e < A->start[first + k + 1]; ++e) {
            const int part = across->of[A->row[e]];
            const size_t n = (size_t)(across->start[part + 1] - across->start[part]);
            const size_t inside = (size_t)(A->row[e] - across->start[part]);
            s->values[(size_t)s->slot[part] * (size_t)d + (size_t)k * n + inside] = A->value[e];
        }
    }
    for (int t = 0; t < s->touched_count; ++t) {
        const int part = s->touched[t];
        const int n = across->start[part + 1] - across->start[part];
        const double *block = s->values + (size_t)s->slot[part] * (size_t)d;
        if (blocks->are_couplings)
            mo_builder_add_coupling(builder, c, part, d, n, block);
        else
            mo_builder_add_jacobian(builder, c, part, d, n, block);
    }
}

bool mo_fclib_add_blocks(mo_h5 *h, const char *place, const mo_fclib_blocks *blocks,
                         mo_builder *builder)
{
    const size_t parts = (size_t)blocks->across->count;
    scratch s = {.touched = mo_h5_take(h, parts, sizeof(int)),
                 .slot = mo_h5_take(h, parts, sizeof(int)),
                 .stamp = mo_h5_take(h, parts, sizeof(int))};
    bool good = s.touched && s.slot && s.stamp;
    for (int c = 0; good && c < blocks->constraints.count; ++c) {
        collect(blocks, c, &s);
        good = place_blocks(h, place, blocks, c, &s);
        if (good) fill_and_add(blocks, c, &s, builder);
    }
    /* Without couplings the builder would take a problem for a global one: W may be all zero. */
    if (good && blocks->are_couplings && blocks->constraints.count > 0 &&
        mo_sparse_count(&blocks->A) == 0) {
        const double zero[MO_FCLIB_JOINT_ROWS * MO_FCLIB_JOINT_ROWS] = {0};
        const int d = blocks->constraints.start[1];
        mo_builder_add_coupling(builder, 0, 0, d, d, zero);
    }
    mo_memory_free(h->allocator, s.values);
    return good;
}

/* ---- bodies ---------------------------------------------------------------------------------- */

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

/* A body may always have this many velocities; more, if one entry in so many is stored. */
enum { LARGE_BODY = 4096, BODY_RATIO = 128 };

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

/* The finest cut: a boundary wherever no entry reaches across.  Uses `of` as scratch. */
static void cut_finest(const mo_sparse *M, mo_fclib_parts *bodies)
{
    int *reach = bodies->of; /* the last velocity tied to each one */
    for (int j = 0; j < M->columns; ++j)
        reach[j] = j;
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
        if (j > last) bodies->start[bodies->count++] = j;
        last = reach[j] > last ? reach[j] : last;
    }
    bodies->start[bodies->count] = M->columns;
}

static bool fits_groups(const mo_fclib_parts *bodies, int velocities, int group)
{
    bool fits = velocities % group == 0;
    for (int b = 0; fits && b < bodies->count; ++b)
        fits = bodies->start[b] / group == (bodies->start[b + 1] - 1) / group;
    return fits;
}

static bool check_density(mo_h5 *h, const char *place, const mo_sparse *M,
                          const mo_fclib_parts *bodies)
{
    for (int b = 0; b < bodies->count; ++b) {
        const int first = bodies->start[b], end = bodies->start[b + 1];
        const double n = end - first, stored = (double)M->start[end] - M->start[first];
        MO_FAIL_IF(
            n > LARGE_BODY && n * n > BODY_RATIO * stored,
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
    if (fits_groups(bodies, velocities, group))
        return mo_fclib_make_parts(h, velocities, velocities / group, group, bodies);
    mo_fclib_index_parts(bodies);
    return check_density(h, place, M, bodies);
}
