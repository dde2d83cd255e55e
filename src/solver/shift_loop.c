/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * The fixed point on the shift of the normal velocity.
 *
 * Coulomb's law says that K* contains u + s e_N, perpendicular to r in K, where s = mu |u_T| depends on u, which
 * makes it nonconvex.  With s frozen it is the optimality condition of a convex problem with one velocity v(s).
 * The loop solves that, reads the new s, and repeats:
 *
 *   1. s = 0, or the shift of the starting point where one was given
 *   2. v = P_1(s): the convex problem with the shift s            [anitescu2004, eq. 4.21-4.22], [acary2011, eq. 3.15]
 *   3. map two only: v = P_2(Lambda(v)), the slip speeds of 2 as bounds       [anitescu2004, eq. 4.29-4.30, 5.38]
 *   4. the image of s: mu Lambda(v)                                 [anitescu2004, eq. 5.37, 5.39], [acary2011, eq. 3.19]
 *   5. measure; unless solved, s moves to its image, and on with 2
 *
 *   here      anitescu2004          acary2011     meaning
 *   s         Gamma                 mu s          one a contact, not negative
 *   image     mu Lambda(chi(v))     mu F(s)       what the map makes of s; facets: Lambda = max_j -d_j.u, the cone: |u_T|
 *   theta     1                     1             part of the way that s moves
 *
 * The paper prints Lambda as the largest d_j.v (eq. 4.23), which is the same for directions in opposite pairs.
 *
 * The contraction factor of the result is |image - image before| / |s - s before|, of all rounds together: the
 * geometric mean over those in which both are above the accuracy of the convex problems.  It estimates the Lipschitz
 * constant of the map along the way; below 1/2 for small friction [anitescu2004, Theorem 5].
 *
 * The convex problems are solved inexactly: to `forcing` times the last residual, never below a tenth of the tolerance.
 * Those with bounded slip are solved to rounding, since their velocity is handed back at a deadline.
 *
 * Damping: where s moves more than it ever did, theta halves; where it moves less, theta grows back to 1.  Without
 * that the loop may go round in circles at large friction; with it, it may still.
 *
 * Limits: the map contracts for small friction only [anitescu2004, Theorems 5-6]; a fixed point exists for every mu where
 * the contacts can all open at once [acary2011, Theorem 4.6].  Stops on the measure, not on the change of s.
 */
#include "solver/shift_loop.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "measure/measure_blocks.h"

/* Rounds without a better residual before the loop gives up; the accuracy of problems with bounded slip. */
enum { PATIENCE = 200 };
static const double ROUNDING = 64 * DBL_EPSILON;

mo_error mo_shift_loop_layout(const mo_convex_engine *engine, const mo_problem *problem,
                              const mo_options *options, mo_arena *arena, mo_shift_loop *loop)
{
    mo_shift_loop own = {.engine = engine, .theta = 1};
    const size_t count = (size_t)problem->constraint_count;
    const mo_error error = engine->layout(problem, options, arena, &own.workspace);
    double **const vectors[] = {&own.s, &own.s_last, &own.image, &own.image_last};
    for (size_t k = 0; k < sizeof vectors / sizeof vectors[0]; ++k) {
        *vectors[k] = MO_TAKE(arena, count, double);
    }
    own.lambda = MO_TAKE(arena, count * MO_LAW_MAX_GROUPS, double);
    own.held_r = MO_TAKE(arena, problem->row_count, double);
    if (loop && !error) {
        *loop = own;
    }
    return error;
}

/* ---- the rate -------------------------------------------------------------------------------- */

typedef struct rates {
    double first; /* the first change of s                */
    double log_sum;
    int count;
    double change; /* the last change of s, image - s     */
} rates;

static double distance(int n, const double *x, const double *y)
{
    double sum = 0;
    for (int k = 0; k < n; ++k) {
        sum += (x[k] - y[k]) * (x[k] - y[k]);
    }
    return sqrt(sum);
}

/* Compares this round with the last one; noise: what the convex problems leave undecided. */
static void measure_rate(mo_run *run, const mo_shift_loop *loop, int round, double noise, rates *rate)
{
    const int n = run->problem->constraint_count;
    if (round == 0) {
        return;
    }
    const double moved = distance(n, loop->s, loop->s_last);
    const double answered = distance(n, loop->image, loop->image_last);
    if (moved > 10 * noise && answered > 10 * noise) {
        rate->log_sum += log(answered / moved);
        ++rate->count;
        run->result->contraction = exp(rate->log_sum / rate->count);
    }
}

