/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * The fixed point on the shift of the normal velocity.
 *
 * In Coulomb's law K* contains u + s e_N, perpendicular to r in K, with s = mu |u_T|.  With s
 * frozen it is a convex problem with one velocity v(s).  The loop solves it, computes the new s,
 * and repeats:
 *
 *   1. s = 0, or the shift of the starting point
 *   2. v = P_1(s), the convex problem    [anitescu2004, eq. 4.21-4.22], [acary2011, eq. 3.15]
 *   3. map two: v = P_2(Lambda(v)), slip speeds of 2 as bounds  [anitescu2004, eq. 4.29-30]
 *   4. the image of s: mu Lambda(v)      [anitescu2004, eq. 5.37, 5.39], [acary2011, eq. 3.19]
 *   5. measure; unless solved, s becomes its image; go to 2
 *
 * s is Gamma or mu s in the papers; Lambda is max_j -d_j.u for facets (eq. 4.23 prints d_j.v),
 * |u_T| for the cone.  Convex problems are solved to `forcing` times the last residual.
 * Limits: a contraction for small friction only; otherwise shift_rescue.c is the fallback.
 */
#include "solver/shift_loop.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "measure/measure_blocks.h"

/* Rounds for a tenth of the residual; rounds without a better one, without and with rescue. */
enum { WINDOW = 30, PATIENCE = 300, RESCUE_PATIENCE = 2000 };

mo_error mo_shift_loop_layout(const mo_convex_engine *engine, const mo_problem *problem,
                              const mo_options *options, mo_arena *arena, mo_shift_loop *loop)
{
    const size_t count = (size_t)problem->constraint_count;
    *loop = (mo_shift_loop){.engine = engine};
    MO_TRY(engine->layout(problem, options, arena, &loop->workspace));
    MO_TAKE_EACH(arena, count, double, &loop->s, &loop->s_last, &loop->image, &loop->image_last);
    loop->lambda = MO_TAKE(arena, count * MO_LAW_MAX_GROUPS, double);
    MO_TAKE_EACH(arena, problem->row_count, double, &loop->second_r, &loop->second_u, &loop->held_r,
                 &loop->held_u);
    return mo_shift_rescue_layout(problem, arena, &loop->rescue);
}

double mo_shift_rounding(const mo_run *run)
{
    return 200 * DBL_EPSILON * run->q_scale;
}

double mo_shift_distance(int n, const double *x, const double *y)
{
    return sqrt(mo_distance_square(n, x, y));
}

/* ---- one round ------------------------------------------------------------------------------- */

mo_shift_end mo_shift_round(mo_run *run, mo_shift_loop *loop, const mo_convex *convex, double tol)
{
    const mo_problem *problem = run->problem;
    if (mo_run_must_stop(run, loop->round)) return MO_SHIFT_MUST_STOP;
    const mo_convex_answer answer =
        loop->engine->solve(run, loop->workspace, convex, tol, run->r, run->u);
    if (answer.is_interrupted) return MO_SHIFT_MUST_STOP;
    mo_convex_shifts(problem, run->u, run->r, loop->image);
    loop->accuracy = answer.residual;
    loop->residual = mo_natural_norm(problem, run->options->threads, run->u, run->r, run->partial);
    loop->since_best = loop->residual < loop->best ? 0 : loop->since_best + 1;
    loop->best = fmin(loop->best, loop->residual);
    if (mo_run_check(run, ++loop->round, run->u, run->r)) return MO_SHIFT_SOLVED;
    const int patience = loop->rules->rescue ? RESCUE_PATIENCE : PATIENCE;
    return loop->since_best >= patience ? MO_SHIFT_STUCK : MO_SHIFT_GOES_ON;
}

