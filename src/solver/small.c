/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Small problems in dense form: up to 96 constraints and 128 rows, without islands, orderings or
 * views.
 *
 *   1. Rounds of sweeps and Newton steps (small_system.h).  The first has no sweeps: from r = 0
 *      Newton's method spreads the load evenly over redundant contacts, and sweeps do not.
 *   2. Proximal points, each by Newton's method, with the rules of aln.c: after the first round
 *      from a start, and at the end.
 *
 * Every answer is judged by the measure.  An iterate is measured once its own residual is small
 * enough; what is not solved here goes on in `auto` from the best iterate.
 *
 * Limits: laws that newton_step.h does not take have sweeps only.
 */
#include <math.h>
#include <string.h>

#include "measure/measure_blocks.h"
#include "problem/dense_delassus.h"
#include "problem/views.h"
#include "solver/newton_step.h"
#include "solver/refine.h"
#include "solver/small_system.h"

static const double NEAR = 1e-3; /* relative residual from which Newton converges, as a rule */

enum { HALVINGS = 4, BAD_STEPS = 5, NEAR_STEPS = 6, NEAR_PROXIMAL_STEPS = 40 };
static const double NEAR_THETA = 100; /* of proximal points from a start that is near */

/* Of refinement: with the same matrix, and with another one. */
enum { REPEATS = 5, MORE_STEPS = 2, CENTRES = 8, AROUND_STEPS = 10 };
static const double LITTLE = 0.9; /* of the residual: what a centre must gain */
static const double GAIN = 0.3;   /* of the residual: a step that leaves more gains nothing */
static const double FAR = 3;      /* of the aim: below this another matrix does not pay off */

/* Of the proximal points: the rules of aln.c. */
enum { INNER_STEPS = 20, ALL_STEPS = 200, INNER_HALVINGS = 10 };
static const double GROW = 2, SHRINK = 0.2, THETA_LEAST = 1e-3, THETA_MOST = 1e10;
static const double INNER = 1e-5;   /* of the merit at the start of an inner problem */
static const double FLOOR = 1e-14;  /* of |r|, in the units of the merit: rounding */
static const double DESCENT = 1e-4; /* a step of length t must lower the merit by this times t */

/*
 * Sweeps, then Newton steps, on Alart and Curnier's map or on the natural one: if one fails, the
 * other often converges.
 */
typedef struct small_round {
    int sweeps, steps, is_natural;
} small_round;

typedef struct small_run {
    mo_run *run;
    mo_small_system s;
    int iteration;
    double goal;   /* absolute residual */
    double aim;    /* of refinement (refine.h); 0: none */
    double best;   /* residual of `kept` */
    double *kept;  /* the best r */
    int is_smooth; /* every law has a map for Newton's method */
} small_run;

typedef enum ending { GOES_ON, SOLVED, MUST_STOP } ending;

static mo_error layout(const mo_problem *problem, const mo_options *options, mo_arena *arena,
                       void **out)
{
    const double *W;
    (void)options;
    small_run *w = MO_HEAD(arena, small_run);
    *out = w;
    w->kept = MO_TAKE(arena, problem->row_count, double);
    mo_small_layout(problem, arena, &w->s);
    return mo_problem_dense(problem, &W);
}

/* Does the caller observe every iterate? Then each is measured. */
static int is_watched(const mo_run *run)
{
    return run->options->progress || run->options->history;
}

/* Returns the residual at s.r, which has been evaluated. */
static double keep_best(small_run *w)
{
    const double residual = mo_small_residual(&w->s, w->s.r);
    if (residual < w->best) {
        w->best = residual;
        memcpy(w->kept, w->s.r, (size_t)w->s.rows * sizeof *w->kept);
    }
    return residual;
}

static int has_rolling(const mo_problem *problem)
{
    return (problem->laws & MO_LAW_BIT(MO_LAW_ROLLING)) != 0;
}

/* Steps with the last factored matrix, each at the cost of a product.  False if neither they nor
 * another matrix would gain more. */
static int repeat_step(small_run *w)
{
    mo_small_system *s = &w->s;
    for (int k = 0; k < REPEATS && w->best > w->aim && mo_small_repeat_step(s); ++k) {
        const double before = w->best;
        mo_small_take_step(s, 0, 0, s->r);
        if (!(keep_best(w) < GAIN * before)) return 0;
    }
    return 1;
}

/* Does another matrix gain more than it costs? */
static int is_far(const small_run *w)
{
    return w->best > FAR * w->aim;
}

/* Newton steps leave a start with slow rolling (look_at_start); regularised steps around it do
 * not. */
static void refine_around(small_run *w)
{
    mo_small_system *s = &w->s;
    double before = INFINITY;
    s->theta = NEAR_THETA;
    for (int k = 0; k < CENTRES && is_far(w) && w->best < LITTLE * before; ++k) {
        before = w->best;
        memcpy(s->r, w->kept, (size_t)s->rows * sizeof *s->r);
        memcpy(s->centre, s->r, (size_t)s->rows * sizeof *s->r);
        double merit = mo_small_evaluate(s, s->r);
        const double goal = INNER * merit;
        for (int step = 0; step < AROUND_STEPS && merit > goal && is_far(w);
             ++step, ++w->iteration) {
            const double last = merit;
            if (!mo_small_find_step(s, s->r)) break;
            merit = mo_small_take_step(s, last, HALVINGS, s->r);
            keep_best(w);
            if (!(merit < last)) break;
        }
    }
    s->theta = 0;
}