/* s moves towards its image. */
static void move(mo_run *run, mo_shift_loop *loop, const mo_shift_rules *rules, rates *rate)
{
    const int n = run->problem->constraint_count;
    const double change = distance(n, loop->image, loop->s);
    if (rules->damping && change > rate->change) {
        loop->theta = fmax(1.0 / 64, 0.5 * loop->theta);
    } else {
        loop->theta = fmin(1, 1.25 * loop->theta);
    }
    rate->change = change;
    memcpy(loop->s_last, loop->s, (size_t)n * sizeof(double));
    memcpy(loop->image_last, loop->image, (size_t)n * sizeof(double));
    for (int i = 0; i < n; ++i) {
        loop->s[i] += loop->theta * (loop->image[i] - loop->s[i]);
    }
}

/* ---- one round ------------------------------------------------------------------------------- */

static mo_convex_answer solve_shifted(mo_run *run, mo_shift_loop *loop, double tol)
{
    const mo_convex convex = {.problem = run->problem, .kind = MO_CONVEX_SHIFTED, .s = loop->s};
    return loop->engine->solve(run, loop->workspace, &convex, tol, run->r, run->u);
}

static mo_convex_answer solve_bounded(mo_run *run, mo_shift_loop *loop, double tol)
{
    const mo_convex convex = {.problem = run->problem, .kind = MO_CONVEX_BOUNDED_SLIP, .lambda = loop->lambda};
    mo_convex_slips(run->problem, run->u, run->r, loop->lambda);
    return loop->engine->solve(run, loop->workspace, &convex, tol, run->r, run->u);
}

/* ---- the ends -------------------------------------------------------------------------------- */

/* Map two hands back its last completed round, whose velocity respects the constraints, whatever its residual. */
static mo_status end(mo_run *run, const mo_shift_loop *loop, const mo_shift_rules *rules, int rounds,
                     mo_status status)
{
    mo_result *result = run->result;
    result->iterations = rounds;
    if (rules->map == MO_SHIFT_TWO && rounds > 0) {
        memcpy(result->r, loop->held_r, (size_t)run->problem->row_count * sizeof(double));
    }
    return status;
}

static void begin(mo_run *run, mo_shift_loop *loop)
{
    const mo_problem *problem = run->problem;
    loop->theta = 1;
    mo_problem_response_into(problem, run->r, run->result->v, run->u);
    if (run->options->start) {
        mo_convex_shifts(problem, run->u, run->r, loop->s);
    } else {
        memset(loop->s, 0, (size_t)problem->constraint_count * sizeof(double));
    }
}

static mo_status explain_stall(mo_run *run, const mo_shift_rules *rules)
{
    if (rules->rounds == 1) {
        return mo_run_stall(run, "one convex problem solves a relaxed law, which leaves this residual in the true one "
                                 "where contacts slip");
    }
    return mo_run_stall(run, "the residual has not improved in %d rounds: the fixed point does not contract here",
                        PATIENCE);
}

mo_status mo_shift_loop_run(mo_run *run, mo_shift_loop *loop, const mo_shift_rules *rules)
{
    const mo_problem *problem = run->problem;
    const double goal = run->options->tol * run->q_scale, least = ROUNDING * run->q_scale;
    rates rate = {.change = INFINITY};
    double residual = INFINITY, best = INFINITY;
    int since_best = 0;
    begin(run, loop);
    if (mo_run_check(run, 0, run->u, run->r)) {
        return MO_SOLVED;
    }
    for (int round = 0;; ++round) {
        if (mo_run_must_stop(run, round)) {
            return end(run, loop, rules, round, run->status);
        }
        const double wanted = rules->forcing > 0 ? rules->forcing * fmin(residual, 0.1 * run->q_scale) : 0;
        mo_convex_answer answer = solve_shifted(run, loop, fmax(wanted, fmax(0.1 * goal, least)));
        if (answer.is_interrupted) {
            return end(run, loop, rules, round, run->status);
        }
        const int is_solved = mo_run_check(run, round + 1, run->u, run->r);
        residual = mo_natural_norm(problem, run->options->threads, run->u, run->r, run->partial);
        if (rules->map == MO_SHIFT_TWO && !is_solved) {
            answer = solve_bounded(run, loop, least);
            if (answer.is_interrupted) {
                return end(run, loop, rules, round, run->status);
            }
            memcpy(loop->held_r, run->r, (size_t)problem->row_count * sizeof(double));
        }
        mo_convex_shifts(problem, run->u, run->r, loop->image);
        measure_rate(run, loop, round, answer.residual, &rate);
        if (is_solved) {
            return MO_SOLVED;
        }
        since_best = residual < best ? 0 : since_best + 1;
        best = fmin(best, residual);
        if (since_best >= PATIENCE || round + 1 == rules->rounds) {
            const mo_status status = end(run, loop, rules, round + 1, MO_STALLED);
            return run->result->message.text[0] ? status : explain_stall(run, rules);
        }
        move(run, loop, rules, &rate);
    }
}
