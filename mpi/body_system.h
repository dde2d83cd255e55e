/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Vectors and matrices over the velocities of a distributed problem, by PETSc.
 *
 * A vector has `width` numbers per body of the part, the largest number of velocities of all;
 * copies of a body have the same numbers after mo_bodies_combine.
 *
 * The matrix is M + H K H', K block diagonal.  If all bodies have the same number of velocities, it
 * is stored in blocks of that size: MPISBAIJ if K is symmetric, otherwise MPIBAIJ, both factored by
 * MUMPS, or MPIAIJ with that block size for Krylov methods with multigrid (GAMG).
 */
#ifndef MOREAU_MPI_BODY_SYSTEM_H
#define MOREAU_MPI_BODY_SYSTEM_H

#include <petscksp.h>

#include "spread.h"

typedef struct mo_body_system {
    mo_spread *s;
    int width;
    int is_symmetric, is_uniform, is_iterative;
    MPI_Datatype unit; /* the numbers of a body */
    PetscInt *first;   /* of each body: the number of its first velocity among all */
    Mat matrix;
    Vec right, answer;
    KSP solver;
} mo_body_system;

/* The way to solve is that of mo_spread_set_linear. */
PetscErrorCode mo_body_system_create(mo_spread *s, int is_symmetric, mo_body_system *system);
void mo_body_system_destroy(mo_body_system *system);

/* x += H y, and y = H' x: y has a number a row, x is a vector of bodies. */
void mo_bodies_push(const mo_body_system *system, const double *y, double *x);
void mo_bodies_pull(const mo_body_system *system, const double *x, double *y);

/* x becomes M^-1 x. */
void mo_bodies_accelerate(const mo_body_system *system, double *x);

/* Adds the copies of each body; all get the sum. */
PetscErrorCode mo_bodies_combine(const mo_body_system *system, double *x);

/* The matrix M + H K H', ready to be solved with; the block of constraint i, d x d by rows, begins
 * at K + start[i]. */
PetscErrorCode mo_body_system_factor(mo_body_system *system, const size_t *start, const double *K);

/* x, whose copies are equal, becomes the solution.  PETSC_ERR_NOT_CONVERGED where the matrix is
 * singular or the iteration ends above its tolerance; the system stays usable. */
PetscErrorCode mo_body_system_solve(mo_body_system *system, double *x);

#endif
