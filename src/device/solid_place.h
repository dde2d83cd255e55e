/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Where two solids are, at the start or at the end of the step, and how far they are apart along a
 * direction: a lower bound of their distance, as collide/separation.c has it for the host.
 */
#ifndef MO_DEVICE_SOLID_PLACE_H
#define MO_DEVICE_SOLID_PLACE_H

#include "device/ball_touch.h"
#include "linalg/free_spin.h"

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
        for (int k = 0; k < hull->vertex_count; ++k) {
            most = mo_larger(most, mo_vec3_dot(hull->vertex[k], local));
        }
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
