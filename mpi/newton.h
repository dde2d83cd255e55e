/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Semismooth Newton on a distributed problem: rounds of Gauss-Seidel sweeps and Newton steps as in
 * solver/newton.c, on the natural map of solver/newton_step.h.  A step
 *
 *     (D + B W) dr = -z,     W = H' M^-1 H,     D and B block diagonal,
 *
 * is solved in the space of velocities: with y = M^-1 H dr and K = D^-1 B,
 *
 *     (M + H K H') y = -H D^-1 z,     dr = -D^-1 z - K H' y
 *
 * by PETSc (body_system.h).  Laws and derivatives are those of the library, since SNESVI has no
 * second-order cones.
 *
 * Limits: sums are those of PETSc, so bits depend on the ranks; the residual does not.  D is
 * regular only for newton.eps > 0.
 */
#ifndef MOREAU_MPI_NEWTON_H
#define MOREAU_MPI_NEWTON_H

#include "sweep.h"

/*
 * From result->r; at most so many iterations more, sweeps and steps.  The result holds the best of
 * what is found.
 */
mo_error mo_spread_newton(mo_spread_run *run, int iterations, mo_status *status, mo_message *why);

#endif
