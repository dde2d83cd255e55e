/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * The default engine for convex contact problems (convex.h): sweeps, then proximal Newton steps.
 *
 *   sweep    r_i = prox(r_i - (u_i + compliance r_i) / scale_i) for each block: coordinate descent
 *            with momentum (momentum.h), for the first digits
 *   step     one proximal point step of length 1 / rho (convex_step.h); for an eigenvalue w of W it
 *            reduces the error by rho / (rho + w)
 *
 * Sweeps continue while their rate predicts less work than Newton's method.  rho starts in
 * proportion to the residual, is divided by ten after an easy Newton solve, by less if a harder one
 * did not pay off, and increases after a difficult one.  Rounding causes an error of about 1e-16 /
 * rho in sliding velocities, so the last digits are left to Newton's method on the natural map,
 * tried after each step with little change.  The best r is kept.
 *
 * Limits: Newton steps are bounded by the cost of a factorisation; beyond it only sweeps are used.
 * A problem without a solution ends with the best r found.
 */
#include <math.h>
#include <string.h>

#include "law/coulomb_rows.h"
#include "solver/convex_step.h"
#include "solver/momentum.h"

enum { STEPS_MOST = 200, SWEEPS_MOST = 20000, PATIENCE = 8, CHECK_EVERY = 8, POLISH_MOST = 20 };
/* Newton steps of a proximal step with little change, of an easy one, of a hard one. */
enum { STEADY = 3, EASY = 6, HARD = 25 };
static const double RHO_FIRST = 1e-1, RHO_LEAST = 1e-6, RHO_MOST = 1.0, RHO_POLISH = 1e-9;
/* With bounded slip, where prox_at has no cancellation. */
static const double RHO_LEAST_BOUNDED = 1e-12;

/* Expected Newton steps (10 to 60 in piles of 500 beads), to compare with the cost of sweeps. */
static const double NEWTON_STEPS = 20;

static const double MOMENTUM = 20; /* most t of the momentum of sweeps: momentum.h */

/* 1 / k_N, 1 / k_T, sqrt(k_T / k_N) and its inverse. */
typedef struct two_scales {
    double normal, tangential, ratio, inverse;
} two_scales;

typedef struct workspace {
    mo_convex_step step;
    double *state; /* x of a global problem  */
    double *r_before, *x_before;
    two_scales *scales; /* of each constraint */
    double *best_r;     /* and its residual */
    double best;
    double *kept_r;
    int has_begun;
} workspace;

static mo_error layout(const mo_problem *problem, const mo_options *options, mo_arena *arena,
                       void **out)
{
    (void)options;
    workspace *w = MO_HEAD(arena, workspace);
    *out = w;
    MO_TAKE_EACH(arena, problem->dof_count, double, &w->state, &w->x_before);
    MO_TAKE_EACH(arena, problem->row_count, double, &w->r_before, &w->best_r, &w->kept_r);
    w->scales = MO_TAKE(arena, problem->constraint_count, two_scales);
    w->has_begun = 0;
    return mo_convex_step_layout(problem, arena, &w->step);
}

/* One call of the engine. */
typedef struct call {
    mo_run *run;
    workspace *w;
    const mo_convex *convex;
    double tol;
    double *r, *u, *x;
    double residual;
} call;

/* Computes u of r and its residual; keeps the best.  True if the residual is within tol. */
static int evaluate(call *c)
{
    const mo_sweep *sweep = c->w->step.sweep;
    const size_t bytes = (size_t)c->convex->problem->row_count * sizeof(double);
    mo_sweep_reset(sweep, 1, c->r, c->x);
    mo_sweep_all_velocities(sweep, 1, c->x, c->u);
    c->residual = mo_convex_residual(c->convex, c->u, c->r);
    if (c->residual < c->w->best) {
        c->w->best = c->residual;
        memcpy(c->w->best_r, c->r, bytes);
    }
    return c->residual <= c->tol;
}

static void return_to_best(call *c)
{
    if (!(c->residual <= c->w->best)) {
        memcpy(c->r, c->w->best_r, (size_t)c->convex->problem->row_count * sizeof(double));
        evaluate(c);
    }
}

/* ---- sweeps ---------------------------------------------------------------------------------- */

/* Extrapolates r and the state along their last change. */
static void extrapolate(double beta, int count, double *now, double *before)
{
    for (int k = 0; k < count; ++k) {
        const double value = now[k];
        if (beta > 0) /* else before may not be set yet */
            now[k] += beta * (value - before[k]);
        before[k] = value;
    }
}

static void extrapolate_all(mo_momentum *m, const call *c)
{
    const mo_problem *problem = c->convex->problem;
    const double beta = mo_momentum_next(m);
    extrapolate(beta, problem->row_count, c->r, c->w->r_before);
    if (c->x != c->r) extrapolate(beta, problem->dof_count, c->x, c->w->x_before);
}

