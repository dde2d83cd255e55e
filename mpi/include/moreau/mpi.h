/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Contact problems whose bodies and constraints are distributed over the ranks of an MPI
 * communicator.
 *
 * Each rank holds a part: a mo_problem with its own constraints and every body that they touch.  A
 * body that several ranks hold is owned by one of them and has the same mass and force on all.
 * Bodies have ids that are the same on every rank.  A constraint has at most two bodies, or numbers
 * them by rising id.  Constraints between the same bodies are on one rank; they come by rising id.
 *
 * A solution has the same bits for any number of ranks and any distribution, on processors with the
 * same vector instructions: colours follow from the ids alone, and sums do not depend on the order
 * of their terms (docs/mpi.md).
 *
 * All calls are collective.  An error is the same on all ranks.  The library libmoreau-mpi contains
 * libmoreau: link it instead.
 */
#ifndef MOREAU_MPI_H
#define MOREAU_MPI_H

#include <mpi.h>
#include <stdint.h>

#include "moreau/moreau.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Initialises MPI and PETSc unless the caller has done so; mo_mpi_end finalises what mo_mpi_begin
 * initialised. */
MO_API mo_error mo_mpi_begin(int *argc, char ***argv);
MO_API void mo_mpi_end(void);

/* ---- problems ------------------------------------------------------------------------------- */

/* The place of a part in the whole problem; arrays are copied. */
typedef struct mo_spread_map {
    const uint32_t *body_id;      /* of each body of the part; UINT32_MAX is not an id   */
    const int *body_rank;         /* its owner, which holds it too                       */
    const int64_t *constraint_id; /* of each constraint: its place in the whole, rising  */
} mo_spread_map;

typedef struct mo_spread mo_spread;

/* Takes ownership of the part, also after an error. */
MO_API mo_error mo_spread_create(MPI_Comm comm, mo_problem *part, const mo_spread_map *map,
                                 mo_spread **spread, mo_message *why);
MO_API void mo_spread_destroy(mo_spread *spread);

/*
 * Distributes a problem that every rank has.  Each rank keeps a copy of its part only; the caller
 * may then destroy the whole.
 */
MO_API mo_error mo_spread_deal(MPI_Comm comm, const mo_problem *whole, mo_spread **spread,
                               mo_message *why);

/*
 * Reads the contact problem of an FCLIB file.  Each rank reads a slab, so that no rank has the
 * whole matrices.  MO_ERR_UNSUPPORTED if a slab is damaged, or if a body has more than 4,096
 * velocities; mo_fclib_read reports the defect.
 */
MO_API mo_error mo_spread_read(MPI_Comm comm, const char *path, mo_spread **spread,
                               mo_message *why);

/*
 * Writes a copy of the file that mo_spread_read has read, with the result as its solution.  Each
 * rank writes its part.  The file is complete or not written.
 */
MO_API mo_error mo_spread_write(const mo_spread *spread, const mo_result *result, const char *from,
                                const char *to, mo_message *why);

/* This rank's part, and the whole. */
MO_API const mo_problem *mo_spread_part(const mo_spread *spread);
MO_API int64_t mo_spread_body_count(const mo_spread *spread);
MO_API int64_t mo_spread_constraint_count(const mo_spread *spread);
MO_API int mo_spread_colour_count(const mo_spread *spread);

/* The id of each body of the part, and the colour of each of its constraints. */
MO_API const uint32_t *mo_spread_body_ids(const mo_spread *spread);
MO_API const uint8_t *mo_spread_colours(const mo_spread *spread);

/* How the linear systems of admm and newton are solved; the same on all ranks. */
typedef enum mo_linear {
    MO_LINEAR_AUTO,     /* factored up to 300,000 velocities, else by multigrid         */
    MO_LINEAR_FACTOR,   /* MUMPS                                                        */
    MO_LINEAR_MULTIGRID /* conjugate gradients or GMRES with algebraic multigrid (GAMG) */
} mo_linear;
MO_API void mo_spread_set_linear(mo_spread *spread, mo_linear linear);

/*
 * mo_solve for a spread problem: methods nsgs, newton, admm and auto, with their options and
 * statuses.  v, u and r are those of the part; residual, status and iterations those of the whole,
 * where constraints are named by id.
 */
MO_API mo_error mo_spread_solve(mo_spread *spread, const mo_options *options, mo_result *result);

/*
 * Collects r and v of the whole problem on rank 0.  There r has room for all rows and v for all
 * velocities: constraint_count * 3 and body_count * 6 numbers for contacts of free bodies in space.
 */
MO_API mo_error mo_spread_gather(const mo_spread *spread, const mo_result *result, double *r,
                                 double *v);

/* ---- cost of a sweep ------------------------------------------------------------------------- */

/* One round of exchanges of all ranks, with one exchange after each colour.  A sweep needs one
 * round, and so does the computation of v from r. */
typedef struct mo_spread_traffic {
    int64_t messages, bytes; /* between two ranks                                 */
    int reductions;          /* over all ranks, of 32 bytes; one a sweep           */
    int64_t outer, shared;   /* constraints visited first; bodies of several ranks */
} mo_spread_traffic;

