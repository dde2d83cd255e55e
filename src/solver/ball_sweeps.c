/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
#include "solver/ball_sweeps.h"

#include <math.h>
#include <string.h>

#include "base/parallel.h"
#include "linalg/vec3.h"

enum { LONGEST_WAIT = 32 }; /* sweeps between two looks */

void mo_ball_sweeps_layout(mo_arena *arena, const mo_balls *balls, mo_ball_sweeps *w)
{
    const int bodies = balls->body_count + 1, batches = balls->batch_count;
    *w = (mo_ball_sweeps){.balls = balls};
    w->state = MO_TAKE(arena, bodies, mo_ball);
    w->state_before = MO_TAKE(arena, bodies, mo_ball);
    w->impulses = MO_TAKE(arena, batches, mo_ball_impulses);
    w->best = MO_TAKE(arena, 3 * MO_BALL_LANES * (size_t)batches, double);
    w->measured = MO_TAKE(arena, bodies, mo_ball);
    w->moved_of_chunk = MO_TAKE(arena, mo_chunk_count(batches), double);
    w->seen = MO_TAKE(arena, mo_chunk_count(batches), mo_ball_sums);
}

/* ---- passes over all batches -------------------------------------------------------------------- */

typedef struct pass_context {
    mo_ball_pass pass;
    const mo_ball_sweeps *w;
    int first; /* batch at which the present group starts */
} pass_context;

static void visit_range(void *context, int begin, int end)
{
    const pass_context *c = context;
    c->w->moved_of_chunk[(begin - c->first) / MO_CHUNK] = mo_ball_visit(&c->pass, begin, end);
}

static double sweep(pass_context *c)
{
    const mo_balls *balls = c->w->balls;
    double moved = 0;
    for (int g = 0; g < balls->group_count; ++g) {
        const int end = balls->group_start[g + 1];
        const int is_last = g == balls->group_count - 1;
        c->first = balls->group_start[g];
        mo_parallel_for(is_last && balls->last_is_sequential ? 1 : c->w->pace.threads, c->first,
                        end, visit_range, c);
        for (int chunk = 0; chunk < mo_chunk_count(end - c->first); ++chunk) {
            moved += c->w->moved_of_chunk[chunk];
        }
    }
    return moved;
}

static void look_range(void *context, int begin, int end)
{
    const pass_context *c = context;
    c->w->seen[begin / MO_CHUNK] = mo_ball_look(&c->pass, begin, end);
}

static mo_ball_sums look(pass_context *c)
{
    const int count = c->w->balls->batch_count;
    mo_ball_sums all = {0, 0};
    mo_parallel_for(c->w->pace.threads, 0, count, look_range, c);
    for (int chunk = 0; chunk < mo_chunk_count(count); ++chunk) {
        all.square += c->w->seen[chunk].square;
        all.sink = fmax(all.sink, c->w->seen[chunk].sink);
    }
    return all;
}

/* ---- impulses of contacts and of batches -------------------------------------------------------- */

static void take_lane(const mo_ball_sweeps *w, int k, int lane, const double *r)
{
    mo_ball_impulses *own = w->impulses + k;
    const int i = w->balls->batch[k].constraint[lane];
    for (int x = 0; x < 3 && r; ++x) {
        own->r[x * MO_BALL_LANES + lane] = r[3 * (size_t)i + x];
    }
    own->deepest[lane] = w->balls->deepest ? w->balls->deepest[i] : 0;
}

static void take_impulses(const mo_ball_sweeps *w, const double *r)
{
    memset(w->impulses, 0, (size_t)w->balls->batch_count * sizeof *w->impulses);
    for (int k = 0; k < w->balls->batch_count; ++k) {
        const mo_ball_batch *batch = w->balls->batch + k;
        for (int lane = 0; lane < MO_BALL_LANES && batch->constraint[lane] >= 0; ++lane) {
            take_lane(w, k, lane, r);
        }
        memcpy(w->impulses[k].before, w->impulses[k].r, sizeof w->impulses[k].r);
    }
}

