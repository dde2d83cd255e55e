/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * The feasible interior point method of [trinkle1997, appendix], after [kojima1991], on the LCP
 * view:
 *
 *     w = S z + c,   0 <= z perp w >= 0,   w > 0, z > 0     (S, c: the paper's M, r)
 *
 *   0. find a strictly feasible point                                              (fip_start.c)
 *   1. direction: linearise w o z = beta xi e with xi = w'z / n                    (eq. 38)
 *   2. step: at most eta of the way to the boundary, shortened by rho until
 *          psi = (n + zeta) log w'z - sum log w_k z_k                              (eq. 39)
 *      has decreased by sigma (1 - beta) zeta times the step
 *   3. at w'z <= epsilon solve for the active set and measure; otherwise reduce beta; go to 1
 *
 * Eq. 38 must have beta xi e - w o z on its right-hand side; eq. 35 must have the slacks s+ and s-
 * of eq. 30.  Convergence is proven for P0 matrices [trinkle1997, Theorems 3 and 4].
 * Limits: dense, MOST_UNKNOWNS; fip.facets directions in space, ends as stalled; no warm start.
 */
#include "solver/fip.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "linalg/dense.h"
#include "measure/measure_blocks.h"

void dgetrf_(const int *m, const int *n, double *A, const int *lda, int *pivot, int *info);
void dgetrs_(const char *trans, const int *n, const int *columns, const double *A, const int *lda,
             const int *pivot, double *B, const int *ldb, int *info);
void dgelsy_(const int *m, const int *n, const int *columns, double *A, const int *lda, double *B,
             const int *ldb, int *pivot, const double *rcond, int *rank, double *work,
             const int *lwork, int *info);

enum { CORRECTIONS = 3, LAPACK_COLUMNS = 32 };
enum { MOST_UNKNOWNS = 1500 }; /* a factorisation in some tenths of a second */

/* A solution of this size, in units of about one, cannot be hidden by rounding. */
static const double BEYOND_DOUBT = 1e11;
static const double SHORTEST_STEP = 1e-8; /* below this the iterates no longer move */
static const double SMALLEST_GAP = 1e-26; /* below this w and z are noise */
static const double NEXT_POLISH = 1e-2;   /* the gap falls by this between two polishes */

enum { PATIENCE = 40 }; /* iterations in which the gap must halve at least once */

static mo_error check(const mo_problem *problem, const mo_options *options, mo_message *why)
{
    return mo_lcp_check(problem, options->fip.facets, MOST_UNKNOWNS, "fip", why);
}

static mo_error layout(const mo_problem *problem, const mo_options *options, mo_arena *arena,
                       void **out)
{
    mo_fip *f = MO_HEAD(arena, mo_fip);
    *f = (mo_fip){0};
    *out = f;
    MO_TRY(mo_lcp_system_layout(problem, options->fip.facets, arena, &f->lcp));
    const size_t n = (size_t)f->lcp.n;
    f->work_size = (LAPACK_COLUMNS + 3) * (f->lcp.n + 1);
    MO_TAKE_EACH(arena, n * n, double, &f->K, &f->rows);
    MO_TAKE_EACH(arena, n, double, &f->z, &f->w, &f->p, &f->dz, &f->dw);
    f->work = MO_TAKE(arena, f->work_size, double);
    MO_TAKE_EACH(arena, n, int, &f->pivot, &f->active);
    return MO_OK;
}

/* ---- the LCP --------------------------------------------------------------------------------- */

void mo_fip_multiply(const mo_fip *f, const double *x, double *y)
{
    for (int i = 0; i < f->lcp.n; ++i)
        y[i] = mo_dot(f->lcp.n, f->lcp.S + (size_t)i * f->lcp.n, x);
}

static void prepare(mo_run *run, mo_fip *f)
{
    mo_lcp_system_assemble(run, &f->lcp, &f->lcp.lcp, MO_SCALES_ROOTS);
    const double most = mo_largest(f->lcp.n, f->lcp.c);
    mo_lcp_system_resize(&f->lcp, most > 0 ? most : 1);
}

int mo_fip_check(mo_run *run, mo_fip *f)
{
    mo_lcp_system_put(run, &f->lcp, f->z);
    return mo_run_check(run, f->iteration, run->u, run->r);
}

/* ---- the active set -------------------------------------------------------------------------- */

/* K = S on the active rows and columns, and x = -w there. */
static void gather(const mo_fip *f, int count, const double *w, double *x)
{
    for (int i = 0; i < count; ++i) {
        const double *line = f->lcp.S + (size_t)f->active[i] * f->lcp.n;
        x[i] = -w[f->active[i]];
        for (int j = 0; j < count; ++j)
            f->K[(size_t)j * count + i] = line[f->active[j]];
    }
}

/* Is the solution near the point, as it is where the matrix is not singular? */
static int is_near(int count, const double *x, double reach)
{
    for (int k = 0; k < count; ++k)
        if (!(fabs(x[k]) <= reach)) return 0;
    return 1;
}

/* x with S_active x = -w there; the shortest of least squares where S_active is singular. */
static void solve_active(mo_fip *f, int count, const double *w, double reach, double *x)
{
    const int one = 1;
    const double rank_tolerance = 1e-11; /* of singular values: S has numbers of about one */
    int info, rank;
    if (count == 0) return;
    gather(f, count, w, x);
    dgetrf_(&count, &count, f->K, &count, f->pivot, &info);
    if (info == 0) {
        dgetrs_("N", &count, &one, f->K, &count, f->pivot, x, &count, &info);
        if (is_near(count, x, reach)) return;
    }
    gather(f, count, w, x);
    memset(f->pivot, 0, (size_t)count * sizeof *f->pivot);
    dgelsy_(&count, &count, &one, f->K, &count, x, &count, f->pivot, &rank_tolerance, &rank,
            f->work, &f->work_size, &info);
}

/* One correction of the point, which makes the true w vanish on joints and on the active set. */
static void correct(mo_run *run, mo_fip *f, int count, double reach)
{
    double *change = f->dw, *pairs = f->dz; /* no further progress along the direction */
    mo_lcp_system_slack(run, &f->lcp);
    solve_active(f, count, f->lcp.w + f->lcp.lcp.free_count, reach, change);
    memset(pairs, 0, (size_t)f->lcp.n * sizeof *pairs);
    for (int k = 0; k < count; ++k)
        pairs[f->active[k]] = change[k];
    mo_lcp_system_move(run, &f->lcp, pairs);
}

/* Solves the linear system of the active set: z_k = 0 if z_k < w_k, w_k = 0 elsewhere, starting
 * from the point, with the true velocity of the impulse.  Measures the solution; the point is
 * unchanged. */
static int polish(mo_run *run, mo_fip *f)
{
    int count = 0;
    double most = 1;
    for (int k = 0; k < f->lcp.n; ++k) {
        const int is_active = f->z[k] >= f->w[k];
        f->dz[k] = is_active ? f->z[k] : 0;
        most = fmax(most, f->z[k]);
        if (is_active) f->active[count++] = k;
    }
    mo_lcp_system_put(run, &f->lcp, f->dz);
    for (int k = 0; k < CORRECTIONS; ++k) {
        correct(run, f, count, most);
        if (mo_run_check(run, f->iteration, run->u, run->r)) return 1;
    }
    return 0;
}

/* ---- step 1 ---------------------------------------------------------------------------------- */

/* The matrix of eq. 38 without dw, Z S + W; a row is divided by the larger of its z and w. */
static void set_matrix(mo_fip *f)
{
    const int n = f->lcp.n;
    for (int i = 0; i < n; ++i) {
        const double largest = fmax(f->z[i], f->w[i]), z = f->z[i] / largest;
        const double *line = f->lcp.S + (size_t)i * n;
        for (int j = 0; j < n; ++j)
            f->K[(size_t)j * n + i] = z * line[j];
        f->K[(size_t)i * n + i] += f->w[i] / largest;
    }
}

/* Eq. 38, sign corrected; a full step leaves beta of p.  0 if the matrix is singular. */
static int find_direction(mo_fip *f, double beta)
{
    const int n = f->lcp.n, one = 1;
    const double target = beta * mo_dot(n, f->w, f->z) / n;
    int info;
    set_matrix(f);
    for (int k = 0; k < n; ++k) {
        const double largest = fmax(f->z[k], f->w[k]);
        f->dz[k] = (target - f->w[k] * f->z[k] + (1 - beta) * f->z[k] * f->p[k]) / largest;
    }
    dgetrf_(&n, &n, f->K, &n, f->pivot, &info);
    if (info) return 0;
    dgetrs_("N", &n, &one, f->K, &n, f->pivot, f->dz, &n, &info);
    mo_fip_multiply(f, f->dz, f->dw);
    mo_axpy(n, -(1 - beta), f->p, f->dw);
    return mo_all_finite(f->dz, (size_t)n) && mo_all_finite(f->dw, (size_t)n);
}

/* ---- step 2 ---------------------------------------------------------------------------------- */

/* The largest step up to one for which nothing becomes negative. */
static double longest_step(const mo_fip *f)
{
    double step = 1;
    for (int k = 0; k < f->lcp.n; ++k) {
        step = f->dw[k] < 0 ? fmin(step, -f->w[k] / f->dw[k]) : step;
        step = f->dz[k] < 0 ? fmin(step, -f->z[k] / f->dz[k]) : step;
    }
    return step;
}

static double merit(const mo_fip *f, double zeta, double step)
{
    double gap = 0, logs = 0;
    for (int k = 0; k < f->lcp.n; ++k) {
        const double product = (f->w[k] + step * f->dw[k]) * (f->z[k] + step * f->dz[k]);
        gap += product;
        logs += log(product);
    }
    return (f->lcp.n + zeta) * log(gap) - logs;
}

/* Eq. 39; 0 if no significant step satisfies it. */
static double find_step(const mo_fip *f, const mo_options *options, double beta)
{
    const double zeta = options->fip.zeta > 0 ? options->fip.zeta : sqrt(f->lcp.n);
    const double slope = options->fip.sigma * (1 - beta) * zeta, before = merit(f, zeta, 0);
    double step = options->fip.eta * longest_step(f);
    while (step >= SHORTEST_STEP && !(merit(f, zeta, step) - before <= -slope * step))
        step *= options->fip.rho;
    return step >= SHORTEST_STEP ? step : 0;
}

/* ---- step 3 ---------------------------------------------------------------------------------- */

static void move(mo_fip *f, double step, double beta)
{
    const int n = f->lcp.n;
    mo_axpy(n, step, f->dz, f->z);
    mo_axpy(n, step, f->dw, f->w);
    for (int k = 0; k < n; ++k)
        f->p[k] *= 1 - step * (1 - beta);
}

/* beta_0: later starts stay closer to the central path, up to 0.9 for the default. */
static double first_beta(const mo_options *options, int restart)
{
    return 1 - ldexp(1 - options->fip.beta, restart < 3 ? -restart : -3);
}

/* From one start to the end.  `due`: the gap at which the next polish is due. */
static mo_fip_state descend(mo_run *run, mo_fip *f)
{
    const mo_options *options = run->options;
    const int last = f->iteration + options->fip.iterations;
    double beta = first_beta(options, f->restart), due = options->fip.epsilon,
           halved_gap = INFINITY;
    int halved_at = f->iteration;
    while (f->iteration < last && f->iteration - halved_at < PATIENCE) {
        if (!find_direction(f, beta)) return MO_FIP_FAILED;
        const double step = find_step(f, options, beta);
        move(f, step, beta);
        ++f->iteration;
        const double gap = mo_dot(f->lcp.n, f->w, f->z);
        if (mo_fip_check(run, f)) return MO_FIP_SOLVED;
        if ((gap <= due || step == 0) && polish(run, f)) return MO_FIP_SOLVED;
        if (mo_run_must_stop(run, f->iteration)) return MO_FIP_MUST_STOP;
        if (step == 0 || !(gap > SMALLEST_GAP)) return MO_FIP_FAILED;
        if (gap <= 0.5 * halved_gap) {
            halved_gap = gap;
            halved_at = f->iteration;
        }
        f->reached_end |= gap <= due;
        due = gap <= due ? NEXT_POLISH * gap : due;
        beta *= options->fip.shrink;
    }
    return MO_FIP_FAILED;
}

/* ---- the method ------------------------------------------------------------------------------ */

static mo_fip_state run_from_start(mo_run *run, mo_fip *f)
{
    const mo_fip_state state = mo_fip_start(run, f);
    return state == MO_FIP_MOVING ? descend(run, f) : state;
}

static mo_status give_up(mo_run *run, const mo_fip *f)
{
    if (f->reached_end) return mo_lcp_system_stall(run, &f->lcp);
    return mo_run_stall(run, "none of %d starts led to a solution", f->restart);
}

/* The multipliers are in the result: a proof if a solution would have to be far away. */
static mo_status refute(mo_run *run, const mo_fip *f)
{
    if (f->least_sum >= BEYOND_DOUBT && mo_lcp_system_is_exact(&f->lcp)) {
        mo_say(&run->result->message,
               "no impulse meets all inequalities: the ray in the result shows it");
        return MO_NO_SOLUTION;
    }
    return mo_run_stall(
        run, "no impulse within %.0e times |q| meets all inequalities, by linear programming",
        f->least_sum);
}

static mo_status solve(mo_run *run, void *memory)
{
    mo_fip *f = memory;
    if (mo_run_ends_at_start(run, f->lcp.v)) return run->status;
    prepare(run, f);
    f->restart = f->iteration = f->reached_end = 0;
    if (f->lcp.n == 0) { /* only joints: a linear system */
        f->iteration = 1;
        return polish(run, f) ? MO_SOLVED : mo_run_stall(run, "the joints contradict each other");
    }
    for (; f->restart <= run->options->fip.restarts; ++f->restart) {
        switch (run_from_start(run, f)) {
        case MO_FIP_SOLVED:
            return MO_SOLVED;
        case MO_FIP_MUST_STOP:
            return run->status;
        case MO_FIP_INFEASIBLE:
            return refute(run, f);
        default:
            break;
        }
        if (f->reached_end && f->lcp.lcp.uses_facets) {
            /* another start would find another solution of the facets, which does not help */
            break;
        }
    }
    return give_up(run, f);
}

const mo_method mo_fip_method = {
    .name = "fip",
    .summary = "feasible interior points on facets; for polyhedral laws, up to 1,500 unknowns",
    .paper = "trinkle1997",
    .uses_blas = 1,
    .laws = MO_POLYHEDRAL_LAWS | MO_LAW_BIT(MO_LAW_COULOMB),
    .by_facets = MO_LAW_BIT(MO_LAW_COULOMB),
    .check = check,
    .layout = layout,
    .solve = solve,
};
