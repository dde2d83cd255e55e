/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Reduced problems in slabs: each rank reads a range of the entries of [W V; V' R] and sends them
 * to the owners of their rows.  Every rank has q, mu and s of all constraints, and r.
 */
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "reduced.h"
#include "slab.h"

static int constraint_count(const mo_slabs *s)
{
    return (int)s->contacts + s->joints.count;
}

/* Contacts, then joints; of a row of all. */
static int constraint_of(const mo_slabs *s, int row)
{
    return row < (int)s->rows ? row / s->d
                              : (int)s->contacts + mo_slab_part_of(&s->joints, row - (int)s->rows);
}

static int first_row(const mo_slabs *s, int constraint)
{
    const int joint = constraint - (int)s->contacts;
    return joint < 0 ? constraint * s->d : (int)s->rows + mo_slab_part_first(&s->joints, joint);
}

/* ---- the matrix ----------------------------------------------------------------------------- */

/* Entries of a matrix whose first row and column are these of the whole, transposed or not. */
static bool append(const mo_slab_entries *from, int row, int column, bool is_transposed,
                   mo_slab_entries *to)
{
    const size_t all = (size_t)to->count + (size_t)from->count;
    mo_slab_entry *at = all < INT_MAX ? realloc(to->at, (all + 1) * sizeof *at) : NULL;
    if (!at) return false;
    to->at = at;
    for (int k = 0; k < from->count; ++k) {
        mo_slab_entry own = from->at[k];
        const int32_t own_row = own.row, own_column = own.column;
        own.row = row + (is_transposed ? own_column : own_row);
        own.column = column + (is_transposed ? own_row : own_column);
        to->at[to->count++] = own;
    }
    return true;
}

/* V and R, behind the entries of W. */
static mo_error read_joints(mo_slabs *s, mo_slab_entries *W)
{
    const int rows = (int)s->rows;
    const mo_slab_parts contacts = {.count = (int)s->contacts, .width = s->d};
    mo_slab_entries V = {0}, R = {0};
    bool good = mo_slab_read_matrix(s, "V", s->rows, s->joint_rows, &V) &&
                mo_slab_read_matrix(s, "R", s->joint_rows, s->joint_rows, &R) &&
                append(&V, 0, rows, false, W) && append(&V, rows, 0, true, W) &&
                append(&R, rows, rows, false, W);
    mo_error error = mo_slab_agree(s, good);
    error = error ? error : mo_slab_cut_joints(s, &V, &contacts);
    free(V.at);
    free(R.at);
    return error;
}

static mo_error read_matrix(mo_slabs *s, mo_slab_entries *W)
{
    mo_error error = mo_slab_agree(s, mo_slab_read_matrix(s, "W", s->rows, s->rows, W));
    error = error || !s->joint_rows ? error : read_joints(s, W);
    for (int k = 0; !error && k < W->count; ++k) {
        W->at[k].contact = constraint_of(s, W->at[k].row);
        W->at[k].body = constraint_of(s, W->at[k].column);
    }
    return error;
}

/* The owner of each constraint: runs with about the same number of entries. */
static mo_error choose_owners(const mo_slabs *s, const mo_slab_entries *W, int *owner)
{
    const int count = constraint_count(s);
    int *entries = calloc((size_t)count + 1, sizeof *entries);
    const mo_error error = mo_mpi_agree(s->comm, entries ? MO_OK : MO_ERR_MEMORY, NULL);
    if (!error) {
        for (int k = 0; k < W->count; ++k)
            ++entries[W->at[k].contact];
        MPI_Allreduce(MPI_IN_PLACE, entries, count, MPI_INT, MPI_SUM, s->comm);
        mo_reduced_runs(count, entries, s->contact_home.size, owner);
    }
    free(entries);
    return error;
}

/* ---- the problem ---------------------------------------------------------------------------- */

/* The blocks of the row of a constraint, from its entries, which are sorted by column. */
static void add_row(const mo_slabs *s, const mo_slab_entry *e, int count, mo_builder *builder)
{
    const int row = first_row(s, e->contact), d = first_row(s, e->contact + 1) - row;
    double block[MO_FCLIB_JOINT_ROWS * MO_FCLIB_JOINT_ROWS];
    for (int k = 0; k < count; ++k) {
        const int column = first_row(s, e[k].body), n = first_row(s, e[k].body + 1) - column;
        if (k == 0 || e[k].body != e[k - 1].body) memset(block, 0, sizeof block);
        block[(e[k].row - row) * n + (e[k].column - column)] += e[k].value;
        if (k == count - 1 || e[k + 1].body != e[k].body)
            mo_builder_add_coupling(builder, e->contact, e[k].body, d, n, block);
    }
}

/* All constraints, with s of the joints, and the rows of this rank. */
static mo_error build(const mo_slabs *s, const mo_slab_runs *r, const double *of_joints,
                      const mo_slab_entries *W, mo_problem **part, mo_message *why)
{
    mo_builder *builder;
    const mo_law bilateral = mo_law_bilateral();
    if (mo_builder_create(NULL, &builder)) return mo_fail_memory(why);
    for (size_t c = 0; c < s->contacts; ++c) {
        const mo_law law = mo_slab_law(s, r, c);
        mo_builder_add_constraint(builder, s->d, &law, r->w + c * (size_t)s->d);
    }
    for (int j = 0; j < s->joints.count; ++j) {
        const int row = mo_slab_part_first(&s->joints, j);
        mo_builder_add_constraint(builder, mo_slab_part_first(&s->joints, j + 1) - row, &bilateral,
                                  of_joints + row);
    }
    mo_reduced_add_nothing(builder, first_row(s, 1));
    for (int first = 0, last = 0; first < W->count; first = last) {
        while (last < W->count && W->at[last].contact == W->at[first].contact)
            ++last;
        add_row(s, W->at + first, last - first, builder);
    }
    const mo_error error = mo_builder_finish(builder, part, why);
    mo_builder_destroy(builder);
    return error;
}

/* s of all joints, to be freed. */
static bool read_s(mo_slabs *s, double **of_joints)
{
    double *all = malloc((s->joint_rows + 1) * sizeof *all);
    bool good =
        all && (!s->joint_rows || mo_h5_read_run(&s->h, &s->vectors, "s", 0, s->joint_rows, all));
    for (size_t k = 0; good && k < s->joint_rows; ++k)
        good = isfinite(all[k]);
    *of_joints = all;
    return good;
}

mo_error mo_slab_read_reduced(mo_slabs *s, mo_spread **spread, mo_message *why)
{
    mo_slab_runs r = {0};
    mo_slab_entries W = {0};
    mo_problem *part = NULL;
    double *of_joints = NULL;
    int *owner = NULL;
    mo_error error =
        mo_slab_agree(s, mo_slab_read_runs(s, 0, s->contacts, &r) && read_s(s, &of_joints));
    error = error ? error : read_matrix(s, &W);
    if (!error) {
        owner = malloc(((size_t)constraint_count(s) + 1) * sizeof *owner);
        error = mo_mpi_agree(s->comm, owner ? MO_OK : MO_ERR_MEMORY, NULL);
    }
    error = error ? error : choose_owners(s, &W, owner);
    error = error ? error : mo_slab_send(s, &(mo_slab_homes){false, owner, NULL}, &W);
    mo_slab_sort(&W);
    error = error ? error : mo_mpi_agree(s->comm, build(s, &r, of_joints, &W, &part, why), why);
    free(r.w);
    free(W.at);
    free(of_joints);
    if (error) {
        mo_problem_destroy(part);
        free(owner);
        return error;
    }
    return mo_reduced_create(s->comm, part, owner, spread, why);
}
