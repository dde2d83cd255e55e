/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Suspendable work, divided into pieces by calls of mo_pace.
 *
 * The work is a function that runs on its own stack.  mo_pace suspends it if the next piece is
 * expected to take longer than the remaining time; mo_paced_continue resumes it.  The expected time
 * of a piece is that of the last pieces that began at the same line of the source.
 *
 * Another thread may resume the work.  mo_pace has no effect outside of such work, in other
 * threads, and while the work is held.
 */
#ifndef MO_BASE_PACE_H
#define MO_BASE_PACE_H

#include <stdatomic.h>
#include <stdint.h>

#include "moreau/base.h"

typedef struct mo_paced mo_paced;

/* NULL if there is no memory, or if the system has no ucontext.h. */
mo_paced *mo_paced_create(const mo_allocator *allocator);
/* Its work must have ended. */
void mo_paced_destroy(mo_paced *paced);

/* Sets the work, which does not run yet. */
void mo_paced_begin(mo_paced *paced, void (*work)(void *), void *user);
/*
 * Starts or resumes the work.  Returns 1 if it has ended, 0 if it was suspended so that the caller
 * can return at the time `ends` on mo_clock.
 */
int mo_paced_continue(mo_paced *paced, double ends);
/* The caller is about to return: the time since the work was suspended is reserved next time. */
void mo_paced_leave(mo_paced *paced);

/* Number of paced works; with none, nothing is looked up. */
extern atomic_int mo_paced_count;

#define mo_pace()                                                                                  \
    (atomic_load_explicit(&mo_paced_count, memory_order_relaxed) > 0                               \
         ? mo_pace_at((uintptr_t)__FILE__, __LINE__)                                               \
         : (void)0)
/* In a loop over k: at every `count`-th element, a power of two. */
#define mo_pace_every(k, count)                                                                    \
    do {                                                                                           \
        if (((k) & ((count)-1)) == 0) mo_pace();                                                   \
    } while (0)
/* A place is identified by the address of its file name, or of a function, and a number. */
void mo_pace_at(uintptr_t where, int line);
/* memcpy of any size, in pieces. */
void mo_pace_copy(void *to, const void *from, size_t bytes);
/* Writes to each page of fresh memory, so that the system provides them in pieces; otherwise
 * that happens at the first use. */
void mo_pace_touch(void *fresh, size_t bytes);

/* Disables suspension of the current work, as parallel regions do, or enables it; calls nest. */
void mo_pace_hold(int is_held);
/* Remaining time of the current call, s; infinite outside of paced work. */
double mo_pace_left(void);
/* mo_clock without the time in which the current work was suspended. */
double mo_work_clock(void);

#endif
