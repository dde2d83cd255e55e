/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * The layout of FCLIB files, shared by reader and writer.
 *
 *   /fclib_global, /fclib_global_rolling    M v = H r + G l + f,  u = H' v + w,  G' v + b = 0
 *       M, H, (G)                           matrices: m, n, nz, nzmax, p, i, x
 *       vectors/ f, w, mu, (mu_r), (b)
 *   /fclib_local, /fclib_local_rolling      u = W r + V l + q,  V' r + R l + s = 0
 *       W, (V, R)
 *       vectors/ q, mu, (mu_r), (s)
 *   each with spacedim and info/ title, description, math_info
 *   /solution                               v, u, r, l
 *   /guesses                                number_of_guesses, 1/, 2/ ... each like /solution
 *
 * A contact is `spacedim` consecutive columns of H (rows of W).  The columns of G, or of V, are
 * joints: in a problem they are bilateral constraints that follow the contacts, with r = l, and
 * w = b or s.  The vectors fix all sizes; the matrices are held against them.  See docs/formats.md.
 */
#ifndef MO_IO_FCLIB_H
#define MO_IO_FCLIB_H

#include "io/hdf5.h"
#include "moreau/io.h"

/* ---- sparse matrices, in pools --------------------------------------------------------------- */

/* Compressed columns; in each column the rows increase, and no entry is zero. */
typedef struct mo_sparse {
    int rows, columns;
    int *start;    /* columns + 1: column j has entries start[j] to start[j + 1] */
    int *row;      /* of each entry */
    double *value; /* of each entry */
} mo_sparse;

/* Entries in any order, all of them inside the matrix. */
typedef struct mo_entries {
    int *row, *column;
    double *value;
    size_t count;
} mo_entries;

/* An empty list with room for `room` entries, at most INT_MAX; false for lack of memory. */
bool mo_entries_make(mo_pool *pool, size_t room, mo_entries *entries);

/* Adds an entry unless it is zero. */
void mo_entries_add(mo_entries *entries, int row, int column, double value);

/* Adds all entries of a matrix, or of its transpose, shifted by this many rows and columns. */
void mo_entries_add_matrix(mo_entries *entries, const mo_sparse *matrix, bool transposed,
                           int row_shift, int column_shift);

/* Sorts entries into a matrix; equal places add up in their order.  False for lack of memory. */
bool mo_sparse_build(mo_pool *pool, int rows, int columns, const mo_entries *entries,
                     mo_sparse *matrix);

/* The number of entries; none for {0}. */
static inline int mo_sparse_count(const mo_sparse *matrix)
{
    return matrix->start ? matrix->start[matrix->columns] : 0;
}

/* ---- files ----------------------------------------------------------------------------------- */

/* One of the four kinds of problem that a file can hold. */
typedef struct mo_fclib_kind {
    const char *group; /* its name */
    bool is_global;    /* else local */
    bool is_rolling;
} mo_fclib_kind;

enum { MO_FCLIB_KINDS = 4 };
extern const mo_fclib_kind
    mo_fclib_kinds[MO_FCLIB_KINDS]; /* in the order in which they are tried */

/* Joint rows are put in blocks of at most this many. */
enum { MO_FCLIB_JOINT_ROWS = 6 };

/* Properties of a problem before its matrices are read. */
typedef struct mo_fclib_sizes {
    int d; /* spacedim */
    int contacts;
    int rows;   /* of the contacts: d contacts */
    int joints; /* rows of the joints */
    int dofs;   /* velocities; 0 in a local problem */
    bool is_global;
} mo_fclib_sizes;

/* A number of rows or columns, and the vector that has as many entries. */
typedef struct mo_fclib_size {
    int count;
    const char *vector;
} mo_fclib_size;

/* Reads a matrix group of this size. */
bool mo_fclib_read_matrix(mo_h5 *h, const mo_h5_group *parent, const char *name, mo_fclib_size rows,
                          mo_fclib_size columns, mo_document *document, mo_sparse *matrix);

/* A vector of numbers that must be finite. */
bool mo_fclib_read_vector(mo_h5 *h, const mo_h5_group *group, const char *name, size_t *count,
                          double **values);
bool mo_fclib_check_finite(mo_h5 *h, const mo_h5_group *group, const char *name, size_t count,
                           const double *values);

/* Appends one sentence to the document's notes; a failure of memory sticks to h. */
bool mo_fclib_note(mo_h5 *h, mo_document *document, const char *format, ...) MO_PRINTF(3, 4);

/* Rows cut into parts (bodies, constraints): part k has the rows start[k] to start[k + 1]. */
typedef struct mo_fclib_parts {
    int count;
    int *start;
    int *of; /* the part of each row */
} mo_fclib_parts;

/* `count` parts of `size` rows each, with room for one part per row. */
bool mo_fclib_make_parts(mo_h5 *h, int rows, int count, int size, mo_fclib_parts *parts);

/* Fills `of` from `start`. */
void mo_fclib_index_parts(mo_fclib_parts *parts);

/* Completes M if only one half of it is stored, and notes it. */
bool mo_fclib_complete_mass(mo_h5 *h, const char *place, mo_sparse *M, mo_document *document);

/* Cuts M into bodies; `group` is the number of velocities of a free body (3 or 6). */
bool mo_fclib_find_bodies(mo_h5 *h, const char *place, const mo_sparse *M, int group,
                          mo_fclib_parts *bodies);

/*
 * The blocks of a problem in one sparse matrix.  Column c of A, which is row c of u, belongs to the
 * constraint constraints.of[c], row i of A to the body or constraint across->of[i]; the blocks of
 * A, transposed, are Jacobians or couplings.
 */
typedef struct mo_fclib_blocks {
    mo_sparse A;
    mo_fclib_parts constraints;
    const mo_fclib_parts *across;
    bool are_couplings;
} mo_fclib_blocks;

/* Adds all blocks to the builder. */
bool mo_fclib_add_blocks(mo_h5 *h, const char *place, const mo_fclib_blocks *blocks,
                         mo_builder *builder);

/* Reads /solution and /guesses, where the file has them, into the document. */
bool mo_fclib_read_points(mo_h5 *h, const mo_h5_group *root, const mo_fclib_sizes *sizes,
                          mo_document *document);

#endif
