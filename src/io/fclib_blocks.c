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
    for (int k = 0; k <= count; ++k) {
        parts->start[k] = k * size;
    }
    mo_fclib_index_parts(parts);
    return true;
}

void mo_fclib_index_parts(mo_fclib_parts *parts)
{
    for (int k = 0; k < parts->count; ++k) {
        for (int row = parts->start[k]; row < parts->start[k + 1]; ++row) {
            parts->of[row] = k;
        }
    }
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
    if (used) {
        memset(s->values, 0, used * sizeof *s->values);
    }
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
        if (blocks->are_couplings) {
            mo_builder_add_coupling(builder, c, part, d, n, block);
        } else {
            mo_builder_add_jacobian(builder, c, part, d, n, block);
        }
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
        if (good) {
            fill_and_add(blocks, c, &s, builder);
        }
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
