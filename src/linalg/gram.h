/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * An orthonormal basis of the range of a symmetric, positive semidefinite matrix G.
 *
 * Cholesky's factors with diagonal pivots, P G P' = L L', end at the rank k of G.  Gram and
 * Schmidt's method makes the lines of L' orthonormal: L' = R' Q', G = Q R R' Q'.
 *
 * Lines of G (n of them) and of Q have `ld` numbers, a multiple of four; those beyond n are zero.
 * Limits: a direction below 1e-9 of the largest pivot counts as dependent.
 */
#ifndef MO_LINALG_GRAM_H
#define MO_LINALG_GRAM_H

/* Q (k x ld) and R (k x k, upper triangle by lines) of G, which is overwritten.  Returns k. */
int mo_gram_factor(int n, int ld, double *G, double *Q, double *R);

/* Line and column a of H = Q' J Q up to the diagonal, from the line x of Q' J; `shift` is added to
 * the diagonal. */
void mo_gram_line(int a, int k, int ld, const double *x, const double *Q, double shift, double *H);

#endif
