/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Contact problems whose bodies and constraints are dealt to the ranks of an MPI communicator.
 *
 * Each rank holds a part: a mo_problem with its own constraints and every body that they touch.  A
 * body that several ranks hold is owned by one of them and has the same mass and force on all.
 * Bodies have ids that are the same on every rank.  All constraints between the same bodies are on
 * one rank, and they come by rising id.
 *
 * A solution has the same bits for any number of ranks and any distribution, on processors with the
 * same vector instructions: colours follow from the ids alone, and sums do not depend on the order
 * of their terms (docs/mpi.md).
 *
 * All calls are collective.  An error is the same on all ranks.  The library libmoreau-mpi holds
 * libmoreau as well: link it in place of that.
 */
#ifndef MOREAU_MPI_H
#define MOREAU_MPI_H

#include <mpi.h>
#include <stdint.h>

#include "moreau/moreau.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Starts MPI and PETSc where the caller has not, and ends what it has started. */
MO_API mo_error mo_mpi_begin(int *argc, char ***argv);
MO_API void mo_mpi_end(void);

/* ---- problems ------------------------------------------------------------------------------- */

/* What a part is of the whole; arrays are copied. */
typedef struct mo_spread_map {
    const uint32_t *body_id;      /* of each body of the part; UINT32_MAX is not an id   */
    const int *body_rank;         /* its owner, which holds it too                       */
    const int64_t *constraint_id; /* of each constraint: its place in the whole, rising  */
} mo_spread_map;

typedef struct mo_spread mo_spread;

/* The part belongs to the spread problem from now on, also where this fails. */
MO_API mo_error mo_spread_create(MPI_Comm comm, mo_problem *part, const mo_spread_map *map,
                                 mo_spread **spread, mo_message *why);
MO_API void mo_spread_destroy(mo_spread *spread);

/*
 * Deals a problem that every rank has to them.  Each keeps a copy of its part alone; the caller may
 * destroy the whole afterwards.
 */
MO_API mo_error mo_spread_deal(MPI_Comm comm, const mo_problem *whole, mo_spread **spread,
                               mo_message *why);

/* This rank's part, and the whole. */
MO_API const mo_problem *mo_spread_part(const mo_spread *spread);
MO_API int64_t mo_spread_body_count(const mo_spread *spread);
MO_API int64_t mo_spread_constraint_count(const mo_spread *spread);
MO_API int mo_spread_colour_count(const mo_spread *spread);

/* The id of each body of the part, and the colour of each of its constraints. */
MO_API const uint32_t *mo_spread_body_ids(const mo_spread *spread);
MO_API const uint8_t *mo_spread_colours(const mo_spread *spread);

/*
 * mo_solve for a spread problem: methods nsgs and auto, with their options and statuses.  v,
 * u and r are those of the part; residual, status and iterations those of the whole, where
 * constraints are named by id.
 */
MO_API mo_error mo_spread_solve(mo_spread *spread, const mo_options *options, mo_result *result);

/*
 * The whole r and v on rank 0, where both have room for constraint_count * 3 and body_count * 6
 * numbers if these are their sizes, else as long as those of the whole problem that was dealt.
 */
MO_API mo_error mo_spread_gather(const mo_spread *spread, const mo_result *result, double *r,
                                 double *v);

/* ---- what a sweep costs --------------------------------------------------------------------- */

/* Of one round of exchanges on all ranks, one after each colour: a sweep has one, and so has the
 * computation of v from r. */
typedef struct mo_spread_traffic {
    int64_t messages, bytes; /* between two ranks                                 */
    int reductions;          /* over all ranks, of 32 bytes; one a sweep           */
    int64_t outer, shared;   /* constraints visited first; bodies of several ranks */
} mo_spread_traffic;

/* What the distribution and the colours imply. */
MO_API mo_error mo_spread_predict(const mo_spread *spread, mo_spread_traffic *traffic);

/* What PETSc has counted in all solves so far, and the rounds in them. */
MO_API mo_error mo_spread_count(const mo_spread *spread, mo_spread_traffic *traffic,
                                int64_t *rounds);

#ifdef __cplusplus
}
#endif
#endif
