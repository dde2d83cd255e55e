/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Restricts OpenBLAS to one thread inside library calls, since the rounding of its sums depends on
 * the number of threads.  The setting is global to the process: it is saved when the first library
 * call begins and restored when the last one ends.  Other BLAS libraries are not changed.
 */
#ifndef MO_LINALG_BLAS_THREADS_H
#define MO_LINALG_BLAS_THREADS_H

void mo_blas_threads_begin(void);
void mo_blas_threads_end(void);

#endif
