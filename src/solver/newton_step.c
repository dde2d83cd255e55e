/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
#include "solver/newton_step.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/pace.h"
#include "linalg/dense.h"
#include "solver/fischer_burmeister.h"
#include "solver/visit.h"

static const double SLENDER = 0.3; /* of U / load: a margin for slender stacks that sway */
static const double LEAST = 1e-6;  /* of eps */

mo_error mo_newton_layout_in(mo_space space, const mo_problem *problem, mo_arena *arena,
                             mo_newton *newton)
{
    newton->problem = problem;
    MO_TRY(mo_problem_sweep(problem, MO_SWEEP_NATURAL, &newton->sweep));
    MO_TRY(mo_delassus_layout(problem, space, arena, &newton->system));
    newton->rho = MO_TAKE(arena, problem->constraint_count, double);
    newton->state = MO_TAKE(arena, mo_sweep_state_size(newton->sweep), double);
    MO_TAKE_EACH(arena, problem->row_count, double, &newton->z, &newton->dr, &newton->u,
                 &newton->trial);
    return MO_OK;
}

/* U of (loads); s->u is written over. */
static double fastest_at_zero(mo_newton *s)
{
    const mo_problem *problem = s->problem;
    const double *q = problem->w;
    double most = 0;
    if (mo_sweep_state_size(s->sweep) > 0) {
        mo_sweep_all_velocities(s->sweep, 1, s->sweep->free_state, s->u);
        q = s->u;
    }
    for (int i = 0; i < problem->constraint_count; ++i) {
        const int row = problem->row_start[i], d = problem->row_start[i + 1] - row;
        most = fmax(most, mo_dot(d, q + row, q + row));
    }
    return sqrt(most);
}

void mo_newton_begin(mo_newton *s, double eps)
{
    const mo_problem *problem = s->problem;
    s->eps = eps;
    s->theta = 0;
    s->function = MO_NEWTON_AC;
    s->centre = NULL;
    for (int i = 0; i < problem->constraint_count; ++i) {
        const int d = mo_constraint_dim(problem, i);
        const double *W_ii = mo_sweep_diagonal(s->sweep, i);
        double trace = 0;
        mo_pace_every(i + 1, 128);
        for (int k = 0; k < d; ++k)
            trace += W_ii[k * d + k];
        s->rho[i] = trace > 0 ? d / trace : 1;
    }
    s->speed = fastest_at_zero(s);
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
    for (int i = 0; i < s->problem->constraint_count; ++i)
        mo_visit(&visitor, i);
}

/* The velocity that the law of block i sees, compliance included, and the point x of which r is to
 * be the projection. */
static void projected_point(const mo_newton *s, int i, const double *r, double *law_u, double *x)
{
    const mo_problem *problem = s->problem;
    const int row = problem->row_start[i], d = problem->row_start[i + 1] - row;
    const double *from = s->theta > 0 ? s->centre : r;
    const double step = s->theta > 0 ? s->theta * s->rho[i] : s->rho[i];
    mo_law_velocity(problem, row, d, s->u + row, r + row, law_u);
    mo_constraint_law(problem, i)->shift(mo_constraint_param(problem, i), d, law_u, x);
    mo_along(d, from + row, -step, x, x);
}

/* The coefficient of friction for Fischer and Burmeister's function, or 0 where the natural map is
 * used. */
static double fischer_mu(const mo_newton *s, int i)
{
    const mo_law_kind kind = (mo_law_kind)s->problem->law[i].kind;
    if (s->function != MO_NEWTON_FB || s->theta > 0) return 0;
    const double mu = kind == MO_LAW_COULOMB        ? mo_constraint_param(s->problem, i)[0]
                      : kind == MO_LAW_FRICTIONLESS ? 1
                                                    : 0;
    return isinf(mu) ? 0 : mu;
}

static void evaluate_block(const mo_newton *s, int i, const double *r, double *z)
{
    const mo_problem *problem = s->problem;
    const int row = problem->row_start[i], d = problem->row_start[i + 1] - row;
    const mo_law_ops *law = mo_constraint_law(problem, i);
    const double *p = mo_constraint_param(problem, i), mu = fischer_mu(s, i);
    double law_u[MO_BILATERAL_MAX_DIM], x[MO_BILATERAL_MAX_DIM];
    if (mu > 0) {
        mo_law_velocity(problem, row, d, s->u + row, r + row, law_u);
        law->shift(p, d, law_u, x);
        mo_fischer_burmeister(mu, d, s->rho[i], x, r + row, z, NULL, NULL);
        return;
    }
    projected_point(s, i, r, law_u, x);
    law->project(p, d, x, x);
    for (int k = 0; k < d; ++k)
        z[k] = r[row + k] - x[k];
}

double mo_newton_judge(mo_newton *s, const double *r)
{
    const mo_problem *problem = s->problem;
    double sum = 0;
    for (int i = 0; i < problem->constraint_count; ++i) {
        double *z = s->z + problem->row_start[i];
        mo_pace_every(i + 1, 128);
        evaluate_block(s, i, r, z);
        const int d = mo_constraint_dim(problem, i);
        sum += mo_dot(d, z, z) / s->rho[i];
    }
    return sum;
}

double mo_newton_evaluate(mo_newton *s, const double *r)
{
    mo_newton_velocity(s, r);
    return sqrt(mo_newton_judge(s, r));
}

