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
#include "linalg/anderson.h"
#include "linalg/dense.h"
#include "problem/delassus.h"
#include "solver/shift_loop.h"

typedef struct shift_anderson {
    mo_anderson memory;
    int is_mixed; /* the current s is a mixture */
} shift_anderson;

typedef struct shift_newton {
    mo_delassus system;
    double *scale;    /* one a constraint */
    double *dr;       /* rows */
    double *fallback; /* F at the base */
    double size, t;   /* |F(s) - s| at the base; step taken */
    int has_begun;
} shift_newton;

/* ---- Anderson -------------------------------------------------------------------------------- */

/*
 * Anderson acceleration (anderson.h) of s = F(s), with a safeguard: a combination with a larger
 * |F(s) - s| than its predecessor is rejected, s becomes the image of the predecessor as without
 * acceleration, and the memory is cleared.  At worst, every second round is one of successive
 * approximations.
 *
 * Limits: F has kinks where contacts start to slide or open, across which the memory does not help.
 */
static void shift_anderson_begin(shift_anderson *a)
{
    mo_anderson_clear(&a->memory);
    a->is_mixed = 0;
}

static mo_shift_end shift_anderson_next(mo_run *run, mo_shift_loop *loop, void *context)
{
    shift_anderson *a = context;
    mo_anderson *memory = &a->memory;
    const int n = run->problem->constraint_count;
    if (a->is_mixed && !(mo_anderson_distance(memory, loop->s, loop->image) <= memory->size)) {
        for (int i = 0; i < n; ++i)
            loop->s[i] = memory->x[i] + memory->f[i];
        shift_anderson_begin(a);
        return MO_SHIFT_GOES_ON;
    }
    mo_anderson_push(memory, loop->s, loop->image);
    mo_anderson_mix(memory, loop->s);
    for (int i = 0; i < n; ++i)
        loop->s[i] = loop->s[i] > 0 ? loop->s[i] : 0; /* also for NaN */
    a->is_mixed = memory->count > 0;
    return MO_SHIFT_GOES_ON;
}

/* ---- Newton's method ------------------------------------------------------------------------- */

/*
 * Newton's method on s = F(s), stabilised by least squares [acary2011, section 6].
 *
 *   1. (I - F'(s)) ds = F(s) - s, by GMRES
 *   2. the first t of 1, 1/2, 1/4, ... with |F(s + t ds) - (s + t ds)| <= (1 - t / 10) |F(s) - s|;
 *      each trial is one round
 *   3. where t becomes too small: s = F(s), one round of successive approximations, then 1 again
 *
 * F'(s) x is the answer of the convex problem to a change x of its shift.  At its solution r =
 * proj(r - tau (u + s e_N)), with J the derivative of the projection there and C the compliance,
 *
 *     (1 - (1 - eps) J + tau J C + tau J W) dr = -tau J e_N x,      du = W dr + C dr,
 *     F' x = mu u_T.du_T / |u_T|
 *
 * for the cone.  eps makes the matrix regular where W is not.
 * Limits: F' jumps where contacts begin to slide or open, so no rate is guaranteed.
 */
static const double EPS = 1e-6;
static const double SHORTEST = 0.1; /* t */
static const double DESCENT = 0.1;

static mo_error shift_newton_layout(const mo_problem *problem, mo_arena *arena,
                                    shift_newton *newton)
{
    MO_TAKE_EACH(arena, problem->constraint_count, double, &newton->scale, &newton->fallback);
    newton->dr = MO_TAKE(arena, problem->row_count, double);
    newton->has_begun = 0;
    return mo_delassus_layout(problem, MO_SPACE_BEST, arena, &newton->system);
}

static void shift_newton_begin(shift_newton *newton)
{
    if (!newton->has_begun) {
        memset(newton->system.active, 1, (size_t)newton->system.problem->constraint_count);
        mo_convex_scales(newton->system.sweep, newton->scale);
        newton->has_begun = 1;
    }
    newton->size = INFINITY;
    newton->t = 1;
}

/* ---- the derivative -------------------------------------------------------------------------- */

