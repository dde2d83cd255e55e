/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * An orthonormal basis of the range of a symmetric, positive semidefinite matrix G.
 *
 * Cholesky with diagonal pivoting, P G P' = L L', ends at the rank k of G.  Gram-Schmidt makes the
 * rows of L' orthonormal: L' = R' Q', G = Q R R' Q'.
 *
 * Rows of G (n of them) and of Q have `ld` numbers, a multiple of four; those beyond n are zero.
 * Limits: a direction below 1e-9 of the largest pivot counts as dependent.
 */
#ifndef MO_LINALG_GRAM_H
#define MO_LINALG_GRAM_H

/* The lines of L' into Q; G is overwritten.  Returns k. */
int mo_gram_rank(int n, int ld, double *G, double *Q);

/* The k lines of Q become orthonormal; R is k x k, its upper triangle by lines; x has k numbers. */
void mo_gram_orthonormal(int k, int ld, double *Q, double *R, double *x);

/* x = Q y and y = Q' x for k lines of Q; y has `ld` numbers, those beyond n finite. */
void mo_gram_times(int k, int ld, const double *Q, const double *y, double *x);
void mo_gram_combine(int k, int ld, const double *x, const double *Q, double *y);

/* H -= V' E V, lower triangle; E is d x d and symmetric, V is d x k, x has k numbers. */
void mo_gram_subtract(int d, int k, const double *E, const double *V, double *x, double *H);

#endif
