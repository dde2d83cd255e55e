/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
#include "solver/canonical.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/error.h"
#include "base/pace.h"
#include "measure/measure_blocks.h"
#include "problem/delassus.h"
#include "problem/dense_delassus.h"
#include "problem/problem_data.h"
#include "problem/views.h"
#include "solver/method.h"

static const double SIGMA = 1e-7, CONTACT_SIGMA = 1e-6; /* of the mean diagonal of W: (3) */
static const double DESCENT = 1e-4;                     /* of the slope, that a step must gain */
static const double SMOOTH = 1e-12; /* of theta: smaller gains are hidden by rounding */
static const double NEAR = 1e-16;   /* of theta: the matrix is not renewed any more */
static const double CLOSE = 1e-25;  /* of theta: r is right to twelve digits, one more step ... */
static const double QUICK = 0.1;    /* ... is taken only where each gains so much */
static const double STUCK = 1e-9;   /* of theta: no cone holds more of what is left */
static const double ENOUGH = 1e-30; /* of theta: r is right to rounding */
static const double SAME = 4;       /* of the tolerance: u may change by as much */
static const double LEAST_DAMPING = 1e-4, MOST_DAMPING = 1, LESS_DAMPING = 0.1;
enum { STEPS = 12, HALVINGS = 6 };

enum { FIXED = MO_CANONICAL_FIXED, RAY = MO_CANONICAL_RAY, FREE = MO_CANONICAL_FREE };

typedef struct canonical {
    const mo_problem *problem;
    mo_delassus system;
    uint8_t *kind;
    int is_still; /* no block slides */
    double sigma;
    double damping; /* part of the identity in J, where steps lead too far */
    double error;   /* square of the relative error of r, at y */
    double first;   /* square of |W r*| */
    double *weight; /* D, one a row */
    double *ray;    /* the direction of a block that slides */
    double *start;  /* r* */
    double *y, *dy, *trial;
    double *r, *u, *v; /* v is scratch */
} canonical;

static mo_error layout(const mo_problem *problem, mo_arena *arena, canonical *c)
{
    *c = (canonical){.problem = problem};
    c->kind = MO_TAKE(arena, problem->constraint_count, uint8_t);
    MO_TAKE_EACH(arena, problem->row_count, double, &c->weight, &c->ray, &c->start, &c->y, &c->dy,
                 &c->trial, &c->r, &c->u);
    c->v = MO_TAKE(arena, problem->dof_count, double);
    return mo_delassus_layout(problem, MO_SPACE_BEST, arena, &c->system);
}

/* D of block i; returns its mean of the diagonal of W. */
static double set_weights(const canonical *c, int i)
{
    const int row = c->problem->row_start[i], d = c->problem->row_start[i + 1] - row;
    const double *W = mo_sweep_diagonal(c->system.sweep, i);
    double mean = 0;
    for (int k = 0; k < d; ++k)
        mean += W[k * (d + 1)] / d;
    for (int k = 0; k < d; ++k) {
        const int is_joint = c->problem->law[i].kind == MO_LAW_BILATERAL && mean > 0;
        c->weight[row + k] = is_joint ? fmax(W[k * (d + 1)] / mean, SIGMA) : 1;
    }
    return mean;
}

/* Kinds, weights, and r*, which to rounding may lie outside its sets. */
static void begin(canonical *c, const mo_options *options, const mo_result *result)
{
    const mo_problem *problem = c->problem;
    double trace = 0;
    c->is_still = mo_canonical_kinds(problem, options, result, c->kind, c->ray);
    for (int i = 0; i < problem->constraint_count; ++i) {
        const int row = problem->row_start[i], d = problem->row_start[i + 1] - row;
        mo_pace_every(i + 1, 128);
        trace += set_weights(c, i);
        memcpy(c->start + row, result->r + row, (size_t)d * sizeof(double));
        if (c->kind[i] == FREE) {
            const mo_law_ops *law = mo_constraint_law(problem, i);
            law->project(mo_constraint_param(problem, i), d, result->r + row, c->start + row);
        }
    }
    c->sigma = (c->system.body ? SIGMA : CONTACT_SIGMA) * trace / (problem->constraint_count + 1);
}

