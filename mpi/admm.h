/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * The alternating direction method of multipliers on a distributed problem: the steps of
 * solver/admm.c without Anderson acceleration.  The dynamics,
 *
 *     (W + C + rho D) r = b,     W = H' M^-1 H,
 *
 * are solved in the space of velocities: with E = C + rho D, which is diagonal,
 *
 *     (M + H E^-1 H') y = H E^-1 b,     r = E^-1 (b - H' y)
 *
 * by PETSc (body_system.h), factored once for each rho, or for large problems by conjugate
 * gradients with algebraic multigrid (GAMG).  The laws are those of the library, since PETSc has no
 * second-order cones.
 *
 * Limits: sums are those of PETSc, so bits depend on the ranks; the residual does not.
 */
#ifndef MOREAU_MPI_ADMM_H
#define MOREAU_MPI_ADMM_H

#include "sweep.h"

/*
 * From result->r; at most so many iterations more.  The result holds the better of the start, whose
 * residual is known, and what is found.
 */
mo_error mo_spread_admm(mo_spread_run *run, int iterations, mo_status *status, mo_message *why);

#endif
