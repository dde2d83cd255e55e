/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
#include "solver/convex_step.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Newton steps at most; relative accuracy of dx; dense matrices up to this size; numbers of a sparse factor. */
enum { NEWTON_MOST = 100, DENSE_MOST = 2500 };
static const double ACCURACY = 1e-3, VALUES_MOST = 1e8;

/* LAPACK, column-major. */
void dgesv_(const int *n, const int *nrhs, double *A, const int *lda, int *ipiv, double *b,
            const int *ldb, int *info);

/* ---- room ------------------------------------------------------------------------------------ */

static mo_error layout_matrix(const mo_problem *problem, mo_arena *arena, mo_convex_step *step)
{
    const int is_global = problem->form == MO_FORM_GLOBAL;
    step->unknowns = is_global ? problem->dof_count : problem->row_count;
    const double n = step->unknowns;
    if (is_global && problem->is_symmetric) {
        const mo_error error = mo_problem_kkt(problem, &step->kkt);
        if (error) {
            return error;
        }
        const mo_block_plan *plan = step->kkt->plan;
        step->is_ready = (double)plan->value_count <= VALUES_MOST;
        step->flops = plan->flops;
        step->matrix = MO_TAKE(arena, step->is_ready ? plan->value_count : 0, double);
        step->ints = MO_TAKE(arena, mo_block_ints(plan), int);
        return MO_OK;
    }
    step->is_ready = step->unknowns <= DENSE_MOST;
    step->flops = n * n * n / 1.5;
    step->matrix = MO_TAKE(
        arena, step->is_ready ? (size_t)step->unknowns * (size_t)step->unknowns : 0, double);
    step->ints = MO_TAKE(arena, step->unknowns, int);
    return MO_OK;
}

mo_error mo_convex_step_layout(const mo_problem *problem, mo_arena *arena, mo_convex_step *step)
{
    mo_convex_step own = {0};
    mo_error error = mo_problem_sweep(problem, MO_SWEEP_NATURAL, &own.sweep);
    error = error ? error : layout_matrix(problem, arena, &own);
    if (error) {
        return error;
    }
    own.scale = MO_TAKE(arena, problem->constraint_count, double);
    own.block_start = MO_TAKE(arena, problem->constraint_count, size_t);
    own.blocks = MO_TAKE(arena, mo_square_starts(problem, own.block_start), double);
    own.soft = MO_TAKE(arena, problem->constraint_count, double);
    double **const rows[] = {&own.a, &own.argument, &own.dr};
    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; ++k) {
        *rows[k] = MO_TAKE(arena, problem->row_count, double);
    }
    double **const unknowns[] = {&own.dx, &own.trial, &own.gradient, &own.direction};
    for (size_t k = 0; k < sizeof unknowns / sizeof unknowns[0]; ++k) {
        *unknowns[k] = MO_TAKE(arena, own.unknowns, double);
    }
    if (step) {
        *step = own;
    }
    return MO_OK;
}

void mo_convex_step_begin(mo_convex_step *step)
{
    const mo_problem *problem = step->sweep->problem;
    mo_convex_scales(step->sweep, step->scale);
    for (int i = 0; i < problem->constraint_count; ++i) {
        step->soft[i] = 0;
        for (int row = problem->row_start[i];
             problem->compliance && row < problem->row_start[i + 1]; ++row) {
            step->soft[i] = fmax(step->soft[i], problem->compliance[row]);
        }
    }
}

/* ---- the gradient ---------------------------------------------------------------------------- */

static double kappa(const mo_convex_step *step, const mo_convex *convex, double rho, int i)
{
    return rho * step->scale[i] + step->soft[i] + (convex->weight ? convex->weight[i] : 0);
}

