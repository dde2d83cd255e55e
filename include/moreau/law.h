/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Laws: relations between the relative velocity u of a constraint block and its impulse r, normal
 * component first.  With compliance c >= 0 (one number per row) the law relates u + diag(c) r to r:
 * the relaxation zeta of [lu2015, eq. 11, 20], in units of u over r.
 *
 *   coulomb       d = 2, 3   0 <= u_N perp r_N >= 0, |r_T| <= mu r_N, friction opposes u_T
 *   frictionless  d = 1      0 <= u perp r >= 0 (also a joint limit)
 *   bilateral     any d      u = 0 (a joint)
 *   box           any d      lower <= r <= upper; u_k > 0 implies r_k = lower_k, u_k < 0 r_k =
 *                            upper_k (dry joint friction, motors)
 *   others        rolling, faceted, pyramid, sliding, soft-finger: below, with their functions
 *
 * mu = 0 is a frictionless contact with zero tangential impulse.  mu = infinity (coulomb only)
 * never slides: either r = 0 and u_N >= 0, or u_T = 0 and 0 <= u_N perp r_N >= 0.
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

/* A law with its parameters.  Arrays are borrowed and must live as long as the law is used. */
typedef struct mo_law {
    mo_law_kind kind;
    /* friction coefficient, 0 to infinity */
    double mu;
    /* rolling: coefficient of the moment (a length), finite */
    double mu_rolling;
    /* soft-finger: coefficient of the moment about the normal (a length) */
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
/* d = 5: coulomb on (r_N, r_T), and a rolling moment |r_R| <= mu_rolling r_N that opposes the
 * rolling velocity u_R.  mu_rolling is a length. */
MO_API mo_law mo_law_rolling(double mu, double mu_rolling);
/* d = 3: coulomb with the disc replaced by a regular polygon of `facets` vertices, the first in the
 * direction of the second row [anitescu2004, eq. 2.5]; r_T maximises dissipation over mu r_N times
 * the polygon. */
MO_API mo_law mo_law_faceted(double mu, int facets);
/* d = 3: 0 <= u_N perp r_N >= 0, and for each tangential row |r_k| <= mu r_N, friction opposes u_k
 * [trinkle1997, eq. 15-16]. */
MO_API mo_law mo_law_pyramid(double mu);
/* d = 2, 3: 0 <= u_N perp r_N >= 0, r_T = -mu r_N s with the known direction of sliding s, a unit
 * vector [trinkle1997, eq. 10]; u_T is free. */
MO_API mo_law mo_law_sliding(double mu, const double *direction);
/* d = 4: coulomb on (r_N, r_T), and a torsional moment r_S about the normal; both maximise
 * dissipation under |r_T|^2 / mu^2 + r_S^2 / mu_torsion^2 <= r_N^2 [trinkle1997, section 2.5].
 * mu_torsion is a length. */
MO_API mo_law mo_law_soft_finger(double mu, double mu_torsion);

/* The name of a kind ("coulomb"), or NULL for an invalid kind. */
MO_API const char *mo_law_name(mo_law_kind kind);

/* Checks whether the law is valid in dimension d with its parameters. */
MO_API mo_error mo_law_check(const mo_law *law, int d, mo_message *why);

/* y = projection of x onto the law's set of impulses (both of length d; y may be x). */
MO_API void mo_law_project(const mo_law *law, int d, const double *x, double *y);

/*
 * Solves a single block exactly: r and u = W r + b that obey the law.  W is row-major, d x d, with
 * a positive semidefinite symmetric part; compliance is added to its diagonal.  r is finite for
 * finite input; if W is singular and no solution exists, r is the best point found.
 */
MO_API void mo_law_solve(const mo_law *law, int d, const double *W, const double *b, double *r);

#ifdef __cplusplus
}
#endif
#endif
