/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Kernels that select, from the touches of pairs (solid_touch.h), the points that take part in the
 * step.  They are counted, scanned and filled.  Pairs with points become the nodes that are
 * coloured.
 *
 * A rotating body may end inside its neighbour.  After a solution v*, pairs that overlap at the end
 * of the step get points there, with normals and lever arms of that pose and the gap max(0, gap - h
 * n.u(v*)) (sim/overlap.c, eq. 1).  They stay in the step.
 */
#ifndef MO_DEVICE_SOLID_FIND_H
#define MO_DEVICE_SOLID_FIND_H

#include "device/solid_touch.h"

/* A point of contact: its normal points from the second to the first. */
typedef struct mo_solid_point {
    mo_touch touch;
    double arm[2][3]; /* from the centres of mass */
} mo_solid_point;

typedef struct mo_solid_args {
    mo_find_args find; /* its contacts are the pairs */
    int pairs;
    mo_touch_store now, ends;     /* touches at the start and at the end of the step */
    const int *place, *end_place; /* of each pair; end_place: NULL for none */
    int *wants;                   /* of each pair: are there touches at the end? */
    int *count, *start;           /* points of each pair; start: one more */
    int *has_points, *node;       /* of each pair: 1 or 0, and the nodes before it */
    mo_solid_point *point;        /* of the list of this answer */
    const mo_solid_point *last;   /* of find.last: late contacts stay */
    int *match;                   /* of each point: in find.last, or -1 */
    double overlap;    /* relative to the smaller size: allowed overlap at the end of a step */
    int round;         /* solutions before this one */
    int is_projection; /* of positions: points with all of their overlap */
    int *node_one, *node_two, *node_pair; /* of each node */
} mo_solid_args;

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

/* Points of a pair: counted, or written from `at` on. */
typedef struct mo_found_points {
    int count, late;
    int at;         /* -1: counts */
    double overlap; /* at the end of the step, over the smaller size */
} mo_found_points;

