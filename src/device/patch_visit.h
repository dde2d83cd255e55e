/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Block kernels of sweeps, whose threads share fast memory.
 *
 * A patch is MO_PATCH bodies with consecutive numbers.  Most contacts lie inside a patch: a block
 * loads the bodies of a patch, visits these contacts colour by colour, and stores the bodies once
 * per sweep; in small heaps twice, the second time without momentum, which saves a third of the
 * sweeps.  Contacts between patches follow in one launch per colour (colour_visit.h), the last
 * colours in one block (end_visit.h).
 *
 * A block kernel has three functions of (arguments, block, thread, own), own: data of a thread:
 *     early   reads data not written since the first launch of the sweep
 *     begin   before the first part
 *     part    0, 1, ... until it returns 0, for all threads of a block together
 *
 * The threads of a block synchronise between parts; within a part no thread writes shared memory
 * that another reads.  The `term` of the threads is summed over the block.
 */
#ifndef MO_DEVICE_PATCH_VISIT_H
#define MO_DEVICE_PATCH_VISIT_H

#include "device/stage.h"
#include "problem/pair_order.h"

/* ---- contacts inside a patch ----------------------------------------------------------------- */

/* Of a colour of a patch, or the end of its contacts. */
MO_ANY int mo_patch_start(const mo_visit_args *a, int patch, int colour)
{
    return a->patch_start[(size_t)patch * MO_COLOURS + (size_t)colour];
}

MO_ANY void mo_patch_fetch(const mo_visit_args *a, int patch, int colour, int thread,
                           mo_patch_own *own)
{
    own->at = mo_patch_start(a, patch, colour) + thread;
    if (own->at < mo_patch_start(a, patch, colour + 1)) {
        own->ahead = mo_slot_fetch(a, (size_t)own->at, own->again > 0);
    }
}

/* The colour of a part, a->inner times through all; -1 after the last. */
MO_ANY int mo_patch_colour(const mo_visit_args *a, int patch, int part, int *again)
{
    const int end = mo_patch_start(a, patch, MO_COLOURS);
    if (mo_patch_start(a, patch, part - *again) < end) {
        return part - *again;
    }
    if (*again > 0 || part == 0 || a->inner < 2) {
        return -1;
    }
    *again = part;
    return 0;
}

/* The second body may be one that does not move, which no block holds. */
MO_ANY void mo_patch_visit(const mo_visit_args *a, int patch, int at, const mo_slot_ahead *ahead,
                           mo_stage *s, mo_term *term)
{
    const int first = patch * MO_PATCH, is_fixed = ahead->two >= a->moving;
    mo_side one = mo_staged_side(s, ahead->one - first),
            two = is_fixed ? mo_side_read(a->line, ahead->two)
                           : mo_staged_side(s, ahead->two - first);
    mo_vec r = mo_ahead(a, ahead->now, ahead->before);
    term->sum += mo_slot_visit(&ahead->c, a->pace, &one, &two, &r);
    mo_vec_write(r, a->other, a->apart, (size_t)at);
    mo_stage_side(&one, s, ahead->one - first);
    if (!is_fixed) {
        mo_stage_side(&two, s, ahead->two - first);
    }
}

MO_ANY void mo_block_visit_patch_early(const mo_visit_args *a, int patch, int thread,
                                       mo_patch_own *own)
{
    own->term.sum = own->term.largest = 0;
    own->again = 0;
    mo_patch_fetch(a, patch, 0, thread, own);
}

MO_ANY void mo_block_visit_patch_begin(const mo_visit_args *a, int patch, int thread, mo_stage *s,
                                       mo_patch_own *own)
{
    (void)own;
    mo_patch_load(a, patch, thread, 1, s);
}

/* Colour after colour, the next one read ahead; at last the bodies are written back. */
MO_ANY int mo_block_visit_patch_part(const mo_visit_args *a, int patch, int part, int thread,
                                     mo_stage *s, mo_patch_own *own)
{
    const int was_again = own->again, colour = mo_patch_colour(a, patch, part, &own->again);
    if (colour < 0) {
        mo_patch_store(a, patch, thread, s);
        return 0;
    }
    if (own->again != was_again) {
        mo_patch_fetch(a, patch, 0, thread, own);
    }
    const mo_slot_ahead ahead = own->ahead;
    const int end = mo_patch_start(a, patch, colour + 1);
    int at = own->at;
    mo_patch_fetch(a, patch, colour + 1, thread, own);
    if (at < end) {
        mo_patch_visit(a, patch, at, &ahead, s, &own->term);
    }
    for (at += MO_PATCH_THREADS; at < end; at += MO_PATCH_THREADS) {
        const mo_slot_ahead other = mo_slot_fetch(a, (size_t)at, own->again > 0);
        mo_patch_visit(a, patch, at, &other, s, &own->term);
    }
    return 1;
}

/* ---- the state from the impulses of a patch -------------------------------------------------- */

MO_ANY void mo_block_apply_patch_early(const mo_visit_args *a, int patch, int thread,
                                       mo_patch_own *own)
{
    (void)a, (void)patch, (void)thread;
    own->term.sum = own->term.largest = 0;
}

MO_ANY void mo_block_apply_patch_begin(const mo_visit_args *a, int patch, int thread, mo_stage *s,
                                       mo_patch_own *own)
{
    (void)own;
    mo_patch_load(a, patch, thread, 0, s);
}

MO_ANY int mo_block_apply_patch_part(const mo_visit_args *a, int patch, int part, int thread,
                                     mo_stage *s, mo_patch_own *own)
{
    const int first = patch * MO_PATCH, begin = mo_patch_start(a, patch, part),
              end = mo_patch_start(a, patch, part + 1);
    (void)own;
    if (begin == mo_patch_start(a, patch, MO_COLOURS)) {
        mo_patch_store(a, patch, thread, s);
        return 0;
    }
    for (int at = begin + thread; at < end; at += MO_PATCH_THREADS) {
        const mo_ball_contact c = mo_slot_read(&a->slots, (size_t)at);
        const int k = a->slots.one[at], m = a->slots.two[at], is_fixed = m >= a->moving;
        mo_side one = mo_staged_side(s, k - first),
                two = is_fixed ? mo_side_read(a->line, m) : mo_staged_side(s, m - first);
        mo_slot_push(&c, &one, &two, mo_vec_read(a->r, a->apart, (size_t)at));
        mo_stage_side(&one, s, k - first);
        if (!is_fixed) {
            mo_stage_side(&two, s, m - first);
        }
    }
    return 1;
}

#endif
