/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Derivatives of a solution by implicit differentiation.
 *
 * The blocks are linearised in their modes (modes.h), which together with du = W dr + dq,  dq = H'
 * M^-1 df + dw, gives one system for dr (least_norm.h):
 *
 *     A x = b,   dr_i = sqrt(rho_i) x_i,
 *     b_i = -sqrt(rho_i) J_i G_i dq_i + (I - J_i) E_i dmu_i / sqrt(rho_i)      (1)
 *     dv = M^-1 (H dr + df),   du = H' dv + dw   (reduced: du = W dr + dw)                      (2)
 *
 * The adjoint product runs through (2) and (1) backwards, with A' in place of A.
 *
 * If A is singular (redundant contacts), x has the least norm sum |dr_i|^2 / rho_i, which has the
 * units of energy.  If r is on an edge, it is first moved inside without changing v (modes.h).  v
 * is unique if W n = 0 for every n with A n = 0.  A random vector z tests both: z minus the
 * least-norm x with A x = A z is a random vector of the null space.
 */
#include "moreau/gradient.h"

#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/random.h"
#include "gradient/least_norm.h"
#include "gradient/modes.h"
#include "linalg/dense.h"
#include "moreau/measure.h"
#include "problem/views.h"

/* Relative to |q|: distance from another mode below which a contact is on the edge.  Threshold
 * for a random vector of a null space. */
static const double EDGE = 1e-7, LOOSE = 1e-6;

struct mo_gradient {
    const mo_problem *problem;
    mo_allocator allocator; /* of the problem, which may be destroyed first */
    mo_pair_pattern pattern;
    void *memory;
    mo_gradient_info info;
    mo_gradient_block *block;
    size_t *start; /* of J and JG of each constraint */
    double *J, *JG;
    double *by_mu; /* rows x 2: (I - J) E */
    double *rho;
    uint8_t *active;
    double *r, *u;    /* rows: where the derivative is taken; the velocity that the laws see */
    double *best;     /* rows: scratch of the centring */
    double *x, *rows; /* rows: the unknown of (1); scratch */
    double *dofs;     /* scratch: dof_count */
    mo_least_norm system;
};

#define WORD(name, word, text) word,
MO_NAMES(mo_gradient_status_name, mo_gradient_status, "unknown", MO_GRADIENT_STATUS_LIST(WORD))

#define TEXT(name, word, text) text,
MO_NAMES(mo_gradient_status_text, mo_gradient_status, "no status", MO_GRADIENT_STATUS_LIST(TEXT))

/* ---- preparing ------------------------------------------------------------------------------- */

static void layout(mo_gradient *g, const mo_problem *W, mo_arena *arena)
{
    const mo_problem *problem = g->problem;
    const size_t rows = (size_t)problem->row_count, count = (size_t)problem->constraint_count;
    g->start = MO_TAKE(arena, count, size_t);
    const size_t squares = mo_square_starts(problem, g->start);
    g->block = MO_TAKE(arena, count, mo_gradient_block);
    MO_TAKE_EACH(arena, squares, double, &g->J, &g->JG);
    g->by_mu = MO_TAKE(arena, 2 * rows, double);
    g->rho = MO_TAKE(arena, count, double);
    g->active = MO_TAKE(arena, count, uint8_t);
    MO_TAKE_EACH(arena, rows, double, &g->r, &g->u, &g->best, &g->x, &g->rows);
    g->dofs = MO_TAKE(arena, problem->dof_count, double);
    mo_least_norm_layout(W, &g->pattern, arena, &g->system);
    g->system.start = g->start;
    g->system.J = g->J;
    g->system.JG = g->JG;
    g->system.rho = g->rho;
    g->system.active = g->active;
}

/* rho_i = 1 / the mean diagonal of W_ii + compliance; false if products of two would overflow. */
static bool set_scales(mo_gradient *g)
{
    static const double LARGEST = 1e100;
    const mo_problem *W = g->system.W;
    for (int i = 0; i < W->constraint_count; ++i) {
        const int row = W->row_start[i], d = mo_constraint_dim(W, i);
        const double *W_ij = W->values + W->value_start[i];
        double trace = 0;
        for (int e = W->block_start[i]; e < W->block_start[i + 1]; ++e) {
            const int n = mo_constraint_dim(W, W->block_index[e]);
            for (int a = 0; a < d && W->block_index[e] == i; ++a)
                trace += W_ij[a * d + a];
            W_ij += d * n;
        }
        for (int a = 0; W->compliance && a < d; ++a)
            trace += W->compliance[row + a];
        g->rho[i] = trace > 0 ? d / trace : 1;
        if (!(g->rho[i] <= LARGEST && g->rho[i] >= 1 / LARGEST)) return false;
    }
    return true;
}

