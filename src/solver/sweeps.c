/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
#include "solver/sweeps.h"

#include <math.h>
#include <string.h>

#include "base/pace.h"
#include "base/parallel.h"
#include "linalg/vec3.h"
#include "measure/measure_batches.h"
#include "measure/measure_blocks.h"
#include "problem/row_blocks.h"
#include "solver/pace.h"

enum {
    LONGEST_WAIT = 32, /* sweeps between two checks */
    LINES = 64,
    POINT = 3 * MO_LANES
};

void mo_sweeps_layout(mo_arena *arena, const mo_batches *batches, mo_sweeps *s)
{
    const size_t numbers = (size_t)batches->line_count * MO_LINE,
                 points = (size_t)batches->point_count;
    const size_t rows = batches->row_count ? (size_t)batches->problem->row_count : 0;
    const int chunks = mo_chunk_count(batches->batch_count) + mo_chunk_count(batches->row_count);
    *s = (mo_sweeps){.batches = batches};
    s->state = MO_TAKE(arena, numbers, double);
    s->state_before = MO_TAKE(arena, numbers, double);
    s->impulses = MO_TAKE(arena, points, mo_point_impulses);
    s->best = MO_TAKE(arena, points * POINT, double);
    s->row_r = MO_TAKE(arena, rows, double);
    s->row_before = MO_TAKE(arena, rows, double);
    s->row_best = MO_TAKE(arena, rows, double);
    s->point_u = MO_TAKE(arena, points * POINT, double);
    s->shift = MO_TAKE(arena, mo_may_be_steep(batches->friction) ? points * MO_LANES : 0, double);
    s->moved_of_chunk = MO_TAKE(arena, chunks, double);
    s->seen = MO_TAKE(arena, chunks, mo_batch_sums);
}

/* ---- passes ---------------------------------------------------------------------------------- */

typedef struct pass_context {
    mo_batch_pass pass;
    mo_sweeps *s;
    int first; /* batch or row at which the present group starts */
} pass_context;

static void visit_batches(void *context, int begin, int end)
{
    const pass_context *c = context;
    c->s->moved_of_chunk[(begin - c->first) / MO_CHUNK] = mo_batch_visit(&c->pass, begin, end);
}

/* Extrapolates r by beta times its last change; `before` becomes the old r. */
static void extrapolate_row(const pass_context *c, int row, int d)
{
    for (int k = row; k < row + d; ++k) {
        const double now = c->s->row_r[k];
        c->s->row_r[k] += c->pass.beta * (now - c->s->row_before[k]);
        c->s->row_before[k] = now;
    }
}

/* Results of a row block, after those of the batches. */
static void note_row(const pass_context *c, int k, double found)
{
    if (c->pass.each)
        c->pass.each[(size_t)MO_LANES * (size_t)c->s->batches->batch_count + (size_t)k] = found;
}

static void visit_rows(void *context, int begin, int end)
{
    const pass_context *c = context;
    const mo_batches *b = c->s->batches;
    double moved = 0;
    for (int k = begin; k < end; ++k) {
        const int i = b->row[k].constraint, row = b->problem->row_start[i];
        extrapolate_row(c, row, mo_constraint_dim(b->problem, i));
        const double own = mo_row_visit(b, b->row + k, c->s->row_r + row, c->pass.state);
        note_row(c, k, own);
        moved += own;
    }
    c->s->moved_of_chunk[(begin - c->first) / MO_CHUNK] = moved;
}

/* Visits a range of one colour; returns the sum of |dr|^2. */
static double visit_range(pass_context *c, int threads, int begin, int end, mo_range_fn *visit)
{
    double moved = 0;
    c->first = begin;
    mo_parallel_for(threads, begin, end, visit, c);
    for (int chunk = 0; chunk < mo_chunk_count(end - begin); ++chunk)
        moved += c->s->moved_of_chunk[chunk];
    return moved;
}

/* The same for processes that share bodies: shared constraints are visited first. */
static double sweep_with_others(pass_context *c)
{
    const mo_sweep_others *others = c->s->others;
    const mo_batches *b = c->s->batches;
    for (int g = 0; g < b->group_count; ++g) {
        const mo_colour_group *group = b->group + g;
        const int is_rest = g == b->group_count - 1 && b->last_is_sequential;
        const int threads = is_rest ? 1 : c->s->threads;
        visit_range(c, threads, group->first_batch, group->inner_batch, visit_batches);
        visit_range(c, threads, group->first_row, group->inner_row, visit_rows);
        others->begin_colour(others->context, g, c->pass.state);
        visit_range(c, threads, group->inner_batch, group->last_batch, visit_batches);
        visit_range(c, threads, group->inner_row, group->last_row, visit_rows);
        others->end_colour(others->context, g, c->pass.state);
    }
    return others->sum(others->context, 0);
}