/* du = P dx of constraint i (the natural order makes its position i). */
static void read_change(const mo_convex_step *step, int i, const double *dx, double *du)
{
    const mo_problem *problem = step->sweep->problem;
    const int is_global = problem->form == MO_FORM_GLOBAL, d = mo_constraint_dim(problem, i);
    const int *start = is_global ? problem->body_start : problem->row_start;
    const double *block =
        is_global ? mo_sweep_pull(step->sweep, i) : problem->values + problem->value_start[i];
    memset(du, 0, (size_t)d * sizeof *du);
    for (int k = problem->block_start[i]; k < problem->block_start[i + 1]; ++k) {
        const int from = start[problem->block_index[k]],
                  n = start[problem->block_index[k] + 1] - from;
        for (int j = 0; j < d; ++j, block += n) {
            du[j] += mo_dot(n, block, dx + from);
        }
    }
}

/* argument, dr and the gradient dx - P' dr at dx; returns its norm. */
static double evaluate(mo_convex_step *step, const mo_convex *convex, double rho, const double *r,
                       const double *dx)
{
    const mo_problem *problem = step->sweep->problem;
    const int is_global = problem->form == MO_FORM_GLOBAL;
    double *gradient = step->gradient, noise = 0;
    memset(gradient, 0, (size_t)step->unknowns * sizeof *gradient);
    for (int i = 0; i < problem->constraint_count; ++i) {
        const int row = problem->row_start[i], d = problem->row_start[i + 1] - row;
        const double inverse = 1 / kappa(step, convex, rho, i);
        double du[MO_BILATERAL_MAX_DIM], *argument = step->argument + row, *dr = step->dr + row;
        read_change(step, i, dx, du);
        for (int k = 0; k < d; ++k) {
            argument[k] = r[row + k] - inverse * (step->a[row + k] + du[k]);
        }
        const double rounded =
            mo_convex_prox_at(convex, i, inverse, r + row, step->a + row, du, dr);
        noise += step->scale[i] * rounded * rounded;
        for (int k = 0; k < d; ++k) {
            dr[k] -= r[row + k];
        }
        if (is_global) {
            mo_sweep_apply(step->sweep, i, dr, gradient);
        } else {
            memcpy(gradient + row, dr, (size_t)d * sizeof *dr);
        }
    }
    for (int k = 0; k < step->unknowns; ++k) {
        gradient[k] = dx[k] - gradient[k];
    }
    step->noise = 2 * DBL_EPSILON * sqrt(noise);
    return sqrt(mo_dot(step->unknowns, gradient, gradient));
}

/* ---- Newton's direction ---------------------------------------------------------------------- */

static double *block_of(const mo_convex_step *step, int i)
{
    return step->blocks + step->block_start[i];
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
        for (int k = 0; k < d * d; ++k) {
            B[k] *= inverse;
        }
    }
}

static int factor_sparse(mo_convex_step *step)
{
    mo_kkt_begin(step->kkt, step->matrix);
    for (int i = 0; i < step->sweep->problem->constraint_count; ++i) {
        mo_kkt_add(step->kkt, step->sweep, i, block_of(step, i), step->matrix);
    }
    return mo_block_factor(step->kkt->plan, step->matrix, step->ints);
}

/* A += X' B Y for X (d x m) at row `from`, Y (d x n) at column `to`; A column-major. */
static void add_dense(int size, int d, const double *B, int m, int from, const double *X, int n,
                      int to, const double *Y, double *A)
{
    for (int a = 0; a < d; ++a) {
        for (int b = 0; b < d; ++b) {
            for (int j = 0; j < n; ++j) {
                mo_axpy(m, B[a * d + b] * Y[b * n + j], X + (size_t)a * m,
                        A + (size_t)(to + j) * (size_t)size + from);
            }
        }
    }
}

