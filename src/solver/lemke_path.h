/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Lemke's path: the pivots of Lemke's algorithm on the LCP
 *
 *     w = S z + c + d z0,   0 <= z perp w >= 0,   d > 0 the covering vector     [cottle1992, Algorithm 4.4.5]
 *
 * from z0 so large that z = 0 will do, down to z0 = 0 (solved), or along a ray.
 *
 * The basis.  Let alpha be the indices whose z is basic and e the index of which neither z nor w is; the
 * rows rho = alpha and e have w = 0, so that z_alpha and z0 come from the square matrix
 *
 *     K = [ S_rho,alpha   d_rho ]
 *
 * and the basic w from the other rows.  A pivot replaces a row or a column of K, or adds or takes away one of each.
 * Its inverse is kept and updated (linalg/inverse.h), S is used by its nonzero entries, and the residual of every
 * solve is watched: where it has grown K is factored anew.
 *
 * Degeneracy.  c stands for c + eps p, eps > 0 smaller than any number, p > 0 random: every basic variable has a
 * value and, beside it, a rate in eps, and the pivot row is the least in the lexicographic order of (value, rate) over
 * the direction.  These are the first two columns of the order of [cottle1992, section 4.9] for the matrix (p, I);
 * since p is in general position, further ones never decide.  Values below the noise are zero, so that ties are seen.
 */
#ifndef MO_SOLVER_LEMKE_PATH_H
#define MO_SOLVER_LEMKE_PATH_H

#include "linalg/inverse.h"

typedef enum mo_lemke_state {
    MO_LEMKE_MOVING, /* one pivot is done, more to come                               */
    MO_LEMKE_SOLVED, /* z0 is zero                                                    */
    MO_LEMKE_RAY,    /* nothing stops the entering variable: see mo_lemke_ray         */
    MO_LEMKE_LOST    /* rounding has led off the path: singular K, or values below zero */
} mo_lemke_state;

typedef struct mo_lemke_path {
    int n;
    /* S, row-major as given; its nonzero entries by columns, and where they are in each row */
    const double *S;
    int *column_start, *row_of, *row_start, *column_of;
    double *entry;
    const double *c, *d, *p;

    /* For each index: which of its pair is basic, value and rate of that one, direction of the step. */
    int *basic;
    double *value, *rate, *direction;
    double value0, rate0, direction0; /* of z0                              */
    int *row_slot, *column_slot;      /* in K, or -1                        */
    int z0_slot;

    mo_inverse inverse;
    int *spare_row, *spare_column, spares; /* slots of unit entries         */
    int *index;                            /* scratch: sparse vectors, y, h */
    double *number, *y, *h, *image;

    int entering, enters_z; /* what enters next                                  */
    int since_factor, since_values;
    double noise, flat; /* below these a value is zero, and a variable does not move */
} mo_lemke_path;

/* fill: room for the nonzero entries of S. */
void mo_lemke_layout(int n, size_t fill, mo_arena *arena, mo_lemke_path *path);

/* Takes S (n x n row-major, kept by reference) and lists its nonzero entries. */
void mo_lemke_load(mo_lemke_path *path, const double *S);

/* Starts anew with c, d > 0 and p > 0, n entries each, kept by reference; that is the first pivot. */
mo_lemke_state mo_lemke_start(mo_lemke_path *path, const double *c, const double *d, const double *p);

/* One pivot more. */
mo_lemke_state mo_lemke_pivot(mo_lemke_path *path);

/* z of the present point. */
void mo_lemke_point(const mo_lemke_path *path, double *z);

/* After MO_LEMKE_RAY: the direction of z along the ray, and that of z0. */
void mo_lemke_ray(const mo_lemke_path *path, double *z, double *z0);

/* After MO_LEMKE_SOLVED: the change of the basic z that makes w vanish on their rows, from w there. */
void mo_lemke_correct(mo_lemke_path *path, const double *w, double *dz);

#endif
