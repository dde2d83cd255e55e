/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Qualifiers for code that both C compilers and nvcc compile, the latter for the GPU only.
 *
 * MO_ANY: an inline function in a header.  MO_OWN and MO_EVERYWHERE: a function of a source file
 * (device/narrow_sources.h), private or shared with other files.  MO_TABLE: constants of a file.
 */
#ifndef MO_BASE_ANYWHERE_H
#define MO_BASE_ANYWHERE_H

#ifdef __CUDACC__
#define MO_ANY static inline __device__
#define MO_OWN static __device__
#define MO_EVERYWHERE static __device__ __noinline__
#define MO_TABLE static __device__ const
#else
#define MO_ANY static inline
#define MO_OWN static
#define MO_EVERYWHERE
#define MO_TABLE static const
#endif

#endif
