/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Proximal points, each by Newton's method: the method `aln`, and the final phase of `ipm`.
 *
 * The proximal point algorithm on r [acary2018, PPA]: a sequence of regularised problems,
 *     r = proj(r_k - theta rho uhat(u)),    u = W r + q;    r_{k+1} = r                       (1)
 *     theta_0 = 0.1 |r| / |z|                                                                 (2)
 * with z the natural map and the norms of the merit (newton_step.h).  In velocities it is the
 * method of multipliers, M v = f + H proj(r_k - theta rho uhat(H' v + w)), with the same Newton
 * steps, taken in the cheaper space (delassus.h).  The regularisation vanishes at a fixed point.
 * An inner problem need not be solved far: a fifth of its first merit is enough.  theta increases
 * after two of them that took at most three Newton steps, and decreases if six steps leave one
 * above 0.3 of its first merit; r_k is then kept.
 *
 * Steps on the natural map (theta = infinity) are faster if the modes are right, but have length
 * |z| / eps in the null space of W otherwise.  They are tried with eps = EPS |z| / |r| while each
 * halves the merit.  Limits: no proof of convergence with friction.  An iteration is a Newton step.
 */
#ifndef MO_SOLVER_PROXIMAL_H
#define MO_SOLVER_PROXIMAL_H

#include "solver/newton_step.h"

typedef struct mo_proximal {
    mo_newton newton;
    double *centre; /* r_k */
} mo_proximal;

/* Takes the numbers from an arena. */
mo_error mo_proximal_layout(const mo_problem *problem, mo_arena *arena, mo_proximal *proximal);

typedef enum mo_proximal_end {
    MO_PROXIMAL_FAILED, /* Newton fails on the most regularised problem, or a try is over */
    MO_PROXIMAL_SOLVED,
    MO_PROXIMAL_MUST_STOP /* see run->status */
} mo_proximal_end;

/* Before the first of the calls below. */
void mo_proximal_begin(mo_proximal *proximal);

/* Iterations allowed per digit if no other method is left. */
enum { MO_PROXIMAL_PATIENCE = 1000 };

/* Proximal points from run->r, until `patience` iterations have not divided the best residual by
 * ten, or a quarter of them where it is above 1e-5; continues *iteration. */
mo_proximal_end mo_proximal_run(mo_run *run, mo_proximal *proximal, int patience, int *iteration);

/*
 * A try from a point near a solution: steps on the natural map, which ends at the first that does
 * not halve the merit.  run->r may then be any iterate.
 */
mo_proximal_end mo_proximal_try(mo_run *run, mo_proximal *proximal, int *iteration);

#endif