/* From the goal towards the aim of refinement, as far as possible; returns the residual. */
static double refine(small_run *w, int has_matrix)
{
    mo_small_system *s = &w->s;
    const double theta = s->theta;
    const int rolls = has_rolling(w->run->problem), is_start = !has_matrix;
    s->theta = 0;
    if (rolls && is_start) {
        refine_around(w);
        memcpy(s->r, w->kept, (size_t)s->rows * sizeof *s->r);
    }
    mo_small_evaluate(s, s->r);
    for (int k = 0; k <= MORE_STEPS; ++k, has_matrix = 1) {
        const int may_gain = !has_matrix || repeat_step(w) || rolls || is_start;
        const double before = w->best;
        if (!may_gain || !is_far(w) || k == MORE_STEPS || !mo_small_find_step(s, s->r)) break;
        mo_small_take_step(s, mo_small_evaluate(s, s->r), HALVINGS, s->r);
        ++w->iteration;
        if (!(keep_best(w) < before)) break;
    }
    if (rolls) refine_around(w);
    memcpy(s->r, w->kept, (size_t)s->rows * sizeof *s->r);
    s->theta = theta;
    mo_small_evaluate(s, s->r);
    return w->best;
}

/* The end of an iteration at w->s.r, which has been evaluated; `has_matrix`: by a Newton step. */
static ending look(small_run *w, int has_matrix)
{
    mo_run *run = w->run;
    double residual = keep_best(w);
    if (w->aim > 0 && w->is_smooth && residual <= w->goal) residual = refine(w, has_matrix);
    if ((is_watched(run) || residual <= w->goal) && mo_run_confirm(run, w->iteration, w->s.r))
        return SOLVED;
    return mo_run_must_stop(run, w->iteration) ? MUST_STOP : GOES_ON;
}

static ending sweep(small_run *w, int sweeps)
{
    ending end = GOES_ON;
    for (int k = 0; k < sweeps && end == GOES_ON; ++k) {
        mo_small_sweep(&w->s, w->s.r);
        ++w->iteration;
        if (k + 1 == sweeps || k == 0) {
            mo_small_evaluate(&w->s, w->s.r);
            end = look(w, 0);
        }
    }
    return end;
}

/* Sweeps from zero while each gains a digit; otherwise r is reset to zero. */
static ending sweep_while_quick(small_run *w)
{
    mo_small_system *s = &w->s;
    const size_t bytes = (size_t)s->rows * sizeof *s->r;
    ending end = GOES_ON;
    double change = INFINITY, before = INFINITY;
    for (int k = 0; end == GOES_ON && (k < 2 || change < MO_DIGIT * before); ++k) {
        before = change;
        memcpy(s->base, s->r, bytes);
        mo_small_sweep(s, s->r);
        change = 0;
        for (int j = 0; j < s->rows; ++j)
            change = fmax(change, fabs(s->r[j] - s->base[j]));
        ++w->iteration;
        mo_small_evaluate(s, s->r);
        end = look(w, 0);
    }
    if (end == GOES_ON) memset(s->r, 0, bytes);
    return end;
}

/*
 * Newton steps from s.r, until too many of them do not lower the merit: the right set of contacts
 * matters, not a descent.
 */
static ending newton(small_run *w, int steps)
{
    mo_small_system *s = &w->s;
    double merit = mo_small_evaluate(s, s->r);
    for (int step = 0, bad = 0; step < steps && bad < BAD_STEPS; ++step) {
        if (!mo_small_find_step(s, s->r)) break;
        const double before = merit;
        merit = mo_small_take_step(s, before, HALVINGS, s->r);
        bad += !(merit < before);
        ++w->iteration;
        const ending end = look(w, 1);
        if (end != GOES_ON) return end;
    }
    return GOES_ON;
}

/* The problem regularised around s.centre, from s.r; false where Newton's method fails on it. */
static int solve_inner(small_run *w, ending *end)
{
    mo_small_system *s = &w->s;
    double merit = mo_small_evaluate(s, s->r);
    const double goal = fmax(INNER * merit, FLOOR * mo_small_size(s, s->r));
    for (int step = 0; step < INNER_STEPS && mo_small_find_step(s, s->r); ++step) {
        const double before = merit;
        merit = mo_small_take_step(s, (1 - DESCENT) * before, INNER_HALVINGS, s->r);
        ++w->iteration;
        *end = look(w, 0);
        if (*end != GOES_ON || merit <= goal) return 1;
        if (!(merit < before)) break;
    }
    return 0;
}

