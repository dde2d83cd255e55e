/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
#include "solver/newton_step.h"

#include <math.h>
#include <string.h>

mo_error mo_newton_layout(const mo_problem *problem, mo_arena *arena, mo_newton *newton)
{
    const mo_contact_space *space;
    const mo_sweep *sweep;
    mo_error error = mo_problem_contact_space(problem, &space);
    error = error ? error : mo_problem_sweep(space->W, MO_SWEEP_NATURAL, &sweep);
    if (error) {
        return error;
    }
    const size_t rows = (size_t)problem->row_count, count = (size_t)problem->constraint_count;
    double *lower = MO_TAKE(arena, space->plan->value_count, double);
    double *upper = MO_TAKE(arena, space->plan->value_count, double);
    int *ints = MO_TAKE(arena, mo_block_ints(space->plan), int);
    uint8_t *active = MO_TAKE(arena, count, uint8_t);
    double *rho = MO_TAKE(arena, count, double);
    double *B = MO_TAKE(arena, sweep->record_start[count], double);
    double *vectors = MO_TAKE(arena, 4 * rows, double);
    if (newton) {
        *newton = (mo_newton){.space = space,
                              .W = space->W,
                              .sweep = sweep,
                              .lu = {space->plan, lower, upper, active, ints},
                              .active = active,
                              .rho = rho,
                              .B = B,
                              .z = vectors,
                              .dr = vectors + rows,
                              .u = vectors + 2 * rows,
                              .trial = vectors + 3 * rows};
    }
    return MO_OK;
}

void mo_newton_begin(mo_newton *s, double eps)
{
    const mo_problem *W = s->W;
    s->eps = eps;
    s->alpha = 0;
    s->centre = NULL;
    for (int i = 0; i < W->constraint_count; ++i) {
        const int d = mo_constraint_dim(W, i);
        const double *W_ii = mo_sweep_diagonal(s->sweep, i);
        double trace = 0;
        for (int k = 0; k < d; ++k) {
            trace += W_ii[k * d + k];
        }
        s->rho[i] = trace > 0 ? d / trace : 1;
    }
}

void mo_newton_sweep(const mo_newton *s, double *r)
{
    const mo_problem *W = s->W;
    const mo_sweep *sweep = s->sweep;
    double u[MO_BILATERAL_MAX_DIM], b[MO_BILATERAL_MAX_DIM];
    for (int i = 0; i < W->constraint_count; ++i) {
        const int row = W->row_start[i], d = W->row_start[i + 1] - row;
        const double *W_ii = mo_sweep_diagonal(sweep, i);
        mo_sweep_velocity(sweep, i, r, u);
        mo_law_velocity(W, row, d, u, r + row, b);
        for (int k = 0; k < d; ++k) {
            b[k] -= mo_dot(d, W_ii + k * d, r + row);
        }
        mo_constraint_law(W, i)->solve(mo_constraint_param(W, i), d, W_ii, b, r + row);
    }
}

/* The velocity that the law of block i sees: with compliance and the proximal term. */
static void seen_velocity(const mo_newton *s, int i, const double *r, double *law_u)
{
    const mo_problem *W = s->W;
    const int row = W->row_start[i], d = W->row_start[i + 1] - row;
    mo_law_velocity(W, row, d, s->u + row, r + row, law_u);
    for (int k = 0; s->alpha > 0 && k < d; ++k) {
        law_u[k] += s->alpha / s->rho[i] * (r[row + k] - s->centre[row + k]);
    }
}

double mo_newton_evaluate(mo_newton *s, const double *r)
{
    const mo_problem *W = s->W;
    double law_u[MO_BILATERAL_MAX_DIM], sum = 0;
    mo_sweep_all_velocities(s->sweep, 1, r, s->u);
    for (int i = 0; i < W->constraint_count; ++i) {
        const int row = W->row_start[i], d = W->row_start[i + 1] - row;
        seen_velocity(s, i, r, law_u);
        mo_constraint_law(W, i)->natural(mo_constraint_param(W, i), d, s->rho[i], law_u, r + row, s->z + row);
        sum += mo_dot(d, s->z + row, s->z + row) / s->rho[i];
    }
    return sqrt(sum);
}

