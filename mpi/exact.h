/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Sums of nonnegative numbers over all ranks whose bits depend on the numbers alone, not on their
 * order or distribution.
 *
 * With a power of two g >= the largest number, each number is split into a multiple of g 2^-26 and
 * a multiple of g 2^-52; the rest is dropped.  Sums of such multiples are exact in doubles for up
 * to 2^26 numbers on a rank, and in 64-bit integers over all ranks [demmel2013].  If g is too
 * small, or too large by more than 2^16, it is replaced and the sum is repeated.
 */
#ifndef MOREAU_MPI_EXACT_H
#define MOREAU_MPI_EXACT_H

#include <mpi.h>
#include <stddef.h>

typedef struct mo_exact {
    MPI_Comm comm;
    MPI_Datatype type; /* of what is reduced, 32 bytes */
    MPI_Op add;
    double bound[2]; /* g of the last sum of each kind; 0: none yet */
    int wants_stop;  /* why this rank must end, or 0; reduced along with each sum */
    int must_stop;   /* the largest of all ranks */
    long reductions; /* so far */
} mo_exact;

void mo_exact_init(mo_exact *exact, MPI_Comm comm);
void mo_exact_clear(mo_exact *exact);

/* `kind` 0 or 1: numbers of one kind have about the same size from call to call. */
double mo_exact_sum(mo_exact *exact, int kind, const double *x, size_t count);

/* The largest of one number a rank. */
double mo_exact_largest(mo_exact *exact, double value);

#endif
