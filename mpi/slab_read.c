/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * FCLIB files in slabs: each rank reads its range of every vector and matrix (the layout is in
 * io/fclib.h).
 *
 *   1. every rank reads the sizes
 *   2. each rank reads a range of the entries of M, H and G; bodies and joints are cut out of these
 *      (slab_parts.c), and the entries are sent to the rank that builds their body or constraint
 *   3. bodies with f, contacts with w and mu, and joints with b, whose ranges are read directly,
 *      become pieces (pieces.h), which are distributed
 *
 * slab_reduced.c has the rows of W of reduced problems.  Duplicate entries are summed in the order
 * of the file, as in io/fclib_matrix.c.
 */
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "slab.h"

/* ---- sizes ---------------------------------------------------------------------------------- */

static bool open_top(mo_slabs *s)
{
    for (int k = 0; k < MO_FCLIB_KINDS; ++k) {
        s->kind = mo_fclib_kinds + k;
        if (mo_h5_has(&s->root, s->kind->group)) {
            return mo_h5_enter(&s->h, &s->root, s->kind->group, &s->top) &&
                   mo_h5_enter(&s->h, &s->top, "vectors", &s->vectors);
        }
    }
    return false;
}

/* Joints have all of their matrices and vectors, or none. */
static bool read_joint_rows(mo_slabs *s)
{
    const bool is_global = s->kind->is_global;
    const char *b = is_global ? "b" : "s";
    const bool has_any = mo_h5_has(&s->vectors, b) || mo_h5_has(&s->top, is_global ? "G" : "V") ||
                         (!is_global && mo_h5_has(&s->top, "R"));
    return !has_any || mo_h5_count(&s->h, &s->vectors, b, &s->joint_rows);
}

static bool read_sizes(mo_slabs *s)
{
    const bool is_global = s->kind->is_global, is_rolling = s->kind->is_rolling;
    size_t mu, mu_r = 0;
    const bool good = mo_h5_read_int(&s->h, &s->top, "spacedim", &s->d) &&
                      mo_h5_count(&s->h, &s->vectors, is_global ? "w" : "q", &s->rows) &&
                      (!is_global || mo_h5_count(&s->h, &s->vectors, "f", &s->dofs)) &&
                      mo_h5_count(&s->h, &s->vectors, "mu", &mu) &&
                      (!is_rolling || mo_h5_count(&s->h, &s->vectors, "mu_r", &mu_r)) &&
                      read_joint_rows(s);
    if (!good || !(is_rolling ? s->d == 5 : s->d == 2 || s->d == 3)) return false;
    s->contacts = s->rows / (size_t)s->d;
    return (is_global ? s->dofs > 0 : s->rows + s->joint_rows > 0) && s->dofs <= INT_MAX &&
           s->rows <= INT_MAX && s->joint_rows <= INT_MAX - s->rows &&
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
            if (fabs(M[i * n + j] - M[j * n + i]) > 1e-12 * size) return false;
        }
    }
    return true;
}

/* Room for the bodies at home, with f and without M. */
static bool begin_bodies(mo_slabs *s)
{
    const int first = (int)s->body_home.first, last = (int)s->body_home.last;
    const int dof = mo_slab_part_first(&s->bodies, first);
    const size_t dofs = (size_t)(mo_slab_part_first(&s->bodies, last) - dof);
    double *f = malloc((dofs + 1) * sizeof *f);
    bool good = f && mo_h5_read_run(&s->h, &s->vectors, "f", (size_t)dof, dofs, f);
    for (size_t k = 0; good && k < dofs; ++k)
        good = isfinite(f[k]);
    for (int b = first; good && b < last; ++b) {
        const int start = mo_slab_part_first(&s->bodies, b);
        const size_t n = (size_t)(mo_slab_part_first(&s->bodies, b + 1) - start),
                     length = MO_PIECE_BODY + n * n + n;
        double *piece = mo_piece_add(&s->pieces.bodies, length);
        good = piece != NULL;
        if (good) {
            const double head[MO_PIECE_BODY] = {b, (double)n, 0, start};
            memset(piece, 0, length * sizeof *piece);
            memcpy(piece, head, sizeof head);
            memcpy(piece + MO_PIECE_BODY + n * n, f + (start - dof), n * sizeof *f);
        }
    }
    free(f);
    return good;
}

