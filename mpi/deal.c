/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* Distributes a problem that every rank has: each rank makes pieces of a range of it (pieces.h). */
#include <string.h>

#include "base/error.h"
#include "pieces.h"
#include "problem/views.h"
#include "reduced.h"

static double *put(double *at, size_t count, const double *from)
{
    memcpy(at, from, count * sizeof *at);
    return at + count;
}

static mo_error add_bodies(const mo_problem *whole, int first, int last, mo_piece_list *list)
{
    for (int b = first; b < last; ++b) {
        const mo_body_view body = mo_problem_body(whole, b);
        const size_t n = (size_t)body.dim;
        double *piece = mo_piece_add(list, 4 + n * n + n);
        if (!piece) return MO_ERR_MEMORY;
        const double head[4] = {b, body.dim, body.is_symmetric, whole->body_start[b]};
        put(put(put(piece, 4, head), n * n, body.M), n, body.f);
    }
    return MO_OK;
}

static mo_error add_constraints(const mo_problem *whole, int first, int last, mo_piece_list *list)
{
    for (int i = first; i < last; ++i) {
        const mo_constraint_view own = mo_problem_constraint(whole, i);
        size_t values = 0;
        for (int k = 0; k < own.block_count; ++k) {
            values +=
                (size_t)own.dim * (size_t)mo_body_dim(whole, mo_problem_block(whole, i, k).index);
        }
        double *piece = mo_piece_add(
            list, mo_piece_constraint_size(own.dim, &own.law, own.block_count, values));
        if (!piece) return MO_ERR_MEMORY;
        double *at =
            mo_piece_begin_constraint(piece, i, own.dim, whole->row_start[i], &own.law, own.w);
        *at++ = own.block_count;
        for (int k = 0; k < own.block_count; ++k) {
            const mo_block_view block = mo_problem_block(whole, i, k);
            const int n = mo_body_dim(whole, block.index);
            const double head[2] = {block.index, n};
            at = put(put(at, 2, head), (size_t)own.dim * (size_t)n, block.values);
        }
    }
    return MO_OK;
}

static int part_of(int total, int rank, int size)
{
    return (int)((int64_t)total * rank / size);
}

mo_error mo_spread_deal(MPI_Comm comm, const mo_problem *whole, mo_spread **spread, mo_message *why)
{
    int rank, size;
    mo_pieces pieces = {
        .body_total = whole->body_count, .rows = whole->row_count, .dofs = whole->dof_count};
    *spread = NULL;
    if (whole->form == MO_FORM_REDUCED) return mo_reduced_deal(comm, whole, spread, why);
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    mo_problem_write_rows(whole);
    mo_error error = add_bodies(whole, part_of(whole->body_count, rank, size),
                                part_of(whole->body_count, rank + 1, size), &pieces.bodies);
    error = error ? error
                  : add_constraints(whole, part_of(whole->constraint_count, rank, size),
                                    part_of(whole->constraint_count, rank + 1, size),
                                    &pieces.constraints);
    error = mo_mpi_agree(comm, error ? mo_fail_memory(why) : MO_OK, why);
    error = error ? error : mo_pieces_deal(comm, &pieces, spread, why);
    mo_pieces_clear(&pieces);
    return error;
}
