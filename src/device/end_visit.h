/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * The end of a sweep, by one block (patch_visit.h): visits the last colours, which have few
 * contacts, and sets relaxation and momentum of the next sweep.
 */
#ifndef MO_DEVICE_END_VISIT_H
#define MO_DEVICE_END_VISIT_H

#include "device/kernel.h"
#include "device/manifold_visit.h"
#include "device/patch_visit.h"
#include "problem/pair_order.h"

/* One block visits the last colours, of few contacts each; then it sets the pace of the next. */
typedef struct mo_end_args {
    mo_visit_args visit;
    int start[MO_COLOURS + 1];          /* slots of each of these colours */
    int manifold_start[MO_COLOURS + 1]; /* and manifolds */
    int colours;
    mo_pace *pace;
    const mo_term *partial; /* changes by the other launches of the sweep */
    int count;
} mo_end_args;

typedef struct mo_end_stage {
    mo_term strand[MO_END_THREADS];
} mo_end_stage;

MO_ANY void mo_block_end_sweep_early(const mo_end_args *a, int block, int thread, mo_patch_own *own)
{
    (void)block;
    own->term.sum = own->term.largest = 0;
    own->at = a->start[0] + thread;
    if (a->colours > 0 && own->at < a->start[1])
        own->ahead = mo_slot_fetch(&a->visit, (size_t)own->at, 0);
}

MO_ANY void mo_block_end_sweep_begin(const mo_end_args *a, int block, int thread, mo_end_stage *s,
                                     mo_patch_own *own)
{
    (void)a, (void)block, (void)thread, (void)s, (void)own;
}

MO_ANY double mo_ahead_sweep(const mo_visit_args *a, const mo_slot_ahead *ahead, int at)
{
    mo_side one = mo_side_read(a->line, ahead->one), two = mo_side_read(a->line, ahead->two);
    mo_vec r = mo_ahead(a, ahead->now, ahead->before);
    const double moved = mo_slot_visit(&ahead->c, a->pace, &one, &two, &r);
    mo_vec_write(r, a->other, a->apart, (size_t)at);
    mo_side_write(&one, a->line, ahead->one, a->moving);
    mo_side_write(&two, a->line, ahead->two, a->moving);
    return moved;
}

MO_ANY void mo_end_visit(const mo_end_args *a, int colour, int thread, mo_patch_own *own)
{
    const mo_slot_ahead ahead = own->ahead;
    const int end = a->start[colour + 1];
    int at = own->at;
    own->at = end + thread;
    if (colour + 1 < a->colours && own->at < a->start[colour + 2])
        own->ahead = mo_slot_fetch(&a->visit, (size_t)own->at, 0);
    if (at < end) own->term.sum += mo_ahead_sweep(&a->visit, &ahead, at);
    for (at += MO_END_THREADS; at < end; at += MO_END_THREADS) {
        const mo_slot_ahead other = mo_slot_fetch(&a->visit, (size_t)at, 0);
        own->term.sum += mo_ahead_sweep(&a->visit, &other, at);
    }
    for (int i = a->manifold_start[colour] + thread; i < a->manifold_start[colour + 1];
         i += MO_END_THREADS)
        own->term.sum += mo_manifold_sweep(&a->visit, i, 0);
}

MO_ANY void mo_set_pace(mo_pace *p, const mo_end_stage *s)
{
    mo_term sum = s->strand[0];
    for (int g = MO_GROUP; g < MO_END_THREADS; g += MO_GROUP)
        sum = mo_term_add(sum, s->strand[g]);
    mo_pace_next(p, sum.sum);
}

/* Colour after colour; then the sum: strands, groups of 32 by halves, and group after group. */
MO_ANY int mo_block_end_sweep_part(const mo_end_args *a, int block, int part, int thread,
                                   mo_end_stage *s, mo_patch_own *own)
{
    const int after = part - a->colours, half = after > 0 ? MO_GROUP >> after : MO_GROUP;
    (void)block;
    if (after < 0) {
        mo_end_visit(a, part, thread, own);
    } else if (after == 0) {
        for (int k = thread; k < a->count; k += MO_END_THREADS)
            own->term = mo_term_add(own->term, a->partial[k]);
        s->strand[thread] = own->term;
    } else if (half > 0 && thread % MO_GROUP < half) {
        s->strand[thread] = mo_term_add(s->strand[thread], s->strand[thread + half]);
    } else if (half == 0 && thread == 0) {
        mo_set_pace(a->pace, s);
    }
    return half > 0;
}

#endif
