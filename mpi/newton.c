/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
#include "newton.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "body_system.h"
#include "linalg/dense.h"
#include "measure.h"
#include "solver/newton_step.h"

enum { STEPS = 30, HALVINGS = 2, BAD_STEPS = 3, SWEEPS_MOST = 100000 }; /* as in solver/newton.c */
static const double MOMENTUM = 10;           /* of the sweeps between attempts */
static const double EPS_OF_MULTIGRID = 1e-2; /* at least: a smaller one leaves GMRES behind */

typedef struct spread_newton {
    mo_spread_run *run;
    mo_newton newton; /* of the part; its system holds D, B and active alone */
    mo_body_system system;
    double *r, *kept, *K, *bodies, *v;
    double *best_r, *best_u, *best_v;
    mo_residual best;
    int iteration, iterations; /* so far, and at most */
    double *memory;
} spread_newton;

/* ---- construction ---------------------------------------------------------------------------- */

/* Blocks of D, B and K, d x d numbers each. */
static PetscErrorCode make_blocks(spread_newton *a)
{
    const mo_problem *part = a->run->s->part;
    mo_delassus *system = &a->newton.system;
    size_t total = 0;
    system->start = malloc(((size_t)part->constraint_count + 1) * sizeof *system->start);
    system->active = malloc((size_t)part->constraint_count + 1);
    for (int i = 0; system->start && i < part->constraint_count; ++i) {
        const size_t d = (size_t)mo_constraint_dim(part, i);
        system->start[i] = total;
        total += d * d;
    }
    system->D = malloc((3 * total + 1) * sizeof *system->D);
    system->B = system->D + total;
    a->K = system->B + total;
    return system->start && system->active && system->D ? 0 : PETSC_ERR_MEM;
}

static PetscErrorCode make_room(spread_newton *a)
{
    const mo_problem *part = a->run->s->part;
    const size_t rows = (size_t)part->row_count, dofs = (size_t)part->dof_count;
    const size_t bodies = (size_t)part->body_count * (size_t)a->system.width;
    mo_newton *newton = &a->newton;
    a->memory = calloc(8 * rows + 2 * dofs + bodies + (size_t)part->constraint_count + 1,
                       sizeof *a->memory);
    if (!a->memory) return PETSC_ERR_MEM;
    double **const by_row[] = {&newton->z,     &newton->dr, &newton->u, &a->r,
                               &newton->trial, &a->kept,    &a->best_r, &a->best_u};
    for (size_t k = 0; k < 8; ++k)
        *by_row[k] = a->memory + k * rows;
    a->v = a->memory + 8 * rows;
    a->best_v = a->v + dofs;
    a->bodies = a->best_v + dofs;
    newton->rho = a->bodies + bodies;
    newton->problem = part;
    return mo_problem_sweep(part, MO_SWEEP_NATURAL, &newton->sweep) ? PETSC_ERR_MEM
                                                                    : make_blocks(a);
}

static mo_error begin(spread_newton *a, mo_message *why)
{
    PetscErrorCode code = mo_body_system_create(a->run->s, 0, &a->system);
    code = code ? code : make_room(a);
    const mo_error error = mo_mpi_agree(a->run->s->comm, mo_mpi_petsc_error(code, why), why);
    if (!error) {
        const double eps = a->run->options->newton.eps;
        mo_newton_begin(&a->newton, a->system.is_iterative ? fmax(EPS_OF_MULTIGRID, eps) : eps);
        a->newton.function = a->run->options->newton.function;
        MPI_Allreduce(MPI_IN_PLACE, &a->newton.speed, 1, MPI_DOUBLE, MPI_MAX, a->run->s->comm);
    }
    return error;
}

static void end(spread_newton *a)
{
    mo_body_system_destroy(&a->system);
    free(a->newton.system.start);
    free(a->newton.system.active);
    free(a->newton.system.D);
    free(a->memory);
}

/* ---- access ---------------------------------------------------------------------------------- */

static void keep_best(spread_newton *a, const double *r, const double *u, const double *v,
                      const mo_residual *residual)
{
    const mo_problem *part = a->run->s->part;
    if (residual->natural < a->best.natural) {
        memcpy(a->best_r, r, (size_t)part->row_count * sizeof *r);
        memcpy(a->best_u, u, (size_t)part->row_count * sizeof *u);
        memcpy(a->best_v, v, (size_t)part->dof_count * sizeof *v);
        a->best = *residual;
    }
}

