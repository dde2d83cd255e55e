/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
#include "problem/delassus.h"

#include <string.h>

/* ---- the choice ------------------------------------------------------------------------------ */

/* With this many velocities a row, body space is not even planned; with fewer velocities than rows, contact space is not. */
enum { MANY_VELOCITIES = 4 };

mo_error mo_delassus_choose(const mo_problem *problem, mo_space *space, double *flops)
{
    const mo_contact_space *contact = NULL;
    const mo_body_space *body = NULL;
    const int rows = problem->row_count, dofs = problem->dof_count;
    const bool is_global = problem->form == MO_FORM_GLOBAL;
    mo_error error = MO_OK;
    if (is_global && dofs / MANY_VELOCITIES <= rows) {
        error = mo_problem_body_space(problem, &body);
    }
    if (!error && (!body || dofs > rows)) {
        error = mo_problem_contact_space(problem, &contact);
    }
    if (error) {
        return error;
    }
    *space = body && (!contact || body->plan->flops <= contact->plan->flops) ? MO_SPACE_BODIES
                                                                             : MO_SPACE_CONTACTS;
    *flops = *space == MO_SPACE_BODIES ? body->plan->flops : contact->plan->flops;
    return MO_OK;
}

/* ---- room ------------------------------------------------------------------------------------ */

static mo_error find_space(const mo_problem *problem, mo_space space,
                           const mo_contact_space **contact, const mo_body_space **body)
{
    double flops;
    mo_error error = space == MO_SPACE_BEST ? mo_delassus_choose(problem, &space, &flops) : MO_OK;
    *contact = NULL;
    *body = NULL;
    if (!error) {
        error = space == MO_SPACE_BODIES ? mo_problem_body_space(problem, body)
                                         : mo_problem_contact_space(problem, contact);
    }
    return error;
}

mo_error mo_delassus_layout(const mo_problem *problem, mo_space space, mo_arena *arena,
                            mo_delassus *system)
{
    mo_delassus s = {.problem = problem};
    mo_error error = find_space(problem, space, &s.contact, &s.body);
    error = error ? error : mo_problem_sweep(problem, MO_SWEEP_NATURAL, &s.sweep);
    if (error) {
        return error;
    }
    const mo_problem *W = s.contact ? s.contact->W : NULL;
    const size_t count = (size_t)problem->constraint_count;
    size_t blocks = 0;
    for (size_t i = 0; i < count; ++i) {
        const size_t d = (size_t)mo_constraint_dim(problem, (int)i);
        blocks += d * d;
    }
    s.active = MO_TAKE(arena, count, uint8_t);
    s.start = MO_TAKE(arena, count, size_t);
    s.D = MO_TAKE(arena, blocks, double);
    s.B = MO_TAKE(arena, blocks, double);
    s.K = MO_TAKE(arena, s.body ? blocks : 0, double);
    s.values = MO_TAKE(arena, W ? W->value_start[count] : s.body->value_count, double);
    s.rows = MO_TAKE(arena, problem->row_count, double);
    s.state = MO_TAKE(arena, problem->dof_count, double);
    mo_front_lu_layout(W ? s.contact->plan : s.body->plan, arena, system ? &s.lu : NULL);
    if (system) {
        *system = s;
        blocks = 0;
        for (size_t i = 0; i < count; ++i) {
            const size_t d = (size_t)mo_constraint_dim(problem, (int)i);
            system->start[i] = blocks;
            blocks += d * d;
        }
    }
    return MO_OK;
}

/* ---- contact space --------------------------------------------------------------------------- */

/* C = A X, A d x d, X d x n. */
static inline void multiply(int d, int n, const double *A, const double *X, double *C)
{
    for (int a = 0; a < d; ++a) {
        for (int k = 0; k < n; ++k) {
            C[a * n + k] = A[a * d] * X[k];
        }
        for (int b = 1; b < d; ++b) {
            mo_axpy(n, A[a * d + b], X + (size_t)b * (size_t)n, C + (size_t)a * (size_t)n);
        }
    }
}

static void multiply_row(const mo_delassus *s, const mo_problem *W, int i)
{
    const int d = mo_constraint_dim(W, i);
    const double *B = s->B + s->start[i], *from = W->values + W->value_start[i];
    double *to = s->values + W->value_start[i];
    for (int e = W->block_start[i]; e < W->block_start[i + 1]; ++e) {
        const int j = W->block_index[e], n = mo_constraint_dim(W, j);
        if (s->active[j] && d == 3 && n == 3) {
            multiply(3, 3, B, from, to);
        } else if (s->active[j] && d == 2 && n == 2) {
            multiply(2, 2, B, from, to);
        } else if (s->active[j]) {
            multiply(d, n, B, from, to);
        }
        from += (size_t)d * (size_t)n;
        to += (size_t)d * (size_t)n;
    }
}

