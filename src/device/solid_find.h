/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Kernels of the narrow phase of convex solids: from pairs that may touch (ball_find.h) to the
 * points that take part in the step.
 *
 * The touches of a pair come from collide/, the same sources for every compiler.  They are counted,
 * scanned and filled: the narrow phase runs twice, and no point is dropped.  The pairs that have
 * points become the nodes that are coloured.
 *
 * What turns may end inside its neighbour.  After an answer v*, pairs that overlap at the end of
 * the step have points there, with normals and arms of that pose and the gap
 * max(0, gap - h n.u(v*)) (sim/overlap.c, eq. 1).  They stay in the step.
 */
#ifndef MO_DEVICE_SOLID_FIND_H
#define MO_DEVICE_SOLID_FIND_H

#include "device/ball_find.h"
#include "linalg/free_spin.h"

/* Touches of a pair at most: corners of the overlap of two faces, or of a hull on a plane. */
enum { MO_SOLID_TOUCHES = 2 * MO_SMALL_FACE + 16 };

/* A point of contact: its normal looks from the second to the first. */
typedef struct mo_solid_point {
    mo_touch touch;
    double arm[2][3]; /* from the centres of mass */
} mo_solid_point;

typedef struct mo_solid_args {
    mo_find_args find; /* its contacts are the pairs */
    int pairs;
    uint32_t *key;                        /* of pairs: their kinds, by which threads go together */
    int *order;                           /* pairs by them */
    int *count, *start;                   /* points of each pair; start: one more */
    int *has_points, *node;               /* of each pair: 1 or 0, and the nodes before it */
    mo_solid_point *point;                /* of the list of this answer */
    const mo_solid_point *last;           /* of find.last: those taken late stay */
    int *match;                           /* of each point: in find.last, or -1 */
    double overlap;                       /* of the smaller size: what a step may end with */
    int round;                            /* answers before this one */
    int *node_one, *node_two, *node_pair; /* of each node */
} mo_solid_args;

/* ---- touches of a pair ----------------------------------------------------------------------- */

typedef struct mo_solid_touches {
    mo_touch at[MO_SOLID_TOUCHES];
    int count, is_short;
} mo_solid_touches;

MO_ANY const mo_solid *mo_solid_at(const mo_find_args *a, int k)
{
    return k < a->balls ? a->solid + a->ball[k].solid : a->fixed_solid + (k - a->balls);
}

/* Where a solid is at the start of the step, or at its end with the velocities of `next`. */
MO_ANY mo_placed mo_solid_place(const mo_find_args *a, int k, const mo_line *next)
{
    const mo_solid *s = mo_solid_at(a, k);
    mo_placed p;
    p.collider = &s->collider;
    p.pose = s->in_body;
    if (k < a->balls) {
        const mo_ball *b = a->ball + k;
        mo_pose body;
        memcpy(body.position, b->x, sizeof body.position);
        memcpy(body.orientation, b->q, sizeof body.orientation);
        if (next) {
            mo_vec3_along(body.position, a->h, next[k].v, body.position);
            mo_turn_by(next[k].spin, a->h, body.orientation);
        }
        mo_point_out(&body, s->in_body.position, p.pose.position);
        mo_quat_multiply(body.orientation, s->in_body.orientation, p.pose.orientation);
    }
    return p;
}

/* The table of collide/collide.c for what may move here; the kind of a is not after that of b. */
MO_ANY void mo_collide_solids(const mo_placed *a, const mo_placed *b, double reach,
                              mo_touch_list *out)
{
    const mo_shape_kind one = a->collider->def.kind, two = b->collider->def.kind;
    if (two == MO_SHAPE_PLANE) {
        if (one == MO_SHAPE_BALL) {
            mo_collide_ball_plane(a, b, reach, out);
        } else if (one == MO_SHAPE_CAPSULE) {
            mo_collide_capsule_plane(a, b, reach, out);
        } else if (one == MO_SHAPE_CYLINDER) {
            mo_collide_cylinder_plane(a, b, reach, out);
        } else {
            mo_collide_hull_plane(a, b, reach, out);
        }
    } else if (one == MO_SHAPE_BALL) {
        if (two == MO_SHAPE_BALL) {
            mo_collide_ball_ball(a, b, reach, out);
        } else if (two == MO_SHAPE_CAPSULE) {
            mo_collide_ball_capsule(a, b, reach, out);
        } else if (two == MO_SHAPE_CYLINDER) {
            mo_collide_ball_cylinder(a, b, reach, out);
        } else {
            mo_collide_ball_hull(a, b, reach, out);
        }
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
        for (; at > 0 && touch[at - 1].feature > own.feature; --at) {
            touch[at] = touch[at - 1];
        }
        touch[at] = own;
    }
}

#ifndef __CUDACC__
/* A list that has no more room than it was given. */
static inline void *mo_no_more_room(void *user, void *block, size_t size)
{
    (void)user, (void)block, (void)size;
    return NULL;
}
#endif

