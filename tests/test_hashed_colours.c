/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Colours of pairs in the order of hashed priorities: no two of one colour share a moving body, no
 * lower colour was free, numbering and listing do not matter, and parallel rounds find the same.
 */
#include "check.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "problem/hashed_colours.h"
#include "scarce_memory.h"

enum { BODIES = 300, PAIRS = 1500 };

typedef struct graph {
    int body[PAIRS][2];
    int start[PAIRS + 1];
    uint32_t id[BODIES];
    mo_colour_graph pairs;
} graph;

static mo_colour_graph graph_of(graph *g, int bodies, const uint32_t *id)
{
    for (int k = 0; k <= PAIRS; ++k)
        g->start[k] = 2 * k;
    return (mo_colour_graph){bodies, PAIRS, g->start, g->body[0], id};
}

/* Random pairs; a tenth with something fixed; now and then the pair before once more. */
static void draw_graph(uint64_t seed, int bodies, graph *g)
{
    mo_random random = {seed};
    for (int k = 0; k < PAIRS; ++k) {
        const int a = (int)(mo_random_unit(&random) * bodies),
                  other = 1 + (int)(mo_random_unit(&random) * (bodies - 1));
        const double kind = mo_random_unit(&random);
        g->body[k][0] = kind < 0.1 ? -1 : a;
        g->body[k][1] = kind > 0.9 ? bodies : (a + other) % bodies;
        if (kind > 0.4 && kind < 0.45 && k > 0)
            memcpy(g->body[k], g->body[k - 1], sizeof g->body[k]);
    }
    g->pairs = graph_of(g, bodies, NULL);
}

static void colour(const graph *g, uint8_t *colours)
{
    const mo_allocator own = mo_allocator_or_default(NULL);
    assert_int_equal(mo_colour_nodes(&own, &g->pairs, colours), MO_OK);
}

static int moves(const graph *g, int body)
{
    return body >= 0 && body < g->pairs.body_count;
}

static int share_a_body(const graph *g, int k, int m)
{
    for (int i = 0; i < 2; ++i) {
        for (int j = 0; j < 2; ++j)
            if (moves(g, g->body[k][i]) && g->body[k][i] == g->body[m][j]) return 1;
    }
    return 0;
}

static uint64_t priority(const graph *g, int k)
{
    const uint32_t a = moves(g, g->body[k][0]) ? (uint32_t)g->body[k][0] : MO_FIXED_ID,
                   b = moves(g, g->body[k][1]) ? (uint32_t)g->body[k][1] : MO_FIXED_ID;
    return mo_pair_priority(a, b);
}

static int is_earlier(const graph *g, int k, int m)
{
    return priority(g, k) < priority(g, m) || (priority(g, k) == priority(g, m) && k < m);
}

/* Valid, and every lower colour is taken by a pair that came earlier. */
static void test_colours_are_greedy(void **state)
{
    (void)state;
    static graph g;
    draw_graph(1, BODIES, &g);
    uint8_t colours[PAIRS];
    colour(&g, colours);
    for (int i = 0; i < PAIRS; ++i) {
        const uint64_t lower = (UINT64_C(1) << colours[i]) - 1;
        uint64_t taken = 0;
        for (int j = 0; j < PAIRS; ++j) {
            if (j != i && is_earlier(&g, j, i) && share_a_body(&g, i, j)) {
                assert_int_not_equal(colours[i], colours[j]);
                taken |= UINT64_C(1) << colours[j];
            }
        }
        assert_int_equal(taken & lower, lower);
    }
}

static int comes_first(const graph *g, int k, const int *is_done)
{
    for (int m = 0; m < PAIRS; ++m)
        if (m != k && !is_done[m] && share_a_body(g, k, m) && is_earlier(g, m, k)) return 0;
    return 1;
}

