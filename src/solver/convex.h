/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * The convex problems of a fixed point on the sliding speed, and the interface of engines for them.
 *
 *     minimise  1/2 r' W r + q' r + sum_i g_i(r_i)          (W with compliance on its diagonal)
 *
 *   shifted       g_i = s_i r_N on the set K_i of the law, with the shift s frozen
 *                 [anitescu2004, eq. 4.21] for facets, [acary2011, eq. 3.15, 4.7] for the cone
 *   bounded slip  g_i = lambda_i |r_T| (dual slip norm) on r_N >= 0, with the slip speeds lambda
 *                 frozen: u_N >= 0, |u_T| <= lambda; r need not lie in the friction cone
 *                 [anitescu2004, eq. 4.29]
 *
 * In [anitescu2004] and [acary2011] s is Gamma and mu s, lambda is lambda and s, (r_N, r_T) is
 * (c_n, D beta) and r, w_N is Delta and w.  Laws without friction are convex, the same in both.
 * Limits: a law whose shift is not along e_N (sliding in a known direction) is not supported.
 */
#ifndef MO_SOLVER_CONVEX_H
#define MO_SOLVER_CONVEX_H

#include "problem/sweep.h"
#include "solver/method.h"

/* The laws that these problems may contain. */
#define MO_CONVEX_LAWS (MO_ALL_LAWS & ~MO_LAW_BIT(MO_LAW_SLIDING))

/*
 * Polyhedral approximations of friction cones in space with adaptive corners:
 *
 *     K_i becomes the cone on  g_j = (1, mu cos a_j, mu sin a_j),  j = 0 .. count_i - 1,
 *
 * inside K_i, with increasing angles a_j.  convex_facets.c places the corners.
 */
enum { MO_FACETS_BASE = 4, MO_FACETS_MOST = 24 };

typedef struct mo_convex_facets {
    int *count;    /* one per constraint; 0: as defined by its law */
    double *angle; /* MO_FACETS_MOST a constraint, from 0 to 2 pi */
} mo_convex_facets;

/* The nearest point of the cone to x (y may be x), and its derivative; count >= 3. */
void mo_facets_project(int count, const double *angle, double mu, const double *x, double *y);
void mo_facets_project_derivative(int count, const double *angle, double mu, const double *x,
                                  double *J);

typedef enum mo_convex_kind { MO_CONVEX_SHIFTED, MO_CONVEX_BOUNDED_SLIP } mo_convex_kind;

typedef struct mo_convex {
    const mo_problem *problem;
    mo_convex_kind kind;
    const double *s;      /* shifted: one a constraint */
    const double *lambda; /* bounded slip: MO_LAW_MAX_GROUPS a constraint, one for each disc */
    const double *weight; /* NULL, or one a constraint: weight_i / 2 |r_i - centre_i|^2 is added */
    const double *centre;
    /* NULL, or polygons instead of circular cones */
    const mo_convex_facets *facets;
} mo_convex;

/* The velocity used below, of constraint i: u + compliance r + weight (r - centre). */
void mo_convex_velocity(const mo_convex *convex, int i, const double *u, const double *r,
                        double *out);

/* s of all constraints at velocities u and impulses r; r = NULL: u includes the compliance. */
void mo_convex_shifts(const mo_problem *problem, const double *u, const double *r, double *s);

/* Has constraint i a friction disc, and hence a shift? */
int mo_convex_has_shift(const mo_problem *problem, int i);

/* For each block a bound of |W_ii + compliance|, or 1 for zero; a sweep in natural order. */
void mo_convex_scales(const mo_sweep *sweep, double *scale);

/* lambda of every friction disc (MO_LAW_MAX_GROUPS a constraint; zero where there is none). */
void mo_convex_slips(const mo_problem *problem, const double *u, const double *r, double *lambda);

/* y = the least of step g_i(y) + 1/2 |y - x|^2, and its derivative J (symmetric, d x d). */
void mo_convex_prox(const mo_convex *convex, int i, double step, const double *x, double *y);
/*
 * The same at x = r - step (a + da), with da small relative to a.  For bounded slip it avoids the
 * cancellation between a and lambda, which a long step would amplify.  Returns the size of the
 * terms whose rounding enters y.
 */
double mo_convex_prox_at(const mo_convex *convex, int i, double step, const double *r,
                         const double *a, const double *da, double *y);

void mo_convex_prox_derivative(const mo_convex *convex, int i, double step, const double *x,
                               double *J);

/* |r - prox(r - velocity)| with unit step over all rows: zero exactly at a solution. */
double mo_convex_residual(const mo_convex *convex, const double *u, const double *r);

/* ---- engines --------------------------------------------------------------------------------- */

typedef struct mo_convex_answer {
    double residual;    /* mo_convex_residual of the returned point   */
    int iterations;     /* of the engine, in its own units */
    int is_interrupted; /* by the caller or the clock: run->status */
} mo_convex_answer;

typedef struct mo_convex_engine {
    const char *name;
    int takes_bounded_slip;

    /* Lays out its workspace, as a method does (method.h). */
    mo_error (*layout)(const mo_problem *problem, const mo_options *options, mo_arena *arena,
                       void **workspace);

    /*
     * Iterates from the given r until the residual is at most tol, or returns the best r; u is its
     * velocity.  Checks regularly whether the run must stop.
     */
    mo_convex_answer (*solve)(mo_run *run, void *workspace, const mo_convex *convex, double tol,
                              double *r, double *u);

    /*
     * The derivative of the solution (u, r) with respect to s, for problems with weights: linearise
     * prepares it and returns false on failure; respond gives the change of u + compliance r, all
     * rows, for a change of s.  NULL where the engine has none.
     */
    int (*linearise)(void *workspace, const mo_convex *convex, const double *u, const double *r);
    void (*respond)(void *workspace, const double *ds, double *du);
} mo_convex_engine;

/* Proximal point steps by Newton's method, with sweeps where those are cheaper: convex_newton.c. */
extern const mo_convex_engine mo_convex_newton_engine;

/* Projected gradients, plain and accelerated: projected_gradient.c. */
extern const mo_convex_engine mo_convex_gradient_engine, mo_convex_apgd_engine;

/* Quadratic programs on polygons whose corners are added where they are needed: convex_facets.c. */
extern const mo_convex_engine mo_convex_facets_engine;

/* Primal-dual interior points on the cones themselves, for shifted problems: convex_interior.c. */
extern const mo_convex_engine mo_convex_interior_engine;

/* Alternating directions: admm.c. */
extern const mo_convex_engine mo_convex_admm_engine;

/* All of them, in the order of the choices of acary-cadoux.engine. */
extern const mo_convex_engine *const mo_convex_engines[];
extern const int mo_convex_engine_count;

#endif