/*
 * Contacts with Coulomb's law have one scale for the normal row and one for the tangential rows,
 * k_N and k_T with diag(k_N, k_T, k_T) >= W_ii: rolling makes W_TT several times W_NN.
 */
static int has_two_scales(const mo_convex *convex, int i)
{
    const mo_problem *problem = convex->problem;
    const double mu =
        problem->law[i].kind == MO_LAW_COULOMB ? mo_constraint_param(problem, i)[0] : 0;
    return convex->kind == MO_CONVEX_SHIFTED && !convex->facets && mu > 0 && !isinf(mu);
}

static void set_two_scales(const mo_convex *convex, const mo_sweep *sweep, int i,
                           two_scales *scales)
{
    const int d = mo_constraint_dim(sweep->problem, i);
    const double *W = mo_sweep_diagonal(sweep, i), weight = convex->weight ? convex->weight[i] : 0;
    double coupling = 0, most = 0;
    for (int j = 1; j < d; ++j) {
        double sum = 0;
        for (int k = 1; k < d; ++k)
            sum += fabs(W[j * d + k]);
        most = fmax(most, sum);
        coupling += fmax(fabs(W[j]), fabs(W[j * d]));
    }
    const double normal = W[0] + coupling + weight, tangential = most + coupling + weight;
    const double ratio = sqrt(tangential / normal);
    *scales = (two_scales){1 / normal, 1 / tangential, ratio, 1 / ratio};
}

static void set_scales(const call *c)
{
    for (int i = 0; i < c->convex->problem->constraint_count; ++i)
        if (has_two_scales(c->convex, i))
            set_two_scales(c->convex, c->w->step.sweep, i, &c->w->scales[i]);
}

/* y minimises the block in the metric of the two scales; a is its velocity. */
static inline void visit_coulomb(const call *c, int i, int d, const double *a, double *y)
{
    const mo_convex *convex = c->convex;
    const two_scales *k = &c->w->scales[i];
    const double *r = c->r + convex->problem->row_start[i];
    double x[3];
    x[0] = r[0] - (a[0] + convex->s[i]) * k->normal;
    for (int j = 1; j < d; ++j)
        x[j] = (r[j] - a[j] * k->tangential) * k->ratio;
    mo_coulomb_project(mo_constraint_param(convex->problem, i)[0] * k->ratio, d, x, y);
    for (int j = 1; j < d; ++j)
        y[j] *= k->inverse;
}

static void visit_any(const call *c, int i, int d, const double *a, double *y)
{
    const double weight = c->convex->weight ? c->convex->weight[i] : 0;
    const double inverse = 1 / (c->w->step.scale[i] + weight);
    const double *r = c->r + c->convex->problem->row_start[i];
    double x[MO_BILATERAL_MAX_DIM];
    mo_along(d, r, -inverse, a, x);
    mo_convex_prox(c->convex, i, inverse, x, y);
}

static void visit(const call *c, int i, int d, const double *a, double *y)
{
    if (!has_two_scales(c->convex, i))
        visit_any(c, i, d, a, y);
    else if (d == 3)
        visit_coulomb(c, i, 3, a, y);
    else
        visit_coulomb(c, i, 2, a, y);
}

/* Returns the sum of |dr|^2. */
static double sweep_once(const call *c)
{
    const mo_sweep *sweep = c->w->step.sweep;
    const mo_problem *problem = sweep->problem;
    double moved = 0;
    for (int i = 0; i < problem->constraint_count; ++i) { /* natural order: position i is i */
        const int row = problem->row_start[i], d = problem->row_start[i + 1] - row;
        double u[MO_BILATERAL_MAX_DIM], x[MO_BILATERAL_MAX_DIM];
        mo_sweep_velocity(sweep, i, c->x, u);
        mo_convex_velocity(c->convex, i, u, c->r + row, x);
        visit(c, i, d, x, u);
        for (int k = 0; k < d; ++k) {
            x[k] = u[k] - c->r[row + k];
            c->r[row + k] = u[k];
            moved += x[k] * x[k];
        }
        mo_sweep_apply(sweep, i, x, c->x);
    }
    return moved;
}

/* Sweeps that cost as much as Newton: none for small problems, hundreds in a large heap. */
static double worthwhile_sweeps(const call *c)
{
    const mo_problem *problem = c->convex->problem;
    const size_t values = problem->value_start[problem->constraint_count];
    const double of_sweep = 4.0 * (double)values + 100.0 * problem->constraint_count;
    return c->w->step.is_ready ? NEWTON_STEPS * c->w->step.flops / of_sweep : SWEEPS_MOST;
}

