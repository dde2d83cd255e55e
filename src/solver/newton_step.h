/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * One Newton step on the natural map, in the space of contacts: what `newton` and `proximal` share.
 *
 * With a step rho_i for each block the laws read  z_i = r_i - proj(r_i - rho_i uhat_i) = 0.  One of the derivatives of z is
 * I - J + rho J G W, J that of the projection and G that of uhat (1 but for the row of the sliding speed), and
 *
 *     (I - (1 - eps) J + rho J G (W + alpha / rho)) dr = -z
 *
 * is the step.  Blocks with J = 0 (apart, or at a bound) have dr = -z and drop out of the matrix, which has the pattern of W and is factored in
 * sparse blocks (contact_space.h).
 *
 *   rho_i   1 / mean diagonal of W_ii: makes z free of units within a block
 *   eps     regularises the matrix alone: where W is singular (four corners of a box), and without effect on the answer
 *   alpha   regularises the problem: u gains alpha / rho (r - centre), a proximal term; 0 for the problem itself
 *   merit   sqrt(sum |z_i|^2 / rho_i)
 */
#ifndef MO_SOLVER_NEWTON_STEP_H
#define MO_SOLVER_NEWTON_STEP_H

#include "problem/views.h"
#include "solver/method.h"

/* The laws whose natural map is made of `project` and `shift`. */
#define MO_NEWTON_LAWS (MO_ALL_LAWS & ~MO_LAW_BIT(MO_LAW_SLIDING))

typedef struct mo_newton {
    const mo_contact_space *space;
    const mo_problem *W;   /* the reduced problem                   */
    const mo_sweep *sweep; /* of it, natural order                  */
    mo_block_lu lu;
    uint8_t *active;
    double *rho;  /* one a block                                   */
    double *B;    /* rho J G, as the diagonals in the sweep's records */
    double *z, *dr;
    double *u;     /* velocity at the r that was evaluated last, without the proximal term */
    double *trial; /* r + t dr */
    double eps, alpha;
    const double *centre; /* where alpha > 0 */
} mo_newton;

/* Lays out the numbers on an arena; `newton` may be NULL while it counts. */
mo_error mo_newton_layout(const mo_problem *problem, mo_arena *arena, mo_newton *newton);

/* rho of every block; eps as given, alpha zero. */
void mo_newton_begin(mo_newton *newton, double eps);

/* u, z and the merit at r. */
double mo_newton_evaluate(mo_newton *newton, const double *r);

/* dr at the r that was evaluated last; false where the matrix is singular. */
int mo_newton_find_step(mo_newton *newton, const double *r);

/*
 * r moves along dr by the first of 1, 1/2, 1/4, ... that brings the merit below `target`, or by the best of them; the result is
 * evaluated, and its merit returned.
 */
double mo_newton_take_step(mo_newton *newton, double target, int halvings, double *r);

/* Each block solved exactly with the others held, once round. */
void mo_newton_sweep(const mo_newton *newton, double *r);

#endif
