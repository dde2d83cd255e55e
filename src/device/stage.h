/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* Bodies in the shared memory of a block, and contacts read ahead (patch_visit.h). */
#ifndef MO_DEVICE_STAGE_H
#define MO_DEVICE_STAGE_H

#include "device/contact_visit.h"

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

#endif
