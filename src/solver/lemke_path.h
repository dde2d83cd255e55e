/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Lemke's path: the pivots of Lemke's algorithm on the LCP [cottle1992, Algorithm 4.4.5]
 *
 *     w = S z + c + d z0,   0 <= z perp w >= 0,   d > 0 the covering vector
 *
 * from a z0 for which z = 0 is feasible to z0 = 0 (solved), or along a ray.
 *
 * The basis.  Let alpha be the indices with basic z, and e the index with neither z nor w basic.
 * The rows rho = alpha and e have w = 0, so z_alpha and z0 follow from K = [ S_rho,alpha   d_rho ],
 * and the basic w from the other rows.  A pivot changes a row or a column of K, or adds or removes
 * one of each.  Its inverse is updated (linalg/inverse.h), and K is factored again if residuals
 * grow.
 *
 * Degeneracy.  c stands for c + eps p with infinitesimal eps and random p > 0: every basic variable
 * has a value and a rate in eps, and the pivot row is the lexicographic minimum of (value, rate)
 * over the direction [cottle1992, section 4.9].  Values below the noise are zero.
 */
#ifndef MO_SOLVER_LEMKE_PATH_H
#define MO_SOLVER_LEMKE_PATH_H

#include "linalg/inverse.h"

typedef enum mo_lemke_state {
    MO_LEMKE_MOVING, /* one pivot is done, more to come */
    MO_LEMKE_SOLVED, /* z0 is zero */
    MO_LEMKE_RAY,    /* nothing stops the entering variable: see mo_lemke_ray */
    MO_LEMKE_LOST    /* the path was lost by rounding: singular K, or negative values */
} mo_lemke_state;

/* Which of a pair is basic; one pair has neither while the path is followed. */
enum { MO_LEMKE_W, MO_LEMKE_Z, MO_LEMKE_NEITHER };

typedef struct mo_lemke_path {
    int n;
    /* The nonzero entries of S by columns; and by rows, with the place of each in the columns. */
    int *column_start, *row_of;
    double *entry;
    int *row_start, *column_of, *place;
    int *order; /* in which K is eliminated: the caller's to fill, once */
    const double *c, *d, *p;

    /* For each index: which of its pair is basic; value, rate and direction of that one. */
    int *basic;
    double *value, *rate, *direction;
    double value0, rate0, direction0; /* of z0 */
    int *row_slot, *column_slot;      /* in K, or -1 */
    int z0_slot;

    mo_inverse inverse;
    int *spare_row, *spare_column, spares; /* slots of unit entries */
    int *index;                            /* scratch: sparse vectors, y, h */
    double *number, *y, *h, *image;

    int entering, enters_z; /* what enters next */
    int since_factor, since_values;
    double noise, flat; /* below these a value is zero, and a variable does not move */
} mo_lemke_path;

/* fill: room for the nonzero entries of S. */
void mo_lemke_layout(int n, size_t fill, mo_arena *arena, mo_lemke_path *path);

/* row_start and column_of have been filled in: does the same for the columns.  entry is the
 * caller's to fill, at any time when no path is under way. */
void mo_lemke_index(mo_lemke_path *path);

/* Starts anew with c, d > 0 and p > 0 (n entries each, kept by reference): the first pivot. */
mo_lemke_state mo_lemke_start(mo_lemke_path *path, const double *c, const double *d,
                              const double *p);

/*
 * From the basis in which the last path ended (MO_LEMKE_SOLVED), on another S and c.  mo_lemke_take
 * factors its K; false if that is singular.  Then either of two:
 *
 * mo_lemke_hold keeps the basis and computes its values for c; those that come out negative are set
 * to zero.
 *
 * mo_lemke_resume sets d so that the old z, and its w, solve w = S z + c + d z0 at z0 = 1, and the
 * path continues from there to z0 = 0.  d is written; p holds positive numbers, the rates of the
 * basic variables, and is written too. d has any sign: no guarantee, but if the two problems are
 * close, so are their solutions.
 */
int mo_lemke_take(mo_lemke_path *path);
void mo_lemke_hold(mo_lemke_path *path, const double *c);
mo_lemke_state mo_lemke_resume(mo_lemke_path *path, const double *c, double *d, double *p);

/* One pivot more. */
mo_lemke_state mo_lemke_pivot(mo_lemke_path *path);

/* The basis and the values at the end of a path, and back to them before mo_lemke_resume. */
void mo_lemke_keep(const mo_lemke_path *path, int *basic, double *value);
void mo_lemke_restore(mo_lemke_path *path, const int *basic, const double *value);

/* z of the present point. */
void mo_lemke_point(const mo_lemke_path *path, double *z);

/* After MO_LEMKE_RAY: the direction of z along the ray. */
void mo_lemke_ray(const mo_lemke_path *path, double *z);

/* After MO_LEMKE_SOLVED: the change of the basic z that makes w vanish on their rows. */
void mo_lemke_correct(mo_lemke_path *path, const double *w, double *dz);

#endif
