/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Momentum of sweeps.  A sweep starts from r + beta (r - r_previous) instead of r, with Nesterov's
 *
 *     t+ = (1 + sqrt(1 + 4 t^2)) / 2 <= most,    beta = (t - 1) / t+,    from t = 1
 *
 * The change of a sweep, sum |dr|^2, is monitored: if it exceeds GROWTH times the smallest since
 * the last restart, the momentum restarts with a smaller `most`, which recovers slowly.  Without
 * this safeguard it would diverge with large friction.
 */
#ifndef MO_SOLVER_MOMENTUM_H
#define MO_SOLVER_MOMENTUM_H

#include <math.h>

#include "base/anywhere.h"

typedef struct mo_momentum {
    double cap;         /* the caller's, up to 1 for none */
    double t, most;     /* most <= cap */
    double least_moved; /* by a sweep since the last restart */
} mo_momentum;

MO_ANY mo_momentum mo_momentum_begin(double cap)
{
    const mo_momentum m = {cap, 1, cap, INFINITY};
    return m;
}

/* Another cap, from where it is. */
MO_ANY void mo_momentum_allow(mo_momentum *m, double cap)
{
    m->cap = m->most = cap;
    m->t = fmin(m->t, cap);
}

/* beta of the next sweep. */
MO_ANY double mo_momentum_next(mo_momentum *m)
{
    const double t = fmin(m->most, 0.5 * (1 + sqrt(1 + 4 * m->t * m->t)));
    const double beta = m->t > 1 ? (m->t - 1) / t : 0;
    m->t = t;
    return beta;
}

/* The safeguard: monitors the change of a sweep. */
MO_ANY void mo_momentum_watch(mo_momentum *m, double moved)
{
    const double GROWTH = 2, LOWER = 0.5, HIGHER = 1.02, LEAST_MOST = 2;
    if (moved > GROWTH * m->least_moved) {
        m->t = 1;
        m->most = fmax(LEAST_MOST, LOWER * m->most);
        m->least_moved = moved;
    } else {
        m->least_moved = fmin(m->least_moved, moved);
        m->most = fmin(m->cap, HIGHER * m->most);
    }
}

#endif
