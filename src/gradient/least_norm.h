/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * The least solution of a sparse system in contact space that may be singular.
 *
 * The tangents of all laws (modes.h) and du = W dr + dq are one system for dr.  In units in which
 * every block of W is of order one, dr_i = sqrt(rho_i) x_i, it reads
 *
 *     A x = b,    A_ij = (I - J_i) [i = j] + J_i G_i (sqrt(rho_i) W_ij sqrt(rho_j) + rho_i
 *                 compliance_i [i = j])
 *
 * Redundant contacts make A singular.  The least x with A x = b, and the least y with A' y = g,
 * solve
 *
 *     [ I  A' ] [x]   [0]              [ 0  A' ] [x]   [g]
 *     [ A  0  ] [y] = [b]      and     [ A  -I ] [y] = [0]
 *
 * Both are reached with one factorisation, of K = [I A'; A -delta I], which is quasidefinite
 * [vanderbei1995]: it has an LU factorisation in every order, whatever the rank of A.  A step
 * solves with K (for the second system with x and its row scaled by delta) and corrects the
 * residual of the true system, so that what delta spoils shrinks by delta / (sigma^2 + delta) each
 * time, sigma the singular values of A: those below sqrt(delta) count as zero.
 *
 * A right side that A does not reach is replaced by the nearest that it does, as a pseudo-inverse
 * would.
 */
#ifndef MO_GRADIENT_LEAST_NORM_H
#define MO_GRADIENT_LEAST_NORM_H

#include "base/arena.h"
#include "gradient/pair_matrix.h"
#include "problem/problem_data.h"

typedef struct mo_least_norm {
    const mo_problem *W;   /* reduced */
    const size_t *start;   /* of each constraint's d x d numbers in J and JG */
    const double *J, *JG;  /* of every block */
    const double *rho;     /* one a constraint */
    const uint8_t *active; /* blocks with J != 0; the others have x = 0 */
    const mo_pair_pattern *pattern;
    double *K; /* its numbers */
    mo_front_lu lu;
    double *x, *y, *in, *out, *kept, *pair; /* rows; pair: 2 rows */
} mo_least_norm;

/* Room on the arena; the pattern is that of W. */
void mo_least_norm_layout(const mo_problem *W, const mo_pair_pattern *pattern, mo_arena *arena,
                          mo_least_norm *system);

/* Fills and factors K; false where that fails (numbers that are not finite). */
bool mo_least_norm_factor(mo_least_norm *system);

/* out = A x and out = A' y on the active blocks, zero elsewhere. */
void mo_least_norm_apply(const mo_least_norm *system, const double *x, double *out);
void mo_least_norm_apply_transposed(const mo_least_norm *system, const double *y, double *out);

/* The least x with A x nearest to b; returns |A x - b| / |b|.  b may be x. */
double mo_least_norm_solve(mo_least_norm *system, const double *b, double *x);
double mo_least_norm_solve_transposed(mo_least_norm *system, const double *g, double *y);

#endif
