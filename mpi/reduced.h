/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Reduced problems on ranks: u = W r + q, with no bodies.
 *
 * A rank has the rows of W of its constraints; r is on all ranks.  Constraints of one colour do not
 * appear in each other's rows.  Colours are greedy in the order of hashed numbers, as many as it
 * takes, and found by every rank alike from the pattern of the whole.  After each colour all ranks
 * get its new impulses.
 */
#ifndef MOREAU_MPI_REDUCED_H
#define MOREAU_MPI_REDUCED_H

#include "problem/sweep.h"
#include "spread.h"

typedef struct mo_reduced {
    const mo_sweep *sweep; /* natural order; rows of other ranks are empty */
    int *owner;            /* of each constraint                           */
    int colour_count;
    int *order, *start; /* constraints by colour, in each by owner, then number */
    int *count, *place; /* numbers of each rank in each colour, and where they begin */
    double *packed;     /* the impulses of a colour                          */
    double *r, *before, *u;
} mo_reduced;

mo_error mo_reduced_deal(MPI_Comm comm, const mo_problem *whole, mo_spread **spread,
                         mo_message *why);
void mo_reduced_destroy(mo_reduced *reduced);

/* nsgs with this cap of the momentum; the result is as in mo_spread_solve. */
mo_status mo_reduced_solve(mo_spread *s, const mo_options *options, double start_time,
                           double momentum, mo_result *result);

#endif
