/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * The sweeps of copies of a world, by one block (patch_visit.h) for each copy: from the impulses of
 * the last step to the verdict, with a pace and a stop of its own.  A copy therefore moves as it
 * does alone, and one that is solved is not swept any more.
 *
 *   speed      |q|, from which the goal follows
 *   apply      the state that the impulses cause, colour by colour; then `keep` it as the last
 *   look       residual and closing speed: on with the sweeps, to the verdict, or the end
 *   move       momentum of the bodies
 *   visit      colour by colour
 *   free       velocities without impulses, then `apply` and `look`: the verdict
 *
 * A sum takes two parts more: groups of threads, then the first thread, which decides.
 */
#ifndef MO_DEVICE_COPY_VISIT_H
#define MO_DEVICE_COPY_VISIT_H

#include "device/copy_state.h"
#include "device/manifold_visit.h"

/* ---- the contacts of a copy ------------------------------------------------------------------ */

MO_ANY mo_term mo_copy_item(const mo_copy_args *a, const mo_visit_args *v, int phase, int i)
{
    const mo_term none = {0, 0};
    mo_term moved = {0, 0};
    switch (phase) {
    case MO_COPY_SPEED:
    case MO_COPY_LOOK: {
        const mo_asked asked = phase == MO_COPY_SPEED ? MO_SPEED : MO_NATURAL;
        return a->has_manifolds ? mo_manifold_term(v, i, asked) : mo_slot_term(v, i, asked);
    }
    case MO_COPY_VISIT:
        moved.sum = a->has_manifolds ? mo_manifold_sweep(v, i, v->shift != NULL)
                                     : mo_slot_sweep(v, (size_t)i);
        return moved;
    default:
        if (a->has_manifolds)
            mo_manifold_apply(v, i);
        else
            mo_slot_apply(v, (size_t)i);
        return none;
    }
}

/* Those of begin .. end: each thread its own, or the first one all of them, in order. */
MO_ANY void mo_copy_items(const mo_copy_args *a, const mo_visit_args *v, int begin, int end,
                          int is_in_order, int thread, mo_copy_own *own)
{
    const int first = is_in_order ? (thread == 0 ? begin : end) : begin + thread;
    for (int i = first; i < end; i += is_in_order ? 1 : a->threads)
        own->term = mo_term_add(own->term, mo_copy_item(a, v, own->phase, i));
}

MO_ANY const mo_visit_args *mo_copy_visit_args(const mo_copy_shared *s)
{
    return &s->visit[s->state.pace.sweeps % 2];
}

/* ---- bodies ---------------------------------------------------------------------------------- */

MO_ANY void mo_copy_bodies(const mo_copy_args *a, int copy, int thread, const mo_copy_shared *s,
                           int phase)
{
    const mo_state_args state = {a->visit.line, a->visit.before, &s->state.pace};
    for (int k = thread; k < a->per_copy; k += a->threads) {
        const int i = copy * a->per_copy + k;
        if (phase == MO_COPY_FREE)
            a->visit.line[i] = a->free_line[i];
        else if (phase == MO_COPY_MOVE)
            mo_kernel_extrapolate(&state, i);
        else
            mo_kernel_keep_state(&state, i);
    }
}

/* The last impulses are the current ones. */
MO_ANY void mo_copy_keep(const mo_copy_args *a, int copy, int thread, const mo_copy_shared *s)
{
    const mo_visit_args *v = mo_copy_visit_args(s);
    const size_t end = mo_copy_impulse(a, copy + 1);
    mo_copy_bodies(a, copy, thread, s, MO_COPY_KEEP);
    for (size_t i = mo_copy_impulse(a, copy) + (size_t)thread; i < end; i += (size_t)a->threads)
        mo_vec_write(mo_vec_read(v->r, v->apart, i), v->other, v->apart, i);
}

/* ---- the block ------------------------------------------------------------------------------- */

MO_ANY void mo_block_solve_copy_early(const mo_copy_args *a, int copy, int thread, mo_copy_own *own)
{
    (void)a, (void)copy, (void)thread;
    own->term.sum = own->term.largest = 0;
    own->phase = MO_COPY_NEXT;
    own->colour = own->after = 0;
}

MO_ANY void mo_block_solve_copy_begin(const mo_copy_args *a, int copy, int thread,
                                      mo_copy_shared *s, mo_copy_own *own)
{
    (void)own;
    if (thread > 0) return;
    s->state = a->state[copy];
    s->next = s->state.is_over                ? MO_COPY_END
              : s->state.stage == MO_COPY_NEW ? MO_COPY_SPEED
                                              : MO_COPY_LOOK;
    for (int odd = 0; odd < 2; ++odd) {
        s->visit[odd] = a->visit;
        s->visit[odd].pace = &s->state.pace;
        s->visit[odd].r = a->impulses[odd];
        s->visit[odd].other = a->impulses[!odd];
        s->visit[odd].shift =
            mo_is_steep(a->goal.friction, s->state.pace.sweeps) ? a->visit.shift : NULL;
    }
}

