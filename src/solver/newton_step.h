/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * One Newton step on the natural map: what `newton` and `aln` share.
 *
 * With a step rho_i for each block the laws read  z_i = r_i - proj(r_i - rho_i uhat_i) = 0.  One of
 *                                                 the derivatives of z is
 * I - J + rho J G W, J that of the projection and G that of uhat (1 but for the row of the sliding
 * speed), and
 *
 *     (I - (1 - eps) J + rho J G W) dr = -z                                               (natural)
 *
 * is the step.  Around a centre c, with theta > 0, the regularised laws of the proximal point
 * method are solved instead (aln.c):
 *
 *     z_i = r_i - proj(c_i - theta rho_i uhat_i),    (I + theta rho J G W) dr = -z      (augmented)
 *
 * Contacts with friction may have Fischer and Burmeister's function in the place of (natural):
 * fischer_burmeister.h.  Where mu is infinite the projection is that on the half-space r_N >= 0:
 * u_T = 0, even where the contact opens, which is one of the two ways to obey that law.
 *
 * What a step leaves.  Where all contacts stick, u becomes eps (eps + rho W)^-1 u: of a motion with
 * the eigenvalue lambda of rho W the part eps / (eps + lambda) is left.  A mass M on light bodies m
 * moves with impulses that go through all of them, and has lambda = m / M over the number of
 * contacts in a row, or less by the square of its slenderness where it sways.  So contacts that
 * carry much have a smaller eps,
 *
 *     eps_i = 0.3 eps U / (|r_i| / rho_i),   at most eps and at least eps / 1e6,            (loads)
 *
 * with |r_i| / rho_i the speed that the impulse alone would cause, and U the largest speed of a
 * block without impulses.  With much smaller ones the linear system loses more digits than it
 * gains.
 *
 * Blocks with J = 0 (apart, or at a bound) have dr = -z and drop out of the matrix, which is
 * factored in the space of contacts or of bodies (delassus.h).
 *
 *   rho_i   1 / mean diagonal of W_ii: makes z free of units within a block
 *   eps     regularises the matrix alone: where W is singular (four corners of a box), and without
 *           effect on the answer.  Each block has its own: (loads)
 *   theta   how little the problem is regularised; 0: not at all, (natural)
 *   merit   sqrt(sum |z_i|^2 / rho_i)
 */
#ifndef MO_SOLVER_NEWTON_STEP_H
#define MO_SOLVER_NEWTON_STEP_H

#include "problem/delassus.h"
#include "solver/method.h"

/* The laws whose natural map is made of `project` and `shift`. */
#define MO_NEWTON_LAWS (MO_ALL_LAWS & ~MO_LAW_BIT(MO_LAW_SLIDING))

/* The functions whose zeros are the laws, as in the option newton.function. */
enum { MO_NEWTON_AC, MO_NEWTON_FB };

typedef struct mo_newton {
    const mo_problem *problem;
    const mo_sweep *sweep; /* natural order */
    mo_delassus system;
    double *rho; /* one a block */
    double *z, *dr;
    double *u;     /* velocity at the r that was evaluated last */
    double *trial; /* r + t dr */
    double *state; /* of a global problem: x of the sweep */
    double eps, theta;
    double speed;         /* the largest of a block at r = 0: U of (loads) */
    int function;         /* MO_NEWTON_AC or MO_NEWTON_FB, where theta = 0 */
    const double *centre; /* where theta > 0 */
} mo_newton;

/* Lays out the numbers on an arena; `newton` may be NULL while it counts.  Body space needs eps > 0
 * or theta > 0. */
mo_error mo_newton_layout_in(mo_space space, const mo_problem *problem, mo_arena *arena,
                             mo_newton *newton);

/* The same in the space of fewer operations. */
static inline mo_error mo_newton_layout(const mo_problem *problem, mo_arena *arena,
                                        mo_newton *newton)
{
    return mo_newton_layout_in(MO_SPACE_BEST, problem, arena, newton);
}

/* rho of every block; eps as given, theta zero, the natural map. */
void mo_newton_begin(mo_newton *newton, double eps);

/* u at r. */
void mo_newton_velocity(mo_newton *newton, const double *r);

/* u, z and the merit at r. */
double mo_newton_evaluate(mo_newton *newton, const double *r);

/* The parts of it that need no linear algebra: z at r and the square of the merit, from the u that
 * is there; D, B and `active` of the system. */
double mo_newton_judge(mo_newton *newton, const double *r);
void mo_newton_differentiate(mo_newton *newton, const double *r);

/* dr at the r that was evaluated last; false where the matrix is singular. */
int mo_newton_find_step(mo_newton *newton, const double *r);

/*
 * r moves along dr by the first of 1, 1/2, 1/4, ... that brings the merit below `target`, or by the
 * best of them; the result is evaluated, and its merit returned.
 */
double mo_newton_take_step(mo_newton *newton, double target, int halvings, double *r);

/*
 * Each block solved exactly with the others held, once round.  The state follows r from one sweep
 * to the next; mo_newton_velocity, which computes it afresh, comes before the first.
 */
void mo_newton_sweep(mo_newton *newton, double *r);

#endif
