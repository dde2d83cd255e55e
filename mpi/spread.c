/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
#include "spread.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "problem/views.h"
#include "reduced.h"

enum { RIGID = 6, CONTACT = 3 };

static void *copy_of(const void *from, size_t count, size_t size)
{
    void *to = malloc((count + 1) * size);
    if (to && count) memcpy(to, from, count * size);
    return to;
}

/* ---- places in the whole -------------------------------------------------------------------- */

static int is_uniform(const mo_problem *part)
{
    for (int b = 0; b < part->body_count; ++b)
        if (mo_body_dim(part, b) != RIGID) return 0;
    for (int i = 0; i < part->constraint_count; ++i)
        if (mo_constraint_dim(part, i) != CONTACT) return 0;
    return 1;
}

/* Rows and velocities follow from ids where all have the same number of them. */
static mo_error place_uniform(mo_spread *s, mo_message *why)
{
    int own = is_uniform(s->part), all;
    MPI_Allreduce(&own, &all, 1, MPI_INT, MPI_MIN, s->comm);
    if (!all) return MO_OK; /* mo_spread_gather refuses */
    s->row_at = malloc(((size_t)s->part->constraint_count + 1) * sizeof *s->row_at);
    s->dof_at = malloc(((size_t)s->part->body_count + 1) * sizeof *s->dof_at);
    if (!s->row_at || !s->dof_at) return mo_fail_memory(why);
    for (int i = 0; i < s->part->constraint_count; ++i)
        s->row_at[i] = CONTACT * s->constraint_id[i];
    for (int b = 0; b < s->part->body_count; ++b)
        s->dof_at[b] = (int64_t)RIGID * s->body_id[b];
    s->whole_rows = CONTACT * s->constraint_total;
    s->whole_dofs = RIGID * s->body_total;
    return MO_OK;
}

/* ---- construction ---------------------------------------------------------------------------- */

/* Sums over more than two bodies depend on their order. */
static int is_ordered(const mo_spread *s, int constraint)
{
    const mo_problem *part = s->part;
    const int first = part->block_start[constraint], end = part->block_start[constraint + 1];
    int is_so = 1;
    for (int k = first + 1; k < end && end - first > 2; ++k)
        is_so &= s->body_id[part->block_index[k - 1]] < s->body_id[part->block_index[k]];
    return is_so;
}

static mo_error check_part(const mo_spread *s, mo_message *why)
{
    const mo_problem *part = s->part;
    if (part->form != MO_FORM_GLOBAL)
        return mo_fail(why, MO_ERR_UNSUPPORTED, "a part has bodies: a reduced problem has none");
    for (int b = 0; b < part->body_count; ++b) {
        if (s->body_rank[b] < 0 || s->body_rank[b] >= s->size || s->body_id[b] == UINT32_MAX) {
            return mo_fail(why, MO_ERR_ARGUMENT, "body %d of rank %d: rank %d or id %u is wrong", b,
                           s->rank, s->body_rank[b], s->body_id[b]);
        }
    }
    for (int i = 1; i < part->constraint_count; ++i) {
        if (s->constraint_id[i] <= s->constraint_id[i - 1]) {
            return mo_fail(why, MO_ERR_ARGUMENT, "constraints of rank %d do not come by rising id",
                           s->rank);
        }
    }
    for (int i = 0; i < part->constraint_count; ++i) {
        if (!is_ordered(s, i)) {
            return mo_fail(why, MO_ERR_ARGUMENT,
                           "constraint %d of rank %d has more than two bodies, which the part does "
                           "not number by rising id",
                           i, s->rank);
        }
    }
    return MO_OK;
}

static mo_error take_part(mo_spread *s, const mo_spread_map *map, mo_message *why)
{
    const size_t bodies = (size_t)s->part->body_count;
    const size_t constraints = (size_t)s->part->constraint_count;
    s->body_id = copy_of(map->body_id, bodies, sizeof *s->body_id);
    s->body_rank = copy_of(map->body_rank, bodies, sizeof *s->body_rank);
    s->constraint_id = copy_of(map->constraint_id, constraints, sizeof *s->constraint_id);
    if (!s->body_id || !s->body_rank || !s->constraint_id) return mo_fail_memory(why);
    const mo_error error = check_part(s, why);
    if (error) return error;
    return mo_problem_compact(s->part, &s->compact) ? mo_fail_memory(why) : MO_OK;
}

