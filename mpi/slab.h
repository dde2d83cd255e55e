/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* FCLIB files in slabs, internally: what the readers of global and reduced problems share. */
#ifndef MOREAU_MPI_SLAB_H
#define MOREAU_MPI_SLAB_H

#include "io/fclib.h"
#include "partition.h"
#include "pieces.h"

typedef struct mo_slab_entry {
    int32_t row, column;
    double value;
    int64_t order;         /* in which it came */
    int32_t contact, body; /* of its block; in a reduced problem `body` is the other contact */
} mo_slab_entry;

typedef struct mo_slab_entries {
    mo_slab_entry *at;
    int count;
} mo_slab_entries;

typedef struct mo_slabs {
    MPI_Comm comm;
    mo_allocator allocator;
    mo_h5 h;
    mo_h5_group root, top, vectors;
    const mo_fclib_kind *kind;
    int d, group; /* rows of a contact, velocities of a body */
    size_t rows, dofs, contacts;
    mo_home bodies, constraints; /* runs of both */
    mo_pieces pieces;
} mo_slabs;

/* A run of contacts. */
typedef struct mo_slab_runs {
    double *w, *mu, *mu_r;
} mo_slab_runs;

/* slab_matrix.c: entries of this rank's part of a matrix that must have this size; zeros are left
 * out. */
bool mo_slab_read_matrix(mo_slabs *s, const char *name, size_t rows, size_t columns,
                         mo_slab_entries *out);

/* Where entries go: blocks of so many rows, or columns, to their owners or homes. */
typedef struct mo_slab_homes {
    bool by_row;
    int width;
    const int *owner; /* of each block, or NULL: */
    const mo_home *home;
} mo_slab_homes;

/* The entries become those that come. */
mo_error mo_slab_send(const mo_slabs *s, const mo_slab_homes *homes, mo_slab_entries *own);

/* By contact, then by body, then in the order of the file. */
void mo_slab_sort(mo_slab_entries *entries);

/* w or q, mu and mu_r of a run of contacts; false where one is out of range.  w is to be freed. */
bool mo_slab_read_runs(mo_slabs *s, size_t first, size_t count, mo_slab_runs *r);

/* The law of a contact of the run. */
mo_law mo_slab_law(const mo_slabs *s, const mo_slab_runs *r, size_t contact);

/* MO_ERR_UNSUPPORTED on all ranks where it is not good on one. */
mo_error mo_slab_agree(const mo_slabs *s, bool is_good);

/* slab_reduced.c: a reduced problem without joints. */
mo_error mo_slab_read_reduced(mo_slabs *s, mo_spread **spread, mo_message *why);

#endif
