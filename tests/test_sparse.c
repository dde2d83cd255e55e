/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* Sparse block Cholesky, its order of elimination, and GMRES, against dense algebra on random matrices. */
#include "check.h"

#include <stdlib.h>
#include <string.h>

#include "linalg/block_cholesky.h"
#include "linalg/dense.h"
#include "linalg/gmres.h"
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
    for (int i = 0; i < count; ++i) {
        for (int j = 0; j < i; ++j) {
            edge[i][j] = edge[j][i] = mo_random_unit(random) < density;
        }
    }
    int found = 0;
    g->offset[0] = 0;
    for (int i = 0; i < count; ++i) {
        g->weight[i] = 1 + (int)(6 * mo_random_unit(random));
        g->offset[i + 1] = g->offset[i] + g->weight[i];
        g->start[i] = found;
        for (int j = 0; j < count; ++j) {
            if (edge[i][j]) {
                g->index[found++] = j;
            }
        }
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
        for (int i = 0; i < count; ++i) {
            for (int k = g.start[i]; k < g.start[i + 1]; ++k) {
                edge[i][g.index[k]] = 1;
            }
        }
        for (int k = 0; k < count; ++k) { /* eliminate on the full matrix */
            const int p = e.order[k];
            CHECK(!seen[p]);
            seen[p] = 1;
            int expected = 0;
            for (int i = 0; i < count; ++i) {
                expected += !seen[i] && edge[p][i];
                for (int j = 0; j < count; ++j) {
                    edge[i][j] |= edge[p][i] && edge[p][j] && i != j;
                }
            }
            CHECK(e.start[k + 1] - e.start[k] == expected);
            for (int j = e.start[k]; j < e.start[k + 1]; ++j) {
                CHECK(!seen[e.filled[j]] && edge[p][e.filled[j]]);
            }
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

/* A random positive definite matrix with the pattern of the graph: diagonally dominant. */
static void draw_matrix(mo_random *random, const random_graph *g, double *A)
{
    const int n = g->offset[g->graph.count];
    memset(A, 0, (size_t)n * (size_t)n * sizeof *A);
    for (int b = 0; b < g->graph.count; ++b) {
        for (int i = g->offset[b]; i < g->offset[b + 1]; ++i) {
            for (int j = g->offset[b]; j < i; ++j) {
                A[i * n + j] = A[j * n + i] = uniform(random, -1, 1);
            }
            for (int k = g->start[b]; k < g->start[b + 1]; ++k) {
                for (int j = g->offset[g->index[k]];
                     j < g->offset[g->index[k] + 1] && g->index[k] < b; ++j) {
                    A[i * n + j] = A[j * n + i] = uniform(random, -1, 1);
                }
            }
        }
    }
    for (int i = 0; i < n; ++i) {
        double sum = 0.1;
        for (int j = 0; j < n; ++j) {
            sum += fabs(A[i * n + j]);
        }
        A[i * n + i] = sum;
    }
}

/* Puts block (i, j) of A where the plan keeps it. */
static void put_block(const mo_block_plan *plan, const random_graph *g, const double *A, int i,
                      int j, double *values)
{
    const int n = g->offset[g->graph.count];
    bool transposed;
    double *block = values + mo_block_find(plan, i, j, &transposed);
    const int rows = transposed ? j : i, columns = transposed ? i : j;
    for (int a = 0; a < g->weight[rows]; ++a) {
        for (int b = 0; b < g->weight[columns]; ++b) {
            block[a * g->weight[columns] + b] =
                A[(g->offset[rows] + a) * n + g->offset[columns] + b];
        }
    }
}

static void a_sparse_factor_solves_what_the_dense_matrix_says(void **state)
{
    (void)state;
    static random_graph g;
    static double A[MOST_ROWS * MOST_ROWS], x[MOST_ROWS], b[MOST_ROWS];
    mo_random random = {2};
    const mo_allocator own = mo_allocator_or_default(NULL);
    for (int draw = 0; draw < 40; ++draw) {
        const int count = 1 + (int)(MOST_BLOCKS * mo_random_unit(&random));
        mo_block_plan *plan;
        draw_graph(&random, count, 0.1, &g);
        draw_matrix(&random, &g, A);
        CHECK(mo_block_plan_create(&own, &g.graph, &plan) == MO_OK);
        double *values = malloc(plan->value_count * sizeof *values);
        int *ints = malloc(mo_block_ints(plan) * sizeof *ints);
        mo_block_clear(plan, values);
        for (int i = 0; i < count; ++i) {
            put_block(plan, &g, A, i, i, values);
            for (int k = g.start[i]; k < g.start[i + 1]; ++k) {
                put_block(plan, &g, A, i, g.index[k], values);
            }
        }
        const int n = g.offset[count];
        fill_uniform(&random, -1, 1, n, x);
        for (int i = 0; i < n; ++i) {
            b[i] = mo_dot(n, A + (size_t)i * (size_t)n, x);
        }
        CHECK(plan->size == n && mo_block_factor(plan, values, ints));
        mo_block_solve(plan, values, b);
        for (int i = 0; i < n; ++i) {
            CHECK_NEAR(b[i], x[i], 1e-11);
        }
        free(values);
        free(ints);
        mo_block_plan_destroy(&own, plan);
    }
}

static void a_matrix_that_is_not_positive_definite_is_refused(void **state)
{
    (void)state;
    const mo_allocator own = mo_allocator_or_default(NULL);
    const int weight[2] = {1, 1}, start[3] = {0, 1, 2}, index[2] = {1, 0};
    const mo_graph graph = {2, weight, start, index};
    mo_block_plan *plan;
    double values[3];
    int ints[8];
    bool transposed;
    CHECK(mo_block_plan_create(&own, &graph, &plan) == MO_OK && plan->value_count == 3);
    values[mo_block_find(plan, 0, 0, &transposed)] = 1;
    values[mo_block_find(plan, 1, 1, &transposed)] = 1;
    values[mo_block_find(plan, 0, 1, &transposed)] = 2;
    CHECK(!mo_block_factor(plan, values, ints));
    mo_block_plan_destroy(&own, plan);
}

/* A = I + sum P' B P of a problem, against the definition. */
static void the_matrix_of_body_space_is_the_one_of_its_definition(void **state)
{
    (void)state;
    scene_random_def def = scene_random_default();
    mo_problem *problem;
    CHECK(scene_random(&def, &problem, NULL, NULL) == MO_OK);
    const mo_kkt *kkt, *again;
    const mo_sweep *sweep;
    CHECK(mo_problem_kkt(problem, &kkt) == MO_OK && mo_problem_kkt(problem, &again) == MO_OK &&
          kkt == again);
    CHECK(mo_problem_sweep(problem, MO_SWEEP_NATURAL, &sweep) == MO_OK);
    const int n = mo_problem_dof_count(problem), m = mo_problem_row_count(problem);
    double *values = malloc(kkt->plan->value_count * sizeof *values);
    int *ints = malloc(mo_block_ints(kkt->plan) * sizeof *ints);
    double *x = calloc((size_t)n, sizeof *x), *y = calloc((size_t)n, sizeof *y);
    const double B[9] = {2, 0.3, 0, 0.3, 1, -0.2, 0, -0.2, 0.5};
    mo_random random = {4};
    mo_kkt_begin(kkt, values);
    fill_uniform(&random, -1, 1, n, x);
    memcpy(y, x, (size_t)n * sizeof *y);
    for (int i = 0; i < mo_problem_constraint_count(problem); ++i) {
        double u[3], zero[3], r[3];
        mo_kkt_add(kkt, sweep, i, B, values);
        mo_sweep_velocity(sweep, i, x, u);
        memcpy(zero, problem->w + problem->row_start[i], sizeof zero);
        for (int k = 0; k < 3; ++k) {
            u[k] -= zero[k];
        }
        for (int k = 0; k < 3; ++k) {
            r[k] = mo_dot(3, B + 3 * k, u);
        }
        mo_sweep_apply(sweep, i, r, y);
    }
    CHECK(m == 3 * mo_problem_constraint_count(problem));
    CHECK(mo_block_factor(kkt->plan, values, ints));
    mo_block_solve(kkt->plan, values, y);
    for (int k = 0; k < n; ++k) {
        CHECK_NEAR(y[k], x[k], 1e-10);
    }
    free(values);
    free(ints);
    free(x);
    free(y);
    mo_problem_destroy(problem);
}

/* ---- GMRES ----------------------------------------------------------------------------------- */

typedef struct dense_matrix {
    int n;
    const double *A;
} dense_matrix;

static void multiply(void *context, const double *x, double *y)
{
    const dense_matrix *m = context;
    for (int i = 0; i < m->n; ++i) {
        y[i] = mo_dot(m->n, m->A + i * m->n, x);
    }
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
        for (int i = 0; i < N; ++i) {
            A[i * N + i] += 4;
        }
        dense_matrix m = {N, A};
        multiply(&m, x, b);
        mo_gmres gmres;
        mo_arena arena = {.base = (char *)room + (64 - (uintptr_t)room % 64)};
        mo_gmres_layout(&arena, N, N, &gmres);
        CHECK(arena.used <= sizeof room - 64);
        CHECK_BELOW(mo_gmres_solve(&gmres, multiply, &m, 1e-13, b, found), 1e-12);
        for (int i = 0; i < N; ++i) {
            CHECK_NEAR(found[i], x[i], 1e-10);
        }
        memset(b, 0, sizeof b);
        CHECK(mo_gmres_solve(&gmres, multiply, &m, 1e-13, b, found) == 0 && found[0] == 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_order_is_a_permutation_and_the_fill_is_that_of_elimination),
        cmocka_unit_test(a_chain_fills_nothing_and_a_star_is_taken_from_its_tips),
        cmocka_unit_test(a_sparse_factor_solves_what_the_dense_matrix_says),
        cmocka_unit_test(a_matrix_that_is_not_positive_definite_is_refused),
        cmocka_unit_test(the_matrix_of_body_space_is_the_one_of_its_definition),
        cmocka_unit_test(gmres_solves_unsymmetric_systems_in_at_most_n_products),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
