/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
#include "solver/nsgs_balls.h"

#include <math.h>
#include <string.h>

#include "base/parallel.h"
#include "linalg/vec3.h"
#include "problem/views.h"
#include "solver/ball_kernel.h"
#include "solver/momentum.h"

enum { LONGEST_WAIT = 32 }; /* sweeps between two looks */
static const double NEARLY =
    0.95; /* of the tolerance, by a look: leaves room for the rounding of the view */

typedef struct workspace {
    const mo_balls *balls;
    mo_ball *state, *state_before;
    mo_ball_impulses *impulses;
    double *best; /* impulses of the best look */
    double *moved;
    mo_ball_sums *seen; /* one entry a chunk of batches, as moved */
} workspace;

mo_error mo_nsgs_balls_layout(const mo_problem *problem, const mo_options *options, mo_arena *arena,
                              int *takes, void **out)
{
    const mo_balls *balls = NULL;
    const int is_plain = options->nsgs.omega == 1 && options->nsgs.order == 0 &&
                         options->nsgs.check_every == 0 && options->tol >= MO_BALLS_TOLERANCE;
    const mo_error error = is_plain ? mo_problem_balls(problem, &balls) : MO_OK;
    *takes = balls != NULL;
    if (error || !balls) {
        return error;
    }
    const int bodies = problem->body_count + 1, batches = balls->batch_count;
    workspace *w = MO_TAKE(arena, 1, workspace);
    mo_ball *state = MO_TAKE(arena, bodies, mo_ball), *before = MO_TAKE(arena, bodies, mo_ball);
    mo_ball_impulses *impulses = MO_TAKE(arena, batches, mo_ball_impulses);
    double *best = MO_TAKE(arena, 3 * MO_BALL_LANES * (size_t)batches, double);
    double *moved = MO_TAKE(arena, mo_chunk_count(batches), double);
    mo_ball_sums *seen = MO_TAKE(arena, mo_chunk_count(batches), mo_ball_sums);
    if (w) {
        *w = (workspace){balls, state, before, impulses, best, moved, seen};
    }
    *out = w;
    return MO_OK;
}

/* ---- passes over all batches -------------------------------------------------------------------- */

typedef struct pass_context {
    mo_ball_pass pass;
    const workspace *w;
    int first; /* batch at which the present group starts */
} pass_context;

static void visit_range(void *context, int begin, int end)
{
    const pass_context *c = context;
    c->w->moved[(begin - c->first) / MO_CHUNK] = mo_ball_visit(&c->pass, begin, end);
}

static double sweep(pass_context *c, int threads)
{
    const mo_balls *balls = c->w->balls;
    double moved = 0;
    for (int g = 0; g < balls->group_count; ++g) {
        const int end = balls->group_start[g + 1];
        const int is_last = g == balls->group_count - 1;
        c->first = balls->group_start[g];
        mo_parallel_for(is_last && balls->last_is_sequential ? 1 : threads, c->first, end,
                        visit_range, c);
        for (int chunk = 0; chunk < mo_chunk_count(end - c->first); ++chunk) {
            moved += c->w->moved[chunk];
        }
    }
    return moved;
}

static void look_range(void *context, int begin, int end)
{
    const pass_context *c = context;
    c->w->seen[begin / MO_CHUNK] = mo_ball_look(&c->pass, begin, end);
}

/* The natural residual. */
static double look(pass_context *c, int threads)
{
    const int count = c->w->balls->batch_count;
    double square = 0;
    mo_parallel_for(threads, 0, count, look_range, c);
    for (int chunk = 0; chunk < mo_chunk_count(count); ++chunk) {
        square += c->w->seen[chunk].square;
    }
    return sqrt(square);
}

/* ---- impulses of rows and of batches ------------------------------------------------------------ */

static void take_impulses(const workspace *w, const double *r)
{
    const mo_problem *problem = w->balls->problem;
    memset(w->impulses, 0, (size_t)w->balls->batch_count * sizeof *w->impulses);
    for (int k = 0; k < w->balls->batch_count; ++k) {
        const mo_ball_batch *batch = w->balls->batch + k;
        for (int lane = 0; lane < MO_BALL_LANES && batch->constraint[lane] >= 0; ++lane) {
            const int i = batch->constraint[lane];
            const double *own = r + problem->row_start[i];
            for (int x = 0; x < 3; ++x) {
                double *to = w->impulses[k].r + x * MO_BALL_LANES + lane;
                *to = own[0] * mo_ball_axis(problem, i, 0)[x] +
                      own[1] * mo_ball_axis(problem, i, 1)[x] +
                      own[2] * mo_ball_axis(problem, i, 2)[x];
            }
        }
        memcpy(w->impulses[k].before, w->impulses[k].r, sizeof w->impulses[k].r);
    }
}

