/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * The residual of a solution.  It depends on the problem and r alone: v and u are recomputed from
 * r, so the dynamics hold to rounding and only the laws are measured.
 *
 * With uhat = u + compliance r + mu |u_T| e_N (and + mu_rolling |u_R| e_N for rolling; for a soft
 * finger + |(mu u_T, mu_torsion u_S)| e_N instead), the natural map of block i is r_i -
 * proj(r_i - uhat_i).  It is zero exactly if the law holds.
 */
#ifndef MOREAU_MEASURE_H
#define MOREAU_MEASURE_H

#include "moreau/base.h"
#include "moreau/problem.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The largest value over all blocks, and its block (-1 if there is none). */
typedef struct mo_worst {
    double value;
    int constraint;
} mo_worst;

typedef struct mo_residual {
    /* 2-norm of the natural map over all blocks */
    double natural;
    /* natural / max(1, |q|), which is compared with `tol` */
    double natural_relative;
    /* |q|, q = H' M^-1 f + w */
    double q_norm;

    /* the block with the largest natural map */
    mo_worst block;
    /* max(0, -u_N) over unilateral blocks, and |u| of joints */
    mo_worst penetration_rate;
    /* distance of r from the admissible impulses, in units of r */
    mo_worst cone_violation;
    /* violation of maximum dissipation and of complementarity, in units of r u: mu r_N |u_T| +
     * r_T.u_T, |r_N u_N| */
    mo_worst dissipation;

    /* sum of the violations of `dissipation` over all blocks, in units of r u.  In a tall heap the
     * natural map may be small although the impulses have reached only some layers and the rest
     * falls as a whole; this sum is then a fraction of its weight times the speed of the fall. */
    double power;

    /* The normalisations that Siconos publishes. */
    /* natural / |q| (natural if q = 0) */
    double siconos_q;
    /* natural / max(|q|, |r|, |u|) (natural if all are zero) */
    double siconos_full;
} mo_residual;

/* Fails only if memory runs out, or if r is not finite (MO_ERR_ARGUMENT). */
MO_API mo_error mo_measure(const mo_problem *problem, const double *r, mo_residual *residual);

/*
 * Dimensionless residual: the natural map with step 1 / lambda_i, lambda_i = trace(W_ii) / d, times
 * lambda_i; the largest over the blocks, divided by the largest |q_i| (absolute if q = 0).
 */
MO_API mo_error mo_measure_scaled(const mo_problem *problem, const double *r, double *scaled);

/*
 * For a velocity that was not computed from r: |M v - H r - f| in the norm of M^-1, relative to |f|
 * in the same norm (absolute if f = 0), and the sum of this and of the natural map of (H' v + w, r)
 * over max(|q|, |r|, |u|), which Siconos reports for global problems.
 */
typedef struct mo_global_residual {
    double equilibrium; /* |M v - H r - f| in the norm of M^-1 */
    /* over |f| in the same norm */
    double equilibrium_relative;
    double siconos_global;
} mo_global_residual;

MO_API mo_error mo_measure_global(const mo_problem *problem, const double *v, const double *r,
                                  mo_global_residual *residual);

/*
 * The error of Chen, Chen and Kanzow as used in [lu2015, eq. 30-31], 1/2 sum phi^2 with weight
 * xi (0.7 in the paper).  Conic: the pairs (p_n, rho_n) and (s, sigma) of eq. 16, 19-21 and the
 * equations 17-18.  Linearised with `facets` directions: the pairs of eq. 12-14, where r_T is split
 * over the directions with the least sum.  facets = 0: the conic form.
 */
MO_API mo_error mo_measure_cck(const mo_problem *problem, const double *r, int facets, double xi,
                               double *total_error);

#ifdef __cplusplus
}
#endif
#endif
