/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
#include "solver/newton_step.h"

#include <math.h>

#include "solver/visit.h"

mo_error mo_newton_layout_in(mo_space space, const mo_problem *problem, mo_arena *arena,
                             mo_newton *newton)
{
    const mo_sweep *sweep;
    mo_error error = mo_problem_sweep(problem, MO_SWEEP_NATURAL, &sweep);
    error =
        error ? error : mo_delassus_layout(problem, space, arena, newton ? &newton->system : NULL);
    if (error) {
        return error;
    }
    const size_t rows = (size_t)problem->row_count;
    double *rho = MO_TAKE(arena, problem->constraint_count, double);
    double *state = MO_TAKE(arena, mo_sweep_state_size(sweep), double);
    double *vectors = MO_TAKE(arena, 4 * rows, double);
    if (newton) {
        newton->problem = problem;
        newton->sweep = sweep;
        newton->rho = rho;
        newton->z = vectors;
        newton->dr = vectors + rows;
        newton->u = vectors + 2 * rows;
        newton->trial = vectors + 3 * rows;
        newton->state = state;
    }
    return MO_OK;
}

void mo_newton_begin(mo_newton *s, double eps)
{
    const mo_problem *problem = s->problem;
    s->eps = eps;
    s->theta = 0;
    s->centre = NULL;
    for (int i = 0; i < problem->constraint_count; ++i) {
        const int d = mo_constraint_dim(problem, i);
        const double *W_ii = mo_sweep_diagonal(s->sweep, i);
        double trace = 0;
        for (int k = 0; k < d; ++k) {
            trace += W_ii[k * d + k];
        }
        s->rho[i] = trace > 0 ? d / trace : 1;
    }
}

void mo_newton_velocity(mo_newton *s, const double *r)
{
    const int is_global = mo_sweep_state_size(s->sweep) > 0;
    mo_sweep_reset(s->sweep, 1, r, s->state);
    mo_sweep_all_velocities(s->sweep, 1, is_global ? s->state : r, s->u);
}

void mo_newton_sweep(mo_newton *s, double *r)
{
    double *x = mo_sweep_state_size(s->sweep) > 0 ? s->state : r;
    const mo_visitor visitor = mo_visitor_begin(s->sweep, 1, r, x);
    for (int i = 0; i < s->problem->constraint_count; ++i) {
        mo_visit(&visitor, i);
    }
}

/* The velocity that the law of block i sees, compliance included, and the point x of which r is to be the projection. */
static void projected_point(const mo_newton *s, int i, const double *r, double *law_u, double *x)
{
    const mo_problem *problem = s->problem;
    const int row = problem->row_start[i], d = problem->row_start[i + 1] - row;
    const double *from = s->theta > 0 ? s->centre : r;
    const double step = s->theta > 0 ? s->theta * s->rho[i] : s->rho[i];
    mo_law_velocity(problem, row, d, s->u + row, r + row, law_u);
    mo_constraint_law(problem, i)->shift(mo_constraint_param(problem, i), d, law_u, x);
    for (int k = 0; k < d; ++k) {
        x[k] = from[row + k] - step * x[k];
    }
}

double mo_newton_evaluate(mo_newton *s, const double *r)
{
    const mo_problem *problem = s->problem;
    double law_u[MO_BILATERAL_MAX_DIM], x[MO_BILATERAL_MAX_DIM], sum = 0;
    mo_newton_velocity(s, r);
    for (int i = 0; i < problem->constraint_count; ++i) {
        const int row = problem->row_start[i], d = problem->row_start[i + 1] - row;
        projected_point(s, i, r, law_u, x);
        mo_constraint_law(problem, i)->project(mo_constraint_param(problem, i), d, x, x);
        for (int k = 0; k < d; ++k) {
            s->z[row + k] = r[row + k] - x[k];
        }
        sum += mo_dot(d, s->z + row, s->z + row) / s->rho[i];
    }
    return sqrt(sum);
}

/* J and G of block i; a joint is its own projection.  False where J = 0. */
static int differentiate(const mo_newton *s, int i, const double *r, double *J, double *G)
{
    const mo_problem *problem = s->problem;
    const int d = mo_constraint_dim(problem, i);
    const mo_law_ops *law = mo_constraint_law(problem, i);
    const double *p = mo_constraint_param(problem, i);
    double law_u[MO_BILATERAL_MAX_DIM], x[MO_BILATERAL_MAX_DIM], size = 0;
    projected_point(s, i, r, law_u, x);
    law->project_derivative(p, d, x, J);
    law->shift_derivative(p, d, law_u, G);
    for (int k = 0; k < d * d; ++k) {
        size += fabs(J[k]);
    }
    return size > 0;
}

/* B = rho J G (theta rho J G), and D = I - (1 - eps) J (or I) + B compliance. */
static void set_block(mo_newton *s, int i, const double *J, const double *G)
{
    const mo_problem *problem = s->problem;
    const int row = problem->row_start[i], d = problem->row_start[i + 1] - row;
    const double step = s->theta > 0 ? s->theta * s->rho[i] : s->rho[i];
    const double own = s->theta > 0 ? 0 : 1 - s->eps;
    double *B = s->system.B + s->system.start[i], *D = s->system.D + s->system.start[i];
    for (int j = 0; j < d; ++j) {
        for (int k = 0; k < d; ++k) {
            double JG = 0;
            for (int l = 0; l < d; ++l) {
                JG += J[j * d + l] * G[l * d + k];
            }
            B[j * d + k] = step * JG;
            D[j * d + k] = (j == k) - own * J[j * d + k] +
                           (problem->compliance ? B[j * d + k] * problem->compliance[row + k] : 0);
        }
    }
}

int mo_newton_find_step(mo_newton *s, const double *r)
{
    const mo_problem *problem = s->problem;
    double J[MO_BILATERAL_MAX_DIM * MO_BILATERAL_MAX_DIM],
        G[MO_BILATERAL_MAX_DIM * MO_BILATERAL_MAX_DIM];
    for (int i = 0; i < problem->constraint_count; ++i) {
        s->system.active[i] = (uint8_t)differentiate(s, i, r, J, G);
        if (s->system.active[i]) {
            set_block(s, i, J, G);
        }
    }
    for (int k = 0; k < problem->row_count; ++k) {
        s->dr[k] = -s->z[k];
    }
    if (!mo_delassus_factor(&s->system)) {
        return 0;
    }
    mo_delassus_solve(&s->system, s->dr);
    return 1;
}

double mo_newton_take_step(mo_newton *s, double target, int halvings, double *r)
{
    const int rows = s->problem->row_count;
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
