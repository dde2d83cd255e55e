/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* Rows of W to ranks, and the levels of a sweep (reduced.h). */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "problem/views.h"
#include "reduced.h"
#include "solver/pace.h"

/* ---- the pattern of W ----------------------------------------------------------------------- */

/* The blocks of all rows, from those of each rank, without their values: rows in runs by rank. */
static mo_error gather_pattern(const mo_spread *s, mo_problem *all)
{
    const mo_problem *part = s->part;
    const int count = part->constraint_count, *owner = s->reduced->owner;
    int *rank_count = calloc(2 * (size_t)s->size + 1, sizeof *rank_count), own = 0;
    all->block_start = calloc((size_t)count + 1, sizeof *all->block_start);
    mo_error error =
        mo_mpi_agree(s->comm, rank_count && all->block_start ? MO_OK : MO_ERR_MEMORY, NULL);
    int first = 0;
    for (int i = 0; !error && i < count; ++i) {
        const int blocks = part->block_start[i + 1] - part->block_start[i];
        first = owner[i] < s->rank ? i + 1 : first;
        all->block_start[i + 1] = owner[i] == s->rank ? blocks : 0;
        own += all->block_start[i + 1];
    }
    if (!error) {
        MPI_Allreduce(MPI_IN_PLACE, all->block_start, count + 1, MPI_INT, MPI_SUM, s->comm);
        MPI_Allgather(&own, 1, MPI_INT, rank_count, 1, MPI_INT, s->comm);
        for (int i = 0; i < count; ++i)
            all->block_start[i + 1] += all->block_start[i];
        for (int rank = 1; rank < s->size; ++rank)
            rank_count[s->size + rank] = rank_count[s->size + rank - 1] + rank_count[rank - 1];
        all->block_index = malloc(((size_t)all->block_start[count] + 1) * sizeof(int));
        error = mo_mpi_agree(s->comm, all->block_index ? MO_OK : MO_ERR_MEMORY, NULL);
    }
    if (!error) {
        MPI_Allgatherv(part->block_index + part->block_start[first], own, MPI_INT, all->block_index,
                       rank_count, rank_count + s->size, MPI_INT, s->comm);
    }
    free(rank_count);
    return error;
}

/* ---- levels --------------------------------------------------------------------------------- */

/* The pattern of W and its transpose: who reads whose impulse. */
typedef struct pattern {
    int *start, *index;
} pattern;

static int make_pattern(const mo_problem *whole, pattern *p)
{
    const int count = whole->constraint_count;
    const size_t blocks = (size_t)whole->block_start[count];
    p->start = calloc((size_t)count + 2, sizeof *p->start);
    p->index = malloc((2 * blocks + 1) * sizeof *p->index);
    if (!p->start || !p->index) return 0;
    for (int i = 0; i < count; ++i) {
        for (int k = whole->block_start[i]; k < whole->block_start[i + 1]; ++k) {
            ++p->start[i + 2];
            ++p->start[whole->block_index[k] + 2];
        }
    }
    for (int i = 0; i < count; ++i)
        p->start[i + 2] += p->start[i + 1];
    for (int i = 0; i < count; ++i) {
        for (int k = whole->block_start[i]; k < whole->block_start[i + 1]; ++k) {
            const int j = whole->block_index[k];
            p->index[p->start[i + 1]++] = j;
            p->index[p->start[j + 1]++] = i;
        }
    }
    return 1;
}

/*
 * Levels of the order in which one process sweeps: a constraint comes one level after the last of
 * its neighbours that are swept before it.  A sweep by levels is that sweep, bit by bit.
 */
static void find_levels(const pattern *p, int count, const int *order, int *level, int *level_count)
{
    memset(level, 0xff, (size_t)count * sizeof *level);
    *level_count = 0;
    for (int position = 0; position < count; ++position) {
        const int i = order[position];
        int own = 0;
        for (int k = p->start[i]; k < p->start[i + 1]; ++k) {
            const int before = level[p->index[k]];
            own = before >= own ? before + 1 : own;
        }
        level[i] = own;
        *level_count = own >= *level_count ? own + 1 : *level_count;
    }
}

