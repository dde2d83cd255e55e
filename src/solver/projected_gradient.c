/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
#include "solver/projected_gradient.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/parallel.h"
#include "linalg/dense.h"
#include "problem/views.h"

enum { TRIALS = 60, SUMS = 3 };
static const double RAISE = 2, LOWER = 0.95;

mo_error mo_projected_gradient_layout(const mo_problem *problem, mo_arena *arena,
                                      mo_projected_gradient *g)
{
    const size_t chunks = (size_t)mo_chunk_count(problem->constraint_count);
    *g = (mo_projected_gradient){.t = 1};
    MO_TAKE_EACH(arena, problem->row_count, double, &g->r_before, &g->u_before, &g->y, &g->u_y,
                 &g->step);
    g->scale = MO_TAKE(arena, problem->constraint_count, double);
    g->state = MO_TAKE(arena, problem->dof_count, double);
    g->sums = MO_TAKE(arena, SUMS * chunks, double);
    return mo_problem_sweep(problem, MO_SWEEP_NATURAL, &g->sweep);
}

void mo_projected_gradient_begin(mo_projected_gradient *gradient, int threads, int is_accelerated)
{
    gradient->threads = threads;
    gradient->is_accelerated = is_accelerated;
    gradient->L = 1;
    mo_convex_scales(gradient->sweep, gradient->scale);
    mo_projected_gradient_restart(gradient);
}

void mo_projected_gradient_restart(mo_projected_gradient *gradient)
{
    gradient->t = 1;
    gradient->has_before = 0;
}

void mo_projected_gradient_velocity(mo_projected_gradient *gradient, const double *r, double *u)
{
    const mo_sweep *sweep = gradient->sweep;
    mo_sweep_reset(sweep, gradient->threads, r, gradient->state);
    mo_sweep_all_velocities(sweep, gradient->threads,
                            mo_sweep_state_size(sweep) ? gradient->state : r, u);
}

/* ---- loops over blocks ----------------------------------------------------------------------- */

typedef struct loop {
    mo_projected_gradient *g;
    const mo_convex *convex;
    double beta;
    double *r, *u; /* of the iterate; the trial where one is made */
} loop;

static double weighted_scale(const loop *l, int i)
{
    return l->g->scale[i] + (l->convex->weight ? l->convex->weight[i] : 0);
}

/* y and its velocity. */
static void extrapolate(void *context, int begin, int end)
{
    const loop *l = context;
    mo_projected_gradient *g = l->g;
    const int *row = l->convex->problem->row_start;
    if (l->beta == 0) { /* there may be no previous iterate */
        const size_t bytes = (size_t)(row[end] - row[begin]) * sizeof(double);
        memcpy(g->y + row[begin], l->r + row[begin], bytes);
        memcpy(g->u_y + row[begin], l->u + row[begin], bytes);
        return;
    }
    for (int k = row[begin]; k < row[end]; ++k) {
        g->y[k] = l->r[k] + l->beta * (l->r[k] - g->r_before[k]);
        g->u_y[k] = l->u[k] + l->beta * (l->u[k] - g->u_before[k]);
    }
}

/* step = r+, the prox of y less its gradient. */
static void project(void *context, int begin, int end)
{
    const loop *l = context;
    const mo_projected_gradient *g = l->g;
    for (int i = begin; i < end; ++i) {
        const int row = l->convex->problem->row_start[i],
                  d = mo_constraint_dim(l->convex->problem, i);
        const double length = 1 / (g->L * weighted_scale(l, i));
        double a[MO_BILATERAL_MAX_DIM];
        mo_convex_velocity(l->convex, i, g->u_y + row, g->y + row, a);
        mo_along(d, g->y + row, -length, a, a);
        mo_convex_prox(l->convex, i, length, a, g->step + row);
    }
}