static bool factor_contacts(mo_delassus *s)
{
    const mo_problem *W = s->contact->W;
    for (int i = 0; i < W->constraint_count; ++i) {
        if (s->active[i]) {
            multiply_row(s, W, i);
        }
    }
    return mo_front_lu_factor(&s->lu, s->values, s->D, s->start, s->active);
}

/* b_i loses B_i W_ij b_j of the blocks j that are not active. */
static void move_inactive(const mo_delassus *s, const mo_problem *W, int i, double *x)
{
    const int row = W->row_start[i], d = W->row_start[i + 1] - row;
    const double *W_ij = W->values + W->value_start[i], *B = s->B + s->start[i];
    double u[MO_BILATERAL_MAX_DIM] = {0};
    for (int e = W->block_start[i]; e < W->block_start[i + 1]; ++e) {
        const int j = W->block_index[e], n = mo_constraint_dim(W, j);
        for (int a = 0; !s->active[j] && a < d; ++a) {
            u[a] += mo_dot(n, W_ij + (size_t)a * (size_t)n, x + W->row_start[j]);
        }
        W_ij += (size_t)d * (size_t)n;
    }
    for (int a = 0; a < d; ++a) {
        x[row + a] -= mo_dot(d, B + a * d, u);
    }
}

static void solve_contacts(const mo_delassus *s, double *x)
{
    const mo_problem *W = s->contact->W;
    for (int i = 0; i < W->constraint_count; ++i) {
        if (s->active[i]) {
            move_inactive(s, W, i, x);
        }
    }
    mo_front_lu_solve(&s->lu, x);
}

/* ---- body space ------------------------------------------------------------------------------ */

/* D becomes D^-1; K = D^-1 B. */
static bool divide(mo_delassus *s, int i)
{
    const int d = mo_constraint_dim(s->problem, i);
    double *D = s->D + s->start[i];
    if (!mo_invert_small(d, D)) {
        return false;
    }
    multiply(d, d, D, s->B + s->start[i], s->K + s->start[i]);
    return true;
}

static bool factor_bodies(mo_delassus *s)
{
    mo_body_space_begin(s->body, s->values);
    for (int i = 0; i < s->problem->constraint_count; ++i) {
        if (s->active[i]) {
            if (!divide(s, i)) {
                return false;
            }
            mo_body_space_add(s->body, s->sweep, i, s->K + s->start[i], s->values);
        }
    }
    return mo_front_lu_factor(&s->lu, s->values, NULL, NULL, NULL);
}

static void solve_bodies(const mo_delassus *s, double *x)
{
    const mo_problem *problem = s->problem;
    double u[MO_BILATERAL_MAX_DIM];
    memset(s->state, 0, (size_t)problem->dof_count * sizeof(double));
    for (int i = 0; i < problem->constraint_count; ++i) {
        const int row = problem->row_start[i], d = problem->row_start[i + 1] - row;
        for (int a = 0; a < d; ++a) {
            s->rows[row + a] =
                s->active[i] ? mo_dot(d, s->D + s->start[i] + a * d, x + row) : x[row + a];
        }
        mo_sweep_apply(s->sweep, i, s->rows + row, s->state);
    }
    mo_front_lu_solve(&s->lu, s->state);
    for (int i = 0; i < problem->constraint_count; ++i) {
        const int row = problem->row_start[i], d = problem->row_start[i + 1] - row;
        if (!s->active[i]) {
            continue;
        }
        mo_sweep_change(s->sweep, i, s->state, u);
        for (int a = 0; a < d; ++a) {
            x[row + a] = s->rows[row + a] - mo_dot(d, s->K + s->start[i] + a * d, u);
        }
    }
}

bool mo_delassus_factor(mo_delassus *system)
{
    return system->contact ? factor_contacts(system) : factor_bodies(system);
}

void mo_delassus_solve(const mo_delassus *system, double *x)
{
    if (system->contact) {
        solve_contacts(system, x);
    } else {
        solve_bodies(system, x);
    }
}

void mo_delassus_response(const mo_delassus *s, const double *x, double *u)
{
    const mo_problem *W = s->contact ? s->contact->W : NULL;
    for (int i = 0; i < s->problem->constraint_count; ++i) {
        const int row = s->problem->row_start[i], d = s->problem->row_start[i + 1] - row;
        if (!W) {
            mo_sweep_change(s->sweep, i, s->state, u + row);
            continue;
        }
        const double *W_ij = W->values + W->value_start[i];
        memset(u + row, 0, (size_t)d * sizeof *u);
        for (int e = W->block_start[i]; e < W->block_start[i + 1]; ++e) {
            const int j = W->block_index[e], n = mo_constraint_dim(W, j);
            for (int k = 0; k < d; ++k, W_ij += n) {
                u[row + k] += mo_dot(n, W_ij, x + W->row_start[j]);
            }
        }
    }
}
