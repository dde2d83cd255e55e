/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Kernels that find the contacts of balls, with each other and with static planes and boxes, and
 * the pairs of other solids that may touch (solid_touch.h).
 *
 * A ball searches the buckets around its own (ball_cells.h) once per step, and lists all that it
 * may meet while nothing is faster than `listed`; of two balls the one with the lower id owns the
 * contact.  Contacts are counted, scanned and filled from these lists, after an answer again.
 */
#ifndef MO_DEVICE_BALL_FIND_H
#define MO_DEVICE_BALL_FIND_H

#include "device/ball_touch.h"

/* ---- pairs of solids ------------------------------------------------------------------------- */

/* Linear velocity, and a bound on the speed by rotation; at the start where `line` is NULL. */
typedef struct mo_solid_speed {
    mo_vec v;
    double turning;
} mo_solid_speed;

MO_ANY mo_solid_speed mo_solid_speed_of(const mo_find_args *a, int k, const mo_line *line)
{
    const int is_fixed = k >= a->balls;
    const double *v = line ? line[k].v : is_fixed ? a->fixed[k - a->balls].v : a->ball[k].v;
    mo_solid_speed s;
    s.v = mo_vec_at(v);
    s.turning = 0;
    if (!is_fixed && !a->solid[a->ball[k].solid].is_round) {
        const double turn = a->h * mo_vec3_norm(line ? line[k].spin : v + 3);
        s.turning = (turn < 2 ? turn : 2) * a->near[k].radius / a->h;
    }
    return s;
}

/* Bound on the closing speed of two solids, also if one of them is stopped (mo_least_rate). */
MO_ANY double mo_closing_speed(const mo_find_args *a, int one, int two, const mo_line *line)
{
    const mo_solid_speed s = mo_solid_speed_of(a, one, line), o = mo_solid_speed_of(a, two, line);
    const mo_vec both = mo_vec_minus(s.v, o.v);
    const double own = mo_vec_dot(s.v, s.v), other = mo_vec_dot(o.v, o.v);
    return sqrt(mo_larger(mo_vec_dot(both, both), mo_larger(own, other))) + s.turning + o.turning;
}

/* The same, with the velocities before the step, the free ones and those of the answer. */
MO_ANY double mo_pair_speed(const mo_find_args *a, int one, int two)
{
    const double speed =
        mo_larger(mo_closing_speed(a, one, two, NULL), mo_closing_speed(a, one, two, a->free_line));
    return a->next_line ? mo_larger(speed, mo_closing_speed(a, one, two, a->next_line)) : speed;
}

/* Are the two separated along the line of centres or along the normal of the static shape? */
MO_ANY int mo_are_apart(const mo_find_args *a, const mo_ball_touch *t, int one, int two)
{
    const double SPARE = 1e-9; /* of the size: rounding */
    const double reach =
        mo_margin_by(a->margin, t->size) + a->h * mo_pair_speed(a, one, two) + SPARE * t->size;
    if (t->gap > reach) return 1;
    const mo_two_placed placed = mo_place_pair(a, one, two, NULL);
    return mo_separation(&placed, t->n) > reach;
}

/* ---- lists of what is near ------------------------------------------------------------------- */

/* The second of entry `place` in the list of a ball; neighbours lie together. */
MO_ANY int *mo_listed(const mo_find_args *a, int one, int place)
{
    return a->listed + (size_t)place * (size_t)a->balls + (size_t)one;
}

/* State of a search, which lists pairs within `reach`, counts them, or writes them from `at` on. */
typedef enum mo_search { MO_LISTS, MO_COUNTS, MO_FILLS } mo_search;
typedef struct mo_found {
    mo_search search;
    int count, late;
    int at; /* fills */
} mo_found;

/* Distance at which the two may meet, less their radii. */
MO_ANY double mo_meeting_gap(const mo_find_args *a, const mo_found *found, double size,
                             double own_speed, double other_speed)
{
    const double most = a->figures->listed;
    return mo_margin_by(a->margin, size) +
           a->h * (found->search == MO_LISTS ? 2 * most : own_speed + other_speed);
}

MO_ANY void mo_write_found(const mo_find_args *a, int one, int two, int k)
{
    a->one[k] = one;
    a->two[k] = two;
    if (!a->solid) a->match[k] = mo_find_match(a, one, two, 0);
}

/* Returns whether it takes part. */
MO_ANY int mo_find_touch(const mo_find_args *a, const mo_ball_touch *t, int one, int two,
                         mo_found *found)
{
    if (found->search == MO_LISTS) {
        if (found->count < a->listed_most) *mo_listed(a, one, found->count) = two;
        ++found->count;
        return 1;
    }
    const int part = !a->solid                      ? mo_takes_part(a, t, one, two, NULL, 0)
                     : mo_are_apart(a, t, one, two) ? MO_LEFT_OUT
                                                    : MO_TAKEN;
    if (part == MO_LEFT_OUT) return 0;
    if (found->search == MO_FILLS) mo_write_found(a, one, two, found->at + found->count);
    ++found->count;
    found->late += part == MO_LATE;
    return 1;
}

