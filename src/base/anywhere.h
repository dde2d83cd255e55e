/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* MO_ANY: an inline function that C compilers take, and nvcc for both of its sides. */
#ifndef MO_BASE_ANYWHERE_H
#define MO_BASE_ANYWHERE_H

#ifdef __CUDACC__
#define MO_ANY static inline __host__ __device__
#else
#define MO_ANY static inline
#endif

#endif
