/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
#include "measure/measure_batches.h"

#include <math.h>
#include <string.h>

#include "base/pace.h"
#include "linalg/dense.h"
#include "linalg/vec3.h"
#include "measure/measure_blocks.h"
#include "problem/row_blocks.h"

static void write_v(const mo_batches *b, const double *state, double *v)
{
    for (int body = 0; body < b->problem->body_count; ++body) {
        mo_pace_every(body, 512);
        memcpy(v + b->problem->body_start[body], state + (size_t)b->line_of[body] * MO_LINE,
               (size_t)mo_body_dim(b->problem, body) * sizeof *v);
    }
    mo_pace();
}

/* From the axes of the world to those of each contact. */
static void write_u(const mo_batches *b, const double *point_u, double *u)
{
    for (int k = 0; k < b->point_count; ++k) {
        const double *from = point_u + (size_t)k * 3 * MO_LANES;
        mo_pace_every(k, 64);
        for (int lane = 0; lane < MO_LANES; ++lane) {
            const int i = b->constraint[(size_t)k * MO_LANES + (size_t)lane];
            const double own[3] = {from[lane], from[MO_LANES + lane], from[2 * MO_LANES + lane]};
            for (int x = 0; x < 3 && i >= 0; ++x) {
                const double *e = b->compact->contact[b->compact->contact_of[i]].frame;
                u[b->problem->row_start[i] + x] = mo_vec3_dot(own, e + 3 * x);
            }
        }
    }
    mo_pace();
}

/* Adds row blocks to the result of the lanes. */
static void judge_rows(const mo_batch_answer *answer, double *u, mo_batch_verdict *all)
{
    const mo_batches *b = answer->batches;
    mo_residual worst = {.block = {all->block.value * all->block.value, all->block.constraint},
                         .penetration_rate = all->penetration_rate,
                         .cone_violation = all->cone_violation,
                         .dissipation = all->dissipation,
                         .power = all->power};
    for (int k = 0; k < b->row_count; ++k) {
        const int i = b->row[k].constraint, row = b->problem->row_start[i];
        const int d = mo_constraint_dim(b->problem, i);
        mo_row_velocity(b, b->row + k, answer->state, u + row);
        all->natural += mo_measure_block(b->problem, i, u + row, answer->row_r + row, &worst);
        all->u += mo_dot(d, u + row, u + row);
        all->r += mo_dot(d, answer->row_r + row, answer->row_r + row);
    }
    all->block = (mo_worst){sqrt(worst.block.value), worst.block.constraint};
    all->penetration_rate = worst.penetration_rate;
    all->cone_violation = worst.cone_violation;
    all->dissipation = worst.dissipation;
    all->power = worst.power;
}

void mo_measure_batches(const mo_batch_answer *answer, double q_norm, double *point_u, double *v,
                        double *u, mo_residual *residual)
{
    const mo_batches *b = answer->batches;
    const mo_batch_pass pass = {.batches = b, .state = answer->state, .impulses = answer->impulses};
    mo_batch_verdict verdict = mo_batch_judge(&pass, point_u);
    write_v(b, answer->state, v);
    write_u(b, point_u, u);
    judge_rows(answer, u, &verdict);
    *residual = (mo_residual){.block = verdict.block,
                              .penetration_rate = verdict.penetration_rate,
                              .cone_violation = verdict.cone_violation,
                              .dissipation = verdict.dissipation,
                              .power = verdict.power,
                              .q_norm = q_norm};
    mo_measure_sums(sqrt(verdict.natural), sqrt(verdict.u), sqrt(verdict.r), residual);
}