/* By feature, with unit normals from the second to the first; next: as mo_solid_place. */
MO_ANY void mo_touch_solids(const mo_find_args *a, int one, int two, const mo_line *next,
                            double reach, mo_solid_touches *t)
{
    const mo_placed of_one = mo_solid_place(a, one, next), of_two = mo_solid_place(a, two, next);
    const int is_first = two < a->balls || !mo_solid_at(a, two)->is_first;
    const mo_placed *p = is_first ? &of_one : &of_two, *q = is_first ? &of_two : &of_one;
    const int is_turned = p->collider->def.kind > q->collider->def.kind;
    mo_touch_list list;
    list.touch = t->at;
    list.room = MO_SOLID_TOUCHES;
    list.count = list.is_short = 0;
#ifndef __CUDACC__
    list.allocator = (mo_allocator){mo_no_more_room, NULL};
#endif
    mo_collide_solids(is_turned ? q : p, is_turned ? p : q, reach, &list);
    t->count = list.count;
    t->is_short = list.is_short;
    for (int k = 0; k < t->count; ++k) {
        double *n = t->at[k].normal;
        mo_vec3_scale((is_first != is_turned ? -1 : 1) / mo_vec3_norm(n), n, n);
    }
    mo_sort_touches(t->at, t->count);
}

MO_ANY double mo_smaller_size(const mo_find_args *a, int one, int two)
{
    const double size_1 = mo_solid_at(a, one)->collider.size,
                 size_2 = mo_solid_at(a, two)->collider.size;
    return size_1 < size_2 ? size_1 : size_2;
}

/* ---- points ---------------------------------------------------------------------------------- */

/* Arms to a point, at the start or with `next` at the end of the step. */
MO_ANY mo_two_arms mo_solid_arms(const mo_find_args *a, const mo_touch *touch, int one, int two,
                                 const mo_line *next)
{
    const mo_vec point = mo_vec_at(touch->point);
    mo_two_arms arms;
    arms.one = mo_vec_minus(point, mo_vec_at(a->ball[one].x));
    arms.two = two < a->balls ? mo_vec_minus(point, mo_vec_at(a->ball[two].x)) : mo_vec_of(0, 0, 0);
    if (next) {
        arms.one = mo_vec_along(arms.one, -a->h, mo_vec_at(next[one].v));
        arms.two =
            two < a->balls ? mo_vec_along(arms.two, -a->h, mo_vec_at(next[two].v)) : arms.two;
    }
    return arms;
}

MO_ANY mo_ball_touch mo_solid_touch(const mo_touch *touch, double size)
{
    mo_ball_touch t;
    t.n = mo_vec_at(touch->normal);
    t.gap = touch->gap;
    t.size = size;
    return t;
}

/* The pair that is looked at, and what is found. */
typedef struct mo_solid_pair {
    int one, two;
    double size;    /* of the smaller one */
    double nearest; /* gap at the end of the step, at least, were there nothing but what is found */
    double deepest; /* gap at the start, not above zero */
    mo_found found;
    int is_short;
} mo_solid_pair;

MO_ANY void mo_add_point(const mo_solid_args *a, mo_solid_pair *pair, const mo_touch *touch,
                         const mo_two_arms *arms, int match)
{
    if (pair->found.at >= 0) {
        mo_solid_point *p = a->point + pair->found.at + pair->found.count;
        p->touch = *touch;
        mo_vec3_set(p->arm[0], arms->one.x, arms->one.y, arms->one.z);
        mo_vec3_set(p->arm[1], arms->two.x, arms->two.y, arms->two.z);
        a->match[pair->found.at + pair->found.count] = match;
    }
    ++pair->found.count;
}

/* How far turning moves a point of it in the step. */
MO_ANY double mo_turn_of(const mo_find_args *f, int k)
{
    const double turn = k < f->balls && !mo_solid_at(f, k)->is_round
                            ? f->h * mo_vec3_norm(f->next_line[k].spin)
                            : 0;
    return (turn < 2 ? turn : 2) * (k < f->balls ? f->near[k].radius : 0);
}

/* Points at the start of the step. */
MO_ANY void mo_points_now(const mo_solid_args *a, mo_solid_touches *touches, mo_solid_pair *pair)
{
    const mo_find_args *f = &a->find;
    const int one = pair->one, two = pair->two;
    const double speed = f->near[one].speed + (two < f->balls ? f->near[two].speed : 0);
    const double turn = f->next_line ? mo_turn_of(f, one) + mo_turn_of(f, two) : 0;
    mo_touch_solids(f, one, two, NULL, mo_margin_by(f->margin, pair->size) + f->h * speed, touches);
    for (int k = 0; k < touches->count; ++k) {
        const mo_touch *touch = touches->at + k;
        const mo_ball_touch t = mo_solid_touch(touch, pair->size);
        const mo_two_arms arms = mo_solid_arms(f, touch, one, two, NULL);
        const int part = mo_takes_part(f, &t, one, two, &arms, touch->feature);
        pair->deepest = t.gap < pair->deepest ? t.gap : pair->deepest;
        if (f->next_line) {
            const mo_vec v = mo_vec_minus(mo_velocity_in(f->next_line, one, NULL),
                                          mo_velocity_in(f->next_line, two, NULL));
            const double end = t.gap + f->h * mo_vec_dot(t.n, v) - turn;
            pair->nearest = end < pair->nearest ? end : pair->nearest;
        }
        if (part != MO_LEFT_OUT) {
            mo_add_point(a, pair, touch, &arms, mo_find_match(f, one, two, touch->feature));
            pair->found.late += part == MO_LATE;
        }
    }
    pair->is_short |= touches->is_short;
}