/* True if the residual is within tol; false if Newton steps should follow.  Counts the sweeps. */
static int sweep_while_it_pays(call *c, int *sweeps)
{
    double left = worthwhile_sweeps(c);
    mo_momentum m = mo_momentum_begin(MOMENTUM);
    for (; left >= CHECK_EVERY && !mo_run_is_over(c->run); left -= CHECK_EVERY) {
        const double before = c->residual;
        for (int k = 0; k < CHECK_EVERY; ++k) {
            extrapolate_all(&m, c);
            mo_momentum_watch(&m, sweep_once(c));
        }
        *sweeps += CHECK_EVERY;
        if (evaluate(c)) return 1;
        const double rate = log(c->residual / before) / CHECK_EVERY; /* of one sweep, negative */
        if (c->w->step.is_ready && !(log(c->tol / c->residual) > rate * left))
            break; /* too slow; also where tol is zero */
    }
    return 0;
}

/* ---- Newton steps ---------------------------------------------------------------------------- */

/* The first rho of a problem: short steps far from the solution, long ones near it. */
static double first_rho(const call *c)
{
    return fmin(RHO_FIRST, fmax(RHO_LEAST, RHO_FIRST * c->residual / c->run->q_scale));
}

/* newton: Newton steps of the last proximal step, or -1; before: the residual before it. */
static double next_rho(const call *c, double rho, int newton, double before)
{
    const double least = c->convex->kind == MO_CONVEX_BOUNDED_SLIP ? RHO_LEAST_BOUNDED : RHO_LEAST;
    const int is_slow = c->residual > 0.5 * before && newton <= HARD;
    const double factor = newton < 0       ? 10
                          : newton <= EASY ? 0.1
                          : newton > HARD  ? 2
                          : is_slow        ? 0.3
                                           : 1;
    return fmin(RHO_MOST, fmax(least, factor * rho));
}

/* One Newton step on the natural map; undone, and false, where it does not halve the residual. */
static int try_polish(call *c, double look_at)
{
    const size_t bytes = (size_t)c->convex->problem->row_count * sizeof(double);
    const double before = c->residual;
    memcpy(c->w->kept_r, c->r, bytes);
    if (mo_convex_step_polish(&c->w->step, c->convex, RHO_POLISH, look_at, c->u, c->r)) {
        evaluate(c);
        if (c->residual < 0.5 * before) return 1;
    }
    memcpy(c->r, c->w->kept_r, bytes);
    evaluate(c);
    return 0;
}

/* Polishes while this helps, with the modes of contacts at rho of the last step, then at 1. */
static int polish(call *c, double rho)
{
    int steps = 0;
    while (c->residual > c->tol && steps < POLISH_MOST) {
        steps += 2;
        if (!try_polish(c, rho) && !try_polish(c, 1)) break;
    }
    return steps;
}

static int step_until_solved(call *c)
{
    workspace *w = c->w;
    double rho = first_rho(c);
    int newton_steps = 0, has_failed = 0, since_best = 0;
    for (int count = 0; count < STEPS_MOST && since_best < PATIENCE; ++count) {
        if (c->residual <= c->tol || mo_run_is_over(c->run)) break;
        /* Weights make it strongly convex: one step with rho = 0, if Newton converges. */
        const double own = c->convex->weight && !has_failed ? 0 : rho, best = w->best,
                     before = c->residual;
        const int newton = mo_convex_step_take(&w->step, c->convex, own, c->u, c->r);
        newton_steps += newton > 0 ? newton : 1;
        evaluate(c);
        has_failed = has_failed || newton < 0;
        rho = next_rho(c, rho, newton, before);
        if (newton >= 0 && newton <= STEADY) newton_steps += polish(c, own > 0 ? own : RHO_LEAST);
        since_best = w->best < 0.98 * best ? 0 : since_best + 1;
    }
    return newton_steps;
}

/* ---- the engine ------------------------------------------------------------------------------ */

static mo_convex_answer solve(mo_run *run, void *memory, const mo_convex *convex, double tol,
                              double *r, double *u)
{
    workspace *w = memory;
    call c = {.run = run, .w = w, .convex = convex, .tol = tol, .r = r, .u = u};
    int sweeps = 0, steps = 0;
    c.x = convex->problem->form == MO_FORM_GLOBAL ? w->state : r;
    if (!w->has_begun) {
        mo_convex_step_begin(&w->step);
        w->has_begun = 1;
    }
    set_scales(&c);
    w->best = INFINITY;
    if (!evaluate(&c) && !sweep_while_it_pays(&c, &sweeps) && w->step.is_ready)
        steps = step_until_solved(&c);
    return_to_best(&c);
    return (mo_convex_answer){c.residual, sweeps + steps, mo_run_is_over(run)};
}

static int linearise(void *memory, const mo_convex *convex, const double *u, const double *r)
{
    workspace *w = memory;
    return w->step.is_ready && mo_convex_step_linearise(&w->step, convex, u, r);
}

static void respond(void *memory, const double *ds, double *du)
{
    workspace *w = memory;
    mo_convex_step_respond(&w->step, ds, du);
}

const mo_convex_engine mo_convex_newton_engine = {
    .name = "newton",
    .takes_bounded_slip = 1,
    .layout = layout,
    .solve = solve,
    .linearise = linearise,
    .respond = respond,
};
