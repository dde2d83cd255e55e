/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Dense elimination of the first rows and columns of a matrix, the inner loop of sparse factorisations.
 *
 * Row-major with `ld` numbers a row.  Rows have MO_FRONT_PAD numbers more than columns, zero at first, that the wide loops may
 * touch.  Where the processor has them, instructions for four numbers at once with fused products are used: the
 * choice depends on the machine alone.
 */
#ifndef MO_LINALG_FRONT_KERNEL_H
#define MO_LINALG_FRONT_KERNEL_H

#include <stdbool.h>

enum { MO_FRONT_PAD = 4 };

/*
 * F = [A B; C D], n x n, A pivots x pivots.  A becomes its L U with row exchanges (of A and B together; row k was swapped with row swap[k]),
 * B becomes L^-1 B, C becomes C U^-1, D becomes D - C B.  False where A is singular.
 */
bool mo_front_eliminate(int pivots, int n, int ld, double *F, int *swap);

#endif
