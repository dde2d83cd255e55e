/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * The interior point engine for shifted convex contact problems (convex.h): option (i) of
 * [acary2011, section 6].  With s frozen, the steps of interior.h follow the central path of a
 * second-order cone program with a positive definite matrix for any redundancy, in about 10
 * factorisations of the size of W.
 *
 * Crossover.  Near the end the residual is of order sqrt(tau) at contacts between two modes.  At
 * FIRST_TRY of the first residual, each further factor of ten and the end, Newton steps on the
 * natural map try to finish, until BAD_STEPS have not halved the residual.  With x = r - velocity /
 * lambda, z = r - prox(x), J the derivative of the prox and lambda the scale of W_ii,
 *     (W + lambda (J + NULL_J)^-1 (I - (1 - STUCK) J)) dr = -lambda (J + NULL_J)^-1 z
 * NULL_J regularises open contacts (dr = -z), STUCK redundant ones; neither moves the solution.
 *
 * Limits: no derivative with respect to s; no bounded slip; no warm start; infinite mu is
 * MO_CONES_MU_MOST.  A problem without a strict interior ends with the best r found.
 */
#include <math.h>
#include <string.h>

#include "solver/convex.h"
#include "solver/interior.h"

enum { STEPS_MOST = 100, PATIENCE = 10, POLISH_MOST = 20, BAD_STEPS = 3 };
static const double SHORT = 1e-10; /* shortest useful step */
static const double FIRST_TRY = 0.03, NEXT_TRY = 0.1;
static const double NULL_J = 1e-9, STUCK = 1e-3;

typedef struct workspace {
    mo_interior interior;
    double *best_r, *trial;
    double *lambda; /* one a constraint */
} workspace;

static mo_error layout(const mo_problem *problem, const mo_options *options, mo_arena *arena,
                       void **out)
{
    (void)options;
    workspace *w = MO_HEAD(arena, workspace);
    *out = w;
    MO_TAKE_EACH(arena, problem->row_count, double, &w->best_r, &w->trial);
    w->lambda = MO_TAKE(arena, problem->constraint_count, double);
    return mo_interior_layout(problem, 0, arena, &w->interior);
}

/* One call of the engine. */
typedef struct call {
    mo_run *run;
    workspace *w;
    const mo_convex *convex;
    double tol;
    double *u;      /* of the r evaluated last */
    double best;    /* residual of w->best_r */
    int iterations; /* interior and Newton steps */
} call;

/* The residual of r, kept where it is the best. */
static double evaluate(call *c, const double *r)
{
    mo_interior_velocity(&c->w->interior.matrix, r, c->u);
    const double residual = mo_convex_residual(c->convex, c->u, r);
    if (residual < c->best) {
        c->best = residual;
        memcpy(c->w->best_r, r, (size_t)c->convex->problem->row_count * sizeof(double));
    }
    return residual;
}

static int is_done(const call *c)
{
    return c->best <= c->tol || mo_run_is_over(c->run);
}

/* ---- crossover ------------------------------------------------------------------------------- */

/* The mean of the diagonal of W_ii + compliance; 1 if W_ii is zero. */
static void find_lambdas(const call *c)
{
    const mo_problem *problem = c->convex->problem;
    for (int i = 0; i < problem->constraint_count; ++i) {
        const int d = mo_constraint_dim(problem, i);
        const double *W = mo_interior_diagonal(&c->w->interior.matrix, i);
        double trace = 0;
        for (int k = 0; k < d; ++k)
            trace += W[k * d + k] / d;
        c->w->lambda[i] = trace > 0 ? trace : 1;
    }
}