/* u, z and the merit at r, which is measured. */
static double evaluate(spread_newton *a, const double *r)
{
    mo_spread_run *run = a->run;
    mo_residual residual;
    mo_sweeps_start(&run->sweeps, 1, 0, r);
    mo_spread_measure(run->s, &run->sweeps, run->q_norm, r, a->v, a->newton.u, &residual);
    keep_best(a, r, a->newton.u, a->v, &residual);
    mo_spread_show(run->options, run->start_time, a->iteration, residual.natural,
                   residual.natural_relative, r);
    double sum = mo_newton_judge(&a->newton, r);
    MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, run->s->comm);
    return sqrt(sum);
}

static int is_solved(const spread_newton *a)
{
    return a->best.natural_relative <= a->run->options->tol;
}

/* MO_SOLVED: go on. */
static mo_status why_end(const spread_newton *a)
{
    const mo_options *options = a->run->options;
    int own = options->cancel && *options->cancel                      ? MO_CANCELLED
              : mo_clock() - a->run->start_time >= options->time_limit ? MO_TIME_LIMIT
              : a->iteration >= a->iterations                          ? MO_ITERATION_LIMIT
                                                                       : MO_SOLVED,
        all;
    MPI_Allreduce(&own, &all, 1, MPI_INT, MPI_MAX, a->run->s->comm);
    return (mo_status)all;
}

/* ---- steps ---------------------------------------------------------------------------------- */

/* D becomes D^-1, K = D^-1 B, and dr = -D^-1 z; false if a block is singular. */
static int invert_blocks(spread_newton *a)
{
    const mo_problem *part = a->run->s->part;
    const mo_delassus *system = &a->newton.system;
    int is_regular = 1;
    for (int i = 0; i < part->constraint_count; ++i) {
        const int row = part->row_start[i], d = mo_constraint_dim(part, i);
        double *D = system->D + system->start[i], *K = a->K + system->start[i];
        const double *B = system->B + system->start[i], *z = a->newton.z + row;
        memset(K, 0, (size_t)(d * d) * sizeof *K);
        if (!system->active[i]) {
            for (int k = 0; k < d; ++k)
                a->newton.dr[row + k] = -z[k];
            continue;
        }
        is_regular &= mo_invert_small(d, D);
        for (int j = 0; j < d; ++j) {
            a->newton.dr[row + j] = -mo_dot(d, D + j * d, z);
            for (int k = 0; k < d; ++k)
                mo_axpy(d, D[j * d + k], B + k * d, K + j * d);
        }
    }
    MPI_Allreduce(MPI_IN_PLACE, &is_regular, 1, MPI_INT, MPI_MIN, a->run->s->comm);
    return is_regular;
}

/* dr -= K H' y, y a vector of bodies. */
static void add_response(spread_newton *a)
{
    const mo_problem *part = a->run->s->part;
    mo_bodies_pull(&a->system, a->bodies, a->newton.trial);
    for (int i = 0; i < part->constraint_count; ++i) {
        const int row = part->row_start[i], d = mo_constraint_dim(part, i);
        const double *K = a->K + a->newton.system.start[i];
        for (int k = 0; k < d; ++k)
            a->newton.dr[row + k] -= mo_dot(d, K + k * d, a->newton.trial + row);
    }
}

/* dr at the r that was evaluated last; *is_found is false if the matrix is singular. */
static PetscErrorCode find_step(spread_newton *a, int *is_found)
{
    const size_t bodies = (size_t)a->run->s->part->body_count * (size_t)a->system.width;
    mo_newton_differentiate(&a->newton, a->r);
    *is_found = invert_blocks(a);
    if (!*is_found) return 0;
    memset(a->bodies, 0, bodies * sizeof *a->bodies);
    mo_bodies_push(&a->system, a->newton.dr, a->bodies);
    PetscErrorCode code = mo_bodies_combine(&a->system, a->bodies);
    code = code ? code : mo_body_system_factor(&a->system, a->newton.system.start, a->K);
    code = code ? code : mo_body_system_solve(&a->system, a->bodies);
    if (code == PETSC_ERR_NOT_CONVERGED) {
        *is_found = 0;
        return 0;
    }
    if (!code) add_response(a);
    return code;
}

/* r moves by the first of 1, 1/2, 1/4 that lowers the merit, or by the best of them. */
static double take_step(spread_newton *a, double target)
{
    const int rows = a->run->s->part->row_count;
    double best = INFINITY, length = 0, now = INFINITY;
    for (int k = 0; k <= HALVINGS && !(best < target); ++k) {
        const double t = ldexp(1, -k);
        for (int j = 0; j < rows; ++j)
            a->newton.trial[j] = a->r[j] + t * a->newton.dr[j];
        now = evaluate(a, a->newton.trial);
        if (now < best) {
            best = now;
            length = t;
        }
    }
    for (int j = 0; j < rows && length > 0; ++j)
        a->r[j] += length * a->newton.dr[j];
    return now == best && length > 0 ? now : evaluate(a, a->r);
}

/* ---- rounds --------------------------------------------------------------------------------- */

