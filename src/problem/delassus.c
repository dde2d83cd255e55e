/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
#include "problem/delassus.h"
#include "base/error.h"
#include "base/pace.h"

#include <string.h>

/* ---- the choice ------------------------------------------------------------------------------ */

/* So many velocities a row leave out body space; fewer velocities than rows, contact space. */
enum { MANY_VELOCITIES = 4 };

/* With fewer operations than this, the search for groups does not pay off. */
static const double GROUPS_FROM = 1e7;

static mo_error choose_groups(const mo_problem *problem, mo_space *space, double *flops)
{
    const mo_group_space *groups;
    const mo_error error = mo_problem_group_space(problem, &groups);
    if (!error && groups && groups->space->plan->flops < 0.5 * *flops) {
        *space = MO_SPACE_GROUPS;
        *flops = groups->space->plan->flops;
    }
    return error;
}

mo_error mo_delassus_choose(const mo_problem *problem, mo_space *space, double *flops)
{
    const mo_contact_space *contact = NULL;
    const mo_body_space *body = NULL;
    const int rows = problem->row_count, dofs = problem->dof_count;
    const bool is_global = problem->form == MO_FORM_GLOBAL;
    mo_error error = MO_OK;
    if (is_global && dofs / MANY_VELOCITIES <= rows) error = mo_problem_body_space(problem, &body);
    if (!error && (!body || dofs > rows)) error = mo_problem_contact_space(problem, &contact);
    MO_TRY(error);
    *space = body && (!contact || body->plan->flops <= contact->plan->flops) ? MO_SPACE_BODIES
                                                                             : MO_SPACE_CONTACTS;
    *flops = *space == MO_SPACE_BODIES ? body->plan->flops : contact->plan->flops;
    if (!is_global && contact->plan->flops > GROUPS_FROM)
        error = choose_groups(problem, space, flops);
    return error;
}

/* ---- memory ---------------------------------------------------------------------------------- */

static mo_error find_space(const mo_problem *problem, mo_space space, mo_delassus *s)
{
    double flops;
    MO_TRY(space == MO_SPACE_BEST ? mo_delassus_choose(problem, &space, &flops) : MO_OK);
    switch (space) {
    case MO_SPACE_BODIES:
        return mo_problem_body_space(problem, &s->body);
    case MO_SPACE_GROUPS:
        MO_TRY(mo_problem_group_space(problem, &s->groups));
        return s->groups ? MO_OK : mo_problem_contact_space(problem, &s->contact);
    default:
        return mo_problem_contact_space(problem, &s->contact);
    }
}

static void layout_matrix(const mo_contact_space *space, mo_arena *arena, mo_block_matrix *m)
{
    m->W = space->W;
    m->values = MO_TAKE(arena, m->W->value_start[m->W->constraint_count], double);
    mo_front_lu_layout(space->plan, arena, &m->lu);
}

static void layout_groups(const mo_problem *V, mo_arena *arena, mo_group_blocks *group)
{
    const size_t blocks = mo_square_starts(V, NULL);
    group->active = MO_TAKE(arena, V->constraint_count, uint8_t);
    group->start = MO_TAKE(arena, V->constraint_count, size_t);
    MO_TAKE_EACH(arena, blocks, double, &group->D, &group->B);
    MO_TAKE_EACH(arena, V->row_count, double, &group->s, &group->y);
}

/* The matrix gets its blocks from the user, or from the groups. */
static void connect_matrix(mo_delassus *s)
{
    mo_block_matrix *m = &s->matrix;
    m->active = s->groups ? s->group.active : s->active;
    m->start = s->groups ? s->group.start : s->start;
    m->D = s->groups ? s->group.D : s->D;
    m->B = s->groups ? s->group.B : s->B;
    if (s->groups) mo_square_starts(m->W, s->group.start);
}

mo_error mo_delassus_layout(const mo_problem *problem, mo_space space, mo_arena *arena,
                            mo_delassus *s)
{
    *s = (mo_delassus){.problem = problem};
    MO_TRY(find_space(problem, space, s));
    MO_TRY(mo_problem_sweep(problem, MO_SWEEP_NATURAL, &s->sweep));
    const size_t count = (size_t)problem->constraint_count,
                 blocks = mo_square_starts(problem, NULL);
    s->active = MO_TAKE(arena, count, uint8_t);
    s->start = MO_TAKE(arena, count, size_t);
    MO_TAKE_EACH(arena, blocks, double, &s->D, &s->B);
    s->K = MO_TAKE(arena, s->contact ? 0 : blocks, double);
    s->rows = MO_TAKE(arena, problem->row_count, double);
    s->state = MO_TAKE(arena, problem->dof_count, double);
    if (s->body) {
        s->values = MO_TAKE(arena, s->body->value_count, double);
        mo_front_lu_layout(s->body->plan, arena, &s->lu);
    } else {
        layout_matrix(s->groups ? s->groups->space : s->contact, arena, &s->matrix);
    }
    if (s->groups) layout_groups(s->matrix.W, arena, &s->group);
    if (arena->base) {
        mo_square_starts(problem, s->start);
        connect_matrix(s);
    }
    return MO_OK;
}