static void count_whole(mo_spread *s)
{
    int64_t own[2] = {0, s->part->constraint_count}, all[2];
    for (int b = 0; b < s->part->body_count; ++b)
        own[0] += s->body_rank[b] == s->rank;
    MPI_Allreduce(own, all, 2, MPI_INT64_T, MPI_SUM, s->comm);
    s->body_total = all[0];
    s->constraint_total = all[1];
}

static mo_error arrange(mo_spread *s, mo_message *why)
{
    const mo_batch_order order = {s->colour_count, s->colour, s->is_outer};
    if (mo_batches_create(s->part, s->compact, &order, &s->batches)) return mo_fail_memory(why);
    const size_t numbers =
        (size_t)s->batches->batch_count * MO_LANES + (size_t)s->batches->row_count;
    const size_t constraints = (size_t)s->part->constraint_count;
    s->each = calloc((numbers > constraints ? numbers : constraints) + 1, sizeof *s->each);
    return s->each ? MO_OK : mo_fail_memory(why);
}

/* All ranks must choose the same kind of sweeps. */
static void share_friction(mo_spread *s)
{
    MPI_Allreduce(MPI_IN_PLACE, &s->batches->friction, 1, MPI_DOUBLE, MPI_MAX, s->comm);
}

mo_error mo_spread_create(MPI_Comm comm, mo_problem *part, const mo_spread_map *map,
                          mo_spread **out, mo_message *why)
{
    const mo_error error = mo_spread_borrow(comm, part, map, out, why);
    if (error)
        mo_problem_destroy(part);
    else
        (*out)->is_borrowed = 0;
    return error;
}

mo_error mo_spread_borrow(MPI_Comm comm, mo_problem *part, const mo_spread_map *map,
                          mo_spread **out, mo_message *why)
{
    mo_spread *s = calloc(1, sizeof *s);
    *out = NULL;
    mo_error error = mo_mpi_agree(comm, s ? MO_OK : mo_fail_memory(why), why);
    if (error) {
        free(s);
        return error;
    }
    s->comm = comm;
    s->part = part;
    s->is_borrowed = 1;
    MPI_Comm_rank(comm, &s->rank);
    MPI_Comm_size(comm, &s->size);
    mo_exact_init(&s->exact, comm);
    error = mo_mpi_agree(comm, take_part(s, map, why), why);
    if (!error) {
        count_whole(s);
        error = mo_mpi_agree(comm, place_uniform(s, why), why);
    }
    error = error ? error : mo_spread_find_holders(s, why);
    error = error ? error : mo_spread_colour(s, why);
    error = error ? error : mo_mpi_agree(comm, arrange(s, why), why);
    error = error ? error : mo_spread_make_exchange(s, why);
    if (!error) share_friction(s);
    if (error) {
        mo_spread_destroy(s);
        return error;
    }
    *out = s;
    return MO_OK;
}

void mo_spread_destroy(mo_spread *s)
{
    if (!s) return;
    for (int c = 0; s->exchange && c < s->colour_count; ++c)
        PetscSFDestroy(s->exchange + c);
    PetscSFDestroy(&s->holders);
    if (s->line) MPI_Type_free(&s->line);
    mo_exact_clear(&s->exact);
    mo_reduced_destroy(s->reduced);
    if (s->batches) mo_batches_destroy(&s->part->allocator, s->batches);
    if (!s->is_borrowed) mo_problem_destroy(s->part);
    free(s->exchange);
    free(s->body_id);
    free(s->body_rank);
    free(s->constraint_id);
    free(s->row_at);
    free(s->dof_at);
    free(s->holder_count);
    free(s->colour);
    free(s->is_outer);
    free(s->each);
    free(s);
}

/* ---- access ---------------------------------------------------------------------------------- */

const mo_problem *mo_spread_part(const mo_spread *s)
{
    return s->part;
}

int64_t mo_spread_body_count(const mo_spread *s)
{
    return s->body_total;
}

int64_t mo_spread_constraint_count(const mo_spread *s)
{
    return s->constraint_total;
}

int mo_spread_colour_count(const mo_spread *s)
{
    return s->colour_count;
}

void mo_spread_set_linear(mo_spread *s, mo_linear linear)
{
    s->linear = linear;
}

const uint32_t *mo_spread_body_ids(const mo_spread *s)
{
    return s->body_id;
}

const uint8_t *mo_spread_colours(const mo_spread *s)
{
    return s->colour;
}