static double sweep(pass_context *c)
{
    const mo_batches *b = c->s->batches;
    double moved = 0;
    if (c->s->others) return sweep_with_others(c);
    for (int g = 0; g < b->group_count; ++g) {
        const mo_colour_group *group = b->group + g;
        const int is_last = g == b->group_count - 1;
        const int threads = is_last && b->last_is_sequential ? 1 : c->s->threads;
        moved += visit_range(c, threads, group->first_batch, group->last_batch, visit_batches);
        moved += visit_range(c, threads, group->first_row, group->last_row, visit_rows);
    }
    return moved;
}

/* Lines of the state per task; fewer do not justify a thread. */
static void extrapolate_lines(void *context, int begin, int end)
{
    const pass_context *c = context;
    const int count = c->s->batches->line_count, last = end * LINES < count ? end * LINES : count;
    mo_batch_extrapolate(&c->pass, c->s->state_before, begin * LINES, last);
}

static void check_batches(void *context, int begin, int end)
{
    const pass_context *c = context;
    c->s->seen[begin / MO_CHUNK] = mo_batch_look(&c->pass, begin, end);
}

static void check_rows(void *context, int begin, int end)
{
    const pass_context *c = context;
    const mo_batches *b = c->s->batches;
    const int first = mo_chunk_count(b->batch_count);
    double square = 0;
    for (int k = begin; k < end; ++k) {
        const int i = b->row[k].constraint;
        double u[MO_BILATERAL_MAX_DIM];
        mo_row_velocity(b, b->row + k, c->pass.state, u);
        const double own =
            mo_natural_square_of(b->problem, i, u, c->s->row_r + b->problem->row_start[i]);
        note_row(c, k, own);
        square += own;
    }
    c->s->seen[first + begin / MO_CHUNK] = (mo_batch_sums){square, 0};
}

static mo_batch_sums look(pass_context *c)
{
    const mo_batches *b = c->s->batches;
    const int chunks = mo_chunk_count(b->batch_count) + mo_chunk_count(b->row_count);
    mo_batch_sums all = {0, 0};
    mo_parallel_for(c->s->threads, 0, b->batch_count, check_batches, c);
    mo_parallel_for(c->s->threads, 0, b->row_count, check_rows, c);
    for (int chunk = 0; chunk < chunks; ++chunk) {
        all.square += c->s->seen[chunk].square;
        all.approach = fmax(all.approach, c->s->seen[chunk].approach);
    }
    const mo_sweep_others *others = c->s->others;
    return others ? (mo_batch_sums){others->sum(others->context, 1),
                                    others->largest(others->context, all.approach)}
                  : all;
}

/* ---- impulses in rows and in batches ----------------------------------------------------------
 */

/* Points from the rows of the problem, which are along the axes of each contact. */
static void take_points(mo_sweeps *s, const double *r)
{
    static const double NONE[9] = {0};
    const mo_batches *b = s->batches;
    for (int k = 0; k < b->point_count; ++k) {
        double *to = s->impulses[k].r;
        mo_pace_every(k, 64);
        for (int lane = 0; lane < MO_LANES; ++lane) {
            const int i = b->constraint[(size_t)k * MO_LANES + (size_t)lane];
            const double *e = i < 0 ? NONE : b->compact->contact[b->compact->contact_of[i]].frame,
                         *own = i < 0 ? NONE : r + b->problem->row_start[i];
            for (int x = 0; x < 3; ++x)
                to[x * MO_LANES + lane] = own[0] * e[x] + own[1] * e[3 + x] + own[2] * e[6 + x];
        }
    }
}

