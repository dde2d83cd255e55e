/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Dense partial elimination of a matrix, and solves with it: the inner loops of sparse
 * factorisations.
 *
 * Row-major with `ld` numbers per row.  Rows are padded by MO_FRONT_PAD zeros that vector loops may
 * access.  Four-wide instructions with fused multiply-add are used if the processor has them; the
 * choice depends on the machine alone.  An elimination takes eight-wide ones, with the same bits.
 */
#ifndef MO_LINALG_FRONT_KERNEL_H
#define MO_LINALG_FRONT_KERNEL_H

#include <stdbool.h>

enum { MO_FRONT_PAD = 4 };

/*
 * F = [A B; C D], n x n, A pivots x pivots.  A becomes its L U with row exchanges (of A and B
 * together; row k was swapped with row swap[k]), B becomes L^-1 B, C becomes C U^-1, D becomes D -
 * C B.  False if A is singular.
 */
bool mo_front_eliminate(int pivots, int n, int ld, double *F, int *swap);

/* Solves with the result of an elimination of n pivots over m rows below: LU is n x n; L, the part
 * below, has n consecutive columns of m numbers, U, the part to the right, n rows of m.  Forward: x
 * = L^-1 x, and below = the contribution of the pivots to the rows below.  Backward: x = U^-1 (x -
 * U_right below). */
void mo_front_forward(int n, int m, const double *LU, const double *L, double *x, double *below);
void mo_front_backward(int n, int m, const double *LU, const double *U, const double *below,
                       double *x);

#endif
