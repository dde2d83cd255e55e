/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
#include "solver/convex_step.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "linalg/dense.h"

/* Limits: Newton steps; accuracy of a step; operations of a factorisation (about a minute). */
enum { NEWTON_MOST = 100 };
static const double ACCURACY = 1e-3, FLOPS_MOST = 1e11;

/* ---- memory ---------------------------------------------------------------------------------- */

static mo_error layout_system(const mo_problem *problem, mo_arena *arena, mo_convex_step *step)
{
    mo_space space;
    mo_error error = mo_delassus_choose(problem, &space, &step->flops);
    step->is_ready = !error && step->flops <= FLOPS_MOST;
    if (step->is_ready) error = mo_delassus_layout(problem, space, arena, &step->system);
    return error;
}

mo_error mo_convex_step_layout(const mo_problem *problem, mo_arena *arena, mo_convex_step *s)
{
    *s = (mo_convex_step){0};
    MO_TRY(mo_problem_sweep(problem, MO_SWEEP_NATURAL, &s->sweep));
    MO_TRY(layout_system(problem, arena, s));
    s->is_convex = problem->form == MO_FORM_GLOBAL && problem->is_symmetric;
    MO_TAKE_EACH(arena, problem->constraint_count, double, &s->scale, &s->soft);
    s->state = MO_TAKE(arena, problem->dof_count, double);
    MO_TAKE_EACH(arena, problem->row_count, double, &s->a, &s->argument, &s->dr, &s->c, &s->gap,
                 &s->du, &s->direction, &s->response, &s->trial_c, &s->trial_du);
    return MO_OK;
}

void mo_convex_step_begin(mo_convex_step *step)
{
    const mo_problem *problem = step->sweep->problem;
    mo_convex_scales(step->sweep, step->scale);
    for (int i = 0; i < problem->constraint_count; ++i) {
        step->soft[i] = 0;
        for (int row = problem->row_start[i];
             problem->compliance && row < problem->row_start[i + 1]; ++row)
            step->soft[i] = fmax(step->soft[i], problem->compliance[row]);
    }
}

/* ---- the gradient ---------------------------------------------------------------------------- */

static double kappa(const mo_convex_step *step, const mo_convex *convex, double rho, int i)
{
    return rho * step->scale[i] + step->soft[i] + (convex->weight ? convex->weight[i] : 0);
}

/* The norm of the gap: in the energy of the bodies, or of the rows of a reduced problem. */
static double gap_size(mo_convex_step *step)
{
    const mo_problem *problem = step->sweep->problem;
    if (problem->form == MO_FORM_REDUCED)
        return sqrt(mo_dot(problem->row_count, step->gap, step->gap));
    memset(step->state, 0, (size_t)problem->dof_count * sizeof *step->state);
    for (int i = 0; i < problem->constraint_count; ++i)
        mo_sweep_apply(step->sweep, i, step->gap + problem->row_start[i], step->state);
    return sqrt(mo_dot(problem->dof_count, step->state, step->state));
}

/* argument, dr and the gap c - dr, with du = W c; returns its size. */
static double evaluate(mo_convex_step *step, const mo_convex *convex, double rho, const double *r,
                       const double *c, const double *du)
{
    const mo_problem *problem = step->sweep->problem;
    double noise = 0;
    for (int i = 0; i < problem->constraint_count; ++i) {
        const int row = problem->row_start[i], d = problem->row_start[i + 1] - row;
        const double inverse = 1 / kappa(step, convex, rho, i);
        double *dr = step->dr + row;
        for (int k = row; k < row + d; ++k)
            step->argument[k] = r[k] - inverse * (step->a[k] + du[k]);
        const double rounded =
            mo_convex_prox_at(convex, i, inverse, r + row, step->a + row, du + row, dr);
        noise += step->scale[i] * rounded * rounded;
        for (int k = 0; k < d; ++k) {
            dr[k] -= r[row + k];
            step->gap[row + k] = c[row + k] - dr[k];
        }
    }
    step->noise = 2 * DBL_EPSILON * sqrt(noise);
    return gap_size(step);
}

/* ---- Newton's direction ---------------------------------------------------------------------- */

static double *block_of(const mo_convex_step *step, int i)
{
    return step->system.B + step->system.start[i];
}

/* D = 1, and which blocks have B = 0. */
static void close_block(mo_convex_step *step, int i, int d)
{
    const double *B = block_of(step, i);
    double *D = step->system.D + step->system.start[i];
    step->system.active[i] = mo_dot(d * d, B, B) > 0;
    for (int k = 0; k < d * d; ++k)
        D[k] = k % (d + 1) == 0;
}