static mo_error make_bodies(mo_slabs *s, const mo_slab_entries *M, bool mirrors)
{
    const mo_piece_list *list = &s->pieces.bodies;
    const bool good = begin_bodies(s);
    for (int k = 0; good && k < M->count; ++k) {
        double *piece = list->numbers + list->start[M->at[k].body - s->body_home.first];
        const int n = (int)piece[1], start = (int)piece[3], row = M->at[k].row - start,
                  column = M->at[k].column - start;
        piece[MO_PIECE_BODY + row * n + column] += M->at[k].value;
        if (mirrors && row != column) piece[MO_PIECE_BODY + column * n + row] += M->at[k].value;
    }
    for (int b = 0; good && b < list->count; ++b) {
        double *piece = list->numbers + list->start[b];
        piece[2] = is_symmetric(piece + MO_PIECE_BODY, (int)piece[1]);
    }
    return mo_slab_agree(s, good);
}

static mo_error read_bodies(mo_slabs *s)
{
    mo_slab_entries M = {0};
    mo_error error = mo_slab_agree(s, mo_slab_read_matrix(s, "M", s->dofs, s->dofs, &M));
    error = error ? error : mo_slab_cut_bodies(s, &M, s->d == 2 ? 3 : 6);
    const bool mirrors = !error && needs_other_half(s, &M);
    s->body_home = mo_home_of(s->comm, s->bodies.count);
    for (int k = 0; !error && k < M.count; ++k)
        M.at[k].body = mo_slab_part_of(&s->bodies, M.at[k].row);
    error = error ? error : mo_slab_send(s, &(mo_slab_homes){true, NULL, &s->body_home}, &M);
    error = error ? error : make_bodies(s, &M, mirrors);
    free(M.at);
    return error;
}

/* ---- constraints ---------------------------------------------------------------------------- */

/* A contact, or a joint: its number and first row among all, its size, law and w. */
typedef struct constraint {
    int64_t number, row;
    int d;
    mo_law law;
    const double *w;
} constraint;

/* With the entries of its columns of H or G, of which the first one is `column`; sorted by body. */
static bool add_constraint(mo_slabs *s, const constraint *c, int column, const mo_slab_entry *e,
                           int count)
{
    int blocks = 0;
    size_t values = 0;
    for (int k = 0; k < count; ++k) {
        if (k == 0 || e[k].body != e[k - 1].body) {
            ++blocks;
            values += (size_t)c->d * (size_t)(mo_slab_part_first(&s->bodies, e[k].body + 1) -
                                              mo_slab_part_first(&s->bodies, e[k].body));
        }
    }
    double *piece = mo_piece_add(&s->pieces.constraints,
                                 mo_piece_constraint_size(c->d, &c->law, blocks, values));
    if (!piece) return false;
    double *at = mo_piece_begin_constraint(piece, c->number, c->d, c->row, &c->law, c->w), *next;
    *at++ = blocks;
    memset(at, 0, ((size_t)blocks * MO_PIECE_BLOCK + values) * sizeof *at);
    next = at;
    for (int k = 0; k < count; ++k) {
        const int first = mo_slab_part_first(&s->bodies, e[k].body);
        if (k == 0 || e[k].body != e[k - 1].body) {
            at = next;
            at[0] = e[k].body;
            at[1] = mo_slab_part_first(&s->bodies, e[k].body + 1) - first;
            next = at + MO_PIECE_BLOCK + c->d * (int)at[1];
        }
        at[MO_PIECE_BLOCK + (e[k].column - column) * (int)at[1] + (e[k].row - first)] += e[k].value;
    }
    return true;
}

/* The entries of a constraint, which are sorted: from *first on; returns where they end. */
static int end_of(const mo_slab_entries *entries, int first, int contact)
{
    while (first < entries->count && entries->at[first].contact == contact)
        ++first;
    return first;
}

/* b of a run of joints, as w. */
static bool read_joint_run(mo_slabs *s, size_t first, size_t rows, mo_slab_runs *r)
{
    r->w = malloc((rows + 1) * sizeof *r->w);
    bool good = r->w && mo_h5_read_run(&s->h, &s->vectors, "b", first, rows, r->w);
    for (size_t k = 0; good && k < rows; ++k)
        good = isfinite(r->w[k]);
    return good;
}

