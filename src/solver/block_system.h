/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * The linear system (E + G W) x = b, with E and G block diagonal, one d x d block per constraint,
 * and W without compliance (which belongs to E).
 *
 * First-order methods with a penalty have E = penalty and G = 1.  The derivative of a convex
 * problem with respect to its data has E = 1 - J and G = J, with J that of a projection.  The
 * system is factored once and solved for many b, in the space of contacts or, if E is regular, of
 * bodies (delassus.h), whichever takes fewer operations.
 */
#ifndef MO_SOLVER_BLOCK_SYSTEM_H
#define MO_SOLVER_BLOCK_SYSTEM_H

#include "base/arena.h"
#include "problem/delassus.h"

typedef struct mo_block_system {
    const mo_sweep *sweep;
    mo_delassus delassus;
} mo_block_system;

mo_error mo_block_system_layout(const mo_problem *problem, mo_arena *arena,
                                mo_block_system *system);

/* Once, before the first blocks are set. */
void mo_block_system_begin(mo_block_system *system);

/* The blocks of constraint i, d x d row-major, for the caller to fill.  The factorisation
 * overwrites E. */
static inline double *mo_block_system_E(const mo_block_system *system, int i)
{
    return system->delassus.D + system->delassus.start[i];
}

static inline double *mo_block_system_G(const mo_block_system *system, int i)
{
    return system->delassus.B + system->delassus.start[i];
}

/* False where the matrix is singular. */
int mo_block_system_factor(mo_block_system *system);

/* x becomes the solution for the right side x. */
void mo_block_system_solve(mo_block_system *system, double *x);

/* u = W x, all rows, with x of the last solve. */
void mo_block_system_response(mo_block_system *system, const double *x, double *u);

#endif
