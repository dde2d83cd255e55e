/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * The residual of r, independent of all methods.  moreau/measure.h defines the figures; each law
 * computes its own errors for a pair (u, r).
 */
#include "moreau/measure.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/pace.h"
#include "base/parallel.h"
#include "linalg/dense.h"
#include "measure/measure_blocks.h"
#include "problem/views.h"

int mo_all_finite(const double *x, size_t count)
{
    for (size_t k = 0; k < count; ++k)
        if (!isfinite(x[k])) return 0;
    return 1;
}

static inline double square(int d, const double *x)
{
    return d == 3   ? (x[0] * x[0] + x[1] * x[1]) + x[2] * x[2]
           : d == 2 ? x[0] * x[0] + x[1] * x[1]
                    : mo_dot(d, x, x);
}

/*
 * |z|^2 of a block, z its natural map with the given step.
 *
 * If r is larger than u by twelve digits, u is lost in the rounding of r - uhat, and z would be
 * zero for any u.  |z| / step never grows with the step: with a step that scales u to the size
 * of r, it is a lower bound that includes u. An r whose square is near overflow has diverged and
 * is never a solution.
 */
static double block_square(const mo_law_ops *law, const double *p, int d, double step,
                           const double *u, const double *r)
{
    double z[MO_BILATERAL_MAX_DIM];
    mo_law_natural(law, p, d, step, u, r, z);
    const double found = square(d, z), moved = step * step * square(d, u), size = square(d, r);
    if (!(moved > 0) || moved > 1e-24 * size) return found;
    if (!(size <= 1e200)) /* |r| beyond 1e100 */
        return INFINITY;
    const double longer = step * sqrt(size / moved);
    mo_law_natural(law, p, d, longer, u, r, z);
    return fmax(found, square(d, z) * (step / longer) * (step / longer));
}

/* A contact without impulse whose sides do not approach: it obeys Coulomb's law exactly. */
static inline int is_open(mo_law_kind kind, int d, const double *u, const double *r)
{
    return kind == MO_LAW_COULOMB && d >= 2 && u[0] >= 0 && r[0] == 0 && r[1] == 0 &&
           isfinite(u[1]) && (d == 2 || (r[2] == 0 && isfinite(u[2])));
}

/* The same for block i, with compliance in its velocity; u and r are those of the block. */
static double natural_square(const mo_problem *problem, int i, double step, const double *u,
                             const double *r)
{
    const int row = problem->row_start[i], d = problem->row_start[i + 1] - row;
    const mo_law_ops *law = mo_constraint_law(problem, i);
    const double *p = mo_constraint_param(problem, i);
    double law_u[MO_BILATERAL_MAX_DIM];
    if (problem->compliance) {
        mo_law_velocity(problem, row, d, u, r, law_u);
        u = law_u;
    }
    return is_open(problem->law[i].kind, d, u, r) ? 0 : block_square(law, p, d, step, u, r);
}

double mo_natural_square(const mo_problem *problem, int i, const double *u, const double *r)
{
    const int row = problem->row_start[i];
    return natural_square(problem, i, 1, u + row, r + row);
}

double mo_natural_square_of(const mo_problem *problem, int i, const double *u_i, const double *r_i)
{
    return natural_square(problem, i, 1, u_i, r_i);
}

/* ---- the norm, in parallel ------------------------------------------------------------------- */

typedef struct natural_context {
    const mo_problem *problem;
    const double *u, *r;
    double *partial;
} natural_context;

static void natural_range(void *context, int begin, int end)
{
    const natural_context *c = context;
    double sum = 0;
    for (int i = begin; i < end; ++i)
        sum += mo_natural_square(c->problem, i, c->u, c->r);
    c->partial[begin / MO_CHUNK] = sum;
}

double mo_natural_norm(const mo_problem *problem, int threads, const double *u, const double *r,
                       double *partial)
{
    natural_context context = {problem, u, r, partial};
    const int count = problem->constraint_count;
    mo_parallel_for(threads, 0, count, natural_range, &context);
    double sum = 0;
    for (int c = 0; c < mo_chunk_count(count); ++c)
        sum += partial[c];
    return sqrt(sum);
}

/* ---- the residual ---------------------------------------------------------------------------- */

static void keep_worst(mo_worst *worst, double value, int constraint)
{
    if (!(value <= worst->value)) /* also for NaN */
        *worst = (mo_worst){value, constraint};
}

