/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Vectors and matrices over the velocities of a spread problem, by PETSc.
 *
 * A vector of bodies has `width` numbers a body of the part, the largest number of velocities of
 * all; copies of a body have the same numbers after mo_bodies_combine.
 */
#ifndef MOREAU_MPI_BODY_SYSTEM_H
#define MOREAU_MPI_BODY_SYSTEM_H

#include <petscksp.h>

#include "spread.h"

typedef struct mo_body_system {
    mo_spread *s;
    int width;
    MPI_Datatype unit; /* the numbers of a body */
    PetscInt *first;   /* of each body: the number of its first velocity among all */
    Mat matrix;
    Vec right, answer;
    KSP solver;
} mo_body_system;

PetscErrorCode mo_body_system_create(mo_spread *s, mo_body_system *system);
void mo_body_system_destroy(mo_body_system *system);

/* x += H y, and y = H' x: y has a number a row, x is a vector of bodies. */
void mo_bodies_push(const mo_body_system *system, const double *y, double *x);
void mo_bodies_pull(const mo_body_system *system, const double *x, double *y);

/* x becomes M^-1 x. */
void mo_bodies_accelerate(const mo_body_system *system, double *x);

/* Adds the copies of each body; all get the sum. */
PetscErrorCode mo_bodies_combine(const mo_body_system *system, double *x);

/* The matrix M + H diag(1 / E) H', E a number a row, ready to be solved with. */
PetscErrorCode mo_body_system_factor(mo_body_system *system, const double *E);

/* x, whose copies are equal, becomes the solution. */
PetscErrorCode mo_body_system_solve(mo_body_system *system, double *x);

#endif