/* So many sweeps from r. */
static mo_status sweep_round(spread_newton *a, int sweeps)
{
    mo_spread_run *run = a->run;
    const mo_options *asked = run->options;
    mo_options own = *asked;
    const int left = a->iterations - a->iteration;
    own.max_iter = sweeps < left ? sweeps : left;
    run->options = &own;
    memcpy(run->result->r, a->r, (size_t)run->s->part->row_count * sizeof *a->r);
    const mo_status status = mo_spread_sweep(run, MOMENTUM);
    run->options = asked;
    a->iteration += run->sweeps.iteration;
    keep_best(a, run->result->r, run->result->u, run->result->v, &run->result->residual);
    memcpy(a->r, run->result->r, (size_t)run->s->part->row_count * sizeof *a->r);
    return is_solved(a) || status == MO_ITERATION_LIMIT || status == MO_STALLED ? why_end(a)
                                                                                : status;
}

static PetscErrorCode newton_round(spread_newton *a, mo_status *status)
{
    const size_t bytes = (size_t)a->run->s->part->row_count * sizeof(double);
    double merit = evaluate(a, a->r);
    const double before = a->best.natural;
    memcpy(a->kept, a->r, bytes);
    for (int step = 0, bad = 0; step < STEPS && bad < BAD_STEPS; ++step) {
        int is_found;
        const PetscErrorCode code = find_step(a, &is_found);
        if (code || !is_found) {
            memcpy(a->r, a->kept, bytes);
            return code;
        }
        const double last = merit;
        merit = take_step(a, last);
        ++a->iteration;
        bad += !(merit < last);
        *status = why_end(a);
        if (is_solved(a) || *status != MO_SOLVED) return 0;
    }
    memcpy(a->r, a->best.natural < 0.5 * before ? a->best_r : a->kept, bytes);
    return 0;
}

static PetscErrorCode iterate(spread_newton *a, mo_status *status)
{
    const mo_options *options = a->run->options;
    int sweeps = options->newton.sweeps;
    for (int round = 0; round < options->newton.rounds; ++round) {
        *status = sweep_round(a, sweeps);
        if (is_solved(a) || *status != MO_SOLVED) break;
        const PetscErrorCode code = newton_round(a, status);
        if (code || is_solved(a) || *status != MO_SOLVED) return code;
        sweeps = sweeps < SWEEPS_MOST ? 2 * sweeps : sweeps;
    }
    return 0;
}

static void give_best(spread_newton *a, mo_status *status)
{
    const mo_problem *part = a->run->s->part;
    mo_result *result = a->run->result;
    memcpy(result->r, a->best_r, (size_t)part->row_count * sizeof *a->best_r);
    memcpy(result->u, a->best_u, (size_t)part->row_count * sizeof *a->best_u);
    memcpy(result->v, a->best_v, (size_t)part->dof_count * sizeof *a->best_v);
    result->residual = a->best;
    result->iterations = a->iteration;
    if (is_solved(a)) {
        *status = MO_SOLVED;
    } else if (*status == MO_SOLVED) {
        *status = MO_STALLED;
        mo_say(&result->message, "%d rounds of sweeps and Newton steps did not reach the tolerance",
               a->run->options->newton.rounds);
    }
}

static mo_error check_options(const mo_spread_run *run, mo_message *why)
{
    const mo_problem *part = run->s->part;
    for (int i = 0; i < part->constraint_count; ++i) {
        if (!(MO_NEWTON_LAWS & MO_LAW_BIT(part->law[i].kind))) {
            return mo_fail(why, MO_ERR_UNSUPPORTED, "method newton does not take the %s law",
                           mo_constraint_law(part, i)->name);
        }
    }
    return run->options->newton.eps > 0
               ? MO_OK
               : mo_fail(why, MO_ERR_UNSUPPORTED, "on ranks newton.eps is more than 0");
}

mo_error mo_spread_newton(mo_spread_run *run, int iterations, mo_status *status, mo_message *why)
{
    spread_newton a = {.run = run, .best = {.natural = INFINITY}};
    mo_error error = mo_mpi_agree(run->s->comm, check_options(run, why), why);
    if (error) return error;
    a.iteration = run->result->iterations;
    a.iterations = a.iteration + iterations;
    error = begin(&a, why);
    if (!error) {
        memcpy(a.r, run->result->r, (size_t)run->s->part->row_count * sizeof *a.r);
        evaluate(&a, a.r);
        *status = why_end(&a);
        if (!is_solved(&a) && *status == MO_SOLVED) {
            const PetscErrorCode code = iterate(&a, status);
            error = mo_mpi_agree(run->s->comm, mo_mpi_petsc_error(code, why), why);
        }
        give_best(&a, status);
    }
    end(&a);
    return error;
}
