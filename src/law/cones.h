/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Laws as Lorentz cones, for interior point methods.
 *
 * The admissible impulses of a law satisfy E_k r + o_k e in L for each of its cones k, and r_j =
 * given value in each fixed row j.  -uhat is normal to them at r if and only if uhat = sum_k E_k'
 * z_k in the rows that are not fixed, with z_k in L and perpendicular to E_k r + o_k e.
 *
 *   coulomb        (r_N, r_T / mu)
 *   rolling        (r_N, r_T / mu) and (r_N, r_R / mu_rolling)
 *   soft finger    (r_N, r_T / mu, r_S / mu_torsion)
 *   pyramid        (r_N, r_1 / mu) and (r_N, r_2 / mu)
 *   faceted        r_N - n_j.r_T / (mu cos(pi / k)), one for each edge, n_j its normal
 *   frictionless   r_N;  bilateral: none
 *   box            r_k - lower_k and upper_k - r_k, if finite
 *
 * mu = 0 fixes the friction rows at zero, lower = upper those of a box.
 */
#ifndef MO_LAW_CONES_H
#define MO_LAW_CONES_H

#include <stdint.h>

#include "law/law_ops.h"
#include "linalg/lorentz.h"

#define MO_CONES_MU_MOST 1e4     /* replaces infinity: exact if nothing slides at that mu */
#define MO_CONES_MU_LEAST 1e-100 /* below that: zero */

/* All laws but that whose admissible impulses are not a convex cone. */
#define MO_CONE_LAWS (((1u << MO_LAW_KIND_COUNT) - 1u) & ~(1u << MO_LAW_SLIDING))

typedef struct mo_law_cone {
    int dim;
    double offset;
    double E[MO_LORENTZ_MAX * MO_LAW_MAX_DIM]; /* dim x d */
} mo_law_cone;

/* Further properties of a block of d rows. */
typedef struct mo_law_rows {
    uint8_t fixed[MO_LAW_MAX_DIM];
    double value[MO_LAW_MAX_DIM]; /* of the fixed rows */
    /* the size of each row of r on the rim of its set, where r_N = 1 */
    double weight[MO_LAW_MAX_DIM];
} mo_law_rows;

/*
 * The cones of a law in MO_CONE_LAWS; returns their number.  NULL for `cones` counts, NULL for
 * `rows` leaves them out (a joint has no cones and may have more rows than fit).
 */
int mo_law_cones(mo_law_kind kind, const double *p, int d, mo_law_cone *cones, mo_law_rows *rows);

#endif