/* ---- contact space, and any matrix like it --------------------------------------------------- */

static void multiply_row(const mo_block_matrix *s, const mo_problem *W, int i)
{
    const int d = mo_constraint_dim(W, i);
    const double *B = s->B + s->start[i], *from = W->values + W->value_start[i];
    double *to = s->values + W->value_start[i];
    for (int e = W->block_start[i]; e < W->block_start[i + 1]; ++e) {
        const int j = W->block_index[e], n = mo_constraint_dim(W, j);
        if (s->active[j] && d == 3 && n == 3)
            mo_multiply(3, 3, B, from, to);
        else if (s->active[j] && d == 2 && n == 2)
            mo_multiply(2, 2, B, from, to);
        else if (s->active[j])
            mo_multiply(d, n, B, from, to);
        from += (size_t)d * (size_t)n;
        to += (size_t)d * (size_t)n;
    }
}

static bool factor_blocks(mo_block_matrix *s)
{
    const mo_problem *W = s->W;
    s->has_inactive = 0;
    for (int i = 0; i < W->constraint_count; ++i) {
        mo_pace_every(i + 1, 128);
        if (s->active[i])
            multiply_row(s, W, i);
        else
            s->has_inactive = 1;
    }
    return mo_front_lu_factor(&s->lu, s->values, s->D, s->start, s->active);
}

/* b_i loses B_i W_ij b_j of the blocks j that are not active. */
static void move_inactive(const mo_block_matrix *s, const mo_problem *W, int i, double *x)
{
    const int row = W->row_start[i], d = W->row_start[i + 1] - row;
    const double *W_ij = W->values + W->value_start[i], *B = s->B + s->start[i];
    double u[MO_BILATERAL_MAX_DIM] = {0};
    for (int e = W->block_start[i]; e < W->block_start[i + 1]; ++e) {
        const int j = W->block_index[e], n = mo_constraint_dim(W, j);
        for (int a = 0; !s->active[j] && a < d; ++a)
            u[a] += mo_dot(n, W_ij + (size_t)a * (size_t)n, x + W->row_start[j]);
        W_ij += (size_t)d * (size_t)n;
    }
    for (int a = 0; a < d; ++a)
        x[row + a] -= mo_dot(d, B + a * d, u);
}

static void solve_blocks(const mo_block_matrix *s, double *x)
{
    const mo_problem *W = s->W;
    for (int i = 0; s->has_inactive && i < W->constraint_count; ++i) {
        mo_pace_every(i + 1, 128);
        if (s->active[i]) move_inactive(s, W, i, x);
    }
    mo_front_lu_solve(&s->lu, x);
}

/* ---- shared parts ---------------------------------------------------------------------------- */

/* D becomes D^-1; K = D^-1 B. */
static bool divide(mo_delassus *s, int i)
{
    const int d = mo_constraint_dim(s->problem, i);
    double *D = s->D + s->start[i];
    MO_PASS(mo_invert_small(d, D));
    mo_multiply(d, d, D, s->B + s->start[i], s->K + s->start[i]);
    return true;
}

/* D^-1 b, into s->rows. */
static void divide_right_side(const mo_delassus *s, const double *b)
{
    const mo_problem *problem = s->problem;
    for (int i = 0; i < problem->constraint_count; ++i) {
        const int row = problem->row_start[i], d = problem->row_start[i + 1] - row;
        mo_pace_every(i + 1, 128);
        for (int a = 0; a < d; ++a) {
            s->rows[row + a] =
                s->active[i] ? mo_dot(d, s->D + s->start[i] + a * d, b + row) : b[row + a];
        }
    }
}

/* x_i = D^-1 b - K u for an active block. */
static void finish_block(const mo_delassus *s, int i, const double *u, double *x)
{
    const int row = s->problem->row_start[i], d = s->problem->row_start[i + 1] - row;
    for (int a = 0; a < d; ++a)
        x[row + a] = s->rows[row + a] - mo_dot(d, s->K + s->start[i] + a * d, u);
}

/* ---- groups ---------------------------------------------------------------------------------- */

/* K of its group gains E' K_i E. */
static void add_to_group(const mo_delassus *s, int i)
{
    const mo_group_space *g = s->groups;
    const int d = mo_constraint_dim(s->problem, i), k = mo_group_rank(g, i);
    const double *E = g->basis + g->start[i], *K = s->K + s->start[i];
    double *sum = s->group.B + s->group.start[g->group[i]], row[MO_BILATERAL_MAX_DIM];
    for (int a = 0; a < d; ++a) {
        memset(row, 0, (size_t)k * sizeof *row);
        for (int b = 0; b < d; ++b)
            mo_axpy(k, K[a * d + b], E + b * k, row);
        for (int p = 0; p < k; ++p)
            mo_axpy(k, E[a * k + p], row, sum + p * k);
    }
}

