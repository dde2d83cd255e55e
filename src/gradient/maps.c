/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
#include "gradient/maps.h"

#include "linalg/dense.h"

void mo_map_inverse_mass(const mo_problem *problem, double *v)
{
    for (int b = 0; b < problem->body_count; ++b) {
        const int n = mo_body_dim(problem, b);
        mo_solve_first(n, mo_body_factor(problem, b), v + problem->body_start[b]);
        mo_solve_second(n, mo_body_factor(problem, b), v + problem->body_start[b]);
    }
}

/* x = L^-T x; only unsymmetric masses come here, whose U is another matrix. */
static void solve_lower_transposed(int n, const double *F, double *x)
{
    for (int i = n - 1; i >= 0; --i) {
        x[i] /= F[i * n + i];
        mo_axpy(i, -x[i], F + i * n, x);
    }
}

void mo_map_inverse_mass_transposed(const mo_problem *problem, double *v)
{
    for (int b = 0; b < problem->body_count; ++b) {
        const int n = mo_body_dim(problem, b);
        const double *F = mo_body_factor(problem, b);
        double *part = v + problem->body_start[b];
        if (problem->asymmetric[b]) {
            mo_solve_second_transposed(n, F, part);
            solve_lower_transposed(n, F, part);
        } else {
            mo_solve_first(n, F, part);
            mo_solve_second(n, F, part);
        }
    }
}

void mo_map_pull(const mo_problem *problem, const double *x, double *u)
{
    const int *start = problem->form == MO_FORM_GLOBAL ? problem->body_start : problem->row_start;
    for (int i = 0; i < problem->constraint_count; ++i) {
        const int row = problem->row_start[i], d = mo_constraint_dim(problem, i);
        const double *block = problem->values + problem->value_start[i];
        for (int k = problem->block_start[i]; k < problem->block_start[i + 1]; ++k) {
            const int n = mo_block_columns(problem, problem->block_index[k]);
            for (int j = 0; j < d; ++j, block += n) {
                u[row + j] += mo_dot(n, block, x + start[problem->block_index[k]]);
            }
        }
    }
}

void mo_map_pull_transposed(const mo_problem *problem, const double *u, double *x)
{
    const int *start = problem->form == MO_FORM_GLOBAL ? problem->body_start : problem->row_start;
    for (int i = 0; i < problem->constraint_count; ++i) {
        const int row = problem->row_start[i], d = mo_constraint_dim(problem, i);
        const double *block = problem->values + problem->value_start[i];
        for (int k = problem->block_start[i]; k < problem->block_start[i + 1]; ++k) {
            const int n = mo_block_columns(problem, problem->block_index[k]);
            for (int j = 0; j < d; ++j, block += n) {
                mo_axpy(n, u[row + j], block, x + start[problem->block_index[k]]);
            }
        }
    }
}
