/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * The same bits on 1 to 4 ranks.  One run of four ranks holds them all: the first 1, 2, 3 and 4 of
 * them make communicators.  A trial is run on one rank and on 2, 3 or 4, in turn from trial to
 * trial; with MOREAU_EVERY_RANK in the environment on all of them.
 */
#ifndef TESTS_MPI_BITS_H
#define TESTS_MPI_BITS_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "moreau/mpi.h"

static int rank, failures;

static inline void expect(int is_true, const char *what, const char *of)
{
    if (!is_true) {
        ++failures;
        fprintf(stderr, "rank %d: %s: %s\n", rank, of, what);
    }
}

/* A barrier that leaves the processor to others: ranks without work wait here. */
static inline void wait_for_all(void)
{
    MPI_Request request;
    MPI_Ibarrier(MPI_COMM_WORLD, &request);
    for (int is_over = 0; !is_over;) {
        MPI_Test(&request, &is_over, MPI_STATUS_IGNORE);
        if (!is_over) nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    }
}

/* for (ranks = 1; ranks <= 4; ranks = next_ranks(ranks)) */
static inline int next_ranks(int ranks)
{
    static int trials;
    return getenv("MOREAU_EVERY_RANK") ? ranks + 1 : ranks == 1 ? 2 + trials++ % 3 : 5;
}

typedef struct answer {
    double *r, *v;
    mo_residual residual;
    int iterations, colours;
    mo_status status;
} answer;

static inline void solve_by(MPI_Comm comm, const mo_problem *whole, const mo_options *options,
                            mo_linear linear, const char *name, answer *out)
{
    mo_spread *spread;
    mo_message why = {""};
    mo_result result = {0};
    const mo_error error = mo_spread_deal(comm, whole, &spread, &why);
    expect(!error, why.text, name);
    if (error) return;
    mo_spread_set_linear(spread, linear);
    expect(!mo_spread_solve(spread, options, &result), result.message.text, name);
    out->r = calloc((size_t)mo_problem_row_count(whole) + 1, sizeof(double));
    out->v = calloc((size_t)mo_problem_dof_count(whole) + 1, sizeof(double));
    expect(!mo_spread_gather(spread, &result, out->r, out->v), "gather", name);
    out->residual = result.residual;
    out->iterations = result.iterations;
    out->status = result.status;
    out->colours = mo_spread_colour_count(spread);
    mo_result_clear(&result);
    mo_spread_destroy(spread);
}

static inline void solve_on(MPI_Comm comm, const mo_problem *whole, const mo_options *options,
                            const char *name, answer *out)
{
    solve_by(comm, whole, options, MO_LINEAR_AUTO, name, out);
}

/* The answer of one rank against the measure of one process. */
static inline void check_residual(const char *name, const mo_problem *whole,
                                  const mo_options *options, const answer *own)
{
    mo_residual residual;
    mo_measure(whole, own->r, &residual);
    expect(fabs(residual.natural - own->residual.natural) <= 1e-6 * residual.natural + 1e-13,
           "residual differs from mo_measure", name);
    expect((own->status == MO_SOLVED) == (residual.natural_relative <= options->tol),
           "status and residual do not agree", name);
    printf("%s: %s, %d sweeps, %d colours, residual %.3g\n", name, mo_status_name(own->status),
           own->iterations, own->colours, own->residual.natural_relative);
}

/* mo_solve: as many sweeps, and the same r but for what the dealing rounds. */
static inline void check_one_process(const char *name, const mo_problem *whole,
                                     const mo_options *options, const answer *own)
{
    mo_result one = {0};
    double most = 0, apart = 0;
    expect(!mo_solve(whole, options, &one), one.message.text, name);
    for (int k = 0; k < mo_problem_row_count(whole); ++k) {
        most = fmax(most, fabs(own->r[k]));
        apart = fmax(apart, fabs(own->r[k] - one.r[k]));
    }
    printf("%s: mo_solve %d sweeps, apart %.2g of %.2g\n", name, one.iterations, apart, most);
    expect(one.iterations == own->iterations, "mo_solve takes other sweeps", name);
    expect(apart <= 1e-12 * most, "mo_solve has another r", name);
    mo_result_clear(&one);
}

/*
 * Solves on one and on more ranks, and compares, also with one process where this has the same
 * order; returns the status of one rank, on rank 0.
 */
static inline mo_status check_bits(const char *name, const mo_problem *whole,
                                   const mo_options *options, int has_same_order)
{
    answer first = {0};
    for (int ranks = 1; ranks <= 4; ranks = next_ranks(ranks)) {
        MPI_Comm comm;
        answer own = {0};
        wait_for_all();
        MPI_Comm_split(MPI_COMM_WORLD, rank < ranks ? 0 : MPI_UNDEFINED, rank, &comm);
        if (comm == MPI_COMM_NULL) continue;
        solve_on(comm, whole, options, name, &own);
        MPI_Comm_free(&comm);
        if (rank == 0 && ranks == 1) {
            first = own;
            check_residual(name, whole, options, &own);
            if (has_same_order) check_one_process(name, whole, options, &own);
            continue;
        }
        if (rank == 0) {
            const size_t rows = (size_t)mo_problem_row_count(whole),
                         dofs = (size_t)mo_problem_dof_count(whole);
            expect(!memcmp(first.r, own.r, rows * sizeof(double)), "r differs", name);
            expect(!memcmp(first.v, own.v, dofs * sizeof(double)), "v differs", name);
            expect(first.iterations == own.iterations, "sweeps differ", name);
            expect(!memcmp(&first.residual, &own.residual, sizeof own.residual), "residual differs",
                   name);
        }
        free(own.r);
        free(own.v);
    }
    free(first.r);
    free(first.v);
    return first.status;
}

#endif
