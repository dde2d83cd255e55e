/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* GMRES without restarts [saad1986]: A x = b where A is known by its products only. */
#ifndef MO_LINALG_GMRES_H
#define MO_LINALG_GMRES_H

#include "base/arena.h"

/* y = A x */
typedef void (*mo_product)(void *context, const double *x, double *y);

typedef struct mo_gmres {
    int n, most;     /* unknowns; products at most */
    double *basis;   /* most + 1 orthonormal vectors */
    double *columns; /* of the triangular factor, most + 1 numbers each */
    double *cosine, *sine, *right;
} mo_gmres;

/* Takes the numbers from an arena. */
void mo_gmres_layout(mo_arena *arena, int n, int most, mo_gmres *out);

/* x from zero, until |A x - b| is at most tol |b|; returns the ratio that was reached. */
double mo_gmres_solve(mo_gmres *gmres, mo_product product, void *context, double tol,
                      const double *b, double *x);

#endif
