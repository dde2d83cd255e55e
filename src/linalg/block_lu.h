/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Sparse LU factorisation of a matrix of dense blocks with a symmetric pattern and any values: A = L U, L unit
 * lower and U upper block triangular, without pivoting between blocks.
 *
 * It shares the plan of block_cholesky.h.  The numbers live in two arrays of plan->value_count doubles: the block (i, k)
 * below the diagonal in `lower`, the block (k, i) above it at the same offset in `upper`; diagonal blocks are in `lower`.
 * A factorisation may leave blocks out (contacts that are apart): the fill of what is left is part of the
 * fill of the whole, so that nothing is planned anew when the active set changes.
 */
#ifndef MO_LINALG_BLOCK_LU_H
#define MO_LINALG_BLOCK_LU_H

#include <stdint.h>

#include "linalg/block_cholesky.h"

typedef struct mo_block_lu {
    const mo_block_plan *plan;
    double *lower, *upper;
    const uint8_t *active; /* for each block of the caller; NULL: all */
    int *ints;             /* mo_block_ints(plan)                     */
} mo_block_lu;

/* All values zero. */
void mo_block_lu_clear(const mo_block_lu *lu);

/* The place of block (i, j), d_i x d_j row-major. */
double *mo_block_lu_place(const mo_block_lu *lu, int i, int j);

/* In place; false where a diagonal block is singular. */
bool mo_block_lu_factor(const mo_block_lu *lu);

/* x = A^-1 x on the active blocks; the others are left alone. */
void mo_block_lu_solve(const mo_block_lu *lu, double *x);

#endif
