/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * FCLIB files in slabs: each rank reads its range of every vector and matrix, with the serial HDF5
 * library (the layout is in io/fclib.h).
 *
 *   1. every rank reads the sizes
 *   2. each rank reads a range of the entries of M and H and sends them to the rank that builds
 *      their body or contact
 *   3. bodies with f, and contacts with w and mu, whose ranges are read directly, become pieces
 *      (pieces.h), which are distributed
 *
 * Duplicate entries are summed in the order of the file, as in io/fclib_matrix.c.
 */
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "io/fclib.h"
#include "mail.h"
#include "partition.h"
#include "pieces.h"

typedef struct entry {
    int32_t row, column;
    double value;
    int64_t order; /* in which it came */
    int32_t contact, body;
} entry;

typedef struct entries {
    entry *at;
    int count;
} entries;

typedef struct slabs {
    MPI_Comm comm;
    mo_allocator allocator;
    mo_h5 h;
    mo_h5_group root, top, vectors;
    int d, group, is_rolling; /* rows of a contact, velocities of a body */
    size_t rows, dofs, contacts;
    mo_home bodies, constraints; /* runs of both */
    mo_pieces pieces;
} slabs;

/* ---- sizes ---------------------------------------------------------------------------------- */

/* Is it a global problem without joints? */
static bool open_top(slabs *s)
{
    const char *const names[] = {"fclib_global", "fclib_global_rolling"};
    for (int k = 0; k < 2; ++k) {
        if (mo_h5_has(&s->root, names[k])) {
            s->is_rolling = k;
            return mo_h5_enter(&s->h, &s->root, names[k], &s->top) &&
                   mo_h5_enter(&s->h, &s->top, "vectors", &s->vectors) &&
                   !mo_h5_has(&s->top, "G") && !mo_h5_has(&s->vectors, "b");
        }
    }
    return false;
}

static bool read_sizes(slabs *s)
{
    size_t mu, mu_r = 0;
    const bool good = mo_h5_read_int(&s->h, &s->top, "spacedim", &s->d) &&
                      mo_h5_count(&s->h, &s->vectors, "w", &s->rows) &&
                      mo_h5_count(&s->h, &s->vectors, "f", &s->dofs) &&
                      mo_h5_count(&s->h, &s->vectors, "mu", &mu) &&
                      (!s->is_rolling || mo_h5_count(&s->h, &s->vectors, "mu_r", &mu_r));
    if (!good || !(s->is_rolling ? s->d == 5 : s->d == 2 || s->d == 3)) {
        return false;
    }
    s->group = s->d == 2 ? 3 : 6;
    s->contacts = s->rows / (size_t)s->d;
    return s->dofs > 0 && s->rows % (size_t)s->d == 0 && s->dofs % (size_t)s->group == 0 &&
           mu == s->contacts && (!s->is_rolling || mu_r == s->contacts);
}

/* ---- matrices ------------------------------------------------------------------------------- */

typedef struct matrix {
    int m, n, nz;
    size_t i_count, first, count; /* entries of this rank's run */
    int64_t *p, *i;
    double *x;
} matrix;

static size_t part_of(const slabs *s, size_t total, int more)
{
    return (size_t)((int64_t)total * (s->bodies.rank + more) / s->bodies.size);
}

/* The lines (columns or rows) of a compressed matrix that are this rank's, and their entries. */
static bool read_lines(slabs *s, const mo_h5_group *g, matrix *a, int lines, size_t *line,
                       size_t *line_count)
{
    size_t p_count;
    *line = part_of(s, (size_t)lines, 0);
    *line_count = part_of(s, (size_t)lines, 1) - *line;
    a->p = malloc((*line_count + 2) * sizeof *a->p);
    if (!a->p || !mo_h5_count(&s->h, g, "p", &p_count) || p_count != (size_t)lines + 1 ||
        !mo_h5_read_int_run(&s->h, g, "p", *line, *line_count + 1, a->p)) {
        return false;
    }
    bool good = a->p[0] >= 0 && (*line > 0 || a->p[0] == 0);
    for (size_t k = 0; k < *line_count; ++k) {
        good = good && a->p[k + 1] >= a->p[k];
    }
    a->first = good ? (size_t)a->p[0] : 0;
    a->count = good ? (size_t)(a->p[*line_count] - a->p[0]) : 0;
    return good;
}

static bool read_triplets(slabs *s, const mo_h5_group *g, matrix *a)
{
    a->first = part_of(s, (size_t)a->nz, 0);
    a->count = part_of(s, (size_t)a->nz, 1) - a->first;
    a->p = malloc((a->count + 1) * sizeof *a->p);
    return a->p && mo_h5_read_int_run(&s->h, g, "p", a->first, a->count, a->p);
}