/* C and the right side of block i at r, whose velocity is c->u. */
static void set_block(const call *c, int i, const double *r)
{
    const mo_convex *convex = c->convex;
    const mo_problem *problem = convex->problem;
    mo_interior *interior = &c->w->interior;
    const int row = problem->row_start[i], d = problem->row_start[i + 1] - row;
    const double lambda = c->w->lambda[i];
    double x[MO_BILATERAL_MAX_DIM], J[MO_BILATERAL_MAX_DIM * MO_BILATERAL_MAX_DIM];
    double *C = interior->C + interior->C_start[i], *right = interior->dr + row;
    mo_convex_velocity(convex, i, c->u + row, r + row, x);
    for (int k = 0; k < d; ++k)
        x[k] = r[row + k] - x[k] / lambda;
    mo_convex_prox(convex, i, 1 / lambda, x, right);
    mo_convex_prox_derivative(convex, i, 1 / lambda, x, J);
    for (int k = 0; k < d; ++k) {
        right[k] = lambda * (right[k] - r[row + k]);
        for (int j = 0; j < d; ++j) /* column k of lambda (I - (1 - STUCK) J), as row k of C */
            C[k * d + j] = lambda * ((j == k) - (1 - STUCK) * J[k * d + j]);
    }
    for (int k = 0; k < d; ++k)
        J[k * d + k] += NULL_J;
    mo_factor_symmetric(d, J);
    mo_solve_factored(d, J, right);
    for (int k = 0; k < d; ++k) /* both factors are functions of J: the product is symmetric */
        mo_solve_factored(d, J, C + k * d);
    for (int k = 0; k < d; ++k) {
        C[k * d + k] += (convex->weight ? convex->weight[i] : 0) +
                        (problem->compliance ? problem->compliance[row + k] : 0);
    }
}

/* One Newton step of w->trial, whose velocity is c->u; false where the matrix is singular. */
static int take_newton_step(const call *c)
{
    const mo_problem *problem = c->convex->problem;
    mo_interior *interior = &c->w->interior;
    double *r = c->w->trial;
    for (int i = 0; i < problem->constraint_count; ++i)
        set_block(c, i, r);
    if (!mo_interior_factor(&interior->matrix, interior->C, interior->C_start, interior->fixed))
        return 0;
    mo_interior_solve(&interior->matrix, 1, interior->dr);
    mo_axpy(problem->row_count, 1, interior->dr, r);
    for (int i = 0; i < problem->constraint_count; ++i) /* project back into the set */
        mo_convex_prox(c->convex, i, 0, r + problem->row_start[i], r + problem->row_start[i]);
    return 1;
}

/* Newton steps from the best r; one that gains little may still find the right set. */
static void polish(call *c)
{
    double residual = c->best;
    memcpy(c->w->trial, c->w->best_r, (size_t)c->convex->problem->row_count * sizeof(double));
    evaluate(c, c->w->trial);
    for (int bad = 0, steps = 0; bad < BAD_STEPS && steps < POLISH_MOST && !is_done(c); ++steps) {
        const double before = residual;
        if (!take_newton_step(c)) return;
        ++c->iterations;
        residual = evaluate(c, c->w->trial);
        bad += !(residual < 0.5 * before);
    }
}

/* ---- the engine ------------------------------------------------------------------------------ */

static void follow_path(call *c)
{
    const mo_convex *convex = c->convex;
    mo_interior *interior = &c->w->interior;
    double next_try = FIRST_TRY * c->best;
    find_lambdas(c);
    mo_interior_start(interior,
                      mo_interior_begin(interior, convex->s, convex->weight, convex->centre));
    for (int steps = 0, since_best = 0; steps < STEPS_MOST && since_best < PATIENCE; ++steps) {
        const double before = c->best;
        if (is_done(c) || !(mo_interior_step(interior) > SHORT)) break;
        ++c->iterations;
        since_best = evaluate(c, interior->r) < before ? 0 : since_best + 1;
        if (c->best <= next_try && !is_done(c)) {
            next_try = NEXT_TRY * c->best;
            polish(c);
        }
    }
    if (!is_done(c)) polish(c);
}

static mo_convex_answer solve(mo_run *run, void *memory, const mo_convex *convex, double tol,
                              double *r, double *u)
{
    call c = {.run = run, .w = memory, .convex = convex, .tol = tol, .u = u, .best = INFINITY};
    evaluate(&c, r);
    if (!is_done(&c) && isfinite(c.best)) follow_path(&c);
    if (isfinite(c.best))
        memcpy(r, c.w->best_r, (size_t)convex->problem->row_count * sizeof(double));
    const double residual = evaluate(&c, r);
    return (mo_convex_answer){residual, c.iterations, mo_run_is_over(run)};
}

const mo_convex_engine mo_convex_interior_engine = {
    .name = "interior",
    .takes_bounded_slip = 0,
    .layout = layout,
    .solve = solve,
};
