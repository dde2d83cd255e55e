/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * The linear system
 *
 *     (E + G W) x = b
 *
 * with E and G block diagonal, one d x d block each for every constraint, and W without the compliance (which belongs into
 * E).  First-order methods with a penalty have E = penalty and G = 1; the derivative of a convex problem with respect to its
 * data has E = 1 - J, G = J, J that of a projection.  It is factored once and solved for many b, in one of two spaces:
 *
 *   bodies    x = E^-1 (b - G P y),  (1 + P' B P) y = P' E^-1 b,  B = E^-1 G.  Needs E regular and B symmetric and
 *             positive semidefinite; y has as many entries as there are velocities.  Global problems with symmetric masses.
 *   contacts  E + G W as it is, by sparse LU in blocks, W symmetric or not.  Reduced problems, and others where that is cheaper.
 *
 * The space is chosen by the count of operations.
 */
#ifndef MO_SOLVER_BLOCK_SYSTEM_H
#define MO_SOLVER_BLOCK_SYSTEM_H

#include "base/arena.h"
#include "problem/views.h"

typedef struct mo_block_system {
    const mo_sweep *sweep;
    const mo_kkt *kkt;             /* bodies, or NULL   */
    const mo_contact_space *space; /* contacts, or NULL */
    size_t *start;                 /* of each constraint's block in E and G */
    double *E, *G;
    double *B;      /* bodies: E^-1 G       */
    double *matrix; /* bodies: its factor   */
    double *y;      /* bodies               */
    int *ints;
    mo_block_lu lu; /* contacts             */
} mo_block_system;

/* `system` may be NULL while the arena counts. */
mo_error mo_block_system_layout(const mo_problem *problem, mo_arena *arena,
                                mo_block_system *system);

/* Once, before the first blocks are set: where each of them is. */
void mo_block_system_begin(mo_block_system *system);

/* The blocks of constraint i, d x d row-major, for the caller to fill.  The factorisation spoils E. */
static inline double *mo_block_system_E(const mo_block_system *system, int i)
{
    return system->E + system->start[i];
}

static inline double *mo_block_system_G(const mo_block_system *system, int i)
{
    return system->G + system->start[i];
}

/* False where the matrix is singular. */
int mo_block_system_factor(mo_block_system *system);

/* x becomes the solution for the right side x. */
void mo_block_system_solve(mo_block_system *system, double *x);

/* u = W x, all rows, where x is what the last solve gave. */
void mo_block_system_response(mo_block_system *system, const double *x, double *u);

#endif
