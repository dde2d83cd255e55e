/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Our sparse factorisation by fronts (linalg/front.h) beside KLU, UMFPACK and CHOLMOD's simplicial
 * part: A = W + D of packings, a wall and a stack, D = the diagonal of W, as Newton's method meets
 * it.
 *
 * As a test, all four solve A x = b to the same x.  With the argument `times` it prints the
 * processor time of the plan, of one factorisation and of one solve of each, medians of nine.
 */
#include <cholmod.h>
#include <klu.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <umfpack.h>

#include "check.h"

#include "base/memory.h"
#include "linalg/front.h"
#include "moreau/problem.h"
#include "scenes.h"

enum { REPEATS = 9 };

/* A in blocks, and the same in compressed columns. */
typedef struct matrix {
    int rows, blocks;
    int *dim, *start, *index;
    double *values;
    int *column, *row;
    double *x, *b;
} matrix;

typedef struct times {
    double plan, factor, solve; /* s */
} times;

static void *room(size_t count, size_t size)
{
    void *memory = calloc(count + 1, size);
    assert_non_null(memory);
    return memory;
}

static double seconds(void)
{
    return (double)clock() / CLOCKS_PER_SEC;
}

static void make_room(matrix *A, const mo_problem *W)
{
    size_t blocks = 0, values = 0;
    A->blocks = mo_problem_constraint_count(W);
    A->rows = mo_problem_row_count(W);
    for (int i = 0; i < A->blocks; ++i) {
        const mo_constraint_view view = mo_problem_constraint(W, i);
        for (int k = 0; k < view.block_count; ++k, ++blocks) {
            const int j = mo_problem_block(W, i, k).index;
            values += (size_t)view.dim * mo_problem_constraint(W, j).dim;
        }
    }
    A->dim = room(A->blocks, sizeof *A->dim);
    A->start = room(A->blocks, sizeof *A->start);
    A->index = room(blocks, sizeof *A->index);
    A->values = room(values, sizeof *A->values);
    A->column = room(A->rows, sizeof *A->column);
    A->row = room(values, sizeof *A->row);
    A->x = room(values, sizeof *A->x);
    A->b = room(A->rows, sizeof *A->b);
}

/* W is symmetric: row by row is column by column. */
static void fill(matrix *A, const mo_problem *W)
{
    size_t block = 0, value = 0, entry = 0;
    for (int i = 0; i < A->blocks; ++i) {
        const mo_constraint_view view = mo_problem_constraint(W, i);
        A->dim[i] = view.dim;
        for (int k = 0; k < view.block_count; ++k) {
            const mo_block_view part = mo_problem_block(W, i, k);
            const int n = mo_problem_constraint(W, part.index).dim;
            A->index[block++] = part.index;
            for (int e = 0; e < view.dim * n; ++e) {
                const int on_diagonal = part.index == i && e / n == e % n;
                A->values[value++] = part.values[e] * (on_diagonal ? 2 : 1);
            }
        }
        A->start[i + 1] = (int)block;
    }
    for (int i = 0; i < A->blocks; ++i) {
        const mo_constraint_view view = mo_problem_constraint(W, i);
        for (int a = 0; a < view.dim; ++a) {
            for (int k = 0; k < view.block_count; ++k) {
                const mo_block_view part = mo_problem_block(W, i, k);
                const mo_constraint_view other = mo_problem_constraint(W, part.index);
                for (int c = 0; c < other.dim; ++c, ++entry) {
                    const int on_diagonal = part.index == i && a == c;
                    A->row[entry] = other.offset + c;
                    A->x[entry] = part.values[a * other.dim + c] * (on_diagonal ? 2 : 1);
                }
            }
            A->column[view.offset + a + 1] = (int)entry;
        }
    }
}

static void matrix_of(matrix *A, mo_problem *problem)
{
    mo_problem *W = NULL;
    mo_random random = {3};
    assert_int_equal(mo_problem_reduce(problem, &W, NULL), MO_OK);
    make_room(A, W);
    fill(A, W);
    fill_uniform(&random, -1, 1, A->rows, A->b);
    mo_problem_destroy(W);
    mo_problem_destroy(problem);
}

