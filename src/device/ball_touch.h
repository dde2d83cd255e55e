/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Contact points of balls, and the selection of those that take part in a step, for balls and other
 * solids.
 *
 * The rule is that of sim/contacts_take.c: gaps that close to the margin with the velocities before
 * the step, with the free velocities, or while one of the two bodies is stopped; and gaps that a
 * solution closes.
 */
#ifndef MO_DEVICE_BALL_TOUCH_H
#define MO_DEVICE_BALL_TOUCH_H

#include "device/ball_cells.h"
#include "linalg/free_spin.h"

/* ---- touches --------------------------------------------------------------------------------- */

/* The normal points from the second to the first; the second is a ball or a fixed shape. */
typedef struct mo_ball_touch {
    mo_vec n;
    double gap, size;
} mo_ball_touch;

MO_ANY mo_vec mo_vec_at(const double *x)
{
    return mo_vec_of(x[0], x[1], x[2]);
}

MO_ANY mo_ball_touch mo_touch_balls(const mo_ball_near *one, const mo_ball_near *two)
{
    /* relative to the radii: centres closer than this define no direction */
    const double SAME = 1e-12;
    const mo_vec d = mo_vec_minus(mo_vec_at(one->x), mo_vec_at(two->x));
    const double distance = sqrt(mo_vec_dot(d, d)), both = one->radius + two->radius;
    mo_ball_touch t;
    t.gap = distance - one->radius - two->radius;
    t.n = distance > SAME * both ? mo_vec_times(1 / distance, d) : mo_vec_of(0, 0, 1);
    t.size = one->radius < two->radius ? one->radius : two->radius;
    return t;
}

/* Out of the box through its nearest face. */
MO_ANY mo_vec mo_out_of_box(const mo_fixed_shape *s, const double *local, double *distance)
{
    int axis = 0;
    double depth = INFINITY;
    for (int k = 0; k < 3; ++k) {
        const double own = s->half[k] - fabs(local[k]);
        if (own < depth) {
            depth = own;
            axis = k;
        }
    }
    *distance = -depth;
    return mo_vec_times(local[axis] < 0 ? -1 : 1, mo_vec_at(s->axis + 3 * axis));
}

MO_ANY mo_vec mo_from_box(const mo_fixed_shape *s, mo_vec d, double *distance)
{
    double local[3], off[3];
    int is_outside = 0;
    for (int k = 0; k < 3; ++k) {
        local[k] = mo_vec_dot(mo_vec_at(s->axis + 3 * k), d);
        off[k] = local[k] > s->half[k]    ? local[k] - s->half[k]
                 : local[k] < -s->half[k] ? local[k] + s->half[k]
                                          : 0;
        is_outside |= off[k] != 0;
    }
    if (!is_outside) return mo_out_of_box(s, local, distance);
    mo_vec out = mo_vec_of(0, 0, 0);
    for (int k = 0; k < 3; ++k)
        out = mo_vec_along(out, off[k], mo_vec_at(s->axis + 3 * k));
    *distance = sqrt(mo_vec_dot(out, out));
    return mo_vec_times(1 / *distance, out);
}

MO_ANY mo_ball_touch mo_touch_fixed(const mo_ball_near *one, const mo_fixed_shape *s)
{
    const mo_vec d = mo_vec_minus(mo_vec_at(one->x), mo_vec_at(s->x));
    mo_ball_touch t;
    double distance;
    if (s->kind == MO_FIXED_PLANE) {
        t.n = mo_vec_at(s->axis + 6);
        distance = mo_vec_dot(d, t.n);
    } else if (s->kind == MO_FIXED_OTHER) {
        t.n = mo_vec_of(0, 0, 1);
        distance = sqrt(mo_vec_dot(d, d)) - s->size;
    } else {
        t.n = mo_from_box(s, d, &distance);
    }
    t.gap = distance - one->radius;
    t.size = one->radius < s->size ? one->radius : s->size;
    return t;
}

/* ---- selection ------------------------------------------------------------------------------- */

/* Arms from the centres of mass of both to the point; of balls the spin does not matter. */
typedef struct mo_two_arms {
    mo_vec one, two;
} mo_two_arms;

MO_ANY mo_vec mo_velocity_at(const double *v, const double *spin, const mo_vec *arm)
{
    return arm ? mo_vec_plus(mo_vec_at(v), mo_vec_cross(mo_vec_at(spin), *arm)) : mo_vec_at(v);
}

/* Speed of its points before the step. */
MO_ANY mo_vec mo_velocity_before(const mo_find_args *a, int k, const mo_vec *arm)
{
    return k < a->balls ? mo_velocity_at(a->ball[k].v, a->ball[k].v + 3, arm)
                        : mo_vec_at(a->fixed[k - a->balls].v);
}

MO_ANY mo_vec mo_velocity_in(const mo_line *line, int k, const mo_vec *arm)
{
    return mo_velocity_at(line[k].v, line[k].spin, arm);
}

/* Lower bound on the rate of the gap if one of the two is stopped. */
MO_ANY double mo_least_rate(mo_vec n, mo_vec v_1, mo_vec v_2)
{
    const double one = mo_vec_dot(n, v_1), two = mo_vec_dot(n, v_2);
    double least = one - two;
    least = one < least ? one : least;
    return -two < least ? -two : least;
}

