/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
#ifndef MO_LINALG_PRINCIPAL_H
#define MO_LINALG_PRINCIPAL_H

/* Eigenvalues of a symmetric matrix (xx yy zz xy xz yz), and their unit vectors as columns of Q. */
void mo_principal_axes(const double six[6], double values[3], double Q[9]);

/* The reverse: Q diag(values) Q'. */
void mo_principal_compose(const double values[3], const double Q[9], double six[6]);

#endif
