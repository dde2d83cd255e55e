/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Pairs of convex solids that may touch (ball_find.h), and their touches (solid_narrow.h), stored
 * for the step.
 *
 * A store has room for a fixed number of touches per pair; if a pair has more, the room grows and
 * the narrow phase runs again, so none is dropped.  A pair that was found before in the step with
 * the same reach keeps its touches.  The pairs of a launch are sorted by kind, so threads of a warp
 * do the same work.  A brief launch leaves the few pairs open that take many times as long as
 * others of their kind; these have their own launch.
 */
#ifndef MO_DEVICE_SOLID_TOUCH_H
#define MO_DEVICE_SOLID_TOUCH_H

#include "device/ball_find.h"

/* Touches of a pair: more than there is room for; not found yet. */
enum { MO_TOO_MANY_TOUCHES = 1 << 20, MO_OPEN_TOUCHES = -1 };

typedef struct mo_touch_store {
    mo_touch *touch;
    int *count; /* of each place */
    int room;   /* touches of a place */
} mo_touch_store;

/* The pairs of the last answer in this step, body by body; start: NULL for none. */
typedef struct mo_old_pairs {
    const int *start, *two, *place;
    const double *reach;
} mo_old_pairs;

/* Pairs that need touches, and the places of these. */
typedef struct mo_touch_job {
    int *place; /* of each pair in the store */
    int *wants; /* of each pair: 1 or 0, and the number of such pairs before it; NULL: none */
    int *before;
    int first; /* place of the first pair that needs touches */
    int count; /* of these */
    mo_touch_store store;
} mo_touch_job;

typedef struct mo_touch_args {
    mo_find_args find; /* its contacts are the pairs */
    mo_old_pairs old;
    double *reach;          /* of each pair */
    mo_touch_job now, ends; /* at the start of the step, and at its end with find.next_line */
    uint32_t *key;          /* of pairs that need touches: their kinds */
    int *order;             /* pairs by them; of `ends`: -1 - pair */
    int is_brief;           /* slow pairs stay open; the key of all others is 1 */
} mo_touch_args;

/* ---- choice of pairs ------------------------------------------------------------------------- */

MO_ANY double mo_smaller_size(const mo_find_args *a, int one, int two)
{
    const double size_1 = mo_solid_at(a, one)->collider.size,
                 size_2 = mo_solid_at(a, two)->collider.size;
    return size_1 < size_2 ? size_1 : size_2;
}

/* Distance up to which the two may meet in the step. */
MO_ANY double mo_pair_reach(const mo_find_args *f, int one, int two)
{
    return mo_margin_by(f->margin, mo_smaller_size(f, one, two)) +
           f->h * mo_pair_speed(f, one, two);
}

/* Factor on the speed of a pair: touches are found for the speeds that a solution may reach. */
#define MO_FASTER 0.5

/* Pair i keeps its place if its touches reach far enough; otherwise it needs a new one. */
MO_ANY void mo_kernel_pair_places(const mo_touch_args *a, int i)
{
    const int one = a->find.one[i], two = a->find.two[i];
    const double reach = mo_pair_reach(&a->find, one, two);
    a->reach[i] = reach + MO_FASTER * a->find.h * mo_pair_speed(&a->find, one, two);
    a->now.place[i] = -1;
    for (int k = a->old.start ? a->old.start[one] : 0;
         a->old.start && a->now.place[i] < 0 && k < a->old.start[one + 1]; ++k) {
        if (a->old.two[k] == two && a->old.reach[k] >= reach) {
            a->reach[i] = a->old.reach[k];
            a->now.place[i] = a->old.place[k];
        }
    }
    a->now.wants[i] = a->now.place[i] < 0;
}

/* By kind, the slower ones first: cylinders before capsules, boxes and balls, planes last. */
MO_ANY uint32_t mo_pair_key(const mo_find_args *f, int one, int two)
{
    const uint32_t kind_1 = (uint32_t)mo_solid_at(f, one)->collider.def.kind,
                   kind_2 = (uint32_t)mo_solid_at(f, two)->collider.def.kind;
    const uint32_t low = kind_1 < kind_2 ? kind_1 : kind_2,
                   high = kind_1 < kind_2 ? kind_2 : kind_1;
    return high == MO_SHAPE_PLANE ? 63 - low : (7 - high) << 3 | (7 - low);
}

MO_ANY void mo_pair_work(const mo_touch_args *a, const mo_touch_job *job, int i, int from, int name)
{
    const mo_find_args *f = &a->find;
    if (job->wants && job->wants[i]) {
        const int w = job->before[i];
        job->place[i] = job->first + w;
        a->key[from + w] = mo_pair_key(f, f->one[i], f->two[i]);
        a->order[from + w] = name;
    }
}

MO_ANY void mo_kernel_pair_work(const mo_touch_args *a, int i)
{
    mo_pair_work(a, &a->now, i, 0, i);
    mo_pair_work(a, &a->ends, i, a->now.count, -1 - i);
}

/* Returns how many pairs are open, and in `largest`, how many touches a place needs. */
MO_ANY mo_term mo_kernel_touch_count(const mo_touch_args *a, int w)
{
    const int is_end = w >= a->now.count;
    const int count =
        is_end ? a->ends.store.count[w - a->now.count] : a->now.store.count[a->now.first + w];
    const mo_term term = {count == MO_OPEN_TOUCHES ? 1.0 : 0.0, mo_larger(0, count)};
    return term;
}

#endif
