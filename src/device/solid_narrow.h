/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * The kernel of the narrow phase of convex solids: from a pair to its touches, with the sources of
 * collide/ for every compiler.
 */
#ifndef MO_DEVICE_SOLID_NARROW_H
#define MO_DEVICE_SOLID_NARROW_H

#include "device/solid_touch.h"

/* Touches of a pair at most: corners of the overlap of two faces, or of a hull on a plane. */
enum { MO_SOLID_TOUCHES = 2 * MO_SMALL_FACE + 16 };

typedef struct mo_solid_touches {
    mo_touch at[MO_SOLID_TOUCHES];
    int count, is_short, is_open;
} mo_solid_touches;

/* The table of collide/collide.c for shapes on a device; the kind of a is not after that of b. */
MO_ANY void mo_collide_solids(const mo_placed *a, const mo_placed *b, double reach,
                              mo_touch_list *out)
{
    const mo_shape_kind one = a->collider->def.kind, two = b->collider->def.kind;
    if (two == MO_SHAPE_PLANE) {
        if (one == MO_SHAPE_BALL)
            mo_collide_ball_plane(a, b, reach, out);
        else if (one == MO_SHAPE_CAPSULE)
            mo_collide_capsule_plane(a, b, reach, out);
        else if (one == MO_SHAPE_CYLINDER)
            mo_collide_cylinder_plane(a, b, reach, out);
        else
            mo_collide_hull_plane(a, b, reach, out);
    } else if (one == MO_SHAPE_BALL) {
        if (two == MO_SHAPE_BALL)
            mo_collide_ball_ball(a, b, reach, out);
        else if (two == MO_SHAPE_CAPSULE)
            mo_collide_ball_capsule(a, b, reach, out);
        else
            mo_collide_ball_solid(a, b, reach, out);
    } else if (one == MO_SHAPE_CAPSULE && two == MO_SHAPE_CAPSULE) {
        mo_collide_capsule_capsule(a, b, reach, out);
    } else {
        mo_collide_convex(a, b, reach, out);
    }
}

MO_ANY void mo_sort_touches(mo_touch *touch, int count)
{
    for (int k = 1; k < count; ++k) {
        const mo_touch own = touch[k];
        int at = k;
        for (; at > 0 && touch[at - 1].feature > own.feature; --at)
            touch[at] = touch[at - 1];
        touch[at] = own;
    }
}

#ifndef __CUDACC__
/* A list of fixed capacity. */
static inline void *mo_no_more_room(void *user, void *block, size_t size)
{
    (void)user, (void)block, (void)size;
    return NULL;
}
#endif

/* By feature, with unit normals from the second to the first; next: as mo_place_pair. */
MO_ANY void mo_touch_solids(const mo_find_args *a, int one, int two, const mo_line *next,
                            double reach, int is_brief, mo_solid_touches *t)
{
    const mo_two_placed placed = mo_place_pair(a, one, two, next);
    const int is_first = two < a->balls || !mo_solid_at(a, two)->is_first;
    const mo_placed *p = is_first ? &placed.one : &placed.two,
                    *q = is_first ? &placed.two : &placed.one;
    const int is_turned = p->collider->def.kind > q->collider->def.kind;
    mo_touch_list list;
    list.touch = t->at;
    list.room = MO_SOLID_TOUCHES;
    list.count = list.is_short = list.is_open = 0;
    list.is_brief = is_brief;
    list.last_normal = NULL;
#ifndef __CUDACC__
    list.allocator = (mo_allocator){mo_no_more_room, NULL};
#endif
    mo_collide_solids(is_turned ? q : p, is_turned ? p : q, reach, &list);
    t->count = list.count;
    t->is_short = list.is_short;
    t->is_open = list.is_open;
    for (int k = 0; k < t->count; ++k) {
        double *n = t->at[k].normal;
        mo_vec3_scale((is_first != is_turned ? -1 : 1) / mo_vec3_norm(n), n, n);
    }
    mo_sort_touches(t->at, t->count);
}

/* Both kinds of touches in one launch, which takes as long as its slowest pair. */
MO_ANY void mo_kernel_solid_touch(const mo_touch_args *a, int w)
{
    const mo_find_args *f = &a->find;
    const int name = a->order[w], is_end = name < 0, i = is_end ? -1 - name : name, one = f->one[i],
              two = f->two[i];
    const mo_touch_job *job = is_end ? &a->ends : &a->now;
    const double reach =
        is_end ? mo_margin_by(f->margin, mo_smaller_size(f, one, two)) : a->reach[i];
    const size_t place = (size_t)job->place[i], room = (size_t)job->store.room;
    mo_solid_touches touches;
    mo_touch_solids(f, one, two, is_end ? f->next_line : NULL, reach, a->is_brief, &touches);
    a->key[w] = !touches.is_open;
    job->store.count[place] = touches.is_open    ? MO_OPEN_TOUCHES
                              : touches.is_short ? MO_TOO_MANY_TOUCHES
                                                 : touches.count;
    for (int k = 0; k < touches.count && k < job->store.room; ++k)
        job->store.touch[place * room + (size_t)k] = touches.at[k];
}

#endif