/* J and G of block i; a joint is its own projection.  False where J = 0. */
static int differentiate(const mo_newton *s, int i, const double *r, double *J, double *G)
{
    const mo_problem *W = s->W;
    const int row = W->row_start[i], d = W->row_start[i + 1] - row;
    const mo_law_ops *law = mo_constraint_law(W, i);
    const double *p = mo_constraint_param(W, i);
    double law_u[MO_BILATERAL_MAX_DIM], x[MO_BILATERAL_MAX_DIM], size = 0;
    seen_velocity(s, i, r, law_u);
    law->shift(p, d, law_u, x);
    for (int k = 0; k < d; ++k) {
        x[k] = r[row + k] - s->rho[i] * x[k];
    }
    law->project_derivative(p, d, x, J);
    law->shift_derivative(p, d, law_u, G);
    for (int k = 0; k < d * d; ++k) {
        size += fabs(J[k]);
    }
    return size > 0;
}

/* B = rho J G, and the diagonal block I - (1 - eps) J + B (compliance + alpha / rho). */
static void set_block(mo_newton *s, int i, const double *J, const double *G)
{
    const mo_problem *W = s->W;
    const int row = W->row_start[i], d = W->row_start[i + 1] - row;
    double *B = s->B + s->sweep->record_start[i], *diagonal = mo_block_lu_place(&s->lu, i, i);
    for (int j = 0; j < d; ++j) {
        for (int k = 0; k < d; ++k) {
            double JG = 0;
            for (int l = 0; l < d; ++l) {
                JG += J[j * d + l] * G[l * d + k];
            }
            B[j * d + k] = s->rho[i] * JG;
            const double soft = s->alpha / s->rho[i] + (W->compliance ? W->compliance[row + k] : 0);
            diagonal[j * d + k] = (j == k) - (1 - s->eps) * J[j * d + k] + B[j * d + k] * soft;
        }
    }
}

/* Row i of the matrix gains B W_ij; columns of blocks with J = 0 go to the right side with dr = -z. */
static void add_row(mo_newton *s, int i)
{
    const mo_problem *W = s->W;
    const int row = W->row_start[i], d = W->row_start[i + 1] - row;
    const double *B = s->B + s->sweep->record_start[i], *W_ij = W->values + W->value_start[i];
    for (int e = W->block_start[i]; e < W->block_start[i + 1]; ++e) {
        const int j = W->block_index[e], n = mo_constraint_dim(W, j);
        double *to = (s->space->is_upper[e] ? s->lu.upper : s->lu.lower) + s->space->place[e];
        const double *z_j = s->z + W->row_start[j];
        for (int a = 0; a < d; ++a) {
            for (int b = 0; b < d; ++b) {
                if (s->active[j]) {
                    mo_axpy(n, B[a * d + b], W_ij + b * n, to + a * n);
                } else {
                    s->dr[row + a] += B[a * d + b] * mo_dot(n, W_ij + b * n, z_j);
                }
            }
        }
        W_ij += (size_t)d * (size_t)n;
    }
}

int mo_newton_find_step(mo_newton *s, const double *r)
{
    const mo_problem *W = s->W;
    double J[MO_BILATERAL_MAX_DIM * MO_BILATERAL_MAX_DIM], G[MO_BILATERAL_MAX_DIM * MO_BILATERAL_MAX_DIM];
    mo_block_lu_clear(&s->lu);
    for (int i = 0; i < W->constraint_count; ++i) {
        s->active[i] = (uint8_t)differentiate(s, i, r, J, G);
        if (s->active[i]) {
            set_block(s, i, J, G);
        }
    }
    for (int k = 0; k < W->row_count; ++k) {
        s->dr[k] = -s->z[k];
    }
    for (int i = 0; i < W->constraint_count; ++i) {
        if (s->active[i]) {
            add_row(s, i);
        }
    }
    if (!mo_block_lu_factor(&s->lu)) {
        return 0;
    }
    mo_block_lu_solve(&s->lu, s->dr);
    for (int i = 0; i < W->constraint_count; ++i) {
        for (int k = W->row_start[i]; !s->active[i] && k < W->row_start[i + 1]; ++k) {
            s->dr[k] = -s->z[k];
        }
    }
    return 1;
}

double mo_newton_take_step(mo_newton *s, double target, int halvings, double *r)
{
    const int rows = s->W->row_count;
    double best = INFINITY, length = 1;
    for (int k = 0; k <= halvings && !(best < target); ++k) {
        const double t = ldexp(1, -k);
        for (int j = 0; j < rows; ++j) {
            s->trial[j] = r[j] + t * s->dr[j];
        }
        const double now = mo_newton_evaluate(s, s->trial);
        if (now < best) {
            best = now;
            length = t;
        }
    }
    for (int j = 0; j < rows && isfinite(best); ++j) {
        r[j] += length * s->dr[j];
    }
    return mo_newton_evaluate(s, r);
}