static void write_best(const mo_sweeps *s, double *r)
{
    const mo_batches *b = s->batches;
    for (int k = 0; k < b->row_count; ++k) {
        const int i = b->row[k].constraint, row = b->problem->row_start[i];
        memcpy(r + row, s->row_best + row, (size_t)mo_constraint_dim(b->problem, i) * sizeof *r);
    }
    for (int k = 0; k < b->point_count; ++k) {
        const double *from = s->best + (size_t)k * POINT;
        mo_pace_every(k, 64);
        for (int lane = 0; lane < MO_LANES; ++lane) {
            const int i = b->constraint[(size_t)k * MO_LANES + (size_t)lane];
            if (i >= 0) {
                const double *e = b->compact->contact[b->compact->contact_of[i]].frame;
                const double own[3] = {from[lane], from[MO_LANES + lane],
                                       from[2 * MO_LANES + lane]};
                for (int x = 0; x < 3; ++x)
                    r[b->problem->row_start[i] + x] = mo_vec3_dot(own, e + 3 * x);
            }
        }
    }
    mo_pace();
}

static void keep_best(const mo_sweeps *s)
{
    for (int k = 0; k < s->batches->point_count; ++k) {
        mo_pace_every(k, 256);
        memcpy(s->best + (size_t)k * POINT, s->impulses[k].r, sizeof s->impulses[k].r);
    }
    mo_pace();
    if (s->batches->row_count)
        memcpy(s->row_best, s->row_r, (size_t)s->batches->problem->row_count * sizeof *s->row_r);
}

/* ---- the loop -------------------------------------------------------------------------------- */

static void set_pace(mo_sweeps *s)
{
    const int count =
        s->others ? s->others->constraint_count : s->batches->problem->constraint_count;
    const mo_sweep_pace pace = mo_sweep_pace_at(count, s->iteration, s->wanted_momentum);
    s->relax_N = pace.relax_N;
    s->relax_T = pace.relax_T;
    if (pace.is_new && pace.cap > 1) mo_momentum_allow(&s->momentum, pace.cap);
}

static void apply_rows(mo_sweeps *s, int begin, int end)
{
    const mo_batches *b = s->batches;
    for (int k = begin; k < end; ++k) {
        mo_row_apply(b, b->row + k, s->row_r + b->problem->row_start[b->row[k].constraint],
                     s->state);
    }
}

/* Adds the effect of all impulses to the state. */
static void apply_impulses(mo_sweeps *s)
{
    const mo_batches *b = s->batches;
    const mo_sweep_others *others = s->others;
    const mo_batch_pass pass = {.batches = b, .state = s->state, .impulses = s->impulses};
    if (!others) {
        mo_batch_apply(&pass, 0, b->batch_count);
        apply_rows(s, 0, b->row_count);
        return;
    }
    for (int g = 0; g < b->group_count; ++g) {
        const mo_colour_group *group = b->group + g;
        mo_batch_apply(&pass, group->first_batch, group->last_batch);
        apply_rows(s, group->first_row, group->last_row);
        others->begin_colour(others->context, g, s->state);
        others->end_colour(others->context, g, s->state);
    }
}

/* Recomputes the state from the impulses, without the rounding of the updates; momentum
 * restarts. */
static void refresh(mo_sweeps *s)
{
    const mo_batches *b = s->batches;
    const size_t bytes = (size_t)b->line_count * MO_LINE * sizeof *s->state;
    mo_pace_copy(s->state, b->free_state, bytes);
    apply_impulses(s);
    mo_pace_copy(s->state_before, s->state, bytes);
    for (int k = 0; k < b->point_count; ++k) {
        mo_pace_every(k, 256);
        memcpy(s->impulses[k].before, s->impulses[k].r, sizeof s->impulses[k].r);
    }
    mo_pace();
    if (b->row_count)
        memcpy(s->row_before, s->row_r, (size_t)b->problem->row_count * sizeof *s->row_r);
    s->momentum = mo_momentum_begin(s->momentum.cap);
    s->last_look = s->iteration;
    s->ratio = 0;
}

void mo_sweeps_start(mo_sweeps *s, int threads, double momentum, const double *r)
{
    take_points(s, r);
    if (s->batches->row_count)
        memcpy(s->row_r, r, (size_t)s->batches->problem->row_count * sizeof *r);
    s->threads = threads;
    s->wanted_momentum = momentum;
    s->momentum = mo_momentum_begin(momentum);
    s->iteration = 0;
    s->moved = s->least = INFINITY;
    if (mo_may_be_steep(s->batches->friction))
        memset(s->shift, 0, (size_t)s->batches->point_count * MO_LANES * sizeof *s->shift);
    mo_pace();
    refresh(s);
    mo_pace();
    keep_best(s);
}