static void give_impulses(const workspace *w, double *r)
{
    const mo_problem *problem = w->balls->problem;
    for (int k = 0; k < w->balls->batch_count; ++k) {
        const mo_ball_batch *batch = w->balls->batch + k;
        const double *from = w->best + 3 * MO_BALL_LANES * (size_t)k;
        for (int lane = 0; lane < MO_BALL_LANES && batch->constraint[lane] >= 0; ++lane) {
            const int i = batch->constraint[lane];
            const double own[3] = {from[lane], from[MO_BALL_LANES + lane],
                                   from[2 * MO_BALL_LANES + lane]};
            for (int row = 0; row < 3; ++row) {
                r[problem->row_start[i] + row] = mo_vec3_dot(own, mo_ball_axis(problem, i, row));
            }
        }
    }
}

static void keep_best(const workspace *w)
{
    for (int k = 0; k < w->balls->batch_count; ++k) {
        memcpy(w->best + 3 * MO_BALL_LANES * (size_t)k, w->impulses[k].r, sizeof w->impulses[k].r);
    }
}

/* One impulse of a batch onto its bodies. */
static void apply(const workspace *w, int k, int lane)
{
    const mo_ball_batch *batch = w->balls->batch + k;
    double r[3], n[3], turn[3];
    for (int x = 0; x < 3; ++x) {
        r[x] = w->impulses[k].r[x * MO_BALL_LANES + lane];
        n[x] = batch->n[x * MO_BALL_LANES + lane];
    }
    mo_vec3_cross(n, r, turn);
    for (int side = 0; side < 2; ++side) {
        mo_ball *ball = w->state + batch->body[side][lane];
        const double sign = side ? -1 : 1;
        mo_vec3_along(ball->v, sign * ball->inverse_mass, r, ball->v);
        mo_vec3_along(ball->spin, sign * batch->lever[side][lane] * ball->inverse_inertia, turn,
                      ball->spin);
    }
}

static void set_state(const workspace *w)
{
    const size_t bytes = ((size_t)w->balls->problem->body_count + 1) * sizeof *w->state;
    memcpy(w->state, w->balls->free_state, bytes);
    for (int k = 0; k < w->balls->batch_count; ++k) {
        for (int lane = 0; lane < MO_BALL_LANES && w->balls->batch[k].constraint[lane] >= 0;
             ++lane) {
            apply(w, k, lane);
        }
    }
    memcpy(w->state_before, w->state, bytes);
}

/* ---- the loop --------------------------------------------------------------------------------- */

/* When to look again. */
typedef struct lookout {
    double goal;  /* natural residual                                       */
    double least; /* seen so far                                            */
    double ratio; /* of the residual to what the sweep before has moved     */
    int last;     /* sweep                                                  */
} lookout;

static int is_due(const lookout *l, int iteration, double moved)
{
    const int waited = iteration - l->last;
    const int shortest = 1 + iteration / 16;
    return moved == 0 || waited >= LONGEST_WAIT ||
           (waited >= shortest && l->ratio * sqrt(moved) <= l->goal);
}

/* True where the measure confirms that it is solved. */
static int look_at(mo_run *run, pass_context *c, lookout *l, int iteration, double moved)
{
    const double natural = look(c, run->options->threads);
    l->last = iteration;
    l->ratio = isfinite(moved) && moved > 0 ? natural / sqrt(moved) : 0;
    if (natural < l->least) {
        l->least = natural;
        keep_best(c->w);
    }
    if (!(natural <= l->goal)) {
        return 0;
    }
    give_impulses(c->w, run->r);
    const int solved = mo_run_confirm(run, iteration, run->r);
    l->goal = solved ? l->goal : 0.7 * l->goal;
    return solved;
}

mo_status mo_nsgs_balls_solve(mo_run *run, void *memory)
{
    const workspace *w = memory;
    const double cap = run->options->nsgs.momentum;
    pass_context c = {.pass = {w->balls, w->state, w->impulses, 0}, .w = w};
    mo_momentum m = mo_momentum_begin(cap);
    lookout l = {.goal = NEARLY * run->options->tol * run->q_scale, .least = INFINITY};
    double moved = INFINITY;
    take_impulses(w, run->r);
    set_state(w);
    keep_best(w);
    for (int iteration = 0;; ++iteration) {
        const int must_stop = mo_run_must_stop(run, iteration);
        if ((iteration == 0 || must_stop || is_due(&l, iteration, moved)) &&
            look_at(run, &c, &l, iteration, moved)) {
            return MO_SOLVED;
        }
        if (must_stop || moved == 0) {
            give_impulses(w, run->r);
            if (mo_run_confirm(run, iteration, run->r)) {
                return MO_SOLVED;
            }
            return must_stop ? run->status
                             : mo_run_stall(run, "a whole sweep changes no impulse, yet the "
                                                 "residual is above tol");
        }
        c.pass.beta = cap > 1 ? mo_momentum_next(&m) : 0;
        mo_ball_push_on(&c.pass, w->state_before);
        moved = sweep(&c, run->options->threads);
        mo_momentum_watch(&m, moved);
    }
}
