/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Velocities cut into bodies, and rows of joints into constraints, as the reader of one process
 * does it (io/fclib_bodies.c, io/fclib_read.c), from matrices of which each rank has a part.
 *
 * Each velocity, or row of a joint, has a home, which decides whether a part begins there.  All
 * ranks then have these flags, a byte each, and make the same list of parts of them.
 */
#include <stdlib.h>
#include <string.h>

#include "mail.h"
#include "slab.h"

enum { MOST_VELOCITIES = 4096 }; /* of a body, whose M is dense: others are left to one process */

/* ---- parts ---------------------------------------------------------------------------------- */

int mo_slab_part_of(const mo_slab_parts *parts, int row)
{
    if (!parts->start) return row / parts->width;
    int low = 0, high = parts->count;
    while (high - low > 1) {
        const int middle = low + (high - low) / 2;
        *(parts->start[middle] <= row ? &low : &high) = middle;
    }
    return low;
}

int mo_slab_part_first(const mo_slab_parts *parts, int k)
{
    return parts->start ? parts->start[k] : k * parts->width;
}

/* The flags of all homes, to be freed; NULL on all ranks if memory is short on one. */
static char *gather(const mo_home *home, const char *own)
{
    char *all = malloc((size_t)home->total + 1);
    int *counts = malloc(2 * (size_t)home->size * sizeof *counts);
    const mo_error error = mo_mpi_agree(home->comm, all && counts ? MO_OK : MO_ERR_MEMORY, NULL);
    if (!error) {
        for (int rank = 0; rank < home->size; ++rank) {
            const int64_t first = home->total * rank / home->size;
            counts[home->size + rank] = (int)first;
            counts[rank] = (int)(home->total * (rank + 1) / home->size - first);
        }
        MPI_Allgatherv(own, counts[home->rank], MPI_CHAR, all, counts, counts + home->size,
                       MPI_CHAR, home->comm);
    }
    free(counts);
    if (error) {
        free(all);
        return NULL;
    }
    return all;
}

/* A part begins where the flag is set, and after `most` rows. */
static mo_error begin_parts(const mo_home *home, const char *begins, int most, mo_slab_parts *parts)
{
    char *all = gather(home, begins);
    parts->start = all ? malloc(((size_t)home->total + 1) * sizeof *parts->start) : NULL;
    const mo_error error = mo_mpi_agree(home->comm, parts->start ? MO_OK : MO_ERR_MEMORY, NULL);
    parts->count = 0;
    for (int row = 0, length = 0; row < home->total && !error; ++row, ++length) {
        if (row == 0 || all[row] || length == most) {
            parts->start[parts->count++] = row;
            length = 0;
        }
    }
    if (!error) parts->start[parts->count] = (int)home->total;
    free(all);
    return error;
}

/* ---- bodies --------------------------------------------------------------------------------- */

static int fits_groups(const mo_slabs *s, const mo_slab_entries *M, int group)
{
    int fits = s->dofs % (size_t)group == 0;
    for (int k = 0; k < M->count && fits; ++k)
        fits = M->at[k].row / group == M->at[k].column / group;
    MPI_Allreduce(MPI_IN_PLACE, &fits, 1, MPI_INT, MPI_MIN, s->comm);
    return fits;
}

/* Two velocities that an entry of M couples, the lower one first. */
typedef struct span {
    int32_t low, high;
} span;

static mo_error send_spans(const mo_home *home, const mo_slab_entries *M, span **spans, int *count)
{
    span *out = malloc(((size_t)M->count + 1) * sizeof *out);
    int *rank_of = malloc(((size_t)M->count + 1) * sizeof *rank_of);
    void *in = NULL;
    mo_error error = mo_mpi_agree(home->comm, out && rank_of ? MO_OK : MO_ERR_MEMORY, NULL);
    for (int k = 0; k < M->count && !error; ++k) {
        const int32_t i = M->at[k].row, j = M->at[k].column;
        out[k] = (span){i < j ? i : j, i < j ? j : i};
        rank_of[k] = mo_home_rank(home, (uint32_t)out[k].low);
    }
    error = error ? error
                  : mo_mail_to(home->comm, sizeof *out, M->count, rank_of, out, &in, count, NULL);
    *spans = in;
    free(out);
    free(rank_of);
    return error;
}

