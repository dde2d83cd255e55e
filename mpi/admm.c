/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
#include "admm.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/random.h"
#include "body_system.h"
#include "measure.h"
#include "problem/views.h"
#include "solver/convex.h"

enum { CHECK_EVERY = 5, EAGER = 10, POWER_STEPS = 20, BALANCES_MOST = 20 };
static const double RELAX = 1.6, UNBALANCED = 10, WAIT_GROWTH = 1.5; /* as in solver/admm.c */
static const double LEAST_EIGENVALUE = 1e-6;

typedef struct admm {
    mo_spread_run *run;
    mo_body_system system;
    mo_convex convex;
    double *scale, *s;                      /* a number a constraint */
    double *q, *r, *z, *lambda, *b, *E, *D; /* a number a row       */
    size_t *start;                          /* of the blocks of E^-1 */
    double *inverse;                        /* E^-1, in blocks       */
    double *bodies;
    double rho, primal, dual;
    int is_factored, since, wait, changes;
    double *memory;
} admm;

/* ---- construction ---------------------------------------------------------------------------- */

/* Where the block of each constraint begins, d x d numbers. */
static PetscErrorCode make_blocks(admm *a)
{
    const mo_problem *part = a->run->s->part;
    size_t total = 0;
    a->start = malloc(((size_t)part->constraint_count + 1) * sizeof *a->start);
    for (int i = 0; a->start && i < part->constraint_count; ++i) {
        const size_t d = (size_t)mo_constraint_dim(part, i);
        a->start[i] = total;
        total += d * d;
    }
    a->inverse = calloc(total + 1, sizeof *a->inverse);
    return a->start && a->inverse ? 0 : PETSC_ERR_MEM;
}

static PetscErrorCode make_room(admm *a)
{
    const mo_problem *part = a->run->s->part;
    const size_t rows = (size_t)part->row_count, count = (size_t)part->constraint_count;
    const size_t bodies = (size_t)part->body_count * (size_t)a->system.width;
    a->memory = calloc(7 * rows + 2 * count + bodies + 1, sizeof *a->memory);
    if (!a->memory) return PETSC_ERR_MEM;
    double **const by_row[] = {&a->q, &a->r, &a->z, &a->lambda, &a->b, &a->E, &a->D};
    for (size_t k = 0; k < 7; ++k)
        *by_row[k] = a->memory + k * rows;
    a->scale = a->memory + 7 * rows;
    a->s = a->scale + count;
    a->bodies = a->s + count;
    a->convex.s = a->s;
    return make_blocks(a);
}

static size_t bodies_bytes(const admm *a)
{
    return (size_t)a->run->s->part->body_count * (size_t)a->system.width * sizeof(double);
}

/* y = W x. */
static PetscErrorCode apply_W(admm *a, const double *x, double *y)
{
    memset(a->bodies, 0, bodies_bytes(a));
    mo_bodies_push(&a->system, x, a->bodies);
    const PetscErrorCode code = mo_bodies_combine(&a->system, a->bodies);
    if (!code) {
        mo_bodies_accelerate(&a->system, a->bodies);
        mo_bodies_pull(&a->system, a->bodies, y);
    }
    return code;
}

static double sum_of(const admm *a, double own)
{
    double all;
    MPI_Allreduce(&own, &all, 1, MPI_DOUBLE, MPI_SUM, a->run->s->comm);
    return all;
}