/* The levels of all constraints, which every rank computes. */
static mo_error order_all(const mo_spread *s, int *level)
{
    const int count = s->part->constraint_count;
    const mo_sweep_order order = count > MO_NATURAL_MOST ? MO_SWEEP_COLOURED : MO_SWEEP_NATURAL;
    mo_problem all = {
        .allocator = s->part->allocator, .form = MO_FORM_REDUCED, .constraint_count = count};
    pattern p = {0};
    int *position = malloc(((size_t)count + 1) * sizeof *position);
    mo_error error = gather_pattern(s, &all);
    if (!error) {
        error = position && make_pattern(&all, &p) ? mo_sweep_positions(&all, order, position)
                                                   : MO_ERR_MEMORY;
    }
    if (!error) find_levels(&p, count, position, level, &s->reduced->level_count);
    free(p.start);
    free(p.index);
    free(position);
    free(all.block_start);
    free(all.block_index);
    return error;
}

/* ---- construction ---------------------------------------------------------------------------- */

void mo_reduced_runs(int count, const int *weight, int ranks, int *owner)
{
    double all = 0, before = 0;
    for (int i = 0; i < count; ++i)
        all += weight[i];
    for (int i = 0; i < count; ++i) {
        const int rank = all > 0 ? (int)(before / all * ranks) : 0;
        owner[i] = rank < ranks ? rank : ranks - 1;
        before += weight[i];
    }
}

void mo_reduced_add_nothing(mo_builder *builder, int d)
{
    static const double zero[MO_BILATERAL_MAX_DIM * MO_BILATERAL_MAX_DIM];
    mo_builder_add_coupling(builder, 0, 0, d, d, zero);
}

static int make_room(mo_reduced *reduced, const mo_problem *part, int size)
{
    const size_t count = (size_t)part->constraint_count + 1, rows = (size_t)part->row_count + 1;
    const size_t boxes = (size_t)reduced->level_count * (size_t)size + 1;
    reduced->order = malloc(count * sizeof *reduced->order);
    reduced->start = calloc((size_t)reduced->level_count + 2, sizeof *reduced->start);
    reduced->count = calloc(boxes, sizeof *reduced->count);
    reduced->place = calloc(boxes, sizeof *reduced->place);
    reduced->packed = malloc(rows * sizeof *reduced->packed);
    reduced->r = malloc(rows * sizeof *reduced->r);
    reduced->before = malloc(rows * sizeof *reduced->before);
    reduced->u = malloc(rows * sizeof *reduced->u);
    return reduced->order && reduced->start && reduced->count && reduced->place &&
           reduced->packed && reduced->r && reduced->before && reduced->u;
}

/* By level, then by owner, then by number; owners rise with the number. */
static void sort_constraints(mo_reduced *reduced, const mo_problem *part, const int *level,
                             int size)
{
    for (int i = 0; i < part->constraint_count; ++i) {
        ++reduced->start[level[i] + 2];
        reduced->count[level[i] * size + reduced->owner[i]] += mo_constraint_dim(part, i);
    }
    for (int c = 0; c < reduced->level_count; ++c) {
        reduced->start[c + 2] += reduced->start[c + 1];
        for (int k = 1; k < size; ++k) {
            reduced->place[c * size + k] =
                reduced->place[c * size + k - 1] + reduced->count[c * size + k - 1];
        }
    }
    for (int i = 0; i < part->constraint_count; ++i)
        reduced->order[reduced->start[level[i] + 1]++] = i;
}

