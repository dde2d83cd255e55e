/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * The exchange after a colour: one PetscSF for each colour.  A body that is visited in a colour is
 * visited by one rank.  Its velocity is sent to the rank that visits the body next, if that is
 * another; after the last visit of a sweep, to all copies.  Between sweeps all copies are equal.
 */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "spread.h"

enum { NOBODY = -1, LINE_BITS = 32 };

/* The visitor of each body in one colour, and where the body lies in its state. */
static void note_visits(const mo_spread *s, int colour, int64_t *visitor)
{
    const mo_problem *part = s->part;
    for (int b = 0; b < part->body_count; ++b)
        visitor[b] = NOBODY;
    for (int i = 0; i < part->constraint_count; ++i) {
        for (int k = part->block_start[i]; s->colour[i] == colour && k < part->block_start[i + 1];
             ++k) {
            const int body = part->block_index[k];
            visitor[body] = (int64_t)s->rank << LINE_BITS | s->batches->line_of[body];
        }
    }
}

static PetscErrorCode tell_visits(const mo_spread *s, int64_t *visitor)
{
    PetscErrorCode code = PetscSFReduceBegin(s->holders, MPI_INT64_T, visitor, visitor, MPI_MAX);
    code = code ? code : PetscSFReduceEnd(s->holders, MPI_INT64_T, visitor, visitor, MPI_MAX);
    code = code ? code : PetscSFBcastBegin(s->holders, MPI_INT64_T, visitor, visitor, MPI_REPLACE);
    return code ? code : PetscSFBcastEnd(s->holders, MPI_INT64_T, visitor, visitor, MPI_REPLACE);
}

static int lines_of(const mo_spread *s, int body)
{
    return (mo_body_dim(s->part, body) + MO_LINE - 1) / MO_LINE;
}

/* Lines that another rank visits in this colour and this one next, or none; and where they come
 * from.  Only counted where there is no room. */
static int list_leaves(const mo_spread *s, const int64_t *visitor, const int *next, PetscInt *local,
                       PetscSFNode *remote)
{
    int count = 0;
    for (int b = 0; b < s->part->body_count; ++b) {
        const int rank = (int)(visitor[b] >> LINE_BITS);
        if (visitor[b] == NOBODY || rank == s->rank || (next[b] != NOBODY && next[b] != s->rank))
            continue;
        for (int k = 0; k < lines_of(s, b); ++k, ++count) {
            if (local) {
                local[count] = s->batches->line_of[b] + k;
                remote[count] = (PetscSFNode){rank, (PetscInt)(visitor[b] & 0xffffffff) + k};
            }
        }
    }
    return count;
}

static PetscErrorCode make_one(mo_spread *s, const int64_t *visitor, const int *next, int leaves,
                               PetscSF *sf)
{
    PetscInt *local = NULL;
    PetscSFNode *remote = NULL;
    PetscErrorCode code = PetscMalloc2((size_t)leaves + 1, &local, (size_t)leaves + 1, &remote);
    if (code) return code;
    list_leaves(s, visitor, next, local, remote);
    code = PetscSFCreate(s->comm, sf);
    code = code ? code
                : PetscSFSetGraph(*sf, s->batches->line_count, leaves, local, PETSC_COPY_VALUES,
                                  remote, PETSC_COPY_VALUES);
    code = code ? code : PetscSFSetUp(*sf);
    PetscFree2(local, remote);
    return code;
}

/* From the last colour to the first; `next` is the rank that visits a body after the colour. */
static PetscErrorCode make_all(mo_spread *s, int64_t *visitor, int *next)
{
    PetscErrorCode code = 0;
    for (int b = 0; b < s->part->body_count; ++b)
        next[b] = NOBODY;
    for (int c = s->colour_count - 1; c >= 0 && !code; --c) {
        note_visits(s, c, visitor);
        code = tell_visits(s, visitor);
        const int leaves = code ? 0 : list_leaves(s, visitor, next, NULL, NULL);
        int most = 0;
        MPI_Allreduce(&leaves, &most, 1, MPI_INT, MPI_MAX, s->comm);
        if (most > 0 && !code) code = make_one(s, visitor, next, leaves, s->exchange + c);
        for (int b = 0; b < s->part->body_count; ++b)
            next[b] = visitor[b] == NOBODY ? next[b] : (int)(visitor[b] >> LINE_BITS);
    }
    return code;
}