double mo_measure_block(const mo_problem *problem, int i, const double *u_i, const double *r_i,
                        mo_residual *residual)
{
    double law_u[MO_BILATERAL_MAX_DIM];
    const int row = problem->row_start[i], d = problem->row_start[i + 1] - row;
    const mo_law_ops *law = mo_constraint_law(problem, i);
    const double *p = mo_constraint_param(problem, i), *seen = u_i;
    mo_law_failure failure;
    if (problem->compliance) {
        mo_law_velocity(problem, row, d, u_i, r_i, law_u);
        seen = law_u;
    }
    if (is_open(problem->law[i].kind, d, seen, r_i)) return 0;
    const double of_block = block_square(law, p, d, 1, seen, r_i);
    mo_law_failure_of(law, p, d, seen, r_i, &failure);
    keep_worst(&residual->block, of_block, i);
    keep_worst(&residual->penetration_rate, failure.penetration_rate, i);
    keep_worst(&residual->cone_violation, failure.cone_violation, i);
    keep_worst(&residual->dissipation, failure.dissipation, i);
    residual->power += failure.dissipation;
    return of_block;
}

/* Infinite values stay so, whatever the scale. */
static double over(double value, double scale)
{
    return scale > 0 && !isinf(value) ? value / scale : value;
}

void mo_measure_sums(double natural, double u_norm, double r_norm, mo_residual *residual)
{
    const double q_norm = residual->q_norm;
    natural = isnan(natural) ? INFINITY : natural; /* of numbers that overflow */
    residual->natural = natural;
    residual->natural_relative = over(natural, fmax(1, q_norm));
    residual->siconos_q = over(natural, q_norm);
    residual->siconos_full = over(natural, fmax(q_norm, fmax(r_norm, u_norm)));
}

/* The sum has the bits of mo_natural_norm: chunk by chunk, then over the chunks. */
void mo_measure_at(const mo_problem *problem, double q_norm, const double *u, const double *r,
                   mo_residual *residual)
{
    *residual = (mo_residual){.block = {0, -1},
                              .penetration_rate = {0, -1},
                              .cone_violation = {0, -1},
                              .dissipation = {0, -1},
                              .q_norm = q_norm};
    double sum = 0, of_chunk = 0, u_square = 0, r_square = 0;
    for (int i = 0; i < problem->constraint_count; ++i) {
        if (i % MO_CHUNK == 0) {
            sum += of_chunk;
            of_chunk = 0;
            mo_pace();
        }
        const int row = problem->row_start[i];
        of_chunk += mo_measure_block(problem, i, u + row, r + row, residual);
        for (int k = row; k < problem->row_start[i + 1]; ++k) {
            u_square += u[k] * u[k];
            r_square += r[k] * r[k];
        }
    }
    mo_pace();
    const double natural = sqrt(sum + of_chunk);
    residual->block.value = sqrt(residual->block.value);
    mo_measure_sums(natural, sqrt(u_square), sqrt(r_square), residual);
}

size_t mo_measure_scratch(const mo_problem *problem)
{
    return (size_t)problem->dof_count + (size_t)problem->row_count;
}

mo_error mo_measure_into(const mo_problem *problem, const double *r, double *scratch,
                         mo_residual *residual)
{
    const size_t dofs = (size_t)problem->dof_count;
    MO_FAIL_IF(!mo_all_finite(r, (size_t)problem->row_count), MO_ERR_ARGUMENT);
    double q_norm = 0;
    const mo_error error = mo_problem_q_norm(problem, &q_norm);
    if (!error) {
        mo_pace();
        mo_problem_response_into(problem, r, scratch, scratch + dofs);
        mo_pace();
        mo_measure_at(problem, q_norm, scratch + dofs, r, residual);
    }
    return error;
}

mo_error mo_measure(const mo_problem *problem, const double *r, mo_residual *residual)
{
    MO_NEED(problem && (r || problem->row_count == 0) && residual, NULL);
    double *scratch =
        mo_memory_array(&problem->allocator, mo_measure_scratch(problem), sizeof *scratch);
    MO_NEED_MEMORY(scratch, NULL);
    const mo_error error = mo_measure_into(problem, r, scratch, residual);
    mo_memory_free(&problem->allocator, scratch);
    return error;
}

/* ---- free of units --------------------------------------------------------------------------- */