/* The largest eigenvalue of D^-1 W, by power iteration. */
static PetscErrorCode largest_eigenvalue(admm *a, double *eta)
{
    const mo_problem *part = a->run->s->part;
    const int rows = part->row_count;
    double *x = a->z, *y = a->r;
    PetscErrorCode code = 0;
    *eta = 1;
    for (int i = 0; i < part->constraint_count; ++i) { /* by id: not by rank */
        mo_random random = {1 + (uint64_t)a->run->s->constraint_id[i]};
        for (int k = part->row_start[i]; k < part->row_start[i + 1]; ++k)
            x[k] = mo_random_unit(&random) - 0.5;
    }
    for (int step = 0; step < POWER_STEPS && !code; ++step) {
        double size = 0, along = 0;
        code = apply_W(a, x, y);
        for (int k = 0; k < rows; ++k) {
            y[k] /= a->D[k];
            size += x[k] * x[k];
            along += x[k] * y[k];
        }
        size = sum_of(a, size);
        along = sum_of(a, along);
        if (!(along > 0) || !isfinite(along)) break;
        *eta = along / size;
        for (int k = 0; k < rows; ++k)
            x[k] = y[k] / *eta;
    }
    return code;
}

static PetscErrorCode begin(admm *a)
{
    const mo_problem *part = a->run->s->part;
    const mo_sweep *sweep;
    if (mo_problem_sweep(part, MO_SWEEP_NATURAL, &sweep)) return PETSC_ERR_MEM;
    mo_convex_scales(sweep, a->scale);
    for (int i = 0; i < part->constraint_count; ++i)
        for (int k = part->row_start[i]; k < part->row_start[i + 1]; ++k)
            a->D[k] = a->scale[i];
    a->rho = a->run->options->admm.rho;
    if (a->rho == 0) { /* [carpentier2024]: sqrt(L m) (L / m)^0.2 */
        double L;
        const PetscErrorCode code = largest_eigenvalue(a, &L);
        a->rho = sqrt(L * LEAST_EIGENVALUE) * pow(L / LEAST_EIGENVALUE, 0.2);
        return code;
    }
    return 0;
}

/* z = r, and lambda = its velocity less what its law would take away at once. */
static void start(admm *a, const double *u)
{
    const mo_problem *part = a->run->s->part;
    memcpy(a->z, a->run->result->r, (size_t)part->row_count * sizeof *a->z);
    mo_convex_shifts(part, u, a->z, a->s);
    for (int i = 0; i < part->constraint_count; ++i) {
        const int row = part->row_start[i], d = mo_constraint_dim(part, i);
        double law_u[MO_BILATERAL_MAX_DIM], x[MO_BILATERAL_MAX_DIM], y[MO_BILATERAL_MAX_DIM];
        mo_law_velocity(part, row, d, u + row, a->z + row, law_u);
        for (int k = 0; k < d; ++k)
            x[k] = a->z[row + k] - law_u[k] / a->scale[i];
        mo_convex_prox(&a->convex, i, 1 / a->scale[i], x, y);
        for (int k = 0; k < d; ++k)
            a->lambda[row + k] = a->scale[i] * (y[k] - x[k]);
    }
}

/* ---- one iteration -------------------------------------------------------------------------- */

static PetscErrorCode factor(admm *a)
{
    const mo_problem *part = a->run->s->part;
    for (int i = 0; i < part->constraint_count; ++i) {
        const int row = part->row_start[i], d = mo_constraint_dim(part, i);
        for (int k = 0; k < d; ++k) {
            a->E[row + k] =
                a->rho * a->D[row + k] + (part->compliance ? part->compliance[row + k] : 0);
            a->inverse[a->start[i] + (size_t)(k * (d + 1))] = 1 / a->E[row + k];
        }
    }
    a->is_factored = 1;
    return mo_body_system_factor(&a->system, a->start, a->inverse);
}

/* r of the dynamics, in velocities. */
static PetscErrorCode obey_dynamics(admm *a)
{
    const int rows = a->run->s->part->row_count;
    for (int k = 0; k < rows; ++k) {
        a->b[k] = a->rho * a->D[k] * a->z[k] + a->lambda[k] - a->q[k];
        a->r[k] = a->b[k] / a->E[k];
    }
    memset(a->bodies, 0, bodies_bytes(a));
    mo_bodies_push(&a->system, a->r, a->bodies);
    PetscErrorCode code = mo_bodies_combine(&a->system, a->bodies);
    code = code ? code : mo_body_system_solve(&a->system, a->bodies);
    if (!code) {
        mo_bodies_pull(&a->system, a->bodies, a->r);
        for (int k = 0; k < rows; ++k)
            a->r[k] = (a->b[k] - a->r[k]) / a->E[k];
    }
    return code;
}

