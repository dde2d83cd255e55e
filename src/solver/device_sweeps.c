/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
#include "solver/device_sweeps.h"

#include <math.h>

#include "solver/pace.h"

enum {
    LOOK_EVERY = 8, /* sweeps, after the first few */
    LONG = 120,     /* sweeps between changes of pace (pace.h) */
    VERY_LONG = 248,
    MANY_SWEEPS = 16,
    SETTLING = 4,               /* sweeps, an even number */
    SETTLE_FROM = 64,           /* sweeps of balls: shorter solves keep their pace */
    CARRYING = 2,               /* momentum that carries the weight, over that of others */
    TAIL_MOST = MO_END_THREADS, /* contacts of a colour that one block visits with others: one a
                                   thread, since a second one takes longer than a launch */
    OF_MANIFOLDS = 4,           /* one manifold counts as this many */
    FEW_CONTACTS = 500000       /* then a sweep visits those inside of patches twice */
};
static const double SETTLE_N = 0.15, SETTLE_T = 0.5; /* relaxation of sweeps that settle */
static const double NEAR = 1.4; /* factor on the goal; they reach 0.6 to 0.85 */

void mo_device_sweeps_begin(mo_device *device, mo_device_sweeps *s)
{
    *s = (mo_device_sweeps){.device = device, .tail_most = TAIL_MOST};
}

void mo_device_sweeps_end(mo_device_sweeps *s)
{
    mo_buffer *const all[] = {s->impulses, s->impulses + 1, &s->line,  &s->before_own, &s->best_own,
                              &s->partial, &s->figures,     &s->shift, &s->copy_state};
    mo_device_forget(s->device, s->pair_of_sweeps);
    mo_device_forget(s->device, s->many_sweeps);
    s->pair_of_sweeps = s->many_sweeps = NULL;
    for (size_t k = 0; k < sizeof all / sizeof *all; ++k)
        mo_buffer_free(s->device, all[k]);
}

static size_t impulse_count(const mo_device_sweeps *s)
{
    return (size_t)s->slots + (size_t)s->points;
}

double *mo_device_sweeps_room(mo_device_sweeps *s, size_t *apart)
{
    *apart = impulse_count(s);
    MO_TAKE_BUFFER(s->device, s->impulses + 1, 3 * *apart, double);
    return MO_TAKE_BUFFER(s->device, s->impulses, 3 * *apart, double);
}

/* ---- passes ---------------------------------------------------------------------------------- */

static mo_device_figures *figures(const mo_device_sweeps *s)
{
    return s->figures.at;
}

/* From impulses[now]. */
mo_visit_args mo_device_sweeps_args(const mo_device_sweeps *s, int now)
{
    return (mo_visit_args){.slots = s->slot_arrays,
                           .manifolds = s->manifold_arrays,
                           .line = s->line.at,
                           .before = s->before,
                           .patch_start = s->patch_start,
                           .inner = s->slots < FEW_CONTACTS ? 2 : 1,
                           .inertia = s->inertia,
                           .moving = s->moving,
                           .pace = &figures(s)->pace,
                           .r = s->impulses[now].at,
                           .other = s->impulses[!now].at,
                           .points_from = (size_t)s->slots,
                           .apart = impulse_count(s),
                           .shift = s->is_steep ? s->shift.at : NULL,
                           .rest = s->rest};
}

/* The momentum of the bodies, and the contacts inside of patches.  Returns the number of sums. */
static int queue_patches(mo_device_sweeps *s, const mo_visit_args *a, mo_term *partial)
{
    const mo_state_args state = {s->line.at, s->before, &figures(s)->pace};
    if (s->patches > 0)
        mo_device_launch_blocks(s->device, MO_KERNEL_visit_patch, s->patches, a, partial);
    else
        mo_device_launch(s->device, MO_KERNEL_extrapolate, s->moving, &state);
    return s->patches;
}

static int slots_in(const mo_device_sweeps *s, int c)
{
    return s->slot_start[c + 1] - s->slot_start[c];
}