/* Rows and columns of the entries; false if one is outside the matrix. */
static bool expand(const matrix *a, size_t line, size_t line_count, entries *out)
{
    out->at = malloc((a->count + 1) * sizeof *out->at);
    out->count = (int)a->count;
    if (!out->at) {
        return false;
    }
    for (size_t k = 0; a->nz < 0 && k < line_count; ++k) {
        for (int64_t e = a->p[k]; e < a->p[k + 1]; ++e) {
            const size_t at = (size_t)(e - a->p[0]);
            const int32_t own = (int32_t)(line + k), other = (int32_t)a->i[at];
            out->at[at] = a->nz == -1 ? (entry){.row = other, .column = own}
                                      : (entry){.row = own, .column = other};
        }
    }
    bool good = true;
    for (size_t k = 0; k < a->count; ++k) {
        if (a->nz >= 0) {
            out->at[k] = (entry){.row = (int32_t)a->i[k], .column = (int32_t)a->p[k]};
            good = good && a->p[k] >= 0 && a->p[k] < a->n;
        }
        out->at[k].value = a->x[k];
        good = good && out->at[k].row >= 0 && out->at[k].row < a->m && out->at[k].column >= 0 &&
               out->at[k].column < a->n && a->i[k] >= 0 && a->i[k] < INT_MAX && isfinite(a->x[k]);
    }
    return good;
}

static bool read_entries(slabs *s, const mo_h5_group *g, matrix *a, entries *out)
{
    size_t line = 0, line_count = 0, x_count;
    int nzmax;
    if (!mo_h5_read_int(&s->h, g, "m", &a->m) || !mo_h5_read_int(&s->h, g, "n", &a->n) ||
        !mo_h5_read_int(&s->h, g, "nz", &a->nz) || !mo_h5_read_int(&s->h, g, "nzmax", &nzmax) ||
        !mo_h5_count(&s->h, g, "i", &a->i_count) || !mo_h5_count(&s->h, g, "x", &x_count) ||
        a->m < 0 || a->n < 0 || a->nz < -2 || a->i_count != x_count) {
        return false;
    }
    if (!(a->nz >= 0 ? read_triplets(s, g, a)
                     : read_lines(s, g, a, a->nz == -1 ? a->n : a->m, &line, &line_count)) ||
        a->count > INT_MAX || a->first + a->count > x_count) {
        return false;
    }
    a->i = malloc((a->count + 1) * sizeof *a->i);
    a->x = malloc((a->count + 1) * sizeof *a->x);
    return a->i && a->x && mo_h5_read_int_run(&s->h, g, "i", a->first, a->count, a->i) &&
           mo_h5_read_run(&s->h, g, "x", a->first, a->count, a->x) &&
           expand(a, line, line_count, out);
}

static bool read_matrix(slabs *s, const char *name, size_t rows, size_t columns, entries *out)
{
    mo_h5_group g;
    matrix a = {0};
    bool good = mo_h5_enter(&s->h, &s->top, name, &g) && read_entries(s, &g, &a, out) &&
                (size_t)a.m == rows && (size_t)a.n == columns;
    mo_h5_leave(&s->h, &g);
    free(a.p);
    free(a.i);
    free(a.x);
    return good;
}

/* ---- to the ranks that make bodies and contacts of them ------------------------------------- */

static mo_error agree(const slabs *s, bool is_good)
{
    return mo_mpi_agree(s->comm, is_good ? MO_OK : MO_ERR_UNSUPPORTED, NULL);
}

/* By body (rows of M) or by contact (columns of H). */
static mo_error send_entries(slabs *s, const mo_home *home, bool by_row, int width, entries *own)
{
    int *rank_of = malloc(((size_t)own->count + 1) * sizeof *rank_of);
    void *in = NULL;
    int count = 0;
    mo_error error = mo_mpi_agree(s->comm, rank_of ? MO_OK : MO_ERR_MEMORY, NULL);
    for (int k = 0; !error && k < own->count; ++k) {
        const int32_t index = by_row ? own->at[k].row : own->at[k].column;
        rank_of[k] = mo_home_rank(home, (uint32_t)(index / width));
    }
    error = error ? error
                  : mo_mail_to(s->comm, sizeof *own->at, own->count, rank_of, own->at, &in, &count,
                               NULL);
    free(rank_of);
    free(own->at);
    *own = (entries){in, error ? 0 : count};
    for (int k = 0; k < own->count; ++k) {
        own->at[k].order = k;
    }
    return error;
}

/* ---- bodies --------------------------------------------------------------------------------- */

/* Only one half of M may be there: then the other is the same. */
static bool needs_other_half(const slabs *s, const entries *M)
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

static mo_error make_bodies(slabs *s, const entries *M, bool mirrors)
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
    return agree(s, good);
}

static mo_error read_bodies(slabs *s)
{
    entries M = {0};
    bool good = read_matrix(s, "M", s->dofs, s->dofs, &M);
    for (int k = 0; good && k < M.count; ++k) { /* else a body is larger than a free one */
        good = M.at[k].row / s->group == M.at[k].column / s->group;
    }
    mo_error error = agree(s, good);
    const bool mirrors = !error && needs_other_half(s, &M);
    error = error ? error : send_entries(s, &s->bodies, true, s->group, &M);
    error = error ? error : make_bodies(s, &M, mirrors);
    free(M.at);
    return error;
}

