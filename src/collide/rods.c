/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* Two rods: see rods.h. */
#include "collide/rods.h"

#include <math.h>

#include "linalg/vec3.h"

/* Relative to the size: an end closer to another touch than this is that touch. */
static const double IS_TOUCH = 1e-3;
static const double WITHIN = 1e-9; /* part of a segment: points closer to an end count as the end */
/* Cosine: an end inside the other rod is a touch if the way out is nearly along the axis. */
static const double ALONG = 0.9;

/* ---- the axis of rods ------------------------------------------------------------------------ */

/* A rod: the segment about which it lies, its direction, half length and radius. */
typedef struct rod {
    double ends[2][3], axis[3], half, radius;
    int has_caps;
} rod;

MO_OWN void rod_of(const mo_core *c, rod *r)
{
    r->has_caps = c->kind == MO_CORE_CYLINDER;
    if (r->has_caps) {
        mo_vec3_set(r->axis, c->Q[2], c->Q[5], c->Q[8]);
        mo_vec3_along(c->at, -c->half[2], r->axis, r->ends[0]);
        mo_vec3_along(c->at, c->half[2], r->axis, r->ends[1]);
        r->half = c->half[2];
        r->radius = c->half[0];
        return;
    }
    memcpy(r->ends, c->corner, sizeof r->ends);
    mo_vec3_minus(r->ends[1], r->ends[0], r->axis);
    const double length = mo_vec3_norm(r->axis);
    mo_vec3_scale(length > 0 ? 1 / length : 0, r->axis, r->axis);
    r->half = 0.5 * length;
    r->radius = 0;
}

MO_OWN int is_within(double part)
{
    return part > WITHIN && part < 1 - WITHIN;
}

/* The line between the nearest points of the segments; where these meet, one across both. */
MO_OWN void axis_of_segments(rod *p, rod *q, mo_axis *axis)
{
    double d[3], e[3], s, t, *n = axis->normal;
    mo_nearest_of_segments(p->ends, q->ends, &s, &t);
    mo_vec3_minus(p->ends[1], p->ends[0], d);
    mo_vec3_minus(q->ends[1], q->ends[0], e);
    mo_vec3_along(p->ends[0], s, d, axis->on_a);
    mo_vec3_along(q->ends[0], t, e, axis->on_b);
    mo_vec3_minus(axis->on_b, axis->on_a, n);
    axis->is_face = 0;
    axis->has_points = is_within(s) && is_within(t);
    if (!(mo_vec3_norm(n) > WITHIN * (p->half + q->half))) {
        mo_vec3_cross(p->axis, q->axis, n);
        axis->has_points = 0;
    }
    if (!(mo_vec3_norm(n) > 0)) mo_vec3_tangents(p->half > 0 ? p->axis : q->axis, d, n);
    mo_vec3_scale(1 / mo_vec3_norm(n), n, n);
}

/* The separation along the axis of one, where it is more than that so far. */
MO_OWN void consider_cap(const rod *one, const rod *other, const double between[3], mo_axis *axis)
{
    const double along = mo_vec3_dot(one->axis, between), c = mo_vec3_dot(one->axis, other->axis);
    const double gap = fabs(along) - one->half - other->half * fabs(c) -
                       other->radius * sqrt(fmax(0.0, 1 - c * c));
    if (one->has_caps && gap > axis->gap) {
        axis->gap = gap;
        axis->has_points = 0;
        mo_vec3_scale(along < 0 ? -1 : 1, one->axis, axis->normal);
    }
}

MO_EVERYWHERE mo_rods mo_rods_axis(mo_core *a, mo_core *b, double reach, mo_axis *axis)
{
    rod p, q;
    double between[3];
    rod_of(a, &p);
    rod_of(b, &q);
    axis_of_segments(&p, &q, axis);
    axis->gap = mo_core_gap(a, b, axis->normal);
    mo_vec3_minus(b->centre, a->centre, between);
    consider_cap(&p, &q, between, axis);
    consider_cap(&q, &p, between, axis);
    return axis->gap > reach ? MO_RODS_FAR : axis->has_points ? MO_RODS_CROSS : MO_RODS_BESIDE;
}

/* ---- ends ------------------------------------------------------------------------------------ */

/*
 * How far the point is from a segment or a cylinder, negative inside, where it leaves by the side;
 * the unit vector out of it there.
 */
MO_OWN double outside(const mo_core *c, const double x[3], double normal[3])
{
    double foot[3], to[3];
    if (c->kind == MO_CORE_SEGMENT) {
        mo_nearest_on_segment(c->corner[0], c->corner[1], x, foot);
        mo_vec3_minus(x, foot, normal);
        const double distance = mo_vec3_norm(normal);
        mo_vec3_scale(distance > 0 ? 1 / distance : 0, normal, normal);
        return distance;
    }
    mo_vec3_minus(x, c->at, to);
    mo_mat3_apply_transposed(c->Q, to, foot);
    const double distance = mo_nearest_on_cylinder(c->half[0], c->half[2], foot, to);
    const double off = sqrt(foot[0] * foot[0] + foot[1] * foot[1]);
    const int is_inside = distance <= 0 && off > 0;
    if (is_inside) mo_vec3_set(to, foot[0] / off, foot[1] / off, 0);
    mo_mat3_apply(c->Q, to, normal);
    return is_inside ? off - c->half[0] : distance;
}

MO_OWN int is_near_one(const mo_touch_list *list, int first, const double point[3], double near)
{
    for (int k = first; k < list->count; ++k) {
        double d[3];
        mo_vec3_minus(list->touch[k].point, point, d);
        if (mo_vec3_dot(d, d) <= near * near) return 1;
    }
    return 0;
}

/* The ends of the line that `one` turns along n, as points on the other. */
MO_OWN void touch_ends(const mo_flat *line, const mo_core *other, const mo_axis *axis,
                       const double origin[3], double reach, int is_turned, int first,
                       mo_touch_list *out)
{
    for (int k = 0; k < 2; ++k) {
        const double *x = line->corner[k];
        double normal[3], foot[3], middle[3];
        const double gap = outside(other, x, normal);
        mo_vec3_along(x, -gap, normal, foot);
        mo_vec3_along(x, 1, origin, middle);
        mo_vec3_along(middle, -0.5 * gap, normal, middle);
        mo_vec3_scale(is_turned ? 1 : -1, normal, normal);
        if (gap <= reach &&
            (gap > 0 || (gap >= axis->gap && mo_vec3_dot(normal, axis->normal) > ALONG)) &&
            !is_near_one(out, first, middle, IS_TOUCH * other->size)) {
            const uint32_t feature = 1u << 22 | (uint32_t)(2 * is_turned + k);
            mo_touch_about(is_turned ? foot : x, is_turned ? x : foot, normal, gap, origin, feature,
                           out);
        }
    }
}

MO_EVERYWHERE void mo_rods_ends(const mo_core *a, const mo_core *b, const mo_flat of[2],
                                const mo_axis *axis, const double origin[3], double reach,
                                int first, mo_touch_list *out)
{
    if (of[0].count == 2 && of[1].count == 2) {
        touch_ends(of, b, axis, origin, reach, 0, first, out);
        touch_ends(of + 1, a, axis, origin, reach, 1, first, out);
    }
}
