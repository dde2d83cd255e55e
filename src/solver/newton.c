/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Semismooth Newton on the natural map, started by Gauss-Seidel sweeps.
 *
 * With a step rho_i for each block the laws read  z_i = r_i - proj(r_i - rho_i uhat_i) = 0, u = W r + q.  One of the derivatives
 * of z is  I - J + rho J G W, J that of the projection and G that of uhat (1 but for the row of the sliding speed), and
 *
 *     (I - (1 - eps) J + rho J G W) dr = -z
 *
 * is the step: Alart and Curnier's method on the projection of [acary2018], with a regularisation eps that keeps the matrix
 * regular where W is not (four corners of a box), and vanishes from the answer since z does.  Blocks with J = 0 (apart) have
 * dr = -r and drop out of the matrix, which has the pattern of W and is factored in sparse blocks (contact_space.h).
 *
 *   here     literature   meaning
 *   rho_i    rho, r       1 / mean diagonal of W_ii: makes z free of units within a block
 *   merit    -            sqrt(sum |z_i|^2 / rho_i)
 *
 * A step is halved twice at most; where that does not lower the merit the best of the three is taken all the same, and the third
 * such event ends the attempt: Newton needs the right set of contacts, not a descent.  Sweeps find that set: `newton.sweeps`
 * before the first attempt, twice as many before each further one.  An attempt that did not halve the residual is undone.
 *
 * Limits: W is formed, so memory and time grow faster than the contacts do in space.  No proof of convergence; ends as stalled
 * when the rounds are used up.  An iteration is a sweep or a Newton step.
 */
#include <math.h>
#include <string.h>

#include "problem/views.h"
#include "solver/method.h"

enum { STEPS = 30, HALVINGS = 2, BAD_STEPS = 3 };

typedef struct workspace {
    const mo_contact_space *space;
    const mo_sweep *sweep; /* of the reduced problem, natural order */
    mo_block_lu lu;
    uint8_t *active;
    double *rho;          /* one a block                          */
    double *B;            /* rho J G, block by block, as the diagonals in the sweep's records */
    double *z, *dr, *u;   /* natural map, step, velocity at r     */
    double *trial, *kept; /* r + t dr; r before an attempt        */
} workspace;

static mo_error layout(const mo_problem *problem, const mo_options *options, mo_arena *arena, void **out)
{
    (void)options;
    const mo_contact_space *space;
    const mo_sweep *sweep;
    mo_error error = mo_problem_contact_space(problem, &space);
    error = error ? error : mo_problem_sweep(space->W, MO_SWEEP_NATURAL, &sweep);
    if (error) {
        return error;
    }
    const size_t rows = (size_t)problem->row_count, count = (size_t)problem->constraint_count;
    workspace *w = MO_TAKE(arena, 1, workspace);
    double *lower = MO_TAKE(arena, space->plan->value_count, double);
    double *upper = MO_TAKE(arena, space->plan->value_count, double);
    int *ints = MO_TAKE(arena, mo_block_ints(space->plan), int);
    uint8_t *active = MO_TAKE(arena, count, uint8_t);
    double *rho = MO_TAKE(arena, count, double);
    double *B = MO_TAKE(arena, sweep->record_start[count], double);
    double *vectors = MO_TAKE(arena, 5 * rows, double);
    if (w) {
        *w = (workspace){space, sweep, {space->plan, lower, upper, active, ints}, active, rho, B,
                         vectors, vectors + rows, vectors + 2 * rows, vectors + 3 * rows,
                         vectors + 4 * rows};
    }
    *out = w;
    return MO_OK;
}

static void choose_steps(const mo_problem *W, workspace *w)
{
    for (int i = 0; i < W->constraint_count; ++i) {
        const int d = mo_constraint_dim(W, i);
        const double *W_ii = mo_sweep_diagonal(w->sweep, i);
        double trace = 0;
        for (int k = 0; k < d; ++k) {
            trace += W_ii[k * d + k];
        }
        w->rho[i] = trace > 0 ? d / trace : 1;
    }
}

/* ---- sweeps -------------------------------------------------------------------------------- */

/* Each block solved exactly with the others held, as in nsgs.c. */
static void sweep_once(const mo_problem *W, const mo_sweep *sweep, double *r)
{
    double u[MO_BILATERAL_MAX_DIM], b[MO_BILATERAL_MAX_DIM];
    for (int i = 0; i < W->constraint_count; ++i) {
        const int row = W->row_start[i], d = W->row_start[i + 1] - row;
        const double *W_ii = mo_sweep_diagonal(sweep, i);
        mo_sweep_velocity(sweep, i, r, u);
        mo_law_velocity(W, row, d, u, r + row, b);
        for (int k = 0; k < d; ++k) {
            b[k] -= mo_dot(d, W_ii + k * d, r + row);
        }
        mo_constraint_law(W, i)->solve(mo_constraint_param(W, i), d, W_ii, b, r + row);
    }
}