static int manifolds_in(const mo_device_sweeps *s, int c)
{
    return s->manifold_start[c + 1] - s->manifold_start[c];
}

/* The first of the last colours that all have few contacts. */
static int tail_of(const mo_device_sweeps *s)
{
    int c = MO_COLOUR_REST;
    while (c > 0 && slots_in(s, c - 1) <= s->tail_most &&
           OF_MANIFOLDS * manifolds_in(s, c - 1) <= s->tail_most)
        --c;
    return c;
}

/* The last colours from `first` on, and the pace of the next sweep, after so many sums. */
static void queue_end(mo_device_sweeps *s, const mo_visit_args *a, int first, mo_term *partial,
                      int count)
{
    mo_end_args end = {.visit = *a, .pace = &figures(s)->pace, .partial = partial, .count = count};
    end.start[0] = s->slot_start[first];
    end.manifold_start[0] = s->manifold_start[first];
    for (int c = first; c < MO_COLOUR_REST && slots_in(s, c) + manifolds_in(s, c) > 0; ++c) {
        end.start[++end.colours] = s->slot_start[c + 1];
        end.manifold_start[end.colours] = s->manifold_start[c + 1];
    }
    mo_device_launch_blocks(s->device, MO_KERNEL_end_sweep, 1, &end, partial + count);
}

static int blocks_for(int count)
{
    return (count + MO_PATCH_THREADS - 1) / MO_PATCH_THREADS;
}

/* The contacts of a colour.  Returns the number of sums. */
static int queue_colour(mo_device_sweeps *s, mo_visit_args *a, int c, mo_term *partial)
{
    const int slots = slots_in(s, c), manifolds = manifolds_in(s, c);
    int done;
    a->begin = s->slot_start[c];
    a->end = s->slot_start[c + 1];
    if (s->is_steep) {
        done = mo_device_launch_summed(s->device, MO_KERNEL_visit_steep_slot, slots, a, partial);
        a->begin = s->manifold_start[c];
        return done + mo_device_launch_summed(s->device, MO_KERNEL_visit_steep_manifold, manifolds,
                                              a, partial + done);
    }
    done = blocks_for(slots);
    mo_device_launch_blocks(s->device, MO_KERNEL_visit_slots, done, a, partial);
    a->begin = s->manifold_start[c];
    a->end = s->manifold_start[c + 1];
    mo_device_launch_blocks(s->device, MO_KERNEL_visit_manifold, blocks_for(manifolds), a,
                            partial + done);
    return done + blocks_for(manifolds);
}

static void queue_sweep(mo_device_sweeps *s, int now)
{
    mo_visit_args a = mo_device_sweeps_args(s, now);
    mo_term *partial = s->partial.at;
    const int tail = s->is_steep ? MO_COLOUR_REST : tail_of(s);
    int done = queue_patches(s, &a, partial);
    for (int c = 0; c < tail; ++c)
        done += queue_colour(s, &a, c, partial + done);
    if (s->rest_count > 0) {
        a.begin = 0;
        a.end = s->rest_count;
        done += mo_device_launch_summed(s->device, MO_KERNEL_visit_rest, 1, &a, partial + done);
    }
    queue_end(s, &a, tail, partial, done);
}

static void queue_pair(void *context)
{
    queue_sweep(context, 0);
    queue_sweep(context, 1);
}

static void queue_many(void *context)
{
    for (int k = 0; k < MANY_SWEEPS / 2; ++k)
        queue_pair(context);
}

static void queue_sums(const mo_device_sweeps *s, mo_asked asked, mo_term *out)
{
    mo_visit_args a = mo_device_sweeps_args(s, 0);
    mo_term *partial = s->partial.at;
    a.asked = asked;
    int done = mo_device_launch_summed(s->device, MO_KERNEL_ask_slot, s->slots, &a, partial);
    done += mo_device_launch_summed(s->device, MO_KERNEL_ask_manifold, s->manifolds, &a,
                                    partial + done);
    mo_device_add_up(s->device, partial, done, out);
}

