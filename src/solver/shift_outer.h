/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Outer algorithms for the fixed point s = F(s) besides successive approximations, as `next` of a
 * shift loop (shift_loop.h).  Each call gets s and its image F(s), and returns the next s.
 *
 *   shift_anderson.c   Anderson mixing, rejected if it increases |F(s) - s|
 *   shift_newton.c     Newton's method with F', globalised by the least squares |F(s) - s|^2
 */
#ifndef MO_SOLVER_SHIFT_OUTER_H
#define MO_SOLVER_SHIFT_OUTER_H

#include "linalg/anderson.h"
#include "solver/block_system.h"
#include "solver/shift_loop.h"

typedef struct mo_shift_anderson {
    mo_anderson memory;
    int is_mixed; /* the present s is a mixture */
} mo_shift_anderson;

void mo_shift_anderson_layout(int n, int depth, mo_arena *arena, mo_shift_anderson *anderson);
void mo_shift_anderson_begin(mo_shift_anderson *anderson);
mo_shift_end mo_shift_anderson_next(mo_run *run, mo_shift_loop *loop, void *anderson);

typedef struct mo_shift_newton {
    mo_block_system system;
    double *scale;    /* one a constraint */
    double *dr;       /* rows */
    double *fallback; /* F at the base */
    double size, t;   /* |F(s) - s| at the base; step taken */
    int has_begun;
} mo_shift_newton;

mo_error mo_shift_newton_layout(const mo_problem *problem, mo_arena *arena,
                                mo_shift_newton *newton);
void mo_shift_newton_begin(mo_shift_newton *newton);
mo_shift_end mo_shift_newton_next(mo_run *run, mo_shift_loop *loop, void *newton);

#endif
