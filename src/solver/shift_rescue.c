/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Fallback for the fixed point on the shift if the published loop does not converge.
 *
 * Around impulses r_k, the convex problem with shift s gets the proximal term
 *
 *     alpha / 2 sum_i scale_i |r_i - r_k,i|^2
 *
 * which vanishes at a fixed point of r_k -> r [acary2018].  For each r_k, Newton's method finds s =
 * F(s) of the regularised problem [acary2011, section 6], with F' from the engine:
 *
 *     (I - F'(s)) ds = F(s) - s          by GMRES; without derivatives ds = F(s) - s
 *
 * and ds is halved while |F(s) - s| does not decrease.  If |F(s) - s| is small relative to the
 * term, r_k becomes r, and alpha decreases if that was easy; otherwise alpha increases.
 * Limits: F has kinks; Newton's method may fail for every useful alpha.
 */
#include <math.h>
#include <string.h>

#include "linalg/dense.h"
#include "solver/shift_loop.h"

enum { EASY = 6, MOST_ROUNDS = 15, KRYLOV = 50 };
static const double ALPHA_FIRST = 1, ALPHA_LEAST = 1e-6, ALPHA_MOST = 1e3;
static const double FALL = 0.6, RISE = 2;
static const double SETTLED = 0.3;   /* |F(s) - s| as a part of the size of the added term  */
static const double SHORTEST = 0.3;  /* step */
static const double DESCENT = 0.1;   /* a step t must lower |F(s) - s| by this times t */
static const double ACCURACY = 0.01; /* of the convex problems, relative to |F(s) - s| */
static const double INEXACT = 1e-3;  /* of Newton's equation */

mo_error mo_shift_rescue_layout(const mo_problem *problem, mo_arena *arena, mo_shift_rescue *rescue)
{
    const int count = problem->constraint_count;
    MO_TAKE_EACH(arena, count, double, &rescue->scale, &rescue->weight, &rescue->s_centre,
                 &rescue->s_base, &rescue->defect, &rescue->direction);
    MO_TAKE_EACH(arena, problem->row_count, double, &rescue->centre, &rescue->du);
    mo_gmres_layout(arena, count, count < KRYLOV ? count : KRYLOV, &rescue->gmres);
    return mo_problem_sweep(problem, MO_SWEEP_NATURAL, &rescue->sweep);
}

/* ---- Newton's direction ---------------------------------------------------------------------- */

typedef struct newton_context {
    mo_run *run;
    mo_shift_loop *loop;
    mo_shift_respond *respond;
    void *user;
} newton_context;

/* y = x - F'(s) x: the response of the velocities, read as a change of the shifts. */
static void multiply(void *context, const double *x, double *y)
{
    const newton_context *c = context;
    const mo_problem *problem = c->run->problem;
    double *du = c->loop->rescue.du;
    c->respond(c->user, x, du);
    for (int i = 0; i < problem->constraint_count; ++i) {
        const int row = problem->row_start[i], d = problem->row_start[i + 1] - row;
        y[i] = x[i];
        if (!mo_convex_has_shift(problem, i)) continue;
        double law_u[MO_LAW_MAX_DIM], G[MO_LAW_MAX_DIM * MO_LAW_MAX_DIM];
        mo_law_velocity(problem, row, d, c->run->u + row, c->run->r + row, law_u);
        mo_constraint_law(problem, i)
            ->shift_derivative(mo_constraint_param(problem, i), d, law_u, G);
        y[i] -= mo_dot(d - 1, G + 1, du + row + 1);
    }
}

void mo_shift_direction(mo_run *run, mo_shift_loop *loop, mo_shift_respond *respond, void *user)
{
    const int n = run->problem->constraint_count;
    mo_shift_rescue *rescue = &loop->rescue;
    newton_context context = {run, loop, respond, user};
    memcpy(rescue->s_base, loop->s, (size_t)n * sizeof(double));
    mo_along(n, loop->image, -1, loop->s, rescue->defect);
    if (respond) {
        mo_gmres_solve(&rescue->gmres, multiply, &context, INEXACT, rescue->defect,
                       rescue->direction);
        if (isfinite(mo_dot(n, rescue->direction, rescue->direction))) return;
    }
    memcpy(rescue->direction, rescue->defect, (size_t)n * sizeof(double));
}

void mo_shift_place(const mo_run *run, mo_shift_loop *loop, double t)
{
    for (int i = 0; i < run->problem->constraint_count; ++i)
        loop->s[i] = fmax(0, loop->rescue.s_base[i] + t * loop->rescue.direction[i]);
}

/* ---- the proximal steps ---------------------------------------------------------------------- */

/* The size of the added term in the velocities. */
static double pull_of_centre(const mo_run *run, const mo_shift_loop *loop)
{
    const mo_problem *problem = run->problem;
    double sum = 0;
    for (int i = 0; i < problem->constraint_count; ++i) {
        for (int k = problem->row_start[i]; k < problem->row_start[i + 1]; ++k) {
            const double pull = loop->rescue.weight[i] * (run->r[k] - loop->rescue.centre[k]);
            sum += pull * pull;
        }
    }
    return sqrt(sum);
}

static void set_weights(mo_shift_loop *loop, int count, double alpha)
{
    for (int i = 0; i < count; ++i)
        loop->rescue.weight[i] = alpha * loop->rescue.scale[i];
}

static void keep_centre(mo_run *run, mo_shift_loop *loop)
{
    memcpy(loop->rescue.centre, run->r, (size_t)run->problem->row_count * sizeof(double));
    memcpy(loop->rescue.s_centre, loop->s, (size_t)run->problem->constraint_count * sizeof(double));
}

static void return_to_centre(mo_run *run, mo_shift_loop *loop)
{
    memcpy(run->r, loop->rescue.centre, (size_t)run->problem->row_count * sizeof(double));
    memcpy(loop->s, loop->rescue.s_centre, (size_t)run->problem->constraint_count * sizeof(double));
    mo_problem_response_into(run->problem, run->r, run->result->v, run->u);
}

/* From the best impulses so far. */
static void begin(mo_run *run, mo_shift_loop *loop)
{
    mo_convex_scales(loop->rescue.sweep, loop->rescue.scale);
    memcpy(run->r, run->result->r, (size_t)run->problem->row_count * sizeof(double));
    mo_problem_response_into(run->problem, run->r, run->result->v, run->u);
    mo_convex_shifts(run->problem, run->u, run->r, loop->s);
    keep_centre(run, loop);
}

/* Search for the fixed point around one centre. */
typedef struct search {
    double defect; /* |F(s) - s| at the base; INFINITY before there is one */
    double t;      /* step from the base */
    int rounds;
} search;

static const search NEW_SEARCH = {INFINITY, 1, 0};

mo_shift_end mo_shift_rescue_run(mo_run *run, mo_shift_loop *loop)
{
    const int n = run->problem->constraint_count;
    mo_shift_rescue *rescue = &loop->rescue;
    const mo_convex convex = {.problem = run->problem,
                              .kind = MO_CONVEX_SHIFTED,
                              .s = loop->s,
                              .weight = rescue->weight,
                              .centre = rescue->centre};
    double alpha = ALPHA_FIRST;
    search now = NEW_SEARCH;
    begin(run, loop);
    for (;;) {
        const double accuracy = ACCURACY * fmin(now.defect, loop->residual);
        set_weights(loop, n, alpha);
        const mo_shift_end end =
            mo_shift_round(run, loop, &convex, fmax(accuracy, mo_shift_rounding(run)));
        if (end != MO_SHIFT_GOES_ON) return end;
        const double defect = mo_shift_distance(n, loop->image, loop->s);
        if (defect <=
            fmax(SETTLED * pull_of_centre(run, loop), mo_shift_rounding(run))) { /* settled */
            memcpy(loop->s, loop->image, (size_t)n * sizeof(double));
            keep_centre(run, loop);
            alpha = now.rounds <= EASY ? fmax(ALPHA_LEAST, FALL * alpha) : alpha;
            now = NEW_SEARCH;
            if (loop->rules->map == MO_SHIFT_TWO && mo_shift_must_hold(run, loop) &&
                !mo_shift_second(run, loop, mo_shift_rounding(run)))
                return MO_SHIFT_MUST_STOP;
        } else if (now.rounds >= MOST_ROUNDS || now.t < SHORTEST) { /* hopeless */
            return_to_centre(run, loop);
            alpha *= RISE;
            now = NEW_SEARCH;
            if (alpha > ALPHA_MOST) return MO_SHIFT_STUCK;
        } else if (defect < (1 - DESCENT * now.t) * now.defect) { /* a step forward: the next one */
            const mo_convex_engine *engine = loop->engine;
            const int has_derivative =
                engine->linearise && engine->linearise(loop->workspace, &convex, run->u, run->r);
            mo_shift_direction(run, loop, has_derivative ? engine->respond : NULL, loop->workspace);
            now = (search){defect, 1, now.rounds + 1};
            mo_shift_place(run, loop, 1);
        } else { /* the step was too long */
            now.t *= 0.5;
            ++now.rounds;
            mo_shift_place(run, loop, now.t);
        }
    }
}