/* ---- Newton -------------------------------------------------------------------------------- */

/* u, z and the merit at r. */
static double evaluate(const mo_problem *W, workspace *w, const double *r)
{
    double law_u[MO_BILATERAL_MAX_DIM], sum = 0;
    mo_sweep_all_velocities(w->sweep, 1, r, w->u);
    for (int i = 0; i < W->constraint_count; ++i) {
        const int row = W->row_start[i], d = W->row_start[i + 1] - row;
        mo_law_velocity(W, row, d, w->u + row, r + row, law_u);
        mo_constraint_law(W, i)->natural(mo_constraint_param(W, i), d, w->rho[i], law_u, r + row, w->z + row);
        sum += mo_dot(d, w->z + row, w->z + row) / w->rho[i];
    }
    return sqrt(sum);
}

/* J and G of block i; a joint is its own projection.  False where J = 0. */
static int differentiate(const mo_problem *W, const workspace *w, int i, const double *r, double *J, double *G)
{
    const int row = W->row_start[i], d = W->row_start[i + 1] - row;
    const mo_law_ops *law = mo_constraint_law(W, i);
    const double *p = mo_constraint_param(W, i);
    double law_u[MO_BILATERAL_MAX_DIM], x[MO_BILATERAL_MAX_DIM], size = 0;
    mo_law_velocity(W, row, d, w->u + row, r + row, law_u);
    law->shift(p, d, law_u, x);
    for (int k = 0; k < d; ++k) {
        x[k] = r[row + k] - w->rho[i] * x[k];
    }
    law->project_derivative(p, d, x, J);
    law->shift_derivative(p, d, law_u, G);
    for (int k = 0; k < d * d; ++k) {
        size += fabs(J[k]);
    }
    return size > 0;
}

/* B = rho J G, and the diagonal block I - (1 - eps) J + B compliance. */
static void set_block(const mo_problem *W, workspace *w, int i, double eps, const double *J, const double *G)
{
    const int row = W->row_start[i], d = W->row_start[i + 1] - row;
    double *B = w->B + w->sweep->record_start[i], *diagonal = mo_block_lu_place(&w->lu, i, i);
    for (int j = 0; j < d; ++j) {
        for (int k = 0; k < d; ++k) {
            double JG = 0;
            for (int l = 0; l < d; ++l) {
                JG += J[j * d + l] * G[l * d + k];
            }
            B[j * d + k] = w->rho[i] * JG;
            diagonal[j * d + k] = (j == k) - (1 - eps) * J[j * d + k] +
                                  (W->compliance ? B[j * d + k] * W->compliance[row + k] : 0);
        }
    }
}

/* Row i of the matrix gains B W_ij; columns of blocks that are apart go to the right side with dr = -r. */
static void add_row(const mo_problem *W, workspace *w, int i, const double *r)
{
    const int row = W->row_start[i], d = W->row_start[i + 1] - row;
    const double *B = w->B + w->sweep->record_start[i], *W_ij = W->values + W->value_start[i];
    for (int e = W->block_start[i]; e < W->block_start[i + 1]; ++e) {
        const int j = W->block_index[e], n = mo_constraint_dim(W, j);
        double *to = (w->space->is_upper[e] ? w->lu.upper : w->lu.lower) + w->space->place[e];
        const double *r_j = r + W->row_start[j];
        for (int a = 0; a < d; ++a) {
            for (int b = 0; b < d; ++b) {
                if (w->active[j]) {
                    mo_axpy(n, B[a * d + b], W_ij + b * n, to + a * n);
                } else {
                    w->dr[row + a] += B[a * d + b] * mo_dot(n, W_ij + b * n, r_j);
                }
            }
        }
        W_ij += (size_t)d * (size_t)n;
    }
}

/* dr at r, where u and z belong to r; false where the matrix is singular. */
static int find_step(const mo_problem *W, workspace *w, double eps, const double *r)
{
    double J[MO_BILATERAL_MAX_DIM * MO_BILATERAL_MAX_DIM], G[MO_BILATERAL_MAX_DIM * MO_BILATERAL_MAX_DIM];
    mo_block_lu_clear(&w->lu);
    for (int i = 0; i < W->constraint_count; ++i) {
        w->active[i] = (uint8_t)differentiate(W, w, i, r, J, G);
        if (w->active[i]) {
            set_block(W, w, i, eps, J, G);
        }
    }
    for (int k = 0; k < W->row_count; ++k) {
        w->dr[k] = -w->z[k];
    }
    for (int i = 0; i < W->constraint_count; ++i) {
        if (w->active[i]) {
            add_row(W, w, i, r);
        }
    }
    if (!mo_block_lu_factor(&w->lu)) {
        return 0;
    }
    mo_block_lu_solve(&w->lu, w->dr);
    for (int i = 0; i < W->constraint_count; ++i) {
        for (int k = W->row_start[i]; !w->active[i] && k < W->row_start[i + 1]; ++k) {
            w->dr[k] = -r[k];
        }
    }
    return 1;
}

