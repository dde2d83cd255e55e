/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Anderson acceleration of a fixed point s = F(s) [anderson1965], [walker2011].
 *
 * From the last m changes of s and of the defect f = F(s) - s, gamma is the combination of changes of f that comes
 * closest to f itself, and the next point is
 *
 *     s + f - (dS + dF) gamma
 *
 * which solves the fixed point as if F were affine along those changes.  m = 0 is the plain iteration.
 */
#ifndef MO_SOLVER_ANDERSON_H
#define MO_SOLVER_ANDERSON_H

#include "base/arena.h"

enum { MO_ANDERSON_MOST = 60 };

typedef struct mo_anderson {
    int n, memory;   /* entries of s; changes kept at most              */
    int count, next; /* changes kept; where the next one goes           */
    int has_last;
    double *dS, *dF; /* memory vectors each                             */
    double *s_last, *f_last, *f;
    double *gram; /* products of the dF, memory x memory             */
} mo_anderson;

void mo_anderson_layout(mo_arena *arena, int n, int memory, mo_anderson *out);

/* Forgets the changes. */
void mo_anderson_reset(mo_anderson *anderson);

/* s becomes the next point; image is F(s). */
void mo_anderson_move(mo_anderson *anderson, const double *image, double *s);

#endif
