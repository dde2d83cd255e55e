/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
#include "base/parallel.h"

#include "base/pace.h"

int mo_chunk_count(int n)
{
    return n / MO_CHUNK + (n % MO_CHUNK != 0);
}

void mo_parallel_for(int threads, int begin, int end, mo_range_fn *fn, void *context)
{
    const int chunks = mo_chunk_count(end - begin);
    if (threads <= 1 || chunks <= 1) {
        for (int c = 0; c < chunks; ++c) {
            const int from = begin + c * MO_CHUNK;
            mo_pace_at((uintptr_t)fn, 0);
            fn(context, from, end - from < MO_CHUNK ? end : from + MO_CHUNK);
        }
        mo_pace_at((uintptr_t)fn, 1);
        return;
    }
    mo_pace_hold(1);
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int c = 0; c < chunks; ++c) {
        const int from = begin + c * MO_CHUNK;
        fn(context, from, end - from < MO_CHUNK ? end : from + MO_CHUNK);
    }
    mo_pace_hold(0);
}

void mo_parallel_tasks(int threads, int count, mo_task_fn *fn, void *context)
{
    if (threads <= 1 || count <= 1) {
        for (int k = 0; k < count; ++k) {
            mo_pace_at((uintptr_t)fn, 0);
            fn(context, k);
        }
        mo_pace_at((uintptr_t)fn, 1);
        return;
    }
    mo_pace_hold(1);
#pragma omp parallel for num_threads(threads) schedule(dynamic)
    for (int k = 0; k < count; ++k)
        fn(context, k);
    mo_pace_hold(0);
}
