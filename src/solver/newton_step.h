/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * One Newton step on the natural map, shared by `newton` and `aln`; see docs/methods/newton.md.
 *
 * With a step rho_i per block (1 / mean diagonal of W_ii), z_i = r_i - proj(r_i - rho_i uhat_i) =
 * 0.  J and G are the derivatives of the projection and of uhat:
 *     (I - (1 - eps) J + rho J G W) dr = -z                                               (natural)
 *     z_i = r_i - proj(c_i - theta rho_i uhat_i),    (I + theta rho J G W) dr = -z      (augmented)
 * (augmented) is the proximal point problem around c (aln.c); fischer_burmeister.h is an
 * alternative to (natural).  For infinite mu the projection is that on r_N >= 0 with u_T = 0.  A
 * step leaves eps / (eps + lambda) of a motion with eigenvalue lambda of rho W, so loaded contacts
 * have a smaller eps, with U the largest speed of a block without impulses:
 *     eps_i = 0.3 eps U / (|r_i| / rho_i),   at most eps and at least eps / 1e6,            (loads)
 * Blocks with J = 0 have dr = -z and are eliminated.  The merit is sqrt(sum |z_i|^2 / rho_i); eps
 * regularises the matrix only and does not change the solution.
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

/* Takes the numbers from an arena.  Body space needs eps > 0
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