static bool factor_groups(mo_delassus *s)
{
    const mo_problem *V = s->matrix.W;
    const size_t blocks = mo_square_starts(V, NULL);
    memset(s->group.active, 0, (size_t)V->constraint_count);
    memset(s->group.D, 0, blocks * sizeof(double));
    memset(s->group.B, 0, blocks * sizeof(double));
    for (int g = 0; g < V->constraint_count; ++g) {
        const int k = mo_constraint_dim(V, g);
        mo_pace_every(g + 1, 128);
        for (int p = 0; p < k; ++p)
            s->group.D[s->group.start[g] + (size_t)(p * (k + 1))] = 1;
    }
    for (int i = 0; i < s->problem->constraint_count; ++i) {
        mo_pace_every(i + 1, 128);
        if (s->active[i]) {
            MO_PASS(divide(s, i));
            s->group.active[s->groups->group[i]] = 1;
            add_to_group(s, i);
        }
    }
    return factor_blocks(&s->matrix);
}

static void solve_groups(const mo_delassus *s, double *x)
{
    const mo_problem *problem = s->problem, *V = s->matrix.W;
    const mo_group_space *g = s->groups;
    double u[MO_BILATERAL_MAX_DIM];
    divide_right_side(s, x);
    memset(s->group.s, 0, (size_t)V->row_count * sizeof(double));
    for (int i = 0; i < problem->constraint_count; ++i) {
        const int row = problem->row_start[i], d = problem->row_start[i + 1] - row,
                  k = mo_group_rank(g, i);
        mo_pace_every(i + 1, 128);
        for (int a = 0; a < d; ++a) {
            mo_axpy(k, s->rows[row + a], g->basis + g->start[i] + (size_t)(a * k),
                    s->group.s + V->row_start[g->group[i]]);
        }
    }
    solve_blocks(&s->matrix, s->group.s);
    mo_problem_response_into(V, s->group.s, NULL, s->group.y); /* its w is zero */
    for (int i = 0; i < problem->constraint_count; ++i) {
        const int d = mo_constraint_dim(problem, i), k = mo_group_rank(g, i);
        mo_pace_every(i + 1, 128);
        for (int a = 0; s->active[i] && a < d; ++a) {
            u[a] = mo_dot(k, g->basis + g->start[i] + (size_t)(a * k),
                          s->group.y + V->row_start[g->group[i]]);
        }
        if (s->active[i]) finish_block(s, i, u, x);
    }
}

/* ---- bodies ---------------------------------------------------------------------------------- */

static bool factor_bodies(mo_delassus *s)
{
    mo_body_space_begin(s->body, s->values);
    for (int i = 0; i < s->problem->constraint_count; ++i) {
        mo_pace_every(i + 1, 128);
        if (s->active[i]) {
            MO_PASS(divide(s, i));
            mo_body_space_add(s->body, s->sweep, i, s->K + s->start[i], s->values);
        }
    }
    return mo_front_lu_factor(&s->lu, s->values, NULL, NULL, NULL);
}

static void solve_bodies(const mo_delassus *s, double *x)
{
    const mo_problem *problem = s->problem;
    double u[MO_BILATERAL_MAX_DIM];
    divide_right_side(s, x);
    memset(s->state, 0, (size_t)problem->dof_count * sizeof(double));
    for (int i = 0; i < problem->constraint_count; ++i)
        mo_sweep_apply(s->sweep, i, s->rows + problem->row_start[i], s->state);
    mo_front_lu_solve(&s->lu, s->state);
    for (int i = 0; i < problem->constraint_count; ++i) {
        mo_pace_every(i + 1, 128);
        if (s->active[i]) {
            mo_sweep_change(s->sweep, i, s->state, u);
            finish_block(s, i, u, x);
        }
    }
}

/* ---- entry points ---------------------------------------------------------------------------- */

bool mo_delassus_factor(mo_delassus *system)
{
    return system->body     ? factor_bodies(system)
           : system->groups ? factor_groups(system)
                            : factor_blocks(&system->matrix);
}

int mo_delassus_sign(const mo_delassus *system)
{
    return mo_front_lu_sign(system->body ? &system->lu : &system->matrix.lu);
}

void mo_delassus_solve(const mo_delassus *system, double *x)
{
    if (system->body)
        solve_bodies(system, x);
    else if (system->groups)
        solve_groups(system, x);
    else
        solve_blocks(&system->matrix, x);
}

/* u = W x of a reduced problem. */
static void multiply_blocks(const mo_problem *W, const double *x, double *u)
{
    for (int i = 0; i < W->constraint_count; ++i) {
        const int row = W->row_start[i], d = W->row_start[i + 1] - row;
        mo_pace_every(i + 1, 128);
        memset(u + row, 0, (size_t)d * sizeof *u);
        mo_reduced_row(W, i, x, u + row);
    }
}

void mo_delassus_response(const mo_delassus *s, const double *x, double *u)
{
    /* A problem with groups is W itself. */
    const mo_problem *W = s->contact ? s->contact->W : s->problem;
    if (!s->body) {
        multiply_blocks(W, x, u);
        return;
    }
    for (int i = 0; i < s->problem->constraint_count; ++i)
        mo_sweep_change(s->sweep, i, s->state, u + s->problem->row_start[i]);
}
