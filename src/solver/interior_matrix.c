/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
#include "solver/interior_matrix.h"

#include <string.h>

mo_error mo_interior_matrix_layout(const mo_problem *problem, mo_arena *arena,
                                   mo_interior_matrix *matrix)
{
    const mo_contact_space *space;
    const mo_sweep *sweep;
    mo_error error = mo_problem_contact_space(problem, &space);
    error = error ? error : mo_problem_sweep(space->W, MO_SWEEP_NATURAL, &sweep);
    if (error) {
        return error;
    }
    double *lower = MO_TAKE(arena, space->plan->value_count, double);
    double *upper = MO_TAKE(arena, space->plan->value_count, double);
    int *ints = MO_TAKE(arena, mo_block_ints(space->plan), int);
    double *right = MO_TAKE(arena, problem->row_count, double);
    double *rest = MO_TAKE(arena, problem->row_count, double);
    if (matrix) {
        *matrix = (mo_interior_matrix){.space = space,
                                       .sweep = sweep,
                                       .lu = {space->plan, lower, upper, NULL, ints},
                                       .right = right,
                                       .rest = rest};
    }
    return MO_OK;
}

const double *mo_interior_diagonal(const mo_interior_matrix *m, int i)
{
    return mo_sweep_diagonal(m->sweep, i); /* natural order: position i holds constraint i */
}

void mo_interior_velocity(const mo_interior_matrix *m, const double *r, double *u)
{
    mo_sweep_all_velocities(m->sweep, 1, r, u);
}

void mo_interior_multiply(const mo_interior_matrix *m, const double *x, double *y)
{
    const mo_problem *W = m->space->W;
    for (int i = 0; i < W->constraint_count; ++i) {
        const int row = W->row_start[i], d = W->row_start[i + 1] - row;
        const double *W_ij = W->values + W->value_start[i];
        memset(y + row, 0, (size_t)d * sizeof *y);
        for (int e = W->block_start[i]; e < W->block_start[i + 1]; ++e) {
            const int j = W->block_index[e], n = mo_constraint_dim(W, j);
            for (int a = 0; a < d; ++a) {
                y[row + a] += mo_dot(n, W_ij + (size_t)a * (size_t)n, x + W->row_start[j]);
            }
            W_ij += (size_t)d * (size_t)n;
        }
    }
}

/* Row i of W into its places, less the fixed rows. */
static void copy_row(mo_interior_matrix *m, int i)
{
    const mo_problem *W = m->space->W;
    const int row = W->row_start[i], d = W->row_start[i + 1] - row;
    const double *W_ij = W->values + W->value_start[i];
    for (int e = W->block_start[i]; e < W->block_start[i + 1]; ++e) {
        const int n = mo_constraint_dim(W, W->block_index[e]);
        double *to = (m->space->is_upper[e] ? m->lu.upper : m->lu.lower) + m->space->place[e];
        for (int a = 0; a < d; ++a) {
            if (!m->fixed[row + a]) {
                memcpy(to + (size_t)a * (size_t)n, W_ij + (size_t)a * (size_t)n,
                       (size_t)n * sizeof *to);
            }
        }
        W_ij += (size_t)d * (size_t)n;
    }
}

/* C_i on the diagonal; a fixed row is that of the unit matrix. */
static void add_diagonal(mo_interior_matrix *m, int i)
{
    const mo_problem *W = m->space->W;
    const int row = W->row_start[i], d = W->row_start[i + 1] - row;
    double *diagonal = mo_block_lu_place(&m->lu, i, i);
    for (int a = 0; a < d; ++a) {
        for (int b = 0; b < d; ++b) {
            diagonal[a * d + b] +=
                m->fixed[row + a] ? a == b : m->C[m->C_start[i] + (size_t)(a * d + b)];
        }
    }
}

int mo_interior_factor(mo_interior_matrix *m, const double *C, const size_t *C_start,
                       const uint8_t *fixed)
{
    m->C = C;
    m->C_start = C_start;
    m->fixed = fixed;
    mo_block_lu_clear(&m->lu);
    for (int i = 0; i < m->space->W->constraint_count; ++i) {
        copy_row(m, i);
        add_diagonal(m, i);
    }
    return mo_block_lu_factor(&m->lu);
}

/* rest = right - (W + C) x. */
static void find_rest(mo_interior_matrix *m, const double *x)
{
    const mo_problem *W = m->space->W;
    mo_interior_multiply(m, x, m->rest);
    for (int i = 0; i < W->constraint_count; ++i) {
        const int row = W->row_start[i], d = W->row_start[i + 1] - row;
        const double *C = m->C + m->C_start[i];
        for (int a = 0; a < d; ++a) {
            const double left = m->rest[row + a] + mo_dot(d, C + (size_t)(a * d), x + row);
            m->rest[row + a] = m->fixed[row + a] ? 0 : m->right[row + a] - left;
        }
    }
}

void mo_interior_solve(mo_interior_matrix *m, double *x)
{
    const int rows = m->space->W->row_count;
    for (int k = 0; k < rows; ++k) {
        x[k] = m->fixed[k] ? 0 : x[k];
    }
    memcpy(m->right, x, (size_t)rows * sizeof *x);
    mo_block_lu_solve(&m->lu, x);
    find_rest(m, x);
    mo_block_lu_solve(&m->lu, m->rest);
    mo_axpy(rows, 1, m->rest, x);
}
