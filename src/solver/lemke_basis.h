/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * The basis of Lemke's path (lemke_path.h): the matrix K in its slots, and solves with it.  S and c
 * are scaled: the diagonal of S and the largest entry of c are about one.
 */
#ifndef MO_SOLVER_LEMKE_BASIS_H
#define MO_SOLVER_LEMKE_BASIS_H

#include "solver/lemke_path.h"

enum { MO_LEMKE_NOTHING = -1 };

/* image = S_alpha z_alpha + d z0, where z_alpha and z0 are in the slots of y. */
void mo_basis_apply(mo_lemke_path *path, const double *y);

/* The rows of column j of S that K has, times `sign`, as a sparse vector (index, number); returns
 * its length.  And the columns of row i of (S, d) that K has. */
int mo_basis_column(mo_lemke_path *path, int j, double sign);
int mo_basis_row(mo_lemke_path *path, int i);

/* y = K^-1 (sign rhs on the rows of K), refined once. */
void mo_basis_solve(mo_lemke_path *path, double sign, const double *rhs);

/* The basic variables, and z0, that belong to the constant vector `rhs` (c, or p for the rates). */
void mo_basis_variables(mo_lemke_path *path, const double *rhs, double *basics, double *z0);

/* Values within the noise of zero are zero, and none is below it; false if one was far below. */
int mo_basis_clean(mo_lemke_path *path);

/* Recomputes rates and values; false if a value is far below zero. */
int mo_basis_values(mo_lemke_path *path);

/* K^-1 anew, with new slots for all rows and columns that have one; false if K is singular.
 * With the values: renew. */
int mo_basis_factor(mo_lemke_path *path);
int mo_basis_renew(mo_lemke_path *path);

#endif
