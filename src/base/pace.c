/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
#define _GNU_SOURCE
#include "base/pace.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"

#if defined(__linux__) && defined(__GLIBC__)
#define MO_HAS_CONTEXTS 1
#include <sys/mman.h>
#include <ucontext.h>
#else
#define MO_HAS_CONTEXTS 0
#endif

/* Informs the sanitizers of the change of stacks. */
#if defined(__has_feature)
#if __has_feature(address_sanitizer) && !defined(__SANITIZE_ADDRESS__)
#define __SANITIZE_ADDRESS__ 1
#endif
#if __has_feature(thread_sanitizer) && !defined(__SANITIZE_THREAD__)
#define __SANITIZE_THREAD__ 1
#endif
#endif
#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/common_interface_defs.h>
#endif
/* Entered on one stack and left on another: the thread sanitizer must not count their calls. */
#define UNTRACED
#ifdef __SANITIZE_THREAD__
#include <sanitizer/tsan_interface.h>
#undef UNTRACED
#ifdef __clang__
#define UNTRACED __attribute__((disable_sanitizer_instrumentation))
#else
#define UNTRACED __attribute__((no_sanitize_thread))
#endif
#endif

enum {
    PLACES = 4096,           /* lines of the source that are distinguished, by a hash */
    PIECE = 64 * 1024,       /* bytes copied per piece */
    PAGE = 4096,             /* bytes: the least that the system allows */
    STACK = 2 * 1024 * 1024, /* bytes: only used pages take memory */
    GUARD = 64 * 1024        /* bytes, a multiple of the page size: not accessible */
};
atomic_int mo_paced_count;
static const double FADES = 0.95; /* decay of an expected time if the last piece took less */

#if MO_HAS_CONTEXTS

/* Not in static thread-local storage: with the CUDA runtime inside, a library that needs it cannot
 * be loaded by a program that has begun, such as Python. */
static _Thread_local mo_paced *current;

struct mo_paced {
    mo_allocator allocator;
    void (*work)(void *);
    void *user;
    ucontext_t own, caller;
    char *stack;              /* GUARD, then STACK bytes */
    int has_begun, has_ended; /* the work */
    int held;                 /* so many times */
    int has_worked;           /* a piece was done in this call */
    double ends;              /* of the call, on mo_clock */
    double since;             /* start of the current piece */
    int place;                /* and where */
    double suspended, idle;   /* since then; in all, s */
    double reserve;           /* s: of the caller, after the work is suspended */
    double seconds[PLACES];   /* of the piece that begins there */
    void *caller_fiber, *own_fiber, *fake_stack;
    const void *caller_stack;
    size_t caller_stack_size;
};

