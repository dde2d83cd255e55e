/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * FCLIB files in slabs: each rank reads its range of every vector and matrix (the layout is in
 * io/fclib.h).
 *
 *   1. every rank reads the sizes
 *   2. each rank reads a range of the entries of M and H and sends them to the rank that builds
 *      their body or contact
 *   3. bodies with f, and contacts with w and mu, whose ranges are read directly, become pieces
 *      (pieces.h), which are distributed
 *
 * slab_reduced.c has the rows of W of reduced problems.  Duplicate entries are summed in the order
 * of the file, as in io/fclib_matrix.c.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "slab.h"

/* ---- sizes ---------------------------------------------------------------------------------- */

/* Is it a problem without joints? */
static bool open_top(mo_slabs *s)
{
    for (int k = 0; k < MO_FCLIB_KINDS; ++k) {
        s->kind = mo_fclib_kinds + k;
        if (mo_h5_has(&s->root, s->kind->group)) {
            return mo_h5_enter(&s->h, &s->root, s->kind->group, &s->top) &&
                   mo_h5_enter(&s->h, &s->top, "vectors", &s->vectors) &&
                   !mo_h5_has(&s->top, s->kind->is_global ? "G" : "V") &&
                   !mo_h5_has(&s->top, "R") &&
                   !mo_h5_has(&s->vectors, s->kind->is_global ? "b" : "s");
        }
    }
    return false;
}

static bool read_sizes(mo_slabs *s)
{
    const bool is_global = s->kind->is_global, is_rolling = s->kind->is_rolling;
    size_t mu, mu_r = 0;
    const bool good = mo_h5_read_int(&s->h, &s->top, "spacedim", &s->d) &&
                      mo_h5_count(&s->h, &s->vectors, is_global ? "w" : "q", &s->rows) &&
                      (!is_global || mo_h5_count(&s->h, &s->vectors, "f", &s->dofs)) &&
                      mo_h5_count(&s->h, &s->vectors, "mu", &mu) &&
                      (!is_rolling || mo_h5_count(&s->h, &s->vectors, "mu_r", &mu_r));
    if (!good || !(is_rolling ? s->d == 5 : s->d == 2 || s->d == 3)) {
        return false;
    }
    s->group = s->d == 2 ? 3 : 6;
    s->contacts = s->rows / (size_t)s->d;
    return (is_global ? s->dofs > 0 && s->dofs % (size_t)s->group == 0 : s->rows > 0) &&
           s->rows % (size_t)s->d == 0 && mu == s->contacts && (!is_rolling || mu_r == s->contacts);
}

/* ---- bodies --------------------------------------------------------------------------------- */

/* Only one half of M may be there: then the other is the same. */
static bool needs_other_half(const mo_slabs *s, const mo_slab_entries *M)
{
    int has[2] = {0, 0}; /* entries below, above */
    for (int k = 0; k < M->count; ++k) {
        has[0] |= M->at[k].row > M->at[k].column;
        has[1] |= M->at[k].row < M->at[k].column;
    }
    MPI_Allreduce(MPI_IN_PLACE, has, 2, MPI_INT, MPI_MAX, s->comm);
    return has[0] != has[1];
}

/* As in io/fclib_read.c: beyond rounding. */
static bool is_symmetric(const double *M, int n)
{
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < i; ++j) {
            const double size = sqrt(fabs(M[i * n + i] * M[j * n + j]));
            if (fabs(M[i * n + j] - M[j * n + i]) > 1e-12 * size) {
                return false;
            }
        }
    }
    return true;
}

static mo_error make_bodies(mo_slabs *s, const mo_slab_entries *M, bool mirrors)
{
    const size_t n = (size_t)s->group, length = 4 + n * n + n;
    const size_t count = (size_t)(s->bodies.last - s->bodies.first);
    double *f = malloc((count * n + 1) * sizeof *f);
    bool good =
        f && mo_h5_read_run(&s->h, &s->vectors, "f", (size_t)s->bodies.first * n, count * n, f);
    for (size_t b = 0; good && b < count; ++b) {
        double *piece = mo_piece_add(&s->pieces.bodies, length);
        good = piece != NULL;
        if (good) {
            memset(piece, 0, length * sizeof *piece);
            piece[0] = (double)(s->bodies.first + (int64_t)b);
            piece[1] = (double)n;
            piece[3] = piece[0] * (double)n;
            memcpy(piece + 4 + n * n, f + b * n, n * sizeof *f);
        }
    }
    for (size_t k = 0; good && k < count * n; ++k) {
        good = isfinite(f[k]);
    }
    for (int k = 0; good && k < M->count; ++k) {
        const int body = M->at[k].row / s->group, row = M->at[k].row % s->group,
                  column = M->at[k].column % s->group;
        double *piece = s->pieces.bodies.numbers + (size_t)(body - s->bodies.first) * length;
        piece[4 + row * s->group + column] += M->at[k].value;
        if (mirrors && row != column) {
            piece[4 + column * s->group + row] += M->at[k].value;
        }
    }
    for (size_t b = 0; good && b < count; ++b) {
        double *piece = s->pieces.bodies.numbers + b * length;
        piece[2] = is_symmetric(piece + 4, s->group);
    }
    free(f);
    return mo_slab_agree(s, good);
}