/* Global, unsymmetric masses: push' B pull over all pairs of bodies of constraint i. */
static void add_bodies(mo_convex_step *step, int i, const double *B)
{
    const mo_problem *problem = step->sweep->problem;
    const int d = mo_constraint_dim(problem, i);
    const double *X = mo_sweep_push(step->sweep, i);
    for (int k = problem->block_start[i]; k < problem->block_start[i + 1]; ++k) {
        const int body = problem->block_index[k], m = mo_body_dim(problem, body);
        const double *Y = mo_sweep_pull(step->sweep, i);
        for (int l = problem->block_start[i]; l < problem->block_start[i + 1]; ++l) {
            const int other = problem->block_index[l], n = mo_body_dim(problem, other);
            add_dense(step->unknowns, d, B, m, problem->body_start[body], X, n,
                      problem->body_start[other], Y, step->matrix);
            Y += (size_t)d * n;
        }
        X += (size_t)d * m;
    }
}

/* Reduced: B W_ij in the rows of i. */
static void add_couplings(mo_convex_step *step, int i, const double *B)
{
    const mo_problem *problem = step->sweep->problem;
    const int d = mo_constraint_dim(problem, i), row = problem->row_start[i];
    const double *W = problem->values + problem->value_start[i];
    double identity[MO_BILATERAL_MAX_DIM * MO_BILATERAL_MAX_DIM] = {0};
    for (int k = 0; k < d; ++k) {
        identity[k * d + k] = 1;
    }
    for (int k = problem->block_start[i]; k < problem->block_start[i + 1]; ++k) {
        const int j = problem->block_index[k], n = mo_constraint_dim(problem, j);
        add_dense(step->unknowns, d, B, d, row, identity, n, problem->row_start[j], W,
                  step->matrix);
        W += (size_t)d * n;
    }
}

static int solve_dense(mo_convex_step *step)
{
    const mo_problem *problem = step->sweep->problem;
    const int n = step->unknowns, one = 1;
    int info = 0;
    memset(step->matrix, 0, (size_t)n * (size_t)n * sizeof(double));
    for (int k = 0; k < n; ++k) {
        step->matrix[(size_t)k * (size_t)n + (size_t)k] = 1;
    }
    for (int i = 0; i < problem->constraint_count; ++i) {
        if (problem->form == MO_FORM_GLOBAL) {
            add_bodies(step, i, block_of(step, i));
        } else {
            add_couplings(step, i, block_of(step, i));
        }
    }
    if (n > 0) {
        dgesv_(&n, &one, step->matrix, &n, step->ints, step->direction, &n, &info);
    }
    return info == 0;
}

/* direction = (I + P' B P)^-1 direction with the blocks as they are; false where that cannot be computed. */
static int solve_direction(mo_convex_step *step)
{
    if (!step->kkt) {
        return solve_dense(step) &&
               isfinite(mo_dot(step->unknowns, step->direction, step->direction));
    }
    if (!factor_sparse(step)) {
        return 0;
    }
    mo_block_solve(step->kkt->plan, step->matrix, step->direction);
    return isfinite(mo_dot(step->unknowns, step->direction, step->direction)) != 0;
}

static int find_direction(mo_convex_step *step, const mo_convex *convex, double rho)
{
    set_blocks(step, convex, rho);
    for (int k = 0; k < step->unknowns; ++k) {
        step->direction[k] = -step->gradient[k];
    }
    return solve_direction(step);
}

/* ---- line search ----------------------------------------------------------------------------- */

static double try_length(mo_convex_step *step, const mo_convex *convex, double rho, const double *r,
                         double t)
{
    for (int k = 0; k < step->unknowns; ++k) {
        step->trial[k] = step->dx[k] + t * step->direction[k];
    }
    return evaluate(step, convex, rho, r, step->trial);
}

/*
 * The symmetric case.  Along the direction the function is convex and its slope is known: the length is found
 * where that slope is between -0.9 of the first one and a tenth of it, by false position with bisection.
 * Slopes, unlike values, can be told apart down to rounding.
 */
