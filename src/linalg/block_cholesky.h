/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Sparse Cholesky factorisation of a symmetric positive definite matrix of dense blocks: A = L L'.
 *
 * A plan holds what depends on the pattern alone: an order of elimination (min_degree.h) and the pattern of
 * L.  It is made once; the numbers live in an array of plan->value_count doubles that the caller provides, so
 * that nothing is allocated between factorisations.  Blocks are numbered by the caller, and vectors are in the
 * caller's order throughout.
 *
 * Use: mo_block_clear, add every block of the lower or upper half with mo_block_find, mo_block_factor, then
 * mo_block_solve for as many right sides as there are.
 */
#ifndef MO_LINALG_BLOCK_CHOLESKY_H
#define MO_LINALG_BLOCK_CHOLESKY_H

#include <stdbool.h>

#include "linalg/min_degree.h"

typedef struct mo_block_plan {
    int count; /* blocks                                                      */
    int size;  /* rows of the matrix                                          */
    int *order;      /* order[k]: the block that is k-th in the elimination  */
    int *place;      /* its inverse                                          */
    int *dim;        /* rows of the k-th block                               */
    int *offset;     /* of the k-th block's rows in the caller's vectors     */
    int *start;      /* column k holds row[start[k]] .. row[start[k+1]], rising, k first */
    int *row;
    size_t *value;   /* of each entry of `row`: dim[row] x dim[k] numbers, row-major */
    size_t value_count;
    double flops;    /* of a factorisation                                   */
    size_t bytes;
} mo_block_plan;

mo_error mo_block_plan_create(const mo_allocator *allocator, const mo_graph *graph, mo_block_plan **plan);
void mo_block_plan_destroy(const mo_allocator *allocator, mo_block_plan *plan);

void mo_block_clear(const mo_block_plan *plan, double *values);

/*
 * Where block (i, j) of A is kept, as an offset into the values.  Only one of (i, j) and (j, i) is kept:
 * *transposed says that it is (j, i).  The pair must be an edge of the graph, or i = j.
 */
size_t mo_block_find(const mo_block_plan *plan, int i, int j, bool *transposed);

/* Ints of scratch that mo_block_factor needs. */
size_t mo_block_ints(const mo_block_plan *plan);

/* A -> L in place; false where A is not positive definite, and the values are then spoilt. */
bool mo_block_factor(const mo_block_plan *plan, double *values, int *ints);

/* x = A^-1 x. */
void mo_block_solve(const mo_block_plan *plan, const double *values, double *x);

#endif