static ending proximal_points(small_run *w, double theta, int steps)
{
    mo_small_system *s = &w->s;
    const size_t bytes = (size_t)s->rows * sizeof *s->r;
    const int most = w->iteration + steps;
    s->is_natural = 0;
    ending end = GOES_ON;
    memcpy(s->centre, s->r, bytes);
    for (s->theta = theta; s->theta >= THETA_LEAST && w->iteration < most;) {
        const int is_reached = solve_inner(w, &end);
        if (end != GOES_ON) break;
        if (is_reached) {
            mo_small_project(s, s->r);
            memcpy(s->centre, s->r, bytes);
        } else {
            memcpy(s->r, s->centre, bytes);
        }
        s->theta = is_reached ? fmin(THETA_MOST, GROW * s->theta) : SHRINK * s->theta;
    }
    s->theta = 0;
    return end;
}

/* The nearer the best iterate, the less it is held back, as in Levenberg and Marquardt's method. */
static double first_theta(const small_run *w)
{
    const double theta = w->best > 0 ? sqrt(w->run->q_scale / w->best) : 1;
    return fmin(THETA_MOST, fmax(1, theta));
}

/* Problems with a start that the first round does not solve, and rolling contacts, use proximal
 * points: redundant contacts on few velocities make the active set of Newton's method cycle.
 * The other rounds follow if these fail. */
static ending solve_rounds(small_run *w, int is_cold)
{
    static const small_round rounds[] = {{0, 12, 0}, {3, 12, 1}, {10, 20, 0}, {30, 30, 1}};
    const int is_proximal = !is_cold || has_rolling(w->run->problem);
    ending end = GOES_ON;
    for (size_t k = 0; k < sizeof rounds / sizeof rounds[0] && end == GOES_ON; ++k) {
        w->s.is_natural = rounds[k].is_natural;
        end = sweep(w, rounds[k].sweeps);
        end = end == GOES_ON && w->is_smooth ? newton(w, rounds[k].steps) : end;
        if (k == 0 && end == GOES_ON && w->is_smooth && is_proximal) {
            memcpy(w->s.r, w->kept, (size_t)w->s.rows * sizeof *w->s.r);
            end = proximal_points(w, first_theta(w), ALL_STEPS);
        }
    }
    return end;
}

/* The start; Newton's method directly if it is near a solution. */
static ending look_at_start(small_run *w)
{
    mo_small_evaluate(&w->s, w->s.r);
    ending end = look(w, 0);
    const int is_near = w->best <= NEAR * w->run->q_scale;
    if (end != GOES_ON || !is_near || !w->is_smooth) return end;
    end = newton(w, NEAR_STEPS);
    if (end == GOES_ON && has_rolling(w->run->problem)) {
        /* At slow rolling the direction of the moment hardly affects the residual: Newton's
         * steps leave the start, regularised ones around it do not. */
        memcpy(w->s.r, w->run->r, (size_t)w->s.rows * sizeof *w->s.r);
        end = proximal_points(w, NEAR_THETA, NEAR_PROXIMAL_STEPS);
        memcpy(w->s.r, w->run->r, (size_t)w->s.rows * sizeof *w->s.r);
    }
    return end;
}

static const double *find_q(mo_run *run)
{
    const mo_problem *problem = run->problem;
    if (problem->form == MO_FORM_REDUCED) return problem->w;
    if (!run->has_q)
        mo_problem_response_into(problem, NULL, run->scratch, run->scratch + problem->dof_count);
    return run->scratch + problem->dof_count;
}

static mo_status solve(mo_run *run, void *memory)
{
    small_run *w = memory;
    const mo_problem *problem = run->problem;
    w->run = run;
    w->iteration = 0;
    w->goal = run->options->tol * run->q_scale;
    w->aim = mo_refine_aim(run->options) * run->q_scale;
    w->aim = w->aim > 0 ? fmax(w->aim, run->options->noise) : 0;
    w->best = INFINITY;
    w->is_smooth = !(problem->laws & ~MO_NEWTON_LAWS);
    run->error = mo_small_begin(&w->s, find_q(run));
    if (run->error) return MO_STALLED;
    memcpy(w->s.r, run->r, (size_t)problem->row_count * sizeof *run->r);
    const int is_cold = mo_run_is_zero(run->r, problem->row_count);
    ending end = (!is_cold && w->is_smooth) || is_watched(run) ? look_at_start(w) : GOES_ON;
    if (end == GOES_ON && is_cold && problem->form == MO_FORM_GLOBAL) /* at_once.c: reduced ones */
        end = sweep_while_quick(w);
    end = end == GOES_ON ? solve_rounds(w, is_cold) : end;
    end = end == GOES_ON && w->is_smooth ? proximal_points(w, 1, ALL_STEPS) : end;
    if (end != SOLVED && w->best < INFINITY) {
        if (!is_watched(run)) mo_run_measure(run, w->iteration, w->kept);
        memcpy(run->r, run->result->r, (size_t)problem->row_count * sizeof *run->r);
    }
    return end == SOLVED ? MO_SOLVED : end == MUST_STOP ? run->status : MO_STALLED;
}

const mo_method mo_small_method = {
    .name = "small",
    .laws = MO_ALL_LAWS,
    .layout = layout,
    .solve = solve,
};
