/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Parallel loops, the only use of threads in the library.  A range is divided into chunks whose
 * bounds depend on its length alone, so a chunk computes the same bits for any number of threads.
 */
#ifndef MO_BASE_PARALLEL_H
#define MO_BASE_PARALLEL_H

enum { MO_CHUNK = 256 }; /* elements in a chunk; ranges up to one chunk never start a thread */

typedef void mo_range_fn(void *context, int begin, int end);

/* Calls fn on [begin, end) chunk by chunk, chunks starting at begin + k * MO_CHUNK. */
void mo_parallel_for(int threads, int begin, int end, mo_range_fn *fn, void *context);

/* Calls fn(context, k), k = 0 .. count - 1, in any order; the tasks must be independent. */
typedef void mo_task_fn(void *context, int task);
void mo_parallel_tasks(int threads, int count, mo_task_fn *fn, void *context);

/* The number of chunks in n elements: the length of an array of partial results. */
int mo_chunk_count(int n);

#endif
