/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Two projected gradient engines for convex contact problems (projected_gradient.h, convex.h):
 *
 *   gradient   the naive method of [acary2011, section 6 (v)] on the dual problem (4.7):
 *              r+ = Proj(r - grad I(r) / (L D)).  The paper does not specify its step; here L
 *              follows the curvature.
 *   apgd       the same with momentum and restarts, which takes hundreds of times fewer iterations
 *              for ill-conditioned W.
 *
 * Both start from the given r, keep the best, and end after `acary-cadoux.inner` iterations (the
 * paper: 250).
 */
#include <math.h>
#include <string.h>

#include "solver/projected_gradient.h"

enum { CHECK_EVERY = 10 };

typedef struct workspace {
    mo_projected_gradient gradient;
    double *best_r;
    int most;
    int has_begun;
} workspace;

static mo_error layout(const mo_problem *problem, const mo_options *options, mo_arena *arena,
                       void **out)
{
    workspace *w = MO_HEAD(arena, workspace);
    *out = w;
    w->best_r = MO_TAKE(arena, problem->row_count, double);
    w->most = options->acary_cadoux.inner;
    w->has_begun = 0;
    return mo_projected_gradient_layout(problem, arena, &w->gradient);
}

static mo_convex_answer solve(mo_run *run, workspace *w, int is_accelerated,
                              const mo_convex *convex, double tol, double *r, double *u)
{
    mo_projected_gradient *g = &w->gradient;
    const size_t bytes = (size_t)convex->problem->row_count * sizeof *r;
    double best = INFINITY;
    int iteration = 0, is_over = 0;
    if (!w->has_begun) {
        mo_projected_gradient_begin(g, run->options->threads, is_accelerated);
        w->has_begun = 1;
    }
    mo_projected_gradient_restart(g);
    mo_projected_gradient_velocity(g, r, u);
    for (int moves = 1;; ++iteration) {
        if (iteration % CHECK_EVERY == 0 || !moves || iteration == w->most) {
            const double residual = mo_convex_residual(convex, u, r);
            if (residual < best) {
                best = residual;
                memcpy(w->best_r, r, bytes);
            }
            is_over = mo_run_is_over(run);
            if (best <= tol || !moves || iteration == w->most || is_over) {
                break;
            }
        }
        moves = mo_projected_gradient_step(g, convex, r, u);
    }
    if (isfinite(best)) {
        memcpy(r, w->best_r, bytes);
        mo_projected_gradient_velocity(g, r, u);
    }
    return (mo_convex_answer){best, iteration, is_over};
}

static mo_convex_answer solve_plain(mo_run *run, void *memory, const mo_convex *convex, double tol,
                                    double *r, double *u)
{
    return solve(run, memory, 0, convex, tol, r, u);
}

static mo_convex_answer solve_accelerated(mo_run *run, void *memory, const mo_convex *convex,
                                          double tol, double *r, double *u)
{
    return solve(run, memory, 1, convex, tol, r, u);
}

const mo_convex_engine mo_convex_gradient_engine = {
    .name = "gradient",
    .takes_bounded_slip = 1,
    .layout = layout,
    .solve = solve_plain,
};

const mo_convex_engine mo_convex_apgd_engine = {
    .name = "apgd",
    .takes_bounded_slip = 1,
    .layout = layout,
    .solve = solve_accelerated,
};
