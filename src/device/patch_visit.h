/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Kernels of sweeps that run in blocks of threads which share fast memory.
 *
 * A patch is MO_PATCH bodies with consecutive numbers.  In heaps neighbours have near numbers, so
 * that most contacts lie inside a patch: a block holds the bodies of one patch and visits these
 * contacts colour by colour, with one read and one write of each body in a sweep.  Contacts between
 * patches are then visited in launches of one colour each, whose bodies are gathered by all threads
 * of a block together.  The colours of few contacts at the end are visited by one block, which then
 * sets the pace of the next sweep.
 *
 * A kernel in blocks has three functions of (arguments, block, thread, own):
 *
 *     early   reads what is not written since the first launch of the sweep; own: what a thread
 *             keeps
 *     begin   before the first part
 *     part    0, 1, ... until it returns 0, which all threads of a block do together
 *
 * Between two parts the threads of a block wait for each other; within a part none writes to the
 * shared memory what another reads.  The `term` of what a thread keeps is added up over the block.
 */
#ifndef MO_DEVICE_PATCH_VISIT_H
#define MO_DEVICE_PATCH_VISIT_H

#include "device/block_sum.h"
#include "device/contact_visit.h"
#include "problem/pair_order.h"

enum {
    MO_PATCH = 256, /* bodies */
    MO_PATCH_THREADS = 128,
    MO_GATHERED = 2 * MO_PATCH_THREADS, /* bodies of the contacts of a block */
    MO_END_THREADS = 512,
    MO_STAGE_APART = MO_PATCH + 2 /* numbers: threads then meet at no bank */
};

/* ---- bodies in shared memory ----------------------------------------------------------------- */

/* The eight numbers of a line, each for all bodies. */
typedef struct mo_stage {
    double x[8][MO_STAGE_APART];
    int body[MO_GATHERED]; /* of contacts between patches; -1: none */
} mo_stage;

typedef struct mo_two {
    double a, b;
} mo_two;

/* Sixteen bytes at once. */
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

/* ---- contacts inside a patch ----------------------------------------------------------------- */

/* A contact as it is read ahead. */
typedef struct mo_slot_ahead {
    mo_ball_contact c;
    mo_vec now, before;
    int one, two;
} mo_slot_ahead;

MO_ANY mo_slot_ahead mo_slot_fetch(const mo_visit_args *a, size_t i)
{
    mo_slot_ahead s;
    s.c = mo_slot_read(&a->slots, i);
    s.now = mo_vec_read(a->r, a->apart, i);
    s.before = mo_vec_read(a->other, a->apart, i);
    s.one = a->slots.one[i];
    s.two = a->slots.two[i];
    return s;
}

typedef struct mo_patch_own {
    mo_slot_ahead ahead;
    int at; /* slot that was read ahead */
    mo_term term;
} mo_patch_own;

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
        own->ahead = mo_slot_fetch(a, (size_t)own->at);
    }
}

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
        if (has_momentum && e % 4 < 3) {
            last[k] = mo_two_read(before + 6 * (e / 4) + 2 * (e % 4));
        }
    }
    for (int k = 0; k < TIMES; ++k) {
        const int e = thread + k * MO_PATCH_THREADS;
        if (has_momentum && e < pairs && e % 4 < 3) {
            mo_two_write(now[k], before + 6 * (e / 4) + 2 * (e % 4));
            now[k].a += a->pace->beta * (now[k].a - last[k].a);
            now[k].b += a->pace->beta * (now[k].b - last[k].b);
        }
        if (e < pairs) {
            mo_stage_two(now[k], s, e);
        }
    }
}

MO_ANY void mo_patch_store(const mo_visit_args *a, int patch, int thread, const mo_stage *s)
{
    const int left = a->moving - patch * MO_PATCH, pairs = 4 * (left < MO_PATCH ? left : MO_PATCH);
    double *line = a->line[(size_t)patch * MO_PATCH].v;
    for (int e = thread; e < pairs; e += MO_PATCH_THREADS) {
        mo_two_write(mo_staged_two(s, e), line + 2 * e);
    }
}

