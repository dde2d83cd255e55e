/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * OpenBLAS is kept to one thread inside the library's calls, whatever the caller's environment
 * says: its sums depend on the number of threads, and ours must not.  Its number is one for the
 * whole process, so it is saved when the first of our calls begins and set back when the last one
 * ends.  Another BLAS is left as it is.
 */
#ifndef MO_LINALG_BLAS_THREADS_H
#define MO_LINALG_BLAS_THREADS_H

void mo_blas_threads_begin(void);
void mo_blas_threads_end(void);

#endif
