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

/* Consecutive rows, cut into parts of `width` each; or, with start, part k has the rows start[k] ..
 * start[k + 1]. */
typedef struct mo_slab_parts {
    int count, width;
    int *start;
} mo_slab_parts;

typedef struct mo_slabs {
    MPI_Comm comm;
    mo_allocator allocator;
    mo_h5 h;
    mo_h5_group root, top, vectors;
    const mo_fclib_kind *kind;
    int d;                                   /* rows of a contact */
    size_t rows, dofs, contacts, joint_rows; /* rows: of the contacts */
    mo_slab_parts bodies, joints;            /* velocities; rows of joints */
    mo_home body_home, contact_home;         /* runs of bodies and contacts */
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

/* slab_parts.c: the part of a row, and its first row. */
int mo_slab_part_of(const mo_slab_parts *parts, int row);
int mo_slab_part_first(const mo_slab_parts *parts, int k);

/* M cut into bodies; `group` is the number of velocities of a free one.  MO_ERR_UNSUPPORTED: one is
 * too large. */
mo_error mo_slab_cut_bodies(mo_slabs *s, const mo_slab_entries *M, int group);

/* Rows of joints into constraints: columns of G or V that touch the same parts of the rows. */
mo_error mo_slab_cut_joints(mo_slabs *s, const mo_slab_entries *G, const mo_slab_parts *by);

/* Entries go to the owners or homes of their bodies, or of their contacts, and become those that
 * come. */
typedef struct mo_slab_homes {
    bool by_body;
    const int *owner; /* or NULL: */
    const mo_home *home;
} mo_slab_homes;

mo_error mo_slab_send(const mo_slabs *s, const mo_slab_homes *homes, mo_slab_entries *own);

/* By contact, then by body, then in the order of the file. */
void mo_slab_sort(mo_slab_entries *entries);

/* w or q, mu and mu_r of a run of contacts; false where one is out of range.  w is to be freed. */
bool mo_slab_read_runs(mo_slabs *s, size_t first, size_t count, mo_slab_runs *r);

/* The law of a contact of the run. */
mo_law mo_slab_law(const mo_slabs *s, const mo_slab_runs *r, size_t contact);

/* MO_ERR_UNSUPPORTED on all ranks where it is not good on one. */
mo_error mo_slab_agree(const mo_slabs *s, bool is_good);

/* slab_reduced.c: a reduced problem. */
mo_error mo_slab_read_reduced(mo_slabs *s, mo_spread **spread, mo_message *why);

#endif
