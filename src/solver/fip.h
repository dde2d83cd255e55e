/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Parts of the feasible interior point method (fip.c): the LCP, its strictly feasible start, and
 * the final step to a solution.
 *
 * The LCP is that of lcp_system.h, `size` being the largest |c_k|:
 *
 *     w = S z + c + p,   0 <= z perp w >= 0,   p = 0 at a feasible point
 */
#ifndef MO_SOLVER_FIP_H
#define MO_SOLVER_FIP_H

#include "solver/lcp_system.h"

typedef struct mo_fip {
    mo_lcp_system lcp;
    double *z, *w, *p; /* the point */
    double *dz, *dw;   /* the direction */
    double *K, *rows;  /* n x n each: the matrix of a linear system (column-major), and scratch */
    int *pivot;
    double *work; /* work_size entries, for LAPACK and the start */
    int work_size;
    int *active; /* indices of the active set */

    int restart, iteration;
    int reached_end;  /* the gap has vanished in one of the starts */
    double least_sum; /* see mo_fip_start */
} mo_fip;

/* y = S x */
void mo_fip_multiply(const mo_fip *f, const double *x, double *y);

/* Is r = r0 + R z a solution? Measures it; the best is kept. */
int mo_fip_check(mo_run *run, mo_fip *f);

/* ---- the start: fip_start.c ------------------------------------------------------------------ */

typedef enum mo_fip_state {
    MO_FIP_MOVING,
    MO_FIP_SOLVED,
    MO_FIP_MUST_STOP, /* see run->status */
    MO_FIP_FAILED,    /* no progress from this start */
    MO_FIP_INFEASIBLE /* from no start: see mo_fip_start */
} mo_fip_state;

/*
 * MO_FIP_MOVING: a point with z > 0 and w > 0; p = 0 if that is possible, else (no interior) p >
 * 0. MO_FIP_INFEASIBLE: a z >= 0 with S z + c >= 0 would have a sum of at least least_sum, which is
 * out of reach.
 */
mo_fip_state mo_fip_start(mo_run *run, mo_fip *f);

#endif
