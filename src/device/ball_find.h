/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Kernels that find the contacts of balls, with each other and with static planes and boxes, and
 * the pairs of other solids that may touch (solid_touch.h).
 *
 * A ball searches the buckets around its own (ball_cells.h); of two balls the one with the lower id
 * owns the contact.  Contacts are counted, scanned and filled.
 */
#ifndef MO_DEVICE_BALL_FIND_H
#define MO_DEVICE_BALL_FIND_H

#include "device/ball_touch.h"

/* ---- pairs of solids ------------------------------------------------------------------------- */

/* How far a solid reaches from its centre of mass along a unit vector, at most. */
MO_ANY double mo_reach_along(const mo_find_args *a, int k, mo_vec d)
{
    const mo_ball *b = a->ball + k;
    const mo_solid *s = a->solid + b->solid;
    const mo_shape_def *def = &s->collider.def;
    const double world[3] = {d.x, d.y, d.z};
    const double body_back[4] = {b->q[0], -b->q[1], -b->q[2], -b->q[3]};
    double in_body[3], local[3];
    mo_quat_turn(body_back, world, in_body);
    mo_vector_in(&s->in_body, in_body, local);
    const double off = mo_vec3_dot(s->in_body.position, in_body), z = local[2];
    if (def->kind == MO_SHAPE_BOX) {
        return off + def->half[0] * fabs(local[0]) + def->half[1] * fabs(local[1]) +
               def->half[2] * fabs(z);
    }
    if (def->kind == MO_SHAPE_CYLINDER) {
        return off + def->half[2] * fabs(z) + def->radius * sqrt(mo_larger(0, 1 - z * z));
    }
    if (def->kind == MO_SHAPE_CAPSULE) {
        return off + def->radius +
               mo_larger(mo_vec3_dot(def->ends[0], local), mo_vec3_dot(def->ends[1], local));
    }
    return b->radius;
}

/* Are the two apart along the line of their centres, or along the normal of a plane? */
MO_ANY int mo_are_apart(const mo_find_args *a, const mo_ball_touch *t, int one, int two)
{
    const double SPARE = 1e-9; /* of the size: rounding */
    const mo_vec back = mo_vec_times(-1, t->n);
    const double speed = a->near[one].speed + (two < a->balls ? a->near[two].speed : 0),
                 reach = mo_margin_by(a->margin, t->size) + a->h * speed + SPARE * t->size;
    if (two >= a->balls && a->fixed[two - a->balls].kind != MO_FIXED_PLANE) {
        return 0;
    }
    const double distance =
        t->gap + a->near[one].radius + (two < a->balls ? a->near[two].radius : 0);
    return distance - mo_reach_along(a, one, back) -
               (two < a->balls ? mo_reach_along(a, two, t->n) : 0) >
           reach;
}

/* ---- the search ------------------------------------------------------------------------------ */

/* Result of a search: counts, or fills from `at` on. */
typedef struct mo_found {
    int count, late;
    int at; /* -1: counts */
} mo_found;

MO_ANY void mo_find_touch(const mo_find_args *a, const mo_ball_touch *t, int one, int two,
                          mo_found *found)
{
    const int part = !a->solid                      ? mo_takes_part(a, t, one, two, NULL, 0)
                     : mo_are_apart(a, t, one, two) ? MO_LEFT_OUT
                                                    : MO_TAKEN;
    if (part == MO_LEFT_OUT) {
        return;
    }
    if (found->at >= 0) {
        const int k = found->at + found->count;
        a->one[k] = one;
        a->two[k] = two;
        if (!a->solid) {
            a->match[k] = mo_find_match(a, one, two, 0);
        }
    }
    ++found->count;
    found->late += part == MO_LATE;
}

MO_ANY void mo_find_in_bucket(const mo_find_args *a, int one, uint32_t bucket, mo_found *found)
{
    const mo_ball_near *own = a->near + one;
    for (int two = a->bucket_start[bucket]; two < a->bucket_start[bucket + 1]; ++two) {
        const mo_ball_near *other = a->near + two;
        if (other->id <= own->id) {
            continue;
        }
        const double size = own->radius < other->radius ? own->radius : other->radius;
        const double reach = own->radius + other->radius + mo_margin_by(a->margin, size) +
                             a->h * (own->speed + other->speed);
        const mo_vec d = mo_vec_minus(mo_vec_at(own->x), mo_vec_at(other->x));
        if (mo_vec_dot(d, d) <= reach * reach) {
            const mo_ball_touch t = mo_touch_balls(own, other);
            mo_find_touch(a, &t, one, two, found);
        }
    }
}

MO_ANY void mo_find_fixed(const mo_find_args *a, int one, mo_found *found)
{
    const mo_ball_near *own = a->near + one;
    for (int k = 0; k < a->fixed_count; ++k) {
        const mo_fixed_shape *s = a->fixed + k;
        const mo_ball_touch t = mo_touch_fixed(own, s);
        const double speed = sqrt(mo_vec_dot(mo_vec_at(s->v), mo_vec_at(s->v)));
        if (t.gap <= mo_margin_by(a->margin, t.size) + a->h * (own->speed + speed)) {
            mo_find_touch(a, &t, one, a->balls + k, found);
        }
    }
}

MO_ANY mo_found mo_find_of(const mo_find_args *a, int i, int at)
{
    const int across = 1 << a->bits, range = a->figures->range;
    const int wide = 2 * range + 1 < across ? 2 * range + 1 : across;
    const double *x = a->near[i].x, edge = a->figures->edge;
    const int64_t cx = mo_cell_of(x[0], edge) - range, cy = mo_cell_of(x[1], edge) - range,
                  cz = mo_cell_of(x[2], edge) - range;
    mo_found found = {0, 0, at};
    for (int z = 0; z < wide; ++z) {
        for (int y = 0; y < wide; ++y) {
            for (int k = 0; k < wide; ++k) {
                mo_find_in_bucket(a, i, mo_bucket_of(cx + k, cy + y, cz + z, a->bits), &found);
            }
        }
    }
    mo_find_fixed(a, i, &found);
    return found;
}

/* Returns how many contacts close that were left out. */
MO_ANY mo_term mo_kernel_find_count(const mo_find_args *a, int i)
{
    const mo_found found = mo_find_of(a, i, -1);
    mo_term term = {0, 0};
    a->count[i] = found.count;
    term.sum = found.late;
    return term;
}

MO_ANY void mo_kernel_find_fill(const mo_find_args *a, int i)
{
    mo_find_of(a, i, a->start[i]);
}

#endif
