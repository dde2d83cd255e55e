/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
#include "solver/block_system.h"

#include <math.h>
#include <string.h>

/* ---- layout ---------------------------------------------------------------------------------- */

/* Bodies where they can be used, unless contacts are few enough that their factorisation may be cheaper and is. */
static mo_error choose_space(const mo_problem *problem, mo_block_system *system)
{
    const int has_bodies = problem->form == MO_FORM_GLOBAL && problem->is_symmetric;
    mo_error error = MO_OK;
    if (has_bodies) {
        error = mo_problem_kkt(problem, &system->kkt);
    }
    if (!error && (!has_bodies || problem->row_count < problem->dof_count)) {
        error = mo_problem_contact_space(problem, &system->space);
    }
    if (error || !system->kkt || !system->space) {
        return error;
    }
    if (2 * system->space->plan->flops <
        system->kkt->plan->flops) { /* LU takes twice what Cholesky does */
        system->kkt = NULL;
    } else {
        system->space = NULL;
    }
    return MO_OK;
}

static void layout_space(const mo_problem *problem, mo_arena *arena, mo_block_system *system)
{
    const mo_block_plan *plan = system->kkt ? system->kkt->plan : system->space->plan;
    int *ints = MO_TAKE(arena, mo_block_ints(plan), int);
    double *values = MO_TAKE(arena, plan->value_count, double);
    if (system->kkt) {
        system->ints = ints;
        system->matrix = values;
        system->y = MO_TAKE(arena, problem->dof_count, double);
    } else {
        system->lu =
            (mo_block_lu){plan, values, MO_TAKE(arena, plan->value_count, double), NULL, ints};
    }
}

mo_error mo_block_system_layout(const mo_problem *problem, mo_arena *arena, mo_block_system *system)
{
    mo_block_system own = {0};
    size_t total = 0;
    mo_error error = mo_problem_sweep(problem, MO_SWEEP_NATURAL, &own.sweep);
    error = error ? error : choose_space(problem, &own);
    if (error) {
        return error;
    }
    for (int i = 0; i < problem->constraint_count; ++i) {
        const size_t d = (size_t)mo_constraint_dim(problem, i);
        total += d * d;
    }
    own.start = MO_TAKE(arena, problem->constraint_count, size_t);
    own.E = MO_TAKE(arena, total, double);
    own.G = MO_TAKE(arena, total, double);
    own.B = own.kkt ? MO_TAKE(arena, total, double) : NULL;
    layout_space(problem, arena, &own);
    if (system) {
        *system = own;
    }
    return MO_OK;
}

void mo_block_system_begin(mo_block_system *system)
{
    const mo_problem *problem = system->sweep->problem;
    size_t total = 0;
    for (int i = 0; i < problem->constraint_count; ++i) {
        const size_t d = (size_t)mo_constraint_dim(problem, i);
        system->start[i] = total;
        total += d * d;
    }
}

/* ---- bodies ---------------------------------------------------------------------------------- */

/* E becomes its inverse; false where it has none. */
static int invert(int d, double *E)
{
    double copy[MO_BILATERAL_MAX_DIM * MO_BILATERAL_MAX_DIM], unit[MO_BILATERAL_MAX_DIM];
    double column[MO_BILATERAL_MAX_DIM], inverse[MO_BILATERAL_MAX_DIM * MO_BILATERAL_MAX_DIM];
    for (int k = 0; k < d; ++k) {
        memcpy(copy, E, (size_t)(d * d) * sizeof *E);
        memset(unit, 0, (size_t)d * sizeof *unit);
        unit[k] = 1;
        if (mo_solve_small(d, copy, unit, column) < d) {
            return 0;
        }
        for (int j = 0; j < d; ++j) {
            inverse[j * d + k] = column[j];
        }
    }
    memcpy(E, inverse, (size_t)(d * d) * sizeof *E);
    return 1;
}

static int factor_bodies(mo_block_system *system)
{
    const mo_problem *problem = system->sweep->problem;
    mo_kkt_begin(system->kkt, system->matrix);
    for (int i = 0; i < problem->constraint_count; ++i) {
        const int d = mo_constraint_dim(problem, i);
        double *E = mo_block_system_E(system, i), *B = system->B + system->start[i];
        const double *G = mo_block_system_G(system, i);
        if (!invert(d, E)) {
            return 0;
        }
        memset(B, 0, (size_t)(d * d) * sizeof *B);
        for (int j = 0; j < d; ++j) {
            for (int k = 0; k < d; ++k) {
                mo_axpy(d, E[j * d + k], G + k * d, B + j * d);
            }
        }
        mo_kkt_add(system->kkt, system->sweep, i, B, system->matrix);
    }
    return mo_block_factor(system->kkt->plan, system->matrix, system->ints);
}

