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

#include "device/contact_visit.h"
#include "problem/pair_order.h"

/* ---- bodies in shared memory, contacts read ahead -------------------------------------------- */

enum {
    MO_PATCH = 256, /* bodies */
    MO_PATCH_THREADS = 128,
    MO_GATHERED = 2 * MO_PATCH_THREADS, /* bodies of the contacts of a block */
    MO_END_THREADS = 512,
    MO_STAGE_APART = MO_PATCH + 2 /* numbers: threads then meet at no bank */
};

/* The eight numbers of a line, each for all bodies. */
typedef struct mo_stage {
    double x[8][MO_STAGE_APART];
    int body[MO_GATHERED]; /* of contacts between patches; -1: none */
} mo_stage;

typedef struct mo_two {
    double a, b;
} mo_two;

/* A vector of sixteen bytes. */
MO_ANY mo_two mo_two_read(const double *from)
{
    mo_two p;
#ifdef __CUDA_ARCH__
    const double2 both = *(const double2 *)from;
    p.a = both.x;
    p.b = both.y;
#else
    p.a = from[0];
    p.b = from[1];
#endif
    return p;
}

MO_ANY void mo_two_write(mo_two p, double *to)
{
#ifdef __CUDA_ARCH__
    *(double2 *)to = make_double2(p.a, p.b);
#else
    to[0] = p.a;
    to[1] = p.b;
#endif
}

MO_ANY mo_side mo_staged_side(const mo_stage *s, int k)
{
    mo_side side;
    side.v = mo_vec_of(s->x[0][k], s->x[1][k], s->x[2][k]);
    side.spin = mo_vec_of(s->x[3][k], s->x[4][k], s->x[5][k]);
    side.inverse_mass = s->x[6][k];
    side.inverse_inertia = s->x[7][k];
    return side;
}

MO_ANY void mo_stage_side(const mo_side *side, mo_stage *s, int k)
{
    s->x[0][k] = side->v.x;
    s->x[1][k] = side->v.y;
    s->x[2][k] = side->v.z;
    s->x[3][k] = side->spin.x;
    s->x[4][k] = side->spin.y;
    s->x[5][k] = side->spin.z;
}

MO_ANY void mo_stage_two(mo_two p, mo_stage *s, int e)
{
    s->x[2 * (e % 4)][e / 4] = p.a;
    s->x[2 * (e % 4) + 1][e / 4] = p.b;
}

MO_ANY mo_two mo_staged_two(const mo_stage *s, int e)
{
    mo_two p;
    p.a = s->x[2 * (e % 4)][e / 4];
    p.b = s->x[2 * (e % 4) + 1][e / 4];
    return p;
}

/* A contact as it is read ahead. */
typedef struct mo_slot_ahead {
    mo_ball_contact c;
    mo_vec now, before;
    int one, two;
} mo_slot_ahead;

/* is_again: this sweep has visited it before, and there is no momentum. */
MO_ANY mo_slot_ahead mo_slot_fetch(const mo_visit_args *a, size_t i, int is_again)
{
    mo_slot_ahead s;
    s.c = mo_slot_read(&a->slots, i);
    s.before = mo_vec_read(a->other, a->apart, i);
    s.now = is_again ? s.before : mo_vec_read(a->r, a->apart, i);
    s.one = a->slots.one[i];
    s.two = a->slots.two[i];
    return s;
}

typedef struct mo_patch_own {
    mo_slot_ahead ahead;
    int at;    /* slot that was read ahead */
    int again; /* part with which the contacts inside of the patch are visited again, or 0 */
    mo_term term;
} mo_patch_own;

/* With momentum the bodies start from v + beta (v - before), and v is kept as `before`. */
MO_ANY void mo_patch_load(const mo_visit_args *a, int patch, int thread, int has_momentum,
                          mo_stage *s)
{
    enum { TIMES = 4 * MO_PATCH / MO_PATCH_THREADS };
    const size_t first = (size_t)patch * MO_PATCH;
    const int left = a->moving - patch * MO_PATCH, pairs = 4 * (left < MO_PATCH ? left : MO_PATCH);
    const double *line = a->line[first].v;
    double *before = a->before + 6 * first;
    mo_two now[TIMES], last[TIMES];
    for (int k = 0; k < TIMES; ++k) {
        const int own = thread + k * MO_PATCH_THREADS, e = own < pairs ? own : 0;
        now[k] = last[k] = mo_two_read(line + 2 * e);
        if (has_momentum && e % 4 < 3) last[k] = mo_two_read(before + 6 * (e / 4) + 2 * (e % 4));
    }
    for (int k = 0; k < TIMES; ++k) {
        const int e = thread + k * MO_PATCH_THREADS;
        if (has_momentum && e < pairs && e % 4 < 3) {
            mo_two_write(now[k], before + 6 * (e / 4) + 2 * (e % 4));
            now[k].a += a->pace->beta * (now[k].a - last[k].a);
            now[k].b += a->pace->beta * (now[k].b - last[k].b);
        }
        if (e < pairs) mo_stage_two(now[k], s, e);
    }
}

MO_ANY void mo_patch_store(const mo_visit_args *a, int patch, int thread, const mo_stage *s)
{
    const int left = a->moving - patch * MO_PATCH, pairs = 4 * (left < MO_PATCH ? left : MO_PATCH);
    double *line = a->line[(size_t)patch * MO_PATCH].v;
    for (int e = thread; e < pairs; e += MO_PATCH_THREADS)
        mo_two_write(mo_staged_two(s, e), line + 2 * e);
}

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
    if (own->at < mo_patch_start(a, patch, colour + 1))
        own->ahead = mo_slot_fetch(a, (size_t)own->at, own->again > 0);
}

/* The colour of a part, a->inner times through all; -1 after the last. */
MO_ANY int mo_patch_colour(const mo_visit_args *a, int patch, int part, int *again)
{
    const int end = mo_patch_start(a, patch, MO_COLOURS);
    if (mo_patch_start(a, patch, part - *again) < end) return part - *again;
    if (*again > 0 || part == 0 || a->inner < 2) return -1;
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
    if (!is_fixed) mo_stage_side(&two, s, ahead->two - first);
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
    if (own->again != was_again) mo_patch_fetch(a, patch, 0, thread, own);
    const mo_slot_ahead ahead = own->ahead;
    const int end = mo_patch_start(a, patch, colour + 1);
    int at = own->at;
    mo_patch_fetch(a, patch, colour + 1, thread, own);
    if (at < end) mo_patch_visit(a, patch, at, &ahead, s, &own->term);
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
        if (!is_fixed) mo_stage_side(&two, s, m - first);
    }
    return 1;
}

#endif