/* The traffic that follows from the distribution and the colours. */
MO_API mo_error mo_spread_predict(const mo_spread *spread, mo_spread_traffic *traffic);

/* The traffic that PETSc has counted in all solves so far, and their rounds. */
MO_API mo_error mo_spread_count(const mo_spread *spread, mo_spread_traffic *traffic,
                                int64_t *rounds);

/* Times of a sweep, s, from the end of one to the end of the next: the smallest, and the median of
 * the last 256.  Other programs affect them less than the mean. */
typedef struct mo_spread_times {
    double fastest, median;
} mo_spread_times;
MO_API mo_spread_times mo_spread_sweep_times(const mo_spread *spread);

/* ---- heaps ----------------------------------------------------------------------------------- */

/* The shapes of a heap, as in the scene heap. */
typedef enum mo_heap_kind {
    MO_HEAP_BALLS,     /* of the radius r                           */
    MO_HEAP_BOXES,     /* half sides r, 0.8 r, 0.6 r                */
    MO_HEAP_CAPSULES,  /* radius 0.5 r, axis 2 r                    */
    MO_HEAP_CYLINDERS, /* radius 0.7 r, height 2 r                  */
    MO_HEAP_HULLS,     /* eight corners; 16 different ones          */
    MO_HEAP_MIXED,     /* the first four kinds, one after the other */
    MO_HEAP_KIND_COUNT
} mo_heap_kind;

/*
 * Bodies of one material that fall into a box without a lid, distributed over the ranks by the
 * cells of a coarse grid.  The trajectory has the same bits for any number of ranks.
 */
typedef struct mo_heap_def {
    int count; /* of bodies                                            */
    mo_heap_kind shape;
    int boxes;          /* number of the first bodies that are boxes            */
    int is_turned;      /* 0: placed as in the scene beads; 1: as in the scene heap */
    double radius;      /* m                                                    */
    double density;     /* kg/m^3                                               */
    double mu;          /* friction of all contacts                             */
    double gravity;     /* m/s^2, downwards                                     */
    double dt;          /* s                                                    */
    double tol;         /* relative residual of a step                          */
    int max_iter;       /* sweeps of a step                                     */
    int balance;        /* steps between redistributions of the cells, if unbalanced       */
    uint64_t seed;      /* of the first positions                               */
    double box;         /* m: half its width; 0: that of the scene              */
    double restitution; /* of all contacts, 0 to 1                          */
} mo_heap_def;

/* Balls, as in the scene beads. */
MO_API mo_heap_def mo_default_heap(int count);

typedef struct mo_heap mo_heap;

MO_API mo_error mo_heap_create(MPI_Comm comm, const mo_heap_def *def, mo_heap **heap,
                               mo_message *why);
MO_API void mo_heap_destroy(mo_heap *heap);

/* Of all ranks. */
typedef struct mo_heap_report {
    int64_t step;
    int64_t contacts;
    mo_status status;
    int iterations; /* sweeps             */
    int colours;
    mo_residual residual;
    double penetration; /* m, at the start of the step       */
    /* largest growth of an overlap of solids in the step, over the size of the smaller one */
    double overlap;
    double kinetic, potential; /* J, at its end */
    int64_t migrated;          /* bodies that changed ranks, so far */
    int64_t most, least;       /* contacts of a rank                */
    double seconds;
    int held_back; /* bodies that were stopped on their way through another */
} mo_heap_report;

MO_API mo_error mo_heap_step(mo_heap *heap, mo_heap_report *report, mo_message *why);

/* The bodies of this rank, by rising id. */
typedef struct mo_heap_state {
    uint32_t id;
    double at[3], turn[4], v[3], spin[3];
} mo_heap_state;
MO_API int mo_heap_own_count(const mo_heap *heap);
MO_API mo_heap_state mo_heap_own(const mo_heap *heap, int k);
/* The contacts of this rank with an impulse in the last step. */
typedef struct mo_heap_contact {
    int64_t a, b;               /* ids of the bodies; a = -1: the box           */
    uint32_t feature;           /* of the two shapes: the same while these touch */
    int is_sliding;             /* else sticking                                 */
    double point[3], normal[3]; /* world; the normal from a to b                 */
    double impulse[3];          /* on b, N s                                     */
    double velocity[3];         /* of b against a, at the end of the step        */
    double gap;                 /* at its start, m                               */
} mo_heap_contact;
MO_API int mo_heap_contact_count(const mo_heap *heap);
MO_API mo_heap_contact mo_heap_contact_get(const mo_heap *heap, int k);
MO_API int64_t mo_heap_steps(const mo_heap *heap);
MO_API const mo_heap_def *mo_heap_def_of(const mo_heap *heap);

/*
 * A checkpoint is one file, which any number of ranks may load.  It is written under a temporary
 * name and renamed when it is complete.
 */
MO_API mo_error mo_heap_save(const mo_heap *heap, const char *path, mo_message *why);
MO_API mo_error mo_heap_load(MPI_Comm comm, const char *path, mo_heap **heap, mo_message *why);

#ifdef __cplusplus
}
#endif
#endif
