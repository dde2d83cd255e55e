/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* Paced work: it is suspended between its pieces, and goes on where it was. */
#include "check.h"

#include <pthread.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/pace.h"
#include "base/parallel.h"

enum { PIECES = 50 };

typedef struct record {
    int done;
    double seconds; /* of each piece */
    double clock;   /* at the end, by the work's own clock */
    int holds;
} record;

static void spend(double seconds)
{
    const double start = mo_clock();
    while (mo_clock() - start < seconds) {
    }
}

static void work(void *user)
{
    record *r = user;
    const double start = mo_work_clock();
    if (r->holds) mo_pace_hold(1);
    for (r->done = 0; r->done < PIECES; ++r->done) {
        spend(r->seconds);
        mo_pace();
    }
    r->clock = mo_work_clock() - start;
}

static mo_paced *create(void)
{
    const mo_allocator own = mo_allocator_or_default(NULL);
    mo_paced *paced = mo_paced_create(&own);
    CHECK(paced != NULL);
    return paced;
}

/* With no time at all a call makes one piece, and all of them are made. */
static void without_time_a_call_makes_one_piece(void **state)
{
    (void)state;
    mo_paced *paced = create();
    for (int again = 0; again < 2; ++again) {
        record r = {0};
        int calls = 1;
        mo_paced_begin(paced, work, &r);
        while (!mo_paced_continue(paced, 0)) {
            CHECK(r.done == calls && calls < PIECES + 2);
            ++calls;
        }
        CHECK(r.done == PIECES);
    }
    mo_paced_destroy(paced);
}

static void work_that_is_held_is_not_suspended(void **state)
{
    (void)state;
    mo_paced *paced = create();
    record r = {.holds = 1};
    mo_paced_begin(paced, work, &r);
    CHECK(mo_paced_continue(paced, 0) && r.done == PIECES);
    mo_paced_destroy(paced);
}

/* The time in which it is suspended is not counted by its clock. */
static void the_work_clock_stops_while_work_is_suspended(void **state)
{
    (void)state;
    mo_paced *paced = create();
    record r = {.seconds = 1e-5};
    const double start = mo_clock();
    mo_paced_begin(paced, work, &r);
    while (!mo_paced_continue(paced, 0))
        spend(2e-4);
    const double all = mo_clock() - start;
    CHECK(r.clock >= PIECES * 1e-5 && r.clock <= all - 0.9 * PIECES * 2e-4);
    mo_paced_destroy(paced);
}

static void *continue_there(void *paced)
{
    mo_paced_continue(paced, 0);
    return NULL;
}

static void another_thread_may_resume_it(void **state)
{
    (void)state;
    mo_paced *paced = create();
    record r = {0};
    mo_paced_begin(paced, work, &r);
    for (int k = 0; k < 10; ++k) {
        pthread_t thread;
        CHECK(pthread_create(&thread, NULL, continue_there, paced) == 0);
        CHECK(pthread_join(thread, NULL) == 0);
        CHECK(r.done == 2 * k + 1);
        CHECK(!mo_paced_continue(paced, 0) && r.done == 2 * k + 2);
    }
    CHECK(mo_paced_continue(paced, INFINITY) && r.done == PIECES);
    mo_paced_destroy(paced);
}

typedef struct sums {
    double of_chunk[8];
} sums;

static void add_range(void *context, int begin, int end)
{
    sums *s = context;
    for (int k = begin; k < end; ++k) {
        s->of_chunk[begin / MO_CHUNK] += k;
        mo_pace();
    }
}

static void in_parallel(void *user)
{
    mo_parallel_for(2, 0, 8 * MO_CHUNK, add_range, user);
}

/* A parallel region is one piece. */
static void a_parallel_region_is_not_suspended(void **state)
{
    (void)state;
    mo_paced *paced = create();
    sums s = {{0}};
    double all = 0;
    mo_paced_begin(paced, in_parallel, &s);
    CHECK(mo_paced_continue(paced, 0));
    for (int k = 0; k < 8; ++k)
        all += s.of_chunk[k];
    CHECK(all == 8.0 * MO_CHUNK * (8 * MO_CHUNK - 1) / 2);
    mo_paced_destroy(paced);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_time_a_call_makes_one_piece),
        cmocka_unit_test(work_that_is_held_is_not_suspended),
        cmocka_unit_test(the_work_clock_stops_while_work_is_suspended),
        cmocka_unit_test(another_thread_may_resume_it),
        cmocka_unit_test(a_parallel_region_is_not_suspended),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