/* The largest |q_i|; 1 if all are zero. */
static double velocity_scale(mo_gradient *g)
{
    const mo_problem *problem = g->problem;
    double most = 0;
    mo_problem_response_into(problem, NULL, g->dofs, g->rows);
    for (int i = 0; i < problem->constraint_count; ++i) {
        const double *q = g->rows + problem->row_start[i];
        most = fmax(most, sqrt(mo_dot(mo_constraint_dim(problem, i), q, q)));
    }
    return most > 0 ? most : 1;
}

static void set_modes(mo_gradient *g, double scale)
{
    const mo_problem *problem = g->problem;
    g->info.edge_count = 0;
    mo_problem_response_into(problem, g->r, g->dofs, g->rows);
    for (int i = 0; i < problem->constraint_count; ++i) {
        const int row = problem->row_start[i], d = mo_constraint_dim(problem, i);
        const double tau = g->rho[i] * scale * g->info.edge;
        mo_law_velocity(problem, row, d, g->rows + row, g->r + row, g->u + row);
        g->block[i] =
            mo_gradient_linearise(problem, i, g->rho[i], tau, g->u + row, g->r + row,
                                  g->J + g->start[i], g->JG + g->start[i], g->by_mu + 2 * row);
        g->active[i] = g->block[i].mode != MO_MODE_FREE;
        g->info.edge_count += g->block[i].is_on_edge != 0;
    }
}

/* The modes at r, or, if r is on an edge, at impulses that are not. */
static void find_modes(mo_gradient *g)
{
    const double scale = velocity_scale(g);
    set_modes(g, scale);
    if (g->info.edge_count > 0) {
        const mo_centre centre = {.problem = g->problem,
                                  .system = &g->system,
                                  .J = g->J,
                                  .JG = g->JG,
                                  .active = g->active,
                                  .u = g->u,
                                  .edge = scale * g->info.edge,
                                  .shift = g->x,
                                  .step = g->rows};
        g->info.is_centred = mo_centre_move(&centre, g->r, g->best);
        set_modes(g, scale);
    }
}

/* ---- uniqueness ------------------------------------------------------------------------------ */

/* x becomes a random vector of the null space of A, with entries of about one if there are any. */
static void probe(mo_gradient *g, uint64_t seed)
{
    const mo_problem *problem = g->problem;
    mo_random random = {seed};
    for (int i = 0; i < problem->constraint_count; ++i) {
        for (int row = problem->row_start[i]; row < problem->row_start[i + 1]; ++row) {
            const double draw = 2 * mo_random_unit(&random) - 1;
            g->rows[row] = g->active[i] ? draw : 0;
        }
    }
    mo_least_norm_apply(&g->system, g->rows, g->x);
    mo_least_norm_solve(&g->system, g->x, g->x);
    mo_along(problem->row_count, g->rows, -1, g->x, g->x);
}

/* Does a null vector x cause motion?  Compares |W n| with |W_ii| |n| in scaled units. */
static int moves_something(mo_gradient *g)
{
    const mo_problem *W = g->system.W;
    for (int i = 0; i < W->constraint_count; ++i)
        for (int row = W->row_start[i]; row < W->row_start[i + 1]; ++row)
            g->rows[row] = sqrt(g->rho[i]) * g->x[row];
    double most = 0;
    for (int i = 0; i < W->constraint_count; ++i) {
        double u[MO_BILATERAL_MAX_DIM] = {0};
        mo_reduced_row(W, i, g->rows, u);
        most = fmax(most, sqrt(g->rho[i]) * mo_norm(mo_constraint_dim(W, i), u));
    }
    return most > LOOSE;
}

static void find_loose_blocks(mo_gradient *g)
{
    const mo_problem *problem = g->problem;
    int is_undetermined = 0;
    for (uint64_t seed = 1; seed <= 2; ++seed) { /* a single vector could miss a block by chance */
        probe(g, seed);
        for (int i = 0; i < problem->constraint_count; ++i) {
            const int row = problem->row_start[i];
            if (mo_norm(mo_constraint_dim(problem, i), g->x + row) > LOOSE &&
                !g->block[i].is_loose) {
                g->block[i].is_loose = 1;
                ++g->info.loose_count;
            }
        }
        is_undetermined |= moves_something(g);
    }
    g->info.status = is_undetermined           ? MO_GRADIENT_UNDETERMINED
                     : g->info.edge_count > 0  ? MO_GRADIENT_EDGE
                     : g->info.loose_count > 0 ? MO_GRADIENT_LOOSE
                                               : MO_GRADIENT_EXACT;
}

/* ---- creating -------------------------------------------------------------------------------- */