static void matrix_clear(matrix *A)
{
    void *all[] = {A->dim, A->start, A->index, A->values, A->column, A->row, A->x, A->b};
    for (size_t k = 0; k < sizeof all / sizeof *all; ++k)
        free(all[k]);
}

/* Each puts A^-1 b into x. */
typedef times solve_fn(const matrix *A, double *x);

static times by_fronts(const matrix *A, double *x)
{
    const mo_allocator own = mo_allocator_or_default(NULL);
    const mo_block_pattern pattern = {A->blocks, A->dim, A->start, A->index};
    mo_front_plan *plan = NULL;
    mo_front_lu lu;
    mo_arena arena = {0};
    times t = {.plan = seconds()};
    assert_int_equal(mo_front_plan_create(&own, &pattern, &plan), MO_OK);
    t.plan = seconds() - t.plan;
    mo_front_lu_layout(plan, &arena, &lu);
    arena.base = aligned_alloc(MO_ARENA_ALIGN, (arena.used / MO_ARENA_ALIGN + 1) * MO_ARENA_ALIGN);
    arena.used = 0;
    assert_non_null(arena.base);
    mo_front_lu_layout(plan, &arena, &lu);
    t.factor = seconds();
    assert_true(mo_front_lu_factor(&lu, A->values, NULL, NULL, NULL));
    t.factor = seconds() - t.factor;
    memcpy(x, A->b, (size_t)A->rows * sizeof *x);
    t.solve = seconds();
    mo_front_lu_solve(&lu, x);
    t.solve = seconds() - t.solve;
    free(arena.base);
    mo_front_plan_destroy(&own, plan);
    return t;
}

static times by_klu(const matrix *A, double *x)
{
    klu_common common;
    times t = {.plan = seconds()};
    klu_defaults(&common);
    klu_symbolic *symbolic = klu_analyze(A->rows, A->column, A->row, &common);
    t.plan = seconds() - t.plan;
    t.factor = seconds();
    klu_numeric *numeric = klu_factor(A->column, A->row, A->x, symbolic, &common);
    t.factor = seconds() - t.factor;
    memcpy(x, A->b, (size_t)A->rows * sizeof *x);
    t.solve = seconds();
    assert_true(klu_solve(symbolic, numeric, A->rows, 1, x, &common));
    t.solve = seconds() - t.solve;
    klu_free_numeric(&numeric, &common);
    klu_free_symbolic(&symbolic, &common);
    return t;
}

static times by_umfpack(const matrix *A, double *x)
{
    void *symbolic = NULL, *numeric = NULL;
    times t = {.plan = seconds()};
    umfpack_di_symbolic(A->rows, A->rows, A->column, A->row, A->x, &symbolic, NULL, NULL);
    t.plan = seconds() - t.plan;
    t.factor = seconds();
    umfpack_di_numeric(A->column, A->row, A->x, symbolic, &numeric, NULL, NULL);
    t.factor = seconds() - t.factor;
    t.solve = seconds();
    assert_int_equal(
        umfpack_di_solve(UMFPACK_A, A->column, A->row, A->x, x, A->b, numeric, NULL, NULL),
        UMFPACK_OK);
    t.solve = seconds() - t.solve;
    umfpack_di_free_numeric(&numeric);
    umfpack_di_free_symbolic(&symbolic);
    return t;
}

