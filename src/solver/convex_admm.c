/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * The engine `admm` for convex contact problems (convex.h): alternating directions (admm_step.h)
 * with the shift frozen.  The factorisation and the penalty are kept from one problem to the next
 * while the weights stay away.
 */
#include <string.h>

#include "solver/admm_step.h"

enum { CHECK_EVERY = 5 };

typedef struct workspace {
    mo_admm admm;
    double *best_r, *v;
    int most;
    int has_begun, had_weight;
} workspace;

static mo_error layout(const mo_problem *problem, const mo_options *options, mo_arena *arena,
                       void **out)
{
    workspace *w = MO_HEAD(arena, workspace);
    *out = w;
    w->best_r = MO_TAKE(arena, problem->row_count, double);
    w->v = MO_TAKE(arena, problem->dof_count, double);
    w->most = options->acary_cadoux.inner;
    w->has_begun = w->had_weight = 0;
    return mo_admm_layout(problem, arena, &w->admm);
}

static void begin(mo_run *run, workspace *w, const mo_convex *convex, const double *r, double *u)
{
    if (!w->has_begun) {
        mo_admm_begin(&w->admm, run->options->admm.rho, w->v);
        w->has_begun = 1;
    }
    if (convex->weight || w->had_weight) {
        w->admm.is_factored = 0;
    }
    w->had_weight = convex->weight != NULL;
    mo_problem_response_into(convex->problem, r, w->v, u);
    mo_admm_start(&w->admm, convex, r, u);
}

static mo_convex_answer solve(mo_run *run, void *memory, const mo_convex *convex, double tol,
                              double *r, double *u)
{
    workspace *w = memory;
    mo_admm *admm = &w->admm;
    const size_t bytes = (size_t)convex->problem->row_count * sizeof *r;
    begin(run, w, convex, r, u);
    memcpy(w->best_r, r, bytes);
    double best = mo_convex_residual(convex, u, r);
    int iteration = 0, is_over = mo_run_is_over(run), moves = 1;
    while (best > tol && moves && iteration < w->most && !is_over) {
        moves = mo_admm_step(admm, convex) && (admm->primal > 0 || admm->dual > 0);
        ++iteration;
        if (iteration % CHECK_EVERY == 0 || iteration == w->most || !moves) {
            mo_problem_response_into(convex->problem, admm->z, w->v, u);
            const double residual = mo_convex_residual(convex, u, admm->z);
            if (residual < best) { /* false for NaN */
                best = residual;
                memcpy(w->best_r, admm->z, bytes);
            }
            is_over = mo_run_is_over(run);
            mo_admm_adapt(admm, residual);
        }
    }
    memcpy(r, w->best_r, bytes);
    mo_problem_response_into(convex->problem, r, w->v, u);
    return (mo_convex_answer){best, iteration, is_over};
}

const mo_convex_engine mo_convex_admm_engine = {
    .name = "admm",
    .takes_bounded_slip = 1,
    .layout = layout,
    .solve = solve,
};
