/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* The order of elimination of sparse matrices, and GMRES, on random graphs and matrices. */
#include "check.h"

#include <stdlib.h>
#include <string.h>

#include "linalg/dense.h"
#include "linalg/gmres.h"
#include "linalg/min_degree.h"
#include "problem/views.h"
#include "scenes.h"

enum { MOST_BLOCKS = 40, MOST_ROWS = 6 * MOST_BLOCKS };

/* A random graph of blocks of one to six rows. */
typedef struct random_graph {
    int weight[MOST_BLOCKS], start[MOST_BLOCKS + 1], index[MOST_BLOCKS * MOST_BLOCKS];
    int offset[MOST_BLOCKS + 1];
    mo_graph graph;
} random_graph;

static void draw_graph(mo_random *random, int count, double density, random_graph *g)
{
    static char edge[MOST_BLOCKS][MOST_BLOCKS];
    memset(edge, 0, sizeof edge);
    for (int i = 0; i < count; ++i)
        for (int j = 0; j < i; ++j)
            edge[i][j] = edge[j][i] = mo_random_unit(random) < density;
    int found = 0;
    g->offset[0] = 0;
    for (int i = 0; i < count; ++i) {
        g->weight[i] = 1 + (int)(6 * mo_random_unit(random));
        g->offset[i + 1] = g->offset[i] + g->weight[i];
        g->start[i] = found;
        for (int j = 0; j < count; ++j)
            if (edge[i][j]) g->index[found++] = j;
    }
    g->start[count] = found;
    g->graph = (mo_graph){count, g->weight, g->start, g->index};
}

static void the_order_is_a_permutation_and_the_fill_is_that_of_elimination(void **state)
{
    (void)state;
    static random_graph g;
    mo_random random = {1};
    const mo_allocator own = mo_allocator_or_default(NULL);
    for (int draw = 0; draw < 60; ++draw) {
        const int count = 1 + (int)(MOST_BLOCKS * mo_random_unit(&random));
        static char edge[MOST_BLOCKS][MOST_BLOCKS];
        int seen[MOST_BLOCKS] = {0};
        mo_elimination e;
        draw_graph(&random, count, 0.15, &g);
        CHECK(mo_min_degree(&own, &g.graph, &e) == MO_OK);
        memset(edge, 0, sizeof edge);
        for (int i = 0; i < count; ++i)
            for (int k = g.start[i]; k < g.start[i + 1]; ++k)
                edge[i][g.index[k]] = 1;
        for (int k = 0; k < count; ++k) { /* eliminate on the full matrix */
            const int p = e.order[k];
            CHECK(!seen[p]);
            seen[p] = 1;
            int expected = 0;
            for (int i = 0; i < count; ++i) {
                expected += !seen[i] && edge[p][i];
                for (int j = 0; j < count; ++j)
                    edge[i][j] |= edge[p][i] && edge[p][j] && i != j;
            }
            CHECK(e.start[k + 1] - e.start[k] == expected);
            for (int j = e.start[k]; j < e.start[k + 1]; ++j)
                CHECK(!seen[e.filled[j]] && edge[p][e.filled[j]]);
        }
        mo_elimination_clear(&own, &e);
    }
}

static void a_chain_fills_nothing_and_a_star_is_taken_from_its_tips(void **state)
{
    (void)state;
    const mo_allocator own = mo_allocator_or_default(NULL);
    const int weight[4] = {1, 1, 1, 1}, chain_start[5] = {0, 1, 3, 5, 6},
              chain[6] = {1, 0, 2, 1, 3, 2};
    const int star_start[5] = {0, 3, 4, 5, 6}, star[6] = {1, 2, 3, 0, 0, 0};
    mo_elimination e;
    const mo_graph as_chain = {4, weight, chain_start, chain},
                   as_star = {4, weight, star_start, star};
    CHECK(mo_min_degree(&own, &as_chain, &e) == MO_OK && e.start[4] == 3);
    mo_elimination_clear(&own, &e);
    CHECK(mo_min_degree(&own, &as_star, &e) == MO_OK && e.start[4] == 3);
    mo_elimination_clear(&own, &e);
}

/* ---- GMRES ----------------------------------------------------------------------------------- */

typedef struct dense_matrix {
    int n;
    const double *A;
} dense_matrix;

static void multiply(void *context, const double *x, double *y)
{
    const dense_matrix *m = context;
    for (int i = 0; i < m->n; ++i)
        y[i] = mo_dot(m->n, m->A + i * m->n, x);
}

static void gmres_solves_unsymmetric_systems_in_at_most_n_products(void **state)
{
    (void)state;
    enum { N = 20 };
    static double A[N * N], x[N], b[N], found[N], room[N * (N + 1) + N * (N + 1) + 3 * N + 200];
    mo_random random = {9};
    for (int draw = 0; draw < 20; ++draw) {
        fill_uniform(&random, -1, 1, N * N, A);
        fill_uniform(&random, -1, 1, N, x);
        for (int i = 0; i < N; ++i)
            A[i * N + i] += 4;
        dense_matrix m = {N, A};
        multiply(&m, x, b);
        mo_gmres gmres;
        mo_arena arena = {.base = (char *)room + (64 - (uintptr_t)room % 64)};
        mo_gmres_layout(&arena, N, N, &gmres);
        CHECK(arena.used <= sizeof room - 64);
        CHECK_BELOW(mo_gmres_solve(&gmres, multiply, &m, 1e-13, b, found), 1e-12);
        for (int i = 0; i < N; ++i)
            CHECK_NEAR(found[i], x[i], 1e-10);
        memset(b, 0, sizeof b);
        CHECK(mo_gmres_solve(&gmres, multiply, &m, 1e-13, b, found) == 0 && found[0] == 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_order_is_a_permutation_and_the_fill_is_that_of_elimination),
        cmocka_unit_test(a_chain_fills_nothing_and_a_star_is_taken_from_its_tips),
        cmocka_unit_test(gmres_solves_unsymmetric_systems_in_at_most_n_products),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