/* The state that the impulses cause; `before` is the same. */
static void queue_state(const mo_device_sweeps *s)
{
    const mo_state_args state = {s->line.at, s->before, NULL};
    mo_visit_args a = mo_device_sweeps_args(s, 0);
    mo_device_copy(s->device, s->line.at, s->free_line, (size_t)s->lines * sizeof(mo_line));
    mo_device_launch_blocks(s->device, MO_KERNEL_apply_patch, s->patches, &a, s->partial.at);
    for (int c = 0; c < MO_COLOUR_REST; ++c) {
        a.begin = s->slot_start[c];
        mo_device_launch(s->device, MO_KERNEL_apply_slot, s->slot_start[c + 1] - a.begin, &a);
        a.begin = s->manifold_start[c];
        mo_device_launch(s->device, MO_KERNEL_apply_manifold, s->manifold_start[c + 1] - a.begin,
                         &a);
    }
    if (s->rest_count > 0) {
        a.begin = 0;
        a.end = s->rest_count;
        mo_device_launch(s->device, MO_KERNEL_apply_rest, 1, &a);
    }
    mo_device_launch(s->device, MO_KERNEL_keep_state, s->moving, &state);
}

static size_t impulse_bytes(const mo_device_sweeps *s)
{
    return 3 * impulse_count(s) * sizeof(double);
}

/* ---- the start ------------------------------------------------------------------------------- */

/* A colour of few contacts still has a block of its own. */
static size_t most_partials(const mo_device_sweeps *s)
{
    return 2 * (size_t)mo_device_blocks(s->slots) + 2 * (size_t)mo_device_blocks(s->manifolds) +
           (size_t)s->patches + (size_t)s->copies + (size_t)mo_device_blocks(s->moving) +
           2 * MO_COLOURS + 2;
}

size_t mo_device_sweeps_shifts(const mo_device_sweeps *s)
{
    return mo_may_be_steep(s->friction) ? impulse_count(s) : 0;
}

void mo_device_sweeps_take_room(mo_device_sweeps *s)
{
    MO_TAKE_BUFFER(s->device, &s->line, s->lines, mo_line);
    mo_scratch scratch = s->scratch;
    s->before = MO_TAKE_SCRATCH(s->device, &scratch, &s->before_own, (size_t)s->moving * 6, double);
    s->best = MO_TAKE_SCRATCH(s->device, &scratch, &s->best_own, 3 * impulse_count(s), double);
    MO_TAKE_BUFFER(s->device, &s->partial, most_partials(s), mo_term);
    MO_TAKE_BUFFER(s->device, &s->figures, 1, mo_device_figures);
    MO_TAKE_BUFFER(s->device, &s->shift, mo_device_sweeps_shifts(s), double);
}

double mo_device_sweeps_q(mo_device_sweeps *s)
{
    mo_term speed = {0, 0};
    mo_device_sweeps_take_room(s);
    if (s->device->error) /* there is no memory for the figures */
        return 0;
    mo_device_copy(s->device, s->line.at, s->free_line, (size_t)s->lines * sizeof(mo_line));
    queue_sums(s, MO_SPEED, &figures(s)->speed);
    mo_device_read(s->device, &speed, &figures(s)->speed, sizeof speed);
    return sqrt(speed.sum);
}

static void record_pair(mo_device_sweeps *s)
{
    mo_device_record(s->device, queue_pair, s, &s->pair_of_sweeps);
    s->has_many = 0;
}

static void write_pace(const mo_device_sweeps *s, const mo_pace *pace)
{
    mo_device_write(s->device, &figures(s)->pace, pace, sizeof *pace);
}

void mo_device_sweeps_start(mo_device_sweeps *s, double momentum)
{
    mo_device_sweeps_take_room(s);
    s->wanted_momentum = momentum;
    s->iteration = s->settling = s->carries = 0;
    s->near = NEAR;
    s->moved = s->least = INFINITY;
    s->is_steep = mo_is_steep(s->friction, 0);
    mo_device_clear(s->device, s->figures.at, sizeof(mo_device_figures));
    mo_device_clear(s->device, s->shift.at, mo_device_sweeps_shifts(s) * sizeof(double));
    mo_device_copy(s->device, s->impulses[1].at, s->impulses[0].at, impulse_bytes(s));
    queue_state(s);
    record_pair(s);
}

