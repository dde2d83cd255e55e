/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Reduced problems in slabs: each rank reads a range of the entries of W and sends them to the
 * owners of their rows.  Every rank has q and mu of all contacts, and r.
 */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "reduced.h"
#include "slab.h"

/* The owner of each contact: runs with about the same number of entries of W. */
static mo_error choose_owners(const mo_slabs *s, const mo_slab_entries *W, int *owner)
{
    const int count = (int)s->contacts;
    int *entries = calloc((size_t)count + 1, sizeof *entries);
    const mo_error error = mo_mpi_agree(s->comm, entries ? MO_OK : MO_ERR_MEMORY, NULL);
    if (!error) {
        for (int k = 0; k < W->count; ++k) {
            ++entries[W->at[k].row / s->d];
        }
        MPI_Allreduce(MPI_IN_PLACE, entries, count, MPI_INT, MPI_SUM, s->comm);
        mo_reduced_runs(count, entries, s->constraints.size, owner);
    }
    free(entries);
    return error;
}

/* The blocks of the row of a contact, from its entries, which are sorted by column. */
static void add_row(const mo_slabs *s, int contact, const mo_slab_entry *e, int count,
                    mo_builder *builder)
{
    const int d = s->d;
    double block[25];
    for (int k = 0; k < count; ++k) {
        if (k == 0 || e[k].body != e[k - 1].body) {
            memset(block, 0, sizeof block);
        }
        block[e[k].row % d * d + e[k].column % d] += e[k].value;
        if (k == count - 1 || e[k + 1].body != e[k].body) {
            mo_builder_add_coupling(builder, contact, e[k].body, d, d, block);
        }
    }
}

/* All contacts, and the rows of W of this rank. */
static mo_error build(const mo_slabs *s, const mo_slab_runs *r, const mo_slab_entries *W,
                      mo_problem **part, mo_message *why)
{
    mo_builder *builder;
    if (mo_builder_create(NULL, &builder)) {
        return mo_fail_memory(why);
    }
    for (size_t c = 0; c < s->contacts; ++c) {
        const mo_law law = mo_slab_law(s, r, c);
        mo_builder_add_constraint(builder, s->d, &law, r->w + c * (size_t)s->d);
    }
    mo_reduced_add_nothing(builder, s->d);
    for (int first = 0, last = 0; first < W->count; first = last) {
        while (last < W->count && W->at[last].contact == W->at[first].contact) {
            ++last;
        }
        add_row(s, W->at[first].contact, W->at + first, last - first, builder);
    }
    const mo_error error = mo_builder_finish(builder, part, why);
    mo_builder_destroy(builder);
    return error;
}

mo_error mo_slab_read_reduced(mo_slabs *s, mo_spread **spread, mo_message *why)
{
    mo_slab_runs r = {0};
    mo_slab_entries W = {0};
    mo_problem *part = NULL;
    int *owner = malloc(s->contacts * sizeof *owner);
    mo_error error = mo_slab_agree(s, owner && mo_slab_read_runs(s, 0, s->contacts, &r) &&
                                          mo_slab_read_matrix(s, "W", s->rows, s->rows, &W));
    error = error ? error : choose_owners(s, &W, owner);
    error = error ? error : mo_slab_send(s, &(mo_slab_homes){true, s->d, owner, NULL}, &W);
    for (int k = 0; !error && k < W.count; ++k) {
        W.at[k].contact = W.at[k].row / s->d;
        W.at[k].body = W.at[k].column / s->d;
    }
    mo_slab_sort(&W);
    error = error ? error : mo_mpi_agree(s->comm, build(s, &r, &W, &part, why), why);
    free(r.w);
    free(W.at);
    if (error) {
        mo_problem_destroy(part);
        free(owner);
        return error;
    }
    return mo_reduced_create(s->comm, part, owner, spread, why);
}