static mo_error check(const mo_problem *problem, const double *r, double *residual, mo_message *why)
{
    const mo_error error = mo_measure_scaled(problem, r, residual);
    return error ? mo_fail(why, error, "%s",
                           error == MO_ERR_ARGUMENT ? "r holds a number that is not finite"
                                                    : mo_error_text(error))
                 : MO_OK;
}

static mo_error make_room(mo_gradient *g)
{
    const mo_allocator *own = &g->allocator;
    const mo_contact_space *space;
    MO_TRY(mo_problem_contact_space(g->problem, &space));
    MO_TRY(mo_pair_pattern_create(own, space->W, &g->pattern));
    mo_arena arena = {0};
    layout(g, space->W, &arena);
    g->memory = mo_arena_allocate(&arena, own);
    MO_NEED_MEMORY(g->memory, NULL);
    layout(g, space->W, &arena);
    return MO_OK;
}

mo_error mo_gradient_create(const mo_problem *problem, const double *r, mo_gradient **gradient,
                            mo_message *why)
{
    MO_NEED(problem && (r || problem->row_count == 0) && gradient, why);
    double residual = 0;
    *gradient = NULL;
    MO_TRY(check(problem, r, &residual, why));
    mo_gradient *g = mo_memory_array(&problem->allocator, 1, sizeof *g);
    MO_FAIL_IF(!g, mo_fail(why, MO_ERR_MEMORY, "%s", mo_error_text(MO_ERR_MEMORY)));
    *g = (mo_gradient){.problem = problem, .allocator = problem->allocator};
    mo_problem_write_rows(problem);
    mo_error error = make_room(g);
    if (error) {
        mo_gradient_destroy(g);
        return mo_fail(why, error, "%s", mo_error_text(error));
    }
    g->info = (mo_gradient_info){.residual = residual, .edge = fmax(EDGE, 10 * residual)};
    bool good = set_scales(g);
    if (problem->row_count) memcpy(g->r, r, (size_t)problem->row_count * sizeof *r);
    if (good) {
        find_modes(g);
        good = mo_least_norm_factor(&g->system);
    }
    if (!good) {
        mo_gradient_destroy(g);
        return mo_fail(why, MO_ERR_ARGUMENT, "the numbers of this problem overflow at r");
    }
    find_loose_blocks(g);
    *gradient = g;
    return MO_OK;
}

void mo_gradient_destroy(mo_gradient *gradient)
{
    if (gradient) {
        const mo_allocator own = gradient->allocator;
        mo_pair_pattern_clear(&own, &gradient->pattern);
        MO_FREE(&own, gradient->memory, gradient);
    }
}

mo_gradient_info mo_gradient_describe(const mo_gradient *gradient)
{
    MO_NEED_OR((mo_gradient_info){0}, gradient, NULL);
    return gradient->info;
}

mo_gradient_block mo_gradient_block_of(const mo_gradient *gradient, int constraint)
{
    MO_NEED_OR((mo_gradient_block){0},
               gradient && constraint >= 0 &&
                   constraint < mo_problem_constraint_count(gradient->problem),
               NULL);
    return gradient->block[constraint];
}

/* ---- products -------------------------------------------------------------------------------- */

static void copy_or_zero(int n, const double *from, double *to)
{
    if (from)
        memmove(to, from, (size_t)n * sizeof *to);
    else
        memset(to, 0, (size_t)n * sizeof *to);
}

static void give(int n, const double *from, double *to)
{
    if (to) memcpy(to, from, (size_t)n * sizeof *to);
}

/* v = M^-1 v, or v = M^-T v. */
static void divide_by_mass(const mo_problem *problem, bool is_transposed, double *v)
{
    for (int b = 0; b < problem->body_count; ++b) {
        (is_transposed && problem->asymmetric[b] ? mo_solve_factored_transposed
                                                 : mo_solve_factored)(
            mo_body_dim(problem, b), mo_body_factor(problem, b), v + problem->body_start[b]);
    }
}

/* rows = dq = H' M^-1 df + dw; dofs = M^-1 df. */
static void data_velocity(mo_gradient *g, const mo_data_vector *data)
{
    const mo_problem *problem = g->problem;
    copy_or_zero(problem->row_count, data->w, g->rows);
    copy_or_zero(problem->dof_count, data->f, g->dofs);
    if (data->f && problem->form == MO_FORM_GLOBAL) {
        divide_by_mass(problem, false, g->dofs);
        mo_problem_pull(problem, g->dofs, g->rows);
    }
}