/* r moves along dr by the first of 1, 1/2, 1/4 that lowers the merit, or by the best of them. */
static double take_step(const mo_problem *W, workspace *w, double merit, double *r)
{
    double best = INFINITY, length = 1;
    for (int k = 0; k <= HALVINGS && !(best < merit); ++k) {
        const double t = ldexp(1, -k);
        for (int j = 0; j < W->row_count; ++j) {
            w->trial[j] = r[j] + t * w->dr[j];
        }
        const double now = evaluate(W, w, w->trial);
        if (now < best) {
            best = now;
            length = t;
        }
    }
    for (int j = 0; j < W->row_count && isfinite(best); ++j) {
        r[j] += length * w->dr[j];
    }
    return evaluate(W, w, r);
}

/* ---- rounds -------------------------------------------------------------------------------- */

typedef enum ending { GOES_ON, SOLVED, MUST_STOP } ending;

/* The end of an iteration: measured at r, whose velocity is in w->u. */
static ending look(mo_run *run, const workspace *w, int *iteration)
{
    ++*iteration;
    if (mo_run_check(run, *iteration, w->u, run->r)) {
        return SOLVED;
    }
    return mo_run_must_stop(run, *iteration) ? MUST_STOP : GOES_ON;
}

static ending sweep_round(mo_run *run, workspace *w, int sweeps, int *iteration)
{
    const mo_problem *W = w->space->W;
    ending end = GOES_ON;
    for (int k = 0; k < sweeps && end == GOES_ON; ++k) {
        sweep_once(W, w->sweep, run->r);
        if (k == 0 || k % 5 == 4 || k == sweeps - 1) { /* a check costs about a sweep */
            mo_sweep_all_velocities(w->sweep, 1, run->r, w->u);
            end = look(run, w, iteration);
        } else if (mo_run_must_stop(run, ++*iteration)) {
            end = MUST_STOP;
        }
    }
    return end;
}

static ending newton_round(mo_run *run, workspace *w, int *iteration)
{
    const mo_problem *W = w->space->W;
    const size_t bytes = (size_t)W->row_count * sizeof(double);
    const double best_before = run->best;
    double merit = evaluate(W, w, run->r);
    memcpy(w->kept, run->r, bytes);
    for (int step = 0, bad = 0; step < STEPS && bad < BAD_STEPS; ++step) {
        if (!find_step(W, w, run->options->newton.eps, run->r)) {
            break;
        }
        const double before = merit;
        merit = take_step(W, w, merit, run->r);
        bad += !(merit < before);
        const ending end = look(run, w, iteration);
        if (end != GOES_ON) {
            return end;
        }
    }
    memcpy(run->r, run->best < 0.5 * best_before ? run->result->r : w->kept, bytes);
    return GOES_ON;
}

static mo_status solve(mo_run *run, void *memory)
{
    workspace *w = memory;
    int iteration = 0, sweeps = run->options->newton.sweeps;
    choose_steps(w->space->W, w);
    mo_sweep_all_velocities(w->sweep, 1, run->r, w->u);
    if (mo_run_check(run, 0, w->u, run->r)) {
        return MO_SOLVED;
    }
    ending end = mo_run_must_stop(run, 0) ? MUST_STOP : GOES_ON;
    for (int round = 0; round < run->options->newton.rounds && end == GOES_ON; ++round) {
        end = sweep_round(run, w, sweeps, &iteration);
        end = end == GOES_ON ? newton_round(run, w, &iteration) : end;
        sweeps = sweeps < 100000 ? 2 * sweeps : sweeps;
    }
    return end == SOLVED      ? MO_SOLVED
           : end == MUST_STOP ? run->status
                              : mo_run_stall(run, "%d rounds of sweeps and Newton steps did not reach the tolerance",
                                             run->options->newton.rounds);
}

const mo_method mo_newton_method = {
    .name = "newton",
    .summary = "Gauss-Seidel sweeps, then semismooth Newton on the natural map in sparse blocks of W",
    .paper = "acary2018",
    .laws = MO_ALL_LAWS & ~MO_LAW_BIT(MO_LAW_SLIDING), /* whose natural map is not made of project and shift */
    .layout = layout,
    .solve = solve,
};