/* ---- the dual -------------------------------------------------------------------------------- */

/* r of block i at y, and theta_i(y) - r*'y. */
static double evaluate_block(const canonical *c, int i, const double *y, double *r)
{
    const mo_problem *problem = c->problem;
    const int row = problem->row_start[i], d = problem->row_start[i + 1] - row;
    const double *ray = c->ray + row, *start = c->start + row, *D = c->weight + row;
    double sum = 0;
    if (c->kind[i] == FREE) {
        for (int k = 0; k < d; ++k)
            r[k] = y[k] / D[k];
        mo_constraint_law(problem, i)->project(mo_constraint_param(problem, i), d, r, r);
    } else {
        const double s = c->kind[i] == RAY ? fmax(0, mo_dot(d, ray, y) / mo_dot(d, ray, ray)) : 0;
        for (int k = 0; k < d; ++k)
            r[k] = c->kind[i] == RAY ? s * ray[k] : start[k];
    }
    for (int k = 0; k < d; ++k)
        sum += y[k] * (r[k] - start[k]) - 0.5 * D[k] * r[k] * r[k];
    return sum;
}

/* theta(y) - r*'y, and r at y. */
static double evaluate(const canonical *c, const double *y)
{
    const mo_problem *problem = c->problem;
    double sum = 0;
    for (int i = 0; i < problem->constraint_count; ++i)
        sum += evaluate_block(c, i, y + problem->row_start[i], c->r + problem->row_start[i]);
    return sum;
}

/* J / sigma of block i, into B; false where it is zero. */
static int differentiate(const canonical *c, int i, int is_first, double *B)
{
    const mo_problem *problem = c->problem;
    const int row = problem->row_start[i], d = problem->row_start[i + 1] - row;
    const double *ray = c->ray + row, *y = c->y + row, *D = c->weight + row;
    double x[MO_BILATERAL_MAX_DIM], size = 0;
    if (c->kind[i] == FIXED || (c->kind[i] == RAY && !is_first && !(mo_dot(d, ray, y) > 0)))
        return 0;
    for (int k = 0; k < d * d; ++k) {
        B[k] =
            c->kind[i] == RAY ? ray[k / d] * ray[k % d] / mo_dot(d, ray, ray) : (k % (d + 1) == 0);
    }
    if (c->kind[i] == FREE && !is_first) {
        for (int k = 0; k < d; ++k)
            x[k] = y[k] / D[k];
        mo_constraint_law(problem, i)->project_derivative(mo_constraint_param(problem, i), d, x, B);
    }
    for (int k = 0; k < d * d && c->kind[i] == FREE && c->damping > 0; ++k)
        B[k] = (1 - c->damping) * B[k] + c->damping * (k % (d + 1) == 0);
    for (int k = 0; k < d * d; ++k) {
        B[k] /= c->sigma * D[k % d];
        size += fabs(B[k]);
    }
    return size > 0;
}

/* Writes J of block i to the matrix; true if it has changed. */
static int renew_block(canonical *c, int i, int is_first)
{
    mo_delassus *s = &c->system;
    const int d = mo_constraint_dim(c->problem, i);
    const size_t bytes = (size_t)(d * d) * sizeof(double);
    double B[MO_BILATERAL_MAX_DIM * MO_BILATERAL_MAX_DIM], *old = s->B + s->start[i];
    const uint8_t active = (uint8_t)differentiate(c, i, is_first, B);
    const int is_same =
        !is_first && active == s->active[i] && (!active || memcmp(B, old, bytes) == 0);
    s->active[i] = active;
    if (active) memcpy(old, B, bytes);
    return !is_same;
}

/* The matrix of (3) at y, the first without cones; false where it is singular. */
static int factor(canonical *c, int is_first)
{
    const mo_problem *problem = c->problem;
    mo_delassus *s = &c->system;
    int is_new = is_first;
    for (int i = 0; i < problem->constraint_count; ++i)
        is_new |= renew_block(c, i, is_first);
    for (int i = 0; is_new && i < problem->constraint_count; ++i) {
        const int d = mo_constraint_dim(problem, i);
        for (int k = 0; k < d * d; ++k)
            s->D[s->start[i] + (size_t)k] = k % (d + 1) == 0;
    }
    return !is_new || mo_delassus_factor(s);
}