/* u = P y of constraint i. */
static void read_bodies(const mo_block_system *system, int i, const double *y, double *u)
{
    const mo_problem *problem = system->sweep->problem;
    const int d = mo_constraint_dim(problem, i);
    const double *P = mo_sweep_pull(system->sweep, i);
    memset(u, 0, (size_t)d * sizeof *u);
    for (int k = problem->block_start[i]; k < problem->block_start[i + 1]; ++k) {
        const int body = problem->block_index[k], n = mo_body_dim(problem, body);
        for (int j = 0; j < d; ++j, P += n) {
            u[j] += mo_dot(n, P, y + problem->body_start[body]);
        }
    }
}

static void multiply(int d, const double *A, const double *x, double *y)
{
    for (int k = 0; k < d; ++k) {
        y[k] = mo_dot(d, A + k * d, x);
    }
}

static void solve_bodies(mo_block_system *system, double *x)
{
    const mo_problem *problem = system->sweep->problem;
    double b[MO_BILATERAL_MAX_DIM], u[MO_BILATERAL_MAX_DIM];
    memset(system->y, 0, (size_t)problem->dof_count * sizeof *system->y);
    for (int i = 0; i < problem->constraint_count; ++i) {
        const int row = problem->row_start[i], d = problem->row_start[i + 1] - row;
        multiply(d, mo_block_system_E(system, i), x + row, b);
        mo_sweep_apply(system->sweep, i, b, system->y);
    }
    mo_block_solve(system->kkt->plan, system->matrix, system->y);
    for (int i = 0; i < problem->constraint_count; ++i) {
        const int row = problem->row_start[i], d = problem->row_start[i + 1] - row;
        read_bodies(system, i, system->y, u);
        multiply(d, mo_block_system_G(system, i), u, b);
        for (int k = 0; k < d; ++k) {
            b[k] = x[row + k] - b[k];
        }
        multiply(d, mo_block_system_E(system, i), b, x + row);
    }
}

/* ---- contacts -------------------------------------------------------------------------------- */

static int factor_contacts(mo_block_system *system)
{
    const mo_contact_space *space = system->space;
    const mo_problem *W = space->W;
    mo_block_lu_clear(&system->lu);
    for (int i = 0; i < W->constraint_count; ++i) {
        const int d = mo_constraint_dim(W, i);
        const double *G = mo_block_system_G(system, i), *W_ij = W->values + W->value_start[i];
        memcpy(mo_block_lu_place(&system->lu, i, i), mo_block_system_E(system, i),
               (size_t)(d * d) * sizeof *G);
        for (int e = W->block_start[i]; e < W->block_start[i + 1]; ++e) {
            const int n = mo_constraint_dim(W, W->block_index[e]);
            double *to =
                (space->is_upper[e] ? system->lu.upper : system->lu.lower) + space->place[e];
            for (int a = 0; a < d; ++a) {
                for (int b = 0; b < d; ++b) {
                    mo_axpy(n, G[a * d + b], W_ij + b * n, to + a * n);
                }
            }
            W_ij += (size_t)d * (size_t)n;
        }
    }
    return mo_block_lu_factor(&system->lu);
}

static void respond_contacts(const mo_block_system *system, const double *x, double *u)
{
    const mo_problem *W = system->space->W;
    memset(u, 0, (size_t)W->row_count * sizeof *u);
    for (int i = 0; i < W->constraint_count; ++i) {
        const int row = W->row_start[i], d = W->row_start[i + 1] - row;
        const double *W_ij = W->values + W->value_start[i];
        for (int e = W->block_start[i]; e < W->block_start[i + 1]; ++e) {
            const int j = W->block_index[e], n = mo_constraint_dim(W, j);
            for (int k = 0; k < d; ++k, W_ij += n) {
                u[row + k] += mo_dot(n, W_ij, x + W->row_start[j]);
            }
        }
    }
}

/* ---- both ------------------------------------------------------------------------------------ */

int mo_block_system_factor(mo_block_system *system)
{
    return system->kkt ? factor_bodies(system) : factor_contacts(system);
}

void mo_block_system_solve(mo_block_system *system, double *x)
{
    if (system->kkt) {
        solve_bodies(system, x);
    } else {
        mo_block_lu_solve(&system->lu, x);
    }
}

void mo_block_system_response(mo_block_system *system, const double *x, double *u)
{
    const mo_problem *problem = system->sweep->problem;
    if (!system->kkt) {
        respond_contacts(system, x, u);
        return;
    }
    for (int i = 0; i < problem->constraint_count; ++i) {
        read_bodies(system, i, system->y, u + problem->row_start[i]);
    }
}
