/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Sparse LU factorisation of a block matrix by the multifrontal method [duff1983].
 *
 * Block (i, j) is dim_i x dim_j; the pattern is made symmetric.  A plan contains what depends on
 * the pattern alone: nodes (blocks with the same neighbours), their minimum-degree order
 * (min_degree.h), and fronts (nodes that are eliminated together because they fill nearly the same
 * rows).
 *
 * A front is a small dense matrix of its pivots and the rows that they fill.  It assembles its
 * entries of the matrix and the contributions of its children, eliminates its pivots with row
 * exchanges (front_kernel.h), stores its part of L and U, and passes the rest to its parent.
 *
 * A factorisation may leave blocks out (open contacts): fronts then shrink without a new plan.
 *
 * Limits: rows are exchanged within a front only, so a regular matrix may have a singular pivot
 * block.
 */
#ifndef MO_LINALG_FRONT_H
#define MO_LINALG_FRONT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/memory.h"

/* Row i holds the blocks index[start[i]] .. index[start[i+1]], row-major, in this order. */
typedef struct mo_block_pattern {
    int count;
    const int *dim;
    const int *start, *index;
} mo_block_pattern;

typedef struct mo_front_entry {
    int row, column; /* blocks */
    size_t value;    /* offset of its first number */
} mo_front_entry;

typedef struct mo_front_plan {
    int block_count, node_count, front_count;
    int rows;    /* of the matrix */
    int *dim;    /* of each block */
    int *offset; /* of each block's rows in the caller's vectors */
    int *node;   /* of each block; nodes are numbered in the order of elimination */
    int *node_start, *node_block; /* the blocks of node k: node_block[node_start[k]] .. */
    int *pivot_start; /* nodes pivot_start[s] .. pivot_start[s+1] are the pivots of front s */
    int *row_start, *row_node; /* the nodes that they fill, rising */
    int *parent;               /* of each front, or -1; children come first */
    int *entry_start;          /* of each front: its entries of the matrix */
    mo_front_entry *entry;
    size_t factor_size, stack_size; /* numbers, with all blocks present */
    int largest;                    /* rows of the largest front */
    double flops;                   /* of a factorisation */
    size_t bytes;
    void *memory;
} mo_front_plan;

mo_error mo_front_plan_create(const mo_allocator *allocator, const mo_block_pattern *pattern,
                              mo_front_plan **plan);
void mo_front_plan_destroy(const mo_allocator *allocator, mo_front_plan *plan);

typedef struct mo_front_lu {
    const mo_front_plan *plan;
    double *factors, *stack, *front, *work, *x;
    int *local;          /* of each block: its first row within its node, or -1 if it is left out */
    int *node_rows;      /* of each node, without blocks that are left out */
    int *node_offset;    /* of each node: its first row in x */
    int *where;          /* of each node: its first row in the present front */
    int *pivots, *below; /* rows of each front */
    int *swap;           /* the row exchanges, by row of x */
    int *waiting;        /* fronts on the stack */
    int *run;            /* scratch: three numbers for each node of a front */
} mo_front_lu;

/* Takes the numbers from an arena. */
void mo_front_lu_layout(const mo_front_plan *plan, mo_arena *arena, mo_front_lu *lu);

/*
 * Factors the matrix with the given values in the order of the pattern, plus a block diagonal where
 * `diagonal` is not NULL: block i at diagonal + diagonal_start[i].  Blocks whose `active` is 0 are
 * left out (NULL: none).  False if a pivot block is singular.
 */
bool mo_front_lu_factor(mo_front_lu *lu, const double *values, const double *diagonal,
                        const size_t *diagonal_start, const uint8_t *active);

/* The sign of the determinant of the factored matrix. */
int mo_front_lu_sign(const mo_front_lu *lu);

/* x = A^-1 x on the active blocks; the others are unchanged. */
void mo_front_lu_solve(const mo_front_lu *lu, double *x);

#endif
