/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Rows and matrix of `dantzig`: W in dense form and scaled, with its sparsity.
 *
 * In a pile a contact is coupled only to those of its own two bodies, so columns of W are short.
 * The matrix is stored densely for fast access to entries, together with the runs of nonzero rows
 * of each column: the cost of A x is proportional to the couplings, not n^2.
 *
 * Compliance is part of the diagonal, since the laws use u + c r.
 */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "problem/views.h"
#include "solver/dantzig.h"

enum {
    RUN_GAP = 8
}; /* longest gap of zeros inside a run: skipping shorter gaps does not pay off */

/* ---- memory ---------------------------------------------------------------------------------- */

static int run_room(int n)
{
    return n * (n / RUN_GAP + 1);
}

static void take_rows(mo_arena *arena, mo_dantzig *z, int n)
{
    MO_TAKE_EACH(arena, n, uint8_t, &z->kind, &z->set);
    MO_TAKE_EACH(arena, n, int, &z->normal, &z->friction_count, &z->member, &z->place);
    MO_TAKE_EACH(arena, n, double, &z->lower, &z->upper, &z->span, &z->mu, &z->tie, &z->cosine,
                 &z->sine);
    z->refused = MO_TAKE(arena, n, uint32_t);
}

static void take_vectors(mo_arena *arena, mo_dantzig *z, int n)
{
    MO_TAKE_EACH(arena, n, double, &z->q, &z->scale, &z->f, &z->a, &z->df, &z->da, &z->column,
                 &z->row, &z->world, &z->image, &z->ray, &z->rounding);
}

/* A stride that is no multiple of a page, so that columns do not fall on the same cache lines. */
static int factor_stride(int n)
{
    const int rounded = (n + 8) / 8 * 8;
    return rounded % 64 == 0 ? rounded + 8 : rounded;
}

static void take_factor(mo_arena *arena, mo_dantzig_factor *F, int n)
{
    F->stride = factor_stride(n);
    F->F = MO_TAKE(arena, (size_t)F->stride * (size_t)n, double);
    MO_TAKE_EACH(arena, F->stride, double, &F->driven, &F->left, &F->right);
    F->work = MO_TAKE(arena, F->is_symmetric ? 0 : 64 * (size_t)n, double);
    F->pivots = MO_TAKE(arena, n, int);
}

/* ---- rows ------------------------------------------------------------------------------------ */

static void set_bounds(mo_dantzig *z, int row, double lower, double upper)
{
    z->kind[row] = MO_ROW_BOUNDED;
    z->lower[row] = lower;
    z->upper[row] = upper;
}

static void set_friction(mo_dantzig *z, int normal, int count, mo_row_kind kind, double mu)
{
    z->friction_count[normal] = count;
    for (int k = 1; k <= count; ++k) {
        z->kind[normal + k] = (uint8_t)kind;
        z->normal[normal + k] = normal;
        z->mu[normal + k] = mu;
    }
    if (kind == MO_ROW_DISC && count == 2) z->kind[normal + 2] = MO_ROW_SECOND;
}

static void set_block(mo_dantzig *z, const mo_constraint_view *view)
{
    const int row = view->offset, d = view->dim;
    const mo_law *law = &view->law;
    switch (law->kind) {
    case MO_LAW_BILATERAL:
        for (int k = 0; k < d; ++k)
            set_bounds(z, row + k, -INFINITY, INFINITY);
        break;
    case MO_LAW_BOX:
        for (int k = 0; k < d; ++k)
            set_bounds(z, row + k, law->lower[k], law->upper[k]);
        break;
    case MO_LAW_COULOMB:
        set_bounds(z, row, 0, INFINITY);
        set_friction(z, row, d - 1,
                     law->mu == 0                 ? MO_ROW_TIED
                     : (d == 2 || isinf(law->mu)) ? MO_ROW_LINE
                                                  : MO_ROW_DISC,
                     law->mu);
        break;
    case MO_LAW_PYRAMID:
        set_bounds(z, row, 0, INFINITY);
        set_friction(z, row, d - 1, law->mu == 0 ? MO_ROW_TIED : MO_ROW_LINE, law->mu);
        break;
    case MO_LAW_SLIDING:
        set_bounds(z, row, 0, INFINITY);
        set_friction(z, row, d - 1, MO_ROW_TIED, law->mu);
        for (int k = 1; k < d; ++k)
            z->tie[row + k] = -law->mu * law->direction[k - 1];
        break;
    default: /* frictionless; the driver refuses the others */
        set_bounds(z, row, 0, INFINITY);
        break;
    }
}

static void set_rows(mo_dantzig *z)
{
    const int n = z->n;
    for (int k = 0; k < n; ++k) {
        z->normal[k] = z->place[k] = -1;
        z->friction_count[k] = 0;
        z->mu[k] = z->tie[k] = z->sine[k] = z->lower[k] = z->upper[k] = 0;
        z->cosine[k] = 1;
        z->refused[k] = 0;
    }
    for (int i = 0; i < z->problem->constraint_count; ++i) {
        const mo_constraint_view view = mo_problem_constraint(z->problem, i);
        set_block(z, &view);
    }
}

/* ---- the matrix ------------------------------------------------------------------------------ */

