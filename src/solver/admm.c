/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * The alternating direction method of multipliers, for the full law and as an engine of convex.h.
 *
 * Of two copies of the impulses, r satisfies the dynamics and z the laws; the velocity lambda
 * couples them (x, z, -y in [boyd2011, section 5.3]).  With the compliance C, one number D per
 * block (a bound of |W_ii + C|, so the penalty rho is dimensionless), and proximal weights:
 *
 *   1. (W + C + weight + rho D) r = rho D z + lambda - q + weight centre   one factorisation
 *   2. x = alpha r + (1 - alpha) z - lambda / (rho D)                over-relaxation, alpha = 1.6
 *   3. periodically x = combination of the last iterates   Anderson acceleration (anderson.h)
 *   4. z = prox(x), step 1 / (rho D), shift s;  lambda = rho D (z - x)
 *
 * The residual is the distance of lambda from the velocity of z.  rho starts from the spectrum of
 * W; changing it refactors.  Limits: linear convergence, slow below 1e-6; no proof for large mu.
 */
#include <math.h>
#include <string.h>

#include "base/random.h"
#include "linalg/anderson.h"
#include "linalg/dense.h"
#include "measure/measure_blocks.h"
#include "problem/delassus.h"
#include "solver/convex.h"

/* The residual is checked after so many iterations, and by the method after the first EAGER. */
enum { CHECK_EVERY = 5, EAGER = 10 };
enum { POWER_STEPS = 20, MEMORY = 10 };
enum { WAIT_FIRST = 10, BALANCES_MOST = 20, WINDOW_FIRST = 200 };
static const double RELAX = 1.6;
static const double RHO_LEAST = 1e-7, RHO_MOST = 1e7;
static const double UNBALANCED = 10;   /* ratio of the residuals at which rho changes */
static const double WAIT_GROWTH = 1.5; /* growth of the number of steps between two changes */
static const double SLOW = 0.3;        /* a window should reduce the residual to this fraction */
static const double WINDOW_GROWTH = 1.2;
static const double LEAST_EIGENVALUE = 1e-6; /* assumed for a W that may be singular */

/* The iteration, for the method and for the engine of convex.h. */
typedef struct splitting {
    mo_delassus system;
    double *scale;                             /* D */
    double *q, *r, *x, *z, *lambda, *z_before; /* rows */
    double *image;                             /* rows: x after step 2 */
    double *row_scale;                         /* D, one a row */
    mo_anderson anderson;
    int is_mixed; /* x is a mixture */
    double rho;
    double primal, dual;      /* of the last step */
    int steps;                /* since the start */
    int since, wait, changes; /* the balance: steps since rho changed, steps to wait, changes */
    /* the search: first rho, residual at the start of the window */
    double rho_first, window_residual;
    int window, window_end, jumps;
    int is_factored;
} splitting;

static mo_error lay_out(const mo_problem *problem, mo_arena *arena, splitting *admm)
{
    *admm = (splitting){0};
    MO_TAKE_EACH(arena, problem->row_count, double, &admm->q, &admm->r, &admm->x, &admm->z,
                 &admm->lambda, &admm->z_before, &admm->image, &admm->row_scale);
    admm->scale = MO_TAKE(arena, problem->constraint_count, double);
    mo_anderson_layout(arena, problem->row_count, MEMORY, &admm->anderson);
    admm->anderson.weight = admm->row_scale;
    return mo_delassus_layout(problem, MO_SPACE_BEST, arena, &admm->system);
}

/* ---- the first penalty ----------------------------------------------------------------------- */

/* The largest eigenvalue of D^-1 W, by power iteration. */
static double largest_eigenvalue(splitting *admm, double *v)
{
    const mo_problem *problem = admm->system.problem;
    double *x = admm->z, *y = admm->r, eta = 1;
    mo_random random = {1};
    for (int k = 0; k < problem->row_count; ++k)
        x[k] = mo_random_unit(&random) - 0.5;
    for (int step = 0; step < POWER_STEPS; ++step) {
        double size = 0;
        const double most = mo_largest(problem->row_count, x);
        for (int k = 0; k < problem->row_count; ++k)
            x[k] /= most;
        mo_problem_response_into(problem, x, v, y);
        for (int i = 0; i < problem->constraint_count; ++i) {
            for (int k = problem->row_start[i]; k < problem->row_start[i + 1]; ++k) {
                y[k] = (y[k] - admm->q[k]) / admm->scale[i];
                size += x[k] * x[k];
            }
        }
        const double now = mo_dot(problem->row_count, x, y) / size;
        memcpy(x, y, (size_t)problem->row_count * sizeof *x);
        if (!(now > 0) || !isfinite(now)) return fmax(eta, 1e-3);
        eta = now;
    }
    return eta;
}