/* ---- the loop -------------------------------------------------------------------------------- */

/* Sweeps with the pace of pace.h. */
static int paced(const mo_device_sweeps *s)
{
    return s->iteration - s->settling;
}

/* Sets the pace of the next sweeps if it changed. */
static void set_pace(mo_device_sweeps *s, mo_pace *now)
{
    const mo_sweep_pace pace = mo_sweep_pace_at(s->constraints, paced(s), s->wanted_momentum);
    if (!pace.is_new) return;
    if (s->iteration == 0) {
        now->momentum = mo_momentum_begin(pace.cap);
        now->beta = pace.cap > 1 ? mo_momentum_next(&now->momentum) : 0;
    } else {
        mo_momentum_allow(&now->momentum, pace.cap);
    }
    now->relax_N = pace.relax_N;
    now->relax_T = pace.relax_T;
    write_pace(s, now);
}

static void look(mo_device_sweeps *s, mo_device_figures *seen)
{
    queue_sums(s, MO_NATURAL, &figures(s)->look);
    mo_device_read(s->device, seen, s->figures.at, sizeof *seen);
    s->natural = sqrt(seen->look.sum);
    s->approach = seen->look.largest;
    s->moved = s->iteration > 0 ? seen->pace.moved : INFINITY;
}

/* An odd sweep ends in the other array: the two are swapped. */
static void sweep_once(mo_device_sweeps *s)
{
    const mo_buffer first = s->impulses[0];
    queue_sweep(s, 0);
    s->impulses[0] = s->impulses[1];
    s->impulses[1] = first;
    record_pair(s);
}

/* 2, 2, 4, 8, then 8 each, more in long solves. */
static int sweeps_to_check(int iteration)
{
    return iteration < 2            ? 2
           : iteration < LOOK_EVERY ? iteration
           : iteration < LONG       ? LOOK_EVERY
           : iteration < VERY_LONG  ? 2 * LOOK_EVERY
                                    : 4 * LOOK_EVERY;
}

/* Until the next check, or until must_stop returns true. */
static void sweep_on(mo_device_sweeps *s, mo_must_stop *must_stop, void *context)
{
    int count = sweeps_to_check(paced(s));
    if (!s->is_steep && mo_is_steep(s->friction, paced(s))) {
        s->is_steep = 1;
        record_pair(s);
    }
    for (int k = 1; k < count; ++k)
        count = must_stop(context, s->iteration + k) ? k : count;
    const int many = paced(s) < LONG ? 0 : count / MANY_SWEEPS;
    if (many > 0 && !s->has_many) {
        mo_device_record(s->device, queue_many, s, &s->many_sweeps);
        s->has_many = 1;
    }
    mo_device_replay(s->device, s->many_sweeps, many);
    mo_device_replay(s->device, s->pair_of_sweeps, (count - many * MANY_SWEEPS) / 2);
    if (count % 2) sweep_once(s);
    s->iteration += count;
}

static void queue_exchange(const mo_device_sweeps *s)
{
    const mo_exchange_args a = {s->line.at, s->free_line, s->inertia};
    const int blocks =
        mo_device_launch_summed(s->device, MO_KERNEL_exchange, s->moving, &a, s->partial.at);
    mo_device_add_up(s->device, s->partial.at, blocks, &figures(s)->exchange);
}

double mo_device_sweeps_power(mo_device_sweeps *s, double *exchange)
{
    mo_device_figures seen;
    queue_sums(s, MO_POWER, &figures(s)->power);
    queue_exchange(s);
    mo_device_read(s->device, &seen, s->figures.at, sizeof seen);
    *exchange = seen.exchange.sum;
    return seen.power.sum;
}

static int power_passes(mo_device_sweeps *s, double most)
{
    double exchange;
    return isinf(most) || mo_device_sweeps_power(s, &exchange) <= most * exchange;
}

