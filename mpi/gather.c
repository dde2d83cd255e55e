/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* The whole r and v on rank 0. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "spread.h"

/* Numbers and their places in the whole. */
typedef struct list {
    int count;
    int64_t *place;
    double *value;
} list;

static void add(list *l, int64_t place, int count, const double *from)
{
    for (int k = 0; k < count; ++k, ++l->count) {
        l->place[l->count] = place + k;
        l->value[l->count] = from[k];
    }
}

/* Rank 0 receives all lists and puts the numbers where they belong. */
static mo_error collect(const mo_spread *s, const list *own, double *whole, mo_message *why)
{
    int *count = calloc(2 * (size_t)s->size + 1, sizeof *count), *start = count + s->size;
    list all = {0};
    mo_error error = mo_mpi_agree(s->comm, count ? MO_OK : mo_fail_memory(why), why);
    if (error) {
        free(count);
        return error;
    }
    MPI_Gather(&own->count, 1, MPI_INT, count, 1, MPI_INT, 0, s->comm);
    for (int k = 0; s->rank == 0 && k < s->size; ++k) {
        start[k] = all.count;
        all.count += count[k];
    }
    all.place = malloc(((size_t)all.count + 1) * sizeof *all.place);
    all.value = malloc(((size_t)all.count + 1) * sizeof *all.value);
    error = mo_mpi_agree(s->comm, all.place && all.value ? MO_OK : mo_fail_memory(why), why);
    if (!error) {
        MPI_Gatherv(own->place, own->count, MPI_INT64_T, all.place, count, start, MPI_INT64_T, 0,
                    s->comm);
        MPI_Gatherv(own->value, own->count, MPI_DOUBLE, all.value, count, start, MPI_DOUBLE, 0,
                    s->comm);
        for (int k = 0; k < all.count; ++k)
            whole[all.place[k]] = all.value[k];
    }
    free(count);
    free(all.place);
    free(all.value);
    return error;
}

mo_error mo_spread_gather(const mo_spread *s, const mo_result *result, double *r, double *v)
{
    const mo_problem *part = s->part;
    if (s->reduced) { /* r is on all ranks */
        memcpy(r, result->r, (size_t)part->row_count * sizeof *r);
        return MO_OK;
    }
    const size_t most = (size_t)part->row_count + (size_t)part->dof_count + 1;
    if (!s->row_at || s->whole_rows + s->whole_dofs > INT_MAX) return MO_ERR_UNSUPPORTED;
    list l = {0, malloc(most * sizeof *l.place), malloc(most * sizeof *l.value)};
    mo_error error = mo_mpi_agree(s->comm, l.place && l.value ? MO_OK : MO_ERR_MEMORY, NULL);
    if (!error) {
        for (int i = 0; i < part->constraint_count; ++i)
            add(&l, s->row_at[i], mo_constraint_dim(part, i), result->r + part->row_start[i]);
        error = collect(s, &l, r, NULL);
        l.count = 0;
        for (int b = 0; b < part->body_count; ++b)
            if (s->body_rank[b] == s->rank)
                add(&l, s->dof_at[b], mo_body_dim(part, b), result->v + part->body_start[b]);
        error = error ? error : collect(s, &l, v, NULL);
    }
    free(l.place);
    free(l.value);
    return error;
}
