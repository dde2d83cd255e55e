/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Polyhedral approximations of friction cones in space with adaptive corners:
 *
 *     K_i becomes the cone on  g_j = (1, mu cos a_j, mu sin a_j),  j = 0 .. count_i - 1,
 *
 * inside K_i, with increasing angles a_j.  convex_facets.c places the corners.
 */
#ifndef MO_SOLVER_CONVEX_FACETS_H
#define MO_SOLVER_CONVEX_FACETS_H

enum { MO_FACETS_BASE = 4, MO_FACETS_MOST = 24 };

typedef struct mo_convex_facets {
    int *count;    /* one per constraint; 0: as defined by its law */
    double *angle; /* MO_FACETS_MOST a constraint, from 0 to 2 pi */
} mo_convex_facets;

/* The point of the cone nearest to x (y may be x), and its derivative, for count >= 3 corners that
 * surround the axis. */
void mo_facets_project(int count, const double *angle, double mu, const double *x, double *y);
void mo_facets_project_derivative(int count, const double *angle, double mu, const double *x,
                                  double *J);

#endif