/* A colour, or all contacts; then what follows. */
MO_ANY void mo_copy_work(const mo_copy_args *a, int copy, int thread, mo_copy_shared *s,
                         mo_copy_own *own)
{
    const mo_visit_args *v = mo_copy_visit_args(s);
    const int all = mo_copy_start(a, copy + 1, 0);
    if (own->phase == MO_COPY_SPEED || own->phase == MO_COPY_LOOK) {
        mo_copy_items(a, v, mo_copy_start(a, copy, 0), all, 0, thread, own);
        own->after = own->phase;
        own->phase = MO_COPY_SUM;
        return;
    }
    mo_copy_items(a, v, mo_copy_start(a, copy, own->colour),
                  mo_copy_start(a, copy, own->colour + 1), own->colour == MO_COLOUR_REST, thread,
                  own);
    ++own->colour;
    if (own->colour == MO_COLOURS || mo_copy_start(a, copy, own->colour) == all) {
        own->after = own->phase;
        own->phase = own->phase == MO_COPY_VISIT ? MO_COPY_SUM : MO_COPY_KEEP;
    }
}

MO_ANY void mo_copy_sum(const mo_copy_args *a, int copy, int thread, mo_copy_shared *s,
                        mo_copy_own *own)
{
    if (own->phase == MO_COPY_SUM) {
        if (thread % MO_GROUP == 0) s->group[thread / MO_GROUP] = mo_group_sum(s->strand + thread);
        own->phase = MO_COPY_DECIDE;
        return;
    }
    if (thread == 0) s->next = mo_copy_decide(a, copy, own->after, s);
    own->phase = MO_COPY_NEXT;
}

MO_ANY int mo_block_solve_copy_part(const mo_copy_args *a, int copy, int part, int thread,
                                    mo_copy_shared *s, mo_copy_own *own)
{
    (void)part;
    if (own->phase == MO_COPY_NEXT) {
        own->phase = s->next;
        own->colour = 0;
        own->term.sum = own->term.largest = 0;
    }
    switch (own->phase) {
    case MO_COPY_SUM:
    case MO_COPY_DECIDE:
        mo_copy_sum(a, copy, thread, s, own);
        return 1;
    case MO_COPY_KEEP:
        mo_copy_keep(a, copy, thread, s);
        own->phase = MO_COPY_LOOK;
        return 1;
    case MO_COPY_MOVE:
    case MO_COPY_FREE:
        mo_copy_bodies(a, copy, thread, s, own->phase);
        own->phase = own->phase == MO_COPY_MOVE ? MO_COPY_VISIT : MO_COPY_APPLY;
        return 1;
    case MO_COPY_END:
        if (thread == 0) a->state[copy] = s->state;
        return 0;
    default:
        mo_copy_work(a, copy, thread, s, own);
        s->strand[thread] = own->term;
        return 1;
    }
}

/* The same with fewer threads. */
MO_ANY void mo_block_solve_small_copy_early(const mo_copy_args *a, int copy, int thread,
                                            mo_copy_own *own)
{
    mo_block_solve_copy_early(a, copy, thread, own);
}

MO_ANY void mo_block_solve_small_copy_begin(const mo_copy_args *a, int copy, int thread,
                                            mo_copy_shared *s, mo_copy_own *own)
{
    mo_block_solve_copy_begin(a, copy, thread, s, own);
}

MO_ANY int mo_block_solve_small_copy_part(const mo_copy_args *a, int copy, int part, int thread,
                                          mo_copy_shared *s, mo_copy_own *own)
{
    return mo_block_solve_copy_part(a, copy, part, thread, s, own);
}

/* ---- results --------------------------------------------------------------------------------- */

/* Number of unsolved copies, and the largest number of sweeps. */
MO_ANY mo_term mo_kernel_copy_open(const mo_copy_args *a, int i)
{
    const mo_copy_state *state = a->state + i;
    const mo_term term = {state->is_over ? 0.0 : 1.0, (double)state->pace.sweeps};
    return term;
}

/* Copies that are not solved, and the largest relative residual. */
MO_ANY mo_term mo_kernel_copy_worst(const mo_copy_args *a, int i)
{
    const mo_copy_state *state = a->state + i;
    const mo_term term = {state->is_solved ? 0.0 : 1.0, state->natural / state->scale};
    return term;
}

/* The residual of all, and the fastest closing speed. */
MO_ANY mo_term mo_kernel_copy_check(const mo_copy_args *a, int i)
{
    const mo_copy_state *state = a->state + i;
    const mo_term term = {state->natural * state->natural, state->approach};
    return term;
}

#endif