static double search_slope(mo_convex_step *step, const mo_convex *convex, double rho,
                           const double *r)
{
    const int n = step->unknowns;
    const double first = mo_dot(n, step->gradient, step->direction);
    double low = 0, at_low = first, high = 1, size = try_length(step, convex, rho, r, 1);
    double slope = mo_dot(n, step->gradient, step->direction), at_high = slope;
    if (!(first < 0)) {
        return size; /* rounding: nothing to search */
    }
    for (int round = 0; round < 25 && slope > -0.1 * first; ++round) {
        const double part = round % 3 == 2 ? 0.5 : -at_low / (at_high - at_low);
        const double t = low + fmin(0.99, fmax(0.01, part)) * (high - low);
        size = try_length(step, convex, rho, r, t);
        slope = mo_dot(n, step->gradient, step->direction);
        if (slope > 0) {
            high = t;
            at_high = slope;
        } else if (slope < 0.9 * first) {
            low = t;
            at_low = slope;
            slope = INFINITY; /* too short: go on */
        }
    }
    return size;
}

/* The other cases: halving until the gradient is smaller. */
static double search_size(mo_convex_step *step, const mo_convex *convex, double rho,
                          const double *r, double before)
{
    double size = INFINITY;
    for (double t = 1; t > 1e-4; t *= 0.5) {
        size = try_length(step, convex, rho, r, t);
        if (size <= (1 - 0.1 * t) * before) {
            break;
        }
    }
    return size;
}

/* ---- the step -------------------------------------------------------------------------------- */

static void set_base(mo_convex_step *step, const mo_convex *convex, const double *u,
                     const double *r)
{
    const mo_problem *problem = step->sweep->problem;
    for (int i = 0; i < problem->constraint_count; ++i) {
        const int row = problem->row_start[i];
        mo_convex_velocity(convex, i, u + row, r + row, step->a + row);
    }
    memset(step->dx, 0, (size_t)step->unknowns * sizeof *step->dx);
}

int mo_convex_step_take(mo_convex_step *step, const mo_convex *convex, double rho, const double *u,
                        double *r)
{
    const int n = step->unknowns;
    set_base(step, convex, u, r);
    double size = evaluate(step, convex, rho, r, step->dx);
    int taken = 0;
    while (size > fmax(step->noise, ACCURACY * sqrt(mo_dot(n, step->dx, step->dx)))) {
        if (taken++ == NEWTON_MOST || !find_direction(step, convex, rho)) {
            return -1;
        }
        const double before = size;
        size = step->kkt ? search_slope(step, convex, rho, r)
                         : search_size(step, convex, rho, r, size);
        if (!step->kkt && !(size < before)) {
            return -1;
        }
        memcpy(step->dx, step->trial, (size_t)n * sizeof *step->dx);
    }
    for (int k = 0; k < convex->problem->row_count; ++k) {
        r[k] += step->dr[k];
    }
    return taken;
}

/* ---- the last digits --------------------------------------------------------------------------- */

/*
 * With tau = 1 / (look scale), z = r - prox_tau(r - tau a) and J its derivative there, Newton's equation for z = 0 is
 *
 *     (I - J) dr + tau J (W + sigma) dr = -z,   sigma = rho scale + compliance + weight
 *
 * or, with E = I - J + tau sigma J and dx = P' dr, as in a step: dr = -E^-1 (z + tau J P dx), and
 * (I + P' B P) dx = -P' E^-1 z with B = tau E^-1 J.  Nothing is divided by rho before it is small.
 */
static void set_polish_block(mo_convex_step *step, const mo_convex *convex, double rho, double look,
                             int i, const double *r)
{
    const mo_problem *problem = step->sweep->problem;
    const int row = problem->row_start[i], d = problem->row_start[i + 1] - row;
    const double tau = 1 / (look * step->scale[i]), sigma = kappa(step, convex, rho, i);
    double E[MO_BILATERAL_MAX_DIM * MO_BILATERAL_MAX_DIM],
        J[MO_BILATERAL_MAX_DIM * MO_BILATERAL_MAX_DIM];
    double *B = block_of(step, i), *z = step->dr + row, *argument = step->argument + row;
    for (int k = 0; k < d; ++k) {
        argument[k] = r[row + k] - tau * step->a[row + k];
    }
    mo_convex_prox(convex, i, tau, argument, z);
    mo_convex_prox_derivative(convex, i, tau, argument, J);
    for (int k = 0; k < d * d; ++k) {
        E[k] = (k % (d + 1) == 0) - (1 - tau * sigma) * J[k];
        B[k] = tau * J[k];
    }
    for (int k = 0; k < d; ++k) {
        z[k] = r[row + k] - z[k];
    }
    mo_factor_symmetric(d, E);
    mo_solve_lower(d, E, z);
    mo_solve_upper(d, E, z);
    for (int k = 0; k < d; ++k) { /* J is symmetric: its rows are its columns */
        mo_solve_lower(d, E, B + k * d);
        mo_solve_upper(d, E, B + k * d);
    }
}