/* To be called once: scales and q; rho as given, or from the spectrum of W if it is zero.  v is
 * scratch for velocities. */
static void begin(splitting *admm, double rho, double *v)
{
    const mo_problem *problem = admm->system.problem;
    memset(admm->system.active, 1, (size_t)admm->system.problem->constraint_count);
    mo_convex_scales(admm->system.sweep, admm->scale);
    for (int i = 0; i < problem->constraint_count; ++i)
        for (int k = problem->row_start[i]; k < problem->row_start[i + 1]; ++k)
            admm->row_scale[k] = admm->scale[i];
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
static void place_argument(splitting *admm)
{
    const int rows = admm->system.problem->row_count;
    for (int k = 0; k < rows; ++k)
        admm->x[k] = admm->z[k] - admm->lambda[k] / (admm->rho * admm->row_scale[k]);
    mo_anderson_clear(&admm->anderson);
    admm->is_mixed = 0;
}

/* z = r0, and lambda = the velocity u0 of r0 without the part that violates its law: zero at a
 * solution, and the approach velocity at r0 = 0.  Clears the history of rho, not rho itself. */
static void start(splitting *admm, const mo_convex *convex, const double *r0, const double *u0)
{
    const mo_problem *problem = convex->problem;
    memcpy(admm->z, r0, (size_t)problem->row_count * sizeof *r0);
    for (int i = 0; i < problem->constraint_count; ++i) {
        const int row = problem->row_start[i], d = problem->row_start[i + 1] - row;
        double law_u[MO_BILATERAL_MAX_DIM], x[MO_BILATERAL_MAX_DIM], y[MO_BILATERAL_MAX_DIM];
        mo_law_velocity(problem, row, d, u0 + row, r0 + row, law_u);
        for (int k = 0; k < d; ++k)
            x[k] = r0[row + k] - law_u[k] / admm->scale[i];
        mo_convex_prox(convex, i, 1 / admm->scale[i], x, y);
        for (int k = 0; k < d; ++k)
            admm->lambda[row + k] = admm->scale[i] * (y[k] - x[k]);
    }
    admm->since = admm->changes = admm->steps = admm->jumps = 0;
    admm->wait = WAIT_FIRST;
    admm->window = admm->window_end = WINDOW_FIRST;
    admm->window_residual = INFINITY;
    admm->rho_first = admm->rho;
    place_argument(admm);
}

/* ---- one iteration --------------------------------------------------------------------------- */

static double weight_of(const mo_convex *convex, int i)
{
    return convex->weight ? convex->weight[i] : 0;
}

static int factor(splitting *admm, const mo_convex *convex)
{
    const mo_problem *problem = convex->problem;
    for (int i = 0; i < problem->constraint_count; ++i) {
        const int row = problem->row_start[i], d = problem->row_start[i + 1] - row;
        double *E = admm->system.D + admm->system.start[i],
               *G = admm->system.B + admm->system.start[i];
        const double soft = admm->rho * admm->scale[i] + weight_of(convex, i);
        memset(E, 0, (size_t)(d * d) * sizeof *E);
        memset(G, 0, (size_t)(d * d) * sizeof *G);
        for (int k = 0; k < d; ++k) {
            E[k * d + k] = soft + (problem->compliance ? problem->compliance[row + k] : 0);
            G[k * d + k] = 1;
        }
    }
    admm->is_factored = mo_delassus_factor(&admm->system);
    return admm->is_factored;
}

/* Step 1. */
static void obey_dynamics(splitting *admm, const mo_convex *convex)
{
    const mo_problem *problem = convex->problem;
    for (int i = 0; i < problem->constraint_count; ++i) {
        const double penalty = admm->rho * admm->scale[i], weight = weight_of(convex, i);
        for (int k = problem->row_start[i]; k < problem->row_start[i + 1]; ++k) {
            admm->r[k] = penalty * admm->z[k] + admm->lambda[k] - admm->q[k] +
                         (weight > 0 ? weight * convex->centre[k] : 0);
        }
    }
    mo_delassus_solve(&admm->system, admm->r);
}

/* |r - z|^2 and |z - z before|^2, in the norm of D. */
typedef struct sizes {
    double primal, moved;
} sizes;

/* Steps 2 and 3: the next x. */
static void find_argument(splitting *admm)
{
    mo_anderson *memory = &admm->anderson;
    const int rows = memory->n;
    for (int k = 0; k < rows; ++k) {
        admm->image[k] = RELAX * admm->r[k] + (1 - RELAX) * admm->z[k] -
                         admm->lambda[k] / (admm->rho * admm->row_scale[k]);
    }
    if (admm->is_mixed && !(mo_anderson_distance(memory, admm->x, admm->image) <= memory->size)) {
        for (int k = 0; k < rows; ++k) /* undo the mixture */
            admm->x[k] = memory->x[k] + memory->f[k];
        mo_anderson_clear(memory);
        admm->is_mixed = 0;
        return;
    }
    mo_anderson_push(memory, admm->x, admm->image);
    mo_anderson_mix(memory, admm->x);
    admm->is_mixed = memory->count > 0;
}

/* Step 4 of one block. */
static void obey_law(splitting *admm, const mo_convex *convex, int i, sizes *sum)
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

/* One iteration; false if the matrix is singular or the numbers are no longer finite. */
static int iterate(splitting *admm, const mo_convex *convex)
{
    sizes sum = {0};
    if (!admm->is_factored && !factor(admm, convex)) return 0;
    obey_dynamics(admm, convex);
    find_argument(admm);
    for (int i = 0; i < convex->problem->constraint_count; ++i)
        obey_law(admm, convex, i, &sum);
    admm->primal = sqrt(sum.primal);
    admm->dual = admm->rho * sqrt(sum.moved);
    ++admm->since;
    ++admm->steps;
    return isfinite(admm->primal + admm->dual);
}

/* ---- the penalty ----------------------------------------------------------------------------- */

static void change_penalty(splitting *admm, double rho)
{
    admm->rho = fmin(RHO_MOST, fmax(RHO_LEAST, rho));
    admm->is_factored = 0;
    admm->since = 0;
    place_argument(admm);
}

/* While rho is new: a factor of two towards the smaller of the two residuals. */
static void balance(splitting *admm)
{
    if (admm->since < admm->wait || admm->changes >= BALANCES_MOST) return;
    const double ratio = admm->primal / admm->dual;
    if (ratio > UNBALANCED || ratio < 1 / UNBALANCED) {
        admm->wait = (int)(WAIT_GROWTH * admm->wait);
        ++admm->changes;
        change_penalty(admm, ratio > 1 ? 2 * admm->rho : 0.5 * admm->rho);
    }
}

/* Changes rho if due; residual: that of the current iterate. */
static void adapt(splitting *admm, double residual)
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

/* ---- the method ------------------------------------------------------------------------------ */

typedef struct workspace {
    splitting admm;
    double *s; /* of the method */
    /* of the engine */
    double *best_r, *v;
    int most, has_begun, had_weight;
} workspace;

/*
 * The shift s of the normal velocity is computed from lambda, the velocity estimate, before each
 * iteration, so a fixed point satisfies Coulomb's law and not a relaxed one [carpentier2024],
 * [acary2018]: s = mu |lambda_T|, the shift of de Saxce and Feng.  The best z is kept.
 */
static mo_error layout_method(const mo_problem *problem, const mo_options *options, mo_arena *arena,
                              void **out)
{
    (void)options;
    workspace *w = MO_HEAD(arena, workspace);
    *out = w;
    w->s = MO_TAKE(arena, problem->constraint_count, double);
    return lay_out(problem, arena, &w->admm);
}

static mo_status solve(mo_run *run, void *memory)
{
    workspace *w = memory;
    splitting *admm = &w->admm;
    const mo_convex convex = {.problem = run->problem, .kind = MO_CONVEX_SHIFTED, .s = w->s};
    if (mo_run_ends_at_start(run, run->result->v)) return run->status;
    begin(admm, run->options->admm.rho, run->result->v);
    mo_convex_shifts(run->problem, run->u, run->r, w->s);
    start(admm, &convex, run->r, run->u);
    for (int iteration = 1;; ++iteration) {
        mo_convex_shifts(run->problem, admm->lambda, NULL, w->s);
        if (!iterate(admm, &convex)) {
            return mo_run_stall(
                run, "the matrix of the dynamics cannot be factored, or the numbers overflow");
        }
        if (iteration % CHECK_EVERY == 0 || iteration <= EAGER ||
            iteration == run->options->max_iter) {
            mo_problem_response_into(run->problem, admm->z, run->result->v, run->u);
            if (mo_run_check(run, iteration, run->u, admm->z)) return MO_SOLVED;
            if (run->options->admm.adapt) {
                adapt(admm, mo_natural_norm(run->problem, run->options->threads, run->u, admm->z,
                                            run->partial));
            }
        }
        if (mo_run_must_stop(run, iteration)) return run->status;
        if (admm->primal == 0 && admm->dual == 0)
            return mo_run_stall(run, "the iteration stagnated with a residual above tol");
    }
}

const mo_method mo_admm_method = {
    .name = "admm",
    .summary = "alternating direction method of multipliers with one factorisation",
    .paper = "boyd2011",
    .laws = MO_CONVEX_LAWS,
    .layout = layout_method,
    .solve = solve,
};

/* ---- the engine ------------------------------------------------------------------------------ */

/* With the shift frozen.  The factorisation and the penalty are kept from one problem to the next
 * while the weights stay away. */
static mo_error layout_engine(const mo_problem *problem, const mo_options *options, mo_arena *arena,
                              void **out)
{
    workspace *w = MO_HEAD(arena, workspace);
    *out = w;
    w->best_r = MO_TAKE(arena, problem->row_count, double);
    w->v = MO_TAKE(arena, problem->dof_count, double);
    w->most = options->acary_cadoux.inner;
    w->has_begun = w->had_weight = 0;
    return lay_out(problem, arena, &w->admm);
}

static void begin_convex(mo_run *run, workspace *w, const mo_convex *convex, const double *r,
                         double *u)
{
    if (!w->has_begun) {
        begin(&w->admm, run->options->admm.rho, w->v);
        w->has_begun = 1;
    }
    if (convex->weight || w->had_weight) w->admm.is_factored = 0;
    w->had_weight = convex->weight != NULL;
    mo_problem_response_into(convex->problem, r, w->v, u);
    start(&w->admm, convex, r, u);
}

static mo_convex_answer solve_convex(mo_run *run, void *memory, const mo_convex *convex, double tol,
                                     double *r, double *u)
{
    workspace *w = memory;
    splitting *admm = &w->admm;
    const size_t bytes = (size_t)convex->problem->row_count * sizeof *r;
    begin_convex(run, w, convex, r, u);
    memcpy(w->best_r, r, bytes);
    double best = mo_convex_residual(convex, u, r);
    int iteration = 0, is_over = mo_run_is_over(run), moves = 1;
    while (best > tol && moves && iteration < w->most && !is_over) {
        moves = iterate(admm, convex) && (admm->primal > 0 || admm->dual > 0);
        ++iteration;
        if (iteration % CHECK_EVERY == 0 || iteration == w->most || !moves) {
            mo_problem_response_into(convex->problem, admm->z, w->v, u);
            const double residual = mo_convex_residual(convex, u, admm->z);
            if (residual < best) { /* false for NaN */
                best = residual;
                memcpy(w->best_r, admm->z, bytes);
            }
            is_over = mo_run_is_over(run);
            adapt(admm, residual);
        }
    }
    memcpy(r, w->best_r, bytes);
    mo_problem_response_into(convex->problem, r, w->v, u);
    return (mo_convex_answer){best, iteration, is_over};
}

const mo_convex_engine mo_convex_admm_engine = {
    .name = "admm",
    .takes_bounded_slip = 1,
    .layout = layout_engine,
    .solve = solve_convex,
};