/* x = b of (1), from dq in rows. */
static void right_side(mo_gradient *g, const mo_data_vector *data)
{
    const mo_problem *problem = g->problem;
    for (int i = 0; i < problem->constraint_count; ++i) {
        const int row = problem->row_start[i], d = mo_constraint_dim(problem, i);
        const double *JG = g->JG + g->start[i], root = sqrt(g->rho[i]);
        const double dmu = data->mu ? data->mu[i] : 0;
        const double dmoment = data->mu_moment ? data->mu_moment[i] : 0;
        for (int a = 0; a < d; ++a) {
            const double *E = g->by_mu + 2 * (row + a);
            g->x[row + a] =
                -root * mo_dot(d, JG + a * d, g->rows + row) + (E[0] * dmu + E[1] * dmoment) / root;
        }
    }
}

/* x_i times sqrt(rho_i). */
static void scale_rows(const mo_gradient *g, double *x)
{
    const mo_problem *problem = g->problem;
    for (int i = 0; i < problem->constraint_count; ++i)
        for (int row = problem->row_start[i]; row < problem->row_start[i + 1]; ++row)
            x[row] *= sqrt(g->rho[i]);
}

void mo_gradient_forward(mo_gradient *g, const mo_data_vector *data,
                         const mo_solution_vector *solution, double *defect)
{
    MO_NEED_OR(, g && data && solution, NULL);
    const mo_problem *problem = g->problem;
    data_velocity(g, data);
    right_side(g, data);
    const double missed = mo_least_norm_solve(&g->system, g->x, g->x);
    scale_rows(g, g->x);                                /* dr */
    copy_or_zero(problem->row_count, data->w, g->rows); /* du = H' dv + dw */
    if (problem->form == MO_FORM_GLOBAL) {
        copy_or_zero(problem->dof_count, data->f, g->dofs); /* dv = M^-1 (H dr + df) */
        mo_problem_push(problem, g->x, g->dofs);
        divide_by_mass(problem, false, g->dofs);
        mo_problem_pull(problem, g->dofs, g->rows);
        give(problem->dof_count, g->dofs, solution->v);
    } else {
        mo_problem_pull(problem, g->x, g->rows);
    }
    give(problem->row_count, g->x, solution->r);
    give(problem->row_count, g->rows, solution->u);
    if (defect) *defect = missed;
}

/* From y of A'y = g: the derivative with respect to dq, in `rows`, and to the coefficients. */
static void right_side_transposed(mo_gradient *g, const mo_data_vector *data)
{
    const mo_problem *problem = g->problem;
    memset(g->rows, 0, (size_t)problem->row_count * sizeof(double));
    for (int i = 0; i < problem->constraint_count; ++i) {
        const int row = problem->row_start[i], d = mo_constraint_dim(problem, i);
        const double *JG = g->JG + g->start[i], root = sqrt(g->rho[i]);
        double by_mu[2] = {0};
        for (int a = 0; a < d; ++a) {
            mo_axpy(d, -root * g->x[row + a], JG + a * d, g->rows + row);
            mo_axpy(2, g->x[row + a] / root, g->by_mu + 2 * (row + a), by_mu);
        }
        if (data->mu) data->mu[i] = by_mu[0];
        if (data->mu_moment) data->mu_moment[i] = by_mu[1];
    }
}

/*
 * dofs = a = M^-T (g_v + H g_u), x = g_r + H' a: the derivative with respect to dr, with df and dw
 * held; reduced: x = g_r + W' g_u.
 */
static void seed(mo_gradient *g, const mo_solution_vector *solution)
{
    const mo_problem *problem = g->problem;
    copy_or_zero(problem->row_count, solution->r, g->x);
    if (problem->form == MO_FORM_GLOBAL) {
        copy_or_zero(problem->dof_count, solution->v, g->dofs);
        if (solution->u) mo_problem_push(problem, solution->u, g->dofs);
        divide_by_mass(problem, true, g->dofs);
        mo_problem_pull(problem, g->dofs, g->x);
    } else if (solution->u) {
        mo_problem_push(problem, solution->u, g->x);
    }
}

void mo_gradient_adjoint(mo_gradient *g, const mo_solution_vector *solution,
                         const mo_data_vector *data)
{
    MO_NEED_OR(, g && solution && data, NULL);
    const mo_problem *problem = g->problem;
    seed(g, solution);
    scale_rows(g, g->x);
    mo_least_norm_solve_transposed(&g->system, g->x, g->x);
    right_side_transposed(g, data); /* rows = the derivative with respect to dq */
    for (int k = 0; data->w && k < problem->row_count; ++k)
        data->w[k] = g->rows[k] + (solution->u ? solution->u[k] : 0);
    if (data->f && problem->form == MO_FORM_GLOBAL) {
        double *f = data->f;
        memset(f, 0, (size_t)problem->dof_count * sizeof *f);
        mo_problem_push(problem, g->rows, f);
        divide_by_mass(problem, true, f);
        mo_axpy(problem->dof_count, 1, g->dofs, f);
    }
}
