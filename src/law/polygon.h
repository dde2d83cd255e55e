/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Friction on a regular polygon instead of a disc: the core of the laws `faceted` and `pyramid`.
 *
 *   K = { r : r_T in mu r_N P },   P = the convex hull of its corners d_j, j = 0 .. corners - 1
 *   d_j = (cos a_j, sin a_j),   a_j = phase + 2 pi j / corners
 *
 * The law is 0 <= u_N perp r_N >= 0 and r_T dissipates most in mu r_N P [anitescu2004, eq. 2.5].
 * With
 *
 *   uhat = u + mu lambda e_N,   lambda = max_j -d_j.u_T    (the paper's slip speed lambda)
 *
 * it reads: K* contains uhat, perpendicular to r in K.
 *
 * Tangential vectors are expressed in the frame of the edge they point to: m towards the middle of
 * the edge, t along it.  By symmetry the point of K nearest to x is x itself, or on the face of
 * that edge, the ray of its nearer corner, or the apex.
 */
#ifndef MO_LAW_POLYGON_H
#define MO_LAW_POLYGON_H

#include "law/law_ops.h"

typedef struct mo_polygon {
    double mu; /* radius of the corners over r_N, finite and not negative */
    int corners;
    double phase; /* angle of the first corner */
} mo_polygon;

/* d_j for any integer j, modulo the number of corners. */
void mo_polygon_corner(const mo_polygon *polygon, int j, double d[2]);

/*
 * The functions of a law (law_ops.h), all on three rows.  The parameters are the law's mu, the
 * number of corners, the radius of the corners over mu r_N, and the angle of the first corner.
 */
enum { MO_POLYGON_PARAMS = 4 };

int mo_polygon_params(int d);
void mo_polygon_project(const double *p, int d, const double *x, double *y);
void mo_polygon_project_derivative(const double *p, int d, const double *x, double *J);
void mo_polygon_shift(const double *p, int d, const double *u, double *uhat);
void mo_polygon_shift_derivative(const double *p, int d, const double *u, double *G);
void mo_polygon_prox(const double *p, int d, const double *x, double *y);
void mo_polygon_solve(const double *p, int d, const double *W, const double *b, double *r);
double mo_polygon_friction_defect(const double *p, int d, const double *u, const double *r);
void mo_polygon_by_coefficient(const double *p, int d, const double *u, const double *r, double *E);

/* Entries that the tables of both laws share. */
#define MO_POLYGON_OPS                                                                             \
    .least_rows = 3, .most_rows = 3, .row_hint = ": in the plane use coulomb", .coefficients = 1,  \
    .param_count = mo_polygon_params, .project = mo_polygon_project,                               \
    .project_derivative = mo_polygon_project_derivative, .shift = mo_polygon_shift,                \
    .shift_derivative = mo_polygon_shift_derivative, .prox = mo_polygon_prox,                      \
    .solve = mo_polygon_solve, .friction_defect = mo_polygon_friction_defect,                      \
    .by_coefficient = mo_polygon_by_coefficient

#endif
