/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * The interior point engine for convex contact problems (convex.h), shifted ones only: option (i) of [acary2011, section 6].
 *
 * With the shift s frozen the steps of interior.h follow the central path of a second-order cone program: strictly
 * convex in the velocity, one path, and a matrix W + E' T^2 E that is positive definite wherever a cone has an
 * interior, however many contacts are redundant.  It starts cold: the r it is given is handed back only where it is
 * the best.
 *
 *   use      mo_convex_interior_engine wherever an mo_convex_engine is asked for, for instance
 *            mo_shift_loop_layout(&mo_convex_interior_engine, ...).  10 to 20 iterations for 1e-8, whatever the friction,
 *            the masses and the number of contacts; each is one factorisation of the size of W.
 *   accuracy the residual falls to about 1e-12 of the forces where every contact is clearly apart, stuck or sliding; with
 *            contacts on the edge between two of these it is of the order sqrt(tau) and ends at about 1e-8
 *   weights  are welcome and make it easier
 *
 * Limits: no derivative with respect to s; no bounded slip.  An infinite mu is MO_CONES_MU_MOST.  A problem without a
 * solution, or with no impulse strictly inside the laws or no velocity strictly inside their duals, ends with the best r found.
 */
#include <math.h>
#include <string.h>

#include "solver/convex.h"
#include "solver/interior.h"

enum { STEPS_MOST = 100, PATIENCE = 10 };
static const double SHORT = 1e-10; /* a step that leads nowhere */

typedef struct workspace {
    mo_interior interior;
    double *best_r;
} workspace;

static mo_error layout(const mo_problem *problem, const mo_options *options, mo_arena *arena,
                       void **out)
{
    (void)options;
    workspace *w = MO_TAKE(arena, 1, workspace);
    double *best_r = MO_TAKE(arena, problem->row_count, double);
    if (w) {
        w->best_r = best_r;
    }
    *out = w;
    return mo_interior_layout(problem, arena, w ? &w->interior : NULL);
}

/* The residual of r, whose velocity becomes u. */
static double residual_of(workspace *w, const mo_convex *convex, const double *r, double *u)
{
    mo_interior_velocity(&w->interior.matrix, r, u);
    return mo_convex_residual(convex, u, r);
}

/* Steps from p = z = beta e until tol; the best r stays in w->best_r, its residual in *best.  Returns their number. */
static int follow_path(mo_run *run, workspace *w, const mo_convex *convex, double tol, double *u,
                       double *best)
{
    mo_interior *interior = &w->interior;
    const size_t bytes = (size_t)convex->problem->row_count * sizeof(double);
    int steps = 0;
    mo_interior_start(interior,
                      mo_interior_begin(interior, convex->s, convex->weight, convex->centre));
    for (int since_best = 0; steps < STEPS_MOST && since_best < PATIENCE; ++steps) {
        if (*best <= tol || mo_run_is_over(run) || !(mo_interior_step(interior) > SHORT)) {
            break;
        }
        const double residual = residual_of(w, convex, interior->r, u);
        ++since_best;
        if (residual < *best) {
            since_best = 0;
            *best = residual;
            memcpy(w->best_r, interior->r, bytes);
        }
    }
    return steps;
}

static mo_convex_answer solve(mo_run *run, void *memory, const mo_convex *convex, double tol,
                              double *r, double *u)
{
    workspace *w = memory;
    const size_t bytes = (size_t)convex->problem->row_count * sizeof(double);
    double best = residual_of(w, convex, r, u);
    memcpy(w->best_r, r, bytes);
    const int steps = best <= tol ? 0 : follow_path(run, w, convex, tol, u, &best);
    memcpy(r, w->best_r, bytes);
    best = residual_of(w, convex, r, u);
    return (mo_convex_answer){best, steps, mo_run_is_over(run)};
}

const mo_convex_engine mo_convex_interior_engine = {
    .name = "interior",
    .takes_bounded_slip = 0,
    .layout = layout,
    .solve = solve,
};
