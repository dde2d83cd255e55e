/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
#include "pieces.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "mail.h"
#include "partition.h"

enum { HUB = MO_COLOUR_REST / 2 }; /* two bodies with fewer constraints leave a colour free */

/* ---- owners ---------------------------------------------------------------------------------- */

typedef struct dealing {
    mo_home home;
    const mo_pieces *pieces;
    mo_edge *edges; /* of the bodies at home */
    int edge_count;
    int *owner, *degree;       /* of the bodies at home */
    double *records;           /* of the bodies at home, one after the other */
    const double **record;     /* of each of them */
    double *own;               /* constraints that have come */
    const double **constraint; /* each, by rising id */
    int constraint_count;
    uint32_t *body; /* ids of the part, rising */
    int body_count;
    int *body_rank;
    double *masses; /* the records of its bodies, by rising id */
} dealing;

/* Pairs of bodies of a constraint, or one body twice; only counted without room. */
static int list_edges(const double *piece, mo_edge *edges)
{
    mo_law law;
    const double *at = mo_piece_law(piece, &law);
    const int d = (int)piece[1], blocks = (int)at[0];
    uint32_t id[64];
    int count = 0;
    const double *block = at + 1;
    const int listed = blocks < 64 ? blocks : 64;
    for (int k = 0; k < listed; ++k) {
        id[k] = (uint32_t)block[0];
        block += MO_PIECE_BLOCK + (size_t)d * (size_t)block[1];
    }
    for (int i = 0; i < listed; ++i) {
        for (int j = 0; j < listed; ++j) {
            if (i != j || listed == 1) {
                if (edges) edges[count] = (mo_edge){id[i], id[j]};
                ++count;
            }
        }
    }
    return count;
}

static mo_error send_edges(dealing *d)
{
    const mo_piece_list *list = &d->pieces->constraints;
    int count = 0;
    void *in = NULL;
    for (int k = 0; k < list->count; ++k)
        count += list_edges(list->numbers + list->start[k], NULL);
    mo_edge *edges = malloc(((size_t)count + 1) * sizeof *edges);
    int *rank_of = malloc(((size_t)count + 1) * sizeof *rank_of);
    mo_error error = mo_mpi_agree(d->home.comm, edges && rank_of ? MO_OK : MO_ERR_MEMORY, NULL);
    if (!error) {
        count = 0;
        for (int k = 0; k < list->count; ++k)
            count += list_edges(list->numbers + list->start[k], edges + count);
        for (int k = 0; k < count; ++k)
            rank_of[k] = mo_home_rank(&d->home, edges[k].body);
        error = mo_mail_to(d->home.comm, sizeof *edges, count, rank_of, edges, &in, &d->edge_count,
                           NULL);
        d->edges = in;
    }
    free(edges);
    free(rank_of);
    return error;
}

/* Bodies go home. */
static mo_error send_bodies(dealing *d, mo_message *why)
{
    const mo_piece_list *list = &d->pieces->bodies;
    const size_t count = (size_t)(d->home.last - d->home.first);
    const size_t none = 0;
    size_t numbers = 0;
    int *rank_of = malloc(((size_t)list->count + 1) * sizeof *rank_of);
    d->record = calloc(count + 1, sizeof *d->record);
    mo_error error = mo_mpi_agree(d->home.comm, rank_of && d->record ? MO_OK : MO_ERR_MEMORY, NULL);
    for (int k = 0; !error && k < list->count; ++k)
        rank_of[k] = mo_home_rank(&d->home, (uint32_t)list->numbers[list->start[k]]);
    error = error ? error
                  : mo_mail_numbers(d->home.comm, list->count, rank_of,
                                    list->count ? list->start : &none, list->numbers, &d->records,
                                    &numbers);
    free(rank_of);
    if (error) return error;
    for (size_t at = 0; at < numbers; at += mo_piece_body_length(d->records + at))
        d->record[(int64_t)d->records[at] - d->home.first] = d->records + at;
    for (size_t k = 0; k < count && !error; ++k) {
        if (!d->record[k]) {
            error = mo_fail(why, MO_ERR_ARGUMENT, "body %lld is on no rank",
                            (long long)(d->home.first + (int64_t)k));
        }
    }
    return mo_mpi_agree(d->home.comm, error, why);
}