/* (loads) */
static double eps_of(const mo_newton *s, int i, const double *r)
{
    const int row = s->problem->row_start[i], d = s->problem->row_start[i + 1] - row;
    const double load = sqrt(mo_dot(d, r + row, r + row)) / s->rho[i];
    const double speed = SLENDER * s->speed;
    return load > speed ? s->eps * fmax(LEAST, speed / load) : s->eps;
}

/* C = scale A G, all d x d. */
static void multiply(int d, double scale, const double *A, const double *G, double *C)
{
    for (int j = 0; j < d; ++j) {
        for (int k = 0; k < d; ++k) {
            double sum = 0;
            for (int l = 0; l < d; ++l)
                sum += A[j * d + l] * G[l * d + k];
            C[j * d + k] = scale * sum;
        }
    }
}

/* D = J_r + eps, B = J_u G. */
static void differentiate_fischer(mo_newton *s, int i, double mu, const double *r, double *D,
                                  double *B)
{
    const mo_problem *problem = s->problem;
    const int row = problem->row_start[i], d = problem->row_start[i + 1] - row;
    const mo_law_ops *law = mo_constraint_law(problem, i);
    const double *p = mo_constraint_param(problem, i);
    double law_u[3], uhat[3], z[3], J[9], G[9];
    mo_law_velocity(problem, row, d, s->u + row, r + row, law_u);
    law->shift(p, d, law_u, uhat);
    law->shift_derivative(p, d, law_u, G);
    mo_fischer_burmeister(mu, d, s->rho[i], uhat, r + row, z, D, J);
    multiply(d, 1, J, G, B);
    const double eps = eps_of(s, i, r);
    for (int k = 0; k < d; ++k)
        D[k * (d + 1)] += eps;
}

/* B = rho J G (theta rho J G), D = I - (1 - eps) J (or I); a joint is its own projection.  False
 * where J = 0. */
static int differentiate_natural(mo_newton *s, int i, const double *r, double *D, double *B)
{
    const mo_problem *problem = s->problem;
    const int d = mo_constraint_dim(problem, i);
    const mo_law_ops *law = mo_constraint_law(problem, i);
    const double *p = mo_constraint_param(problem, i), own = s->theta > 0 ? 0 : 1 - eps_of(s, i, r);
    double law_u[MO_BILATERAL_MAX_DIM], x[MO_BILATERAL_MAX_DIM], size = 0;
    double J[MO_BILATERAL_MAX_DIM * MO_BILATERAL_MAX_DIM],
        G[MO_BILATERAL_MAX_DIM * MO_BILATERAL_MAX_DIM];
    projected_point(s, i, r, law_u, x);
    law->project_derivative(p, d, x, J);
    for (int k = 0; k < d * d; ++k)
        size += fabs(J[k]);
    if (!(size > 0)) return 0;
    law->shift_derivative(p, d, law_u, G);
    multiply(d, s->theta > 0 ? s->theta * s->rho[i] : s->rho[i], J, G, B);
    for (int k = 0; k < d * d; ++k)
        D[k] = (k % (d + 1) == 0) - own * J[k];
    return 1;
}

/* D and B of block i, compliance included; false where they are 1 and 0. */
static int differentiate(mo_newton *s, int i, const double *r)
{
    const mo_problem *problem = s->problem;
    const int row = problem->row_start[i], d = problem->row_start[i + 1] - row;
    double *B = s->system.B + s->system.start[i], *D = s->system.D + s->system.start[i];
    const double mu = fischer_mu(s, i);
    if (mu > 0)
        differentiate_fischer(s, i, mu, r, D, B);
    else if (!differentiate_natural(s, i, r, D, B))
        return 0;
    for (int k = 0; problem->compliance && k < d * d; ++k)
        D[k] += B[k] * problem->compliance[row + k % d];
    return 1;
}

void mo_newton_differentiate(mo_newton *s, const double *r)
{
    for (int i = 0; i < s->problem->constraint_count; ++i)
        s->system.active[i] = (uint8_t)differentiate(s, i, r);
}

int mo_newton_find_step(mo_newton *s, const double *r)
{
    const mo_problem *problem = s->problem;
    mo_newton_differentiate(s, r);
    for (int k = 0; k < problem->row_count; ++k)
        s->dr[k] = -s->z[k];
    MO_PASS(mo_delassus_factor(&s->system));
    mo_delassus_solve(&s->system, s->dr);
    return 1;
}

double mo_newton_take_step(mo_newton *s, double target, int halvings, double *r)
{
    const int rows = s->problem->row_count;
    const size_t bytes = (size_t)rows * sizeof *r;
    double best = INFINITY, length = 1, now = INFINITY;
    for (int k = 0; k <= halvings && !(best < target); ++k) {
        const double t = ldexp(1, -k);
        mo_along(rows, r, t, s->dr, s->trial);
        now = mo_newton_evaluate(s, s->trial);
        if (now < best) {
            best = now;
            length = t;
        }
    }
    if (now == best && isfinite(best)) { /* the last of them, which has just been evaluated */
        memcpy(r, s->trial, bytes);
        return now;
    }
    for (int j = 0; j < rows && isfinite(best); ++j)
        r[j] += length * s->dr[j];
    return mo_newton_evaluate(s, r);
}
