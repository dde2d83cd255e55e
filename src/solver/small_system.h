/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * A small problem in dense form: sweeps over its blocks, and Newton steps.
 *
 * Coulomb contacts use the map of Alart and Curnier.  With x = r - rho u, or x = c - theta rho u
 * around a centre c,
 *
 *     z_N = r_N - max(0, x_N),    z_T = r_T - proj(x_T; disc of radius mu max(0, x_N)).
 *
 * A row with bounds has z = r - clamp(x).  Rolling friction has a second disc, and a separate rho
 * for the rows of moments, whose units differ.  This map needs fewer steps than the natural map,
 * which other laws use, and contacts if `is_natural`.  Steps, regularisation and merit are
 * (natural), (augmented) and (loads) of newton_step.h.  The Newton matrix is factored by one dense
 * elimination without the blocks of zero derivative.  Vectors are padded with zeros to `wide`.
 */
#ifndef MO_SOLVER_SMALL_SYSTEM_H
#define MO_SOLVER_SMALL_SYSTEM_H

#include "base/arena.h"
#include "problem/problem_data.h"

typedef enum mo_small_kind {
    MO_SMALL_ANY,   /* by the functions of its law */
    MO_SMALL_LINE,  /* one row with bounds: joint friction, limits, motors */
    MO_SMALL_PLANE, /* Coulomb's law in the plane, mu finite  */
    MO_SMALL_SPACE, /* the same in space */
    MO_SMALL_ROLLING
} mo_small_kind;

typedef struct mo_small_block {
    int row, d;
    mo_small_kind kind;
    int is_active;   /* J is not zero, in the last step */
    const double *p; /* of its law */
    const mo_law_ops *law;
    double lower, upper;    /* of r, if it is one row with bounds */
    double rho, rho_moment; /* of the rows of a force, and of those of a rolling moment */
    double *D, *B, *W;      /* of the step, and the block of W on the diagonal; d x d */
} mo_small_block;

typedef struct mo_small_system {
    const mo_problem *problem;
    int rows;
    int wide; /* numbers of a row of W, and of a vector */
    int ld;   /* numbers of a row of A */
    mo_small_block *blocks;
    const double *W; /* the view of the problem */
    double *A;
    double *squares, *scratch;
    double *q, *u, *r, *z, *dr, *centre; /* u and z at the r that was evaluated last */
    double *base;                        /* r before a step */
    int *swap;                           /* of the rows of A, factored */
    double eps, theta, speed;
    int is_natural; /* the natural map for all laws */
    int has_lanes;  /* the processor has vectors of four numbers */
} mo_small_system;

void mo_small_layout(const mo_problem *problem, mo_arena *arena, mo_small_system *s);

/* W, q (computed by the caller) and derived data. */
mo_error mo_small_begin(mo_small_system *s, const double *q);

/* One sweep over all blocks: each solved exactly, while the others are held. */
void mo_small_sweep(mo_small_system *s, double *r);

/* u and z at r; the merit. */
double mo_small_evaluate(mo_small_system *s, const double *r);

/* |r| in the units of the merit. */
double mo_small_size(const mo_small_system *s, const double *r);

/* Each block moved to the nearest impulse that its law allows. */
void mo_small_project(const mo_small_system *s, double *r);

/* dr at the r that was evaluated last; false where the matrix is singular. */
int mo_small_find_step(mo_small_system *s, const double *r);

/* The same with the matrix of the last step and the current z; false if a block that dropped out
 * of it must change. */
int mo_small_repeat_step(mo_small_system *s);

/*
 * r += t dr with the first t of 1, 1/2, ... that brings the merit below `target`, or the best of
 * them.  Returns the merit.
 */
double mo_small_take_step(mo_small_system *s, double target, int halvings, double *r);

/* The natural residual of the measure at r, which was evaluated last. */
double mo_small_residual(const mo_small_system *s, const double *r);

#endif
