/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Newton's method on s = F(s), stabilised by least squares [acary2011, section 6].
 *
 *   1. (I - F'(s)) ds = F(s) - s, by GMRES
 *   2. the first t of 1, 1/2, 1/4, ... with |F(s + t ds) - (s + t ds)| <= (1 - t / 10) |F(s) - s|;
 *      each trial is one round
 *   3. where t becomes too small: s = F(s), one round of successive approximations, and on with 1
 *
 * F'(s) x is the answer of the convex problem to a change x of its shift.  At its solution r =
 * proj(r - tau (u + s e_N)), with J the derivative of the projection there and C the compliance,
 *
 *     (1 - (1 - eps) J + tau J C + tau J W) dr = -tau J e_N x,      du = W dr + C dr,
 *     F' x = mu u_T.du_T / |u_T|
 *
 * for the cone.  eps makes the matrix regular where W is not.
 * Limits: F' jumps where contacts begin to slide or open, so that no rate is promised.
 */
#include <math.h>
#include <string.h>

#include "solver/shift_outer.h"

static const double EPS = 1e-6;
static const double SHORTEST = 0.1; /* t */
static const double DESCENT = 0.1;
static const double INEXACT = 1e-3; /* of Newton's equation */

mo_error mo_shift_newton_layout(const mo_problem *problem, mo_arena *arena, mo_shift_newton *newton)
{
    MO_TAKE_EACH(arena, problem->constraint_count, double, &newton->scale, &newton->fallback);
    newton->dr = MO_TAKE(arena, problem->row_count, double);
    newton->has_begun = 0;
    return mo_block_system_layout(problem, arena, &newton->system);
}

void mo_shift_newton_begin(mo_shift_newton *newton)
{
    if (!newton->has_begun) {
        mo_block_system_begin(&newton->system);
        mo_convex_scales(newton->system.sweep, newton->scale);
        newton->has_begun = 1;
    }
    newton->size = INFINITY;
    newton->t = 1;
}

/* ---- the derivative -------------------------------------------------------------------------- */

/* E = 1 - (1 - eps) J + tau J C and G = tau J of every block. */
static int linearise(mo_run *run, const mo_shift_loop *loop, mo_shift_newton *newton)
{
    const mo_problem *problem = run->problem;
    const mo_convex convex = {.problem = problem, .kind = MO_CONVEX_SHIFTED, .s = loop->s};
    for (int i = 0; i < problem->constraint_count; ++i) {
        const int row = problem->row_start[i], d = problem->row_start[i + 1] - row;
        const double tau = 1 / newton->scale[i];
        double x[MO_BILATERAL_MAX_DIM], J[MO_BILATERAL_MAX_DIM * MO_BILATERAL_MAX_DIM];
        double *E = mo_block_system_E(&newton->system, i),
               *G = mo_block_system_G(&newton->system, i);
        mo_convex_velocity(&convex, i, run->u + row, run->r + row, x);
        for (int k = 0; k < d; ++k) {
            x[k] = run->r[row + k] - tau * x[k];
        }
        mo_convex_prox_derivative(&convex, i, tau, x, J);
        for (int k = 0; k < d * d; ++k) {
            const double soft = problem->compliance ? problem->compliance[row + k % d] : 0;
            G[k] = tau * J[k];
            E[k] = (k % (d + 1) == 0) - (1 - EPS) * J[k] + G[k] * soft;
        }
    }
    return mo_block_system_factor(&newton->system);
}

typedef struct product_context {
    mo_run *run;
    mo_shift_loop *loop;
    mo_shift_newton *newton;
} product_context;

/* y = x - F'(s) x */
static void multiply(void *context, const double *x, double *y)
{
    const product_context *c = context;
    const mo_problem *problem = c->run->problem;
    double *dr = c->newton->dr, *du = c->loop->rescue.du;
    for (int i = 0; i < problem->constraint_count; ++i) {
        const int row = problem->row_start[i], d = problem->row_start[i + 1] - row;
        const double *G = mo_block_system_G(&c->newton->system, i);
        for (int k = 0; k < d; ++k) {
            dr[row + k] = -G[k * d] * x[i];
        }
    }
    mo_block_system_solve(&c->newton->system, dr);
    mo_block_system_response(&c->newton->system, dr, du);
    for (int i = 0; i < problem->constraint_count; ++i) {
        const int row = problem->row_start[i], d = problem->row_start[i + 1] - row;
        double law_u[MO_LAW_MAX_DIM], D[MO_LAW_MAX_DIM * MO_LAW_MAX_DIM];
        y[i] = x[i];
        if (!mo_convex_has_shift(problem, i)) {
            continue;
        }
        mo_law_velocity(problem, row, d, c->run->u + row, c->run->r + row, law_u);
        mo_constraint_law(problem, i)
            ->shift_derivative(mo_constraint_param(problem, i), d, law_u, D);
        mo_law_velocity(problem, row, d, du + row, dr + row, law_u);
        y[i] -= mo_dot(d - 1, D + 1, law_u + 1);
    }
}

/* ---- the search ------------------------------------------------------------------------------ */

/* From the present s, which becomes the base; the direction is F(s) - s where Newton's cannot be
 * had. */
static void find_direction(mo_run *run, mo_shift_loop *loop, mo_shift_newton *newton)
{
    const int n = run->problem->constraint_count;
    mo_shift_rescue *room = &loop->rescue;
    product_context context = {run, loop, newton};
    memcpy(room->s_base, loop->s, (size_t)n * sizeof(double));
    memcpy(newton->fallback, loop->image, (size_t)n * sizeof(double));
    mo_along(n, loop->image, -1, loop->s, room->defect);
    if (linearise(run, loop, newton)) {
        mo_gmres_solve(&room->gmres, multiply, &context, INEXACT, room->defect, room->direction);
        if (isfinite(mo_dot(n, room->direction, room->direction))) {
            return;
        }
    }
    memcpy(room->direction, room->defect, (size_t)n * sizeof(double));
}

mo_shift_end mo_shift_newton_next(mo_run *run, mo_shift_loop *loop, void *context)
{
    mo_shift_newton *newton = context;
    const int n = run->problem->constraint_count;
    const double size = mo_shift_distance(n, loop->image, loop->s);
    if (size <= (1 - DESCENT * newton->t) * newton->size) {
        find_direction(run, loop, newton);
        newton->size = size;
        newton->t = 1;
    } else if (0.5 * newton->t < SHORTEST) {
        memcpy(loop->s, newton->fallback, (size_t)n * sizeof(double));
        newton->size = INFINITY;
        newton->t = 1;
        return MO_SHIFT_GOES_ON;
    } else {
        newton->t *= 0.5;
    }
    for (int i = 0; i < n; ++i) {
        loop->s[i] = fmax(0, loop->rescue.s_base[i] + newton->t * loop->rescue.direction[i]);
    }
    return MO_SHIFT_GOES_ON;
}
