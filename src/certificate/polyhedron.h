/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * A point of a small polyhedron, or multipliers that prove it empty.  Rows are a_m x + b_m, zero
 * for equations and not negative for the others.
 *
 * 1. Equations.  Their rows are orthonormalised with pivoting, a_m = sum_j L_mj q_j, which gives a
 *    point x_p of the plane where all hold and an orthonormal basis N of its directions.  A row
 *    that depends on the others and contradicts them is the proof.
 * 2. The others, with x = x_p + N t, ask G t >= h, a least distance problem [lawson1974, chapter
 *    23] that is solved as nonnegative least squares:
 *
 *        min | [G'; h'] y - [0; 1] |,  y >= 0,     residual (s, s0) = [0; 1] - [G'; h'] y       (1)
 *
 *    If it is zero, y is the proof.  If not, t = -s / s0 is the shortest t with G t >= h.
 *
 * Near the border both a point and multipliers are returned; the checker decides.
 */
#ifndef MO_CERTIFICATE_POLYHEDRON_H
#define MO_CERTIFICATE_POLYHEDRON_H

#include "base/arena.h"

enum { MO_POLYHEDRON_MOST_UNKNOWNS = 160 };

typedef struct mo_polyhedron {
    int n, most_rows; /* unknowns; room for rows */
    int rows;
    double *a, *b;    /* rows x n, rows */
    int *is_equation; /* one a row */

    /* The result. */
    int has_point; /* x meets every row to 1e-10 of the sizes in it */
    int has_proof; /* y may prove that no point exists */
    double *x, *y;
    int free_count; /* directions that the equations leave: columns of N */
    double *N;      /* free_count x n, one direction a row */

    /* Workspace. */
    int rank;
    int *pivot, *is_taken;
    double *q, *L, *rest, *t, *G, *h, *multiplier, *columns, *target;
    int *passive, *index;
} mo_polyhedron;

void mo_polyhedron_layout(int n, int most_rows, mo_arena *arena, mo_polyhedron *polyhedron);

/* Finds a point or a proof for the rows that are set. */
void mo_polyhedron_decide(mo_polyhedron *polyhedron);

/* Does x meet every row to 1e-10 of the sizes in it? */
int mo_polyhedron_contains(const mo_polyhedron *polyhedron);

#endif
