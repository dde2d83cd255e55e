/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* Records that each rank sends to others, all ranks together. */
#ifndef MOREAU_MPI_MAIL_H
#define MOREAU_MPI_MAIL_H

#include <mpi.h>
#include <stddef.h>

#include "moreau/mpi.h"

/* count[k] records of `bytes` bytes for rank k, one rank after the other; *in is new memory with
 * what comes, in the order of the senders, from[k] records of rank k (from may be NULL). */
mo_error mo_mail(MPI_Comm comm, size_t bytes, const int *count, const void *out, void **in,
                 int *in_count, int *from);

/* The same for records in any order, each for the rank that is named for it. */
mo_error mo_mail_to(MPI_Comm comm, size_t bytes, int count, const int *rank_of, const void *records,
                    void **in, int *in_count, int *from);

/* The records of all ranks on each, in the order of the ranks; *in is new memory. */
mo_error mo_mail_all(MPI_Comm comm, size_t bytes, int count, const void *out, void **in,
                     int *in_count);

/* mo_mail_to for records of numbers of different lengths: record k begins at start[k] and ends at
 * start[k + 1].  *in_numbers is how many numbers come. */
mo_error mo_mail_numbers(MPI_Comm comm, int count, const int *rank_of, const size_t *start,
                         const double *numbers, double **in, size_t *in_numbers);

#endif