/* B = J / kappa of every block at its argument. */
static void set_blocks(mo_convex_step *step, const mo_convex *convex, double rho)
{
    const mo_problem *problem = step->sweep->problem;
    for (int i = 0; i < problem->constraint_count; ++i) {
        const int row = problem->row_start[i], d = problem->row_start[i + 1] - row;
        const double inverse = 1 / kappa(step, convex, rho, i);
        double *B = block_of(step, i);
        mo_convex_prox_derivative(convex, i, inverse, step->argument + row, B);
        mo_scale(d * d, inverse, B);
        close_block(step, i, d);
    }
}

/* direction = (1 + B W)^-1 direction, and response = W direction; false on failure. */
static int solve_direction(mo_convex_step *step)
{
    const int rows = step->sweep->problem->row_count;
    mo_delassus_solve(&step->system, step->direction);
    mo_delassus_response(&step->system, step->direction, step->response);
    return isfinite(mo_dot(rows, step->direction, step->direction)) != 0;
}

static int find_direction(mo_convex_step *step, const mo_convex *convex, double rho)
{
    set_blocks(step, convex, rho);
    for (int k = 0; k < convex->problem->row_count; ++k)
        step->direction[k] = -step->gap[k];
    return mo_delassus_factor(&step->system) && solve_direction(step);
}

/* ---- line search ----------------------------------------------------------------------------- */

static double try_length(mo_convex_step *step, const mo_convex *convex, double rho, const double *r,
                         double t)
{
    for (int k = 0; k < convex->problem->row_count; ++k) {
        step->trial_c[k] = step->c[k] + t * step->direction[k];
        step->trial_du[k] = step->du[k] + t * step->response[k];
    }
    return evaluate(step, convex, rho, r, step->trial_c, step->trial_du);
}

/*
 * Symmetric masses.  Along the direction the function is convex and its slope is known: the length
 * is found where that slope is between -0.9 of the first one and a tenth of it, by false position
 * with bisection.  Slopes, unlike values, can be distinguished down to rounding.
 */
static double search_slope(mo_convex_step *step, const mo_convex *convex, double rho,
                           const double *r)
{
    const int n = convex->problem->row_count;
    const double first = mo_dot(n, step->gap, step->response);
    double low = 0, at_low = first, high = 1, size = try_length(step, convex, rho, r, 1);
    double slope = mo_dot(n, step->gap, step->response), at_high = slope;
    if (!(first < 0)) return size; /* rounding: nothing to search */
    for (int round = 0; round < 25 && slope > -0.1 * first; ++round) {
        const double part = round % 3 == 2 ? 0.5 : -at_low / (at_high - at_low);
        const double t = low + fmin(0.99, fmax(0.01, part)) * (high - low);
        size = try_length(step, convex, rho, r, t);
        slope = mo_dot(n, step->gap, step->response);
        if (slope > 0) {
            high = t;
            at_high = slope;
        } else if (slope < 0.9 * first) {
            low = t;
            at_low = slope;
            slope = INFINITY; /* too short: continue */
        }
    }
    return size;
}

/* The other cases: halving until the gap is smaller. */
static double search_size(mo_convex_step *step, const mo_convex *convex, double rho,
                          const double *r, double before)
{
    double size = INFINITY;
    for (double t = 1; t > 1e-4; t *= 0.5) {
        size = try_length(step, convex, rho, r, t);
        if (size <= (1 - 0.1 * t) * before) break;
    }
    return size;
}

/* ---- the step -------------------------------------------------------------------------------- */

static void set_base(mo_convex_step *step, const mo_convex *convex, const double *u,
                     const double *r)
{
    const mo_problem *problem = step->sweep->problem;
    const size_t bytes = (size_t)problem->row_count * sizeof(double);
    for (int i = 0; i < problem->constraint_count; ++i) {
        const int row = problem->row_start[i];
        mo_convex_velocity(convex, i, u + row, r + row, step->a + row);
    }
    memset(step->c, 0, bytes);
    memset(step->du, 0, bytes);
}

/* The size of c, in the norm of the gap. */
static double change_size(const mo_convex_step *step)
{
    const mo_problem *problem = step->sweep->problem;
    const int n = problem->row_count, is_global = problem->form == MO_FORM_GLOBAL;
    return sqrt(fmax(0, mo_dot(n, step->c, is_global ? step->du : step->c)));
}

