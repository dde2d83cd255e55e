/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
#include "solver/admm_step.h"

#include <math.h>
#include <string.h>

#include "base/random.h"
#include "linalg/dense.h"

enum { POWER_STEPS = 20, MEMORY = 10 };
enum { WAIT_FIRST = 10, BALANCES_MOST = 20, WINDOW_FIRST = 200 };
static const double RELAX = 1.6;
static const double RHO_LEAST = 1e-7, RHO_MOST = 1e7;
static const double UNBALANCED = 10;   /* ratio of the residuals at which rho changes */
static const double WAIT_GROWTH = 1.5; /* growth of the number of steps between two changes */
static const double SLOW = 0.3;        /* a window should reduce the residual to this fraction */
static const double WINDOW_GROWTH = 1.2;
static const double LEAST_EIGENVALUE = 1e-6; /* assumed for a W that may be singular */

mo_error mo_admm_layout(const mo_problem *problem, mo_arena *arena, mo_admm *admm)
{
    *admm = (mo_admm){0};
    MO_TAKE_EACH(arena, problem->row_count, double, &admm->q, &admm->r, &admm->x, &admm->z,
                 &admm->lambda, &admm->z_before, &admm->image, &admm->row_scale);
    admm->scale = MO_TAKE(arena, problem->constraint_count, double);
    mo_anderson_layout(arena, problem->row_count, MEMORY, &admm->anderson);
    admm->anderson.weight = admm->row_scale;
    return mo_block_system_layout(problem, arena, &admm->system);
}

/* ---- the first penalty ----------------------------------------------------------------------- */

/* The largest eigenvalue of D^-1 W, by power iteration. */
static double largest_eigenvalue(mo_admm *admm, double *v)
{
    const mo_problem *problem = admm->system.sweep->problem;
    double *x = admm->z, *y = admm->r, eta = 1;
    mo_random random = {1};
    for (int k = 0; k < problem->row_count; ++k) {
        x[k] = mo_random_unit(&random) - 0.5;
    }
    for (int step = 0; step < POWER_STEPS; ++step) {
        double size = 0;
        const double most = mo_largest(problem->row_count, x);
        for (int k = 0; k < problem->row_count; ++k) {
            x[k] /= most;
        }
        mo_problem_response_into(problem, x, v, y);
        for (int i = 0; i < problem->constraint_count; ++i) {
            for (int k = problem->row_start[i]; k < problem->row_start[i + 1]; ++k) {
                y[k] = (y[k] - admm->q[k]) / admm->scale[i];
                size += x[k] * x[k];
            }
        }
        const double now = mo_dot(problem->row_count, x, y) / size;
        memcpy(x, y, (size_t)problem->row_count * sizeof *x);
        if (!(now > 0) || !isfinite(now)) {
            return fmax(eta, 1e-3);
        }
        eta = now;
    }
    return eta;
}

void mo_admm_begin(mo_admm *admm, double rho, double *v)
{
    const mo_problem *problem = admm->system.sweep->problem;
    mo_block_system_begin(&admm->system);
    mo_convex_scales(admm->system.sweep, admm->scale);
    for (int i = 0; i < problem->constraint_count; ++i) {
        for (int k = problem->row_start[i]; k < problem->row_start[i + 1]; ++k) {
            admm->row_scale[k] = admm->scale[i];
        }
    }
    memset(admm->r, 0, (size_t)problem->row_count * sizeof *admm->r);
    mo_problem_response_into(problem, admm->r, v, admm->q);
    admm->rho = rho;
    admm->is_factored = 0;
    if (rho == 0 && problem->row_count > 0) { /* [carpentier2024]: sqrt(L m) (L / m)^0.2 */
        const double L = largest_eigenvalue(admm, v), m = LEAST_EIGENVALUE;
        admm->rho = sqrt(L * m) * pow(L / m, 0.2);
    }
}

