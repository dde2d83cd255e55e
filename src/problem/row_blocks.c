/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
#include "problem/row_blocks.h"

#include <string.h>

#include "linalg/dense.h"

void mo_row_velocity(const mo_batches *b, const mo_row_block *row, const double *state, double *u)
{
    const mo_problem *problem = b->problem;
    const int i = row->constraint, d = mo_constraint_dim(problem, i);
    const double *J = b->row_data + row->data + d * d;
    memset(u, 0, (size_t)d * sizeof *u);
    for (int k = problem->block_start[i]; k < problem->block_start[i + 1]; ++k) {
        const int body = problem->block_index[k], n = mo_body_dim(problem, body);
        const double *v = state + (size_t)b->line_of[body] * MO_LINE;
        for (int j = 0; j < d; ++j, J += n)
            u[j] += mo_dot(n, J, v);
    }
    for (int j = 0; j < d; ++j) /* last: the sum of two bodies does not depend on their order */
        u[j] += problem->w[problem->row_start[i] + j];
}

void mo_row_apply(const mo_batches *b, const mo_row_block *row, const double *dr, double *state)
{
    const mo_problem *problem = b->problem;
    const int i = row->constraint, d = mo_constraint_dim(problem, i);
    const double *push = b->row_data + row->push;
    for (int k = problem->block_start[i]; k < problem->block_start[i + 1]; ++k) {
        const int body = problem->block_index[k], n = mo_body_dim(problem, body);
        double *v = state + (size_t)b->line_of[body] * MO_LINE;
        for (int j = 0; j < d; ++j, push += n)
            mo_axpy(n, dr[j], push, v);
    }
}

double mo_row_visit(const mo_batches *b, const mo_row_block *row, double *r, double *state)
{
    const mo_problem *problem = b->problem;
    const int i = row->constraint, d = mo_constraint_dim(problem, i);
    const double *W = b->row_data + row->data;
    double u[MO_BILATERAL_MAX_DIM], x[MO_BILATERAL_MAX_DIM], dr[MO_BILATERAL_MAX_DIM] = {0};
    const mo_law_ops *law = mo_constraint_law(problem, i);
    const double *p = mo_constraint_param(problem, i);
    double moved = 0;

    /* x = (u + compliance r) - (W_ii + compliance) r: the effect of the other blocks */
    mo_row_velocity(b, row, state, u);
    mo_law_velocity(problem, problem->row_start[i], d, u, r, x);
    if (law->relax) {
        law->relax(p, d, W, x, r, u);
    } else {
        for (int k = 0; k < d; ++k)
            x[k] -= mo_dot(d, W + k * d, r);
        law->solve(p, d, W, x, u);
    }
    for (int k = 0; k < d; ++k) {
        dr[k] = u[k] - r[k];
        moved += dr[k] * dr[k];
        r[k] = u[k];
    }
    if (moved > 0) mo_row_apply(b, row, dr, state);
    return moved;
}
