/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * A problem that every rank has, dealt to them.
 *
 * Bodies go to ranks in runs of about the same number of constraints; numbers that are near each
 * other mostly belong to bodies that are.  A constraint goes to the owner of its first body.  Those
 * of a body with many (HUB) all go to rank 0, as what fits no colour must be on one rank.
 */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "problem/views.h"
#include "reduced.h"

enum { HUB = MO_COLOUR_REST / 2 }; /* two bodies with fewer constraints leave a colour free */

typedef struct dealer {
    const mo_problem *whole;
    int rank, size;
    int *degree;     /* constraints of each body                          */
    int *owner;      /* of each body                                      */
    int *number;     /* of each body in the part, or -1                   */
    int constraints; /* of the part                                       */
    int64_t *id;     /* of each constraint of the part: its number        */
    int bodies;      /* of the part                                       */
    uint32_t *body_id;
    int *body_rank;
} dealer;

static void count_degrees(dealer *d)
{
    const mo_problem *whole = d->whole;
    for (int k = 0; k < whole->block_start[whole->constraint_count]; ++k) {
        ++d->degree[whole->block_index[k]];
    }
}

/* Runs with the same weight; a body weighs 1 and its constraints one each. */
static void choose_owners(dealer *d)
{
    const mo_problem *whole = d->whole;
    const double blocks = whole->block_start[whole->constraint_count];
    const double share = (blocks + whole->body_count) / d->size;
    double before = 0;
    for (int b = 0; b < whole->body_count; ++b) {
        const int rank = (int)(before / share);
        d->owner[b] = rank < d->size ? rank : d->size - 1;
        before += 1 + d->degree[b];
    }
}

static int rank_of(const dealer *d, int constraint)
{
    const mo_problem *whole = d->whole;
    const int first = whole->block_start[constraint], last = whole->block_start[constraint + 1];
    for (int k = first; k < last; ++k) {
        if (d->degree[whole->block_index[k]] >= HUB) {
            return 0;
        }
    }
    return first < last ? d->owner[whole->block_index[first]] : 0;
}

/* Numbers of the bodies and constraints of the part, in the order of the whole. */
static void choose_part(dealer *d)
{
    const mo_problem *whole = d->whole;
    for (int b = 0; b < whole->body_count; ++b) {
        d->number[b] = d->owner[b] == d->rank ? 0 : -1;
    }
    for (int i = 0; i < whole->constraint_count; ++i) {
        if (rank_of(d, i) == d->rank) {
            d->id[d->constraints++] = i;
            for (int k = whole->block_start[i]; k < whole->block_start[i + 1]; ++k) {
                d->number[whole->block_index[k]] = 0;
            }
        }
    }
    for (int b = 0; b < whole->body_count; ++b) {
        if (d->number[b] == 0) {
            d->number[b] = d->bodies;
            d->body_id[d->bodies] = (uint32_t)b;
            d->body_rank[d->bodies++] = d->owner[b];
        }
    }
}

static mo_error build_part(const dealer *d, mo_problem **part, mo_message *why)
{
    mo_builder *builder;
    if (mo_builder_create(NULL, &builder)) {
        return mo_fail_memory(why);
    }
    for (int k = 0; k < d->bodies; ++k) {
        const mo_body_view body = mo_problem_body(d->whole, (int)d->body_id[k]);
        if (body.is_symmetric) {
            mo_builder_add_body(builder, body.dim, body.M, body.f);
        } else {
            mo_builder_add_unsymmetric_body(builder, body.dim, body.M, body.f);
        }
    }
    for (int k = 0; k < d->constraints; ++k) {
        const int i = (int)d->id[k];
        const mo_constraint_view own = mo_problem_constraint(d->whole, i);
        const int number = mo_builder_add_constraint(builder, own.dim, &own.law, own.w);
        for (int j = 0; j < own.block_count; ++j) {
            const mo_block_view block = mo_problem_block(d->whole, i, j);
            mo_builder_add_jacobian(builder, number, d->number[block.index], own.dim,
                                    mo_body_dim(d->whole, block.index), block.values);
        }
    }
    const mo_error error = mo_builder_finish(builder, part, why);
    mo_builder_destroy(builder);
    return error;
}

/* Where rows and velocities lie in the whole. */
static mo_error place(const dealer *d, mo_spread *s, mo_message *why)
{
    free(s->row_at);
    free(s->dof_at);
    s->row_at = malloc(((size_t)d->constraints + 1) * sizeof *s->row_at);
    s->dof_at = malloc(((size_t)d->bodies + 1) * sizeof *s->dof_at);
    if (!s->row_at || !s->dof_at) {
        return mo_fail_memory(why);
    }
    for (int k = 0; k < d->constraints; ++k) {
        s->row_at[k] = d->whole->row_start[d->id[k]];
    }
    for (int k = 0; k < d->bodies; ++k) {
        s->dof_at[k] = d->whole->body_start[d->body_id[k]];
    }
    s->whole_rows = d->whole->row_count;
    s->whole_dofs = d->whole->dof_count;
    return MO_OK;
}

static int make_room(dealer *d)
{
    const size_t bodies = (size_t)d->whole->body_count + 1;
    d->degree = calloc(bodies, sizeof *d->degree);
    d->owner = malloc(bodies * sizeof *d->owner);
    d->number = malloc(bodies * sizeof *d->number);
    d->body_id = malloc(bodies * sizeof *d->body_id);
    d->body_rank = malloc(bodies * sizeof *d->body_rank);
    d->id = malloc(((size_t)d->whole->constraint_count + 1) * sizeof *d->id);
    return d->degree && d->owner && d->number && d->body_id && d->body_rank && d->id;
}

static mo_error deal_out(dealer *d, MPI_Comm comm, mo_spread **spread, mo_message *why)
{
    mo_problem *part = NULL;
    count_degrees(d);
    choose_owners(d);
    choose_part(d);
    const mo_spread_map map = {d->body_id, d->body_rank, d->id};
    mo_error error = mo_mpi_agree(comm, build_part(d, &part, why), why);
    if (error) {
        mo_problem_destroy(part);
        return error;
    }
    error = mo_spread_create(comm, part, &map, spread, why);
    if (!error) {
        error = mo_mpi_agree(comm, place(d, *spread, why), why);
    }
    if (error) {
        mo_spread_destroy(*spread);
        *spread = NULL;
    }
    return error;
}

mo_error mo_spread_deal(MPI_Comm comm, const mo_problem *whole, mo_spread **spread, mo_message *why)
{
    dealer d = {.whole = whole};
    *spread = NULL;
    MPI_Comm_rank(comm, &d.rank);
    MPI_Comm_size(comm, &d.size);
    mo_error error = MO_OK;
    if (whole->form == MO_FORM_REDUCED) {
        return mo_reduced_deal(comm, whole, spread, why);
    }
    if (!make_room(&d)) {
        error = mo_fail_memory(why);
    } else {
        mo_problem_write_rows(whole);
    }
    error = mo_mpi_agree(comm, error, why);
    error = error ? error : deal_out(&d, comm, spread, why);
    free(d.degree);
    free(d.owner);
    free(d.number);
    free(d.body_id);
    free(d.body_rank);
    free(d.id);
    return error;
}