/* The shift of de Saxce and Feng, from lambda. */
static void set_shifts(admm *a)
{
    const mo_problem *part = a->run->s->part;
    for (int i = 0; i < part->constraint_count; ++i) {
        const int row = part->row_start[i], d = mo_constraint_dim(part, i);
        a->s[i] = 0;
        if (mo_convex_has_shift(part, i)) {
            double u[MO_LAW_MAX_DIM], uhat[MO_LAW_MAX_DIM];
            memcpy(u, a->lambda + row, (size_t)d * sizeof *u);
            u[0] = 0;
            mo_constraint_law(part, i)->shift(mo_constraint_param(part, i), d, u, uhat);
            a->s[i] = uhat[0];
        }
    }
}

static void obey_laws(admm *a)
{
    const mo_problem *part = a->run->s->part;
    double primal = 0, moved = 0;
    for (int i = 0; i < part->constraint_count; ++i) {
        const int row = part->row_start[i], d = mo_constraint_dim(part, i);
        const double D = a->scale[i], penalty = a->rho * D;
        double x[MO_BILATERAL_MAX_DIM], z[MO_BILATERAL_MAX_DIM];
        for (int k = 0; k < d; ++k) {
            x[k] =
                RELAX * a->r[row + k] + (1 - RELAX) * a->z[row + k] - a->lambda[row + k] / penalty;
        }
        mo_convex_prox(&a->convex, i, 1 / penalty, x, z);
        for (int k = 0; k < d; ++k) {
            const double off = a->r[row + k] - z[k], change = z[k] - a->z[row + k];
            a->lambda[row + k] = penalty * (z[k] - x[k]);
            a->z[row + k] = z[k];
            primal += D * off * off;
            moved += D * change * change;
        }
    }
    a->primal = sqrt(sum_of(a, primal));
    a->dual = a->rho * sqrt(sum_of(a, moved));
}

/* Where primal and dual residual differ much, rho moves by two. */
static void balance(admm *a)
{
    const double ratio = a->primal / a->dual;
    ++a->since;
    if (a->run->options->admm.adapt && a->since >= a->wait && a->changes < BALANCES_MOST &&
        (ratio > UNBALANCED || ratio < 1 / UNBALANCED)) {
        a->wait = (int)(WAIT_GROWTH * a->wait);
        a->rho *= ratio > 1 ? 2 : 0.5;
        a->is_factored = a->since = 0;
        ++a->changes;
    }
}

/* ---- the loop ------------------------------------------------------------------------------- */

/* Measures z; the result keeps the better one. */
static int check(admm *a, int iteration, double *u, double *v)
{
    mo_spread_run *run = a->run;
    mo_residual residual;
    mo_sweeps_start(&run->sweeps, 1, 0, a->z);
    mo_spread_measure(run->s, &run->sweeps, run->q_norm, a->z, v, u, &residual);
    if (residual.natural < run->result->residual.natural) {
        const mo_problem *part = run->s->part;
        memcpy(run->result->r, a->z, (size_t)part->row_count * sizeof *a->z);
        memcpy(run->result->u, u, (size_t)part->row_count * sizeof *u);
        memcpy(run->result->v, v, (size_t)part->dof_count * sizeof *v);
        run->result->residual = residual;
    }
    run->result->iterations = iteration;
    mo_spread_show(run->options, run->start_time, iteration, residual.natural,
                   residual.natural_relative, a->z);
    return residual.natural_relative <= run->options->tol;
}