/* (3) in body space. */
static void step_of_bodies(canonical *c)
{
    for (int k = 0; k < c->problem->row_count; ++k)
        c->trial[k] = (c->start[k] - c->r[k]) / c->sigma;
    mo_delassus_solve(&c->system, c->trial);
    mo_delassus_response(&c->system, c->trial, c->dy);
}

/* (3) elsewhere, where what r* - r holds of the null space of W would drown the rest:
 *     W (sigma + J W)^-1 e = (g - W (sigma + J W)^-1 J g) / sigma,   g = W e */
static void step_of_contacts(canonical *c)
{
    const mo_problem *problem = c->problem;
    const mo_delassus *s = &c->system;
    mo_along(problem->row_count, c->start, -1, c->r, c->u);
    mo_delassus_response(s, c->u, c->dy);
    const double left = mo_dot(problem->row_count, c->dy, c->dy);
    c->first = mo_run_is_zero(c->y, problem->row_count) ? left : c->first;
    c->error = left / c->first;
    for (int i = 0; i < problem->constraint_count; ++i) {
        const int row = problem->row_start[i], d = problem->row_start[i + 1] - row;
        mo_pace_every(i + 1, 128);
        for (int k = 0; k < d; ++k) {
            c->trial[row + k] =
                s->active[i] ? mo_dot(d, s->B + s->start[i] + k * d, c->dy + row) : 0;
        }
    }
    mo_delassus_solve(s, c->trial);
    mo_delassus_response(s, c->trial, c->u);
    for (int k = 0; k < problem->row_count; ++k)
        c->dy[k] = (c->dy[k] - c->u[k]) / c->sigma;
}

/* dy at y, the slope of (2) along it, and the square of the error that is left. */
static double find_step(canonical *c, double value)
{
    double slope = 0;
    if (c->system.body)
        step_of_bodies(c);
    else
        step_of_contacts(c);
    for (int k = 0; k < c->problem->row_count; ++k)
        slope += (c->r[k] - c->start[k]) * c->dy[k];
    if (c->system.body) c->error = -slope / fabs(value);
    return slope;
}

/* y moves along dy; false where nothing is gained. */
static int take_step(canonical *c, double slope, double before)
{
    const int rows = c->problem->row_count;
    double t = 1;
    for (int k = 0; k <= HALVINGS; ++k, t *= 0.5) {
        mo_along(rows, c->y, t, c->dy, c->trial);
        if (evaluate(c, c->trial) <= before + DESCENT * t * slope || c->error <= SMOOTH) {
            memcpy(c->y, c->trial, (size_t)rows * sizeof(double));
            return 1;
        }
    }
    return 0;
}

/*
 * Where all blocks stick or are open, those that stick shall not move: r* makes a Newton step,
 * with the first matrix of (3), that takes their velocity away.
 */
static void correct_start(canonical *c, const double *u)
{
    const mo_problem *problem = c->problem;
    for (int i = 0; i < problem->constraint_count; ++i) {
        mo_pace_every(i + 1, 128);
        for (int k = problem->row_start[i]; k < problem->row_start[i + 1]; ++k)
            c->trial[k] = c->kind[i] == FREE ? -u[k] / (c->sigma * c->weight[k]) : 0;
    }
    mo_delassus_solve(&c->system, c->trial);
    mo_axpy(problem->row_count, 1, c->trial, c->start);
}

/* Is r as near to the solution of (1) as it will come? */
static int is_near(double error, double last)
{
    return error <= ENOUGH || (error <= CLOSE && error > QUICK * last) ||
           (error <= STUCK && error > 0.9 * last);
}

/* A step that gains nothing is taken again with more damping, one that does is followed by one with
 * less: false where there is no more. */