int mo_convex_step_polish(mo_convex_step *step, const mo_convex *convex, double rho, double look,
                          const double *u, double *r)
{
    const mo_problem *problem = step->sweep->problem;
    const int is_global = problem->form == MO_FORM_GLOBAL;
    set_base(step, convex, u, r);
    memset(step->direction, 0, (size_t)step->unknowns * sizeof *step->direction);
    for (int i = 0; i < problem->constraint_count; ++i) {
        const int row = problem->row_start[i], d = problem->row_start[i + 1] - row;
        set_polish_block(step, convex, rho, look, i, r);
        for (int k = row; k < row + d; ++k) {
            step->dr[k] = -step->dr[k];
        }
        if (is_global) {
            mo_sweep_apply(step->sweep, i, step->dr + row, step->direction);
        } else {
            memcpy(step->direction + row, step->dr + row, (size_t)d * sizeof *step->dr);
        }
    }
    if (!solve_direction(step)) {
        return 0;
    }
    for (int i = 0; i < problem->constraint_count; ++i) {
        const int row = problem->row_start[i], d = problem->row_start[i + 1] - row;
        double du[MO_BILATERAL_MAX_DIM], new_r[MO_BILATERAL_MAX_DIM];
        read_change(step, i, step->direction, du);
        for (int k = 0; k < d; ++k) {
            new_r[k] = r[row + k] + step->dr[row + k] - mo_dot(d, block_of(step, i) + k * d, du);
        }
        mo_convex_prox(convex, i, 0, new_r, r + row); /* back into the set */
    }
    return 1;
}

/* ---- the derivative -------------------------------------------------------------------------- */

int mo_convex_step_linearise(mo_convex_step *step, const mo_convex *convex, const double *u,
                             const double *r)
{
    set_base(step, convex, u, r);
    evaluate(step, convex, 0, r, step->dx);
    return step->kkt && find_direction(step, convex, 0);
}

/* dr = -B (P dx + ds e_N) and dx = P' dr: the matrix of Newton's step, with -P' B e_N ds on the right. */
void mo_convex_step_respond(mo_convex_step *step, const double *ds, double *du)
{
    const mo_problem *problem = step->sweep->problem;
    double dr[MO_BILATERAL_MAX_DIM];
    memset(step->direction, 0, (size_t)step->unknowns * sizeof *step->direction);
    for (int i = 0; i < problem->constraint_count; ++i) {
        const int d = mo_constraint_dim(problem, i);
        const double *B = block_of(step, i);
        for (int k = 0; k < d; ++k) {
            dr[k] = -B[k * d] * ds[i];
        }
        mo_sweep_apply(step->sweep, i, dr, step->direction);
    }
    mo_block_solve(step->kkt->plan, step->matrix, step->direction);
    for (int i = 0; i < problem->constraint_count; ++i) {
        const int row = problem->row_start[i], d = problem->row_start[i + 1] - row;
        read_change(step, i, step->direction, du + row);
        if (!problem->compliance) {
            continue;
        }
        const double *B = block_of(step, i);
        for (int k = 0; k < d; ++k) {
            dr[k] = -mo_dot(d, B + k * d, du + row) - B[k * d] * ds[i];
        }
        for (int k = 0; k < d; ++k) {
            du[row + k] += problem->compliance[row + k] * dr[k];
        }
    }
}
