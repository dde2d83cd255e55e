/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * The prox method: fixed-point iteration on proximal maps; see docs/methods/prox.md.
 *
 * The law of a block is z = prox(z - r F(z)) for any r > 0 [lu2015, eq. 22], iterated [Algorithm 1,
 * eq. 26-28] with the velocity of the last iterate (Jacobi) or the newest one (Gauss-Seidel).
 *
 *   here          paper           meaning
 *   r (impulse)   p = (p_n, p_f)  contact impulse
 *   u             rho             relative velocity, H' v + w, w_N = psi_n / h
 *   step          r               by prox.rule: fixed; foerg, eq. 32; contact, 1 / (n_i |W_ii|);
 *                                 adaptive [frassoldati2008]
 *   z             z, eq. 14       unknowns of the linearised model
 *
 * Errata: eq. 26 and Algorithm 1 add the impulses to nu^k instead of nu^l, the velocity at the
 * start of the step; eq. 25 lacks mu; eq. 33 omits zeta in its first entry.
 * Limits: linear convergence.  zeta > 0 and the pyramid are other laws: the run ends as stalled.
 */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/random.h"
#include "problem/views.h"
#include "solver/method.h"
#include "solver/prox_model.h"

enum { JACOBI, GAUSS_SEIDEL };
enum { RULE_FIXED, RULE_FOERG, RULE_CONTACT, RULE_ADAPTIVE };
enum { CONIC, LINEARISED };

/* The memory of the adaptive rule: steps of Barzilai and Borwein, relative to those of contact. */
enum { RECENT = 8, SHORTS = 3 };
typedef struct adaptation {
    double theta, before;  /* factor of the contact steps, and the one of the iteration before */
    double most, growth;   /* its bound, and the factor by which that grows in an iteration */
    double ratio;          /* if short / long is below this, the short step is taken */
    double shorts[SHORTS]; /* the latest short steps */
    double recent[RECENT]; /* the latest sizes of the fixed-point residual */
    int count;             /* of iterations since the start, or since the last return to best_r  */
    double best;           /* the least size of all, which best_r had */
    double returned_best;  /* `best` at the last return */
} adaptation;

typedef struct workspace {
    const mo_sweep *sweep;
    mo_prox_model *model;
    int *z_start, *on_body; /* where the unknowns of a block start; blocks on each body */
    double *z, *step;       /* unknowns, and one step a block */
    double *state;          /* x of a global problem */
    double *last_r, *last_u, *best_r;
    adaptation adaptive;
} workspace;

static mo_prox_kind model_kind(const mo_options *options)
{
    if (options->prox.model == CONIC) return MO_PROX_CONIC;
    return options->prox.rule == RULE_ADAPTIVE ? MO_PROX_PYRAMID : MO_PROX_LINEARISED;
}

static int unknown_count(const mo_prox_model *model, int *z_start)
{
    int total = 0;
    for (int i = 0; i < model->problem->constraint_count; ++i) {
        if (z_start) z_start[i] = total;
        total += mo_prox_size(model, i);
    }
    return total;
}

static mo_error layout(const mo_problem *problem, const mo_options *options, mo_arena *arena,
                       void **out)
{
    workspace *w = MO_HEAD(arena, workspace);
    *w = (workspace){0};
    *out = w;
    MO_TRY(mo_problem_sweep(problem, MO_SWEEP_NATURAL, &w->sweep));
    mo_prox_model model;
    mo_prox_model_init(&model, problem, model_kind(options), options->prox.facets,
                       options->prox.zeta, options->prox.order == GAUSS_SEIDEL);
    w->model = MO_TAKE(arena, 1, mo_prox_model);
    w->z_start = MO_TAKE(arena, problem->constraint_count, int);
    w->on_body = MO_TAKE(arena, problem->body_count, int);
    w->z = MO_TAKE(arena, unknown_count(&model, w->z_start), double);
    w->step = MO_TAKE(arena, problem->constraint_count, double);
    w->state = MO_TAKE(arena, mo_sweep_state_size(w->sweep), double);
    MO_TAKE_EACH(arena, problem->row_count, double, &w->last_r, &w->last_u, &w->best_r);
    if (arena->base) *w->model = model;
    return MO_OK;
}

/* ---- steps ----------------------------------------------------------------------------------- */

