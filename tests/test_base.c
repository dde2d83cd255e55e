/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* The ground: errors, memory, arena, random numbers, the parallel loop. */
#include "check.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/pool.h"

static void every_error_has_a_text_and_no_number_is_past_the_table(void **state)
{
    (void)state;
    for (int k = 0; k < MO_ERROR_COUNT; ++k)
        CHECK(strlen(mo_error_text((mo_error)k)) > 3);
    assert_string_equal(mo_error_text(MO_OK), "no error");
    assert_string_equal(mo_error_text((mo_error)999), "unknown error");
    assert_string_equal(mo_error_text((mo_error)-1), "unknown error");
    assert_string_equal(mo_version(), "0.1.0");
}

static void a_long_message_is_cut_and_terminated(void **state)
{
    (void)state;
    char text[2000];
    mo_message why;
    memset(text, 'x', sizeof text);
    text[sizeof text - 1] = '\0';
    CHECK(mo_fail(&why, MO_ERR_FILE, "%s", text) == MO_ERR_FILE);
    CHECK(strlen(why.text) == sizeof why.text - 1);
    CHECK(mo_fail(NULL, MO_ERR_FILE, "%s", text) == MO_ERR_FILE);
}

static void an_arena_counts_what_it_later_hands_out(void **state)
{
    (void)state;
    mo_arena counting = {0};
    CHECK(MO_TAKE(&counting, 3, char) == NULL);
    CHECK(MO_TAKE(&counting, 5, double) == NULL);
    char *memory =
        aligned_alloc(MO_ARENA_ALIGN, (counting.used / MO_ARENA_ALIGN + 1) * MO_ARENA_ALIGN);
    mo_arena real = {.base = memory};
    char *a = MO_TAKE(&real, 3, char);
    double *b = MO_TAKE(&real, 5, double);
    CHECK(a == memory && (char *)b - memory == MO_ARENA_ALIGN);
    CHECK(real.used == counting.used);
    free(memory);
}

/* The struct is there while the arena counts; the arrays are NULL then, and apart later. */
static void a_workspace_is_laid_out_by_the_same_calls_twice(void **state)
{
    (void)state;
    typedef struct work {
        double *x, *y, *z;
    } work;
    _Alignas(MO_ARENA_ALIGN) char heads[MO_HEADS_SIZE], memory[1024];
    mo_arena counting = {.heads = heads}, real = {.base = memory};
    work *first = MO_HEAD(&counting, work), *second = MO_HEAD(&counting, work);
    CHECK((char *)first == heads && second > first);
    MO_TAKE_EACH(&counting, 5, double, &first->x, &first->y, &first->z);
    CHECK(!first->x && !first->y && !first->z);
    work *taken = MO_HEAD(&real, work), *other = MO_HEAD(&real, work);
    CHECK((char *)taken == memory && other > taken);
    MO_TAKE_EACH(&real, 5, double, &taken->x, &taken->y, &taken->z);
    CHECK(taken->y - taken->x == MO_ARENA_ALIGN / sizeof(double));
    CHECK(taken->z - taken->y == MO_ARENA_ALIGN / sizeof(double));
    CHECK((char *)(taken->z + 5) <= memory + counting.used && real.used == counting.used);
}

static void several_arrays_come_from_a_pool_or_the_allocator(void **state)
{
    (void)state;
    mo_pool pool = {.allocator = mo_allocator_or_default(NULL)};
    int *a, *b, *c, *d;
    CHECK(MO_POOL_EACH(&pool, 100, int, &a, &b) && a != b && a[99] == 0 && b[99] == 0);
    CHECK(MO_NEW_EACH(&pool.allocator, 100, int, &c, &d) && c != d);
    MO_FREE(&pool.allocator, c, d);
    CHECK(!MO_NEW_EACH(&pool.allocator, SIZE_MAX / 4, int, &c, &d) && !c && !d);
    mo_pool_clear(&pool);
}

static void an_overflowing_arena_asks_for_more_memory_than_exists(void **state)
{
    (void)state;
    double *x, *y;
    mo_arena counting = {0}, each = {0};
    MO_TAKE(&counting, SIZE_MAX / 4, double);
    CHECK(counting.used >= SIZE_MAX / 2);
    MO_TAKE_EACH(&each, SIZE_MAX / 4, double, &x, &y);
    CHECK(each.used >= SIZE_MAX / 2);
    const mo_allocator own = mo_allocator_or_default(NULL);
    CHECK(mo_memory_array(&own, SIZE_MAX / 4, sizeof(double)) == NULL);
}

static void random_numbers_are_the_published_ones(void **state)
{
    (void)state;
    mo_random random = {1234567};
    CHECK(mo_random_bits(&random) == UINT64_C(6457827717110365317)); /* splitmix64's test vector */
    CHECK(mo_random_bits(&random) == UINT64_C(3203168211198807973));
    double sum = 0;
    for (int k = 0; k < 100000; ++k) {
        const double x = mo_random_unit(&random);
        CHECK(x >= 0 && x < 1);
        sum += x;
    }
    CHECK_NEAR(sum / 100000, 0.5, 0.005);
}

typedef struct visits {
    int *seen, *begins;
} visits;

static void visit(void *context, int begin, int end)
{
    const visits *v = context;
    for (int k = begin; k < end; ++k) {
        ++v->seen[k];
        v->begins[k] = begin;
    }
}

static void the_parallel_loop_visits_all_once_in_the_same_chunks(void **state)
{
    (void)state;
    enum { N = 3 * MO_CHUNK + 17, FROM = 5 };
    static int seen[N], begins[4][N];
    for (int threads = 1; threads <= 4; ++threads) {
        memset(seen, 0, sizeof seen);
        visits v = {seen, begins[threads - 1]};
        mo_parallel_for(threads, FROM, N, visit, &v);
        for (int k = 0; k < N; ++k)
            CHECK(seen[k] == (k >= FROM));
        CHECK(memcmp(begins[0], begins[threads - 1], sizeof begins[0]) == 0);
    }
    visits v = {seen, begins[0]};
    mo_parallel_for(2, 7, 7, visit, &v); /* nothing to do */
    CHECK(mo_chunk_count(0) == 0 && mo_chunk_count(1) == 1 && mo_chunk_count(MO_CHUNK + 1) == 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_error_has_a_text_and_no_number_is_past_the_table),
        cmocka_unit_test(a_long_message_is_cut_and_terminated),
        cmocka_unit_test(an_arena_counts_what_it_later_hands_out),
        cmocka_unit_test(a_workspace_is_laid_out_by_the_same_calls_twice),
        cmocka_unit_test(several_arrays_come_from_a_pool_or_the_allocator),
        cmocka_unit_test(an_overflowing_arena_asks_for_more_memory_than_exists),
        cmocka_unit_test(random_numbers_are_the_published_ones),
        cmocka_unit_test(the_parallel_loop_visits_all_once_in_the_same_chunks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