/* The current pair and the points found. */
typedef struct mo_solid_pair {
    int one, two;
    double size; /* of the smaller one */
    mo_found_points found;
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

/* Bound on the displacement of its points by rotation in the step. */
MO_ANY double mo_turn_of(const mo_find_args *f, int k)
{
    const double turn = k < f->balls && !mo_solid_at(f, k)->is_round
                            ? f->h * mo_vec3_norm(f->next_line[k].spin)
                            : 0;
    return (turn < 2 ? turn : 2) * (k < f->balls ? f->near[k].radius : 0);
}

MO_ANY const mo_touch *mo_touches_at(const mo_touch_store *store, int place)
{
    return store->touch + (size_t)place * (size_t)store->room;
}

/* Points at the start of the step. */
MO_ANY void mo_points_now(const mo_solid_args *a, int i, mo_solid_pair *pair)
{
    const mo_find_args *f = &a->find;
    const int one = pair->one, two = pair->two, place = a->place[i];
    for (int k = 0; k < a->now.count[place]; ++k) {
        const mo_touch *touch = mo_touches_at(&a->now, place) + k;
        const mo_ball_touch t = mo_solid_touch(touch, pair->size);
        const mo_two_arms arms = mo_solid_arms(f, touch, one, two, NULL);
        const int part = mo_takes_part(f, &t, one, two, &arms, touch->feature);
        if (part != MO_LEFT_OUT) {
            mo_add_point(a, pair, touch, &arms, mo_find_match(f, one, two, touch->feature));
            pair->found.late += part == MO_LATE && !a->is_projection;
        }
    }
}

/* The deepest touch: its gap, not above zero. */
MO_ANY double mo_deepest_touch(const mo_touch_store *store, int place)
{
    double deepest = 0;
    for (int k = 0; k < store->count[place]; ++k) {
        const double gap = mo_touches_at(store, place)[k].gap;
        deepest = gap < deepest ? gap : deepest;
    }
    return deepest;
}

/* The gap below which a pair that ends there gets points: deeper than at the start. */
MO_ANY double mo_overlap_bound(const mo_solid_args *a, int i)
{
    return (a->is_projection ? 0 : mo_deepest_touch(&a->now, a->place[i])) -
           a->overlap * mo_smaller_size(&a->find, a->find.one[i], a->find.two[i]);
}

/* Does the normal of a touch, fixed or turned with one of the two, separate them there? */
MO_ANY int mo_is_apart_at(const mo_two_placed *here, const mo_two_placed *there,
                          const double normal[3], double bound)
{
    double local[3], with_one[3], with_two[3];
    mo_vector_in(&here->one.pose, normal, local);
    mo_vector_out(&there->one.pose, local, with_one);
    mo_vector_in(&here->two.pose, normal, local);
    mo_vector_out(&there->two.pose, local, with_two);
    return mo_separation(there, mo_vec_at(with_one)) >= bound ||
           mo_separation(there, mo_vec_at(with_two)) >= bound ||
           mo_separation(there, mo_vec_at(normal)) >= bound;
}

/*
 * May pair i end with an overlap? Not if its points do not move that far, or if the normal of a
 * touch separates the two at the end.
 */
MO_ANY int mo_may_overlap(const mo_solid_args *a, int i)
{
    const mo_find_args *f = &a->find;
    const int one = f->one[i], two = f->two[i], count = a->now.count[a->place[i]];
    const mo_touch *touch = mo_touches_at(&a->now, a->place[i]);
    const double turn = mo_turn_of(f, one) + mo_turn_of(f, two), bound = mo_overlap_bound(a, i);
    const mo_vec v = mo_vec_minus(mo_velocity_in(f->next_line, one, NULL),
                                  mo_velocity_in(f->next_line, two, NULL));
    int may = 0;
    for (int k = 0; k < count; ++k)
        may |= touch[k].gap + f->h * mo_vec_dot(mo_vec_at(touch[k].normal), v) - turn < bound;
    if (may) {
        const mo_two_placed here = mo_place_pair(f, one, two, NULL),
                            there = mo_place_pair(f, one, two, f->next_line);
        for (int k = 0; k < count && may; ++k)
            may = !mo_is_apart_at(&here, &there, touch[k].normal, bound);
    }
    return may;
}

/* Does pair i need touches at the end of the step? Yes if the solution may end with an overlap,
 * or if the touches at its start are not yet known. */
MO_ANY void mo_kernel_solid_ends(const mo_solid_args *a, int i)
{
    a->wants[i] = a->place[i] < 0 || mo_may_overlap(a, i);
}

/* Late contacts of this step. */
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

/* Points at the end of the step if the solution ends with an overlap. */
MO_ANY void mo_points_at_end(const mo_solid_args *a, int i, mo_solid_pair *pair)
{
    const mo_find_args *f = &a->find;
    const int one = pair->one, two = pair->two, place = a->end_place[i];
    const double deepest = mo_deepest_touch(&a->ends, place);
    pair->found.overlap = -deepest / pair->size;
    if (!(deepest < mo_overlap_bound(a, i))) return;
    for (int k = 0; k < a->ends.count[place]; ++k) {
        mo_touch touch = mo_touches_at(&a->ends, place)[k];
        const mo_two_arms arms = mo_solid_arms(f, &touch, one, two, f->next_line);
        const mo_vec u = mo_vec_minus(mo_velocity_in(f->next_line, one, &arms.one),
                                      mo_velocity_in(f->next_line, two, &arms.two));
        touch.gap -= f->h * mo_vec_dot(mo_vec_at(touch.normal), u);
        touch.gap = a->is_projection ? touch.gap : mo_larger(0, touch.gap);
        touch.feature |= MO_TAKEN_LATE | (uint32_t)a->round << 24;
        mo_add_point(a, pair, &touch, &arms, -1);
        ++pair->found.late;
    }
}

/* The points of a pair; written from `at` on, unless it is -1. */
MO_ANY mo_found_points mo_solid_points(const mo_solid_args *a, int i, int at)
{
    const mo_find_args *f = &a->find;
    mo_solid_pair pair;
    pair.one = f->one[i];
    pair.two = f->two[i];
    pair.size = mo_smaller_size(f, pair.one, pair.two);
    pair.found.count = pair.found.late = 0;
    pair.found.overlap = 0;
    pair.found.at = at;
    mo_points_now(a, i, &pair);
    if (f->next_line) mo_points_late(a, &pair);
    if (a->end_place && a->wants[i]) mo_points_at_end(a, i, &pair);
    return pair.found;
}

/* Returns the number of late points, and the largest overlap found. */
MO_ANY mo_term mo_kernel_solid_count(const mo_solid_args *a, int i)
{
    const mo_found_points found = mo_solid_points(a, i, -1);
    const mo_term term = {(double)found.late, found.overlap};
    a->count[i] = found.count;
    a->has_points[i] = found.count > 0;
    return term;
}

MO_ANY void mo_kernel_solid_fill(const mo_solid_args *a, int i)
{
    if (a->has_points[i]) {
        const int node = a->node[i];
        mo_solid_points(a, i, a->start[i]);
        a->node_one[node] = a->find.one[i];
        a->node_two[node] = a->find.two[i];
        a->node_pair[node] = i;
    }
}

#endif