/* Those that were taken late in this step. */
MO_ANY void mo_points_late(const mo_solid_args *a, mo_solid_pair *pair)
{
    const mo_find_args *f = &a->find;
    const int id = (int)f->near[pair->one].id,
              other = pair->two < f->balls ? (int)f->near[pair->two].id : pair->two;
    for (int k = f->last.begin[id]; k < f->last.end[id]; ++k) {
        if (f->last.other[k] == other && (f->last.feature[k] & MO_TAKEN_LATE)) {
            const mo_solid_point *p = a->last + k;
            mo_two_arms arms;
            arms.one = mo_vec_at(p->arm[0]);
            arms.two = mo_vec_at(p->arm[1]);
            mo_add_point(a, pair, &p->touch, &arms, k);
        }
    }
}

/* Where the answer ends in an overlap, the points there. */
MO_ANY void mo_points_at_end(const mo_solid_args *a, mo_solid_touches *touches, mo_solid_pair *pair)
{
    const mo_find_args *f = &a->find;
    const int one = pair->one, two = pair->two;
    double deepest = 0;
    if (!(pair->nearest < -a->overlap * pair->size)) {
        return;
    }
    mo_touch_solids(f, one, two, f->next_line, mo_margin_by(f->margin, pair->size), touches);
    pair->is_short |= touches->is_short;
    for (int k = 0; k < touches->count; ++k) {
        deepest = touches->at[k].gap < deepest ? touches->at[k].gap : deepest;
    }
    for (int k = 0; k < touches->count && deepest < pair->deepest - a->overlap * pair->size; ++k) {
        mo_touch *touch = touches->at + k;
        const mo_two_arms arms = mo_solid_arms(f, touch, one, two, f->next_line);
        const mo_vec u = mo_vec_minus(mo_velocity_in(f->next_line, one, &arms.one),
                                      mo_velocity_in(f->next_line, two, &arms.two));
        touch->gap = mo_larger(0, touch->gap - f->h * mo_vec_dot(mo_vec_at(touch->normal), u));
        touch->feature |= MO_TAKEN_LATE | (uint32_t)a->round << 24;
        mo_add_point(a, pair, touch, &arms, -1);
        ++pair->found.late;
    }
}

/* Rounds in which points at the end are added. */
enum { MO_END_ROUNDS = 3 };

/* The points of a pair; written from `at` on, unless it is -1. */
MO_ANY mo_solid_pair mo_solid_points(const mo_solid_args *a, int i, int at)
{
    const mo_find_args *f = &a->find;
    mo_solid_touches touches;
    mo_solid_pair pair;
    pair.one = f->one[i];
    pair.two = f->two[i];
    pair.size = mo_smaller_size(f, pair.one, pair.two);
    pair.nearest = INFINITY;
    pair.deepest = 0;
    pair.found.count = pair.found.late = pair.is_short = 0;
    pair.found.at = at;
    mo_points_now(a, &touches, &pair);
    if (f->next_line) {
        mo_points_late(a, &pair);
        if (a->round <= MO_END_ROUNDS) {
            mo_points_at_end(a, &touches, &pair);
        }
    }
    return pair;
}

MO_ANY void mo_kernel_pair_kinds(const mo_solid_args *a, int i)
{
    const mo_find_args *f = &a->find;
    a->key[i] = (uint32_t)mo_solid_at(f, f->one[i])->collider.def.kind << 3 |
                (uint32_t)mo_solid_at(f, f->two[i])->collider.def.kind;
    a->order[i] = i;
}

/* Returns how many points close that were left out; in `largest` whether touches have no room. */
MO_ANY mo_term mo_kernel_solid_count(const mo_solid_args *a, int i)
{
    const int k = a->order[i];
    const mo_solid_pair pair = mo_solid_points(a, k, -1);
    const mo_term term = {(double)pair.found.late, (double)pair.is_short};
    a->count[k] = pair.found.count;
    a->has_points[k] = pair.found.count > 0;
    return term;
}

MO_ANY void mo_kernel_solid_fill(const mo_solid_args *a, int i)
{
    const int k = a->order[i];
    if (a->has_points[k]) {
        mo_solid_points(a, k, a->start[k]);
        a->node_one[a->node[k]] = a->find.one[k];
        a->node_two[a->node[k]] = a->find.two[k];
        a->node_pair[a->node[k]] = k;
    }
}

#endif