int mo_shift_second(mo_run *run, mo_shift_loop *loop, double tol)
{
    const size_t bytes = (size_t)run->problem->row_count * sizeof(double);
    const mo_convex convex = {
        .problem = run->problem, .kind = MO_CONVEX_BOUNDED_SLIP, .lambda = loop->lambda};
    mo_convex_slips(run->problem, run->u, run->r, loop->lambda);
    if (!loop->has_second) memcpy(loop->second_r, run->r, bytes);
    const mo_convex_answer answer =
        loop->engine->solve(run, loop->workspace, &convex, tol, loop->second_r, loop->second_u);
    loop->has_second = 1;
    if (answer.is_interrupted) return 0;
    loop->accuracy = fmax(loop->accuracy, answer.residual);
    if (tol <= mo_shift_rounding(run)) {
        loop->has_held = 1;
        memcpy(loop->held_r, loop->second_r, bytes);
        memcpy(loop->held_u, loop->second_u, bytes);
    }
    return 1;
}

int mo_shift_must_hold(const mo_run *run, const mo_shift_loop *loop)
{
    const int may_be_ended = run->options->cancel || isfinite(run->options->time_limit);
    return may_be_ended && (loop->since_best == 0 || !loop->has_held);
}

/* ---- the published loop ---------------------------------------------------------------------- */

/* Progress of the last rounds. */
typedef struct rates {
    double log_sum; /* of the contraction factors */
    int count;
    double window; /* the residual at the start of the window */
    int window_at;
} rates;

/* Compares this round with the last one, as far as the accuracy of the convex problems allows. */
static void measure_rate(mo_run *run, const mo_shift_loop *loop, rates *rate)
{
    const int n = run->problem->constraint_count;
    if (loop->round < 2) return;
    const double moved = mo_shift_distance(n, loop->s, loop->s_last);
    const double answered = mo_shift_distance(n, loop->image, loop->image_last);
    if (moved > 10 * loop->accuracy && answered > 10 * loop->accuracy) {
        rate->log_sum += log(answered / moved);
        ++rate->count;
        run->result->contraction = exp(rate->log_sum / rate->count);
    }
}

static mo_shift_end move(mo_run *run, mo_shift_loop *loop)
{
    const size_t bytes = (size_t)run->problem->constraint_count * sizeof(double);
    memcpy(loop->s_last, loop->s, bytes);
    memcpy(loop->image_last, loop->image, bytes);
    if (loop->rules->next) return loop->rules->next(run, loop, loop->rules->context);
    memcpy(loop->s, loop->image, bytes);
    return MO_SHIFT_GOES_ON;
}

static int is_slow(const mo_shift_loop *loop, rates *rate)
{
    if (loop->since_best >= WINDOW / 3) return 1;
    if (loop->round < rate->window_at + WINDOW) return 0;
    const double before = rate->window;
    rate->window = loop->best;
    rate->window_at = loop->round;
    return loop->best > 0.1 * before;
}

/* The first problem may be the solution: if nothing slips, an inexact solution would change s. */
static double accuracy_for(const mo_run *run, const mo_shift_loop *loop)
{
    const double least = fmax(0.1 * run->options->tol * run->q_scale, mo_shift_rounding(run));
    const double forcing = loop->round == 0 && loop->rules->exact_first ? 0 : loop->rules->forcing;
    return fmax(least, forcing * fmin(loop->residual, 0.1 * run->q_scale));
}

/* The second half of a round of map two; false if the run must stop in it. */
static int add_second(mo_run *run, mo_shift_loop *loop)
{
    const double tol =
        mo_shift_must_hold(run, loop) ? mo_shift_rounding(run) : accuracy_for(run, loop);
    if (!mo_shift_second(run, loop, tol)) {
        --loop->round; /* not complete */
        return 0;
    }
    mo_convex_shifts(run->problem, loop->second_u, loop->second_r, loop->image);
    return 1;
}

static mo_shift_end iterate(mo_run *run, mo_shift_loop *loop)
{
    const mo_convex convex = {.problem = run->problem, .kind = MO_CONVEX_SHIFTED, .s = loop->s};
    rates rate = {.window = INFINITY};
    for (;;) {
        mo_shift_end end = mo_shift_round(run, loop, &convex, accuracy_for(run, loop));
        if (end == MO_SHIFT_GOES_ON && loop->rules->map == MO_SHIFT_TWO && !add_second(run, loop))
            return MO_SHIFT_MUST_STOP;
        if (end != MO_SHIFT_MUST_STOP) measure_rate(run, loop, &rate);
        if (end != MO_SHIFT_GOES_ON || loop->rules->is_single)
            return end != MO_SHIFT_GOES_ON ? end : MO_SHIFT_STUCK;
        if (loop->rules->rescue && is_slow(loop, &rate)) return mo_shift_rescue_run(run, loop);
        end = move(run, loop);
        if (end != MO_SHIFT_GOES_ON) return end;
    }
}