/* ---- contacts ------------------------------------------------------------------------------- */

typedef struct runs {
    double *w, *mu, *mu_r;
} runs;

static bool read_runs(slabs *s, runs *r)
{
    const size_t first = (size_t)s->constraints.first,
                 count = (size_t)(s->constraints.last - s->constraints.first), d = (size_t)s->d;
    r->w = malloc((count * (d + 2) + 1) * sizeof *r->w);
    if (!r->w) {
        return false;
    }
    r->mu = r->w + count * d;
    r->mu_r = r->mu + count;
    bool good =
        mo_h5_read_run(&s->h, &s->vectors, "w", first * d, count * d, r->w) &&
        mo_h5_read_run(&s->h, &s->vectors, "mu", first, count, r->mu) &&
        (!s->is_rolling || mo_h5_read_run(&s->h, &s->vectors, "mu_r", first, count, r->mu_r));
    for (size_t k = 0; good && k < count * d; ++k) {
        good = isfinite(r->w[k]);
    }
    for (size_t k = 0; good && k < count; ++k) {
        good = r->mu[k] >= 0 && (!s->is_rolling || r->mu_r[k] >= 0);
    }
    return good;
}

static int by_contact(const void *a, const void *b)
{
    const entry *x = a, *y = b;
    return x->contact != y->contact ? (x->contact > y->contact) - (x->contact < y->contact)
           : x->body != y->body     ? (x->body > y->body) - (x->body < y->body)
                                    : (x->order > y->order) - (x->order < y->order);
}

/* One contact with the entries of its columns of H, which are sorted by body. */
static bool add_contact(slabs *s, int64_t contact, const runs *r, const entry *e, int count)
{
    const size_t own = (size_t)(contact - s->constraints.first), d = (size_t)s->d,
                 n = (size_t)s->group;
    const mo_law law =
        s->is_rolling ? mo_law_rolling(r->mu[own], r->mu_r[own]) : mo_law_coulomb(r->mu[own]);
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

static mo_error make_contacts(slabs *s, entries *H)
{
    runs r = {0};
    bool good = read_runs(s, &r);
    for (int k = 0; k < H->count; ++k) {
        H->at[k].contact = H->at[k].column / s->d;
        H->at[k].body = H->at[k].row / s->group;
    }
    if (H->count) {
        qsort(H->at, (size_t)H->count, sizeof *H->at, by_contact);
    }
    int first = 0, last = 0;
    for (int64_t c = s->constraints.first; good && c < s->constraints.last; ++c, first = last) {
        while (last < H->count && H->at[last].contact == c) {
            ++last;
        }
        good = add_contact(s, c, &r, H->at + first, last - first);
    }
    free(r.w);
    return agree(s, good);
}

static mo_error read_contacts(slabs *s)
{
    entries H = {0};
    mo_error error = agree(s, read_matrix(s, "H", s->dofs, s->rows, &H));
    error = error ? error : send_entries(s, &s->constraints, false, s->d, &H);
    error = error ? error : make_contacts(s, &H);
    free(H.at);
    return error;
}

/* ---- the whole ------------------------------------------------------------------------------ */

static mo_error read_slabs(slabs *s, mo_spread **spread, mo_message *why)
{
    mo_error error = agree(s, open_top(s) && read_sizes(s));
    if (error) {
        return error;
    }
    s->bodies = mo_home_of(s->comm, (int64_t)s->dofs / s->group);
    s->constraints = mo_home_of(s->comm, (int64_t)s->contacts);
    s->pieces.body_total = s->bodies.total;
    s->pieces.rows = (int64_t)s->rows;
    s->pieces.dofs = (int64_t)s->dofs;
    error = read_bodies(s);
    error = error ? error : read_contacts(s);
    return error ? error : mo_pieces_deal(s->comm, &s->pieces, spread, why);
}

mo_error mo_spread_read(MPI_Comm comm, const char *path, mo_spread **spread, mo_message *why)
{
    slabs s = {.comm = comm, .allocator = mo_allocator_or_default(NULL)};
    mo_message own = {""};
    *spread = NULL;
    mo_error error = agree(&s, mo_h5_open(&s.h, path, &s.allocator, &own, &s.root));
    error = error ? error : read_slabs(&s, spread, why);
    mo_h5_leave(&s.h, &s.vectors);
    mo_h5_leave(&s.h, &s.top);
    mo_h5_leave(&s.h, &s.root);
    mo_h5_close(&s.h);
    mo_pieces_clear(&s.pieces);
    return error == MO_ERR_UNSUPPORTED
               ? mo_fail(why, error,
                         "%.300s: it cannot be read in slabs: it is damaged, or not a "
                         "global problem of free bodies without joints",
                         path)
               : error;
}