/* A round: the firsts are found before any of them is coloured.  Returns how many there were. */
static int do_round(const graph *g, uint8_t *colours, uint64_t *used, int *is_done)
{
    int first[PAIRS], count = 0;
    for (int k = 0; k < PAIRS; ++k)
        if (!is_done[k] && comes_first(g, k, is_done)) first[count++] = k;
    for (int i = 0; i < count; ++i) {
        const int *body = g->body[first[i]];
        const uint64_t taken =
            (moves(g, body[0]) ? used[body[0]] : 0) | (moves(g, body[1]) ? used[body[1]] : 0);
        const int own = mo_colour_free(taken);
        for (int side = 0; side < 2; ++side)
            if (moves(g, body[side])) used[body[side]] |= UINT64_C(1) << own;
        colours[first[i]] = (uint8_t)own;
        is_done[first[i]] = 1;
    }
    return count;
}

static void test_parallel_rounds_find_the_same(void **state)
{
    (void)state;
    static const int SIZES[] = {BODIES, 12}; /* the second needs more than 63 colours */
    for (int s = 0; s < 2; ++s) {
        static graph g;
        draw_graph(2 + (uint64_t)s, SIZES[s], &g);
        uint8_t one[PAIRS], other[PAIRS];
        uint64_t used[BODIES] = {0};
        int is_done[PAIRS] = {0}, done = 0;
        colour(&g, one);
        while (done < PAIRS) {
            const int found = do_round(&g, other, used, is_done);
            assert_true(found > 0);
            done += found;
        }
        assert_memory_equal(one, other, sizeof one);
        assert_int_equal(memchr(one, MO_COLOUR_REST, sizeof one) != NULL, s == 1);
    }
}

/* With other numbers for the bodies, the pairs listed otherwise and turned round: ids decide. */
static void test_numbering_does_not_matter(void **state)
{
    (void)state;
    static graph g, other;
    uint8_t one[PAIRS], two[PAIRS];
    draw_graph(4, BODIES, &g);
    for (int k = 0; k < PAIRS; ++k) { /* equal pairs would change places */
        g.body[k][0] = k % BODIES;
        g.body[k][1] = (k % BODIES + 1 + k / BODIES) % BODIES;
    }
    colour(&g, one);
    other.pairs = graph_of(&other, BODIES, other.id);
    for (int b = 0; b < BODIES; ++b)
        other.id[BODIES - 1 - b] = (uint32_t)b;
    for (int k = 0; k < PAIRS; ++k) {
        other.body[PAIRS - 1 - k][0] = BODIES - 1 - g.body[k][1];
        other.body[PAIRS - 1 - k][1] = BODIES - 1 - g.body[k][0];
    }
    colour(&other, two);
    for (int k = 0; k < PAIRS; ++k)
        assert_int_equal(one[k], two[PAIRS - 1 - k]);
}

/* The order is written down (hashed_colours.h); other programs repeat it. */
static void test_priorities_are_those_of_splitmix64(void **state)
{
    (void)state;
    mo_random random = {(UINT64_C(3) << 32) | 8};
    const uint64_t expected = mo_random_bits(&random);
    assert_true(mo_pair_priority(3, 8) == expected);
    assert_true(mo_pair_priority(8, 3) == expected);
}

static void test_memory_may_run_out(void **state)
{
    (void)state;
    static graph g;
    uint8_t colours[PAIRS];
    draw_graph(5, BODIES, &g);
    for (long left = 0; left < 2; ++left) {
        scarce memory = {.left = left};
        const mo_allocator own = {scarce_reallocate, &memory};
        assert_int_equal(mo_colour_nodes(&own, &g.pairs, colours), MO_ERR_MEMORY);
        assert_int_equal(memory.live, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_colours_are_greedy),
        cmocka_unit_test(test_parallel_rounds_find_the_same),
        cmocka_unit_test(test_numbering_does_not_matter),
        cmocka_unit_test(test_priorities_are_those_of_splitmix64),
        cmocka_unit_test(test_memory_may_run_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
