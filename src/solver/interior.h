/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Primal-dual interior point steps for contact problems, for `ipm` and convex_interior.c.
 *
 * The laws are written as Lorentz cones (law/cones.h).  For a barrier parameter tau > 0 the points
 * of the central path satisfy, with p_k = E_k r + o_k e kept exactly,
 *
 *     W r + q  =  yhat - phi(yhat) e_N,     yhat_i = sum_k E_k' z_k          (1)
 *     p_k o z_k  =  tau e,     p_k, z_k in the interior of L                 (2)
 *
 * where phi is the law's shift mu |u_T|, or the constant s if it is frozen (the central path of
 * convex.h, symmetric where W is); the laws hold at tau = 0.  In [acary2024] r is r, yhat is u + s
 * n, (p, z) is (P r, P^-1 u) and tau is mu.
 *
 * Limits.  The path need not exist where the contacts cannot all open at once; with friction it
 * need not be unique, nor tau fall along it [acary2024].  A step may fail: the caller sees it by
 * its length.
 */
#ifndef MO_SOLVER_INTERIOR_H
#define MO_SOLVER_INTERIOR_H

#include "law/cones.h"
#include "solver/interior_matrix.h"

/* A path that is followed by its arc length (interior_arc.c). */
typedef struct mo_arc {
    int is_on, sign; /* sign: of det J */
    int held, has_moved, has_kept;
    double reach; /* of the next step along it */
} mo_arc;

typedef struct mo_interior {
    const mo_problem *problem;
    mo_interior_matrix matrix;

    /* Cones: those of constraint i are cone[cone_start[i]] .. cone[cone_start[i+1]]. */
    int cone_count, cone_rows;
    int *cone_start, *first; /* first[k]: of cone k's numbers in p and z */
    mo_law_cone *cone;       /* E and offset in the units of the block */
    mo_scaling *scaling;
    double *scale;  /* one a constraint: the norm of its W_ii in the units of its cones */
    uint8_t *fixed; /* one a row */

    /* The problem. */
    const double *s;      /* frozen shift, one a constraint; NULL: the law itself */
    const double *weight; /* NULL, or weight_i (r_i - centre_i) is added to the velocity */
    const double *centre;

    /* The iterate: r and z, and derived vectors. */
    double *r, *z, *p;
    double *u;             /* W r + q */
    double *yhat, *rest;   /* see (1); rows */
    double *g;             /* rows */
    double tau, rest_norm; /* rest_norm: in the units of the cones */

    /* The step. */
    double *C;
    size_t *C_start;
    double *dr, *dp, *dz, *target; /* target becomes T h */
    double sigma, length;          /* of the last step */
    double slope;                  /* the part of phi's gradient that counts in the next */
    double least_slope;            /* the same at a fold; 1 unless the caller sets it */

    /* Folds: the two parts of a step along the arc, and the iterate before the last plain step. */
    int by_arc; /* follow the path by its arc length at a fold; the caller may set it */
    mo_arc arc;
    double *centre_r, *centre_p, *centre_z, *path_r, *path_p, *path_z;
    double *kept_r, *kept_z;
} mo_interior;

/* interior_layout.c: the cones of constraint i (NULL: not asked for); returns their number. */
int mo_interior_cones(const mo_problem *problem, int i, mo_law_cone *cones, mo_law_rows *rows);

/* Takes the numbers from an arena.  is_quick: see
 * interior_matrix.h. */
mo_error mo_interior_layout(const mo_problem *problem, int is_quick, mo_arena *arena,
                            mo_interior *interior);

/*
 * The problem: the shift s frozen or NULL, weights with their centre or NULL.  Finds the scales;
 * the result is the size of q in these units, which is a good beta.
 */
double mo_interior_begin(mo_interior *s, const double *shift, const double *weight,
                         const double *centre);

/* The starting point p = z = beta e, in the units of the cones. */
void mo_interior_start(mo_interior *interior, double beta);

/* The point with p o z = beta^2 e whose p - z is that of the impulses r and their velocity, so that
 * the path is entered near them; p = z = beta e where a law is not one cone. */
void mo_interior_start_near(mo_interior *interior, double beta, const double *r);

/* What the present point misses of (1): the largest rest of a constraint, in the units of p and z.
 */
double mo_interior_misfit(mo_interior *interior);

/*
 * One step from r and z; its length, or 0 where it failed (the iterate is then as before).  It
 * linearises (1) and, with the scaling T of Nesterov and Todd, (2):
 *
 *  T dp + T^-1 dz = lambda \ (target - lambda o lambda)  =: h,  dp = E dr,  dz = T h - T^2 dp   (3)
 *     (W + (I - e_N g') sum E' T^2 E) dr = -rest + (I - e_N g') sum E' T h                      (4)
 *
 * rest = W r + q - yhat + phi(yhat) e_N, g the gradient of phi.  One factorisation serves two right
 * sides [mehrotra1992]:
 *
 *     predictor   target = 0                                                  -> dp_a, dz_a, step a
 *     corrector   target = sigma tau e - (T dp_a) o (T^-1 dz_a)
 *                 sigma = 0.998 min(1, tau_a / tau)^max(1, 3 a^2), at least 0.1
 *     step        (0.9 + 0.09 a) of the way to the nearest wall, at most 1; one for r and z
 */
double mo_interior_step(mo_interior *interior);

/* Parts of a step, from the factors: targets of the centre at tau; dr, dp and dz of (3)-(4) from
 * the targets; the largest step, at most `most`, that keeps every cone. */
void mo_interior_aim_centre(mo_interior *interior);
void mo_interior_direction(mo_interior *interior, int is_refined);
double mo_interior_longest(const mo_interior *interior, double most);

/* Is a step along the arc due after this plain step?  Its direction, and its length. */
int mo_arc_is_due(mo_interior *interior);
double mo_arc_step(mo_interior *interior);

#endif