/* x from z and lambda, at the current rho. */
static void place_argument(mo_admm *admm)
{
    const int rows = admm->system.sweep->problem->row_count;
    for (int k = 0; k < rows; ++k) {
        admm->x[k] = admm->z[k] - admm->lambda[k] / (admm->rho * admm->row_scale[k]);
    }
    mo_anderson_clear(&admm->anderson);
    admm->is_mixed = 0;
}

void mo_admm_start(mo_admm *admm, const mo_convex *convex, const double *r0, const double *u0)
{
    const mo_problem *problem = convex->problem;
    memcpy(admm->z, r0, (size_t)problem->row_count * sizeof *r0);
    for (int i = 0; i < problem->constraint_count; ++i) {
        const int row = problem->row_start[i], d = problem->row_start[i + 1] - row;
        double law_u[MO_BILATERAL_MAX_DIM], x[MO_BILATERAL_MAX_DIM], y[MO_BILATERAL_MAX_DIM];
        mo_law_velocity(problem, row, d, u0 + row, r0 + row, law_u);
        for (int k = 0; k < d; ++k) {
            x[k] = r0[row + k] - law_u[k] / admm->scale[i];
        }
        mo_convex_prox(convex, i, 1 / admm->scale[i], x, y);
        for (int k = 0; k < d; ++k) {
            admm->lambda[row + k] = admm->scale[i] * (y[k] - x[k]);
        }
    }
    admm->since = admm->changes = admm->steps = admm->jumps = 0;
    admm->wait = WAIT_FIRST;
    admm->window = admm->window_end = WINDOW_FIRST;
    admm->window_residual = INFINITY;
    admm->rho_first = admm->rho;
    place_argument(admm);
}

void mo_admm_shifts(const mo_admm *admm, double *s)
{
    const mo_problem *problem = admm->system.sweep->problem;
    for (int i = 0; i < problem->constraint_count; ++i) {
        const int row = problem->row_start[i], d = problem->row_start[i + 1] - row;
        s[i] = 0;
        if (mo_convex_has_shift(problem, i)) {
            double u[MO_LAW_MAX_DIM], uhat[MO_LAW_MAX_DIM];
            memcpy(u, admm->lambda + row, (size_t)d * sizeof *u);
            u[0] = 0;
            mo_constraint_law(problem, i)->shift(mo_constraint_param(problem, i), d, u, uhat);
            s[i] = uhat[0];
        }
    }
}

/* ---- one iteration --------------------------------------------------------------------------- */

static double weight_of(const mo_convex *convex, int i)
{
    return convex->weight ? convex->weight[i] : 0;
}

static int factor(mo_admm *admm, const mo_convex *convex)
{
    const mo_problem *problem = convex->problem;
    for (int i = 0; i < problem->constraint_count; ++i) {
        const int row = problem->row_start[i], d = problem->row_start[i + 1] - row;
        double *E = mo_block_system_E(&admm->system, i), *G = mo_block_system_G(&admm->system, i);
        const double soft = admm->rho * admm->scale[i] + weight_of(convex, i);
        memset(E, 0, (size_t)(d * d) * sizeof *E);
        memset(G, 0, (size_t)(d * d) * sizeof *G);
        for (int k = 0; k < d; ++k) {
            E[k * d + k] = soft + (problem->compliance ? problem->compliance[row + k] : 0);
            G[k * d + k] = 1;
        }
    }
    admm->is_factored = mo_block_system_factor(&admm->system);
    return admm->is_factored;
}

/* Step 1. */
static void obey_dynamics(mo_admm *admm, const mo_convex *convex)
{
    const mo_problem *problem = convex->problem;
    for (int i = 0; i < problem->constraint_count; ++i) {
        const double penalty = admm->rho * admm->scale[i], weight = weight_of(convex, i);
        for (int k = problem->row_start[i]; k < problem->row_start[i + 1]; ++k) {
            admm->r[k] = penalty * admm->z[k] + admm->lambda[k] - admm->q[k] +
                         (weight > 0 ? weight * convex->centre[k] : 0);
        }
    }
    mo_block_system_solve(&admm->system, admm->r);
}

/* |r - z|^2 and |z - z before|^2, in the norm of D. */
typedef struct sizes {
    double primal, moved;
} sizes;