/* All impulses in proportion, so that their work is zero. */
static void scale(mo_device_sweeps *s)
{
    const mo_scale_args a = {.work = &figures(s)->work,
                             .exchange = &figures(s)->exchange,
                             .r = s->impulses[0].at,
                             .other = s->impulses[1].at,
                             .line = s->line.at,
                             .free_line = s->free_line,
                             .before = s->before,
                             .pace = &figures(s)->pace};
    queue_sums(s, MO_WORK, &figures(s)->work);
    queue_exchange(s);
    mo_device_launch(s->device, MO_KERNEL_scale_impulse, 3 * (int)impulse_count(s), &a);
    mo_device_launch(s->device, MO_KERNEL_scale_state, s->moving, &a);
}

/* Only the weight is not carried yet: momentum for the whole heap. */
static void carry(mo_device_sweeps *s, mo_pace *now)
{
    const mo_sweep_pace first = mo_sweep_pace_at(s->constraints, 0, s->wanted_momentum);
    if (!s->carries && s->wanted_momentum > 1) {
        now->relax_N = first.relax_N;
        now->relax_T = first.relax_T;
        mo_momentum_allow(&now->momentum, CARRYING * s->wanted_momentum);
        write_pace(s, now);
    }
    s->carries = 1;
    scale(s);
}

static int may_settle(const mo_device_sweeps *s, const mo_sweep_goal *goal)
{
    return paced(s) >= SETTLE_FROM && s->manifolds == 0 && s->wanted_momentum > 1 && !s->is_steep &&
           !s->carries && s->approach <= goal->rate && s->natural > goal->natural &&
           s->natural <= s->near * goal->natural;
}

/* Then a check with the pace as before.  Later trials start where this one would have sufficed. */
static void settle(mo_device_sweeps *s, double goal, mo_device_figures *seen)
{
    const double ENOUGH = 0.98, from = s->natural;
    const mo_pace last = seen->pace;
    mo_pace slow = last;
    slow.momentum = mo_momentum_begin(1);
    slow.beta = 0;
    slow.relax_N = SETTLE_N;
    slow.relax_T = SETTLE_T;
    write_pace(s, &slow);
    mo_device_replay(s->device, s->pair_of_sweeps, SETTLING / 2);
    s->iteration += SETTLING;
    s->settling += SETTLING;
    look(s, seen);
    if (s->natural > goal) s->near = fmin(s->near, ENOUGH * from / s->natural);
    slow = last;
    slow.moved = seen->pace.moved;
    slow.sweeps = seen->pace.sweeps;
    seen->pace = slow;
    write_pace(s, &slow);
}

int mo_device_sweeps_run(mo_device_sweeps *s, mo_sweep_goal goal, mo_must_stop *must_stop,
                         void *context)
{
    for (;;) {
        mo_device_figures seen;
        look(s, &seen);
        if (may_settle(s, &goal) && !must_stop(context, s->iteration + SETTLING - 1))
            settle(s, goal.natural, &seen);
        const int is_exact = s->natural <= goal.natural, is_slow = s->approach <= goal.rate,
                  is_enough = s->iteration >= goal.rate_until,
                  passes = is_exact && (is_enough || (is_slow && power_passes(s, goal.power)));
        if (passes || s->natural < s->least) {
            s->least = s->natural;
            mo_device_copy(s->device, s->best, s->impulses[0].at, impulse_bytes(s));
        }
        if (passes || s->device->error) return passes;
        if (must_stop(context, s->iteration) || s->moved == 0) {
            mo_device_copy(s->device, s->impulses[0].at, s->best, impulse_bytes(s));
            return 0;
        }
        if (!s->carries) set_pace(s, &seen.pace);
        if (is_exact && is_slow) carry(s, &seen.pace);
        sweep_on(s, must_stop, context);
    }
}

void mo_device_sweeps_verdict(mo_device_sweeps *s)
{
    mo_device_figures seen;
    queue_state(s);
    mo_device_copy(s->device, s->impulses[1].at, s->impulses[0].at, impulse_bytes(s));
    look(s, &seen);
}
