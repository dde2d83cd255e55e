/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
#include "measure.h"

#include <limits.h>
#include <math.h>
#include <string.h>

#include "linalg/dense.h"
#include "linalg/vec3.h"
#include "measure/measure_blocks.h"
#include "problem/row_blocks.h"

enum { KIND_MEASURED = 1 };

/* From the axes of the world to those of each contact. */
static void write_contacts(const mo_batches *b, const double *point_u, double *u)
{
    for (int k = 0; k < b->point_count * MO_LANES; ++k) {
        const int i = b->constraint[k], lane = k % MO_LANES;
        const double *from = point_u + (size_t)(k / MO_LANES) * 3 * MO_LANES;
        const double own[3] = {from[lane], from[MO_LANES + lane], from[2 * MO_LANES + lane]};
        for (int x = 0; x < 3 && i >= 0; ++x) {
            const double *e = b->compact->contact[b->compact->contact_of[i]].frame;
            u[b->problem->row_start[i] + x] = mo_vec3_dot(own, e + 3 * x);
        }
    }
}

/* u of all constraints of the part, at the state. */
static void write_u(mo_sweeps *sweeps, double *u)
{
    const mo_batches *b = sweeps->batches;
    const mo_batch_pass pass = {.batches = b, .state = sweeps->state, .impulses = sweeps->impulses};
    (void)mo_batch_judge(&pass, sweeps->point_u);
    write_contacts(b, sweeps->point_u, u);
    for (int k = 0; k < b->row_count; ++k) {
        mo_row_velocity(b, b->row + k, sweeps->state,
                        u + b->problem->row_start[b->row[k].constraint]);
    }
}

/* The norm of a vector with a number a row. */
static double norm_of(mo_spread *s, const double *x)
{
    const mo_problem *part = s->part;
    for (int i = 0; i < part->constraint_count; ++i) {
        const double *own = x + part->row_start[i];
        s->each[i] = mo_dot(mo_constraint_dim(part, i), own, own);
    }
    s->exact.bound[KIND_MEASURED] = 0; /* of another size than the last sum of its kind */
    const double sum =
        mo_exact_sum(&s->exact, KIND_MEASURED, s->each, (size_t)part->constraint_count);
    s->exact.bound[KIND_MEASURED] = 0;
    return sqrt(sum);
}

double mo_spread_q_norm(mo_spread *s, mo_sweeps *sweeps, double *u)
{
    const mo_batches *b = sweeps->batches;
    memcpy(sweeps->state, b->free_state, (size_t)b->line_count * MO_LINE * sizeof(double));
    memset(sweeps->impulses, 0, (size_t)b->point_count * sizeof *sweeps->impulses);
    write_u(sweeps, u);
    return norm_of(s, u);
}

/* The largest over all ranks, and the least id where it is found. */
static void agree_on_worst(const mo_spread *s, mo_worst *worst)
{
    const double own = isnan(worst->value) ? INFINITY : worst->value;
    int64_t id = worst->constraint >= 0 ? s->constraint_id[worst->constraint] : INT64_MAX, least;
    double most;
    MPI_Allreduce(&own, &most, 1, MPI_DOUBLE, MPI_MAX, s->comm);
    id = own == most ? id : INT64_MAX;
    MPI_Allreduce(&id, &least, 1, MPI_INT64_T, MPI_MIN, s->comm);
    *worst = (mo_worst){most, least > INT_MAX ? -1 : (int)least};
}

/* The sum over all constraints, in an order that does not depend on the ranks. */
double mo_spread_power(mo_spread *s, const double *u, const double *r, const int *owner)
{
    for (int i = 0; i < s->part->constraint_count; ++i) {
        const int row = s->part->row_start[i];
        mo_residual own = {.power = 0};
        if (!owner || owner[i] == s->rank) mo_measure_block(s->part, i, u + row, r + row, &own);
        s->each[i] = own.power;
    }
    s->exact.bound[KIND_MEASURED] = 0;
    const double sum =
        mo_exact_sum(&s->exact, KIND_MEASURED, s->each, (size_t)s->part->constraint_count);
    s->exact.bound[KIND_MEASURED] = 0;
    return sum;
}

void mo_spread_agree_on_worst(const mo_spread *s, mo_residual *residual)
{
    residual->block.value = sqrt(residual->block.value);
    agree_on_worst(s, &residual->block);
    agree_on_worst(s, &residual->penetration_rate);
    agree_on_worst(s, &residual->cone_violation);
    agree_on_worst(s, &residual->dissipation);
}

static void write_v(const mo_sweeps *sweeps, double *v)
{
    const mo_batches *b = sweeps->batches;
    for (int body = 0; body < b->problem->body_count; ++body) {
        memcpy(v + b->problem->body_start[body], sweeps->state + (size_t)b->line_of[body] * MO_LINE,
               (size_t)mo_body_dim(b->problem, body) * sizeof *v);
    }
}

void mo_spread_measure(mo_spread *s, mo_sweeps *sweeps, double q_norm, const double *r, double *v,
                       double *u, mo_residual *residual)
{
    const mo_problem *part = s->part;
    mo_residual all = {.q_norm = q_norm,
                       .block = {0, -1},
                       .penetration_rate = {0, -1},
                       .cone_violation = {0, -1},
                       .dissipation = {0, -1}};
    write_v(sweeps, v);
    write_u(sweeps, u);
    const double u_norm = norm_of(s, u), r_norm = norm_of(s, r);
    for (int i = 0; i < part->constraint_count; ++i) {
        const int row = part->row_start[i];
        s->each[i] = mo_measure_block(part, i, u + row, r + row, &all);
    }
    const double natural =
        sqrt(mo_exact_sum(&s->exact, KIND_MEASURED, s->each, (size_t)part->constraint_count));
    s->exact.bound[KIND_MEASURED] = 0;
    mo_spread_agree_on_worst(s, &all);
    all.power = mo_spread_power(s, u, r, NULL);
    mo_measure_sums(natural, u_norm, r_norm, &all);
    *residual = all;
}
