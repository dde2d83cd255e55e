/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Muscles as MuJoCo documents them, after [millard2013]:
 *
 *     effort = -force (activation FL(L) FV(V) + FP(L)),
 *
 * with the length L and the speed V in units of the resting length L0 = (length range) / (operating
 * range), V as a part of the largest speed of shortening.
 *
 *   FL   1 at L = 1, 0 outside [lmin, lmax]: four halves of parabolas, half way down in the middle
 *   FV   (V + 1)^2 while it shortens, 0 from V = -1 on; up to fvmax while it is stretched
 *   FP   0 up to L = 1, then a parabola up to fpmax / 2 at (1 + lmax) / 2, then its tangent
 */
#include "mechanism/muscle.h"

#include <math.h>

typedef struct curve {
    double value, slope;
} curve;

/* A parabola from 0 with slope 0 at `zero` to 1/2 at `half`. */
static curve rise(double x, double zero, double half)
{
    const double width = half - zero, at = (x - zero) / width;
    return (curve){0.5 * at * at, at / width};
}

static curve active_by_length(const mo_muscle *m, double L)
{
    const double low = 0.5 * (m->lmin + 1), high = 0.5 * (1 + m->lmax);
    if (L <= m->lmin || L >= m->lmax) return (curve){0, 0};
    if (L <= low || L >= high) return L <= low ? rise(L, m->lmin, low) : rise(L, m->lmax, high);
    const curve down = rise(L, 1, L <= 1 ? low : high);
    return (curve){1 - down.value, -down.slope};
}

static curve active_by_speed(const mo_muscle *m, double V)
{
    const double end = m->fvmax - 1;
    if (V <= -1 || V >= end) return (curve){V <= -1 ? 0 : m->fvmax, 0};
    return V <= 0 ? (curve){(V + 1) * (V + 1), 2 * (V + 1)}
                  : (curve){m->fvmax - (end - V) * (end - V) / end, 2 * (end - V) / end};
}

static curve passive(const mo_muscle *m, double L)
{
    const double half = 0.5 * (1 + m->lmax);
    if (L <= 1) return (curve){0, 0};
    const curve up = rise(fmin(L, half), 1, half);
    return (curve){m->fpmax * (up.value + up.slope * fmax(L - half, 0)), m->fpmax * up.slope};
}

mo_muscle_effort mo_muscle_pull(const mo_muscle *m, double activation, double length, double speed)
{
    const double rest = (m->length_range[1] - m->length_range[0]) / (m->range[1] - m->range[0]);
    const double L = m->range[0] + (length - m->length_range[0]) / rest;
    const double V = speed / (rest * m->vmax);
    const curve fl = active_by_length(m, L), fv = active_by_speed(m, V), fp = passive(m, L);
    return (mo_muscle_effort){
        .effort = -m->force * (activation * fl.value * fv.value + fp.value),
        .by_length = -m->force * (activation * fl.slope * fv.value + fp.slope) / rest,
        .by_speed = -m->force * activation * fl.value * fv.slope / (rest * m->vmax)};
}

double mo_muscle_rate(double control, double activation, const double tau[2])
{
    const double to = fmin(fmax(control, 0), 1), now = fmin(fmax(activation, 0), 1);
    const double slow = 0.5 + 1.5 * now;
    return (to - activation) / (to > activation ? tau[0] * slow : tau[1] / slow);
}