/* A body begins at each velocity that no lower one is coupled with, or beyond. */
static mo_error cut_finest(const mo_home *home, const span *spans, int count, mo_slab_parts *bodies)
{
    const int first = (int)home->first, own = (int)(home->last - home->first);
    int *reach = malloc(((size_t)own + 1) * sizeof *reach), last = -1, before = -1;
    char *begins = malloc((size_t)own + 1);
    mo_error error = mo_mpi_agree(home->comm, reach && begins ? MO_OK : MO_ERR_MEMORY, NULL);
    for (int k = 0; k < own && !error; ++k)
        reach[k] = first + k;
    for (int k = 0; k < count && !error; ++k) {
        int *of = reach + (spans[k].low - first);
        *of = spans[k].high > *of ? spans[k].high : *of;
        last = *of > last ? *of : last;
    }
    MPI_Exscan(&last, &before, 1, MPI_INT, MPI_MAX, home->comm);
    last = home->rank ? before : -1;
    for (int k = 0; k < own && !error; ++k) {
        begins[k] = (char)(first + k > last);
        last = reach[k] > last ? reach[k] : last;
    }
    error = error ? error : begin_parts(home, begins, -1, bodies);
    free(reach);
    free(begins);
    return error;
}

mo_error mo_slab_cut_bodies(mo_slabs *s, const mo_slab_entries *M, int group)
{
    const mo_home home = mo_home_of(s->comm, (int64_t)s->dofs);
    span *spans = NULL;
    int count = 0, widest = 0;
    s->bodies = (mo_slab_parts){.count = (int)s->dofs / group, .width = group};
    if (fits_groups(s, M, group)) return MO_OK;
    mo_error error = send_spans(&home, M, &spans, &count);
    error = error ? error : cut_finest(&home, spans, count, &s->bodies);
    free(spans);
    for (int k = 0; k < s->bodies.count && !error; ++k) {
        const int n = s->bodies.start[k + 1] - s->bodies.start[k];
        widest = n > widest ? n : widest;
    }
    return error ? error : widest > MOST_VELOCITIES ? MO_ERR_UNSUPPORTED : MO_OK;
}

/* ---- joints --------------------------------------------------------------------------------- */

/* A column of G or V has an entry in a part. */
typedef struct touch {
    int32_t column, part;
} touch;

static int by_column(const void *a, const void *b)
{
    const touch *x = a, *y = b;
    return x->column != y->column ? (x->column > y->column) - (x->column < y->column)
                                  : (x->part > y->part) - (x->part < y->part);
}

/* To the homes of the column and of the next one, sorted. */
static mo_error send_touches(const mo_home *home, const mo_slab_entries *G, const mo_slab_parts *by,
                             touch **touches, int *count)
{
    touch *out = malloc((2 * (size_t)G->count + 1) * sizeof *out);
    int *rank_of = malloc((2 * (size_t)G->count + 1) * sizeof *rank_of), out_count = 0;
    void *in = NULL;
    mo_error error = mo_mpi_agree(home->comm, out && rank_of ? MO_OK : MO_ERR_MEMORY, NULL);
    for (int k = 0; k < G->count && !error; ++k) {
        const int32_t column = G->at[k].column;
        for (int next = 0; next < 2 && column + next < home->total; ++next) {
            const int rank = mo_home_rank(home, (uint32_t)(column + next));
            if (!next || rank != rank_of[out_count - 1]) {
                out[out_count] = (touch){column, mo_slab_part_of(by, G->at[k].row)};
                rank_of[out_count++] = rank;
            }
        }
    }
    error = error ? error
                  : mo_mail_to(home->comm, sizeof *out, out_count, rank_of, out, &in, count, NULL);
    if (!error && *count) qsort(in, (size_t)*count, sizeof *out, by_column);
    *touches = in;
    free(out);
    free(rank_of);
    return error;
}

/* Does the column from `at` on, which ends before *end, touch the same parts as the one before? */
static int is_same(const touch *t, int before, int at, int end)
{
    int i = before, j = at;
    while (i < at && j < end && t[i].part == t[j].part) {
        const int part = t[i].part;
        for (; i < at && t[i].part == part; ++i) {
        }
        for (; j < end && t[j].part == part; ++j) {
        }
    }
    return i == at && j == end;
}

static void find_begins(const mo_home *home, const touch *t, int count, char *begins)
{
    int before = 0, at = 0; /* touches of the column before, and of this one */
    while (at < count && t[at].column < home->first)
        ++at;
    for (int64_t column = home->first; column < home->last; ++column) {
        int end = at;
        while (end < count && t[end].column == column)
            ++end;
        begins[column - home->first] = (char)!is_same(t, before, at, end);
        before = at;
        at = end;
    }
}

mo_error mo_slab_cut_joints(mo_slabs *s, const mo_slab_entries *G, const mo_slab_parts *by)
{
    const mo_home home = mo_home_of(s->comm, (int64_t)s->joint_rows);
    touch *touches = NULL;
    int count = 0;
    char *begins = calloc((size_t)(home.last - home.first) + 1, 1);
    mo_error error = mo_mpi_agree(s->comm, begins ? MO_OK : MO_ERR_MEMORY, NULL);
    error = error ? error : send_touches(&home, G, by, &touches, &count);
    if (!error) {
        find_begins(&home, touches, count, begins);
        error = begin_parts(&home, begins, MO_FCLIB_JOINT_ROWS, &s->joints);
    }
    free(touches);
    free(begins);
    return error;
}