/* E = 1 - (1 - eps) J + tau J C and G = tau J of every block. */
static int linearise(mo_run *run, const mo_shift_loop *loop, shift_newton *newton)
{
    const mo_problem *problem = run->problem;
    const mo_convex convex = {.problem = problem, .kind = MO_CONVEX_SHIFTED, .s = loop->s};
    for (int i = 0; i < problem->constraint_count; ++i) {
        const int row = problem->row_start[i], d = problem->row_start[i + 1] - row;
        const double tau = 1 / newton->scale[i];
        double x[MO_BILATERAL_MAX_DIM], J[MO_BILATERAL_MAX_DIM * MO_BILATERAL_MAX_DIM];
        double *E = newton->system.D + newton->system.start[i],
               *G = newton->system.B + newton->system.start[i];
        mo_convex_velocity(&convex, i, run->u + row, run->r + row, x);
        mo_along(d, run->r + row, -tau, x, x);
        mo_convex_prox_derivative(&convex, i, tau, x, J);
        for (int k = 0; k < d * d; ++k) {
            const double soft = problem->compliance ? problem->compliance[row + k % d] : 0;
            G[k] = tau * J[k];
            E[k] = (k % (d + 1) == 0) - (1 - EPS) * J[k] + G[k] * soft;
        }
    }
    return mo_delassus_factor(&newton->system);
}

/* The change of u + compliance r for a change of s. */
static void respond(void *context, const double *ds, double *du)
{
    shift_newton *newton = context;
    const mo_problem *problem = newton->system.problem;
    double *dr = newton->dr;
    for (int i = 0; i < problem->constraint_count; ++i) {
        const int row = problem->row_start[i], d = problem->row_start[i + 1] - row;
        const double *G = newton->system.B + newton->system.start[i];
        for (int k = 0; k < d; ++k)
            dr[row + k] = -G[k * d] * ds[i];
    }
    mo_delassus_solve(&newton->system, dr);
    mo_delassus_response(&newton->system, dr, du);
    for (int k = 0; problem->compliance && k < problem->row_count; ++k)
        du[k] += problem->compliance[k] * dr[k];
}

/* ---- the search ------------------------------------------------------------------------------ */

static mo_shift_end shift_newton_next(mo_run *run, mo_shift_loop *loop, void *context)
{
    shift_newton *newton = context;
    const int n = run->problem->constraint_count;
    const double size = mo_shift_distance(n, loop->image, loop->s);
    if (size <= (1 - DESCENT * newton->t) * newton->size) {
        memcpy(newton->fallback, loop->image, (size_t)n * sizeof(double));
        mo_shift_direction(run, loop, linearise(run, loop, newton) ? respond : NULL, newton);
        newton->size = size;
        newton->t = 1;
    } else if (0.5 * newton->t < SHORTEST) {
        memcpy(loop->s, newton->fallback, (size_t)n * sizeof(double));
        newton->size = INFINITY;
        newton->t = 1;
        return MO_SHIFT_GOES_ON;
    } else {
        newton->t *= 0.5;
    }
    mo_shift_place(run, loop, newton->t);
    return MO_SHIFT_GOES_ON;
}

/* ---- the method ------------------------------------------------------------------------------ */

enum { OUTER_SUCCESSIVE, OUTER_ANDERSON, OUTER_NEWTON };

const mo_convex_engine *const mo_convex_engines[] = {
    &mo_convex_newton_engine, &mo_convex_gradient_engine, &mo_convex_apgd_engine,
    &mo_convex_facets_engine, &mo_convex_interior_engine, &mo_convex_admm_engine};
const int mo_convex_engine_count = sizeof mo_convex_engines / sizeof mo_convex_engines[0];

typedef struct workspace {
    mo_shift_loop loop;
    shift_anderson anderson;
    shift_newton newton;
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
        mo_anderson_layout(arena, problem->constraint_count, options->acary_cadoux.memory,
                           &w->anderson.memory);
    }
    return outer == OUTER_NEWTON ? shift_newton_layout(problem, arena, &w->newton) : MO_OK;
}

/* The left side of (6.1); s here is mu times the paper's, and so is its image. */
static double stopping_value(const mo_problem *problem, const mo_shift_loop *loop)
{
    const int n = problem->constraint_count;
    double moved = 0, size = 0;
    for (int i = 0; i < n; ++i) {
        const double *p = mo_constraint_param(problem, i);
        /* 1 / mu for a cone; rolling adds two discs, and stays in units of the shift */
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
        return shift_anderson_next(run, loop, &w->anderson);
    case OUTER_NEWTON:
        return shift_newton_next(run, loop, &w->newton);
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
    if (outer == OUTER_ANDERSON)
        shift_anderson_begin(&w->anderson);
    else if (outer == OUTER_NEWTON)
        shift_newton_begin(&w->newton);
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