/* y = (W + compliance + zeta) x, by way of the affine map u(x) - q. */
static void apply_W(mo_run *run, workspace *w, const double *q, const double *x, double *y)
{
    const mo_problem *problem = run->problem;
    mo_sweep_reset(w->sweep, run->options->threads, x, w->state);
    mo_sweep_all_velocities(w->sweep, run->options->threads,
                            mo_sweep_state_size(w->sweep) ? w->state : x, y);
    for (int k = 0; k < problem->row_count; ++k) {
        const double soft = w->model->zeta + (problem->compliance ? problem->compliance[k] : 0);
        y[k] += soft * x[k] - q[k];
    }
}

/* The eigenvalue of shift I - sign W of largest size, sign = -1 or 1, by power iteration. */
static double extreme_eigenvalue(mo_run *run, workspace *w, const double *q, double shift,
                                 double sign, double length)
{
    const int rows = run->problem->row_count;
    double *x = w->best_r, *y = run->u, eta = 0;
    mo_random random = {1};
    for (int k = 0; k < rows; ++k)
        x[k] = mo_random_unit(&random) - 0.5;
    for (int iteration = 0; iteration < 300; ++iteration) {
        const double norm = sqrt(mo_dot(rows, x, x));
        if (!(norm > 0)) break;
        for (int k = 0; k < rows; ++k)
            x[k] *= length / norm;
        apply_W(run, w, q, x, y);
        for (int k = 0; k < rows; ++k)
            y[k] = shift * x[k] - sign * y[k];
        const double now = mo_dot(rows, x, y) / (length * length);
        memcpy(x, y, (size_t)rows * sizeof *x);
        if (fabs(now - eta) <= 1e-12 * fabs(now)) return now;
        eta = now;
    }
    return eta;
}

/* r* of eq. 32. */
static double foerg_step(mo_run *run, workspace *w)
{
    const mo_problem *problem = run->problem;
    double *q = w->last_u, spread = 1;
    memset(w->last_r, 0, (size_t)problem->row_count * sizeof *q);
    mo_sweep_reset(w->sweep, 1, w->last_r, w->state);
    mo_sweep_all_velocities(w->sweep, 1, mo_sweep_state_size(w->sweep) ? w->state : w->last_r, q);
    /* Probes of about the length of q keep the difference u(x) - q accurate. */
    const double length = run->q_scale;
    const double largest = extreme_eigenvalue(run, w, q, 0, -1, length);
    const double least = largest - extreme_eigenvalue(run, w, q, largest, 1, length);
    for (int i = 0; i < problem->constraint_count; ++i)
        spread = fmax(spread, mo_prox_spread(w->model, i));
    const double sum =
        w->model->kind == MO_PROX_LINEARISED ? spread * largest : largest + fmax(0, least);
    return sum > 0 ? 2 / sum : 1;
}

/* The largest row sum of |W_ii|, relaxation included. */
static double diagonal_norm(const workspace *w, int i)
{
    const double *W = mo_sweep_diagonal(w->sweep, i);
    const int d = mo_constraint_dim(w->sweep->problem, i);
    double norm = 0;
    for (int j = 0; j < d; ++j) {
        double sum = w->model->zeta;
        for (int k = 0; k < d; ++k)
            sum += fabs(W[j * d + k]);
        norm = fmax(norm, sum);
    }
    return norm;
}

/* The blocks that share the busiest body of each (global), or that its row of W has. */
static void count_neighbours(const mo_problem *problem, int *on_body, double *count)
{
    if (problem->form == MO_FORM_GLOBAL) {
        memset(on_body, 0, (size_t)problem->body_count * sizeof *on_body);
        for (int k = 0; k < problem->block_start[problem->constraint_count]; ++k)
            ++on_body[problem->block_index[k]];
    }
    for (int i = 0; i < problem->constraint_count; ++i) {
        count[i] = problem->block_start[i + 1] - problem->block_start[i];
        if (problem->form == MO_FORM_GLOBAL) {
            count[i] = 1;
            for (int k = problem->block_start[i]; k < problem->block_start[i + 1]; ++k)
                count[i] = fmax(count[i], on_body[problem->block_index[k]]);
        }
    }
}

static void contact_steps(mo_run *run, workspace *w)
{
    const mo_problem *problem = run->problem;
    count_neighbours(problem, w->on_body, w->step);
    for (int i = 0; i < problem->constraint_count; ++i) {
        const double sharing = run->options->prox.order == JACOBI ? fmax(1, w->step[i]) : 1;
        const double norm = sharing * mo_prox_spread(w->model, i) * diagonal_norm(w, i);
        w->step[i] = norm > 0 ? 1 / norm : 1;
    }
}