/* |d|_D^2, d.(a(r+) - a(y)), |r+|_D^2; l->u is the velocity of the step. */
static void measure_curvature(void *context, int begin, int end)
{
    const loop *l = context;
    const mo_projected_gradient *g = l->g;
    double *sums = g->sums + SUMS * (begin / MO_CHUNK);
    memset(sums, 0, SUMS * sizeof *sums);
    for (int i = begin; i < end; ++i) {
        const int row = l->convex->problem->row_start[i],
                  d = mo_constraint_dim(l->convex->problem, i);
        const double scale = weighted_scale(l, i);
        double here[MO_BILATERAL_MAX_DIM], there[MO_BILATERAL_MAX_DIM];
        mo_convex_velocity(l->convex, i, g->u_y + row, g->y + row, here);
        mo_convex_velocity(l->convex, i, l->u + row, g->step + row, there);
        for (int k = 0; k < d; ++k) {
            const double moved = g->step[row + k] - g->y[row + k];
            sums[0] += scale * moved * moved;
            sums[1] += moved * (there[k] - here[k]);
            sums[2] += scale * g->step[row + k] * g->step[row + k];
        }
    }
}

/* (y - r+).D(r+ - r); then r_before = r and r = r+. */
static void advance(void *context, int begin, int end)
{
    const loop *l = context;
    mo_projected_gradient *g = l->g;
    double *sums = g->sums + SUMS * (begin / MO_CHUNK);
    sums[0] = 0;
    for (int i = begin; i < end; ++i) {
        const double scale = weighted_scale(l, i);
        for (int k = l->convex->problem->row_start[i]; k < l->convex->problem->row_start[i + 1];
             ++k) {
            sums[0] += scale * (g->y[k] - g->step[k]) * (g->step[k] - l->r[k]);
            g->r_before[k] = l->r[k];
            l->r[k] = g->step[k];
        }
    }
}

static void run_loop(loop *l, mo_range_fn *fn)
{
    mo_parallel_for(l->g->threads, 0, l->convex->problem->constraint_count, fn, l);
}

static double total(const loop *l, int which)
{
    const int chunks = mo_chunk_count(l->convex->problem->constraint_count);
    double sum = 0;
    for (int k = 0; k < chunks; ++k) {
        sum += l->g->sums[SUMS * k + which];
    }
    return sum;
}

/* ---- one iteration --------------------------------------------------------------------------- */

/* r+ from y, with L raised until it bounds the curvature of the step; false if that fails. */
static int find_step(loop *l, double *u)
{
    mo_projected_gradient *g = l->g;
    loop trial = {g, l->convex, 0, NULL, u};
    for (int k = 0; k < TRIALS; ++k) {
        run_loop(l, project);
        mo_projected_gradient_velocity(g, g->step, u);
        run_loop(&trial, measure_curvature);
        const double moved = total(l, 0), curved = total(l, 1), size = total(l, 2);
        if (!isfinite(moved) || !isfinite(curved)) {
            return 0;
        }
        /* A step at rounding level contains no curvature. */
        if (curved <= g->L * moved || moved <= 1e4 * DBL_EPSILON * DBL_EPSILON * size) {
            return moved > 0;
        }
        g->L *= RAISE;
    }
    return 0;
}

static double momentum(mo_projected_gradient *g)
{
    if (!g->is_accelerated || !g->has_before) {
        return 0;
    }
    const double next = 0.5 * (1 + sqrt(1 + 4 * g->t * g->t)), beta = (g->t - 1) / next;
    g->t = next;
    return beta;
}

int mo_projected_gradient_step(mo_projected_gradient *g, const mo_convex *convex, double *r,
                               double *u)
{
    loop l = {g, convex, momentum(g), r, u};
    run_loop(&l, extrapolate);
    memcpy(g->u_before, u, (size_t)convex->problem->row_count * sizeof *u);
    if (!find_step(&l, u)) {
        memcpy(u, g->u_before, (size_t)convex->problem->row_count * sizeof *u);
        const int had_momentum = l.beta > 0;
        mo_projected_gradient_restart(g);
        return had_momentum; /* once more without */
    }
    run_loop(&l, advance);
    g->has_before = 1;
    if (total(&l, 0) > 0) {
        g->t = 1;
    }
    g->L *= LOWER;
    return 1;
}
