/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* Nonnegative least squares by active sets [lawson1974, chapter 23]: min |A y - d|, y >= 0, small
 * and dense. */
#ifndef MO_CERTIFICATE_NNLS_H
#define MO_CERTIFICATE_NNLS_H

#include <stddef.h>

/*
 * A has m rows and k columns, one column after the other.  residual = d - A y.  work: mo_nnls_work
 * doubles; passive: 2 k integers.  Ends after 6 (m + k) rounds at the latest.
 */
size_t mo_nnls_work(int m, int k);
void mo_nnls(int m, int k, const double *A, const double *d, double *y, double *residual,
             double *work, int *passive);

#endif
