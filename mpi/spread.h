/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Internal definitions of a distributed problem.
 *
 * A line is 64 bytes of the state: the velocities of a rigid body (problem/batches.h).  In one
 * colour at most one constraint of all ranks touches a body, so one rank has its new velocity and
 * sends it to the other copies: one PetscSF for each colour, whose roots are the lines visited in
 * this colour and whose leaves are their copies.
 */
#ifndef MOREAU_MPI_SPREAD_H
#define MOREAU_MPI_SPREAD_H

#include <petscsf.h>

#include "exact.h"
#include "moreau/mpi.h"
#include "problem/batches.h"
#include "problem/colouring.h"

struct mo_reduced;

enum { MO_RECENT = 256 };

struct mo_spread {
    MPI_Comm comm;
    int rank, size;
    mo_problem *part;
    int is_borrowed; /* it belongs to another */
    const mo_compact *compact;
    uint32_t *body_id;
    int *body_rank;
    int64_t *constraint_id;
    int64_t body_total, constraint_total;
    int64_t whole_rows, whole_dofs; /* lengths of the whole r and v */
    int64_t joint_rows;             /* of a file: the last so many of the rows are l */
    int64_t *row_at, *dof_at; /* where a constraint's rows and a body's velocities lie in them */

    PetscSF
        holders; /* roots: owned bodies, leaves: the others' copies, by their number in a part */
    int *holder_count; /* of each body, this rank included */

    int colour_count;
    uint8_t *colour, *is_outer; /* of each constraint */
    mo_batches *batches;
    PetscSF *exchange; /* of each colour; NULL if nothing is exchanged */
    MPI_Datatype line;

    struct mo_reduced *reduced; /* of a reduced problem; then nothing of the above is there */
    mo_exact exact;
    double *each; /* for sums: MO_LANES a batch, then one a row block; or one a constraint */
    int64_t messages, bytes;  /* sent by this rank so far, as PETSc counts */
    int64_t rounds;           /* of exchanges, one after each colour */
    mo_linear linear;         /* how admm and newton solve linear systems */
    double swept;             /* when the last sweep ended, s */
    double fastest;           /* time of a sweep, s */
    double recent[MO_RECENT]; /* of the last ones, in a ring */
    int64_t timed;            /* sweeps so far */
};

/* mo_spread_create of a part that stays the caller's, who keeps it longer. */
mo_error mo_spread_borrow(MPI_Comm comm, mo_problem *part, const mo_spread_map *map,
                          mo_spread **spread, mo_message *why);

/* The same error on all ranks; one of those that have one says why. */
mo_error mo_mpi_agree(MPI_Comm comm, mo_error error, mo_message *why);

/* Refuses the path of a directory or a device: a file that is renamed to it would replace it. */
mo_error mo_mpi_check_target(const char *path, mo_message *why);

/* Refuses a file that is not the same on all ranks, by its length, beginning and end.  One that a
 * rank cannot read is left to the reader. */
mo_error mo_mpi_check_source(MPI_Comm comm, const char *path, mo_message *why);

/* FNV-1a, sums of which do not depend on the ranks; and is a number the same on all of them? */
uint64_t mo_mpi_hash(const void *bytes, size_t count);
int mo_mpi_all_equal(MPI_Comm comm, uint64_t number);

/* A PETSc call that failed, as an error. */
mo_error mo_mpi_petsc_error(PetscErrorCode code, mo_message *why);

/* solve.c: room for v, u and r of a part. */
mo_error mo_spread_prepare_result(const mo_problem *part, mo_result *result, mo_message *why);

/* The caller's progress function, where there is one, at a residual check of this rank's r. */
void mo_spread_show(const mo_options *options, double start_time, int iteration, double natural,
                    double relative, const double *r);

/* holders.c */
mo_error mo_spread_find_holders(mo_spread *s, mo_message *why);

/* colours.c: colours of constraints by rounds. */
mo_error mo_spread_colour(mo_spread *s, mo_message *why);

/* exchange.c: a PetscSF for each colour. */
mo_error mo_spread_make_exchange(mo_spread *s, mo_message *why);

#endif