/* arms: NULL for balls. */
MO_ANY int mo_is_chosen(const mo_find_args *a, const mo_ball_touch *t, int one, int two,
                        const mo_two_arms *arms)
{
    const mo_vec *arm_1 = arms ? &arms->one : NULL, *arm_2 = arms ? &arms->two : NULL;
    const double margin = mo_margin_by(a->margin, t->size);
    if (t->gap <= margin) return 1;
    const double before = mo_least_rate(t->n, mo_velocity_before(a, one, arm_1),
                                        mo_velocity_before(a, two, arm_2)),
                 free_rate = mo_least_rate(t->n, mo_velocity_in(a->free_line, one, arm_1),
                                           mo_velocity_in(a->free_line, two, arm_2));
    const double least = before < free_rate ? before : free_rate;
    return t->gap + a->h * (least < 0 ? least : 0) <= margin;
}

/* Does the current solution close it to less than `depth` of its size? */
MO_ANY int mo_closes(const mo_find_args *a, const mo_ball_touch *t, int one, int two,
                     const mo_two_arms *arms, double depth)
{
    const mo_vec v = mo_vec_minus(mo_velocity_in(a->next_line, one, arms ? &arms->one : NULL),
                                  mo_velocity_in(a->next_line, two, arms ? &arms->two : NULL));
    return t->gap + a->h * mo_vec_dot(t->n, v) < -depth * t->size;
}

/* A late contact, added at the end of a step: its feature also contains the round. */
#define MO_TAKEN_LATE 0x80000000u
#define MO_OWN_FEATURE 0x00ffffffu

/* The place of a contact in the last list, or -1. */
MO_ANY int mo_find_match(const mo_find_args *a, int one, int two, uint32_t feature)
{
    const int id = (int)a->near[one].id, other = two < a->balls ? (int)a->near[two].id : two;
    const uint32_t kept = a->next_line ? ~0u : MO_OWN_FEATURE; /* of the last step: late or not */
    for (int k = a->last.begin[id]; k < a->last.end[id]; ++k)
        if (a->last.other[k] == other &&
            (!a->last.feature || (a->last.feature[k] & kept) == feature))
            return k;
    return -1;
}

enum { MO_LEFT_OUT, MO_TAKEN, MO_LATE };

/* Of a touch within reach. */
MO_ANY int mo_takes_part(const mo_find_args *a, const mo_ball_touch *t, int one, int two,
                         const mo_two_arms *arms, uint32_t feature)
{
    const double NEARLY_LATE = 0.02; /* as sim/step.c: contacts that the next solution may close */
    if (mo_is_chosen(a, t, one, two, arms)) return MO_TAKEN;
    if (!a->next_line) return MO_LEFT_OUT;
    if (mo_find_match(a, one, two, feature) >= 0) return MO_TAKEN;
    return mo_closes(a, t, one, two, arms, a->late)        ? MO_LATE
           : mo_closes(a, t, one, two, arms, -NEARLY_LATE) ? MO_TAKEN
                                                           : MO_LEFT_OUT;
}

/* ---- solids in their places ------------------------------------------------------------------ */

/*
 * Where two solids are, at the start or at the end of the step, and how far they are apart along a
 * direction: a lower bound of their distance, as collide/separation.c has it for the host.
 */

MO_ANY const mo_solid *mo_solid_at(const mo_find_args *a, int k)
{
    return k < a->balls ? a->solid + a->ball[k].solid : a->fixed_solid + (k - a->balls);
}

/* At the start of the step, or at its end with the velocities of `next`. */
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

typedef struct mo_two_placed {
    mo_placed one, two;
} mo_two_placed;

MO_ANY mo_two_placed mo_place_pair(const mo_find_args *a, int one, int two, const mo_line *next)
{
    mo_two_placed p;
    p.one = mo_solid_place(a, one, next);
    p.two = mo_solid_place(a, two, next);
    return p;
}

/* Its extent along the unit vector n from its origin.  A plane has only one direction. */
MO_ANY double mo_reach_along(const mo_placed *p, const double n[3])
{
    const double UPWARDS = 1 - 1e-12; /* cosine: rounding */
    const mo_shape_def *def = &p->collider->def;
    const mo_hull *hull = p->collider->hull;
    double local[3];
    mo_vector_in(&p->pose, n, local);
    const double x = fabs(local[0]), y = fabs(local[1]), z = fabs(local[2]);
    switch (def->kind) {
    case MO_SHAPE_BALL:
        return def->radius;
    case MO_SHAPE_BOX:
        return def->half[0] * x + def->half[1] * y + def->half[2] * z;
    case MO_SHAPE_CYLINDER:
        return def->half[2] * z + def->radius * sqrt(mo_larger(0, 1 - z * z));
    case MO_SHAPE_CAPSULE:
        return def->radius +
               mo_larger(mo_vec3_dot(def->ends[0], local), mo_vec3_dot(def->ends[1], local));
    case MO_SHAPE_HULL: {
        double most = -INFINITY;
        for (int k = 0; k < hull->vertex_count; ++k)
            most = mo_larger(most, mo_vec3_dot(hull->vertex[k], local));
        return most;
    }
    default:
        return local[2] > UPWARDS ? 0 : INFINITY;
    }
}

/* Along the unit vector n, which points from the second to the first. */
MO_ANY double mo_separation(const mo_two_placed *p, mo_vec n)
{
    const double up[3] = {n.x, n.y, n.z}, down[3] = {-n.x, -n.y, -n.z};
    double between[3];
    mo_vec3_minus(p->one.pose.position, p->two.pose.position, between);
    return mo_vec3_dot(between, up) - mo_reach_along(&p->one, down) - mo_reach_along(&p->two, up);
}

#endif
