/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * The cost of a frictionless solve relative to Gaussian elimination with partial pivoting (dgesv of
 * LAPACK) on the same dense system W x = q.
 *
 * Both use one thread of the same BLAS and run alternately; the fastest processor time of many runs
 * is used.  The time of the pivots is that from the residual of the starting point to the last
 * iterate.  Like dgesv, it starts from the assembled matrix and excludes the assembly of that
 * matrix and the residual of the result.  The time of the whole call includes both.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "baraff.h"

void dgesv_(const int *n, const int *columns, double *A, const int *lda, int *pivots, double *b,
            const int *ldb, int *info);
void dpstrf_(const char *uplo, const int *n, double *A, const int *lda, int *pivots, int *rank,
             const double *tolerance, double *work, int *info);

/* For OpenBLAS; the threads of another BLAS are not set. */
#if defined(__GNUC__) && !defined(__APPLE__)
__attribute__((weak)) void openblas_set_num_threads(int threads);
#define HAS_THREAD_CALL (openblas_set_num_threads != NULL)
#else
static void openblas_set_num_threads(int threads)
{
    (void)threads;
}
#define HAS_THREAD_CALL 0
#endif

const int br_sizes[] = {10, 20, 50, 100, 200, 300, 500, 700, 1000};
const int br_size_count = sizeof br_sizes / sizeof br_sizes[0];

static double seconds_of(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double now(void)
{
    return seconds_of(CLOCK_THREAD_CPUTIME_ID);
}

/* ---- Gaussian elimination -------------------------------------------------------------------- */

typedef struct linear_system {
    int n;
    double *W, *q; /* by columns */
    double *copy, *x;
    int *pivots;
} linear_system;

static void fill(const mo_problem *problem, linear_system *s)
{
    memset(s->W, 0, (size_t)s->n * (size_t)s->n * sizeof *s->W);
    for (int i = 0; i < s->n; ++i) { /* one row a contact */
        const mo_constraint_view view = mo_problem_constraint(problem, i);
        s->q[i] = view.w[0];
        for (int k = 0; k < view.block_count; ++k) {
            const mo_block_view block = mo_problem_block(problem, i, k);
            s->W[(size_t)block.index * (size_t)s->n + (size_t)i] = block.values[0];
        }
    }
}

static mo_error make_system(const mo_problem *problem, linear_system *s)
{
    const size_t n = (size_t)mo_problem_row_count(problem);
    *s = (linear_system){.n = (int)n};
    s->W = malloc(n * n * sizeof *s->W);
    s->copy = malloc(n * n * sizeof *s->copy);
    s->q = malloc(n * sizeof *s->q);
    s->x = malloc(2 * n * sizeof *s->x);
    s->pivots = malloc(n * sizeof *s->pivots);
    if (!s->W || !s->copy || !s->q || !s->x || !s->pivots) return MO_ERR_MEMORY;
    fill(problem, s);
    return MO_OK;
}

static void free_system(linear_system *s)
{
    free(s->W);
    free(s->copy);
    free(s->q);
    free(s->x);
    free(s->pivots);
}

static double time_gauss(linear_system *s)
{
    const size_t n = (size_t)s->n;
    const int one = 1;
    int info;
    memcpy(s->copy, s->W, n * n * sizeof *s->W);
    memcpy(s->x, s->q, n * sizeof *s->x);
    const double start = now();
    dgesv_(&s->n, &one, s->copy, &s->n, s->pivots, s->x, &s->n, &info);
    return now() - start;
}

/* The rank of W, by Cholesky's factorisation with complete pivoting. */
static int rank_of(linear_system *s)
{
    const size_t n = (size_t)s->n;
    const double tolerance = -1; /* n eps max(diagonal) */
    int rank = 0, info;
    memcpy(s->copy, s->W, n * n * sizeof *s->W);
    dpstrf_("L", &s->n, s->copy, &s->n, s->pivots, &rank, &tolerance, s->x, &info);
    return rank;
}

/* ---- the pivots ------------------------------------------------------------------------------ */

/* When the starting point and the last iterate were measured. */
typedef struct watch {
    int looks;
    double first, last;
} watch;

static void look(void *user, const mo_progress *progress, const double *r)
{
    watch *w = user;
    (void)progress;
    (void)r;
    w->last = now();
    w->first = w->looks++ ? w->first : w->last;
}

static mo_error time_pivots(const mo_problem *problem, mo_result *result, br_cost *row)
{
    mo_options options = mo_default_options();
    watch w = {0};
    options.method = "dantzig";
    options.tol = 1e-10;
    options.max_iter = 1000000;
    options.progress = look;
    options.progress_user = &w;
    const double start = now();
    const mo_error error = mo_solve(problem, &options, result);
    row->call = fmin(row->call, now() - start);
    row->pivoting = fmin(row->pivoting, w.last - w.first);
    row->pivots = result->iterations;
    row->residual = result->residual.natural_relative;
    row->is_solved = !error && result->status == MO_SOLVED;
    return error;
}

static int count_pressed(const mo_result *result)
{
    int count = 0;
    for (int i = 0; i < result->row_count; ++i)
        count += result->r[i] > 1e-12;
    return count;
}

static mo_error measure(const mo_problem *problem, double least, br_cost *row)
{
    enum { REPEATS_LEAST = 5 };
    linear_system s;
    mo_result result = {0};
    mo_error error = make_system(problem, &s);
    row->n = s.n;
    row->gauss = row->pivoting = row->call = INFINITY;
    const double start = seconds_of(CLOCK_MONOTONIC);
    for (int k = 0; !error && (k < REPEATS_LEAST || seconds_of(CLOCK_MONOTONIC) - start < least);
         ++k) {
        row->gauss = fmin(row->gauss, time_gauss(&s));
        error = time_pivots(problem, &result, row);
    }
    if (!error) {
        row->pressed = count_pressed(&result);
        row->rank = rank_of(&s);
    }
    mo_result_clear(&result);
    free_system(&s);
    return error;
}

mo_error br_measure_one(br_pile pile, int contacts, double least, br_cost *row)
{
    mo_problem *problem = NULL;
    if (HAS_THREAD_CALL) openblas_set_num_threads(1);
    *row = (br_cost){.pile = pile};
    mo_error error = br_frictionless(pile, contacts, &problem);
    error = error ? error : measure(problem, least, row);
    mo_problem_destroy(problem);
    return error;
}

/* Runs of milliseconds need more repetitions until one is not disturbed by other processes. */
mo_error br_measure_cost(br_cost *rows)
{
    mo_error error = MO_OK;
    for (int k = 0; !error && k < BR_PILE_COUNT * br_size_count; ++k) {
        const int contacts = br_sizes[k % br_size_count];
        const double least = contacts < 300 ? 0.3 : 1.2;
        error = br_measure_one((br_pile)(k / br_size_count), contacts, least, &rows[k]);
    }
    return error;
}