static mo_error prepare(mo_spread *s, mo_message *why)
{
    mo_reduced *reduced = s->reduced;
    const mo_problem *part = s->part;
    const size_t count = (size_t)part->constraint_count + 1;
    int *level = malloc(count * sizeof *level);
    s->each = calloc(count, sizeof *s->each);
    s->constraint_id = malloc(count * sizeof *s->constraint_id);
    const int has_room = level && s->each && s->constraint_id;
    mo_error error = mo_mpi_agree(s->comm, has_room ? MO_OK : mo_fail_memory(why), why);
    error = error ? error : order_all(s, level);
    if (!error && make_room(reduced, part, s->size)) {
        sort_constraints(reduced, part, level, s->size);
        error = mo_problem_sweep(part, MO_SWEEP_NATURAL, &reduced->sweep);
    } else {
        error = mo_fail_memory(why);
    }
    for (int i = 0; !error && i < part->constraint_count; ++i)
        s->constraint_id[i] = i;
    free(level);
    return mo_mpi_agree(s->comm, error, why);
}

mo_error mo_reduced_create(MPI_Comm comm, mo_problem *part, int *owner, mo_spread **spread,
                           mo_message *why)
{
    mo_spread *s = calloc(1, sizeof *s);
    mo_reduced *reduced = calloc(1, sizeof *reduced);
    *spread = NULL;
    mo_error error = mo_mpi_agree(comm, s && reduced ? MO_OK : mo_fail_memory(why), why);
    if (error) {
        free(s);
        free(reduced);
        mo_problem_destroy(part);
        free(owner);
        return error;
    }
    s->reduced = reduced;
    s->part = part;
    s->comm = comm;
    reduced->owner = owner;
    MPI_Comm_rank(comm, &s->rank);
    MPI_Comm_size(comm, &s->size);
    mo_exact_init(&s->exact, comm);
    error = prepare(s, why);
    if (error) {
        mo_spread_destroy(s);
        return error;
    }
    s->constraint_total = part->constraint_count;
    s->colour_count = reduced->level_count;
    s->whole_rows = part->row_count;
    *spread = s;
    return MO_OK;
}

void mo_reduced_destroy(mo_reduced *reduced)
{
    if (reduced) {
        free(reduced->owner);
        free(reduced->order);
        free(reduced->start);
        free(reduced->count);
        free(reduced->place);
        free(reduced->packed);
        free(reduced->r);
        free(reduced->before);
        free(reduced->u);
        free(reduced);
    }
}

/* All constraints, and the rows of W of this rank. */
static mo_error build_part(const mo_problem *whole, int rank, const int *owner, mo_problem **part,
                           mo_message *why)
{
    mo_builder *builder;
    if (mo_builder_create(NULL, &builder)) return mo_fail_memory(why);
    for (int i = 0; i < whole->constraint_count; ++i) {
        const mo_constraint_view own = mo_problem_constraint(whole, i);
        mo_builder_add_constraint(builder, own.dim, &own.law, own.w);
        for (int k = 0; owner[i] == rank && k < own.block_count; ++k) {
            const mo_block_view block = mo_problem_block(whole, i, k);
            mo_builder_add_coupling(builder, i, block.index, own.dim,
                                    mo_constraint_dim(whole, block.index), block.values);
        }
    }
    if (whole->constraint_count) mo_reduced_add_nothing(builder, mo_constraint_dim(whole, 0));
    const mo_error error = mo_builder_finish(builder, part, why);
    mo_builder_destroy(builder);
    return error;
}

mo_error mo_reduced_deal(MPI_Comm comm, const mo_problem *whole, mo_spread **spread,
                         mo_message *why)
{
    const size_t count = (size_t)whole->constraint_count + 1;
    int *owner = malloc(count * sizeof *owner), *blocks = malloc(count * sizeof *blocks), rank,
        size;
    mo_problem *part = NULL;
    mo_error error = owner && blocks ? MO_OK : mo_fail_memory(why);
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    if (!error) {
        for (int i = 0; i < whole->constraint_count; ++i)
            blocks[i] = whole->block_start[i + 1] - whole->block_start[i];
        mo_reduced_runs(whole->constraint_count, blocks, size, owner);
        error = build_part(whole, rank, owner, &part, why);
    }
    free(blocks);
    error = mo_mpi_agree(comm, error, why);
    if (error) {
        mo_problem_destroy(part);
        free(owner);
        return error;
    }
    return mo_reduced_create(comm, part, owner, spread, why);
}
