/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * The alternating direction method of multipliers for the full law.
 *
 * Steps as in admm_step.h.  The shift s of the normal velocity is computed from lambda, the
 * velocity estimate, before each iteration, so a fixed point satisfies Coulomb's law and not a
 * relaxed one [carpentier2024], [acary2018]:
 *
 *   1. s = mu |lambda_T|                                   the shift of de Saxce and Feng
 *   2. r from the dynamics, z from the laws, lambda        (admm_step.h)
 *   3. adapt rho if primal and dual residual differ
 *   4. measure z
 *
 * The matrix is factored again only if rho changes.
 *
 * Limits: linear convergence, slow below 1e-6.  The map is not monotone since s follows lambda;
 * there is no proof for large friction.  The best iterate is kept.
 */

#include "measure/measure_blocks.h"
#include "solver/admm_step.h"

/* The residual is checked after this many iterations, and after each of the first EAGER. */
enum { CHECK_EVERY = 5, EAGER = 10 };

typedef struct workspace {
    mo_admm admm;
    double *s;
} workspace;

static mo_error layout(const mo_problem *problem, const mo_options *options, mo_arena *arena,
                       void **out)
{
    (void)options;
    workspace *w = MO_HEAD(arena, workspace);
    *out = w;
    w->s = MO_TAKE(arena, problem->constraint_count, double);
    return mo_admm_layout(problem, arena, &w->admm);
}

static mo_status solve(mo_run *run, void *memory)
{
    workspace *w = memory;
    mo_admm *admm = &w->admm;
    const mo_convex convex = {.problem = run->problem, .kind = MO_CONVEX_SHIFTED, .s = w->s};
    if (mo_run_ends_at_start(run, run->result->v)) {
        return run->status;
    }
    mo_admm_begin(admm, run->options->admm.rho, run->result->v);
    mo_convex_shifts(run->problem, run->u, run->r, w->s);
    mo_admm_start(admm, &convex, run->r, run->u);
    for (int iteration = 1;; ++iteration) {
        mo_admm_shifts(admm, w->s);
        if (!mo_admm_step(admm, &convex)) {
            return mo_run_stall(
                run, "the matrix of the dynamics cannot be factored, or the numbers overflow");
        }
        if (iteration % CHECK_EVERY == 0 || iteration <= EAGER ||
            iteration == run->options->max_iter) {
            mo_problem_response_into(run->problem, admm->z, run->result->v, run->u);
            if (mo_run_check(run, iteration, run->u, admm->z)) {
                return MO_SOLVED;
            }
            if (run->options->admm.adapt) {
                mo_admm_adapt(admm, mo_natural_norm(run->problem, run->options->threads, run->u,
                                                    admm->z, run->partial));
            }
        }
        if (mo_run_must_stop(run, iteration)) {
            return run->status;
        }
        if (admm->primal == 0 && admm->dual == 0) {
            return mo_run_stall(run, "the iteration stagnated with a residual above tol");
        }
    }
}

const mo_method mo_admm_method = {
    .name = "admm",
    .summary = "alternating direction method of multipliers with one factorisation",
    .paper = "boyd2011",
    .laws = MO_CONVEX_LAWS,
    .layout = layout,
    .solve = solve,
};
