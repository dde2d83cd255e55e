/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Laws: what ties the relative motion u of one constraint block to its impulse r.
 *
 * The normal component comes first.  With compliance c >= 0 (one number a row) the law ties
 * u + diag(c) r to r: the relaxation zeta of [lu2015, eq. 11, 20], in units of u per unit of r.
 *
 *   law            d       what it says
 *   coulomb        2, 3    0 <= u_N perp r_N >= 0, |r_T| <= mu r_N, sliding opposes u_T
 *   frictionless   1       0 <= u perp r >= 0 (also a joint limit)
 *   bilateral      any     u = 0 (a joint)
 *   box            any     lower <= r <= upper; u_k > 0 needs r_k = lower_k, u_k < 0 needs upper_k
 *                          (dry joint friction, a motor)
 *   rolling        5       coulomb on (r_N, r_T), and a rolling moment |r_R| <= mu_rolling r_N
 *                          that opposes the rolling velocity u_R
 *   faceted   3    coulomb with the disc replaced by a polygon with corners on its rim, in k evenly
 *                          spread directions d_j, the first along u's second row [anitescu2004, eq.
 *                          2.5]: r_T dissipates most among the points of mu r_N times the polygon
 *   pyramid      3      0 <= u_N perp r_N >= 0, and each tangential row by itself: |r_k| <= mu r_N,
 *                          sliding opposes u_k [trinkle1997, eq. 15-16]
 *   sliding     2, 3    0 <= u_N perp r_N >= 0, and r_T = -mu r_N s with a known unit vector s, the
 *                          direction in which the contact slides already [trinkle1997, eq. 10]; u_T
 *                          is free
 *   soft-finger    4      coulomb on (r_N, r_T), and a moment r_S about the normal that opposes
 *                          the spin u_S; both share one limit,
 *                          |r_T|^2 / mu^2 + r_S^2 / mu_torsion^2 <= r_N^2, and dissipate
 *                          most in it: torsional friction [trinkle1997, section 2.5]
 *
 * mu = 0 is a frictionless contact whose tangential impulse is zero.  mu = infinity (coulomb alone)
 * never slides: either the contact is apart (r = 0, u_N >= 0) or u_T = 0 and 0 <= u_N perp r_N >=
 * 0.
 */
#ifndef MOREAU_LAW_H
#define MOREAU_LAW_H

#include "moreau/base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum mo_law_kind {
    MO_LAW_COULOMB,
    MO_LAW_FRICTIONLESS,
    MO_LAW_BILATERAL,
    MO_LAW_BOX,
    MO_LAW_ROLLING,
    MO_LAW_FACETED,
    MO_LAW_PYRAMID,
    MO_LAW_SLIDING,
    MO_LAW_SOFT_FINGER,
    MO_LAW_KIND_COUNT
} mo_law_kind;

/* One law with its parameters.  Arrays are borrowed: they are read when the law is used. */
typedef struct mo_law {
    mo_law_kind kind;
    /* friction coefficient, 0 to infinity */
    double mu;
    /* rolling: coefficient of the moment (a length), finite */
    double mu_rolling;
    /* soft-finger: of the moment about the normal (a length) */
    double mu_torsion;
    /* box: d lower bounds of r, -infinity allowed */
    const double *lower;
    /* box: d upper bounds of r, +infinity allowed */
    const double *upper;
    /* d numbers >= 0, or NULL for a hard law */
    const double *compliance;
    /* faceted: friction directions, 3 to 64 */
    int facets;
    /* sliding: d - 1 numbers, the unit vector s in the tangents */
    const double *direction;
} mo_law;

MO_API mo_law mo_law_coulomb(double mu);
MO_API mo_law mo_law_frictionless(void);
MO_API mo_law mo_law_bilateral(void);
MO_API mo_law mo_law_box(const double *lower, const double *upper);
MO_API mo_law mo_law_rolling(double mu, double mu_rolling);
MO_API mo_law mo_law_faceted(double mu, int facets);
MO_API mo_law mo_law_pyramid(double mu);
MO_API mo_law mo_law_sliding(double mu, const double *direction);
MO_API mo_law mo_law_soft_finger(double mu, double mu_torsion);

/* The name of a kind ("coulomb"), or NULL for a number that is no kind. */
MO_API const char *mo_law_name(mo_law_kind kind);

/* Does this law exist in dimension d, with these parameters?  If not, `why` (or NULL) says it. */
MO_API mo_error mo_law_check(const mo_law *law, int d, mo_message *why);

/* y = the point of the law's set of impulses nearest to x (both of length d; y may be x). */
MO_API void mo_law_project(const mo_law *law, int d, const double *x, double *y);

/*
 * One block alone, exactly: r and u = W r + b that obey the law, W row-major d x d with a positive
 * semidefinite symmetric part.  Always writes a finite r for finite input; where W is singular and
 * no solution exists, it is the best point found.  Compliance is added to the diagonal of W.
 */
MO_API void mo_law_solve(const mo_law *law, int d, const double *W, const double *b, double *r);

#ifdef __cplusplus
}
#endif
#endif