static times by_cholmod(const matrix *A, double *x)
{
    cholmod_common common;
    times t = {0};
    cholmod_start(&common);
    common.supernodal = CHOLMOD_SIMPLICIAL;
    cholmod_sparse sparse = {.nrow = (size_t)A->rows,
                             .ncol = (size_t)A->rows,
                             .nzmax = (size_t)A->column[A->rows],
                             .p = A->column,
                             .i = A->row,
                             .x = A->x,
                             .stype = 1,
                             .itype = CHOLMOD_INT,
                             .xtype = CHOLMOD_REAL,
                             .dtype = CHOLMOD_DOUBLE,
                             .packed = 1};
    cholmod_dense right = {.nrow = (size_t)A->rows,
                           .ncol = 1,
                           .nzmax = (size_t)A->rows,
                           .d = (size_t)A->rows,
                           .x = A->b,
                           .xtype = CHOLMOD_REAL,
                           .dtype = CHOLMOD_DOUBLE};
    t.plan = seconds();
    cholmod_factor *factor = cholmod_analyze(&sparse, &common);
    t.plan = seconds() - t.plan;
    t.factor = seconds();
    assert_true(cholmod_factorize(&sparse, factor, &common));
    t.factor = seconds() - t.factor;
    t.solve = seconds();
    cholmod_dense *answer = cholmod_solve(CHOLMOD_A, factor, &right, &common);
    t.solve = seconds() - t.solve;
    memcpy(x, answer->x, (size_t)A->rows * sizeof *x);
    cholmod_free_dense(&answer, &common);
    cholmod_free_factor(&factor, &common);
    cholmod_finish(&common);
    return t;
}

static const struct {
    const char *name;
    solve_fn *solve;
} PEERS[] = {{"fronts", by_fronts},
             {"klu", by_klu},
             {"umfpack", by_umfpack},
             {"cholmod", by_cholmod}};
enum { PEER_COUNT = sizeof PEERS / sizeof *PEERS, CASES = 4 };

static const char *matrix_case(int which, int is_large, matrix *A)
{
    static const char *const names[CASES] = {"balls", "stones", "wall", "stack"};
    static const scene_grain grains[] = {SCENE_BALLS, SCENE_STONES};
    mo_problem *problem = NULL;
    mo_error error;
    if (which < 2) {
        error = scene_packing_of(grains[which], is_large ? 2000 : 150, 1, &problem, NULL);
    } else if (which == 2) {
        scene_wall_def wall = scene_wall_default();
        wall.courses = is_large ? 30 : 6;
        wall.length = is_large ? 10 : 4;
        error = scene_wall(&wall, &problem, NULL);
    } else {
        scene_stack_def stack = scene_stack_default();
        stack.boxes = is_large ? 200 : 20;
        error = scene_box_stack(&stack, &problem, NULL);
    }
    assert_int_equal(error, MO_OK);
    matrix_of(A, problem);
    return names[which];
}

static void all_solve_to_the_same_answer(void **state)
{
    (void)state;
    for (int which = 0; which < CASES; ++which) {
        matrix A;
        matrix_case(which, 0, &A);
        double *ours = room(A.rows, sizeof *ours), *theirs = room(A.rows, sizeof *theirs);
        by_fronts(&A, ours);
        for (int p = 1; p < PEER_COUNT; ++p) {
            double size = 0, error = 0;
            PEERS[p].solve(&A, theirs);
            for (int k = 0; k < A.rows; ++k) {
                size = fmax(size, fabs(theirs[k]));
                error = fmax(error, fabs(theirs[k] - ours[k]));
            }
            CHECK_BELOW(error, 1e-10 * size);
        }
        free(ours);
        free(theirs);
        matrix_clear(&A);
    }
}

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *values)
{
    qsort(values, REPEATS, sizeof *values, by_size);
    return values[REPEATS / 2];
}

static void print_times(void)
{
    printf("%-8s %6s  %-8s %9s %9s %9s\n", "problem", "rows", "by", "plan", "factor", "solve");
    for (int which = 0; which < CASES; ++which) {
        matrix A;
        const char *name = matrix_case(which, 1, &A);
        double *x = room(A.rows, sizeof *x);
        for (int p = 0; p < PEER_COUNT; ++p) {
            double plan[REPEATS], factor[REPEATS], solve[REPEATS];
            for (int k = 0; k < REPEATS; ++k) {
                const times t = PEERS[p].solve(&A, x);
                plan[k] = t.plan;
                factor[k] = t.factor;
                solve[k] = t.solve;
            }
            printf("%-8s %6d  %-8s %6.2f ms %6.2f ms %6.2f ms\n", name, A.rows, PEERS[p].name,
                   1e3 * median(plan), 1e3 * median(factor), 1e3 * median(solve));
        }
        free(x);
        matrix_clear(&A);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(all_solve_to_the_same_answer)};
    if (argc > 1 && strcmp(argv[1], "times") == 0) {
        print_times();
        return 0;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