int mo_convex_step_take(mo_convex_step *step, const mo_convex *convex, double rho, const double *u,
                        double *r)
{
    const size_t bytes = (size_t)convex->problem->row_count * sizeof(double);
    set_base(step, convex, u, r);
    double size = evaluate(step, convex, rho, r, step->c, step->du);
    int taken = 0;
    while (size > fmax(step->noise, ACCURACY * change_size(step))) {
        if (taken++ == NEWTON_MOST || !find_direction(step, convex, rho)) return -1;
        const double before = size;
        size = step->is_convex ? search_slope(step, convex, rho, r)
                               : search_size(step, convex, rho, r, size);
        if (!step->is_convex && !(size < before)) return -1;
        memcpy(step->c, step->trial_c, bytes);
        memcpy(step->du, step->trial_du, bytes);
    }
    mo_axpy(convex->problem->row_count, 1, step->dr, r);
    return taken;
}

/* ---- the last digits ------------------------------------------------------------------------- */

/*
 * With tau = 1 / (look scale), z = r - prox_tau(r - tau a) and J its derivative there, Newton's
 * equation for z = 0 is
 *
 *     (1 - J) dr + tau J (W + sigma) dr = -z,   sigma = rho scale + compliance + weight
 *
 * or, with E = 1 - J + tau sigma J and B = tau E^-1 J, as in a step: (1 + B W) dr = -E^-1 z.
 * No term is divided by a small rho.
 */
static void set_polish_block(mo_convex_step *step, const mo_convex *convex, double rho, double look,
                             int i, const double *r)
{
    const mo_problem *problem = step->sweep->problem;
    const int row = problem->row_start[i], d = problem->row_start[i + 1] - row;
    const double tau = 1 / (look * step->scale[i]), sigma = kappa(step, convex, rho, i);
    double E[MO_BILATERAL_MAX_DIM * MO_BILATERAL_MAX_DIM],
        J[MO_BILATERAL_MAX_DIM * MO_BILATERAL_MAX_DIM];
    double *B = block_of(step, i), *z = step->direction + row, *argument = step->argument + row;
    mo_along(d, r + row, -tau, step->a + row, argument);
    mo_convex_prox(convex, i, tau, argument, z);
    mo_convex_prox_derivative(convex, i, tau, argument, J);
    for (int k = 0; k < d * d; ++k) {
        E[k] = (k % (d + 1) == 0) - (1 - tau * sigma) * J[k];
        B[k] = tau * J[k];
    }
    for (int k = 0; k < d; ++k)
        z[k] -= r[row + k];
    mo_factor_symmetric(d, E);
    mo_solve_factored(d, E, z);
    for (int k = 0; k < d; ++k) /* J is symmetric: its rows are its columns */
        mo_solve_factored(d, E, B + k * d);
    close_block(step, i, d);
}

int mo_convex_step_polish(mo_convex_step *step, const mo_convex *convex, double rho, double look,
                          const double *u, double *r)
{
    const mo_problem *problem = step->sweep->problem;
    set_base(step, convex, u, r);
    for (int i = 0; i < problem->constraint_count; ++i)
        set_polish_block(step, convex, rho, look, i, r);
    if (!mo_delassus_factor(&step->system) || !solve_direction(step)) return 0;
    for (int i = 0; i < problem->constraint_count; ++i) {
        const int row = problem->row_start[i], d = problem->row_start[i + 1] - row;
        double new_r[MO_BILATERAL_MAX_DIM];
        for (int k = 0; k < d; ++k)
            new_r[k] = r[row + k] + step->direction[row + k];
        mo_convex_prox(convex, i, 0, new_r, r + row); /* project back into the set */
    }
    return 1;
}

/* ---- the derivative -------------------------------------------------------------------------- */

int mo_convex_step_linearise(mo_convex_step *step, const mo_convex *convex, const double *u,
                             const double *r)
{
    set_base(step, convex, u, r);
    evaluate(step, convex, 0, r, step->c, step->du);
    return find_direction(step, convex, 0);
}

/* dr = -B (W dr + ds e_N): the matrix of Newton's step, with -B e_N ds on the right. */
void mo_convex_step_respond(mo_convex_step *step, const double *ds, double *du)
{
    const mo_problem *problem = step->sweep->problem;
    for (int i = 0; i < problem->constraint_count; ++i) {
        const int row = problem->row_start[i], d = problem->row_start[i + 1] - row;
        for (int k = 0; k < d; ++k)
            step->direction[row + k] = -block_of(step, i)[k * d] * ds[i];
    }
    solve_direction(step);
    for (int k = 0; k < problem->row_count; ++k) {
        const double soft = problem->compliance ? problem->compliance[k] : 0;
        du[k] = step->response[k] + soft * step->direction[k];
    }
}