/* Steps 2 and 3: the next x. */
static void find_argument(mo_admm *admm)
{
    mo_anderson *memory = &admm->anderson;
    const int rows = memory->n;
    for (int k = 0; k < rows; ++k) {
        admm->image[k] = RELAX * admm->r[k] + (1 - RELAX) * admm->z[k] -
                         admm->lambda[k] / (admm->rho * admm->row_scale[k]);
    }
    if (admm->is_mixed && !(mo_anderson_distance(memory, admm->x, admm->image) <= memory->size)) {
        for (int k = 0; k < rows; ++k) { /* undo the mixture */
            admm->x[k] = memory->x[k] + memory->f[k];
        }
        mo_anderson_clear(memory);
        admm->is_mixed = 0;
        return;
    }
    mo_anderson_push(memory, admm->x, admm->image);
    mo_anderson_mix(memory, admm->x);
    admm->is_mixed = memory->count > 0;
}

/* Step 4 of one block. */
static void obey_law(mo_admm *admm, const mo_convex *convex, int i, sizes *sum)
{
    const mo_problem *problem = convex->problem;
    const int row = problem->row_start[i], d = problem->row_start[i + 1] - row;
    const double D = admm->scale[i], penalty = admm->rho * D;
    const double *x = admm->x + row;
    double *z = admm->z + row, *lambda = admm->lambda + row;
    memcpy(admm->z_before + row, z, (size_t)d * sizeof *z);
    mo_convex_prox(convex, i, 1 / penalty, x, z);
    for (int k = 0; k < d; ++k) {
        const double r = admm->r[row + k], moved = z[k] - admm->z_before[row + k];
        lambda[k] = penalty * (z[k] - x[k]);
        sum->primal += D * (r - z[k]) * (r - z[k]);
        sum->moved += D * moved * moved;
    }
}

int mo_admm_step(mo_admm *admm, const mo_convex *convex)
{
    sizes sum = {0};
    if (!admm->is_factored && !factor(admm, convex)) {
        return 0;
    }
    obey_dynamics(admm, convex);
    find_argument(admm);
    for (int i = 0; i < convex->problem->constraint_count; ++i) {
        obey_law(admm, convex, i, &sum);
    }
    admm->primal = sqrt(sum.primal);
    admm->dual = admm->rho * sqrt(sum.moved);
    ++admm->since;
    ++admm->steps;
    return isfinite(admm->primal + admm->dual);
}

/* ---- the penalty ----------------------------------------------------------------------------- */

static void change_penalty(mo_admm *admm, double rho)
{
    admm->rho = fmin(RHO_MOST, fmax(RHO_LEAST, rho));
    admm->is_factored = 0;
    admm->since = 0;
    place_argument(admm);
}

/* While rho is new: a factor of two towards the smaller residual if primal and dual residual
 * differ much. */
static void balance(mo_admm *admm)
{
    if (admm->since < admm->wait || admm->changes >= BALANCES_MOST) {
        return;
    }
    const double ratio = admm->primal / admm->dual;
    if (ratio > UNBALANCED || ratio < 1 / UNBALANCED) {
        admm->wait = (int)(WAIT_GROWTH * admm->wait);
        ++admm->changes;
        change_penalty(admm, ratio > 1 ? 2 * admm->rho : 0.5 * admm->rho);
    }
}

void mo_admm_adapt(mo_admm *admm, double residual)
{
    static const double places[] = {1, 0.2, 5, 0.04, 25};
    enum { PLACES = sizeof places / sizeof places[0] };
    if (admm->steps < admm->window_end) {
        balance(admm);
        return;
    }
    if (!(residual <= SLOW * admm->window_residual)) {
        change_penalty(admm, places[admm->jumps % PLACES] * admm->rho_first);
        admm->changes = BALANCES_MOST;
        ++admm->jumps;
    }
    admm->window = (int)(WINDOW_GROWTH * admm->window);
    admm->window_end = admm->steps + admm->window;
    admm->window_residual = residual;
}