static void copy_blocks(mo_dantzig *z, const mo_problem *W)
{
    for (int i = 0; i < W->constraint_count; ++i) {
        const int row = W->row_start[i], rows = mo_constraint_dim(W, i);
        const double *block = W->values + W->value_start[i];
        for (int k = W->block_start[i]; k < W->block_start[i + 1]; ++k) {
            const int j = W->block_index[k], columns = mo_constraint_dim(W, j);
            for (int b = 0; b < columns; ++b)
                for (int a = 0; a < rows; ++a)
                    z->W[(size_t)(W->row_start[j] + b) * z->n + row + a] = block[a * columns + b];
            block += (size_t)rows * columns;
        }
    }
}

/* One scale for all rows of a contact with friction, one for each other row. */
static void set_scales(mo_dantzig *z)
{
    for (int i = 0; i < z->n; ++i) {
        double trace = z->W[(size_t)i * z->n + i];
        const int count = z->friction_count[i];
        for (int k = 1; k <= count; ++k)
            trace += z->W[(size_t)(i + k) * z->n + i + k];
        const double mean = trace / (1 + count);
        z->scale[i] = mean > 0 ? sqrt(mean) : 1;
        if (z->normal[i] >= 0) z->scale[i] = z->scale[z->normal[i]];
    }
}

static void scale_matrix(mo_dantzig *z)
{
    z->unit = 0;
    for (int j = 0; j < z->n; ++j) {
        double *W = z->W + (size_t)j * z->n;
        for (int m = z->run_start[j]; m < z->run_start[j + 1]; ++m)
            for (int i = z->runs[2 * m]; i < z->runs[2 * m + 1]; ++i)
                W[i] /= z->scale[i] * z->scale[j];
        z->q[j] /= z->scale[j];
        z->lower[j] *= z->scale[j];
        z->upper[j] *= z->scale[j];
        z->span[j] = (isinf(z->lower[j]) ? 0 : fabs(z->lower[j])) +
                     (isinf(z->upper[j]) ? 0 : fabs(z->upper[j]));
        z->unit = fmax(z->unit, fabs(z->q[j]));
    }
    z->unit = z->unit > 0 ? z->unit : 1;
}

static void find_runs(mo_dantzig *z)
{
    const int n = z->n;
    int count = 0;
    for (int j = 0; j < n; ++j) {
        const double *W = z->W + (size_t)j * n;
        z->run_start[j] = count;
        for (int i = 0; i < n; ++i) {
            if (W[i] == 0) continue;
            if (count > z->run_start[j] && i - z->runs[2 * count - 1] < RUN_GAP) {
                z->runs[2 * count - 1] = i + 1;
            } else {
                z->runs[2 * count] = i;
                z->runs[2 * count + 1] = i + 1;
                ++count;
            }
        }
    }
    z->run_start[n] = count;
}

static int matrix_is_symmetric(const mo_dantzig *z)
{
    for (int j = 0; j < z->n; ++j) {
        const double *W = z->W + (size_t)j * z->n;
        for (int m = z->run_start[j]; m < z->run_start[j + 1]; ++m) {
            for (int i = z->runs[2 * m]; i < z->runs[2 * m + 1]; ++i)
                if (W[i] != z->W[(size_t)i * z->n + j]) return 0;
        }
    }
    return 1;
}

static mo_error fill(mo_dantzig *z)
{
    const mo_problem *problem = z->problem;
    const mo_contact_space *space;
    MO_TRY(mo_problem_response(problem, NULL, z->q));
    MO_TRY(mo_problem_contact_space(problem, &space));
    memset(z->W, 0, (size_t)z->n * (size_t)z->n * sizeof *z->W);
    set_rows(z);
    copy_blocks(z, space->W);
    for (int i = 0; problem->compliance && i < z->n; ++i)
        z->W[(size_t)i * z->n + i] += problem->compliance[i];
    find_runs(z);
    z->is_symmetric = matrix_is_symmetric(z);
    set_scales(z);
    scale_matrix(z);
    z->factor.is_symmetric = z->is_symmetric && !z->has_ties;
    return MO_OK;
}

mo_error mo_dantzig_layout(const mo_problem *problem, const mo_options *options, mo_arena *arena,
                           mo_dantzig *z)
{
    const int n = problem->row_count;
    *z = (mo_dantzig){.problem = problem, .options = options, .n = n};
    for (int i = 0; i < problem->constraint_count; ++i) {
        const mo_constraint_view view = mo_problem_constraint(problem, i);
        const int rubs = view.law.kind == MO_LAW_COULOMB || view.law.kind == MO_LAW_PYRAMID ||
                         view.law.kind == MO_LAW_SLIDING;
        z->has_ties = z->has_ties || (rubs && view.law.mu > 0);
        z->has_discs = z->has_discs || (view.law.kind == MO_LAW_COULOMB && view.dim == 3 &&
                                        view.law.mu > 0 && !isinf(view.law.mu));
    }
    z->W = MO_TAKE(arena, (size_t)n * (size_t)n, double);
    z->run_start = MO_TAKE(arena, n + 1, int);
    z->runs = MO_TAKE(arena, 2 * (size_t)run_room(n), int);
    take_rows(arena, z, n);
    take_vectors(arena, z, n);
    z->v = MO_TAKE(arena, problem->dof_count, double);
    take_factor(arena, &z->factor, n);
    if (z->has_discs) MO_TRY(mo_newton_layout(problem, arena, &z->newton));
    return arena->base ? fill(z) : MO_OK;
}