/* ---- the ends -------------------------------------------------------------------------------- */

static double worst_penetration(const mo_problem *problem, const double *u, const double *r)
{
    double worst = 0;
    for (int i = 0; i < problem->constraint_count; ++i) {
        const int row = problem->row_start[i], d = problem->row_start[i + 1] - row;
        double law_u[MO_BILATERAL_MAX_DIM];
        mo_law_failure failure;
        mo_law_velocity(problem, row, d, u + row, r + row, law_u);
        mo_law_failure_of(mo_constraint_law(problem, i), mo_constraint_param(problem, i), d, law_u,
                          r + row, &failure);
        worst = fmax(worst, failure.penetration_rate);
    }
    return worst;
}

/* The second problem at the best slip speeds, to rounding. */
static void hold_best(mo_run *run, mo_shift_loop *loop)
{
    memcpy(run->r, run->result->r, (size_t)run->problem->row_count * sizeof(double));
    mo_problem_response_into(run->problem, run->r, run->result->v, run->u);
    mo_shift_second(run, loop, mo_shift_rounding(run));
}

/* Map two returns a velocity that satisfies the constraints, whatever its residual. */
static void hand_back_held(mo_run *run, mo_shift_loop *loop)
{
    mo_result *result = run->result;
    if (loop->round > 0 && !mo_run_is_over(run)) hold_best(run, loop);
    if (!loop->has_held) {
        mo_say(&result->message,
               "it ended before its first iteration was complete: the velocity may penetrate");
        return;
    }
    memcpy(result->r, loop->held_r, (size_t)run->problem->row_count * sizeof(double));
    mo_say(&result->message,
           "the velocity is that of the best complete iteration, whose residual was %.1e: it "
           "penetrates with %.1e at most; "
           "its impulses may leave the friction cone, and the residual is their distance from "
           "the law",
           run->best / run->q_scale, worst_penetration(run->problem, loop->held_u, loop->held_r));
}

static mo_status finish(mo_run *run, mo_shift_loop *loop, mo_shift_end end)
{
    run->result->iterations = loop->round;
    if (end == MO_SHIFT_SOLVED) return MO_SOLVED;
    if (loop->rules->map == MO_SHIFT_TWO) {
        hand_back_held(run, loop);
    } else if (end == MO_SHIFT_STUCK && loop->rules->is_single) {
        mo_run_stall(
            run,
            "one convex problem solves a relaxed law: a contact that slips with speed lambda also "
            "opens with mu lambda, which leaves this residual");
    } else if (end == MO_SHIFT_STUCK && !run->result->message.text[0]) {
        mo_run_stall(
            run,
            "the sliding speeds do not settle: the map multiplies a change of them by about %.2g",
            run->result->contraction);
    }
    return end == MO_SHIFT_STUCK ? MO_STALLED : run->status;
}

static void begin(mo_run *run, mo_shift_loop *loop, const mo_shift_rules *rules)
{
    const mo_problem *problem = run->problem;
    loop->rules = rules;
    loop->round = loop->has_second = loop->has_held = loop->since_best = 0;
    loop->residual = loop->best = INFINITY;
    mo_problem_response_into(problem, run->r, run->result->v, run->u);
    if (run->options->start)
        mo_convex_shifts(problem, run->u, run->r, loop->s);
    else
        memset(loop->s, 0, (size_t)problem->constraint_count * sizeof(double));
}

mo_status mo_shift_loop_run(mo_run *run, mo_shift_loop *loop, const mo_shift_rules *rules)
{
    begin(run, loop, rules);
    if (mo_run_check(run, 0, run->u, run->r)) return MO_SOLVED;
    return finish(run, loop, iterate(run, loop));
}