/* The second body may be one that does not move, which no block holds. */
MO_ANY void mo_patch_visit(const mo_visit_args *a, int patch, int at, const mo_slot_ahead *ahead,
                           mo_stage *s, mo_term *term)
{
    const int first = patch * MO_PATCH, is_fixed = ahead->two >= a->moving;
    mo_side one = mo_staged_side(s, ahead->one - first),
            two = is_fixed ? mo_side_read(a->line, ahead->two)
                           : mo_staged_side(s, ahead->two - first);
    mo_vec r = mo_vec_along(ahead->now, a->pace->beta, mo_vec_minus(ahead->now, ahead->before));
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
    const int end = mo_patch_start(a, patch, part + 1);
    if (mo_patch_start(a, patch, part) == mo_patch_start(a, patch, MO_COLOURS)) {
        mo_patch_store(a, patch, thread, s);
        return 0;
    }
    const mo_slot_ahead ahead = own->ahead;
    int at = own->at;
    mo_patch_fetch(a, patch, part + 1, thread, own);
    if (at < end) {
        mo_patch_visit(a, patch, at, &ahead, s, &own->term);
    }
    for (at += MO_PATCH_THREADS; at < end; at += MO_PATCH_THREADS) {
        const mo_slot_ahead other = mo_slot_fetch(a, (size_t)at);
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

/* ---- contacts of one colour, wherever they are ----------------------------------------------- */

MO_ANY void mo_block_visit_slots_early(const mo_visit_args *a, int block, int thread,
                                       mo_patch_own *own)
{
    own->term.sum = own->term.largest = 0;
    own->at = a->begin + block * MO_PATCH_THREADS + thread;
    if (own->at < a->end) {
        own->ahead = mo_slot_fetch(a, (size_t)own->at);
    }
}

MO_ANY void mo_block_visit_slots_begin(const mo_visit_args *a, int block, int thread, mo_stage *s,
                                       mo_patch_own *own)
{
    (void)block;
    const int is_there = own->at < a->end;
    s->body[thread] = is_there ? own->ahead.one : -1;
    s->body[MO_PATCH_THREADS + thread] = is_there ? own->ahead.two : -1;
}

MO_ANY void mo_gather_lines(const mo_visit_args *a, int thread, mo_stage *s)
{
    enum { TIMES = 4 * MO_GATHERED / MO_PATCH_THREADS };
    mo_two now[TIMES];
    for (int k = 0; k < TIMES; ++k) {
        const int e = thread + k * MO_PATCH_THREADS, body = s->body[e / 4];
        now[k] = mo_two_read(a->line[body < 0 ? 0 : body].v + 2 * (e % 4));
    }
    for (int k = 0; k < TIMES; ++k) {
        const int e = thread + k * MO_PATCH_THREADS;
        if (s->body[e / 4] >= 0) {
            mo_stage_two(now[k], s, e);
        }
    }
}

MO_ANY void mo_scatter_lines(const mo_visit_args *a, int thread, const mo_stage *s)
{
    for (int e = thread; e < 4 * MO_GATHERED; e += MO_PATCH_THREADS) {
        const int body = s->body[e / 4];
        if (body >= 0 && body < a->moving) {
            mo_two_write(mo_staged_two(s, e), a->line[body].v + 2 * (e % 4));
        }
    }
}

MO_ANY int mo_block_visit_slots_part(const mo_visit_args *a, int block, int part, int thread,
                                     mo_stage *s, mo_patch_own *own)
{
    (void)block;
    if (part == 0) {
        mo_gather_lines(a, thread, s);
        return 1;
    }
    if (part == 2) {
        mo_scatter_lines(a, thread, s);
        return 0;
    }
    if (own->at < a->end) {
        const mo_slot_ahead *ahead = &own->ahead;
        mo_side one = mo_staged_side(s, thread), two = mo_staged_side(s, MO_PATCH_THREADS + thread);
        mo_vec r = mo_vec_along(ahead->now, a->pace->beta, mo_vec_minus(ahead->now, ahead->before));
        own->term.sum += mo_slot_visit(&ahead->c, a->pace, &one, &two, &r);
        mo_vec_write(r, a->other, a->apart, (size_t)own->at);
        mo_stage_side(&one, s, thread);
        mo_stage_side(&two, s, MO_PATCH_THREADS + thread);
    }
    return 1;
}

/* ---- manifolds ------------------------------------------------------------------------------- */

/* One thread a manifold; nothing is shared. */
typedef struct mo_manifold_stage {
    int unused;
} mo_manifold_stage;

typedef struct mo_manifold_own {
    mo_term term;
} mo_manifold_own;

MO_ANY void mo_look_ahead_point(const mo_visit_args *a, size_t p)
{
    const mo_manifolds *m = &a->manifolds;
    const size_t at = a->points_from + p;
    mo_look_ahead_vec(m->n, m->room, p);
    mo_look_ahead_vec(m->w, m->room, p);
    mo_look_ahead_vec(m->arm_1, m->room, p);
    mo_look_ahead_vec(m->arm_2, m->room, p);
    mo_look_ahead(m->mu + p);
    mo_look_ahead(m->inverse_N + p);
    mo_look_ahead(m->inverse_T + p);
    mo_look_ahead_vec(a->r, a->apart, at);
    mo_look_ahead_vec(a->other, a->apart, at);
}

MO_ANY void mo_block_visit_manifold_early(const mo_visit_args *a, int block, int thread,
                                          mo_manifold_own *own)
{
    const mo_manifolds *m = &a->manifolds;
    const int i = a->begin + block * MO_PATCH_THREADS + thread;
    own->term.sum = own->term.largest = 0;
    if (i < a->end) {
        mo_look_ahead(mo_inertia(a, m->one[i]));
        mo_look_ahead(mo_inertia(a, m->two[i]));
        for (int p = m->first[i]; p < m->first[i + 1]; ++p) {
            mo_look_ahead_point(a, (size_t)p);
        }
    }
}

MO_ANY void mo_block_visit_manifold_begin(const mo_visit_args *a, int block, int thread,
                                          mo_manifold_stage *s, mo_manifold_own *own)
{
    (void)a, (void)block, (void)thread, (void)s, (void)own;
}

MO_ANY int mo_block_visit_manifold_part(const mo_visit_args *a, int block, int part, int thread,
                                        mo_manifold_stage *s, mo_manifold_own *own)
{
    const int i = a->begin + block * MO_PATCH_THREADS + thread;
    (void)part, (void)s;
    if (i < a->end) {
        own->term.sum = mo_manifold_sweep(a, i);
    }
    return 0;
}

/* ---- the end of a sweep ---------------------------------------------------------------------- */

/* One block visits the last colours, of few contacts each; then it sets the pace of the next. */
typedef struct mo_end_args {
    mo_visit_args visit;
    int start[MO_COLOURS + 1];          /* slots of each of these colours */
    int manifold_start[MO_COLOURS + 1]; /* and manifolds */
    int colours;
    mo_pace *pace;
    const mo_term *partial; /* what the other launches of the sweep have moved */
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
    if (a->colours > 0 && own->at < a->start[1]) {
        own->ahead = mo_slot_fetch(&a->visit, (size_t)own->at);
    }
}

MO_ANY void mo_block_end_sweep_begin(const mo_end_args *a, int block, int thread, mo_end_stage *s,
                                     mo_patch_own *own)
{
    (void)a, (void)block, (void)thread, (void)s, (void)own;
}

MO_ANY double mo_ahead_sweep(const mo_visit_args *a, const mo_slot_ahead *ahead, int at)
{
    mo_side one = mo_side_read(a->line, ahead->one), two = mo_side_read(a->line, ahead->two);
    mo_vec r = mo_vec_along(ahead->now, a->pace->beta, mo_vec_minus(ahead->now, ahead->before));
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
    if (colour + 1 < a->colours && own->at < a->start[colour + 2]) {
        own->ahead = mo_slot_fetch(&a->visit, (size_t)own->at);
    }
    if (at < end) {
        own->term.sum += mo_ahead_sweep(&a->visit, &ahead, at);
    }
    for (at += MO_END_THREADS; at < end; at += MO_END_THREADS) {
        const mo_slot_ahead other = mo_slot_fetch(&a->visit, (size_t)at);
        own->term.sum += mo_ahead_sweep(&a->visit, &other, at);
    }
    for (int i = a->manifold_start[colour] + thread; i < a->manifold_start[colour + 1];
         i += MO_END_THREADS) {
        own->term.sum += mo_manifold_sweep(&a->visit, i);
    }
}

/* The guard of the momentum, and beta of the next sweep. */
MO_ANY void mo_set_pace(mo_pace *p, const mo_end_stage *s)
{
    mo_term sum = s->strand[0];
    for (int g = MO_GROUP; g < MO_END_THREADS; g += MO_GROUP) {
        sum = mo_term_add(sum, s->strand[g]);
    }
    p->moved = sum.sum;
    mo_momentum_watch(&p->momentum, p->moved);
    p->beta = p->momentum.cap > 1 ? mo_momentum_next(&p->momentum) : 0;
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
        for (int k = thread; k < a->count; k += MO_END_THREADS) {
            own->term = mo_term_add(own->term, a->partial[k]);
        }
        s->strand[thread] = own->term;
    } else if (half > 0 && thread % MO_GROUP < half) {
        s->strand[thread] = mo_term_add(s->strand[thread], s->strand[thread + half]);
    } else if (half == 0 && thread == 0) {
        mo_set_pace(a->pace, s);
    }
    return half > 0;
}

#endif