static void choose_steps(mo_run *run, workspace *w)
{
    const int rule = run->options->prox.rule, count = run->problem->constraint_count;
    if (rule == RULE_CONTACT || rule == RULE_ADAPTIVE) {
        contact_steps(run, w);
        return;
    }
    const double step = rule == RULE_FIXED ? run->options->prox.r : foerg_step(run, w);
    for (int i = 0; i < count; ++i)
        w->step[i] = step;
}

/* ---- one iteration --------------------------------------------------------------------------- */

/* Steps block i at velocity u to its new impulse; returns |dz|^2 of its unknowns. */
static double step_block(mo_run *run, workspace *w, int i, const double *u, double *dr)
{
    const mo_problem *problem = run->problem;
    const int row = problem->row_start[i], d = problem->row_start[i + 1] - row;
    const int rule = run->options->prox.rule;
    const double step = w->step[i] * w->adaptive.theta;
    /* In the paper one r applies to p_f and s; with one for each block, s has its own units. */
    const double slip_step = rule == RULE_CONTACT ? 0.25 / step : step;
    double law_u[MO_BILATERAL_MAX_DIM], new_r[MO_BILATERAL_MAX_DIM];
    mo_law_velocity(problem, row, d, u, run->r + row, law_u);
    const double moved = mo_prox_step(w->model, i, step, slip_step, law_u, w->z + w->z_start[i]);
    mo_prox_impulse(w->model, i, w->z + w->z_start[i], new_r);
    for (int k = 0; k < d; ++k) {
        dr[k] = new_r[k] - run->r[row + k];
        run->r[row + k] = new_r[k];
    }
    return moved;
}

static double iterate_jacobi(mo_run *run, workspace *w)
{
    double moved = 0, dr[MO_BILATERAL_MAX_DIM];
    for (int i = 0; i < run->problem->constraint_count; ++i)
        moved += step_block(run, w, i, run->u + run->problem->row_start[i], dr);
    return moved;
}

static double iterate_gauss_seidel(mo_run *run, workspace *w, double *x)
{
    double moved = 0, u[MO_BILATERAL_MAX_DIM], dr[MO_BILATERAL_MAX_DIM];
    for (int i = 0; i < run->problem->constraint_count; ++i) {
        mo_sweep_velocity(w->sweep, i, x, u);
        moved += step_block(run, w, i, u, dr);
        mo_sweep_apply(w->sweep, i, dr, x);
    }
    return moved;
}

/* ---- the adaptive rule ----------------------------------------------------------------------- */

static void split_all(mo_run *run, workspace *w)
{
    for (int i = 0; i < run->problem->constraint_count; ++i)
        mo_prox_split(w->model, i, run->r + run->problem->row_start[i], w->z + w->z_start[i]);
}

/* <dr, dr / D>, <dr, du>, <du, D du> of the last two iterates, and |r|^2 / D for scale. */
typedef struct curvature {
    double rr, ru, uu;
} curvature;

static curvature measure_curvature(const mo_run *run, const workspace *w)
{
    const mo_problem *problem = run->problem;
    curvature c = {0};
    for (int i = 0; i < problem->constraint_count; ++i) {
        for (int k = problem->row_start[i]; k < problem->row_start[i + 1]; ++k) {
            const double soft = w->model->zeta + (problem->compliance ? problem->compliance[k] : 0);
            const double dr = run->r[k] - w->last_r[k], du = run->u[k] - w->last_u[k] + soft * dr;
            c.rr += dr * dr / w->step[i];
            c.ru += dr * du;
            c.uu += du * du * w->step[i];
        }
    }
    return c;
}

/*
 * The long step, or the least of the latest short ones where the two disagree: short steps damp the
 * stiff directions, and a long one then gains most.  The required disagreement is adapted so that
 * both kinds are used.
 */
static double suggest_theta(adaptation *a, curvature c)
{
    if (!(c.ru > 0) || !(c.uu > 0)) return fmin(a->most, a->theta);
    const double longer = c.rr / c.ru, shorter = c.ru / c.uu;
    const int is_short = shorter < a->ratio * longer;
    double theta = is_short ? shorter : longer;
    a->shorts[(a->count - 1) % SHORTS] = shorter; /* count is one or more here */
    for (int k = 0; is_short && k < SHORTS && k < a->count; ++k)
        theta = fmin(theta, a->shorts[k]);
    a->ratio = fmin(1, fmax(1e-3, (is_short ? 0.7 : 1.4) * a->ratio));
    return fmin(a->most, fmax(1e-3, theta));
}