/* Joints come after the contacts. */
static bool make_constraints(mo_slabs *s, const mo_slab_parts *parts, bool are_joints,
                             const mo_home *home, const mo_slab_entries *entries)
{
    const int first = (int)home->first, last = (int)home->last,
              row = mo_slab_part_first(parts, first);
    const size_t rows = (size_t)(mo_slab_part_first(parts, last) - row);
    mo_slab_runs r = {0};
    bool good = are_joints ? read_joint_run(s, (size_t)row, rows, &r)
                           : mo_slab_read_runs(s, (size_t)first, (size_t)(last - first), &r);
    for (int c = first, at = 0, end; good && c < last; ++c, at = end) {
        const int start = mo_slab_part_first(parts, c);
        const constraint own = {.number = c + (are_joints ? (int64_t)s->contacts : 0),
                                .row = start + (are_joints ? (int64_t)s->rows : 0),
                                .d = mo_slab_part_first(parts, c + 1) - start,
                                .law = are_joints ? mo_law_bilateral()
                                                  : mo_slab_law(s, &r, (size_t)(c - first)),
                                .w = r.w + (start - row)};
        end = end_of(entries, at, c);
        good = add_constraint(s, &own, start, entries->at + at, end - at);
    }
    free(r.w);
    return good;
}

static mo_error read_constraints(mo_slabs *s, bool are_joints)
{
    const mo_slab_parts contacts = {.count = (int)s->contacts, .width = s->d},
                        *parts = are_joints ? &s->joints : &contacts;
    mo_slab_entries entries = {0};
    mo_error error =
        mo_slab_agree(s, mo_slab_read_matrix(s, are_joints ? "G" : "H", s->dofs,
                                             are_joints ? s->joint_rows : s->rows, &entries));
    error = error || !are_joints ? error : mo_slab_cut_joints(s, &entries, &s->bodies);
    const mo_home home = mo_home_of(s->comm, parts->count);
    for (int k = 0; !error && k < entries.count; ++k) {
        entries.at[k].contact = mo_slab_part_of(parts, entries.at[k].column);
        entries.at[k].body = mo_slab_part_of(&s->bodies, entries.at[k].row);
    }
    error = error ? error : mo_slab_send(s, &(mo_slab_homes){false, NULL, &home}, &entries);
    mo_slab_sort(&entries);
    error =
        error ? error : mo_slab_agree(s, make_constraints(s, parts, are_joints, &home, &entries));
    free(entries.at);
    return error;
}

/* ---- the whole ------------------------------------------------------------------------------ */

static mo_error read_global(mo_slabs *s, mo_spread **spread, mo_message *why)
{
    mo_error error = read_bodies(s);
    error = error ? error : read_constraints(s, false);
    error = error || !s->joint_rows ? error : read_constraints(s, true);
    s->pieces.body_total = s->bodies.count;
    s->pieces.rows = (int64_t)(s->rows + s->joint_rows);
    s->pieces.dofs = (int64_t)s->dofs;
    return error ? error : mo_pieces_deal(s->comm, &s->pieces, spread, why);
}

static mo_error read_slabs(mo_slabs *s, mo_spread **spread, mo_message *why)
{
    mo_error error = mo_slab_agree(s, open_top(s) && read_sizes(s));
    if (error) return error;
    s->contact_home = mo_home_of(s->comm, (int64_t)s->contacts);
    error = s->kind->is_global ? read_global(s, spread, why) : mo_slab_read_reduced(s, spread, why);
    if (!error) (*spread)->joint_rows = (int64_t)s->joint_rows;
    return error;
}

mo_error mo_spread_read(MPI_Comm comm, const char *path, mo_spread **spread, mo_message *why)
{
    mo_slabs s = {.comm = comm, .allocator = mo_allocator_or_default(NULL)};
    mo_message own = {""};
    *spread = NULL;
    MO_TRY(mo_mpi_check_source(comm, path, why));
    mo_error error = mo_slab_agree(&s, mo_h5_open(&s.h, path, &s.allocator, &own, &s.root));
    error = error ? error : read_slabs(&s, spread, why);
    mo_h5_leave(&s.h, &s.vectors);
    mo_h5_leave(&s.h, &s.top);
    mo_h5_leave(&s.h, &s.root);
    mo_h5_close(&s.h);
    mo_pieces_clear(&s.pieces);
    free(s.bodies.start);
    free(s.joints.start);
    return error == MO_ERR_UNSUPPORTED
               ? mo_fail(why, error,
                         "%.300s: it cannot be read in slabs: it is damaged, or has a body with "
                         "very many velocities",
                         path)
               : error;
}