/* trace(W_ii) / d, compliance included. */
static double mean_diagonal(const mo_problem *problem, int i, double *scratch)
{
    const int row = problem->row_start[i], d = problem->row_start[i + 1] - row;
    const double *block = problem->values + problem->value_start[i];
    double trace = 0;
    for (int k = problem->block_start[i]; k < problem->block_start[i + 1]; ++k) {
        const int index = problem->block_index[k], n = mo_block_columns(problem, index);
        for (int j = 0; j < d; ++j, block += n) {
            if (problem->form == MO_FORM_GLOBAL) {
                memcpy(scratch, block, (size_t)n * sizeof *scratch);
                mo_solve_factored(n, mo_body_factor(problem, index), scratch);
                trace += mo_dot(n, block, scratch);
            } else if (index == i) {
                trace += block[j];
            }
        }
    }
    for (int j = 0; problem->compliance && j < d; ++j)
        trace += problem->compliance[row + j];
    return trace / d;
}

mo_error mo_measure_scaled(const mo_problem *problem, const double *r, double *scaled)
{
    MO_NEED(problem && (r || problem->row_count == 0) && scaled, NULL);
    const size_t rows = (size_t)problem->row_count, dofs = (size_t)problem->dof_count;
    MO_FAIL_IF(!mo_all_finite(r, rows), MO_ERR_ARGUMENT);
    double *scratch = mo_memory_array(&problem->allocator, dofs + 2 * rows, sizeof *scratch);
    MO_NEED_MEMORY(scratch, NULL);
    double *u = scratch + dofs, *q = u + rows;
    mo_problem_write_rows(problem);
    mo_problem_response_into(problem, NULL, scratch, q);
    mo_problem_response_into(problem, r, scratch, u);
    double worst = 0, largest_q = 0;
    for (int i = 0; i < problem->constraint_count; ++i) {
        const int row = problem->row_start[i], d = problem->row_start[i + 1] - row;
        const double lambda = mean_diagonal(problem, i, scratch);
        const double step = lambda > 0 ? 1 / lambda : 1;
        worst = fmax(worst, sqrt(natural_square(problem, i, step, u + row, r + row)) / step);
        largest_q = fmax(largest_q, sqrt(mo_dot(d, q + row, q + row)));
    }
    *scaled = over(worst, largest_q);
    mo_memory_free(&problem->allocator, scratch);
    return MO_OK;
}

/* ---- a velocity of its own ------------------------------------------------------------------- */

/* sqrt((x - y)' M (x - y)): the M^-1 norm of the momentum difference M (x - y). */
static double energy_norm(const mo_problem *problem, const double *x, const double *y)
{
    double sum = 0;
    for (int b = 0; b < problem->body_count; ++b) {
        const int n = mo_body_dim(problem, b), start = problem->body_start[b];
        const double *M = problem->M + problem->mass_start[b];
        for (int i = 0; i < n; ++i) {
            const double xi = x[start + i] - (y ? y[start + i] : 0);
            for (int j = 0; j < n; ++j)
                sum += xi * M[(size_t)i * n + j] * (x[start + j] - (y ? y[start + j] : 0));
        }
    }
    return sqrt(fmax(0, sum));
}

mo_error mo_measure_global(const mo_problem *problem, const double *v, const double *r,
                           mo_global_residual *residual)
{
    MO_NEED(problem && (v || problem->dof_count == 0) && (r || problem->row_count == 0) && residual,
            NULL);
    const size_t rows = (size_t)problem->row_count, dofs = (size_t)problem->dof_count;
    const size_t chunks = (size_t)mo_chunk_count(problem->constraint_count);
    MO_FAIL_IF(problem->form != MO_FORM_GLOBAL || !mo_all_finite(r, rows) ||
                   !mo_all_finite(v, dofs),
               MO_ERR_ARGUMENT);
    mo_problem_write_rows(problem);
    double *scratch = mo_memory_array(&problem->allocator, dofs + rows + chunks, sizeof *scratch);
    MO_NEED_MEMORY(scratch, NULL);
    double *of_r = scratch, *u = scratch + dofs, *partial = u + rows, q_norm = 0;
    const mo_error error = mo_problem_q_norm(problem, &q_norm);
    if (!error) {
        mo_problem_velocity(problem, NULL, of_r);
        const double free_norm = energy_norm(problem, of_r, NULL); /* |f| in the norm of M^-1 */
        mo_problem_velocity(problem, r, of_r);
        residual->equilibrium = energy_norm(problem, v, of_r);
        residual->equilibrium_relative = over(residual->equilibrium, free_norm);
        mo_problem_relative_velocity(problem, v, u);
        const double natural = mo_natural_norm(problem, 1, u, r, partial);
        const double size = fmax(sqrt(mo_dot((int)rows, u, u)), sqrt(mo_dot((int)rows, r, r)));
        residual->siconos_global =
            residual->equilibrium_relative + over(natural, fmax(q_norm, size));
    }
    mo_memory_free(&problem->allocator, scratch);
    return error;
}