static mo_error read_bodies(mo_slabs *s)
{
    mo_slab_entries M = {0};
    bool good = mo_slab_read_matrix(s, "M", s->dofs, s->dofs, &M);
    for (int k = 0; good && k < M.count; ++k) { /* else a body is larger than a free one */
        good = M.at[k].row / s->group == M.at[k].column / s->group;
    }
    mo_error error = mo_slab_agree(s, good);
    const bool mirrors = !error && needs_other_half(s, &M);
    error = error ? error : mo_slab_send(s, &(mo_slab_homes){true, s->group, NULL, &s->bodies}, &M);
    error = error ? error : make_bodies(s, &M, mirrors);
    free(M.at);
    return error;
}

/* ---- contacts ------------------------------------------------------------------------------- */

/* One contact with the entries of its columns of H, which are sorted by body. */
static bool add_contact(mo_slabs *s, int64_t contact, const mo_slab_runs *r, const mo_slab_entry *e,
                        int count)
{
    const size_t own = (size_t)(contact - s->constraints.first), d = (size_t)s->d,
                 n = (size_t)s->group;
    const mo_law law = mo_slab_law(s, r, own);
    int blocks = 0;
    for (int k = 0; k < count; ++k) {
        blocks += k == 0 || e[k].body != e[k - 1].body;
    }
    const size_t values = (size_t)blocks * d * n;
    double *piece =
        mo_piece_add(&s->pieces.constraints, mo_piece_constraint_size(s->d, &law, blocks, values));
    if (!piece) {
        return false;
    }
    double *at =
        mo_piece_begin_constraint(piece, contact, s->d, contact * s->d, &law, r->w + own * d);
    *at++ = blocks;
    memset(at, 0, ((size_t)blocks * 2 + values) * sizeof *at);
    for (int k = 0; k < count; ++k) {
        at += k > 0 && e[k].body != e[k - 1].body ? 2 + d * n : 0;
        at[0] = e[k].body;
        at[1] = (double)n;
        at[2 + (size_t)(e[k].column % s->d) * n + (size_t)(e[k].row % s->group)] += e[k].value;
    }
    return true;
}

static mo_error make_contacts(mo_slabs *s, mo_slab_entries *H)
{
    mo_slab_runs r = {0};
    const size_t count = (size_t)(s->constraints.last - s->constraints.first);
    bool good = mo_slab_read_runs(s, (size_t)s->constraints.first, count, &r);
    for (int k = 0; k < H->count; ++k) {
        H->at[k].contact = H->at[k].column / s->d;
        H->at[k].body = H->at[k].row / s->group;
    }
    mo_slab_sort(H);
    int first = 0, last = 0;
    for (int64_t c = s->constraints.first; good && c < s->constraints.last; ++c, first = last) {
        while (last < H->count && H->at[last].contact == c) {
            ++last;
        }
        good = add_contact(s, c, &r, H->at + first, last - first);
    }
    free(r.w);
    return mo_slab_agree(s, good);
}

static mo_error read_contacts(mo_slabs *s)
{
    mo_slab_entries H = {0};
    mo_error error = mo_slab_agree(s, mo_slab_read_matrix(s, "H", s->dofs, s->rows, &H));
    error =
        error ? error : mo_slab_send(s, &(mo_slab_homes){false, s->d, NULL, &s->constraints}, &H);
    error = error ? error : make_contacts(s, &H);
    free(H.at);
    return error;
}

/* ---- the whole ------------------------------------------------------------------------------ */

static mo_error read_slabs(mo_slabs *s, mo_spread **spread, mo_message *why)
{
    mo_error error = mo_slab_agree(s, open_top(s) && read_sizes(s));
    if (error) {
        return error;
    }
    s->constraints = mo_home_of(s->comm, (int64_t)s->contacts);
    if (!s->kind->is_global) {
        return mo_slab_read_reduced(s, spread, why);
    }
    s->bodies = mo_home_of(s->comm, (int64_t)s->dofs / s->group);
    s->pieces.body_total = s->bodies.total;
    s->pieces.rows = (int64_t)s->rows;
    s->pieces.dofs = (int64_t)s->dofs;
    error = read_bodies(s);
    error = error ? error : read_contacts(s);
    return error ? error : mo_pieces_deal(s->comm, &s->pieces, spread, why);
}

mo_error mo_spread_read(MPI_Comm comm, const char *path, mo_spread **spread, mo_message *why)
{
    mo_slabs s = {.comm = comm, .allocator = mo_allocator_or_default(NULL)};
    mo_message own = {""};
    *spread = NULL;
    mo_error error = mo_slab_agree(&s, mo_h5_open(&s.h, path, &s.allocator, &own, &s.root));
    error = error ? error : read_slabs(&s, spread, why);
    mo_h5_leave(&s.h, &s.vectors);
    mo_h5_leave(&s.h, &s.top);
    mo_h5_leave(&s.h, &s.root);
    mo_h5_close(&s.h);
    mo_pieces_clear(&s.pieces);
    return error == MO_ERR_UNSUPPORTED
               ? mo_fail(why, error,
                         "%.300s: it cannot be read in slabs: it is damaged, or has joints, or is "
                         "a global problem with bodies that are not free",
                         path)
               : error;
}