static int by_value(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static int keep_different(uint32_t *ids, int count)
{
    int kept = 0;
    qsort(ids, (size_t)count, sizeof *ids, by_value);
    for (int k = 0; k < count; ++k)
        if (kept == 0 || ids[k] != ids[kept - 1]) ids[kept++] = ids[k];
    return kept;
}

/* The ids of the bodies of a constraint, one after the other. */
static int list_bodies(const double *piece, uint32_t *ids)
{
    mo_law law;
    const double *at = mo_piece_law(piece, &law), *block = at + 1;
    for (int k = 0; k < (int)at[0]; ++k) {
        if (ids) ids[k] = (uint32_t)block[0];
        block += MO_PIECE_BLOCK + (size_t)piece[1] * (size_t)block[1];
    }
    return (int)at[0];
}

typedef struct fate {
    int owner, degree;
} fate;

/* Asks homes for the owners and degrees of bodies, whose ids rise. */
static mo_error ask_fates(const dealing *d, const uint32_t *ids, int count, fate **fates)
{
    int *rank_of = malloc(((size_t)count + 1) * sizeof *rank_of);
    int *from = calloc((size_t)d->home.size + 1, sizeof *from), asked = 0, answered;
    void *in = NULL, *back = NULL;
    fate *answer = NULL;
    mo_error error = mo_mpi_agree(d->home.comm, rank_of && from ? MO_OK : MO_ERR_MEMORY, NULL);
    for (int k = 0; !error && k < count; ++k)
        rank_of[k] = mo_home_rank(&d->home, ids[k]);
    error = error ? error
                  : mo_mail_to(d->home.comm, sizeof *ids, count, rank_of, ids, &in, &asked, from);
    if (!error) {
        answer = malloc(((size_t)asked + 1) * sizeof *answer);
        error = mo_mpi_agree(d->home.comm, answer ? MO_OK : MO_ERR_MEMORY, NULL);
    }
    for (int k = 0; !error && k < asked; ++k) {
        const int64_t b = ((const uint32_t *)in)[k] - d->home.first;
        answer[k] = (fate){d->owner[b], d->degree[b]};
    }
    error =
        error ? error : mo_mail(d->home.comm, sizeof *answer, from, answer, &back, &answered, NULL);
    *fates = back;
    free(rank_of);
    free(from);
    free(in);
    free(answer);
    return error;
}

static int rank_of_piece(const double *piece, const uint32_t *ids, const fate *fates, int count)
{
    uint32_t own[64];
    mo_law law;
    const int blocks = (int)mo_piece_law(piece, &law)[0];
    int rank = 0;
    if (blocks == 0 || blocks > 64) return 0;
    list_bodies(piece, own);
    for (int k = 0; k < blocks; ++k) {
        const uint32_t *found = bsearch(own + k, ids, (size_t)count, sizeof *ids, by_value);
        const fate *f = fates + (found - ids);
        if (f->degree >= HUB) return 0;
        rank = k == 0 ? f->owner : rank;
    }
    return rank;
}

static int by_id(const void *a, const void *b)
{
    const double x = **(const double *const *)a, y = **(const double *const *)b;
    return (x > y) - (x < y);
}

/* Constraints that have come, by rising id. */
static mo_error sort_constraints(dealing *d, size_t numbers)
{
    int count = 0;
    for (size_t at = 0; at < numbers; at += mo_piece_constraint_length(d->own + at))
        ++count;
    d->constraint = malloc(((size_t)count + 1) * sizeof *d->constraint);
    if (!d->constraint) return MO_ERR_MEMORY;
    for (size_t at = 0; at < numbers; at += mo_piece_constraint_length(d->own + at))
        d->constraint[d->constraint_count++] = d->own + at;
    qsort(d->constraint, (size_t)count, sizeof *d->constraint, by_id);
    return MO_OK;
}

static mo_error send_constraints(dealing *d)
{
    const mo_piece_list *list = &d->pieces->constraints;
    const size_t none = 0;
    size_t blocks = 0, numbers = 0;
    fate *fates = NULL;
    for (int k = 0; k < list->count; ++k)
        blocks += (size_t)list_bodies(list->numbers + list->start[k], NULL);
    uint32_t *ids = malloc((blocks + 1) * sizeof *ids);
    int *rank_of = malloc(((size_t)list->count + 1) * sizeof *rank_of), count = 0;
    mo_error error = mo_mpi_agree(d->home.comm, ids && rank_of ? MO_OK : MO_ERR_MEMORY, NULL);
    for (int k = 0; !error && k < list->count; ++k)
        count += list_bodies(list->numbers + list->start[k], ids + count);
    count = error ? 0 : keep_different(ids, count);
    error = error ? error : ask_fates(d, ids, count, &fates);
    for (int k = 0; !error && k < list->count; ++k)
        rank_of[k] = rank_of_piece(list->numbers + list->start[k], ids, fates, count);
    error = error ? error
                  : mo_mail_numbers(d->home.comm, list->count, rank_of,
                                    list->count ? list->start : &none, list->numbers, &d->own,
                                    &numbers);
    free(ids);
    free(rank_of);
    free(fates);
    return error ? error : mo_mpi_agree(d->home.comm, sort_constraints(d, numbers), NULL);
}

/* ---- the bodies of a part ------------------------------------------------------------------- */

/* Ids that this rank owns, sent by their home ranks. */
static mo_error tell_owners(const dealing *d, uint32_t **ids, int *count)
{
    const int home_count = (int)(d->home.last - d->home.first);
    uint32_t *out = malloc(((size_t)home_count + 1) * sizeof *out);
    void *in = NULL;
    mo_error error = mo_mpi_agree(d->home.comm, out ? MO_OK : MO_ERR_MEMORY, NULL);
    for (int b = 0; !error && b < home_count; ++b)
        out[b] = (uint32_t)(d->home.first + b);
    error =
        error ? error
              : mo_mail_to(d->home.comm, sizeof *out, home_count, d->owner, out, &in, count, NULL);
    free(out);
    *ids = in;
    return error;
}

/* Bodies that the rank owns, and those of its constraints. */
static mo_error choose_bodies(dealing *d)
{
    uint32_t *owned = NULL;
    int owned_count = 0;
    size_t blocks = 0;
    mo_error error = tell_owners(d, &owned, &owned_count);
    for (int k = 0; k < d->constraint_count; ++k)
        blocks += (size_t)list_bodies(d->constraint[k], NULL);
    d->body = malloc((blocks + (size_t)owned_count + 1) * sizeof *d->body);
    error = mo_mpi_agree(d->home.comm, error ? error : d->body ? MO_OK : MO_ERR_MEMORY, NULL);
    if (!error) {
        int count = 0;
        for (int k = 0; k < d->constraint_count; ++k)
            count += list_bodies(d->constraint[k], d->body + count);
        if (owned_count) memcpy(d->body + count, owned, (size_t)owned_count * sizeof *owned);
        d->body_count = keep_different(d->body, count + owned_count);
    }
    free(owned);
    return error;
}

/* Homes send the records that are asked for. */
static mo_error answer_with_records(dealing *d, const uint32_t *asked, int count, const int *from)
{
    int *rank_of = malloc(((size_t)count + 1) * sizeof *rank_of);
    mo_piece_list out = {0};
    const size_t none = 0;
    size_t numbers;
    mo_error error = rank_of ? MO_OK : MO_ERR_MEMORY;
    for (int rank = 0, k = 0; rank < d->home.size && !error; ++rank) {
        for (int j = 0; j < from[rank] && !error; ++j, ++k) {
            const double *record = d->record[asked[k] - d->home.first];
            double *piece = mo_piece_add(&out, mo_piece_body_length(record));
            error = piece ? MO_OK : MO_ERR_MEMORY;
            if (piece) {
                memcpy(piece, record, mo_piece_body_length(record) * sizeof *piece);
                rank_of[k] = rank;
            }
        }
    }
    error = mo_mpi_agree(d->home.comm, error, NULL);
    error = error ? error
                  : mo_mail_numbers(d->home.comm, out.count, rank_of, out.count ? out.start : &none,
                                    out.numbers, &d->masses, &numbers);
    mo_piece_list_clear(&out);
    free(rank_of);
    return error;
}

static mo_error fetch_bodies(dealing *d)
{
    int *rank_of = malloc(((size_t)d->body_count + 1) * sizeof *rank_of);
    int *from = calloc((size_t)d->home.size + 1, sizeof *from), asked = 0;
    void *in = NULL;
    fate *fates = NULL;
    d->body_rank = malloc(((size_t)d->body_count + 1) * sizeof *d->body_rank);
    mo_error error =
        mo_mpi_agree(d->home.comm, rank_of && from && d->body_rank ? MO_OK : MO_ERR_MEMORY, NULL);
    error = error ? error : ask_fates(d, d->body, d->body_count, &fates);
    for (int k = 0; !error && k < d->body_count; ++k) {
        rank_of[k] = mo_home_rank(&d->home, d->body[k]);
        d->body_rank[k] = fates[k].owner;
    }
    error = error ? error
                  : mo_mail_to(d->home.comm, sizeof *d->body, d->body_count, rank_of, d->body, &in,
                               &asked, from);
    error = error ? error : answer_with_records(d, in, asked, from);
    free(rank_of);
    free(from);
    free(in);
    free(fates);
    return error;
}

/* ---- the part ------------------------------------------------------------------------------- */

static void add_constraint(const dealing *d, const double *piece, mo_builder *builder)
{
    mo_law law;
    const double *at = mo_piece_law(piece, &law), *block = at + 1;
    const int dim = (int)piece[1];
    const int number = mo_builder_add_constraint(builder, dim, &law, piece + MO_PIECE_W);
    for (int k = 0; k < (int)at[0]; ++k) {
        const uint32_t id = (uint32_t)block[0];
        const int n = (int)block[1];
        const uint32_t *found = bsearch(&id, d->body, (size_t)d->body_count, sizeof id, by_value);
        mo_builder_add_jacobian(builder, number, (int)(found - d->body), dim, n,
                                block + MO_PIECE_BLOCK);
        block += MO_PIECE_BLOCK + (size_t)dim * (size_t)n;
    }
}

static mo_error build_part(const dealing *d, mo_problem **part, mo_message *why)
{
    mo_builder *builder;
    if (mo_builder_create(NULL, &builder)) return mo_fail_memory(why);
    const double *piece = d->masses;
    for (int k = 0; k < d->body_count; ++k, piece += mo_piece_body_length(piece)) {
        const int n = (int)piece[1];
        const double *M = piece + MO_PIECE_BODY, *f = M + (size_t)n * (size_t)n;
        if (piece[2] != 0)
            mo_builder_add_body(builder, n, M, f);
        else
            mo_builder_add_unsymmetric_body(builder, n, M, f);
    }
    for (int k = 0; k < d->constraint_count; ++k)
        add_constraint(d, d->constraint[k], builder);
    const mo_error error = mo_builder_finish(builder, part, why);
    mo_builder_destroy(builder);
    return error;
}

/* Where rows and velocities lie in the whole. */
static mo_error place(const dealing *d, mo_spread *s, mo_message *why)
{
    free(s->row_at);
    free(s->dof_at);
    s->row_at = malloc(((size_t)d->constraint_count + 1) * sizeof *s->row_at);
    s->dof_at = malloc(((size_t)d->body_count + 1) * sizeof *s->dof_at);
    if (!s->row_at || !s->dof_at) return mo_fail_memory(why);
    const double *piece = d->masses;
    for (int k = 0; k < d->constraint_count; ++k)
        s->row_at[k] = (int64_t)d->constraint[k][2];
    for (int k = 0; k < d->body_count; ++k, piece += mo_piece_body_length(piece))
        s->dof_at[k] = (int64_t)piece[3];
    s->whole_rows = d->pieces->rows;
    s->whole_dofs = d->pieces->dofs;
    return MO_OK;
}

static mo_error make_spread(const dealing *d, mo_spread **spread, mo_message *why)
{
    mo_problem *part = NULL;
    int64_t *id = malloc(((size_t)d->constraint_count + 1) * sizeof *id);
    mo_error error = id ? build_part(d, &part, why) : mo_fail_memory(why);
    error = mo_mpi_agree(d->home.comm, error, why);
    if (error) {
        mo_problem_destroy(part);
    } else {
        for (int k = 0; k < d->constraint_count; ++k)
            id[k] = (int64_t)d->constraint[k][0];
        const mo_spread_map map = {d->body, d->body_rank, id};
        error = mo_spread_create(d->home.comm, part, &map, spread, why);
        error = error ? error : mo_mpi_agree(d->home.comm, place(d, *spread, why), why);
    }
    if (error) {
        mo_spread_destroy(*spread);
        *spread = NULL;
    }
    free(id);
    return error;
}

static mo_error deal(dealing *d, mo_spread **spread, mo_message *why)
{
    const size_t count = (size_t)(d->home.last - d->home.first) + 1;
    d->owner = malloc(count * sizeof *d->owner);
    d->degree = calloc(count, sizeof *d->degree);
    mo_error error = d->owner && d->degree ? MO_OK : mo_fail_memory(why);
    error = mo_mpi_agree(d->home.comm, error, why);
    error = error ? error : send_edges(d);
    for (int k = 0; !error && k < d->edge_count; ++k)
        ++d->degree[d->edges[k].body - d->home.first];
    error =
        error ? error : mo_partition(&d->home, d->edges, d->edge_count, d->degree, d->owner, why);
    error = error ? error : send_bodies(d, why);
    error = error ? error : send_constraints(d);
    error = error ? error : choose_bodies(d);
    error = error ? error : fetch_bodies(d);
    if (error) return error == MO_ERR_MEMORY ? mo_fail_memory(why) : error;
    return make_spread(d, spread, why);
}

mo_error mo_pieces_deal(MPI_Comm comm, const mo_pieces *pieces, mo_spread **spread, mo_message *why)
{
    dealing d = {.home = mo_home_of(comm, pieces->body_total), .pieces = pieces};
    *spread = NULL;
    const mo_error error = deal(&d, spread, why);
    free(d.edges);
    free(d.owner);
    free(d.degree);
    free(d.records);
    free(d.record);
    free(d.own);
    free(d.constraint);
    free(d.body);
    free(d.body_rank);
    free(d.masses);
    return error;
}
