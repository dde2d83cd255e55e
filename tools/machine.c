/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
#include "machine.h"

#include <omp.h>
#include <sys/resource.h>
#include <time.h>

double machine_clock(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

double machine_processor_clock(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

int machine_cores(void)
{
    return omp_get_num_procs();
}

double machine_peak_bytes(void)
{
    struct rusage usage;
    if (getrusage(RUSAGE_SELF, &usage) != 0) return 0;
#ifdef __APPLE__
    return (double)usage.ru_maxrss;
#else
    return 1024.0 * (double)usage.ru_maxrss;
#endif
}

/* Sixteen independent sums, so that memory limits the speed and not the latency of additions. */
static double sum(const double *x, size_t count)
{
    enum { LANES = 16 };
    double lane[LANES] = {0}, total = 0;
    for (size_t k = 0; k + LANES <= count; k += LANES)
        for (int j = 0; j < LANES; ++j)
            lane[j] += x[k + (size_t)j];
    for (int j = 0; j < LANES; ++j)
        total += lane[j];
    return total;
}

double machine_read(const double *buffer, size_t bytes, int threads)
{
    const size_t share = bytes / sizeof *buffer / (size_t)threads;
    double total = 0;
#pragma omp parallel for num_threads(threads) schedule(static) reduction(+ : total)
    for (int t = 0; t < threads; ++t)
        total += sum(buffer + (size_t)t * share, share);
    return total;
}

double machine_process_clock(void)
{
    return (double)clock() / CLOCKS_PER_SEC;
}
