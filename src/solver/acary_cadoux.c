/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * The cone problem as a fixed point over convex programs [acary2011]; see
 * docs/methods/acary-cadoux.md.
 *
 * With s frozen, Coulomb's law (K* contains u + mu s e_N, perpendicular to r in K) is a convex
 * problem in v (3.15) with the dual (4.7) in r.  Its velocity defines F(s) = |u_T(s)| (3.19), whose
 * fixed points are the solutions (Theorem 3.3).
 *
 *   1. s = 0, or the sliding speed of the starting point
 *   2. the convex problem (3.15)/(4.7) with s, by an engine                    acary-cadoux.engine
 *   3. F(s) from its velocity; measure.  Optional rule (6.1): |F(s) - s| / (n (|s| + 1)) <= epsilon
 *   4. the next s, from s and F(s)                                             acary-cadoux.outer
 *
 * The paper writes M v + f = H' r; s of convex.h is its mu s.
 * Limits: F is a contraction for small friction; otherwise shift_rescue.c is the fallback.
 */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "solver/shift_outer.h"

enum { OUTER_SUCCESSIVE, OUTER_ANDERSON, OUTER_NEWTON };

const mo_convex_engine *const mo_convex_engines[] = {
    &mo_convex_newton_engine, &mo_convex_gradient_engine, &mo_convex_apgd_engine,
    &mo_convex_facets_engine, &mo_convex_interior_engine, &mo_convex_admm_engine};
const int mo_convex_engine_count = sizeof mo_convex_engines / sizeof mo_convex_engines[0];

typedef struct workspace {
    mo_shift_loop loop;
    mo_shift_anderson anderson;
    mo_shift_newton newton;
} workspace;

static mo_error layout(const mo_problem *problem, const mo_options *options, mo_arena *arena,
                       void **out)
{
    workspace *w = MO_HEAD(arena, workspace);
    const mo_convex_engine *engine = mo_convex_engines[options->acary_cadoux.engine];
    const int outer = options->acary_cadoux.outer;
    *out = w;
    MO_TRY(mo_shift_loop_layout(engine, problem, options, arena, &w->loop));
    if (outer == OUTER_ANDERSON) {
        mo_shift_anderson_layout(problem->constraint_count, options->acary_cadoux.memory, arena,
                                 &w->anderson);
    }
    return outer == OUTER_NEWTON ? mo_shift_newton_layout(problem, arena, &w->newton) : MO_OK;
}

/* The left side of (6.1); s here is mu times the paper's, and so is its image. */
static double stopping_value(const mo_problem *problem, const mo_shift_loop *loop)
{
    const int n = problem->constraint_count;
    double moved = 0, size = 0;
    for (int i = 0; i < n; ++i) {
        const double *p = mo_constraint_param(problem, i);
        /* 1 / mu where the law has a coefficient first; rolling adds two discs, and stays in units
         * of the shift. */
        const int is_cone = problem->law[i].kind == MO_LAW_COULOMB && p[0] > 0 && isfinite(p[0]);
        const double unit = is_cone ? 1 / p[0] : 1;
        moved += pow(unit * (loop->image[i] - loop->s[i]), 2);
        size += pow(unit * loop->s[i], 2);
    }
    return sqrt(moved) / (n * (sqrt(size) + 1));
}

static mo_shift_end next(mo_run *run, mo_shift_loop *loop, void *context)
{
    workspace *w = context;
    const double epsilon = run->options->acary_cadoux.epsilon;
    if (epsilon > 0 && stopping_value(run->problem, loop) <= epsilon) {
        mo_run_stall(run,
                     "the sliding speeds have settled to %.1e by the rule (6.1) of the paper; the "
                     "residual is that of this point",
                     epsilon);
        return MO_SHIFT_STUCK;
    }
    switch (run->options->acary_cadoux.outer) {
    case OUTER_ANDERSON:
        return mo_shift_anderson_next(run, loop, &w->anderson);
    case OUTER_NEWTON:
        return mo_shift_newton_next(run, loop, &w->newton);
    default:
        memcpy(loop->s, loop->image, (size_t)run->problem->constraint_count * sizeof(double));
        return MO_SHIFT_GOES_ON;
    }
}

static mo_status solve(mo_run *run, void *memory)
{
    workspace *w = memory;
    const int outer = run->options->acary_cadoux.outer;
    const mo_shift_rules rules = {.map = MO_SHIFT_ONE,
                                  .rescue = run->options->acary_cadoux.rescue,
                                  .forcing = run->options->acary_cadoux.forcing,
                                  .next = next,
                                  .context = w};
    if (outer == OUTER_ANDERSON) {
        mo_shift_anderson_begin(&w->anderson);
    } else if (outer == OUTER_NEWTON) {
        mo_shift_newton_begin(&w->newton);
    }
    return mo_shift_loop_run(run, &w->loop, &rules);
}

const mo_method mo_acary_cadoux_method = {
    .name = "acary-cadoux",
    .summary = "fixed point on the sliding speed; choice of convex engine and outer algorithm",
    .paper = "acary2011",
    .uses_blas = 1,
    .laws = MO_CONVEX_LAWS,
    .layout = layout,
    .solve = solve,
};
