/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* Points at which the maps of a small system (small_system.h) project; shared by its files. */
#ifndef MO_SOLVER_SMALL_POINTS_H
#define MO_SOLVER_SMALL_POINTS_H

#include "linalg/dense.h"
#include "linalg/lanes4.h"
#include "solver/small_system.h"

enum { FORCE_ROWS = 3, ROLLING_ROWS = 5 };

static inline double step_of(const mo_small_system *s, const mo_small_block *b)
{
    return s->theta > 0 ? s->theta * b->rho : b->rho;
}

static inline const double *from_of(const mo_small_system *s, const mo_small_block *b,
                                    const double *r)
{
    return (s->theta > 0 ? s->centre : r) + b->row;
}

/* x = r - rho u */
static inline void cone_point(const mo_small_system *s, const mo_small_block *b, int d,
                              const double *r, double *x)
{
    const double step = step_of(s, b), *u = s->u + b->row, *from = from_of(s, b, r);
    mo_along(d, from, -step, u, x);
}

static inline double line_point(const mo_small_system *s, const mo_small_block *b, const double *r)
{
    return *from_of(s, b, r) - step_of(s, b) * s->u[b->row];
}

static inline double clamp_line(const mo_small_block *b, double x)
{
    return x < b->lower ? b->lower : x > b->upper ? b->upper : x;
}

/* The first row of disc g, 1 or 3, and the step of the rows of each. */
static inline double disc_step(const mo_small_system *s, const mo_small_block *b, int g)
{
    return (s->theta > 0 ? s->theta : 1) * (g ? b->rho_moment : b->rho);
}

/* x = r - rho u, each row with its own rho. */
static inline void rolling_point(const mo_small_system *s, const mo_small_block *b, const double *r,
                                 double *x)
{
    const double *u = s->u + b->row, *from = from_of(s, b, r);
    for (int k = 0; k < ROLLING_ROWS; ++k)
        x[k] = from[k] - disc_step(s, b, k >= FORCE_ROWS) * u[k];
}

static inline void shifted_point(const mo_small_system *s, const mo_small_block *b, const double *r,
                                 double *x)
{
    const double step = step_of(s, b), *from = from_of(s, b, r);
    b->law->shift(b->p, b->d, s->u + b->row, x);
    mo_along(b->d, from, -step, x, x);
}

#endif