mo_error mo_spread_make_exchange(mo_spread *s, mo_message *why)
{
    const size_t bodies = (size_t)s->part->body_count + 1;
    int64_t *visitor = malloc(bodies * sizeof *visitor);
    int *next = malloc(bodies * sizeof *next);
    s->exchange = calloc((size_t)s->colour_count + 1, sizeof *s->exchange);
    mo_error error = visitor && next && s->exchange ? MO_OK : mo_fail_memory(why);
    error = mo_mpi_agree(s->comm, error, why);
    if (!error) {
        MPI_Type_contiguous(MO_LINE, MPI_DOUBLE, &s->line);
        MPI_Type_commit(&s->line);
        const PetscErrorCode code = s->size > 1 ? make_all(s, visitor, next) : 0;
        error = mo_mpi_agree(s->comm, mo_mpi_petsc_error(code, why), why);
    }
    free(visitor);
    free(next);
    return error;
}

/* ---- cost of a sweep ------------------------------------------------------------------------- */

/* Messages that this rank receives in a sweep, and the bytes in them. */
static PetscErrorCode count_received(const mo_spread *s, int64_t own[2])
{
    for (int c = 0; c < s->colour_count; ++c) {
        PetscInt leaves, from;
        const PetscMPIInt *ranks;
        if (s->exchange[c]) {
            PetscErrorCode code = PetscSFGetGraph(s->exchange[c], NULL, &leaves, NULL, NULL);
            code =
                code ? code : PetscSFGetRootRanks(s->exchange[c], &from, &ranks, NULL, NULL, NULL);
            if (code) return code;
            own[0] += from;
            own[1] += (int64_t)leaves * MO_LINE * (int64_t)sizeof(double);
        }
    }
    return 0;
}

mo_error mo_spread_predict(const mo_spread *s, mo_spread_traffic *traffic)
{
    int64_t own[4] = {0}, all[4];
    if (s->reduced) return MO_ERR_UNSUPPORTED;
    const mo_error error =
        mo_mpi_agree(s->comm, mo_mpi_petsc_error(count_received(s, own), NULL), NULL);
    for (int i = 0; i < s->part->constraint_count; ++i)
        own[2] += s->is_outer[i];
    for (int b = 0; b < s->part->body_count; ++b)
        own[3] += s->holder_count[b] > 1 && s->body_rank[b] == s->rank;
    MPI_Allreduce(own, all, 4, MPI_INT64_T, MPI_SUM, s->comm);
    *traffic = (mo_spread_traffic){all[0], all[1], 1, all[2], all[3]};
    return error;
}

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

mo_spread_times mo_spread_sweep_times(const mo_spread *s)
{
    const size_t count = (size_t)(s->timed < MO_RECENT ? s->timed : MO_RECENT);
    double sorted[MO_RECENT] = {0}, times[2];
    memcpy(sorted, s->recent, sizeof sorted);
    qsort(sorted, count, sizeof *sorted, by_value);
    times[0] = s->fastest;
    times[1] = sorted[count / 2];
    MPI_Allreduce(MPI_IN_PLACE, times, 2, MPI_DOUBLE, MPI_MAX, s->comm);
    return (mo_spread_times){times[0], times[1]};
}

mo_error mo_spread_count(const mo_spread *s, mo_spread_traffic *traffic, int64_t *rounds)
{
    const int64_t own[2] = {s->messages, s->bytes};
    int64_t all[2];
    const mo_error error = mo_spread_predict(s, traffic);
    if (error) return error;
    MPI_Allreduce(own, all, 2, MPI_INT64_T, MPI_SUM, s->comm);
    traffic->messages = all[0];
    traffic->bytes = all[1];
    traffic->reductions = (int)s->exact.reductions;
    *rounds = s->rounds;
    return MO_OK;
}