static int is_check_due(const mo_sweeps *s, mo_sweep_goal goal)
{
    const int waited = s->iteration - s->last_look;
    return s->iteration == 0 || s->moved == 0 || waited >= LONGEST_WAIT ||
           (waited >= s->wait && s->ratio * sqrt(s->moved) <= goal.natural);
}

/* Least number of sweeps until the next check.  The largest approach falls about as the square
 * of their number grows. */
static int wait_for(int iteration, double approach, double rate)
{
    const double more = approach > rate && rate > 0 ? sqrt(approach / rate) - 1 : 0;
    return 1 + (int)(iteration * fmax(1.0 / 16, fmin(0.5, more)));
}

/* True where the residual is reached. */
static int check_passes(mo_sweeps *s, pass_context *c, mo_sweep_goal goal)
{
    const mo_batch_sums seen = look(c);
    const double natural = sqrt(seen.square);
    const int passes =
        natural <= goal.natural && (seen.approach <= goal.rate || s->iteration >= goal.rate_until);
    s->last_look = s->iteration;
    s->wait = wait_for(s->iteration, seen.approach, goal.rate);
    s->ratio = isfinite(s->moved) && s->moved > 0 ? natural / sqrt(s->moved) : 0;
    if (natural < s->least || passes) {
        s->least = natural;
        keep_best(s);
    }
    return passes;
}

int mo_sweeps_run(mo_sweeps *s, mo_sweep_goal goal, mo_must_stop *must_stop, void *context)
{
    pass_context c = {.pass = {.batches = s->batches, .state = s->state, .impulses = s->impulses},
                      .s = s};
    c.pass.each = s->others ? s->others->each : NULL;
    for (;; ++s->iteration) {
        const int must_end = must_stop(context, s->iteration) || s->moved == 0;
        if ((must_end || is_check_due(s, goal)) && check_passes(s, &c, goal)) return 1;
        if (must_end) return 0;
        set_pace(s);
        c.pass.shift = mo_is_steep(s->batches->friction, s->iteration) ? s->shift : NULL;
        c.pass.shift_part = mo_shift_part(s->iteration);
        c.pass.relax_N = s->relax_N;
        c.pass.relax_T = s->relax_T;
        c.pass.beta = s->momentum.cap > 1 ? mo_momentum_next(&s->momentum) : 0;
        mo_parallel_for(s->threads, 0, (s->batches->line_count + LINES - 1) / LINES,
                        extrapolate_lines, &c);
        s->moved = sweep(&c);
        mo_momentum_watch(&s->momentum, s->moved);
    }
}

void mo_sweeps_take_best(mo_sweeps *s, double *r)
{
    const mo_batches *b = s->batches;
    write_best(s, r);
    for (int k = 0; k < b->point_count; ++k) {
        mo_pace_every(k, 256);
        memcpy(s->impulses[k].r, s->best + (size_t)k * POINT, sizeof s->impulses[k].r);
    }
    mo_pace();
    if (b->row_count)
        memcpy(s->row_r, s->row_best, (size_t)b->problem->row_count * sizeof *s->row_r);
    refresh(s);
}

void mo_sweeps_measure(mo_sweeps *s, double q_norm, double *r, double *v, double *u,
                       mo_residual *residual)
{
    mo_sweeps_take_best(s, r);
    mo_pace();
    const mo_batch_answer answer = {s->batches, s->state, s->impulses, s->row_r};
    mo_measure_batches(&answer, q_norm, s->point_u, v, u, residual);
}

double mo_sweeps_exchange(const mo_sweeps *s)
{
    const mo_batches *b = s->batches;
    double sum = 0;
    for (int k = 0; k < b->line_count - 1; ++k) { /* the last is the world */
        const double *now = s->state + (size_t)k * MO_LINE,
                     *before = b->free_state + (size_t)k * MO_LINE,
                     *I = b->inertia + (size_t)k * MO_LINE;
        const double symmetric[6] = {I[0], I[1], I[2], I[3], I[4], I[5]};
        double inverse[9], v[3], spin[3], moment[3];
        mo_pace_every(k, 256);
        mo_mat3_symmetric(symmetric, inverse);
        mo_vec3_minus(now, before, v);
        mo_vec3_minus(now + 3, before + 3, spin);
        mo_mat3_solve(inverse, spin, moment);
        sum += mo_vec3_dot(v, v) / now[6] + mo_vec3_dot(spin, moment);
    }
    return sum;
}