static mo_status why_end(const mo_spread_run *run)
{
    const mo_options *options = run->options;
    int own = options->cancel && *options->cancel                   ? MO_CANCELLED
              : mo_clock() - run->start_time >= options->time_limit ? MO_TIME_LIMIT
                                                                    : 0,
        all;
    MPI_Allreduce(&own, &all, 1, MPI_INT, MPI_MAX, run->s->comm);
    return (mo_status)all;
}

static PetscErrorCode iterate(admm *a, int before, int iterations, double *u, double *v,
                              mo_status *status)
{
    PetscErrorCode code = 0;
    *status = MO_ITERATION_LIMIT;
    for (int k = 1; k <= iterations && !code; ++k) {
        set_shifts(a);
        code = a->is_factored ? 0 : factor(a);
        code = code ? code : obey_dynamics(a);
        if (code) break;
        obey_laws(a);
        if (!isfinite(a->primal + a->dual) || (a->primal == 0 && a->dual == 0)) {
            *status = MO_STALLED;
            return 0;
        }
        if ((k % CHECK_EVERY == 0 || k <= EAGER || k == iterations) && check(a, before + k, u, v)) {
            *status = MO_SOLVED;
            return 0;
        }
        const mo_status end = why_end(a->run);
        if (end != MO_SOLVED) {
            *status = end;
            return 0;
        }
        balance(a);
    }
    return code;
}

static PetscErrorCode solve(admm *a, int iterations, mo_status *status)
{
    const mo_problem *part = a->run->s->part;
    const size_t rows = (size_t)part->row_count, dofs = (size_t)part->dof_count;
    const int before = a->run->result->iterations;
    double *u = malloc((rows + dofs + 1) * sizeof *u), *v = u + rows;
    PetscErrorCode code = u ? mo_body_system_create(a->run->s, 1, &a->system) : PETSC_ERR_MEM;
    code = code ? code : make_room(a);
    if (!code) {
        mo_spread_q_norm(a->run->s, &a->run->sweeps, a->q);
        code = begin(a);
    }
    if (!code) {
        mo_sweeps_start(&a->run->sweeps, 1, 0, a->run->result->r);
        mo_spread_measure(a->run->s, &a->run->sweeps, a->run->q_norm, a->run->result->r, v, u,
                          &a->run->result->residual);
        memcpy(a->run->result->u, u, rows * sizeof *u);
        memcpy(a->run->result->v, v, dofs * sizeof *v);
        if (a->run->result->residual.natural_relative <= a->run->options->tol) {
            *status = MO_SOLVED;
        } else {
            start(a, u);
            code = iterate(a, before, iterations, u, v, status);
        }
    }
    free(u);
    return code;
}

static mo_error check_laws(const mo_spread *s, mo_message *why)
{
    for (int i = 0; i < s->part->constraint_count; ++i) {
        if (!(MO_CONVEX_LAWS & MO_LAW_BIT(s->part->law[i].kind))) {
            return mo_fail(why, MO_ERR_UNSUPPORTED, "method admm does not take the %s law",
                           mo_constraint_law(s->part, i)->name);
        }
    }
    return s->part->is_symmetric
               ? MO_OK
               : mo_fail(why, MO_ERR_UNSUPPORTED, "admm on ranks requires symmetric masses");
}

mo_error mo_spread_admm(mo_spread_run *run, int iterations, mo_status *status, mo_message *why)
{
    admm a = {.run = run, .wait = 10};
    mo_error error = mo_mpi_agree(run->s->comm, check_laws(run->s, why), why);
    a.convex = (mo_convex){.problem = run->s->part, .kind = MO_CONVEX_SHIFTED};
    if (!error) {
        const PetscErrorCode code = solve(&a, iterations, status);
        error = mo_mpi_agree(run->s->comm, mo_mpi_petsc_error(code, why), why);
    }
    mo_body_system_destroy(&a.system);
    free(a.start);
    free(a.inverse);
    free(a.memory);
    return error;
}