void mo_ball_sweeps_best(const mo_ball_sweeps *w, double *r)
{
    for (int k = 0; k < w->balls->batch_count; ++k) {
        const mo_ball_batch *batch = w->balls->batch + k;
        const double *from = w->best + 3 * MO_BALL_LANES * (size_t)k;
        for (int lane = 0; lane < MO_BALL_LANES && batch->constraint[lane] >= 0; ++lane) {
            for (int x = 0; x < 3; ++x) {
                r[3 * (size_t)batch->constraint[lane] + x] = from[x * MO_BALL_LANES + lane];
            }
        }
    }
}

static void keep_best(const mo_ball_sweeps *w)
{
    for (int k = 0; k < w->balls->batch_count; ++k) {
        memcpy(w->best + 3 * MO_BALL_LANES * (size_t)k, w->impulses[k].r, sizeof w->impulses[k].r);
    }
}

/* ---- the loop --------------------------------------------------------------------------------- */

void mo_ball_sweeps_start(mo_ball_sweeps *w, const mo_ball_pace *pace, const double *r)
{
    const size_t bytes = ((size_t)w->balls->body_count + 1) * sizeof *w->state;
    take_impulses(w, r);
    memcpy(w->state, w->balls->free_state, bytes);
    if (r) {
        mo_ball_push(&(mo_ball_given){w->balls, w->impulses->r,
                                      sizeof *w->impulses / sizeof(double), w->state});
    }
    memcpy(w->state_before, w->state, bytes);
    keep_best(w);
    w->pace = *pace;
    w->gait = w->pace.first;
    w->momentum = mo_momentum_begin(w->gait.momentum);
    w->iteration = 0;
    w->moved = w->least = INFINITY;
    w->ratio = 0;
    w->last_look = 0;
    w->sinks_till = 0;
}

static int is_due(const mo_ball_sweeps *w, double goal)
{
    const int waited = w->iteration - w->last_look;
    const int shortest = 1 + w->iteration / 16;
    return w->iteration == 0 || w->moved == 0 || waited >= LONGEST_WAIT ||
           (waited >= shortest && w->ratio * sqrt(w->moved) <= goal);
}

void mo_ball_sweeps_mind_depth(mo_ball_sweeps *w, int most)
{
    w->sinks_till = w->iteration + most;
    w->ratio = 0;
    w->last_look = w->iteration - LONGEST_WAIT; /* a look is due at once */
}

/* True where the residual is reached. */
static int look_at(mo_ball_sweeps *w, pass_context *c, double goal)
{
    const mo_ball_sums seen = look(c);
    const double natural = sqrt(seen.square);
    const int passes = natural <= goal && (seen.sink <= 1 || w->iteration >= w->sinks_till);
    w->last_look = w->iteration;
    w->ratio = isfinite(w->moved) && w->moved > 0 ? natural / sqrt(w->moved) : 0;
    if (natural < w->least || passes) {
        w->least = natural;
        keep_best(w);
    }
    return passes;
}

/* The gait may change, and with it what the momentum may come to. */
static void pace_out(mo_ball_sweeps *w, mo_ball_pass *pass)
{
    if (w->iteration == w->pace.first_sweeps) {
        w->gait = w->pace.later;
        mo_momentum_allow(&w->momentum, w->gait.momentum);
    }
    pass->relax_N = w->gait.relax_N;
    pass->relax_T = w->gait.relax_T;
    pass->beta = w->momentum.cap > 1 ? mo_momentum_next(&w->momentum) : 0;
}

int mo_ball_sweeps_run(mo_ball_sweeps *w, double goal, mo_must_stop *must_stop, void *context)
{
    pass_context c = {.pass = {w->balls, w->state, w->impulses, 1, 1, 0}, .w = w};
    for (;; ++w->iteration) {
        const int must_end = must_stop(context, w->iteration) || w->moved == 0;
        if ((must_end || is_due(w, goal)) && look_at(w, &c, goal)) {
            return 1;
        }
        if (must_end) {
            return 0;
        }
        pace_out(w, &c.pass);
        mo_ball_push_on(&c.pass, w->state_before);
        w->moved = sweep(&c);
        mo_momentum_watch(&w->momentum, w->moved);
    }
}