static double most_recent(const adaptation *a)
{
    double most = 0;
    for (int k = 0; k < RECENT && k < a->count; ++k)
        most = fmax(most, a->recent[k]);
    return most;
}

/* Called with r, u and the ones before; may put r back to the best iterate (true: u is stale). */
static int adapt(mo_run *run, workspace *w)
{
    adaptation *a = &w->adaptive;
    const size_t bytes = (size_t)run->problem->row_count * sizeof(double);
    const curvature c = measure_curvature(run, w);
    /* The fixed-point residual of the last iterate, which the theta before led to. */
    const double size = sqrt(c.rr) / a->theta;
    if (a->count > 0 && !(size <= 100 * most_recent(a))) {
        /* No better than at the last return: the same steps must not be repeated. */
        a->growth = a->best < a->returned_best ? 2 : sqrt(a->growth);
        a->returned_best = a->best;
        a->most = fmax(1e-2, 0.5 * a->before);
        a->theta = a->before = fmin(1, a->most);
        a->count = 0;
        memcpy(run->r, w->best_r, bytes);
        split_all(run, w);
        return 1;
    }
    if (!(size >= a->best)) {
        a->best = size;
        memcpy(w->best_r, w->last_r, bytes);
    }
    a->recent[a->count++ % RECENT] = size;
    a->most = fmin(1e6, a->growth * a->most);
    a->before = a->theta;
    a->theta = suggest_theta(a, c);
    return 0;
}

/* ---- the loop -------------------------------------------------------------------------------- */

static mo_status ended(mo_run *run, const workspace *w)
{
    if (w->model->zeta > 0) {
        return mo_run_stall(run,
                            "the iteration converged to the law relaxed by zeta = %g, which leaves "
                            "this residual in the hard law",
                            w->model->zeta);
    }
    if (w->model->kind != MO_PROX_CONIC) {
        return mo_run_stall(run,
                            "the iteration converged to the solution of the pyramid, which leaves "
                            "this residual on the true cone");
    }
    return mo_run_stall(run, "the iteration stagnated with a residual above tol");
}

static void refresh(mo_run *run, workspace *w, double *x)
{
    mo_sweep_reset(w->sweep, run->options->threads, run->r, x);
    mo_sweep_all_velocities(w->sweep, run->options->threads, x, run->u);
}

static mo_status solve(mo_run *run, void *memory)
{
    workspace *w = memory;
    const size_t bytes = (size_t)run->problem->row_count * sizeof(double);
    const int is_adaptive = run->options->prox.rule == RULE_ADAPTIVE;
    const int order = run->options->prox.order;
    double *x = mo_sweep_state_size(w->sweep) ? w->state : run->r;
    w->adaptive = (adaptation){.theta = 1,
                               .before = 1,
                               .most = 1e6,
                               .growth = 2,
                               .ratio = 0.5,
                               .best = INFINITY,
                               .returned_best = INFINITY};
    choose_steps(run, w);
    memcpy(w->best_r, run->r, bytes);
    split_all(run, w);
    for (int iteration = 0;; ++iteration) {
        refresh(run, w, x);
        if (mo_run_check(run, iteration, run->u, run->r)) return MO_SOLVED;
        if (mo_run_must_stop(run, iteration)) return run->status;
        if (is_adaptive && order == JACOBI && iteration > 0 && adapt(run, w)) refresh(run, w, x);
        memcpy(w->last_r, run->r, bytes);
        memcpy(w->last_u, run->u, bytes);
        const double moved =
            order == JACOBI ? iterate_jacobi(run, w) : iterate_gauss_seidel(run, w, x);
        if (!isfinite(moved)) {
            return mo_run_stall(run,
                                "the iteration diverged: the step r is too large for this problem");
        }
        if (moved == 0) return ended(run, w);
    }
}

const mo_method mo_prox_method = {
    .name = "prox",
    .summary = "fixed-point iteration on proximal maps, with fixed or adaptive step",
    .paper = "lu2015",
    .laws = MO_ALL_LAWS,
    .layout = layout,
    .solve = solve,
};
