/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Anderson acceleration of a fixed point x = T(x) [anderson1965], [walker2011].
 *
 * With f = T(x) - x, and dx, df the changes of x and f over the last iterations (a few columns),
 * the least-squares solution g of |f - df g| gives the combination of these iterates that would
 * have the smallest f if T were linear:
 *
 *     x+ = x + f - (dx + df) g
 *
 * The norm may have weights.  The normal equations grow by one row per iteration and are
 * regularised in proportion to their size.
 */
#ifndef MO_LINALG_ANDERSON_H
#define MO_LINALG_ANDERSON_H

#include "base/arena.h"

enum { MO_ANDERSON_MOST = 20 };

typedef struct mo_anderson {
    int n, depth;         /* unknowns; rounds remembered at most */
    int count;            /* changes remembered so far, old ones included */
    int has_base;         /* x and f hold a round */
    double size;          /* |f| */
    const double *weight; /* n numbers, or NULL */
    double *x, *f;        /* of the last round */
    double *dx, *df;      /* `depth` rows each */
    double *gram;         /* depth x depth */
} mo_anderson;

/* Takes the numbers from an arena. */
void mo_anderson_layout(mo_arena *arena, int n, int depth, mo_anderson *out);

/* Forgets everything. */
void mo_anderson_clear(mo_anderson *anderson);

/* |y - x| in its norm. */
double mo_anderson_distance(const mo_anderson *anderson, const double *x, const double *y);

/* A round: T(x) = image. */
void mo_anderson_push(mo_anderson *anderson, const double *x, const double *image);

/* y = the mixture; the image itself after a single round. */
void mo_anderson_mix(const mo_anderson *anderson, double *y);

#endif
