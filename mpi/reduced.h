/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Reduced problems on ranks: u = W r + q, without bodies.
 *
 * A rank has the rows of W of its constraints; r is on all ranks.  The order of a sweep is that of
 * one process.  A constraint has the level after the last of its preceding neighbours, so
 * constraints of one level do not appear in each other's rows, and a sweep by levels equals that of
 * one process.  Every rank computes the same levels from the pattern of W, without its values.
 * After each level all ranks receive its new impulses.
 */
#ifndef MOREAU_MPI_REDUCED_H
#define MOREAU_MPI_REDUCED_H

#include "problem/sweep.h"
#include "spread.h"

typedef struct mo_reduced {
    const mo_sweep *sweep; /* natural order; rows of other ranks are empty */
    int *owner;            /* of each constraint                           */
    int level_count;
    int *order, *start; /* constraints by level, in each by owner, then number */
    int *count, *place; /* numbers of each rank in each level, and where they begin */
    double *packed;     /* the impulses of a level                          */
    double *r, *before, *u;
} mo_reduced;

/* reduced_make.c: the part has all constraints, and the rows of W of this rank.  Owners rise with
 * the number.  Both belong to the spread problem from now on, also where this fails. */
mo_error mo_reduced_create(MPI_Comm comm, mo_problem *part, int *owner, mo_spread **spread,
                           mo_message *why);

/* A problem that every rank has. */
mo_error mo_reduced_deal(MPI_Comm comm, const mo_problem *whole, mo_spread **spread,
                         mo_message *why);

/* Owners of constraints: runs of about the same weight. */
void mo_reduced_runs(int count, const int *weight, int ranks, int *owner);

/* A coupling of zeros, by which a part without rows is a reduced problem, too. */
void mo_reduced_add_nothing(mo_builder *builder, int d);

void mo_reduced_destroy(mo_reduced *reduced);

/* nsgs with this cap of the momentum; the result is as in mo_spread_solve. */
mo_status mo_reduced_solve(mo_spread *s, const mo_options *options, double start_time,
                           double momentum, mo_result *result);

#endif
