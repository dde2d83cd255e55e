/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * The augmented Lagrangian method in velocities: sweeps, then proximal points, each by semismooth
 * Newton (proximal.h).
 *
 * Slower but more robust than `newton`, since it does not depend on the initial guess of the
 * modes.  It starts from `newton.sweeps` sweeps.  An iteration is a sweep or a Newton step.
 *
 * Limits: size as for `newton`.  No proof of convergence with friction; ends as stalled if Newton's
 * method fails on the most strongly regularised problem.
 */
#include "solver/proximal.h"

#include <string.h>

/* Newton steps leave impulses slightly outside of their sets.  Who starts from them moves them in,
 * which may double the residual. */
static const double INSIDE = 0.25;

static mo_error layout(const mo_problem *problem, const mo_options *options, mo_arena *arena,
                       void **out)
{
    (void)options;
    mo_proximal *w = MO_HEAD(arena, mo_proximal);
    *out = w;
    return mo_proximal_layout(problem, arena, w);
}

/* Proximal points to a part of the tolerance, or to the tolerance if that is not reached. */
static mo_proximal_end follow(mo_run *run, mo_proximal *w, int *iteration)
{
    const mo_options *asked = run->options;
    mo_options closer = *asked;
    closer.tol *= INSIDE;
    run->options = &closer;
    const mo_proximal_end end = mo_proximal_run(run, w, MO_PROXIMAL_PATIENCE, iteration);
    run->options = asked;
    if (end == MO_PROXIMAL_SOLVED || !(run->best / run->q_scale <= asked->tol)) return end;
    memcpy(run->r, run->result->r, (size_t)run->problem->row_count * sizeof *run->r);
    return mo_run_measure(run, *iteration, run->r) ? MO_PROXIMAL_SOLVED : end;
}

static mo_status solve(mo_run *run, void *memory)
{
    mo_proximal *w = memory;
    mo_newton *newton = &w->newton;
    int iteration = 0;
    mo_proximal_begin(w);
    for (;; ++iteration) {
        if (iteration % 5 == 0 || iteration == run->options->newton.sweeps) {
            mo_newton_velocity(newton, run->r);
            if (mo_run_check(run, iteration, newton->u, run->r)) return MO_SOLVED;
        }
        if (mo_run_must_stop(run, iteration)) return run->status;
        if (iteration >= run->options->newton.sweeps) break;
        mo_newton_sweep(newton, run->r);
    }
    switch (follow(run, w, &iteration)) {
    case MO_PROXIMAL_SOLVED:
        return MO_SOLVED;
    case MO_PROXIMAL_MUST_STOP:
        return run->status;
    default:
        return mo_run_stall(run, "Newton's method failed on the most strongly regularised problem");
    }
}

const mo_method mo_aln_method = {
    .name = "aln",
    .summary = "augmented Lagrangian: proximal points, each by semismooth Newton; slow and robust",
    .paper = "acary2018",
    .laws = MO_NEWTON_LAWS,
    .layout = layout,
    .solve = solve,
};
