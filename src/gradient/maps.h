/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* The linear maps of a problem without the constants f and w, and their transposes. */
#ifndef MO_GRADIENT_MAPS_H
#define MO_GRADIENT_MAPS_H

#include "problem/problem_data.h"

/* v = M^-1 v and v = M^-T v. */
void mo_map_inverse_mass(const mo_problem *problem, double *v);
void mo_map_inverse_mass_transposed(const mo_problem *problem, double *v);

/* u += H' v, where x is v, or u += W r, where x is r (reduced); and the transposes of these. */
void mo_map_pull(const mo_problem *problem, const double *x, double *u);
void mo_map_pull_transposed(const mo_problem *problem, const double *u, double *x);

#endif