static int change_damping(canonical *c, int gains)
{
    const int is_last = !gains && c->damping >= MOST_DAMPING;
    c->damping = gains                        ? c->damping * LESS_DAMPING
                 : c->damping < LEAST_DAMPING ? LEAST_DAMPING
                                              : c->damping / LESS_DAMPING;
    c->damping = gains && c->damping < LEAST_DAMPING ? 0 : fmin(c->damping, MOST_DAMPING);
    return !is_last;
}

/* True where r is the solution of (1), or nearly so. */
static int minimise(canonical *c, const mo_result *result)
{
    double last = INFINITY;
    c->damping = 0;
    memset(c->y, 0, (size_t)c->problem->row_count * sizeof(double));
    for (int step = 0; step < STEPS; ++step) {
        if (last > NEAR && !factor(c, step == 0)) return 0;
        if (step == 0 && c->is_still) correct_start(c, result->u);
        const double value = evaluate(c, c->y), slope = find_step(c, value);
        if (step > 0 && c->damping == 0 && is_near(c->error, last)) return 1;
        const int gains = isfinite(slope) && take_step(c, step == 0 ? 0 : slope, value);
        MO_PASS(change_damping(c, gains));
        last = step == 0 || !gains || c->damping > 0 ? INFINITY : c->error;
    }
    return c->error <= NEAR;
}

/* ---- entry points ---------------------------------------------------------------------------- */

mo_error mo_canonical_accept(const mo_problem *problem, const mo_options *options, const double *r,
                             double *u, double *v, mo_result *result)
{
    mo_residual residual;
    double q_norm = 0;
    mo_problem_response_into(problem, r, v, u);
    const double change = mo_distance_square(problem->row_count, u, result->u);
    const mo_error error = mo_problem_q_norm(problem, &q_norm);
    mo_measure_at(problem, q_norm, u, r, &residual);
    const double scale =
        residual.natural_relative > 0 ? residual.natural / residual.natural_relative : 1;
    const double allowed = SAME * options->tol * scale;
    if (error || !(sqrt(change) <= allowed) || !(residual.natural_relative <= options->tol))
        return error;
    result->is_canonical = 1;
    result->residual = residual;
    memcpy(result->r, r, (size_t)problem->row_count * sizeof(double));
    memcpy(result->u, u, (size_t)problem->row_count * sizeof(double));
    if (problem->form == MO_FORM_GLOBAL)
        memcpy(result->v, v, (size_t)problem->dof_count * sizeof(double));
    return MO_OK;
}

/* *is_done: r has been made canonical, or cannot be. */
static mo_error run(canonical *c, const mo_options *options, int needs_rest, mo_result *result,
                    int *is_done)
{
    begin(c, options, result);
    *is_done = c->is_still || !needs_rest;
    return *is_done && minimise(c, result)
               ? mo_canonical_accept(c->problem, options, c->r, c->u, c->v, result)
               : MO_OK;
}

static mo_error canonical_of(const mo_problem *problem, const mo_options *options, int needs_rest,
                             mo_result *result, int *is_done)
{
    mo_arena arena = {0};
    canonical c;
    *is_done = 1;
    result->is_canonical = problem->row_count == 0;
    if (problem->row_count == 0) return MO_OK;
    if (mo_dense_fits(problem))
        return mo_canonical_dense(problem, options, needs_rest, result, is_done);
    MO_TRY(layout(problem, &arena, &c));
    void *memory = mo_arena_allocate(&arena, &problem->allocator);
    MO_NEED_MEMORY(memory, NULL);
    mo_error error = layout(problem, &arena, &c);
    error = error ? error : run(&c, options, needs_rest, result, is_done);
    mo_memory_free(&problem->allocator, memory);
    return error;
}

mo_error mo_canonical(const mo_problem *problem, const mo_options *options, mo_result *result)
{
    int is_done;
    return canonical_of(problem, options, 0, result, &is_done);
}

mo_error mo_canonical_at_rest(const mo_problem *problem, const mo_options *options,
                              mo_result *result, int *is_done)
{
    return canonical_of(problem, options, 1, result, is_done);
}
