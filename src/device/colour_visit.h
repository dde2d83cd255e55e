/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* Block kernels (patch_visit.h) that visit the contacts of one colour in all patches. */
#ifndef MO_DEVICE_COLOUR_VISIT_H
#define MO_DEVICE_COLOUR_VISIT_H

#include "device/manifold_visit.h"
#include "device/patch_visit.h"

MO_ANY void mo_block_visit_slots_early(const mo_visit_args *a, int block, int thread,
                                       mo_patch_own *own)
{
    own->term.sum = own->term.largest = 0;
    own->at = a->begin + block * MO_PATCH_THREADS + thread;
    if (own->at < a->end) own->ahead = mo_slot_fetch(a, (size_t)own->at, 0);
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
        now[k] = mo_two_read((const double *)(a->line + (body < 0 ? 0 : body)) + 2 * (e % 4));
    }
    for (int k = 0; k < TIMES; ++k) {
        const int e = thread + k * MO_PATCH_THREADS;
        if (s->body[e / 4] >= 0) mo_stage_two(now[k], s, e);
    }
}

MO_ANY void mo_scatter_lines(const mo_visit_args *a, int thread, const mo_stage *s)
{
    for (int e = thread; e < 4 * MO_GATHERED; e += MO_PATCH_THREADS) {
        const int body = s->body[e / 4];
        if (body >= 0 && body < a->moving)
            mo_two_write(mo_staged_two(s, e), (double *)(a->line + body) + 2 * (e % 4));
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
        mo_vec r = mo_ahead(a, ahead->now, ahead->before);
        own->term.sum += mo_slot_visit(&ahead->c, a->pace, &one, &two, &r);
        mo_vec_write(r, a->other, a->apart, (size_t)own->at);
        mo_stage_side(&one, s, thread);
        mo_stage_side(&two, s, MO_PATCH_THREADS + thread);
    }
    return 1;
}

/* ---- manifolds ------------------------------------------------------------------------------- */

/* One thread a manifold; nothing is shared. */
typedef struct mo_no_stage {
    int unused;
} mo_no_stage;

typedef struct mo_solid_own {
    mo_term term;
} mo_solid_own;

MO_ANY void mo_look_ahead_point(const mo_visit_args *a, size_t p)
{
    const mo_manifolds *m = &a->manifolds;
    const size_t at = a->points_from + p;
    mo_look_ahead_vec(m->n, m->room, p);
    mo_look_ahead_vec(m->w, m->room, p);
    mo_look_ahead_vec(m->arm_1, m->room, p);
    mo_look_ahead_vec(m->arm_2, m->room, p);
    mo_look_ahead_vec(m->W_TN, m->room, p);
    mo_look_ahead(m->mu + p);
    mo_look_ahead(m->inverse_N + p);
    mo_look_ahead(m->inverse_T + p);
    mo_look_ahead_vec(a->r, a->apart, at);
    mo_look_ahead_vec(a->other, a->apart, at);
}

MO_ANY void mo_block_visit_manifold_early(const mo_visit_args *a, int block, int thread,
                                          mo_solid_own *own)
{
    const mo_manifolds *m = &a->manifolds;
    const int i = a->begin + block * MO_PATCH_THREADS + thread;
    own->term.sum = own->term.largest = 0;
    if (i < a->end) {
        mo_look_ahead(mo_inertia(a, m->one[i]));
        mo_look_ahead(mo_inertia(a, m->two[i]));
        for (int p = m->first[i]; p < m->first[i + 1]; ++p)
            mo_look_ahead_point(a, (size_t)p);
    }
}

MO_ANY void mo_block_visit_manifold_begin(const mo_visit_args *a, int block, int thread,
                                          mo_no_stage *s, mo_solid_own *own)
{
    (void)a, (void)block, (void)thread, (void)s, (void)own;
}

MO_ANY int mo_block_visit_manifold_part(const mo_visit_args *a, int block, int part, int thread,
                                        mo_no_stage *s, mo_solid_own *own)
{
    const int i = a->begin + block * MO_PATCH_THREADS + thread;
    (void)part, (void)s;
    if (i < a->end) own->term.sum = mo_manifold_sweep(a, i, 0);
    return 0;
}

#endif
