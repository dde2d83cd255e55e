/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * A matrix with two unknowns per row of W and the symmetrised pattern of W, for [I A'; A -delta I]
 * where A has the pattern of W.  Block i contains (x_i, y_i).
 */
#ifndef MO_GRADIENT_PAIR_MATRIX_H
#define MO_GRADIENT_PAIR_MATRIX_H

#include "linalg/front.h"
#include "problem/problem_data.h"

typedef struct mo_pair_pattern {
    int count;
    int *dim;           /* two a row of W */
    int *start, *index; /* of each block: its columns, rising, itself among them  */
    size_t *value;      /* of each entry: its first number */
    size_t value_count;
    mo_front_plan *plan;
} mo_pair_pattern;

mo_error mo_pair_pattern_create(const mo_allocator *allocator, const mo_problem *W,
                                mo_pair_pattern *pattern);
void mo_pair_pattern_clear(const mo_allocator *allocator, mo_pair_pattern *pattern);

/* The first number of block (i, j), row-major; the pair must be in the pattern of W, in either
 * order. */
size_t mo_pair_pattern_find(const mo_pair_pattern *pattern, int i, int j);

#endif