MO_ANY int mo_find_ball(const mo_find_args *a, int one, int two, mo_found *found)
{
    const mo_ball_near *own = a->near + one, *other = a->near + two;
    const double size = own->radius < other->radius ? own->radius : other->radius;
    const double reach =
        own->radius + other->radius + mo_meeting_gap(a, found, size, own->speed, other->speed);
    const mo_vec d = mo_vec_minus(mo_vec_at(own->x), mo_vec_at(other->x));
    if (!(mo_vec_dot(d, d) <= reach * reach)) return 0;
    const mo_ball_touch t = mo_touch_balls(own, other);
    return mo_find_touch(a, &t, one, two, found);
}

MO_ANY int mo_find_fixed(const mo_find_args *a, int one, int k, mo_found *found)
{
    const mo_ball_near *own = a->near + one;
    const mo_fixed_shape *s = a->fixed + k;
    const mo_ball_touch t = mo_touch_fixed(own, s);
    const double speed = sqrt(mo_vec_dot(mo_vec_at(s->v), mo_vec_at(s->v)));
    return t.gap <= mo_meeting_gap(a, found, t.size, own->speed, speed) &&
           mo_find_touch(a, &t, one, a->balls + k, found);
}

MO_ANY int mo_find_one(const mo_find_args *a, int one, int two, mo_found *found)
{
    return two < a->balls ? mo_find_ball(a, one, two, found)
                          : mo_find_fixed(a, one, two - a->balls, found);
}

/* ---- the search ------------------------------------------------------------------------------ */

MO_ANY void mo_find_in_bucket(const mo_find_args *a, int one, uint32_t bucket, mo_found *found)
{
    const uint32_t id = a->near[one].id;
    for (int two = a->bucket_start[bucket]; two < a->bucket_start[bucket + 1]; ++two)
        if (a->near[two].id > id) mo_find_ball(a, one, two, found);
}

/* First cell along an axis in which a ball searches, and the number of them. */
MO_ANY int64_t mo_first_cell(const mo_find_args *a, double x, double reach, int *count)
{
    const double edge = a->figures->edge;
    const int64_t first = mo_cell_of(x - reach, edge), across = (int64_t)1 << a->bits,
                  cells = mo_cell_of(x + reach, edge) - first + 1;
    *count = (int)(cells > 0 && cells < across ? cells : across); /* or all of them */
    return first;
}

MO_ANY void mo_find_all(const mo_find_args *a, int i, mo_found *found)
{
    const mo_ball_near *own = a->near + i;
    const double reach =
        own->radius + a->largest +
        mo_meeting_gap(a, found, a->largest, own->speed, a->figures->fastest.largest);
    const uint32_t copy = mo_copy_bits(own->id, a->per_copy, a->bits);
    int wide[3];
    const int64_t cx = mo_first_cell(a, own->x[0], reach, wide),
                  cy = mo_first_cell(a, own->x[1], reach, wide + 1),
                  cz = mo_first_cell(a, own->x[2], reach, wide + 2);
    for (int z = 0; z < wide[2]; ++z) {
        for (int y = 0; y < wide[1]; ++y) {
            for (int k = 0; k < wide[0]; ++k) {
                mo_find_in_bucket(a, i, copy | mo_bucket_of(cx + k, cy + y, cz + z, a->bits),
                                  found);
            }
        }
    }
    for (int k = 0; k < a->fixed_count; ++k)
        mo_find_fixed(a, i, k, found);
}

/* Recomputes lists if a body is faster than they allow. */
MO_ANY void mo_kernel_find_lists(const mo_find_args *a, int i)
{
    mo_found found = {MO_LISTS, 0, 0, 0};
    if (a->figures->is_listed) return;
    mo_find_all(a, i, &found);
    a->listed_count[i] = found.count;
}

/* Returns the number of late contacts. */
MO_ANY mo_term mo_kernel_find_count(const mo_find_args *a, int i)
{
    const int listed = a->listed_count[i];
    mo_found found = {MO_COUNTS, 0, 0, 0};
    uint32_t taken = 0;
    if (listed > a->listed_most) mo_find_all(a, i, &found);
    for (int k = 0; k < listed && listed <= a->listed_most; ++k)
        taken |= (uint32_t)mo_find_one(a, i, *mo_listed(a, i, k), &found) << k;
    mo_term term = {0, 0};
    a->taken[i] = taken;
    a->count[i] = found.count;
    term.sum = found.late;
    return term;
}

/* From the list and the counted contacts, or by another search. */
MO_ANY void mo_kernel_find_fill(const mo_find_args *a, int i)
{
    const uint32_t taken = a->taken[i];
    const int listed = a->listed_count[i];
    mo_found found = {MO_FILLS, 0, 0, a->start[i]};
    if (listed > a->listed_most) {
        mo_find_all(a, i, &found);
        return;
    }
    for (int k = 0; k < listed; ++k)
        if (taken >> k & 1) mo_write_found(a, i, *mo_listed(a, i, k), found.at++);
}

#endif
