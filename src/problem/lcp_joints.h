/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Elimination of the free unknowns of a mixed LCP.  With f the free ones and p the pairs,
 *
 *     0   = A_ff z_f + A_fp z_p + b_f      z_f = -(y + X z_p),   y = A_ff^-1 b_f,  X = A_ff^-1 A_fp
 *     w_p = A_pf z_f + A_pp z_p + b_p     w_p = S z_p + c,     S = A_pp - A_pf X,  c = b_p - A_pf y
 *
 * Joints may be redundant (a closed loop) and A_ff singular: it is factored with complete pivoting,
 * and the remaining unknowns are zero.  For symmetric W their rows and columns vanish too;
 * contradictions remain and appear in the residual.
 */
#ifndef MO_PROBLEM_LCP_JOINTS_H
#define MO_PROBLEM_LCP_JOINTS_H

#include "base/arena.h"

typedef struct mo_lcp_joints {
    int count, pairs;  /* free unknowns, and pairs */
    int rank;          /* free unknowns that are pivoted out */
    double *LU;        /* count x count, rows and columns permuted */
    int *row, *column; /* pivot k was found at row[k], column[k]  */
    double *X;         /* rank x pairs, in the order of the pivots */
    double *G;         /* pairs x rank: A_pf in that order */
    double *y, *work;  /* rank entries */
} mo_lcp_joints;

void mo_lcp_joints_layout(int count, int pairs, mo_arena *arena, mo_lcp_joints *joints);

/* From A and b of all unknowns, free ones first, to S (pairs x pairs) and c. */
void mo_lcp_joints_eliminate(mo_lcp_joints *joints, const double *A, const double *b, double *S,
                             double *c);

/* z_f from z_p. */
void mo_lcp_joints_recover(const mo_lcp_joints *joints, const double *z_p, double *z_f);

/*
 * Corrections.  Given the rows (w_f, w_p) that a point leaves: w_p loses what moving z_f to make
 * w_f zero changes in it; and then, for a change dz_p, the change dz_f that keeps w_f at zero.
 */
void mo_lcp_joints_forward(const mo_lcp_joints *joints, const double *w_f, double *w_p);
void mo_lcp_joints_backward(const mo_lcp_joints *joints, const double *w_f, const double *dz_p,
                            double *dz_f);

#endif