mo_paced *mo_paced_create(const mo_allocator *allocator)
{
    mo_paced *paced = mo_memory_array(allocator, 1, sizeof *paced);
    if (!paced) return NULL;
    *paced = (mo_paced){.allocator = *allocator, .has_ended = 1};
    paced->stack = mmap(NULL, GUARD + STACK, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
    if (paced->stack == MAP_FAILED || mprotect(paced->stack, GUARD, PROT_NONE)) {
        if (paced->stack != MAP_FAILED) munmap(paced->stack, GUARD + STACK);
        mo_memory_free(allocator, paced);
        return NULL;
    }
#ifdef __SANITIZE_THREAD__
    paced->own_fiber = __tsan_create_fiber(0);
#endif
    atomic_fetch_add(&mo_paced_count, 1);
    return paced;
}

void mo_paced_destroy(mo_paced *paced)
{
    if (paced) {
        const mo_allocator allocator = paced->allocator;
        atomic_fetch_sub(&mo_paced_count, 1);
#ifdef __SANITIZE_THREAD__
        __tsan_destroy_fiber(paced->own_fiber);
#endif
        munmap(paced->stack, GUARD + STACK);
        mo_memory_free(&allocator, paced);
    }
}

/* ---- switching ------------------------------------------------------------------------------- */

UNTRACED static void enter(mo_paced *paced)
{
#ifdef __SANITIZE_ADDRESS__
    void *fake = NULL;
    __sanitizer_start_switch_fiber(&fake, paced->stack + GUARD, STACK);
#endif
#ifdef __SANITIZE_THREAD__
    paced->caller_fiber = __tsan_get_current_fiber();
    __tsan_switch_to_fiber(paced->own_fiber, 0);
#endif
    swapcontext(&paced->caller, &paced->own);
#ifdef __SANITIZE_ADDRESS__
    __sanitizer_finish_switch_fiber(fake, NULL, NULL);
#endif
}

/* At the beginning of the work, and where it is resumed. */
static void arrive(mo_paced *paced)
{
#ifdef __SANITIZE_ADDRESS__
    __sanitizer_finish_switch_fiber(paced->fake_stack, &paced->caller_stack,
                                    &paced->caller_stack_size);
#else
    (void)paced;
#endif
}

/* Before the work is suspended or ends. */
UNTRACED static void depart(mo_paced *paced, int ends)
{
#ifdef __SANITIZE_ADDRESS__
    __sanitizer_start_switch_fiber(ends ? NULL : &paced->fake_stack, paced->caller_stack,
                                   paced->caller_stack_size);
#endif
#ifdef __SANITIZE_THREAD__
    __tsan_switch_to_fiber(paced->caller_fiber, 0);
#endif
    (void)paced;
    (void)ends;
}

/* makecontext passes integers only. */
UNTRACED static void start(unsigned high, unsigned low)
{
    mo_paced *paced = (mo_paced *)(((uintptr_t)high << 16 << 16) | (uintptr_t)low);
    arrive(paced);
    paced->work(paced->user);
    paced->has_ended = 1;
    depart(paced, 1);
    setcontext(&paced->caller);
}

void mo_paced_begin(mo_paced *paced, void (*work)(void *), void *user)
{
    paced->work = work;
    paced->user = user;
    paced->has_begun = paced->has_ended = 0;
    paced->held = 0;
    paced->idle = 0;
}

int mo_paced_continue(mo_paced *paced, double ends)
{
    mo_paced *outer = current;
    const uintptr_t at = (uintptr_t)paced;
    paced->ends = ends - paced->reserve;
    paced->has_worked = 0;
    paced->since = mo_clock();
    if (!paced->has_begun) {
        getcontext(&paced->own);
        paced->own.uc_stack.ss_sp = paced->stack + GUARD;
        paced->own.uc_stack.ss_size = STACK;
        paced->own.uc_link = NULL;
        makecontext(&paced->own, (void (*)(void))start, 2, (unsigned)(at >> 16 >> 16),
                    (unsigned)(at & UINT32_MAX));
        paced->has_begun = 1;
        paced->place = 0;
    } else {
        paced->idle += paced->since - paced->suspended;
    }
    current = paced;
    enter(paced);
    current = outer;
    paced->suspended = mo_clock();
    return paced->has_ended;
}

void mo_paced_leave(mo_paced *paced)
{
    const double seconds = mo_clock() - paced->suspended;
    paced->reserve = fmax(seconds, FADES * paced->reserve);
}

/* ---- parts ----------------------------------------------------------------------------------- */

static int number_of(uintptr_t where, int line)
{
    return (int)(((where >> 4) * 31 + (uintptr_t)line) % PLACES);
}

void mo_pace_at(uintptr_t where, int line)
{
    mo_paced *paced = current;
    if (!paced || paced->held) return;
    const double now = mo_clock();
    double *done = paced->seconds + paced->place;
    *done = fmax(now - paced->since, FADES * *done);
    paced->place = number_of(where, line);
    paced->since = now;
    if (paced->has_worked && now + paced->seconds[paced->place] > paced->ends) {
        depart(paced, 0);
        swapcontext(&paced->own, &paced->caller);
        arrive(paced); /* mo_paced_continue has set `since` */
    }
    paced->has_worked = 1;
}

void mo_pace_hold(int is_held)
{
    if (current) current->held += is_held ? 1 : -1;
}

double mo_pace_left(void)
{
    return current ? current->ends - mo_clock() : INFINITY;
}

double mo_work_clock(void)
{
    const int is_paced = atomic_load_explicit(&mo_paced_count, memory_order_relaxed) > 0 && current;
    return mo_clock() - (is_paced ? current->idle : 0);
}

#else

mo_paced *mo_paced_create(const mo_allocator *allocator)
{
    (void)allocator;
    return NULL;
}

void mo_paced_destroy(mo_paced *paced)
{
    (void)paced;
}

void mo_paced_begin(mo_paced *paced, void (*work)(void *), void *user)
{
    (void)paced;
    work(user);
}

int mo_paced_continue(mo_paced *paced, double ends)
{
    (void)paced;
    (void)ends;
    return 1;
}

void mo_paced_leave(mo_paced *paced)
{
    (void)paced;
}

void mo_pace_at(uintptr_t where, int line)
{
    (void)where;
    (void)line;
}

void mo_pace_hold(int is_held)
{
    (void)is_held;
}

double mo_pace_left(void)
{
    return INFINITY;
}

double mo_work_clock(void)
{
    return mo_clock();
}

#endif

void mo_pace_copy(void *to, const void *from, size_t bytes)
{
    for (size_t k = 0; k < bytes; k += PIECE) {
        mo_pace();
        memcpy((char *)to + k, (const char *)from + k, bytes - k < PIECE ? bytes - k : PIECE);
    }
    mo_pace();
}

void mo_pace_touch(void *fresh, size_t bytes)
{
    volatile char *page = fresh;
    const int is_paced = isfinite(mo_pace_left());
    for (size_t k = 0; is_paced && k < bytes; k += PAGE) {
        mo_pace_every(k / PAGE, 8);
        page[k] = 0;
    }
    mo_pace();
}
