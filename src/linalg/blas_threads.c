/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
#include "linalg/blas_threads.h"

#include <pthread.h>
#include <stddef.h>

#if defined(__ELF__)
__attribute__((weak)) void openblas_set_num_threads(int threads);
__attribute__((weak)) int openblas_get_num_threads(void);
#define IS_OPENBLAS (openblas_set_num_threads != NULL && openblas_get_num_threads != NULL)
#else
#define IS_OPENBLAS 0
static void openblas_set_num_threads(int threads)
{
    (void)threads;
}
static int openblas_get_num_threads(void)
{
    return 1;
}
#endif

/* The setting is global to the process, and so is the saved value. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int calls, callers_threads;

void mo_blas_threads_begin(void)
{
    if (!IS_OPENBLAS) return;
    pthread_mutex_lock(&lock);
    if (calls++ == 0) {
        callers_threads = openblas_get_num_threads();
        if (callers_threads != 1) openblas_set_num_threads(1);
    }
    pthread_mutex_unlock(&lock);
}

void mo_blas_threads_end(void)
{
    if (!IS_OPENBLAS) return;
    pthread_mutex_lock(&lock);
    if (--calls == 0 && callers_threads != 1) openblas_set_num_threads(callers_threads);
    pthread_mutex_unlock(&lock);
}
