/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
#include "measure/measure_balls.h"

#include <math.h>
#include <string.h>

double mo_balls_q_norm(const mo_balls *balls)
{
    return sqrt(mo_ball_speeds(&(mo_ball_given){.balls = balls, .state = balls->free_state}));
}

void mo_measure_balls(const mo_ball_given *given, double q_norm, mo_residual *residual)
{
    const mo_balls *balls = given->balls;
    memcpy(given->state, balls->free_state, ((size_t)balls->body_count + 1) * sizeof *given->state);
    mo_ball_push(given);
    const mo_ball_verdict verdict = mo_ball_measure(given);
    const double natural = sqrt(verdict.natural),
                 scale = fmax(q_norm, sqrt(fmax(verdict.u, verdict.r)));
    *residual = (mo_residual){.natural = natural,
                              .natural_relative = natural / fmax(1, q_norm),
                              .q_norm = q_norm,
                              .block = verdict.block,
                              .penetration_rate = verdict.penetration_rate,
                              .cone_violation = verdict.cone_violation,
                              .dissipation = verdict.dissipation,
                              .siconos_q = q_norm > 0 ? natural / q_norm : natural,
                              .siconos_full = scale > 0 ? natural / scale : natural};
}
